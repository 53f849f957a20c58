"""Cue phrases: how the offline distiller recognises kinds of language.

The phrases live in data files, one per language (`cues/en.toml`, `cues/zh.toml`), which say how
they are written. A person adds phrases by files of the same shape in a folder of their own.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from noctuary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Span = tuple[int, int]
Hits = dict[str, list[Span]]

GAP = "..."
HABIT, OPPOSITE = "habit-", "habit-not-"
"""How kinds are named that are wishes which recur in ever other words, and their opposites."""
_NOT = re.compile(r"(?:\bnot|n't|\bnever|\bno)\s+(?:\w+\s+)?$|[不别没]\S{0,2}$", re.IGNORECASE)
MAX_GAP_WORDS = 6
MAX_GAP_CHARS = 12

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[,;:!?.()—–-]")
_BREAK = frozenset(",;:!?.()—–-")
_CJK = re.compile(r"[\u3400-\u9fff]")
_CJK_BREAK = frozenset("，。；：、！？,;:!?（( \n“「")
_APOSTROPHE = str.maketrans({"’": "'", "‘": "'"})


@dataclass(frozen=True, slots=True)
class Cue:
    """One phrase of a kind: words (or pieces of Chinese text), `...` standing for a gap."""

    kind: str
    parts: tuple[str, ...]
    at_start: bool
    open_end: bool


@dataclass(frozen=True, slots=True)
class Word:
    """One word or mark of a lowered sentence; `leads` when a clause begins here."""

    text: str
    start: int
    end: int
    leads: bool


class Cues:
    """All phrases, indexed by how they begin, so that a sentence is matched in one pass."""

    def __init__(self, cues: Iterable[Cue]) -> None:
        self._pairs: dict[tuple[str, str], list[Cue]] = {}
        self._words: dict[str, list[Cue]] = {}
        self._chars: dict[str, list[Cue]] = {}
        self._stems: list[Cue] = []
        for cue in cues:
            self._index(cue)

    def _index(self, cue: Cue) -> None:
        if _CJK.search(cue.parts[0]):
            self._chars.setdefault(cue.parts[0][0], []).append(cue)
        elif len(cue.parts) > 1 and cue.parts[1] != GAP:
            self._pairs.setdefault((cue.parts[0], cue.parts[1]), []).append(cue)
        elif cue.open_end:
            self._stems.append(cue)
        else:
            self._words.setdefault(cue.parts[0], []).append(cue)

    def hits(self, text: str) -> Hits:
        """Where each kind of language stands in a sentence; kinds that do not occur are absent."""
        lowered = lower(text)
        found: Hits = {}
        for kind, span in self._word_hits(lowered):
            found.setdefault(kind, []).append(span)
        if _CJK.search(lowered):
            for kind, span in self._char_hits(lowered):
                found.setdefault(kind, []).append(span)
        return found

    def _word_hits(self, text: str) -> Iterator[tuple[str, Span]]:
        words = split_words(text)
        following = [word.text for word in words[1:]] + [""]
        for place, (word, after) in enumerate(zip(words, following, strict=False)):
            for cue in (*self._words.get(word.text, ()), *self._pairs.get((word.text, after), ())):
                if (word.leads or not cue.at_start) and (end := _match_words(cue, words, place)):
                    yield cue.kind, (word.start, words[end - 1].end)
            for cue in self._stems:
                if word.text.startswith(cue.parts[0]) and (word.leads or not cue.at_start):
                    yield cue.kind, (word.start, word.end)

    def _char_hits(self, text: str) -> Iterator[tuple[str, Span]]:
        for place, char in enumerate(text):
            for cue in self._chars.get(char, ()):
                leads = place == 0 or text[place - 1] in _CJK_BREAK
                if (leads or not cue.at_start) and (end := _match_chars(cue, text, place)):
                    yield cue.kind, (place, end)


def lower(text: str) -> str:
    """Lower case with plain apostrophes; every character keeps its place."""
    lowered = text.translate(_APOSTROPHE).lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(
        low if len(low := char.lower()) == 1 else char for char in text.translate(_APOSTROPHE)
    )


def split_words(text: str) -> list[Word]:
    """Words and marks of a lowered text."""
    words: list[Word] = []
    leads = True
    for hit in _WORD.finditer(text):
        words.append(Word(hit[0], hit.start(), hit.end(), leads))
        leads = hit[0] in _BREAK
    return words


def _match_words(cue: Cue, words: list[Word], place: int) -> int:
    """Index behind the last matched word, 0 when the phrase is not here."""
    at = place
    parts = iter(cue.parts)
    for part in parts:
        if part == GAP:
            wanted = next(parts)
            window = words[at : at + MAX_GAP_WORDS + 1]
            offset = next((i for i, word in enumerate(window) if word.text == wanted), -1)
            if offset < 0 or any(word.text in ".!?" for word in window[:offset]):
                return 0
            at += offset + 1
        elif at < len(words) and words[at].text == part:
            at += 1
        else:
            return 0
    return at


def _match_chars(cue: Cue, text: str, place: int) -> int:
    at = place
    parts = iter(cue.parts)
    for part in parts:
        if part == GAP:
            wanted = next(parts)
            found = text.find(wanted, at, at + MAX_GAP_CHARS + len(wanted))
            if found < 0:
                return 0
            at = found + len(wanted)
        elif text.startswith(part, at):
            at += len(part)
        else:
            return 0
    return at


def voiced(text: str, hits: Hits) -> frozenset[str]:
    """The recurring wishes that a text voices, by name; what it denies is none.

    `without asking me first` is no wish inside `never push without asking me first`.
    """
    return frozenset(
        kind
        for kind, spans in hits.items()
        if kind.startswith(HABIT)
        and any(
            not _NOT.search(text[max(0, span[0] - 16) : span[0]])
            and not _inside(span, hits.get(opposite(kind), ()))
            for span in spans
        )
    )


def opposite(wish: str) -> str:
    """The name of the wish that says the contrary."""
    if wish.startswith(OPPOSITE):
        return HABIT + wish.removeprefix(OPPOSITE)
    return OPPOSITE + wish.removeprefix(HABIT)


def _inside(span: Span, others: Iterable[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


@cache
def parse_phrase(kind: str, phrase: str) -> Cue:
    """A phrase as it is written in a cue file."""
    at_start = phrase.startswith("^")
    body = lower(phrase.removeprefix("^").strip())
    open_end = body.endswith("*")
    body = body.removesuffix("*")
    if _CJK.search(body):
        pieces = [piece.strip() for piece in body.split(GAP)]
        parts = [part for piece in pieces for part in (GAP, piece)][1:]
    else:
        sides = [[word.text for word in split_words(side)] for side in body.split(GAP)]
        parts = [part for side in sides for part in (GAP, *side)][1:]
    return Cue(kind, tuple(parts), at_start, open_end)


def load_cues(extra: Path | None = None) -> Cues:
    """The shipped phrases, and those of every `*.toml` in the folder `extra`.

    Raises:
        UsageError: A cue file of the person's own cannot be read.
    """
    cues: list[Cue] = []
    shipped = files(__package__).joinpath("cues")
    for name in ("en.toml", "zh.toml"):
        cues += _parse(shipped.joinpath(name).read_text("utf-8"), name)
    for path in sorted(extra.glob("*.toml")) if extra and extra.is_dir() else ():
        cues += _parse(path.read_text("utf-8", errors="replace"), str(path))
    return Cues(dict.fromkeys(cues))


def _parse(text: str, name: str) -> Iterator[Cue]:
    try:
        lists = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"The cue file {name} is no valid TOML ({error}); mend or remove it."
        ) from error
    for kind, phrases in lists.items():
        if not isinstance(phrases, list) or not all(isinstance(each, str) for each in phrases):
            raise UsageError(f"In the cue file {name}, “{kind}” must be a list of phrases.")
        yield from (parse_phrase(kind, phrase) for phrase in phrases if phrase.strip("^ *."))
