"""Cards as Markdown, and back.

Pure. Reading forgives what a person may change by hand (order, extra keys, prose and sections);
it insists on id, type, importance and dates, since everything else rests on them.
"""

from __future__ import annotations

from datetime import date, datetime, time
from typing import TYPE_CHECKING, TypeVar

from noctuary.memory.card import Card, CardType, HistoryLine, Origin, Status
from noctuary.memory.document import read
from noctuary.memory.entry import Trust
from noctuary.memory.lazy import lazily
from noctuary.memory.receipttext import callouts, read_callouts
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from enum import StrEnum

    Kind = TypeVar("Kind", bound=StrEnum)


class BadCard(Exception):
    """A card's file cannot be read as a card; the message names the key and what to do."""


# ---------------------------------------------------------------- writing


def card_meta(card: Card) -> dict[str, object]:
    """The card's frontmatter in the order in which it is written; empty optional keys left out."""
    always: dict[str, object] = {
        "id": card.id,
        "type": str(card.type),
        "importance": card.importance,
        "confidence": card.confidence,
        "status": str(card.status),
        "trust": str(card.trust),
    }
    return always | _owners(card) | _life(card) | _labels(card) | card.extra


def _owners(card: Card) -> dict[str, object]:
    words = {"user": card.user, "project": card.project}
    lists = {"supersedes": card.supersedes, "superseded-by": card.superseded_by}
    meta: dict[str, object] = {key: word for key, word in words.items() if word}
    meta["source"] = list(card.source)
    return meta | {key: list(links) for key, links in lists.items() if links}


def _life(card: Card) -> dict[str, object]:
    meta: dict[str, object] = {}
    if card.valid_from is not None:
        meta["valid-from"] = card.valid_from.isoformat()
    if card.valid_until is not None:
        meta["valid-until"] = card.valid_until.isoformat()
    meta["created"] = card.created.isoformat(timespec="seconds")
    meta["updated"] = card.updated.isoformat(timespec="seconds")
    meta["last-referenced"] = card.last_referenced.isoformat()
    return meta


def _labels(card: Card) -> dict[str, object]:
    meta: dict[str, object] = {
        "references": card.references,
        "seen": card.seen,
        "origin": str(card.origin),
    }
    lists = {"aliases": card.aliases, "tags": card.tags}
    return meta | {key: list(words) for key, words in lists.items() if words}


def title_line(card: Card) -> str:
    """The title in one line, without `# `."""
    return " ".join(card.title.split())


def statement_block(card: Card) -> str:
    """The statement; a line of it that would read as one of our headings is escaped."""
    lines = card.statement.strip("\n").split("\n")
    return "\n".join(f"\\{line}" if _SECTION_OR_ESCAPED.fullmatch(line) else line for line in lines)


def evidence_block(card: Card) -> str:
    """The section of receipts that hold, empty without any."""
    return _section("Evidence", callouts(card.evidence))


def replaced_block(card: Card) -> str:
    """The section of receipts that newer knowledge took the place of, empty without any."""
    return _section("Replaced", callouts(card.replaced))


def history_block(card: Card) -> str:
    """The section of dated lines about what was done to the card, empty without any."""
    lines = (f"- {line.on.isoformat()} {' '.join(line.text.split())}\n" for line in card.history)
    return _section("History", "".join(lines))


def _section(title: str, body: str) -> str:
    return f"## {title}\n{body}" if body else ""


# ---------------------------------------------------------------- reading

_SECTION = lazily(r"## (Evidence|Replaced|History|Review)[ \t]*")
_SECTION_OR_ESCAPED = lazily(r"\\*## (Evidence|Replaced|History|Review)[ \t]*")
_OTHER_SECTION = lazily(r"#{1,2} .*")
_HISTORY = lazily(r"[-*] (\d{4}-\d\d-\d\d) (.*)")
_KNOWN = frozenset(
    [
        "id",
        "type",
        "importance",
        "confidence",
        "status",
        "trust",
        "user",
        "project",
        "source",
        "supersedes",
        "superseded-by",
        "valid-from",
        "valid-until",
        "created",
        "updated",
        "last-referenced",
        "references",
        "seen",
        "origin",
        "aliases",
        "tags",
    ]
)


def parse_card(text: str, name: str) -> Card:
    """Read a card's file; `name` stands in for a missing title. Raises BadCard."""
    document = read(text)
    if document.problem:
        raise BadCard(document.problem)
    if not document.meta:
        raise BadCard(
            phrase("The card has no frontmatter: give it at least id, type and importance.")
        )
    converted = text.lstrip("\ufeff").startswith("---\r\n")
    body = document.body.replace("\r\n", "\n") if converted else document.body
    parts = _parts(body.split("\n"))
    return _card(_Keys(document.meta), parts, name)


def _card(keys: _Keys, parts: dict[str, list[str]], name: str) -> Card:
    type_ = keys.kind("type", CardType)
    created, updated, referenced = _moments(keys)
    return Card(
        id=keys.needed_word("id"),
        type=type_,
        title="".join(parts["title"]) or name,
        statement=_statement(parts["statement"]),
        importance=keys.importance(),
        confidence=keys.confidence(),
        status=keys.kind("status", Status, Status.OPEN if _is_task(type_) else Status.ACTIVE),
        trust=keys.kind("trust", Trust, Trust.USER),
        created=created,
        updated=updated,
        last_referenced=referenced,
        evidence=tuple(read_callouts(parts["Evidence"])),
        replaced=tuple(read_callouts(parts["Replaced"])),
        history=tuple(_history(parts["History"])),
        user=keys.word("user"),
        project=keys.word("project"),
        source=keys.words("source"),
        references=keys.count("references", 0),
        seen=keys.count("seen", 1),
        origin=keys.kind("origin", Origin, Origin.HUMAN),
        aliases=keys.words("aliases"),
        tags=tuple(tag.removeprefix("#") for tag in keys.words("tags")),
        supersedes=keys.words("supersedes"),
        superseded_by=keys.words("superseded-by"),
        valid_from=keys.day("valid-from"),
        valid_until=keys.day("valid-until"),
        extra=keys.extra(),
    )


def _is_task(type_: CardType) -> bool:
    return type_ is CardType.TASK


def _moments(keys: _Keys) -> tuple[datetime, datetime, date]:
    """Created, updated, last referenced; each may stand in for the others."""
    created, updated = keys.moment("created"), keys.moment("updated")
    referenced = keys.day("last-referenced")
    known = created or updated or (datetime.combine(referenced, time()) if referenced else None)
    if known is None:
        raise BadCard(phrase("The card has no `created`: add a line like `created: 2026-11-30`."))
    return created or known, updated or known, referenced or (updated or known).date()


def _parts(lines: Sequence[str]) -> dict[str, list[str]]:
    """Lines by section; `statement` is all between the title and the first known section."""
    parts: dict[str, list[str]] = {
        "title": [],
        "statement": [],
        "Evidence": [],
        "Replaced": [],
        "History": [],
        "Review": [],
        "": [],
    }
    current, fence = "statement", ""
    for line in lines:
        fence = _fence_after(line, fence)
        section = None if fence else _SECTION.fullmatch(line)
        if section is not None:
            current = section[1]
        elif current == "statement" and not parts["title"] and not fence and _is_title(line):
            parts["title"].append(line[2:].strip())
        elif current != "statement" and not fence and _OTHER_SECTION.fullmatch(line):
            current = ""
        else:
            parts[current].append(line)
    return parts


def _is_title(line: str) -> bool:
    return line.startswith("# ") and bool(line[2:].strip())


def _fence_after(line: str, fence: str) -> str:
    """The code fence that is open behind this line, empty if none."""
    mark = line.lstrip(" ")[:3]
    if mark not in ("```", "~~~"):
        return fence
    if not fence:
        return mark
    return "" if mark == fence and not line.strip(" \t" + mark[0]) else fence


def _statement(lines: Sequence[str]) -> str:
    shown = (
        line[1:] if line.startswith("\\") and _SECTION_OR_ESCAPED.fullmatch(line) else line
        for line in lines
    )
    return "\n".join(shown).strip("\n")


def _history(lines: Sequence[str]) -> Iterator[HistoryLine]:
    for line in lines:
        match = _HISTORY.fullmatch(line.rstrip())
        if match is not None and (on := _day(match[1])) is not None:
            yield HistoryLine(on, match[2])


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


class _Keys:
    """The frontmatter of a card, each key taken as what it must be. Raises BadCard."""

    def __init__(self, meta: Mapping[str, object]) -> None:
        self._meta = meta

    def extra(self) -> dict[str, object]:
        return {key: value for key, value in self._meta.items() if key not in _KNOWN}

    def word(self, key: str) -> str:
        value = self._meta.get(key)
        if value is None:
            return ""
        if isinstance(value, (list, dict)):
            raise BadCard(phrase("`{key}` is a list: give it one value.", key=key))
        return str(value)

    def needed_word(self, key: str) -> str:
        word = self.word(key)
        if not word:
            raise BadCard(
                phrase("The card has no `{key}`: add a line like `{key}: c7k2m9`.", key=key)
            )
        return word

    def words(self, key: str) -> tuple[str, ...]:
        value = self._meta.get(key)
        if value is None or value == "":
            return ()
        items = value if isinstance(value, list) else [value]
        return tuple(_link_or_word(item) for item in items if item is not None)

    def kind(self, key: str, kind: type[Kind], default: Kind | None = None) -> Kind:
        value = self._meta.get(key)
        if value is None and default is not None:
            return default
        try:
            return kind(str(value))
        except ValueError:
            known = ", ".join(kind)
            raise BadCard(
                phrase(
                    "`{key}` is {value!r}: make it one of {known}.",
                    key=key,
                    value=value,
                    known=known,
                )
            ) from None

    def importance(self) -> int:
        value = self._meta.get("importance")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BadCard(
                phrase("`importance` is {value!r}: make it a number from 1 to 5.", value=value)
            )
        if value not in (1, 2, 3, 4, 5):
            raise BadCard(
                phrase("`importance` is {value}: make it a number from 1 to 5.", value=value)
            )
        return int(value)

    def confidence(self) -> float:
        value = self._meta.get("confidence")
        value = 1 if value is None else value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise BadCard(
                phrase("`confidence` is {value!r}: make it a number from 0 to 1.", value=value)
            )
        return float(value)

    def count(self, key: str, default: int) -> int:
        value = self._meta.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            return default
        return value

    def moment(self, key: str) -> datetime | None:
        value = self._meta.get(key)
        if value is None:
            return None
        try:
            return datetime.fromisoformat(str(value)).replace(tzinfo=None)
        except ValueError:
            example = "2026-11-30T14:02:11"
            raise BadCard(
                phrase(
                    "`{key}` is {value!r}: write it like {example}.",
                    key=key,
                    value=value,
                    example=example,
                )
            ) from None

    def day(self, key: str) -> date | None:
        value = self._meta.get(key)
        if value is None:
            return None
        day = _day(str(value))
        if day is None:
            raise BadCard(
                phrase("`{key}` is {value!r}: write it like 2026-11-30.", key=key, value=value)
            )
        return day


def _link_or_word(item: object) -> str:
    """A list item as a word; a wikilink that was left unquoted is a list in a list to YAML."""
    if isinstance(item, list) and len(item) == 1 and isinstance(item[0], list):
        item = item[0]
        return f"[[{', '.join(map(str, item))}]]"
    if isinstance(item, list) and len(item) == 1:
        return f"[[{item[0]}]]"
    return str(item)
