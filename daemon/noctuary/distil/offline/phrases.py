"""The little language in which cue phrases are written, and how a phrase is matched.

Words stand side by side; `a|b_c` is either `a` or `b c`, `@name` any word of the class `word-name`, `word?`
may be missing, `stem*` and `*ending` leave the rest of a word open, `#` is a number, `!a|b` says
what must not come next, `...` leaves room for some words and `..` for two. `^` at the start of a
phrase: only where a clause begins; `$` at its end: only where a clause ends, `a|$`: before an `a` or
where a clause ends. Chinese is written
with blanks between the parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, product
from typing import TYPE_CHECKING, TypeVar

from noctuary.distil.offline.wording import BREAK, CJK, lower, split_words, written_out
from noctuary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from noctuary.distil.offline.wording import Word

Classes = dict[str, tuple[str, ...]]
"""Words of each class, by its name."""

GAPS = {"...": (6, 12), "..": (2, 4)}
"""How many English words, and how many Chinese characters, a gap leaves room for."""
NUMBER = "#"

_CJK_BREAK = frozenset("，。；：、！？,;:!?（）( )\n“”「」…—.")
_PARTICLES = "吧啊呀了哈哦呢嘛啦哟即可就行就好"
_TIES_ZH = (
    "请", "麻烦", "那", "就", "你", "您", "咱们", "我们", "还有", "另外", "而且", "并且", "但",
    "但是", "不过", "所以", "然后", "也", "以后", "平时", "今后", "千万", "都", "可以", "尽量", "记住",
    "反正", "帮我", "能不能", "可不可以", "能否",
)  # fmt: skip
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Part:
    """One place of a phrase, and the room that is left before it.

    Attributes:
        words: Single words that may stand here.
        longer: Alternatives of several words, the longest first.
        stems: Beginnings of words.
        endings: Ends of words.
        texts: All alternatives of a Chinese phrase, the longest first.
        simple: Whether only single words may stand here.
        banned: Whether the words must not stand here, and take no place.
        chinese: Whether any of the texts is Chinese.
        begun: The texts by how they begin; `heads` those in `longer` by their first word.
    """

    words: frozenset[str]
    longer: tuple[tuple[str, ...], ...]
    stems: tuple[str, ...]
    endings: tuple[str, ...]
    texts: tuple[str, ...]
    number: bool
    room: tuple[int, int]
    simple: bool
    banned: bool
    chinese: bool
    begun: dict[str, list[str]] = field(compare=False)
    heads: dict[str, list[tuple[str, ...]]] = field(compare=False)

    @property
    def is_told(self) -> bool:
        """Whether something must stand here that `words`, `longer` and `texts` name in full."""
        return not (self.banned or self.number or self.stems or self.endings)

    def takes(self, words: Sequence[Word], at: int) -> int:
        """Index behind the words that stand at `at`, 0 when none of the alternatives does."""
        end = self._end(words, at)
        return (0 if end else at) if self.banned else end

    def _end(self, words: Sequence[Word], at: int) -> int:
        if at >= len(words):
            return 0
        word = words[at].text
        for longer in self.heads.get(word, ()):
            if tuple(word.text for word in words[at : at + len(longer)]) == longer:
                return at + len(longer)
        fits = word in self.words or (self.number and (word[0].isdigit() or word in COUNTS))
        open_ = (self.stems and word.startswith(self.stems)) or (
            self.endings and len(word) > len(self.endings[0]) + 1 and word.endswith(self.endings)
        )
        return at + 1 if fits or open_ else 0

    def reads(self, text: str, at: int) -> int:
        """Place behind the characters that stand at `at`, -1 when none of the alternatives does."""
        end = self._read(text, at)
        return (-1 if end >= 0 else at) if self.banned else end

    def _read(self, text: str, at: int) -> int:
        while at < len(text) and text[at] == " ":
            at += 1
        first = text[at : at + 1]
        if first != "别" or text[at - 1 : at] not in _NAMES_NO_BAN:
            for one in self.begun.get(first, ()):
                if text.startswith(one, at):
                    return at + len(one)
        if self.number and (hit := _NUMERAL.match(text, at)):
            return hit.end()
        return -1


COUNTS = frozenset(
    (
        *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
        *("twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "hundred", "thousand"),
    )
)
_LATIN = re.compile(r"[\w./+-]+", re.ASCII)
_NAMES_NO_BAN = frozenset("特分区级性个差告离识辨类派鉴")
"""Behind these, 别 forbids nothing: 特别, 分别."""
NUMERALS = "0123456789一二两三四五六七八九十百千万半几"
_NUMERAL = re.compile(rf"\d[\d,.:：]*|[{NUMERALS[10:]}]+")


@dataclass(frozen=True, slots=True)
class Cue:
    """One phrase of a kind."""

    kind: str
    parts: tuple[Part, ...]
    at_start: bool
    at_end: bool
    chinese: bool

    def needs(self, known: int) -> frozenset[str]:
        """Words, or pieces of Chinese, one of which must stand somewhere for the phrase to match.

        Beside the first `known` parts, which are looked at already; empty when nothing is needed.
        """
        if self.chinese:
            told = [frozenset(part.texts) for part in self.parts[known:] if part.is_told]
        else:
            told = [
                part.words | {words[0] for words in part.longer}
                for part in self.parts[known:]
                if part.is_told
            ]
        return min(told, key=len, default=frozenset())

    def match(self, words: Sequence[Word], place: int) -> int:
        """Index behind the last matched word, 0 when the phrase is not here."""
        room = self.parts[0].room[0]
        begins = (words[at].leads for at in range(max(0, place - room), place + 1))
        if self.at_start and not any(begins):
            return 0
        return self._match(words, place, 0)

    def _match(self, words: Sequence[Word], at: int, number: int) -> int:
        """Behind the parts from this one on, wherever the gaps before them end; else 0."""
        for count, part in enumerate(self.parts[number:], number + 1):
            if part.room[0]:
                ends = (part.takes(words, start) for start in _starts(words, at, part.room[0]))
                return next(
                    (end for to in ends if to and (end := self._match(words, to, count))), 0
                )
            if not part.simple:
                at = part.takes(words, at)
            elif at < len(words) and words[at].text in part.words:
                at += 1
            else:
                return 0
            if not at:
                return 0
        return at if not self.at_end or at == len(words) or words[at].text in BREAK else 0

    def match_text(self, text: str, place: int) -> int:
        """Place behind the last matched character of Chinese, 0 when the phrase is not here."""
        room = self.parts[0].room[1]
        begins = (leads(text, at) for at in range(max(0, place - room), place + 1))
        if self.at_start and not any(begins):
            return 0
        return self._match_text(text, place, 0)

    def _match_text(self, text: str, at: int, number: int) -> int:
        for count, part in enumerate(self.parts[number:], number + 1):
            if part.room[1]:
                ends = (part.reads(text, start) for start in _stops(text, at, part.room[1]))
                tails = (self._match_text(text, to, count) for to in ends if to >= 0)
                return next((end for end in tails if end), 0)
            at = part.reads(text, at)
            if at < 0:
                return 0
        rest = text[at : at + 4].lstrip(" ").lstrip(_PARTICLES)
        return at if not self.at_end or not rest or rest[0] in _CJK_BREAK else 0


def _starts(words: Sequence[Word], at: int, room: int) -> Iterator[int]:
    for start in range(at, min(at + room, len(words) - 1) + 1):
        yield start
        if words[start].text in (".", "!", "?"):
            return


def _stops(text: str, at: int, room: int) -> Iterator[int]:
    """Places behind up to so many characters, a Latin word with its blank counting as one."""
    yield at
    for _ in range(room):
        if at >= len(text) or text[at] in "。！？":
            return
        latin = _LATIN.match(text, at + (text[at] == " "))
        at = latin.end() if latin else at + 1
        yield at


def leads(text: str, place: int) -> bool:
    """Whether a clause of Chinese begins here, or only words that tie it to what stands before."""
    if place == 0 or text[place - 1] in _CJK_BREAK or text[place - 1] == " ":
        return True
    if not text.endswith(_TIES_ZH, max(0, place - 4), place):
        return False
    ties = (tie for tie in _TIES_ZH if text.endswith(tie, max(0, place - 4), place))
    return any(leads(text, place - len(tie)) for tie in ties)


class Reader:
    """Reads phrases over some classes of words; whatever recurs in them is read once."""

    def __init__(self, classes: Mapping[str, tuple[str, ...]]) -> None:
        self._classes = classes
        self._texts: dict[str, tuple[str, ...]] = {}
        self._parts: dict[tuple[str, tuple[int, int]], list[Part]] = {}

    def parts(self, piece: str, room: tuple[int, int]) -> list[Part]:
        """The places of a piece of a phrase, with that room before the first."""
        found = self._parts.get((piece, room))
        if found is None:
            found = self._parts[piece, room] = list(self._read(piece, room))
        return found

    def _read(self, piece: str, room: tuple[int, int]) -> Iterator[Part]:
        if piece[0] == "!" or "|" in piece or "@" in piece:
            each = map(self._resolved, piece.removeprefix("!").split("|"))
            yield _part(tuple(chain.from_iterable(each)), room, banned=piece[0] == "!")
            return
        words = (piece,) if _open(piece) or CJK.search(piece) else _plain(piece) or (piece,)
        for place, word in enumerate(words):
            yield _part((word,), (0, 0) if place else room)

    def _resolved(self, piece: str) -> tuple[str, ...]:
        found = self._texts.get(piece)
        if found is None:
            found = self._texts[piece] = tuple(map(lower, resolved(piece, self._classes)))
        return found


def parse(kind: str, phrase: str, reader: Reader) -> Iterator[Cue]:
    """The cues that a phrase stands for: one for each choice of the words that may be missing.

    Raises:
        UsageError: It names a class that is not there.
    """
    body = lower(phrase.strip())
    at_start, at_end = body.startswith("^"), body.endswith("$")
    *pieces, last = body.removeprefix("^").removesuffix("$").split()
    fixed = [[piece.removesuffix("?")] + [""] * _optional(piece) for piece in pieces]
    ends = [(last.removesuffix("?").removesuffix("|"), at_end and last[-1] != "|")]
    if last[-1] in "?|" and len(last) > 1:
        ends.append(("", at_end))
    for chosen, (behind, ended) in product(product(*fixed), ends):
        parts = tuple(_parts([piece for piece in (*chosen, behind) if piece], reader))
        if parts:
            yield Cue(kind, parts, at_start, ended, any(part.chinese for part in parts))


def _optional(piece: str) -> bool:
    return len(piece) > 1 and piece.endswith("?")


def _parts(pieces: Sequence[str], reader: Reader) -> Iterator[Part]:
    room = (0, 0)
    for piece in pieces:
        if piece in GAPS:
            room = GAPS[piece]
        elif parts := reader.parts(piece, room):
            yield from parts
            room = (0, 0)


def resolved(piece: str, classes: Mapping[str, tuple[str, ...]], depth: int = 0) -> list[str]:
    """The words that one alternative stands for; more than one for a class.

    Raises:
        UsageError: It names a class that is not there.
    """
    if not piece.startswith("@"):
        return [piece.replace("_", " ")] if piece else []
    if piece[1:] not in classes or depth > _MAX_DEPTH:
        raise UsageError(f"A cue phrase names “{piece}”, but there is no list “word-{piece[1:]}”.")
    words = classes[piece[1:]]
    return [text for word in words for text in resolved(word, classes, depth + 1)]


def _open(piece: str) -> bool:
    return piece == NUMBER or "*" in (piece[0], piece[-1])


def _plain(text: str) -> tuple[str, ...]:
    if text.isascii() and text.isalnum():
        return (written_out(text),)
    return tuple(word.text for word in split_words(text))


def _part(texts: tuple[str, ...], room: tuple[int, int], *, banned: bool = False) -> Part:
    told = {text for text in texts if not _open(text)}
    fixed = set(map(_plain, told))
    longest = sorted(sorted(told), key=len, reverse=True)
    longer = sorted(sorted(words for words in fixed if len(words) > 1), key=len, reverse=True)
    return Part(
        words=frozenset(words[0] for words in fixed if len(words) == 1),
        longer=tuple(longer),
        stems=tuple(text[:-1] for text in texts if text.endswith("*")),
        endings=tuple(text[1:] for text in texts if text.startswith("*") and len(text) > 1),
        texts=tuple(longest),
        number=NUMBER in texts,
        room=room,
        simple=len(told) == len(set(texts)) and not (banned or longer or () in fixed),
        banned=banned,
        chinese=any(map(CJK.search, longest)),
        begun=_by_first(longest),
        heads=_by_first(longer),
    )


_Told = TypeVar("_Told", str, tuple[str, ...])


def _by_first(each: Sequence[_Told]) -> dict[str, list[_Told]]:
    found: dict[str, list[_Told]] = {}
    for one in each:
        found.setdefault(one[0], []).append(one)
    return found
