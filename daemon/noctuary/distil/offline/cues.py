"""Cue phrases: how the offline distiller recognises kinds of language.

The phrases live in data files, one per language (`cues/en.toml`, `cues/zh.toml`); `phrases` says
how they are written. A person adds phrases by files of the same shape in a folder of their own.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING

from noctuary.distil.offline.phrases import COUNTS, NUMBER, NUMERALS, Cue, Part, Reader, parse
from noctuary.distil.offline.wording import CJK, lower, split_words
from noctuary.errors import UsageError
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Span = tuple[int, int]
Hits = dict[str, list[Span]]
Lists = dict[str, list[str]]

HABIT, OPPOSITE = "habit-", "habit-not-"
"""How kinds are named that are wishes which recur in ever other words, and their opposites."""
CLASS = "word-"
"""How lists are named that are no kind of language but a class of words for other phrases."""


_NOT = re.compile(r"(?:\bnot|n't|\bnever|\bno)\s+(?:\w+\s+)?$|[不别没]\S{0,2}$", re.IGNORECASE)


KEPT = 2000
"""So many sentences are remembered with what was found: each is looked at several times."""

_Sought = tuple[frozenset[str], Cue]
"""A phrase, and what must stand somewhere in the sentence for it to be worth a look."""


class Cues:
    """All phrases, indexed by how they begin, so that a sentence is matched in one pass."""

    def __init__(self, cues: Iterable[Cue]) -> None:
        self._pairs: dict[tuple[str, str], list[_Sought]] = {}
        self._words: dict[str, list[_Sought]] = {}
        self._chars: dict[str, list[tuple[tuple[str, ...], frozenset[str], Cue]]] = {}
        """Of a character also the beginnings one of which must stand there."""
        self._open: dict[str, list[_Sought]] = {}
        """Those that leave a word open, by the letter it begins with or ends with."""
        self._last: dict[str, Hits] = {}
        for cue in cues:
            self._index(cue)

    def _index(self, cue: Cue) -> None:
        first, *rest = cue.parts
        one = (cue.needs(1), cue)
        if cue.chinese:
            heads = "".join(text[0] for text in first.texts if text != NUMBER)
            for char in dict.fromkeys(heads + NUMERALS * first.number):
                begun = tuple(text for text in first.texts if text[0] == char)
                open_ = char in begun or (first.number and char in NUMERALS)
                self._chars.setdefault(char, []).append((() if open_ else begun, *one))
        elif first.stems or first.endings or first.number:
            for key in _openings(first):
                self._open.setdefault(key, []).append(one)
        elif first.simple and rest and rest[0].simple and not rest[0].room[0]:
            two = (cue.needs(2), cue)
            for pair in product(first.words, rest[0].words):
                self._pairs.setdefault(pair, []).append(two)
        else:
            for word in first.words | {words[0] for words in first.longer}:
                self._words.setdefault(word, []).append(one)

    def hits(self, text: str) -> Hits:
        """Where each kind of language stands in a sentence; kinds that do not occur are absent."""
        found = self._last.get(text)
        if found is None:
            if len(self._last) >= KEPT:
                self._last.clear()
            found = self._last[text] = self._hits(text)
        return {kind: list(spans) for kind, spans in found.items()}

    def _hits(self, text: str) -> Hits:
        lowered = lower(text)
        found: dict[str, dict[Span, None]] = {}
        for kind, span in self._word_hits(lowered):
            found.setdefault(kind, {})[span] = None
        if CJK.search(lowered):
            for kind, span in self._char_hits(lowered):
                found.setdefault(kind, {})[span] = None
        return {kind: list(spans) for kind, spans in found.items()}

    def _word_hits(self, text: str) -> Iterator[tuple[str, Span]]:
        words = split_words(text)
        present = {word.text for word in words}
        following = [word.text for word in words[1:]] + [""]
        for place, (word, after) in enumerate(zip(words, following, strict=False)):
            text = word.text
            own = (self._words.get(text, ()), self._pairs.get((text, after), ()))
            number = NUMBER if text[0].isdigit() or text in COUNTS else ""
            left = (f"{text[0]}*", f"*{text[-1]}", *filter(None, (number,)), "*")
            for cues in (*own, *(self._open.get(key, ()) for key in left)):
                for needed, cue in cues:
                    if needed and needed.isdisjoint(present):
                        continue
                    if end := cue.match(words, place):
                        yield cue.kind, (word.start, words[end - 1].end)

    def _char_hits(self, text: str) -> Iterator[tuple[str, Span]]:
        present: dict[frozenset[str], bool] = {}
        for place, char in enumerate(text):
            for begun, needed, cue in self._chars.get(char, ()):
                if begun and not text.startswith(begun, place):
                    continue
                if needed not in present:
                    present[needed] = not needed or any(map(text.__contains__, needed))
                if present[needed] and (end := cue.match_text(text, place)):
                    yield cue.kind, (place, end)


def _openings(part: Part) -> Iterator[str]:
    """How words may begin or end with which a phrase begins that leaves one open; `*`: anyhow."""
    told = {f"{stem[0]}*" if stem else "*" for stem in part.stems}
    told |= {f"*{ending[-1]}" for ending in part.endings}
    told |= {f"{word[0]}*" for word in part.words | {words[0] for words in part.longer}}
    yield from ({"*"} if "*" in told else told | ({NUMBER} if part.number else set()))


def load_cues(extra: Path | None = None) -> Cues:
    """The shipped phrases, and those of every `*.toml` in the folder `extra`.

    Raises:
        UsageError: A cue file of the person's own cannot be read.
    """
    shipped = files(__package__).joinpath("cues")
    texts = [(name, shipped.joinpath(name).read_text("utf-8")) for name in ("en.toml", "zh.toml")]
    for path in sorted(extra.glob("*.toml")) if extra and extra.is_dir() else ():
        texts.append((str(path), path.read_text("utf-8", errors="replace")))
    return _built(tuple(texts))


@lru_cache(maxsize=4)
def _built(texts: tuple[tuple[str, str], ...]) -> Cues:
    lists = [read_lists(text, name) for name, text in texts]
    told: dict[str, tuple[str, ...]] = {}
    for found in lists:
        for kind, words in found.items():
            if kind.startswith(CLASS):
                name = kind.removeprefix(CLASS)
                told[name] = (*told.get(name, ()), *words)
    reader = Reader(told)
    return Cues(
        dict.fromkeys(
            cue
            for found in lists
            for kind, phrases in found.items()
            if not kind.startswith(CLASS)
            for phrase in phrases
            for cue in parse(kind, phrase, reader)
        )
    )


def read_lists(text: str, name: str) -> Lists:
    """The lists of a file; a class written as one text is the list of its words.

    Raises:
        UsageError: It is no file of lists.
    """
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            phrase(
                "The cue file {name} is no valid TOML ({error}); mend or remove it.",
                name=name,
                error=error,
            )
        ) from error
    lists = {
        kind: one.split() if isinstance(one, str) and kind.startswith(CLASS) else one
        for kind, one in told.items()
    }
    for kind, phrases in lists.items():
        if not isinstance(phrases, list) or not all(isinstance(each, str) for each in phrases):
            raise UsageError(
                phrase(
                    "In the cue file {name}, “{kind}” must be a list of phrases.",
                    name=name,
                    kind=kind,
                )
            )
    return lists


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
