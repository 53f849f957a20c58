from __future__ import annotations

import errno
import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from noctuary.vault import watch as watching
from noctuary.vault.survey import Survey, is_watched
from noctuary.vault.watch import EVERYTHING, MOST_HINTS, Hints, Polling, Watcher
from watch_kit import QUICK, Eyes, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NOTE = "cards/facts/tea.md"
OLD, NEW = b"old\n", b"new words\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for folder in (
        "cards/facts",
        "episodes/2026/11",
        "inbox",
        "archive/cards",
        ".git",
        ".obsidian",
    ):
        (root / folder).mkdir(parents=True)
    (root / "noctuary.toml").write_text("", encoding="utf-8")
    (root / NOTE).write_bytes(OLD)
    return root


@contextmanager
def eyes_on(root: Path, *, poll: bool = False) -> Iterator[Eyes]:
    eyes = Eyes(root, poll=poll)
    try:
        yield eyes
    finally:
        eyes.lookout.close()


@pytest.fixture
def eyes(vault: Path) -> Iterator[Eyes]:
    with eyes_on(vault) as found:
        yield found


# -- how editors save ----------------------------------------------------------------------------


def in_place(note: Path) -> None:
    note.write_bytes(NEW)


def truncate_then_write(note: Path) -> None:
    with note.open("r+b") as file:
        file.truncate(0)
        file.write(NEW)


def append(note: Path) -> None:
    with note.open("ab") as file:
        file.write(NEW)


def temp_and_rename(note: Path) -> None:
    fresh = note.with_name(".tea.md.tmp")
    fresh.write_bytes(NEW)
    fresh.replace(note)


def temp_from_elsewhere(note: Path) -> None:
    fresh = note.parents[3] / "elsewhere"
    fresh.write_bytes(NEW)
    fresh.replace(note)


def vim_backup(note: Path) -> None:
    backup = note.with_name("tea.md~")
    note.rename(backup)
    note.write_bytes(NEW)
    backup.unlink()


def emacs_backup(note: Path) -> None:
    note.with_name("#tea.md#").write_bytes(NEW)
    note.rename(note.with_name("tea.md~"))
    note.with_name("#tea.md#").rename(note)


def delete_and_create(note: Path) -> None:
    note.unlink()
    note.write_bytes(NEW)


def hard_link(note: Path) -> None:
    fresh = note.with_name("4913")
    fresh.write_bytes(NEW)
    note.unlink()
    note.hardlink_to(fresh)
    fresh.unlink()


def copy_over(note: Path) -> None:
    source = note.parents[3] / "source"
    source.write_bytes(NEW)
    shutil.copy2(source, note)


def same_size_same_time(note: Path) -> None:
    before = note.stat()
    note.write_bytes(b"odd\n")
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))


def git_checkout(note: Path) -> None:
    note.with_name("tea.md.lock").write_bytes(NEW)
    note.unlink()
    note.with_name("tea.md.lock").rename(note)


SAVES = [
    in_place, truncate_then_write, append, temp_and_rename, temp_from_elsewhere, vim_backup,
    emacs_backup, delete_and_create, hard_link, copy_over, same_size_same_time, git_checkout,
]  # fmt: skip


@pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)
@pytest.mark.parametrize("poll", [False, True], ids=["events", "polling"])
def test_every_way_to_save_is_seen(
    vault: Path, save: Callable[[Path], None], *, poll: bool
) -> None:
    with eyes_on(vault, poll=poll) as eyes:
        save(vault / NOTE)
        eyes.sees(NOTE)
        assert eyes.seen == {NOTE}


def test_new_moved_and_deleted_notes_are_seen(vault: Path, eyes: Eyes) -> None:
    (vault / "episodes/2026/12").mkdir()
    (vault / "episodes/2026/12/2026-12-01.md").write_bytes(NEW)
    (vault / NOTE).rename(vault / "archive/cards/tea.md")
    eyes.sees("episodes/2026/12/2026-12-01.md", "archive/cards/tea.md")
    eyes.misses(NOTE)


def test_a_folder_is_renamed_and_another_one_put_in(vault: Path, eyes: Eyes) -> None:
    (vault / "cards/facts").rename(vault / "cards/Fakten")
    eyes.sees("cards/Fakten/tea.md")
    eyes.misses(NOTE)
    outside = vault.parent / "outside"
    outside.mkdir()
    (outside / "milk.md").write_bytes(NEW)
    outside.rename(vault / "cards/more")
    eyes.sees("cards/more/milk.md")


# -- what is none of its business ------------------------------------------------------------------


def test_reading_and_foreign_folders_make_no_hint(vault: Path, eyes: Eyes) -> None:
    for _ in range(20):
        (vault / NOTE).read_bytes()
    for name in (".git/index", ".obsidian/workspace.json", "cards/.hidden.md", "cards/a.md.tmp"):
        (vault / name).write_bytes(NEW)
    (vault / ".trash").mkdir()
    (vault / ".trash/x.md").write_bytes(NEW)
    (vault / "mine.md").write_bytes(NEW)
    (vault / "cards/facts/last.md").write_bytes(NEW)
    eyes.sees("cards/facts/last.md")
    assert eyes.seen == {"cards/facts/last.md"}
    assert eyes.words.qsize() <= 3


@pytest.mark.parametrize("path", [
    ".git/x.md", ".obsidian/a.md", ".trash/a.md", "cards/.a.md", "cards/a.md.swp", "mine/a.md",
    "a.md", "cards/a.sync-conflict-20261130.md", "cards/a (conflicted copy).md", "cards/.x/a.md",
])  # fmt: skip
def test_not_watched(path: str) -> None:
    assert not is_watched(path)


def test_a_folder_named_like_a_leftover_is_looked_into(vault: Path) -> None:
    inner = vault / "cards" / "facts (conflicted copy)"
    inner.mkdir(parents=True)
    (inner / "tea.md").write_text("tea", encoding="utf-8")
    survey = Survey(vault)
    survey.rescan()
    assert "cards/facts (conflicted copy)/tea.md" in survey.stamps
    assert not survey.leftovers


def test_leftovers_are_listed_and_not_taken_in(vault: Path) -> None:
    (vault / "cards/facts/tea.sync-conflict-20261130-1.md").write_bytes(NEW)
    (vault / "cards/facts/.tea.md.icloud").write_bytes(NEW)
    survey = Survey(vault)
    survey.rescan()
    assert set(survey.stamps) == {NOTE, "noctuary.toml"}
    assert survey.leftovers == {
        "cards/facts/tea.sync-conflict-20261130-1.md", "cards/facts/.tea.md.icloud"}  # fmt: skip


@pytest.mark.parametrize("poll", [False, True], ids=["events", "polling"])
def test_links_do_not_lead_out_of_the_vault(vault: Path, *, poll: bool) -> None:
    outside = vault.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(OLD)
    (vault / "cards/away").symlink_to(outside)
    (vault / "cards/up").symlink_to(vault.parent)
    (vault / "cards/one.md").symlink_to(outside / "secret.md")
    (vault / "inbox").rmdir()
    (vault / "inbox").symlink_to(outside)
    with eyes_on(vault, poll=poll) as eyes:
        assert set(eyes.lookout.stamps) == {NOTE, "noctuary.toml"}
        (outside / "secret.md").write_bytes(NEW)
        (vault / NOTE).write_bytes(NEW)
        eyes.sees(NOTE)
        assert eyes.seen == {NOTE}


def test_a_folder_that_cannot_be_listed_is_not_gone(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey, listed = Survey(vault), os.scandir
    survey.rescan()

    def refused(folder: Path) -> Iterator[os.DirEntry[str]]:
        if folder == vault / "cards/facts":
            raise OSError("a drive that is slow to wake")
        return listed(folder)

    monkeypatch.setattr(os, "scandir", refused)
    assert not survey.rescan()
    assert survey.unread == {"cards/facts"}


# -- when watching breaks ----------------------------------------------------------------------


def test_the_root_is_renamed_and_comes_back(vault: Path, eyes: Eyes) -> None:
    away = vault.with_name("away")
    vault.rename(away)
    until(lambda: _is_gone(eyes), "noticing that the vault is gone")
    away.rename(vault)
    until(lambda: not _is_gone(eyes), "noticing that it is back")


def test_the_root_is_replaced(vault: Path, eyes: Eyes) -> None:
    shutil.rmtree(vault)
    vault.mkdir()
    (vault / "noctuary.toml").write_text("", encoding="utf-8")
    until(lambda: _is_gone(eyes), "noticing that another folder is in its place")


def test_settings_that_vanish_mean_an_unmounted_vault(vault: Path, eyes: Eyes) -> None:
    (vault / "noctuary.toml").unlink()
    until(lambda: _is_gone(eyes), "noticing that this is no vault any more")


def _is_gone(eyes: Eyes) -> bool:
    try:
        eyes.look()
    except FileNotFoundError:
        return True
    return False


def test_killed_threads_are_replaced(vault: Path, eyes: Eyes) -> None:
    first = eyes.lookout.watching
    assert isinstance(first, Watcher)
    for emitter in first.observer.emitters:
        emitter.stop()
        emitter.join()
    assert "died" in first.trouble()
    _until_anew(eyes)
    (vault / NOTE).write_bytes(NEW)
    eyes.sees(NOTE)


def test_a_dead_observer_is_replaced(vault: Path, eyes: Eyes) -> None:
    first = eyes.lookout.watching
    assert isinstance(first, Watcher)
    first.observer.stop()
    first.observer.join()
    (vault / NOTE).write_bytes(NEW)
    eyes.sees(NOTE)
    assert eyes.lookout.watching is not first


def test_a_folder_that_is_replaced_is_watched_again(vault: Path, eyes: Eyes) -> None:
    shutil.rmtree(vault / "cards")
    eyes.misses(NOTE)
    (vault / "cards/facts").mkdir(parents=True)
    until(lambda: _watches(eyes, "cards"), "watching the new folder")
    (vault / NOTE).write_bytes(NEW)
    eyes.sees(NOTE)


def _watches(eyes: Eyes, zone: str) -> bool:
    eyes.look()
    watcher = eyes.lookout.watching
    assert isinstance(watcher, Watcher)
    return not watcher.trouble() and any(name.startswith(zone) for name in watcher.zones)


def _until_anew(eyes: Eyes) -> None:
    first = eyes.lookout.watching

    def anew() -> bool:
        eyes.look()
        return eyes.lookout.watching is not first

    until(anew, "watching anew")


@pytest.mark.parametrize(
    ("code", "setting"),
    [(errno.ENOSPC, "max_user_watches"), (errno.EMFILE, "max_user_instances"),
     (errno.EPERM, "cannot watch")],
)  # fmt: skip
def test_at_the_limit_it_polls_and_names_the_setting(
    vault: Path, code: int, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(watching, "_started", refuse)
    with eyes_on(vault) as eyes:
        assert isinstance(eyes.lookout.watching, Polling)
        assert setting in eyes.lookout.watching.why
        (vault / NOTE).write_bytes(NEW)
        eyes.sees(NOTE)


def test_a_scan_that_finds_what_no_event_told_of_starts_the_watching_anew(vault: Path) -> None:
    with eyes_on(vault) as eyes:
        first = eyes.lookout.watching
        (vault / NOTE).write_bytes(NEW)
        os.utime(vault / NOTE, (1, 1))
        until(lambda: eyes.lookout.hints.waiting, "the event")
        until(lambda: not eyes.lookout.hints.take(), "no more events")
        eyes.lookout.hurry()
        eyes.look()
        assert eyes.seen == {NOTE}
        assert eyes.lookout.watching is not first


def test_more_hints_than_can_be_kept_are_one(vault: Path) -> None:
    woken: list[int] = []
    hints = Hints(lambda: woken.append(1))
    for number in range(MOST_HINTS + 10):
        hints.add(f"cards/{number}.md")
    assert EVERYTHING in hints.take()
    assert len(woken) == 1
    assert not hints.take()


@pytest.mark.slow
def test_a_checkout_of_20000_files_is_seen_whole(vault: Path, eyes: Eyes) -> None:
    for number in range(20_000):
        folder = vault / f"episodes/2026/{number % 200:03d}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_bytes(NEW)
        if number % 500 == 0:
            eyes.look()
    everything = {f"episodes/2026/{number % 200:03d}/{number}.md" for number in range(20_000)}
    eyes.sees(*everything)


def test_git_at_work_makes_no_hint(vault: Path) -> None:
    (vault / ".git").rmdir()
    _git(vault, "init", "-q")
    _git(vault, "add", "-A")
    _git(vault, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all")
    with eyes_on(vault) as eyes:
        _git(vault, "status")
        _git(vault, "gc", "-q")
        (vault / NOTE).write_bytes(NEW)
        eyes.sees(NOTE)
        assert eyes.seen == {NOTE}


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


def test_a_survey_by_path_agrees_with_one_of_everything(vault: Path) -> None:
    one, other = Survey(vault), Survey(vault)
    one.rescan()
    other.rescan()
    (vault / NOTE).unlink()
    (vault / "cards/facts/milk.md").write_bytes(NEW)
    (vault / "index.md").write_bytes(NEW)
    hinted = one.look([NOTE, "cards/facts/milk.md", "index.md", ".git/x.md", "cards/none.md"])
    assert hinted == other.rescan()
    assert one.stamps == other.stamps
    assert QUICK.gather < QUICK.rescan
