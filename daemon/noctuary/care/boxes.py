"""Boxes that a person ticks in reports and in the inbox, and what stands there afterwards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.vault.files import digest_of
from noctuary.vault.layout import note_name
from noctuary.vault.store import Write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from noctuary.vault.notes import Notes

_CHANGE = re.compile(
    r"(?m)^[-*] \[(?P<tick>.)\] undo · (?P<number>\d+) · \w+ · \[\[(?P<card>[^\]|#]+)"
)
_DONE = re.compile(
    r"(?m)^[-*] \[.\] undone [\d-]+ · (?P<number>\d+) · \w+ · \[\[(?P<card>[^\]|#]+)"
)
_VERDICT = re.compile(r"(?m)^[-*] \[[xX]\] (?P<verdict>approve|reject)[ \t]*\r?$")
_TICK = re.compile(r"(?m)^([-*]) \[[xX]\] (approve|reject)([ \t]*\r?)$")
_UNDO_TICK = re.compile(r"(?m)^([-*]) \[[xX]\] undo · ")


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


def with_outcomes(notes: Notes, path: str, outcomes: Mapping[int, str]) -> Write | None:
    """The report with what became of its changes; boxes of what was left are open again."""
    raw = notes.read(path) or b""
    text = raw.decode("utf-8", "surrogateescape")
    told: list[str] = []
    for number, words in sorted(outcomes.items()):
        text = _with_outcome(text, number, words, told)
    if told:
        head = "" if "\n## Undone\n" in text else "\n## Undone\n\n"
        text = text.rstrip("\n") + "\n" + head + "".join(f"- {line}\n" for line in told)
    data = text.encode("utf-8", "surrogateescape")
    return Write(path, data, digest_of(raw)) if data != raw else None


def _with_outcome(text: str, number: int, words: str, told: list[str]) -> str:
    line = re.compile(rf"(?m)^[-*] \[.\] undo · {number} · ")
    outcome, _, why = words.partition(": ")
    if outcome.startswith("left"):
        told.append(f"{outcome.removeprefix('left ')} · {number} · left: {why}")
        return line.sub(f"- [ ] undo · {number} · ", text)
    day = outcome.rpartition(" ")[2]
    if line.search(text):
        told.append(f"{day} · {number} · {outcome.removesuffix(' ' + day)}: {why}")
    return line.sub(f"- [x] undone {day} · {number} · ", text)


def verdict(text: str) -> str:
    """What a person ticked in an inbox note: `approve`, `reject`, `both`, or nothing."""
    found = {match["verdict"] for match in _VERDICT.finditer(text)}
    return "both" if len(found) > 1 else "".join(found)


def unticked(text: str) -> str:
    """The text with all its boxes open, as the program wrote it."""
    return _UNDO_TICK.sub(r"\1 [ ] undo · ", _TICK.sub(r"\1 [ ] \2\3", text))
