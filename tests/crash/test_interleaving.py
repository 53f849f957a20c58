"""A person saves at every point of a dream; no word of theirs may be lost."""

from __future__ import annotations

import os
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

import pytest

from noctuary.vault.files import Disk
from noctuary.vault.graveyard import Graveyard
from noctuary.vault.layout import OutsideZones
from noctuary.vault.steps import Worker
from vault_kit import (
    DREAM,
    PLACES,
    count_mutations,
    counting,
    furnished_vault,
    graves,
    night_of,
    open_store,
    tell,
    visible,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from noctuary.vault.files import Hook
    from noctuary.vault.journal import Step

TOKEN = b"WORD-OF-A-PERSON"
EPISODE = "episodes/2026/11/2026-11-30-chat-aa1111.md"
FILES = (PLACES["kept"], PLACES["hand"], PLACES["moved"], PLACES["gone"], "index.md", EPISODE)


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n" + TOKEN + b"\n")


def replace_whole(path: Path) -> None:
    old = path.read_bytes() if path.exists() else b""
    fresh = path.with_name(".editor.swp")
    fresh.write_bytes(old + b"\n" + TOKEN + b"\n")
    fresh.replace(path)


def write_anew(path: Path) -> None:
    old = path.read_bytes() if path.exists() else b""
    path.write_bytes(old + b"\n" + TOKEN + b"\n")


def write_late(descriptor: int) -> None:
    os.write(descriptor, TOKEN)


SAVES = (append, replace_whole, write_anew)


class Scene:
    def __init__(self, tmp_path: Path) -> None:
        self.start = furnished_vault(tmp_path / "start", use_git=False)
        self.root = tmp_path / "vault"
        self.night = night_of(self.start, "mixed")
        self.refresh()
        self.mutations = count_mutations(self.dream)
        self.refresh()

    def refresh(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.start, self.root)

    def dream(self, hook: Hook) -> None:
        store = open_store(self.root, hook, use_git=False)
        store.apply(DREAM, self.night.writes, "Dream", self.night.purge)

    def disturbed(self, point: int, action: Callable[[], None]) -> None:
        self.dream(counting(point, action))
        open_store(self.root, use_git=False).sweep()

    def has_token(self) -> bool:
        return any(TOKEN in data for data in visible(self.root).values())


Schedule = tuple[int, str, "Callable[[Path], None]"]


def schedules(scene: Scene, share: float) -> list[Schedule]:
    points = range(1, scene.mutations + 1)
    every = [(point, file, save) for point in points for file in FILES for save in SAVES]
    return random.Random(7).sample(every, int(len(every) * share))


def lost_saves(scene: Scene, chosen: Iterable[Schedule]) -> list[str]:
    lost = []
    for point, file, save in chosen:
        scene.refresh()
        scene.disturbed(point, partial(save, scene.root / file))
        if not scene.has_token():
            lost.append(f"{save.__name__} to {file} at {point}")
    return lost


def late_saves_lost(scene: Scene, chosen: Iterable[Schedule]) -> list[str]:
    """The editor opened the file before the dream and writes into it while the dream is on."""
    lost = []
    for point, file, _ in chosen:
        scene.refresh()
        descriptor = os.open(scene.root / file, os.O_WRONLY | os.O_APPEND)
        scene.disturbed(point, partial(write_late, descriptor))
        os.close(descriptor)
        if not scene.has_token():
            lost.append(f"late write to {file} at {point}")
    return lost


def test_saves_during_a_dream_are_kept(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    assert lost_saves(scene, schedules(scene, 0.04)) == []


def test_late_saves_are_given_back(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    assert late_saves_lost(scene, schedules(scene, 0.04)) == []


def test_notes_a_person_deletes_during_a_dream_stay_deleted(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    path = scene.root / PLACES["kept"]
    scene.disturbed(1, path.unlink)
    assert not path.exists()


def test_a_note_a_person_makes_where_a_card_was_to_go_is_kept(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    target = scene.root / "cards" / "decisions" / "new-one.md"

    def make() -> None:
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(TOKEN)

    for point in range(1, scene.mutations + 1, 5):
        scene.refresh()
        scene.disturbed(point, make)
        assert scene.has_token()


def test_a_writer_in_the_middle_of_naming_a_file_is_no_stranger(tmp_path: Path) -> None:
    """For a moment a new file has two names: the one it was written under, and its own."""
    store = open_store(furnished_vault(tmp_path / "vault", use_git=False), use_git=False)
    unborn = store.layout.state / "new" / "unborn.md"
    unborn.parent.mkdir(exist_ok=True)
    done = Event()

    def name_and_unname() -> None:
        while not done.is_set():
            unborn.hardlink_to(store.root / EPISODE)
            unborn.unlink()

    with ThreadPoolExecutor(1) as other:
        naming = other.submit(name_and_unname)
        try:
            for _ in range(1_000):
                store.disk.guard(EPISODE)
        finally:
            done.set()
        naming.result()
    (tmp_path / "elsewhere.md").hardlink_to(store.root / EPISODE)
    with pytest.raises(OutsideZones):
        store.disk.guard(EPISODE)


@pytest.mark.parametrize("asked", [1, 2])
def test_a_note_that_vanishes_while_it_is_looked_at_stops_no_dream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: int
) -> None:
    scene = Scene(tmp_path)
    path = scene.root / PLACES["hand"]
    true_digest, seen = Disk.digest, []

    def digest_then_gone(self: Disk, target: Path) -> str | None:
        found = true_digest(self, target)
        if target == path:
            seen.append(target)
            if len(seen) == asked:
                path.unlink()
        return found

    monkeypatch.setattr(Disk, "digest", digest_then_gone)
    scene.dream(lambda *_: None)
    assert seen
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("save", [*SAVES, None])
def test_saves_at_every_point(
    tmp_path: Path, file: str, save: Callable[[Path], None] | None
) -> None:
    scene = Scene(tmp_path)
    points = range(1, scene.mutations + 1)
    tell(f"{len(points)} schedules of {getattr(save, '__name__', 'late writes')} to {file}")
    if save is None:
        assert late_saves_lost(scene, [(point, file, append) for point in points]) == []
    else:
        assert lost_saves(scene, [(point, file, save) for point in points]) == []


def test_the_test_sees_a_store_that_replaces_without_looking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def naive(self: Worker, step: Step, staged: Path, target: Path) -> bool:
        if not staged.exists():
            return True
        if self.disk.digest(target) != step.base:
            return False
        self.disk.rename(staged, target)
        return True

    monkeypatch.setattr(Worker, "_swap", naive)
    scene = Scene(tmp_path)
    every = [(point, PLACES["kept"], append) for point in range(1, scene.mutations + 1)]
    assert late_saves_lost(scene, every)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_save_over_what_stood_there_for_a_moment_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, keeps: bool
) -> None:
    """A person saves just before the swap, reads just after it, and saves over what came back."""
    if not keeps:
        monkeypatch.setattr(Graveyard, "copy", lambda *_: None)
    scene = Scene(tmp_path)
    path = scene.root / PLACES["kept"]
    read: list[bytes] = []

    def save_then_read(name: str, target: Path) -> None:
        if name == "exchange" and target == path:
            if not read:
                append(path)
            read.append(path.read_bytes())

    scene.dream(save_then_read)
    assert len(read) == 2
    assert TOKEN not in read[1]
    path.write_bytes(read[1] + b"one more word\n")
    open_store(scene.root).sweep()
    assert scene.has_token() is keeps


def test_what_is_displaced_rests_in_the_graveyard(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    old = (scene.root / PLACES["kept"]).read_bytes()
    scene.dream(lambda _name, _path: None)
    assert old in graves(scene.root)
