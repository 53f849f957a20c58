"""What of an entry a model is shown, and the way back from its quotes to the very words.

Secrets and private terms are blacked out, long texts are cut in the middle. A quote counts only
if it can be led back to the entry; what is handed on are the entry's own words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory import secrets
from noctuary.memory.facts import hard_facts, missing
from noctuary.memory.sentences import sentences
from noctuary.memory.tokens import content_tokens, estimate

if TYPE_CHECKING:
    from noctuary.memory.entry import Entry

CUT = " […] "
NEARLY, _FEW_WORDS = 0.75, 3
"""Share of a quote's telling words that a sentence must hold to be meant by it."""
_LONGEST_QUOTE = 1200
_HEAD_SHARE = 0.7
_MARKS = {"'": "'‘’", '"': '"“”„«»「」『』'}
_EDGES = " \t\r\n\"'“”‘’「」『』…"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of the shown text and the run of the entry that it stands for."""

    shown: int
    start: int
    end: int
    text: str
    masked: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry as a model sees it."""

    entry: Entry
    text: str
    pieces: tuple[_Piece, ...]

    def words_of(self, said: str) -> str | None:
        """The entry's own words that a quote means; None if they do not stand there."""
        said = said.strip()
        if not said or len(said) > _LONGEST_QUOTE:
            return None
        at = self.text.find(said)
        if at >= 0:
            return self._own(at, at + len(said))
        return self._loosely(said)

    def sentence_of(self, said: str) -> str | None:
        """The entry's own sentence that a quote retells: nearly all of its words stand in it.

        Small models copy with slips. What is handed on is what was said, not how they spell it.
        """
        wanted = set(content_tokens(said))
        if len(wanted) < _FEW_WORDS or len(said) > _LONGEST_QUOTE:
            return None
        found = [(len(wanted & set(content_tokens(one.text))), one) for one in sentences(self.text)]
        shared, best = max(found, key=lambda pair: pair[0], default=(0, None))
        if best is None or shared < NEARLY * len(wanted) or len(best.text) > _LONGEST_QUOTE:
            return None
        if missing(hard_facts(said), best.text):
            return None
        return self._own(best.start, best.end)

    def _loosely(self, said: str) -> str | None:
        """With other white space, other quotation marks or another case."""
        bare = said.strip(_EDGES).removesuffix("...").rstrip()
        if len(bare) < 2:
            return None
        pattern = r"\s+".join(_as_pattern(word) for word in bare.split())
        found = re.search(pattern, self.text, re.IGNORECASE)
        return self._own(found.start(), found.end()) if found else None

    def _own(self, start: int, end: int) -> str | None:
        first = self.pieces[bisect_right(self.pieces, start, key=_place) - 1]
        last = self.pieces[bisect_right(self.pieces, end - 1, key=_place) - 1]
        begin = first.start if first.masked else first.start + start - first.shown
        stop = last.end if last.masked else last.start + end - last.shown
        cut = any(
            piece.text == CUT and start < piece.shown + len(CUT) and piece.shown < end
            for piece in self.pieces
        )
        words = self.entry.text[begin:stop].strip()
        return words if words and not cut else None


def _place(piece: _Piece) -> int:
    return piece.shown


def _as_pattern(word: str) -> str:
    return "".join(
        next((f"[{kinds}]" for kinds in _MARKS.values() if char in kinds), re.escape(char))
        for char in word
    )


def show(entry: Entry, most: int, private: re.Pattern[str] | None = None) -> Shown:
    """An entry in at most about so many tokens."""
    text = entry.text
    masks = _masks(text, private)
    kept = _kept(text, most)
    pieces: list[_Piece] = []
    at = 0
    for number, (start, end) in enumerate(kept):
        if number:
            pieces.append(_Piece(at, kept[number - 1][1], start, CUT, masked=True))
            at += len(CUT)
        for piece in _with_masks(text, start, end, masks):
            pieces.append(_Piece(at, *piece))
            at += len(piece[2])
    return Shown(entry, "".join(piece.text for piece in pieces), tuple(pieces))


def _masks(text: str, private: re.Pattern[str] | None) -> list[tuple[int, int, str]]:
    found = [(secret.start, secret.end, secret.mask) for secret in secrets.finds(text)]
    if private is not None:
        found += [
            (hit.start(), hit.end(), secrets.PRIVATE)
            for hit in private.finditer(text)
            if not any(start < hit.end() and hit.start() < end for start, end, _ in found)
        ]
    return sorted(found)


def _kept(text: str, most: int) -> list[tuple[int, int]]:
    """The whole, or its head and its tail, cut where a word ends."""
    whole = estimate(text)
    if whole <= most:
        return [(0, len(text))]
    room = max(8, int(len(text) * most / whole) - len(CUT))
    head = int(room * _HEAD_SHARE)
    return [(0, head), (len(text) - (room - head), len(text))]


def _with_masks(
    text: str, start: int, end: int, masks: list[tuple[int, int, str]]
) -> list[tuple[int, int, str, bool]]:
    out: list[tuple[int, int, str, bool]] = []
    at = start
    for begin, stop, mask in masks:
        if stop <= at or begin >= end:
            continue
        if begin > at:
            out.append((at, begin, text[at:begin], False))
        out.append((begin, stop, mask, True))
        at = stop
    if at < end:
        out.append((at, end, text[at:end], False))
    return out or [(start, end, "", False)]


def hidden(text: str, private: re.Pattern[str] | None = None) -> str:
    """A text without secrets and private terms."""
    safe = secrets.redact(text)
    return private.sub(secrets.PRIVATE, safe) if private else safe
