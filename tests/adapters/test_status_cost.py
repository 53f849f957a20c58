"""What a look at a vault costs: what did not change is not read again, and is told all the same."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from noctuary import Vault
from noctuary.vault.reading import Reader
from vault_kit import card, card_bytes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """Two cards, one note that is none, and entries in an episode that a person broke."""
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    later = time.time() + 3600
    monkeypatch.setattr("noctuary.vault.shelf.time.time", lambda: later)
    made = Vault.init(tmp_path / "vault", timezone="UTC")
    for place in ("cards/facts/one", "inbox/two", "cards/facts/bad"):
        file = made.path / f"{place}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(card_bytes(card(f"c{place[-3:]}", "the port is 5000")))
    (made.path / "cards/facts/bad.md").write_bytes(b"\xff\xfe no text")
    made.log("The lease ends in May.", at="2026-11-30T10:00:00")
    made.log("租约五月到期。", at="2026-11-30T10:01:00")
    (episode,) = (made.path / "episodes").rglob("*.md")
    episode.write_bytes(episode.read_bytes().replace(b"10:01:00", b"ten past"))
    return made


def test_a_second_look_tells_the_same_and_reads_only_what_it_could_not(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = vault.status()
    assert (first.cards, first.quarantined, first.pending) == (1, 1, 1)
    assert first.episodes_bytes > 0
    assert first.cards_bytes > 0
    assert any("bad.md" in problem for problem in first.problems)
    assert any("episodes/" in problem for problem in first.problems)
    read: list[str] = []
    whole = Reader.bytes_of

    def noted(self: Reader, path: str, limit: int = 1 << 20) -> bytes | None:
        read.append(path)
        return whole(self, path, limit)

    monkeypatch.setattr(Reader, "bytes_of", noted)
    assert Vault.open(vault.path).status() == first
    assert read == ["cards/facts/bad.md"]


def test_what_changed_since_is_seen(vault: Vault) -> None:
    vault.status()
    (vault.path / "cards/facts/bad.md").unlink()
    (vault.path / "inbox/two.md").rename(vault.path / "cards/facts/two.md")
    vault.log("The keys are with Ann.", at="2026-11-30T11:00:00")
    now = vault.status()
    assert (now.cards, now.quarantined, now.pending) == (2, 0, 2)
    assert not any("bad.md" in problem for problem in now.problems)


def test_verify_tells_how_far_it_is(vault: Vault) -> None:
    told: list[tuple[int, int]] = []
    vault.verify(progress=lambda done, steps: told.append((done, steps)))
    assert told == [(step, 4) for step in (1, 2, 3, 4)]
