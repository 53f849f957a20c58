"""Where nothing happened nothing is looked at, and whatever happens is seen at the next look."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctuary.vault import alarm
from noctuary.vault.alarm import Alarm
from noctuary.vault.survey import Survey

ZONES = ("cards", "episodes", "archive")
Deed = Callable[[Path], object]

linux = pytest.mark.skipif(sys.platform != "linux", reason="only there the system tells")


def _vault(folder: Path) -> Path:
    root = folder / "vault"
    for name in ("cards/facts/deep", "cards/tasks", "episodes/2026/05", "outside"):
        (root / name).mkdir(parents=True)
    for name in ("cards/facts/a.md", "cards/facts/deep/b.md", "episodes/2026/05/c.md"):
        (root / name).write_text("old", encoding="utf-8")
    return root


def _survey(root: Path, *, with_alarm: bool) -> Survey:
    return Survey(root, zones=ZONES, alarm=Alarm(root) if with_alarm else None)


def _write(name: str, text: str = "new") -> Deed:
    def deed(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")

    return deed


def _saved_like_an_editor(root: Path) -> None:
    fresh = root / "outside" / "swap"
    fresh.write_text("saved", encoding="utf-8")
    (root / "cards/facts").mkdir(parents=True, exist_ok=True)
    fresh.replace(root / "cards/facts/a.md")


def _replaced(root: Path) -> None:
    root.rename(root.with_name("before"))
    shutil.copytree(root.with_name("before"), root, symlinks=True)
    shutil.rmtree(root.with_name("before"))
    _write("cards/facts/a.md", "other")(root)


def _moved(one: str, other: str) -> Deed:
    def deed(root: Path) -> None:
        if (root / one).is_dir() and not (root / other).exists():
            (root / other).parent.mkdir(parents=True, exist_ok=True)
            (root / one).rename(root / other)

    return deed


def _gone(name: str) -> Deed:
    def deed(root: Path) -> None:
        there = root / name
        if there.is_symlink() or there.is_file():
            there.unlink()
        elif there.is_dir():
            shutil.rmtree(there)

    return deed


def _linked(name: str) -> Deed:
    def deed(root: Path) -> None:
        _gone(name)(root)
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(root / "outside", target_is_directory=True)

    return deed


def _touched(root: Path) -> None:
    for file in sorted((root / "episodes").rglob("*.md")):
        os.utime(file, ns=(1, 1))


DEEDS: list[Deed] = [
    _write("cards/facts/a.md"), _write("cards/facts/a.md", "newer"), _write("cards/new/d.md"),
    _write("archive/cards/e.md"), _write("episodes/2026/05/c.md", "more"), _write("outside/x.md"),
    _write("cards/facts/deep/f.md"), _gone("cards/facts/a.md"), _gone("cards/facts"),
    _gone("archive"), _gone("cards"), _linked("cards"), _linked("cards/tasks"), _linked("archive"),
    _moved("cards/facts", "cards/tasks/facts"), _moved("cards/tasks/facts", "cards/facts"),
    _moved("cards/facts", "outside/facts"), _moved("outside/facts", "cards/facts"),
    _moved("episodes", "outside/episodes"), _moved("outside/episodes", "episodes"),
    _saved_like_an_editor, _replaced, _touched,
]  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(DEEDS), max_size=3), max_size=6))
def test_it_sees_what_looking_at_everything_sees(rounds: list[list[Deed]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = _vault(Path(folder).resolve())
        watched = _survey(root, with_alarm=True)
        watched.rescan()
        for deeds in rounds:
            for deed in deeds:
                deed(root)
            before, changes = dict(watched.stamps), watched.rescan()
            plain = _survey(root, with_alarm=False)
            plain.rescan()
            assert watched.stamps == plain.stamps
            assert bool(changes) == (before != plain.stamps)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the folders that are looked into."""
    seen: list[str] = []
    whole = os.scandir

    def scandir(folder: Path) -> Iterator[os.DirEntry[str]]:
        seen.append(Path(folder).name)
        return whole(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    return seen


@linux
def test_only_the_folder_in_which_something_happened_is_looked_into(
    tmp_path: Path, listed: list[str]
) -> None:
    root = _vault(tmp_path)
    survey = _survey(root, with_alarm=True)
    survey.rescan()
    listed.clear()

    assert not survey.rescan()
    assert listed == []

    _write("cards/facts/a.md", "edited in place")(root)
    assert survey.rescan().changed == {"cards/facts/a.md"}
    assert listed == ["facts", "archive"]  # and what is not there, for it may have come


def _refused() -> None:
    raise OSError(errno.EMFILE, "too many")


@linux
def test_a_disk_is_told_by_the_nearest_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
        "28 27 0:31 / /home/my\\040notes rw shared:1 - nfs4 host:/notes rw\n",
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(alarm, "_MOUNTS", mounts)
        found = [alarm._kind_of_disk(Path(name)) for name in ("/home/my notes/v", "/home/my", "/")]
    assert found == ["nfs4", "ext4", "ext4"]


@linux
@pytest.mark.parametrize("why", ["another disk", "another process", "long ago", "no watch left"])
def test_where_the_system_promises_nothing_everything_is_looked_at(
    tmp_path: Path, listed: list[str], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    root = _vault(tmp_path)
    survey = _survey(root, with_alarm=True)
    if why == "another disk":
        monkeypatch.setattr(alarm, "_kind_of_disk", lambda _: "nfs4")
    if why == "no watch left":
        monkeypatch.setattr(alarm, "_Watch", _refused)
    survey.rescan()
    if why == "another process":
        monkeypatch.setattr(os, "getpid", lambda: -1)
    if why == "long ago":
        monkeypatch.setattr(alarm, "LONGEST", -1.0)
    listed.clear()

    assert not survey.rescan()
    assert {"cards", "facts", "deep", "tasks", "episodes", "05"} <= set(listed)


def test_a_folder_that_could_not_be_listed_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _vault(tmp_path)
    survey, whole = _survey(root, with_alarm=True), os.scandir
    survey.rescan()
    known = dict(survey.stamps)
    _write("cards/facts/a.md", "while the drive sleeps")(root)

    def refused(folder: Path) -> Iterator[os.DirEntry[str]]:
        if Path(folder).name == "facts":
            raise OSError("a drive that is slow to wake")
        return whole(folder)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refused)
        assert not survey.rescan()
        assert survey.stamps == known
    assert survey.rescan().changed == {"cards/facts/a.md"}


def test_what_an_interrupted_look_did_not_see_the_next_one_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _vault(tmp_path)
    survey = _survey(root, with_alarm=True)
    survey.rescan()
    _write("cards/facts/a.md", "edited in place")(root)

    def interrupted(_: Path) -> Iterator[os.DirEntry[str]]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", interrupted)
        with pytest.raises(KeyboardInterrupt):
            survey.rescan()
    assert survey.rescan().changed == {"cards/facts/a.md"}
    assert not survey.rescan()
