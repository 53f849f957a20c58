"""Finds hard facts: numbers, money, dates, names, paths, versions, commands and their kin.

Two spellings of one fact share a key, so that `五万元` and `50,000 yuan` are recognised as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory import amounts, names
from noctuary.memory.numerals import narrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class HardFact:
    """A fact at `text[start:end]`; `key` is the form by which the same fact is recognised.

    Attributes:
        kind: number, quantity, money, percent, date, time, duration, version, name, quoted,
            path, url, email, command or id.
    """

    kind: str
    text: str
    start: int
    end: int
    key: str


_EXTENSION = (
    r"(?:py|pyi|ipynb|js|mjs|ts|tsx|jsx|vue|md|txt|rst|json|jsonl|ya?ml|toml|ini|cfg|conf|csv|tsv|sql"
    r"|sh|bash|ps1|bat|go|rs|java|kt|c|h|cpp|hpp|cs|rb|php|html?|css|scss|svelte|xml|log|lock|env"
    r"|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|webp|mp[34]|wav|zip|tar|gz|tgz|db|sqlite3?|parquet"
    r"|pkl|pt|onnx|gguf|exe|dll|so|jar|tf|proto|service|mako|j2)"
)
_SEGMENT = r"[A-Za-z0-9_.@+%~-]"
_TECHNICAL = re.compile(
    r"(?P<url>\b(?:https?|ftp|ssh|postgres(?:ql)?|redis|mysql|sqlite)://[^\s<>\"'`）)，。；、\]]+)"
    r"|(?P<email>(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5})"
    r"|(?P<id>(?<![\w-])(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,64}|[A-Z]{2,10}-\d{1,8}|\#\d{1,8}"
    r"|(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?|\+\d{1,3}[ -]?(?:\d{2,5}[ -]?){2,4}\d{2,4}|\d{3}-\d{3,4}-\d{4})(?![\w-]))"
    r"|(?P<path>(?<![A-Za-z0-9_.:/\\~@+%<-])(?:(?:~|\.{1,2})?/"
    rf"{_SEGMENT}+(?:/{_SEGMENT}+)*/?|[A-Za-z]:\\[^\s\"'<>|*?]+|{_SEGMENT}+(?:/{_SEGMENT}+)*\.{_EXTENSION}(?![A-Za-z0-9_])))"
    r"|(?P<version>(?<![A-Za-z0-9_.])(?:v\d{1,6}(?:\.\d{1,6}){0,4}|\d{1,6}(?:\.\d{1,6}){2,4})(?:-?(?:rc|alpha|beta|b|a)\.?\d{1,3})?(?![A-Za-z0-9_]|\.\d)"
    r"|\bversion[ ](?P<en>\d{1,6}(?:\.\d{1,6}){0,4})(?![\w]|\.\d)"
    r"|第(?P<zh>\d{1,4}|[一二三四五六七八九十百]{1,5})版|(?P<zv>\d{1,4}(?:\.\d{1,4}){1,3})版本?|版本(?:号)?(?:是|为|：|:)?[ ]?v?(?P<zw>\d{1,4}(?:\.\d{1,4}){0,3}))"
)
_TOOLS = (
    "git|pip3?|uv|npm|npx|yarn|pnpm|python3?|pytest|docker|kubectl|helm|cargo|go|make|cd|ls|cp|mv|rm|mkdir"
    "|curl|wget|ssh|scp|brew|apt|apt-get|sudo|flask|django-admin|alembic|gunicorn|uvicorn|node|conda|poetry"
    "|terraform|ansible|psql|mysql|sqlite3|redis-cli|systemctl|tar|grep|find|chmod|chown|export|source|echo|cat"
    "|ruff|mypy|black|heroku|aws|gcloud|az|bash|sh|noctuary"
)
_INLINE = re.compile(r"(?<!`)`(?P<body>[^`\n]{1,300})`(?!`)")
_COMMAND_LINE = re.compile(
    r"^[ \t>]{0,8}(?:\$|>>>|PS>)[ \t]+(?P<body>[^\r\n]{1,500})", re.MULTILINE
)
_COMMAND = re.compile(rf"(?:\$ )?(?:{_TOOLS})(?: |$)")
_FENCED = re.compile(
    r"^[ \t]{0,3}(?:```|~~~).*?(?:^[ \t]{0,3}(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL
)
_QUOTED = re.compile(
    r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|「([^」\n]{2,80})」|《([^》\n]{1,80})》"
)
_SPACE = re.compile(r"\s+")


def hard_facts(text: str) -> list[HardFact]:
    """The facts of `text` in order of place; only a quoted one may hold others inside.

    Code fences give commands, paths, URLs and versions alone.
    """
    fences = (
        [hit.span() for hit in _FENCED.finditer(text)] if "```" in text or "~~~" in text else []
    )
    found = _Spans()
    found.add(_commands(text))
    found.add(_technical(text, fences))
    outside = [*fences, *found.spans()]
    found.add(_outside(_amounts(text), outside))
    found.add(_outside(_names(text), outside))
    quoted = _outside(_quoted(text), fences)
    return sorted([*found.facts, *quoted], key=lambda fact: (fact.start, -fact.end))


class _Spans:
    """Facts found so far, none of which overlaps another."""

    def __init__(self) -> None:
        self.facts: list[HardFact] = []

    def spans(self) -> list[tuple[int, int]]:
        return sorted((fact.start, fact.end) for fact in self.facts)

    def add(self, new: Iterable[HardFact]) -> None:
        self.facts += list(_outside(new, self.spans()))


def _outside(facts: Iterable[HardFact], spans: list[tuple[int, int]]) -> list[HardFact]:
    """Those facts, given in order of place, that touch none of the spans."""
    free, spans = [], sorted(spans)
    at = 0
    for fact in facts:
        while at < len(spans) and spans[at][1] <= fact.start:
            at += 1
        if at == len(spans) or spans[at][0] >= fact.end:
            free.append(fact)
    return free


def _commands(text: str) -> list[HardFact]:
    found = []
    if "$" in text or ">>>" in text or "PS>" in text:
        found = [_fact("command", text, *hit.span("body")) for hit in _COMMAND_LINE.finditer(text)]
    if "`" in text:
        found += [
            _fact("command", text, *hit.span("body"))
            for hit in _INLINE.finditer(text)
            if _COMMAND.match(hit["body"])
        ]
    return _outside(sorted(found, key=lambda fact: fact.start), [])


def _technical(text: str, fences: list[tuple[int, int]]) -> Iterator[HardFact]:
    for hit in _TECHNICAL.finditer(text):
        kind = next(k for k in ("url", "email", "id", "path", "version") if hit[k])
        end = hit.start() + len(hit[0].rstrip(".,;:!?"))
        if kind == "version":
            number = hit["en"] or hit["zh"] or hit["zv"] or hit["zw"] or hit[0].lstrip("v")
            yield HardFact(kind, hit[0], hit.start(), hit.end(), amounts.version_key(number))
        elif end - hit.start() > 1 and (
            kind in {"url", "path"} or not _within(hit.start(), fences)
        ):
            yield _fact(kind, text, hit.start(), end)


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _fact(kind: str, text: str, start: int, end: int) -> HardFact:
    said = text[start:end].rstrip()
    return HardFact(kind, said, start, start + len(said), f"{kind}:{_folded(said)}")


def _folded(text: str) -> str:
    return _SPACE.sub(" ", narrow(text).strip()).casefold()


def _amounts(text: str) -> Iterator[HardFact]:
    for start, end, kind, key in amounts.amounts(text):
        yield HardFact(kind, text[start:end], start, end, key)


def _names(text: str) -> Iterator[HardFact]:
    for start, end in names.names(text):
        said = text[start:end]
        yield HardFact("name", said, start, end, f"name:{_folded(said)}")


def _quoted(text: str) -> Iterator[HardFact]:
    for hit in _QUOTED.finditer(text):
        yield _fact("quoted", text, *hit.span(hit.lastindex or 0))


def fact_keys(text: str) -> set[str]:
    """The keys of all facts in `text`, and the looser ones that they imply.

    A whole date implies its month and its day of the year, an amount its bare number.
    """
    return {key for fact in hard_facts(text) for key in (fact.key, *amounts.implied(fact.key))}


def missing(facts: list[HardFact], haystack: str) -> list[HardFact]:
    """Those facts that `haystack` holds neither word for word nor in another spelling."""
    if not facts:
        return []
    folded = _folded(haystack)
    left = [fact for fact in facts if not _verbatim(_folded(fact.text), folded)]
    if not left:
        return []
    keys = fact_keys(haystack)
    return [fact for fact in left if fact.key not in keys]


def _verbatim(needle: str, haystack: str) -> bool:
    """Whether the words stand in the haystack on their own, not inside a longer word or number."""
    at = haystack.find(needle)
    while at >= 0:
        before, after = haystack[max(0, at - 2) : at], haystack[at + len(needle) :][:2]
        if not (_joined(before[::-1], needle[:1]) or _joined(after, needle[-1:])):
            return True
        at = haystack.find(needle, at + 1)
    return False


def _joined(beside: str, edge: str) -> bool:
    """Whether what stands beside an edge, read outwards, makes one longer word of it."""
    if not beside or not edge.isascii() or not edge.isalnum():
        return False
    if beside[0].isascii() and (beside[0].isalnum() or beside[0] == "_"):
        return not (edge.isdigit() and beside[0].isalpha()) or beside[0] in "km"
    return edge.isdigit() and beside[0] in ".,:" and beside[1:2].isdigit()
