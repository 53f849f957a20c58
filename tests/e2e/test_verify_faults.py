"""Damage of every kind, put into a sound vault one at a time: `verify` must see each of them."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from nights import Clock, new_vault, say
from noctuary.api import Vault
from noctuary.vault.state import holds_seal, sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from noctuary.errors import Problem

SEED = 20261130
FAULTS = 200

FIRST = (
    "We decided to use SQLite because it needs no server.",
    "I prefer tabs over spaces.",
    "My dentist is Dr. Almeida, phone 555-0134.",
    "The deploy limit is 50 MB.",
    "预算不超过人民币五万元，只能使用开源技术栈。",
    "Hi!",
)
SECOND = (
    "We decided to use Postgres instead of SQLite because we need concurrency.",
    "I prefer tabs over spaces.",
    "The deploy limit is now 70 MB.",
)


@dataclass(frozen=True)
class Fault:
    """One damage: its name, and how it is done with a die of its own."""

    name: str
    do: Callable[[Path, random.Random], object]


@pytest.fixture
def sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault after two nights, an answer, and some forgetting."""
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    clock = Clock()
    vault = new_vault(tmp_path / "sound", clock, git=True)
    say(vault, *FIRST)
    vault.dream()
    say(vault, *SECOND, at=clock.next(), session="b2b2b2")
    clock.next()
    vault.dream()
    clock.next(8)
    vault.dream()
    vault.recall("tabs or spaces")
    assert vault.verify().problems == ()
    return vault.path


def found_in(root: Path) -> tuple[Problem, ...]:
    return Vault.open(root, clock=Clock().__call__).verify().problems


def flip(path: Path, dice: random.Random, start: int = 0) -> None:
    data = bytearray(path.read_bytes())
    place = dice.randrange(start, len(data))
    data[place] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def any_of(root: Path, dice: random.Random, pattern: str) -> Path:
    return dice.choice(sorted(path for path in root.glob(pattern) if path.is_file()))


def flips(pattern: str) -> Callable[[Path, random.Random], None]:
    return lambda root, dice: flip(any_of(root, dice, pattern), dice)


def gone(pattern: str) -> Callable[[Path, random.Random], None]:
    return lambda root, dice: any_of(root, dice, pattern).unlink()


def flip_an_entry(root: Path, dice: random.Random) -> None:
    path = any_of(root, dice, "episodes/**/*b2b2b2.md")
    data = bytearray(path.read_bytes())
    start = data.index(b"> [!user]")
    words = [at for at in range(start, len(data)) if chr(data[at]).isalnum()]
    data[dice.choice(words)] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def flip_the_map(root: Path, dice: random.Random) -> None:
    flip(root / "index.md", dice, 0)


def ledger_gap(root: Path, dice: random.Random) -> None:
    def gap(content: dict[str, dict[str, list[object]]]) -> None:
        ours = [path for path, item in content["files"].items() if item[2]]
        del content["files"][dice.choice(ours)]

    edit_ledger(root, gap)


def wrong_digest(root: Path, dice: random.Random) -> None:
    def change(content: dict[str, dict[str, list[object]]]) -> None:
        ours = [path for path, item in content["files"].items() if item[2]]
        content["files"][dice.choice(ours)][0] = "0" * 64

    edit_ledger(root, change)


def edit_ledger(root: Path, change: Callable[[dict[str, dict[str, list[object]]]], None]) -> None:
    """Even where its seal is made anew, the ledger must agree with git."""
    path = root / ".noctuary/ledger.json"
    content = json.loads(path.read_bytes())
    assert holds_seal(content)
    change(content)
    content.pop("sum")
    path.write_bytes(sealed(content))


def torn_ledger(root: Path, dice: random.Random) -> None:
    tear(root / ".noctuary/ledger.json", dice)


def torn_log(root: Path, dice: random.Random) -> None:
    tear(any_of(root, dice, ".noctuary/*.jsonl"), dice)


def tear(path: Path, dice: random.Random) -> None:
    data = path.read_bytes().rstrip(b"\n")
    path.write_bytes(data[: dice.randrange(1, len(data))])


def torn_journal(root: Path, dice: random.Random) -> None:
    whole = json.dumps({"dream": "d", "stage": "planned", "message": "m", "steps": []})
    (root / ".noctuary/journal.json").write_text(whole[: dice.randrange(1, len(whole))])


def journal_left(root: Path, dice: random.Random) -> None:
    content = {"dream": f"d{dice.random()}", "stage": "planned", "message": "m", "steps": []}
    (root / ".noctuary/journal.json").write_text(json.dumps(content))


def bytes_on_stage(root: Path, dice: random.Random) -> None:
    (root / ".noctuary/stage").mkdir(exist_ok=True)
    (root / ".noctuary/stage" / f"left-{dice.random()}").write_bytes(b"half a card")


def lost_receipt(root: Path, dice: random.Random) -> None:
    """A callout with its lines goes; the rest of the card is as it was."""
    cards = [path for path in root.glob("cards/**/*.md") if b"> [!quote]" in path.read_bytes()]
    path = dice.choice(sorted(cards))
    lines = path.read_text("utf-8").split("\n")
    start = dice.choice([at for at, line in enumerate(lines) if line.startswith("> [!quote]")])
    end = next(at for at in range(start, len(lines)) if not lines[at].startswith(">"))
    path.write_text("\n".join(lines[:start] + lines[end:]), "utf-8")


def lost_entry(root: Path, dice: random.Random) -> None:
    path = any_of(root, dice, "episodes/**/*b2b2b2.md")
    blocks = path.read_text("utf-8").split("> [!user]")
    quoted = [at for at in range(1, len(blocks)) if "deploy" in blocks[at] or "tabs" in blocks[at]]
    del blocks[dice.choice(quoted)]
    path.write_text("> [!user]".join(blocks), "utf-8")


def broken_link(root: Path, dice: random.Random) -> None:
    cards = [path for path in root.glob("cards/**/*.md") if "supersede" in path.read_text("utf-8")]
    path = dice.choice(sorted(cards))
    lines = path.read_text("utf-8").split("\n")
    at = next(at for at, line in enumerate(lines) if line.startswith("supersede")) + 1
    lines[at] = f'  - "[[nowhere-{dice.randrange(1000)}]]"'
    path.write_text("\n".join(lines), "utf-8")


def stale_map(root: Path, dice: random.Random) -> None:
    lines = (root / "index.md").read_text("utf-8").splitlines(keepends=True)
    listed = [at for at, line in enumerate(lines) if line.startswith("- ")]
    del lines[dice.choice(listed)]
    (root / "index.md").write_text("".join(lines), "utf-8")


def map_of_old(root: Path, dice: random.Random) -> None:
    (root / "maps").mkdir(exist_ok=True)
    (root / "maps" / f"topic-{dice.randrange(99)}.md").write_text("# Old\n\n[[index]]\n", "utf-8")


def stranger_in_the_graveyard(root: Path, dice: random.Random) -> None:
    (root / ".noctuary/graveyard" / f"note-{dice.randrange(99)}.md").write_text("not buried")


def wrong_grave(root: Path, dice: random.Random) -> None:
    path = any_of(root, dice, ".noctuary/graveyard/*")
    path.write_bytes(path.read_bytes() + b"late words\n")


def report_rewritten(root: Path, dice: random.Random) -> None:
    path = any_of(root, dice, "dreams/**/*.md")
    path.write_text(path.read_text("utf-8").replace("absorbed:", "absorbed-not:"), "utf-8")


def inflated_trust(root: Path, dice: random.Random) -> None:
    """The card claims more than its receipts, as the program itself would have written it."""
    path = any_of(root, dice, "cards/**/*.md")
    before = path.read_bytes()
    path.write_bytes(before.replace(b"> [!quote] user", b"> [!quote] tool"))


def git_object(root: Path, dice: random.Random) -> None:
    path = any_of(root, dice, ".git/objects/[0-9a-f][0-9a-f]/*")
    path.chmod(0o644)
    flip(path, dice)


def git_object_gone(root: Path, dice: random.Random) -> None:
    listed = (
        subprocess.run(
            ["git", "ls-tree", "-r", "HEAD", "--object-only"],
            cwd=root,
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .split()
    )
    name = dice.choice(listed)
    (root / ".git/objects" / name[:2] / name[2:]).unlink()


def dream_unrecorded(root: Path, dice: random.Random) -> None:
    del dice
    subprocess.run(["git", "reset", "-q", "--mixed", "HEAD~"], cwd=root, check=True)


def dream_twice(root: Path, dice: random.Random) -> None:
    del dice
    message = subprocess.run(
        ["git", "log", "-1", "--format=%B"], cwd=root, capture_output=True, check=True
    ).stdout.decode()
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-q"]
    subprocess.run([*command, "--allow-empty", "-m", message], cwd=root, check=True)


def open_state(root: Path, dice: random.Random) -> None:
    (root / ".noctuary").chmod(dice.choice([0o755, 0o777, 0o750]))


def open_vault(root: Path, dice: random.Random) -> None:
    del dice
    root.chmod(0o777)


KINDS = (
    *(Fault("bit flip in a card", flips("cards/**/*.md")) for _ in range(6)),
    *(Fault("bit flip in an entry", flip_an_entry) for _ in range(4)),
    *(Fault("bit flip in a report", flips("dreams/**/*.md")) for _ in range(3)),
    *(Fault("bit flip in the ledger", flips(".noctuary/ledger.json")) for _ in range(3)),
    *(Fault("bit flip in a log", flips(".noctuary/*.jsonl")) for _ in range(3)),
    *(Fault("bit flip in a grave", flips(".noctuary/graveyard/*")) for _ in range(2)),
    *(Fault("bit flip in the map", flip_the_map) for _ in range(2)),
    Fault("bit flip in the vault's name", flips(".noctuary/vault-id")),
    Fault("bit flip in the noise log", flips(".noctuary/noise.json")),
    Fault("card gone", gone("cards/**/*.md")),
    Fault("report gone", gone("dreams/**/*.md")),
    Fault("episode gone", gone("episodes/**/*b2b2b2.md")),
    Fault("map gone", gone("index.md")),
    Fault("ledger gone", gone(".noctuary/ledger.json")),
    Fault("vault's name gone", gone(".noctuary/vault-id")),
    Fault("ledger gap", ledger_gap),
    Fault("wrong digest in the ledger", wrong_digest),
    Fault("ledger torn", torn_ledger),
    Fault("log torn", torn_log),
    Fault("journal torn", torn_journal),
    Fault("journal left", journal_left),
    Fault("bytes on stage", bytes_on_stage),
    Fault("receipt lost", lost_receipt),
    Fault("entry lost", lost_entry),
    Fault("link broken", broken_link),
    Fault("map stale", stale_map),
    Fault("map of a topic that is gone", map_of_old),
    Fault("stranger in the graveyard", stranger_in_the_graveyard),
    Fault("wrong grave", wrong_grave),
    Fault("report rewritten", report_rewritten),
    Fault("role of a receipt changed", inflated_trust),
    Fault("git object damaged", git_object),
    Fault("git object gone", git_object_gone),
    Fault("dream not in git", dream_unrecorded),
    Fault("dream twice in git", dream_twice),
    Fault("state open to others", open_state),
    Fault("vault open to all", open_vault),
)


def injected(sound: Path, work: Path, count: int) -> Iterator[tuple[str, tuple[Problem, ...]]]:
    for number in range(count):
        fault = KINDS[number % len(KINDS)]
        root = work / "damaged"
        shutil.copytree(sound, root, symlinks=True)
        fault.do(root, random.Random(f"{SEED} {number}"))
        yield f"{number} {fault.name}", found_in(root)
        shutil.rmtree(root)


def assert_all_found(sound: Path, work: Path, count: int) -> None:
    every = dict(injected(sound, work, count))
    seen = sum(bool(problems) for problems in every.values())
    sys.stdout.write(f"seed {SEED}: {seen} of {count} faults found\n")
    assert [name for name, problems in every.items() if not problems] == []
    told = {str(problem) for problems in every.values() for problem in problems}
    assert [line for line in told if not line.rstrip(".").count(" ") > 4] == []


def test_every_kind_of_damage_is_found(sound: Path, tmp_path: Path) -> None:
    assert_all_found(sound, tmp_path, len(KINDS))


@pytest.mark.slow
def test_two_hundred_faults_are_found(sound: Path, tmp_path: Path) -> None:
    assert_all_found(sound, tmp_path, FAULTS)


@pytest.mark.parametrize(
    "name", ["map stale", "ledger torn", "ledger gap", "log torn", "journal torn", "map gone",
             "bytes on stage", "state open to others", "journal left", "ledger gone",
             "bit flip in the ledger", "bit flip in a log", "wrong digest in the ledger"],
)  # fmt: skip
def test_what_follows_from_the_rest_is_rebuilt(sound: Path, name: str) -> None:
    fault = next(kind for kind in KINDS if kind.name == name)
    fault.do(sound, random.Random(SEED))
    if (sound / "index.md").exists():
        os.utime(sound / "index.md", (0, 0))
    assert found_in(sound)
    repaired = Vault.open(sound, clock=Clock().__call__).verify(repair=True)
    assert repaired.problems == ()
    assert repaired.repaired


def test_edits_by_hand_are_no_damage(sound: Path) -> None:
    card = next(path for path in sorted(sound.glob("cards/**/*.md")) if "tabs" in path.name)
    card.write_text(card.read_text("utf-8").replace("## Evidence", "My words.\n\n## Evidence"))
    report = min(sound.glob("dreams/**/*.md"))
    report.write_text(report.read_text("utf-8").replace("- [ ] undo · 1", "- [x] undo · 1"))
    (sound / "index.md").write_text("Mine.\n\n" + (sound / "index.md").read_text("utf-8"))
    assert found_in(sound) == ()
