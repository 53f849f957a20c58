"""What went wrong in other memory programs, once each: it must not go wrong here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nights import Clock, cards, files, new_vault, say
from noctuary.distil.offline import OfflineDistiller
from noctuary.errors import NoctuaryError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from noctuary.api import Vault
    from noctuary.memory.candidate import Anchor, Candidate, Scored

TABS = "I prefer tabs over spaces."


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    made = new_vault(tmp_path / "vault", clock, git=True)
    made._store = replace(made._store, settle=0.0)
    return made


def a_card(vault: Vault, clock: Clock) -> Path:
    say(vault, TABS, "We decided to use SQLite because it needs no server.")
    vault.dream()
    clock.next()
    return next(path for path in (vault.path / "cards").rglob("*.md") if "tabs" in path.name)


def another_night(vault: Vault, clock: Clock, *texts: str) -> None:
    say(vault, *(texts or (TABS,)), at=clock.next(), session="b2b2b2")
    clock.next()
    vault.dream()


def test_a_byte_order_mark_brings_no_second_header(vault: Vault, clock: Clock) -> None:
    path = a_card(vault, clock)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    another_night(vault, clock)
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---\n")
    assert data.count(b"\nid: ") == 1
    assert data.count(b"seen: 2\n") == 1


def test_a_note_saved_by_rename_is_still_the_card(vault: Vault, clock: Clock) -> None:
    path = a_card(vault, clock)
    fresh = path.with_name("4913")
    fresh.write_bytes(path.read_bytes().replace(b"## Evidence", b"Always.\n\n## Evidence"))
    path.rename(path.with_name(path.name + "~"))
    fresh.rename(path)
    another_night(vault, clock)
    assert "Always." in path.read_text("utf-8")
    assert len([name for name in cards(vault, "cards") if "tabs" in name]) == 1


def test_an_edit_from_outside_is_found_at_once(vault: Vault, clock: Clock) -> None:
    path = a_card(vault, clock)
    assert not vault.recall("quokka burrows").hits
    text = path.read_text("utf-8").replace("tabs over spaces", "quokka burrows over spaces")
    path.write_text(text, "utf-8")
    assert vault.recall("quokka burrows").hits


def test_notes_of_others_are_never_rewritten(vault: Vault, clock: Clock) -> None:
    a_card(vault, clock)
    strange = {
        "cards/facts/mine.md": b"no header, just words\r\n",
        "cards/facts/odd.md": b"---\ntags: [a,   b]\nwhen: 10:30\n---\n    code first\n\n\n",
        "cards/facts/half.md": b"---\ntitle: never closed\n",
        "cards/facts/bytes.md": b"\xff\xfe not utf-8",
        "dreams/own-diary.md": b"---\ntitle: Foo: bar\n---\ntext",
        "notes/elsewhere.md": b"[[wiki]]  \n",
        "preferences.md": b"  mine, with odd   spaces  \n\n\n",
    }
    for path, data in strange.items():
        (vault.path / path).parent.mkdir(parents=True, exist_ok=True)
        (vault.path / path).write_bytes(data)
    another_night(vault, clock)
    vault.dream(deep=True)
    vault.index()
    assert {path: files(vault.path)[path] for path in strange} == strange


def test_the_map_does_not_become_empty_when_no_card_can_be_read(vault: Vault, clock: Clock) -> None:
    a_card(vault, clock)
    before = (vault.path / "index.md").read_bytes()
    for path in (vault.path / "cards").rglob("*.md"):
        path.write_bytes(b"\0" * 100)
    vault.index()
    vault.dream(deep=True)
    assert (vault.path / "index.md").read_bytes() == before


class Slow(OfflineDistiller):
    """While it thinks, a person saves."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def distil(self, scored: Sequence[Scored], anchor: Anchor) -> list[Candidate]:
        text = self._path.read_text("utf-8")
        self._path.write_text(
            text.replace("## Evidence", "Saved meanwhile.\n\n## Evidence"), "utf-8"
        )
        return super().distil(scored, anchor)


def test_what_is_saved_while_a_dream_thinks_is_kept(vault: Vault, clock: Clock) -> None:
    path = a_card(vault, clock)
    say(vault, TABS, at=clock.next(), session="b2b2b2")
    clock.next()
    report = vault.dream(distiller=Slow(path))
    assert "Saved meanwhile." in path.read_text("utf-8")
    assert any("changed while" in problem.what for problem in report.problems)
    clock.next()
    assert vault.dream().absorbed == 1
    assert "Saved meanwhile." in path.read_text("utf-8")


def test_a_file_cut_to_nothing_is_neither_filled_nor_taken_for_deleted(
    vault: Vault, clock: Clock
) -> None:
    path = a_card(vault, clock)
    path.write_bytes(b"")
    another_night(vault, clock)
    assert path.read_bytes() == b""
    assert any(problem.where.endswith(path.name) for problem in vault.verify().problems)
    others = [other for other in (vault.path / "cards").rglob("*.md") if other != path]
    assert any(TABS in other.read_text("utf-8") for other in others)


def test_a_card_that_is_still_in_the_cloud_is_not_taken_for_deleted(
    vault: Vault, clock: Clock
) -> None:
    path = a_card(vault, clock)
    data = path.read_bytes()
    placeholder = path.with_name(f".{path.name}.icloud")
    path.rename(placeholder)
    another_night(vault, clock, "My dentist is Dr. Almeida, phone 555-0134.")
    assert not path.exists()
    placeholder.unlink()
    path.write_bytes(data)
    another_night(vault, clock, "I prefer spaces in YAML files.", TABS)
    assert cards(vault, "cards")[path.stem].seen > 1


def test_an_empty_mount_deletes_no_memory(vault: Vault, clock: Clock) -> None:
    a_card(vault, clock)
    root, away = vault.path, vault.path.with_name("away")
    root.rename(away)
    root.mkdir()
    with pytest.raises(NoctuaryError, match="gone or not mounted"):
        vault.dream(deep=True)
    assert list(root.iterdir()) in ([], [root / ".noctuary"])
    assert cards(vault, "cards") == {}


def test_a_vault_open_to_all_is_not_written_to(vault: Vault, clock: Clock) -> None:
    a_card(vault, clock)
    before = files(vault.path)
    vault.path.chmod(0o777)
    with pytest.raises(NoctuaryError, match="chmod o-w"):
        vault.log("anything")
    dream = vault.dreams()[0].id
    with pytest.raises(NoctuaryError, match="chmod o-w"):
        vault.undo(dream)
    vault.path.chmod(0o755)
    assert files(vault.path) == before
