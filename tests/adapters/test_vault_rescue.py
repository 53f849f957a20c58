"""What a person was still saving when it was displaced has a name of its own, whatever it held then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from noctuary.vault.files import digest_of
from noctuary.vault.graveyard import Graveyard
from vault_kit import empty_vault, open_store, visible

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "cards/facts/c00001.md"


def stage(root: Path) -> Path:
    folder = root / ".noctuary" / "stage"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("found", [b"", b"half of a "])
def test_two_saves_that_were_found_in_the_same_state_are_both_kept(
    tmp_path: Path, found: bytes
) -> None:
    root = empty_vault(tmp_path / "vault", repository=False)
    graveyard = Graveyard(open_store(root, use_git=False).disk)
    for word in (b"first", b"second"):
        displaced = stage(root) / "displaced.md"
        with displaced.open("wb", buffering=0) as still_open:
            still_open.write(found)
            name = graveyard.rescue(displaced, NOTE, digest_of(found))
            still_open.write(word)
        assert (root / name).read_bytes() == found + word
        assert not displaced.exists()
    assert {found + b"first", found + b"second"} <= set(visible(root).values())


@pytest.mark.parametrize("found", [b"", b"half of a "])
def test_two_saves_that_are_in_the_same_state_at_once_are_both_kept(
    tmp_path: Path, found: bytes
) -> None:
    root = empty_vault(tmp_path / "vault", repository=False)
    graveyard = Graveyard(open_store(root, use_git=False).disk)
    displaced = [stage(root) / "one.md", stage(root) / "two.md"]
    writers = [file.open("wb", buffering=0) for file in displaced]
    for file, writer in zip(displaced, writers, strict=True):
        writer.write(found)
        assert graveyard.rescue(file, NOTE, digest_of(found))
    for number, writer in enumerate(writers):
        writer.write(b"word %d" % number)
        writer.close()
    assert {found + b"word 0", found + b"word 1"} <= set(visible(root).values())


def test_a_copy_is_rescued_once_and_a_stopped_rescue_goes_on(tmp_path: Path) -> None:
    root = empty_vault(tmp_path / "vault", repository=False)
    graveyard = Graveyard(open_store(root, use_git=False).disk)
    names = set()
    displaced = stage(root) / "displaced.md"
    for _ in range(2):
        displaced.write_bytes(b"words")
        names.add(graveyard.rescue(displaced, NOTE, digest_of(b"words"), copied=True))
    (name,) = names
    displaced.hardlink_to(root / name)
    assert graveyard.rescue(displaced, NOTE, digest_of(b"words")) == name
    assert not displaced.exists()
