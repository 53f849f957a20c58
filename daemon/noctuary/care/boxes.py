"""Boxes that a person ticks in reports and in the inbox, and what stands there afterwards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from noctuary.tongue import phrase, spoken
from noctuary.vault.files import digest_of
from noctuary.vault.layout import note_name
from noctuary.vault.store import Write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from enum import StrEnum

    from noctuary.vault.notes import Notes

_UNDO = phrase("undo")
_CHANGE = re.compile(
    r"(?m)^[-*] \[(?P<tick>.)\] (?:undo|撤销) · (?P<number>\d+) · \w+ · \[\[(?P<card>[^\]|#]+)"
)
_DONE = re.compile(
    r"(?m)^[-*] \[.\] (?:undone|已撤销) [\d-]+"
    r" · (?P<number>\d+) · \w+ · \[\[(?P<card>[^\]|#]+)"
)
_VERDICTS = {"approve": "approve", "批准": "approve", "reject": "reject", "拒绝": "reject"}
_VERDICT = re.compile(rf"(?m)^[-*] \[[xX]\] (?P<verdict>{'|'.join(_VERDICTS)})[ \t]*\r?$")
_TICK = re.compile(rf"(?m)^([-*]) \[[xX]\] ({'|'.join(_VERDICTS)})([ \t]*\r?)$")
_UNDO_TICK = re.compile(r"(?m)^([-*]) \[[xX]\] (undo|撤销) · ")
_OUTCOMES = re.compile(r"\n## (?:Undone|撤销情况)\n")


@dataclass(frozen=True, slots=True)
class Box:
    """One change of a report: its card, and whether a person wants it undone."""

    card: str
    ticked: bool


def report_boxes(notes: Notes, dream: str) -> tuple[str, dict[int, Box]]:
    """Path of a dream's report and its changes by number; empty when there is no report."""
    path = next((path for path in notes.paths("dreams") if note_name(path) == dream), "")
    text = (notes.read(path) or b"").decode("utf-8", "replace") if path else ""
    boxes = {
        int(found["number"]): Box(found["card"], ticked=False) for found in _DONE.finditer(text)
    }
    boxes |= {
        int(found["number"]): Box(found["card"], found["tick"] in "xX")
        for found in _CHANGE.finditer(text)
    }
    return path, boxes


def ticked_changes(notes: Notes) -> Iterator[tuple[str, list[int]]]:
    """Dreams with boxes that a person ticked, newest first, and the numbers of their changes."""
    for path in sorted(notes.paths("dreams"), key=note_name, reverse=True):
        text = (notes.read(path) or b"").decode("utf-8", "replace")
        ticked = [int(box["number"]) for box in _CHANGE.finditer(text) if box["tick"] in "xX"]
        if ticked:
            yield note_name(path), ticked


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a change that was to be undone: in one word, on which day, and why."""

    outcome: StrEnum
    day: str
    why: str
    left: bool = False


def with_outcomes(
    notes: Notes, path: str, outcomes: Mapping[int, Fate], language: str = "en"
) -> Write | None:
    """The report with what became of its changes; boxes of what was left are open again."""
    say = partial(spoken, language=language)
    raw = notes.read(path) or b""
    text = raw.decode("utf-8", "surrogateescape")
    told: list[str] = []
    for number, fate in sorted(outcomes.items()):
        text = _with_outcome(text, number, fate, told, say)
    if told:
        head = "" if _OUTCOMES.search(text) else f"\n## {say(phrase('Undone'))}\n\n"
        text = text.rstrip("\n") + "\n" + head + "".join(f"- {line}\n" for line in told)
    data = text.encode("utf-8", "surrogateescape")
    return Write(path, data, digest_of(raw)) if data != raw else None


def _with_outcome(
    text: str, number: int, fate: Fate, told: list[str], say: Callable[[object], str]
) -> str:
    line = re.compile(rf"(?m)^[-*] \[.\] (?:undo|撤销) · {number} · ")
    words = say(phrase("{outcome}: {why}", outcome=fate.outcome, why=fate.why))
    if fate.left or line.search(text):
        told.append(f"{fate.day} · {number} · {words}")
    box = f"[ ] {say(_UNDO)}" if fate.left else f"[x] {say(phrase('undone {day}', day=fate.day))}"
    return line.sub(f"- {box} · {number} · ", text)


def verdict(text: str) -> str:
    """What a person ticked in an inbox note: `approve`, `reject`, `both`, or nothing."""
    found = {_VERDICTS[match["verdict"]] for match in _VERDICT.finditer(text)}
    return "both" if len(found) > 1 else "".join(found)


def unticked(text: str) -> str:
    """The text with all its boxes open, as the program wrote it."""
    return _UNDO_TICK.sub(r"\1 [ ] \2 · ", _TICK.sub(r"\1 [ ] \2\3", text))
