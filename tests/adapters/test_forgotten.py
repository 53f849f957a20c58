from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from nights import Clock, new_vault, row, say, take_in
from noctuary.vault.files import Disk
from noctuary.vault.forgotten import forgotten_ids, note_forgotten

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NAMES = ("2026-11-30-chat-a1", "2026-12-01-chat-a1", "2026-11-30", "notes", "日记")
ids = st.sets(st.from_regex(r"[eh][0-9a-f]{10}", fullmatch=True), max_size=6)


@given(st.lists(st.tuples(st.sampled_from(NAMES), ids), max_size=6))
def test_every_id_is_known_again_under_its_episode_alone(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, set[str]]]
) -> None:
    disk = Disk(tmp_path_factory.mktemp("vault"))
    for name, gone in told:
        note_forgotten(disk, name, gone)
    for name in NAMES:
        assert forgotten_ids(disk, name) == set().union(*(g for n, g in told if n == name))


def test_each_month_has_a_log_of_its_own(tmp_path: Path) -> None:
    for name in NAMES:
        note_forgotten(Disk(tmp_path), name, {"e0123456789"})
    logs = sorted(path.name for path in (tmp_path / ".noctuary").iterdir())
    assert logs == [
        "forgotten-2026-11.jsonl", "forgotten-2026-12.jsonl", "forgotten-other.jsonl"
    ]  # fmt: skip


def test_an_id_takes_few_bytes(tmp_path: Path) -> None:
    note_forgotten(Disk(tmp_path), NAMES[0], {f"e{number:010x}" for number in range(1000)})
    [log] = (tmp_path / ".noctuary").iterdir()
    assert log.stat().st_size < 7_000


def test_an_episode_of_which_all_is_forgotten_is_gone_and_stays_known(tmp_path: Path) -> None:
    clock = Clock()
    vault = new_vault(tmp_path / "vault", clock)
    rows = [row("Thanks!", clock.now.replace(hour=1, minute=n)) for n in range(3)]
    take_in(vault, rows)
    vault.dream(purge_now=True)
    vault.dream(deep=True)
    assert list((vault.path / "episodes").rglob("*.md")) == []
    assert take_in(vault, rows) == 0
    assert vault.dream().seen == 0
    assert vault.stats().entries == 3
    assert vault.verify().problems == ()


def test_a_session_that_goes_on_after_all_was_forgotten_is_dreamt_alone(tmp_path: Path) -> None:
    clock = Clock()
    vault = new_vault(tmp_path / "vault", clock)
    say(vault, "The mill has 3 wheels.", at=clock.now, session="s1")
    vault.dream(purge_now=True)
    clock.next()
    say(vault, "The barn has 2 doors.", at=clock.now, session="s1")
    report = vault.dream(purge_now=True)
    assert (report.seen, report.absorbed) == (1, 1)


def test_what_a_person_wrote_into_an_episode_keeps_it(tmp_path: Path) -> None:
    clock = Clock()
    vault = new_vault(tmp_path / "vault", clock)
    say(vault, "The mill has 3 wheels.", at=clock.now, session="s1")
    [file] = (vault.path / "episodes").rglob("*.md")
    file.write_text(file.read_text("utf-8") + "\nMy own words.\n", "utf-8")
    vault.dream(purge_now=True)
    text = file.read_text("utf-8")
    assert "My own words." in text
    assert "wheels" not in text
