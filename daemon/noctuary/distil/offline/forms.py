"""Phrases with open places: what a clause forbids, chooses or tells, as the files in `cues/forms` say it.

They are written like cue phrases (`phrases`), with `<name>` for what is read out of them,
`[some words]` for what may be missing and `@class*` for any number of words; each becomes a
regular expression. `docs/cues.md` has an example of everything.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from noctuary.distil.offline.cues import read_lists
from noctuary.distil.offline.phrases import resolved
from noctuary.distil.offline.wording import CJK, lower
from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from noctuary.distil.offline.cues import Lists
    from noctuary.distil.offline.phrases import Classes

_TOKEN = re.compile(r"<[^>]*>\??|\[|\]|[^\s\[\]]+")
_SLOT = re.compile(r"<(?P<name>\w+)(?::(?P<one>[^>]+))?>")
_GAPS = {"...": (6, 12), "..": (2, 4)}
_CLASS, _SAME = "word-", "same-"
_LEAD = "@lead*"
_REST = "…"
_COLON = ":"
_CLAUSE_END = "(?=$|[，。；！？])"
_WORD_END = r"(?!['’]?\w)"
Shape = tuple[str, str]
"""Patterns of what an open place takes, in English and in Chinese."""
_ANY: Shape = (r"\S[^;]{0,80}?", r"[^，。；：！？]{1,24}?")


class Form:
    """One phrase: its pattern, and words one of which stands wherever it can be read."""

    def __init__(self, phrase: str, classes: Classes, shapes: Mapping[str, Shape]) -> None:
        self.chinese = bool(CJK.search(_spelt(phrase, classes)))
        writer = _Writer(classes, shapes, chinese=self.chinese)
        self.pattern = lazily(writer.source(phrase), re.IGNORECASE)
        self.needs = min(writer.needed, key=_telling, default=[])


def _telling(texts: list[str]) -> tuple[int, int]:
    return -min(map(len, texts)), len(texts)


class Forms:
    """All phrases of one kind; those of the language of a clause are read first."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._chinese_first = sorted(forms, key=lambda form: not form.chinese)
        self._latin = [form for form in forms if not form.chinese]
        needed = {text for form in forms for text in form.needs}
        least = (one for one in needed if not any(two in one for two in needed - {one}))
        always = not all(form.needs for form in forms)
        self._hint = lazily("" if always else "|".join(sorted(map(re.escape, least))))

    def may_stand_in(self, text: str) -> bool:
        """Whether a text has a word without which none of the phrases can be read in it."""
        return self._hint.search(lower(text)) is not None

    def read(self, clause: str) -> Iterator[dict[str, str]]:
        """What stands at the open places, for each phrase that a clause begins with."""
        low = lower(clause)
        for form in self._chinese_first if CJK.search(clause) else self._latin:
            if not form.needs or any(text in low for text in form.needs):
                hit = form.pattern.match(clause)
                if hit is not None:
                    yield {name: text or "" for name, text in hit.groupdict().items()}

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Where the phrases stand anywhere in a text, one after the other."""
        low = lower(text)
        for form in self._chinese_first if CJK.search(text) else self._latin:
            if not form.needs or any(one in low for one in form.needs):
                yield from form.pattern.finditer(text)


@cache
def forms(kind: str, **shapes: Shape) -> Forms:
    """The phrases of a kind; `shapes` say what certain open places take."""
    return Forms([Form(one, words, shapes) for one, words in _phrases(kind)])


@cache
def pattern(kind: str) -> re.Pattern[str]:
    """All phrases of a kind as one pattern, to look for."""
    sources = [
        _Writer(words, {}, chinese=bool(CJK.search(_spelt(one, words)))).source(one)
        for one, words in _phrases(kind)
    ]
    return lazily("|".join(sources), re.IGNORECASE)


@cache
def listed(kind: str) -> frozenset[str]:
    """The words of the class `word-KIND`, of all languages."""
    return frozenset(
        word
        for lists, classes in _files()
        for one in lists.get(_CLASS + kind, ())
        for word in resolved(one, classes)
    )


@cache
def alike(kind: str) -> dict[str, str]:
    """The words of `same-KIND`, of which each line means one thing, led back to its first."""
    lines = [line.split() for lists, _ in _files() for line in lists.get(_SAME + kind, ())]
    return {word: line[0] for line in lines for word in line}


def _phrases(kind: str) -> list[tuple[str, Classes]]:
    return [(one, classes) for lists, classes in _files() for one in lists.get(kind, ())]


def _classes(lists: Mapping[str, Sequence[str]]) -> Classes:
    """The classes of a file; the words of a list of lines that mean the same are one as well."""
    named = {
        kind.removeprefix(_CLASS): tuple(words)
        for kind, words in lists.items()
        if kind.startswith(_CLASS)
    }
    same = {
        kind.removeprefix(_SAME): tuple(word for line in lines for word in line.split())
        for kind, lines in lists.items()
        if kind.startswith(_SAME)
    }
    return named | same


@cache
def _files() -> tuple[tuple[Lists, Classes], ...]:
    """The lists of each language, and its classes."""
    folder = files(__package__).joinpath("cues", "forms")
    found = sorted((one for one in folder.iterdir() if one.name.endswith(".toml")), key=str)
    lists = [read_lists(one.read_text("utf-8"), one.name) for one in found]
    return tuple((one, _classes(one)) for one in lists)


def _spelt(phrase: str, classes: Classes) -> str:
    """A phrase with the words of its classes."""
    return re.sub(r"@[\w-]+", lambda hit: " ".join(resolved(hit[0], classes)[:1]), phrase)


class _Writer:
    """Writes a phrase as a regular expression."""

    def __init__(self, classes: Classes, shapes: Mapping[str, Shape], *, chinese: bool) -> None:
        self._classes = classes
        self._shapes = shapes
        self._chinese = chinese
        self._blank = "" if chinese else " "
        self.needed: list[list[str]] = []
        """The words of each place that cannot stay empty."""

    def source(self, phrase: str) -> str:
        """The whole phrase; where a clause begins words of the class `lead` may stand before it."""
        head = phrase.startswith("^")
        body = phrase.removeprefix("^")
        tokens = _TOKEN.findall(body.removesuffix("$"))
        told = self._sequence([_LEAD, *tokens] if head else tokens, optional=False)
        edge = "" if self._chinese else r"(?<!\w)"
        end = _CLAUSE_END if self._chinese else "$"
        if not body.endswith("$"):
            end = "" if self._chinese else _WORD_END
        return f"{'^' if head else edge}{told}{end}"

    def _sequence(self, tokens: Sequence[str], *, optional: bool, first: bool = True) -> str:
        """Pieces side by side: each brings the blank before it, and at the head that behind it."""
        told, place = "", 0
        while place < len(tokens):
            end = _closing(tokens, place) if tokens[place] == "[" else place
            if end > place:
                inner = self._sequence(tokens[place + 1 : end], optional=True)
                lazy = "?" if tokens[place + 1].startswith("<") else ""
                told += self._maybe(inner, first=first) + lazy
            elif tokens[place].endswith("?") and len(tokens[place]) > 1:
                told += self._maybe(self._piece(tokens[place][:-1], optional=True), first=first)
            else:
                told += self._glued(tokens[place], optional=optional, first=first)
                first = first and _takes_no_place(tokens[place])
            place = end + 1
        return told

    def _maybe(self, inner: str, *, first: bool) -> str:
        return f"(?:{inner}{self._blank})?" if first else f"(?:{self._blank}{inner})?"

    def _glued(self, token: str, *, optional: bool, first: bool) -> str:
        blank = "" if first else self._blank
        if token in _GAPS:
            words, chars = _GAPS[token]
            if self._chinese:
                return rf"[^，。；！？]{{0,{chars}}}?"
            return rf"(?:{blank}[^\s,;:.!?]+){{0,{words}}}?"
        if token == _COLON:
            return r"\s?[,:，：]?"
        if token == _REST:
            return ".*" if self._chinese else r"(?:\b.*)?"
        if token.endswith("*") and token.startswith("@"):
            one = self._piece(token[:-1], optional=True)
            between = "" if self._chinese else r"[,:]?\s+"
            return f"(?:{one}{between})*" if first else f"(?:{blank}{one})*"
        if token.startswith("!"):
            edge = "" if self._chinese else _WORD_END
            return f"(?!{blank}{self._either(token[1:], optional=True)}{edge})"
        if token.endswith("!"):
            texts = (re.escape(text) for text in self._texts(token[:-1]))
            return "".join(f"(?<!{text}{self._blank if first else ''})" for text in texts)
        return blank + self._piece(token, optional=optional)

    def _piece(self, token: str, *, optional: bool) -> str:
        slot = _SLOT.fullmatch(token)
        if slot is None:
            return self._either(token, optional=optional)
        name = slot["name"]
        if slot["one"]:
            told = self._either(slot["one"], optional=optional)
        else:
            told = self._shapes.get(name, _ANY)[self._chinese]
        return told if name == "_" else f"(?P<{name}>{told})"

    def _either(self, token: str, *, optional: bool) -> str:
        texts = sorted(dict.fromkeys(self._texts(token)), key=lambda text: -len(text))
        if not optional and not any("*" in text or text == "#" for text in texts):
            self.needed.append(texts)
        told = [_spelling(text, chinese=self._chinese) for text in texts]
        return told[0] if len(told) == 1 else f"(?:{'|'.join(told)})"

    def _texts(self, token: str) -> list[str]:
        return [lower(text) for one in token.split("|") for text in resolved(one, self._classes)]


def _spelling(text: str, *, chinese: bool) -> str:
    if text == "*":
        return r"\w[\w'’-]*"
    if text == "#":
        return r"[\d一二两三四五六七八九十百千万半几]+" if chinese else r"\d[\d.,]*"
    told = re.escape(text.strip("*")).replace("'", "['’]").replace(r"\ ", " ")
    before = r"\w{2,}" if text.startswith("*") else ""
    return before + told + (r"\w*" if text.endswith("*") and not chinese else "")


def _takes_no_place(token: str) -> bool:
    return token[0] == "!" or token[-1] == "!" or (token[0] == "@" and token[-1] == "*")


def _closing(tokens: Sequence[str], place: int) -> int:
    """Where the bracket ends that opens here."""
    depth = 0
    for at in range(place, len(tokens)):
        depth += (tokens[at] == "[") - (tokens[at] == "]")
        if not depth:
            return at
    raise ValueError(f"A bracket stays open in “{' '.join(tokens)}”.")
