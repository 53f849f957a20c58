from __future__ import annotations

import multiprocessing
import os
import shutil
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from noctuary.errors import ConflictError, VaultBusy, VaultNotFound
from noctuary.memory.card import Status
from noctuary.memory.ranges import AbsorbedRange
from noctuary.vault.files import digest_of
from noctuary.vault.journal import journal_path
from noctuary.vault.layout import OutsideZones, find_vault
from noctuary.vault.lock import vault_lock
from noctuary.vault.store import CardFile, Store, Write
from vault_kit import (
    DREAM,
    NIGHT,
    NOON,
    OLD,
    PLACES,
    append_some,
    card,
    card_bytes,
    empty_vault,
    entries,
    furnished_vault,
    git,
    open_store,
    said,
    session,
    visible,
)

if TYPE_CHECKING:
    from pathlib import Path

EPISODE = "2026-11-30-chat-aa1111"
EPISODE_PATH = f"episodes/2026/11/{EPISODE}.md"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(empty_vault(tmp_path / "vault", repository=False), use_git=False)


@pytest.fixture
def furnished(tmp_path: Path) -> Store:
    return open_store(furnished_vault(tmp_path / "vault", use_git=False), use_git=False)


def by_name(store: Store) -> dict[str, CardFile]:
    return {item.path.rsplit("/", 1)[-1]: item for item in store.snapshot().cards}


# -- opening ------------------------------------------------------------------------------------


def test_a_folder_without_settings_is_no_vault(tmp_path: Path) -> None:
    with pytest.raises(VaultNotFound, match="noctuary init"):
        Store.open(tmp_path)


def test_the_vault_is_found_from_any_folder_in_it(store: Store) -> None:
    deep = store.root / "cards" / "facts"
    deep.mkdir(parents=True)
    assert find_vault(deep) == store.root


def test_machine_state_is_private(tmp_path: Path) -> None:
    root = empty_vault(tmp_path / "vault", repository=False)
    store = Store.open(root)
    assert stat.S_IMODE(store.layout.state.stat().st_mode) == 0o700
    assert store.vault_id == Store.open(root).vault_id
    assert stat.S_IMODE((store.layout.state / "vault-id").stat().st_mode) == 0o600


# -- appending ----------------------------------------------------------------------------------


def test_entries_come_back_as_they_were_said(store: Store) -> None:
    text = "# heading\n---\n^e0123456789\r\n> [!user] 10:00:00\n```\n预算 50,000\n```\n"
    entry = said(text)
    appended = store.append_entries(session("aa1111"), [entry])
    assert (appended.path, appended.added, appended.skipped) == (EPISODE_PATH, 1, 0)
    (episode,), problems = store.read_episodes()
    assert episode.entries[0].text == text
    assert problems == ()


def test_appending_twice_adds_nothing(store: Store) -> None:
    store.append_entries(session("aa1111"), entries("aa1111"))
    before = visible(store.root)
    again = store.append_entries(session("aa1111"), entries("aa1111"))
    assert (again.added, again.skipped) == (0, 4)
    assert visible(store.root) == before


def test_one_call_may_hold_the_same_entry_twice(store: Store) -> None:
    appended = store.append_entries(session("aa1111"), [said("a"), said("a")])
    assert (appended.added, appended.skipped) == (1, 1)


def test_a_dry_run_counts_and_writes_nothing(store: Store) -> None:
    appended = store.append_entries(session("aa1111"), entries("aa1111"), dry_run=True)
    assert appended.added == 4
    assert not store.layout.episodes.exists()


def test_what_a_person_wrote_into_an_episode_stays(store: Store) -> None:
    store.append_entries(session("aa1111"), [said("one")])
    path = store.root / EPISODE_PATH
    path.write_bytes(path.read_bytes() + b"\nA thought by hand")
    store.append_entries(session("aa1111"), [said("two")])
    (episode,), _ = store.read_episodes([EPISODE])
    assert [entry.text for entry in episode.entries] == ["one", "A thought by hand", "two"]


def test_what_was_purged_is_not_imported_again(furnished: Store) -> None:
    ids = [entry.id for entry in entries("aa1111")]
    furnished.apply(DREAM, (), "Forget", {EPISODE: ids[:2]})
    again = furnished.append_entries(session("aa1111"), entries("aa1111"))
    assert (again.added, again.skipped) == (0, 4)


def test_four_processes_append_at_once(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=append_some, args=(store.root, n)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    (episode,), problems = store.read_episodes()
    assert len(episode.entries) == 100
    assert all(entry.intact for entry in episode.entries)
    assert problems == ()


def test_an_editor_that_replaces_the_file_meanwhile_loses_nothing(tmp_path: Path) -> None:
    root = empty_vault(tmp_path / "vault", repository=False)
    path = root / EPISODE_PATH
    open_store(root, use_git=False).append_entries(session("aa1111"), [said("one")])
    seen: list[str] = []

    def replace_late(action: str, _path: Path) -> None:
        if action == "append" and not seen:
            seen.append(action)
            fresh = path.with_suffix(".swp")
            fresh.write_bytes(path.read_bytes() + b"\nby hand\n")
            fresh.replace(path)

    store = open_store(root, replace_late, use_git=False)
    store.append_entries(session("aa1111"), [said("two")])
    texts = {entry.text for entry in store.read_episodes()[0][0].entries}
    assert texts == {"one", "two", "by hand"}


# -- applying -----------------------------------------------------------------------------------


def test_a_card_comes_back_and_is_ours(furnished: Store) -> None:
    item = by_name(furnished)["kept.md"]
    assert (item.card.statement, item.by_person) == (OLD["kept"].statement, False)


def test_an_edit_makes_a_card_the_persons_for_good(furnished: Store) -> None:
    item = by_name(furnished)["hand.md"]
    assert item.by_person
    data = (furnished.root / item.path).read_bytes().replace(b"references: 0", b"references: 1")
    furnished.apply(DREAM, [Write(item.path, data, item.digest, card=item.card.id)], "Dream")
    assert by_name(furnished)["hand.md"].by_person


def test_a_card_that_a_person_moved_unchanged_is_still_ours(furnished: Store) -> None:
    (furnished.root / "cards" / "lessons").mkdir()
    (furnished.root / PLACES["kept"]).rename(furnished.root / "cards/lessons/kept.md")
    snapshot = furnished.snapshot()
    assert snapshot.missing == ()
    assert not by_name(furnished)["kept.md"].by_person


def test_a_card_made_by_a_person_is_theirs(furnished: Store) -> None:
    path = furnished.root / "cards" / "facts" / "mine.md"
    path.write_bytes(card_bytes(card("cmine1", "i like bread")))
    assert by_name(furnished)["mine.md"].by_person


def test_a_write_planned_on_old_bytes_is_dropped(furnished: Store) -> None:
    path = furnished.root / PLACES["kept"]
    base = digest_of(path.read_bytes())
    path.write_bytes(b"rewritten by hand")
    write = Write(PLACES["kept"], b"new", base, entries=((EPISODE, "e0123456789"),))
    applied = furnished.apply(DREAM, [write], "Dream")
    assert (applied.done, applied.dropped) == ((), (PLACES["kept"],))
    assert path.read_bytes() == b"rewritten by hand"


def test_a_new_card_never_overwrites(furnished: Store) -> None:
    applied = furnished.apply(DREAM, [Write(PLACES["kept"], b"new", None)], "Dream")
    assert applied.dropped == (PLACES["kept"],)
    assert by_name(furnished)["kept.md"].card.statement == OLD["kept"].statement


def test_entries_of_a_dropped_write_are_dreamt_again_and_not_purged(furnished: Store) -> None:
    ids = [entry.id for entry in entries("aa1111")]
    span = AbsorbedRange(EPISODE, ids[0], ids[-1], 4)
    report = f'---\ntype: dream\nabsorbed:\n  - "{span}"\n---\nA report.\n'.encode()
    lost = Write(PLACES["kept"], b"new", digest_of(b"not these"), entries=((EPISODE, ids[1]),))
    writes = [lost, Write(f"dreams/2026/{DREAM}.md", report, None)]
    furnished.apply(DREAM, writes, "Dream", {EPISODE: ids})
    snapshot = furnished.snapshot()
    ranges = [(item.first, item.last) for item in snapshot.absorbed[EPISODE]]
    assert ranges == [(ids[0], ids[0]), (ids[2], ids[3])]
    assert [entry.id for entry in snapshot.episodes[0].entries] == [ids[1]]


def test_a_drop_that_names_no_entries_stops_the_purge(furnished: Store) -> None:
    ids = [entry.id for entry in entries("aa1111")]
    lost = Write(PLACES["kept"], b"new", digest_of(b"not these"))
    applied = furnished.apply(DREAM, [lost], "Dream", {EPISODE: ids})
    assert applied.purged == ()
    assert len(furnished.read_episodes([EPISODE])[0][0].entries) == 4


def test_an_entry_that_a_person_changed_is_not_forgotten(furnished: Store) -> None:
    path = furnished.root / EPISODE_PATH
    path.write_bytes(path.read_bytes().replace(b"thing 2", b"thing two"))
    ids = [entry.id for entry in entries("aa1111")]
    furnished.apply(DREAM, (), "Forget", {EPISODE: ids})
    (episode,), _ = furnished.read_episodes([EPISODE])
    assert [entry.text for entry in episode.entries] == ["aa1111 says thing two"]


def test_modes_are_kept(furnished: Store) -> None:
    path = furnished.root / PLACES["kept"]
    path.chmod(0o664)
    write = Write(PLACES["kept"], b"new", digest_of(path.read_bytes()))
    furnished.apply(DREAM, [write], "Dream")
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


@pytest.mark.parametrize(
    "path",
    [
        "../outside.md",
        "cards/../../outside.md",
        "/etc/outside.md",
        "cards\\outside.md",
        ".git/config.md",
        ".obsidian/app.md",
        ".noctuary/ledger.md",
        "CLAUDE.md",
        "preferences.md",
        "noctuary.toml",
        "notes/mine.md",
        "cards/facts/x.txt",
        "cards/.hidden/x.md",
        "cards/facts/.x.md",
        "cards//x.md",
        "C:/x.md",
        "cards/facts/x\0.md",
        "",
    ],
)
def test_nothing_is_written_outside_the_zones(furnished: Store, path: str) -> None:
    before = visible(furnished.root)
    with pytest.raises(OutsideZones):
        furnished.apply(DREAM, [Write(path, b"new", None)], "Dream")
    assert visible(furnished.root) == before
    assert not journal_path(furnished.disk).exists()


def test_linked_folders_files_and_hard_links_are_refused(furnished: Store, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (furnished.root / "maps").symlink_to(outside)
    (outside / "target.md").write_bytes(b"theirs")
    (furnished.root / "cards/facts/linked.md").symlink_to(outside / "target.md")
    os.link(outside / "target.md", furnished.root / "cards/facts/hard.md")
    for path in ("maps/x.md", "cards/facts/linked.md", "cards/facts/hard.md"):
        with pytest.raises(OutsideZones):
            furnished.apply(DREAM, [Write(path, b"new", digest_of(b"theirs"))], "Dream")
    assert (outside / "target.md").read_bytes() == b"theirs"
    assert list(outside.iterdir()) == [outside / "target.md"]


def test_only_one_process_dreams(furnished: Store) -> None:
    impatient = replace(furnished, wait=0.05)
    with (
        vault_lock(furnished.layout.state, "a dream"),
        pytest.raises(VaultBusy, match="a dream, process"),
    ):
        impatient.apply(DREAM, (), "Dream")
    assert VaultBusy.exit_code == 75


def test_where_two_names_cannot_be_swapped_it_works_too(
    furnished: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noctuary.vault.platform.exchange", lambda _one, _other: False)
    path = furnished.root / PLACES["kept"]
    old = path.read_bytes()
    furnished.apply(DREAM, [Write(PLACES["kept"], b"new", digest_of(old))], "Dream")
    assert path.read_bytes() == b"new"
    assert [grave.file.read_bytes() for grave in furnished.graveyard.graves()] == [old]


def test_a_damaged_journal_is_put_aside(furnished: Store) -> None:
    journal_path(furnished.disk).write_bytes(b"{torn")
    before = visible(furnished.root)
    furnished.recover()
    assert furnished.apply(DREAM, (), "Dream").done == ()
    assert visible(furnished.root) == before


# -- what people throw away ---------------------------------------------------------------------


def test_a_deleted_card_is_not_learnt_again(furnished: Store) -> None:
    (furnished.root / PLACES["gone"]).unlink()
    snapshot = furnished.snapshot()
    assert snapshot.missing == (PLACES["gone"],)
    assert snapshot.rejected.card(OLD["gone"])
    assert not snapshot.rejected.card(OLD["kept"])
    furnished.apply(DREAM, (), "Dream")
    again = furnished.snapshot()
    assert again.missing == ()
    assert again.rejected.text(OLD["gone"].statement.upper())


def test_a_card_in_the_trash_is_rejected_until_it_is_taken_out(furnished: Store) -> None:
    trash = furnished.root / ".trash"
    trash.mkdir()
    (furnished.root / PLACES["gone"]).rename(trash / "gone.md")
    assert furnished.snapshot().rejected.card(OLD["gone"])
    furnished.apply(DREAM, (), "Dream")
    (trash / "gone.md").rename(furnished.root / PLACES["gone"])
    assert not furnished.snapshot().rejected.card(OLD["gone"])


def test_tombstones_hold_no_words(furnished: Store) -> None:
    (furnished.root / PLACES["gone"]).unlink()
    furnished.apply(DREAM, (), "Dream")
    state = (furnished.layout.state / "ledger.json").read_text(encoding="utf-8")
    assert "passing" not in state


def test_what_the_program_itself_retires_is_not_rejected(furnished: Store) -> None:
    item = by_name(furnished)["kept.md"]
    retired = card_bytes(replace(item.card, status=Status.ARCHIVED))
    write = Write(
        f"archive/{item.path}", retired, item.digest, moved_from=item.path, card=item.card.id
    )
    furnished.apply(DREAM, [write], "Dream")
    snapshot = furnished.snapshot()
    assert snapshot.missing == ()
    assert not snapshot.rejected.card(item.card)
    assert by_name(furnished)["kept.md"].archived


def test_when_most_cards_are_gone_no_dream_begins(store: Store) -> None:
    cards = [card(f"c{number:05d}", f"statement {number}") for number in range(12)]
    writes = [
        Write(f"cards/facts/{item.id}.md", card_bytes(item), None, card=item.id) for item in cards
    ]
    store.apply(DREAM, writes, "Dream")
    shutil.rmtree(store.layout.cards)
    assert store.snapshot().rejected.marks == frozenset()
    with pytest.raises(ConflictError, match="12 cards are gone"):
        store.apply("2026-12-02T0300", (), "Dream")


def test_deletions_on_purpose_can_be_accepted(store: Store) -> None:
    cards = [card(f"c{number:05d}", f"statement {number}") for number in range(12)]
    writes = [
        Write(f"cards/facts/{item.id}.md", card_bytes(item), None, "", item.id, store.marks(item))
        for item in cards
    ]
    store.apply(DREAM, writes, "Dream")
    shutil.rmtree(store.layout.cards)
    assert len(store.accept_deletions()) == 12
    assert store.snapshot().rejected.card(cards[0])
    store.apply("2026-12-02T0300", (), "Dream")


def test_a_vault_that_was_unmounted_is_not_written_to(furnished: Store) -> None:
    (furnished.root / "noctuary.toml").unlink()
    with pytest.raises(VaultNotFound, match="not mounted"):
        furnished.apply(DREAM, [Write("cards/facts/new.md", b"x", None)], "Dream")


def test_a_dream_about_nothing_changes_nothing(tmp_path: Path) -> None:
    root = furnished_vault(tmp_path / "vault")
    before, head = visible(root), git(root, "rev-parse", "HEAD")
    again = [Write("index.md", b"# Old map\n", digest_of(b"# Old map\n"))]
    assert open_store(root).apply(DREAM, again, "Dream").done == ()
    assert (visible(root), git(root, "rev-parse", "HEAD")) == (before, head)


# -- state that can be deleted ------------------------------------------------------------------


def test_the_ledger_is_rebuilt_from_git(tmp_path: Path) -> None:
    root = furnished_vault(tmp_path / "vault")
    shutil.rmtree(root / ".noctuary")
    owners = {name: item.by_person for name, item in by_name(open_store(root)).items()}
    assert owners == {"kept.md": False, "hand.md": True, "moved.md": False, "gone.md": False}


def test_without_git_and_state_every_card_is_the_persons(furnished: Store) -> None:
    shutil.rmtree(furnished.layout.state)
    fresh = open_store(furnished.root, use_git=False)
    assert all(item.by_person for item in fresh.snapshot().cards)


# -- damaged notes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("broken.md", b"---\nid: [\n---\n# x\n", ""),
        ("latin.md", b"---\nid: c1\n---\n\xe9t\xe9", "UTF-8"),
        ("zeros.md", bytes(40), "zero bytes"),
        ("kept.sync-conflict-20261130-120000-ABC.md", b"x", "sync conflict"),
        ("kept (conflicted copy 2026-11-30).md", b"x", "sync conflict"),
        (".kept.md.icloud", b"x", "sync conflict"),
        ("kept.dream-rescued-0123abcd.md", b"x", "merge it by hand"),
        ("empty.md", b"", ""),
        ("huge.md", b"x" * (8 * 1024 * 1024 + 1), "too large"),
    ],
)
def test_a_damaged_note_is_a_problem_and_stays(
    furnished: Store, name: str, data: bytes, word: str
) -> None:
    path = furnished.root / "cards" / "facts" / name
    path.write_bytes(data)
    snapshot = furnished.snapshot()
    (problem,) = [item for item in snapshot.problems if item.where == f"cards/facts/{name}"]
    assert word in problem.what
    assert len(snapshot.cards) == 4
    furnished.apply(DREAM, (), "Dream")
    assert path.read_bytes() == data


def test_two_notes_with_one_id_are_told(furnished: Store) -> None:
    shutil.copy(furnished.root / PLACES["kept"], furnished.root / "cards/facts/twin.md")
    (problem,) = furnished.snapshot().problems
    assert OLD["kept"].id in problem.what


# -- side log and graveyard ---------------------------------------------------------------------


def test_references_count_once_a_dream_has_finished(furnished: Store) -> None:
    furnished.references.append(["c1", "c2"], NOON)
    assert [item.card for item in furnished.references.drain()] == ["c1", "c2"]
    furnished.references.append(["c3"], NIGHT)
    assert [item.card for item in furnished.references.drain()] == ["c1", "c2", "c3"]
    furnished.apply(DREAM, (), "Forget")
    assert len(furnished.references.drain()) == 3
    furnished.apply(DREAM, [Write("index.md", b"new map", _digest_of_index(furnished))], "Dream")
    assert furnished.references.drain() == []


def test_a_torn_reference_is_passed_over(furnished: Store) -> None:
    furnished.references.append(["c1"], NOON)
    with (furnished.layout.state / "references.jsonl").open("ab") as log:
        log.write(b'{"at": "2026-1')
    furnished.references.append(["c2"], NOON)
    assert [item.card for item in furnished.references.drain()] == ["c1", "c2"]


def test_the_graveyard_empties_when_the_time_is_up(furnished: Store) -> None:
    furnished.apply(DREAM, [Write(PLACES["gone"], None, _digest(furnished, "gone"))], "Dream")
    assert furnished.graveyard.expire(NIGHT, 30) == 0
    assert furnished.graveyard.expire(NIGHT.replace(year=2027), 30) == 1
    assert list(furnished.graveyard.graves()) == []


def _digest_of_index(store: Store) -> str:
    return digest_of((store.root / "index.md").read_bytes())


def _digest(store: Store, name: str) -> str:
    return digest_of((store.root / PLACES[name]).read_bytes())


def test_purged_bytes_are_in_no_file_after_the_graveyard(furnished: Store) -> None:
    ids = [entry.id for entry in entries("aa1111")]
    furnished.apply(DREAM, (), "Forget", {EPISODE: ids})
    furnished.graveyard.expire(NIGHT.replace(year=2027), 30)
    files = [path.read_bytes() for path in furnished.root.rglob("*") if path.is_file()]
    assert not any(b"aa1111 says" in data for data in files)
