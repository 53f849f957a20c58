"""The disk refuses at every point of a dream: a clear word, and the same end at the next run."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from noctuary.vault.files import Disk, DiskError
from vault_kit import (
    DREAM,
    count_mutations,
    counting,
    empty_vault,
    furnished_vault,
    night_of,
    open_store,
    said,
    session,
    tell,
    visible,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from noctuary.vault.files import Hook

REFUSALS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS)


def refusing(code: int) -> Callable[[], None]:
    def refuse() -> None:
        raise OSError(code, os.strerror(code))

    return refuse


class Bench:
    def __init__(self, tmp_path: Path, shape: str) -> None:
        self.start = furnished_vault(tmp_path / "start", use_git=False)
        self.root = tmp_path / "vault"
        self.night = night_of(self.start, shape)
        self.fresh()
        self.mutations = count_mutations(self.dream)
        self.after = visible(self.root)

    def fresh(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.start, self.root)

    def dream(self, hook: Hook | None = None) -> None:
        store = open_store(self.root, hook, use_git=False)
        store.apply(DREAM, self.night.writes, "Dream", self.night.purge)

    def refused_at(self, point: int, code: int) -> str:
        self.fresh()
        with pytest.raises(DiskError) as caught:
            self.dream(counting(point, refusing(code)))
        return str(caught.value)


def test_every_refusal_is_told_and_made_good(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "mixed")
    for point in range(1, bench.mutations + 1, 4):
        code = REFUSALS[point % len(REFUSALS)]
        assert os.strerror(code) in bench.refused_at(point, code)
        bench.dream()
        assert visible(bench.root) == bench.after


def test_it_holds_where_two_names_cannot_be_swapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noctuary.vault.platform.exchange", lambda _one, _other: False)
    bench = Bench(tmp_path, "mixed")
    for point in range(1, bench.mutations + 1, 3):
        bench.refused_at(point, errno.EIO)
        bench.dream()
        assert visible(bench.root) == bench.after


def test_it_holds_on_a_file_system_without_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, _target: Path) -> None:
        raise OSError(errno.EPERM, "no links here", str(self))

    bench = Bench(tmp_path, "mixed")
    monkeypatch.setattr("noctuary.vault.platform.exchange", lambda _one, _other: False)
    monkeypatch.setattr(type(tmp_path), "hardlink_to", refuse)
    bench.fresh()
    bench.dream()
    assert visible(bench.root) == bench.after


def test_a_log_that_finds_no_room_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(empty_vault(tmp_path / "vault"))
    before = {path for path in store.root.rglob("*") if path.suffix == ".md"}
    monkeypatch.setattr("noctuary.vault.files.write_all", refuse_for_good)
    with pytest.raises(DiskError):
        store.append_entries(session("aa1111"), [said("no room for this")])
    monkeypatch.undo()
    assert {path for path in store.root.rglob("*") if path.suffix == ".md"} == before
    assert store.append_entries(session("aa1111"), [said("no room for this")]).added == 1


def refuse_for_good(_descriptor: int, _data: bytes) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.slow
@pytest.mark.parametrize("code", REFUSALS)
def test_refusals_at_every_point(tmp_path: Path, code: int) -> None:
    bench = Bench(tmp_path, "mixed")
    tell(f"{bench.mutations} refusals of {errno.errorcode[code]}")
    for point in range(1, bench.mutations + 1):
        bench.refused_at(point, code)
        bench.dream()
        assert visible(bench.root) == bench.after


def test_a_full_disk_cuts_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path, "growing")
    room = 700
    write = os.write

    def narrow(descriptor: int, data: bytes) -> int:
        nonlocal room
        if room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = write(descriptor, data[:room])
        room -= done
        return done

    bench.fresh()
    before = visible(bench.root)
    monkeypatch.setattr(os, "write", narrow)
    with pytest.raises(DiskError):
        bench.dream()
    monkeypatch.undo()
    now = visible(bench.root)
    assert all(data in (before.get(path), bench.after.get(path)) for path, data in now.items())
    bench.dream()
    assert visible(bench.root) == bench.after


def test_a_refused_log_line_is_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "mixed")
    store = open_store(bench.root, counting(1, refusing(errno.ENOSPC)), use_git=False)
    with pytest.raises(DiskError, match="No space left"):
        store.append_entries(session("aa1111"), [said("one more")])


def test_a_log_line_refused_at_any_point_can_be_said_again(tmp_path: Path) -> None:
    start = empty_vault(tmp_path / "start", repository=False)
    line = said("one more")

    def log(root: Path, hook: Hook | None = None) -> int:
        store = open_store(root, hook, use_git=False)
        return store.append_entries(session("aa1111"), [line]).added

    shutil.copytree(start, tmp_path / "clean")
    points = count_mutations(lambda hook: log(tmp_path / "clean", hook))
    for point in range(1, points + 1):
        root = tmp_path / f"vault{point}"
        shutil.copytree(start, root)
        with contextlib.suppress(OSError, DiskError):
            log(root, counting(point, refusing(errno.EIO)))
        log(root)
        store = open_store(root, use_git=False)
        assert [entry.text for entry in store.read_episodes()[0][0].entries] == ["one more"]
        store.sweep()
        assert list((root / ".noctuary" / "new").glob("*")) == []


def test_a_torn_log_line_does_not_spoil_the_next(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "mixed")
    bench.fresh()
    path = bench.root / "episodes/2026/11/2026-11-30-chat-aa1111.md"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 9])
    store = open_store(bench.root, use_git=False)
    store.append_entries(session("aa1111"), [said("one more")])
    texts = [entry.text for entry in store.read_episodes()[0][0].entries]
    assert "one more" in texts
    assert {f"aa1111 says thing {number}" for number in range(3)} <= set(texts)


def test_the_disk_is_asked_to_keep_what_was_written(tmp_path: Path) -> None:
    synced: list[int] = []

    class Counting(Disk):
        def sync(self, descriptor: int) -> None:
            synced.append(descriptor)

    disk = Counting(tmp_path)
    disk.write_new(tmp_path / "note", b"words")
    assert len(synced) == 1
