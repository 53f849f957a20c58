"""Receipts as callouts of a card, and back.

Neighbours of one episode, role and day share a callout, a line each, where the time is the link;
where several people speak, their names stand beside the time. More words of the same turn follow
on a line that begins with `… `. A receipt alone, or with a quote of several lines, has a callout
of its own.
"""

from __future__ import annotations

from datetime import date, datetime, time
from itertools import groupby
from typing import TYPE_CHECKING

from noctuary.memory.card import Receipt
from noctuary.memory.entry import Role, hand_id, turn_link
from noctuary.memory.inline import DOT, decode, encode
from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

GOES_ON = "…"

# ---------------------------------------------------------------- writing


def callouts(receipts: Iterable[Receipt]) -> str:
    """The callouts of these receipts, in order, a blank line between them."""
    blocks = []
    for _, run in groupby(receipts, key=_sharing):
        together = list(run)
        blocks.append(_shared(together) if len(together) > 1 else _single(together[0]))
    return "\n".join(blocks)


def _sharing(receipt: Receipt) -> tuple[object, ...]:
    """Equal for neighbours that can share a callout."""
    if "\n" in receipt.quote:
        return (id(receipt),)
    return (receipt.episode, receipt.role, receipt.at.date())


def _shared(receipts: Sequence[Receipt]) -> str:
    first = receipts[0]
    alone = len({one.speaker for one in receipts}) == 1
    speaker = first.speaker if alone else ""
    lines = [_head(first.role, speaker, first.at.date().isoformat(), f"[[{first.episode}]]")]
    turn: tuple[object, ...] = ()
    for one in receipts:
        before, turn = turn, (one.entry, one.at, one.speaker)
        lead = GOES_ON if turn == before else _lead(one, named=not alone)
        lines.append(f"> {lead} {one.quote}{_notes(one)}\n")
    return "".join(lines)


def _lead(receipt: Receipt, *, named: bool) -> str:
    name = f" {encode(receipt.speaker)}" if named and receipt.speaker else ""
    return turn_link(receipt.episode, receipt.entry, _clock(receipt.at) + name)


def _single(receipt: Receipt) -> str:
    stamp = f"{receipt.at.date().isoformat()} {receipt.at.strftime('%H:%M:%S')}"
    text = receipt.quote + _notes(receipt)
    body = "".join(f"> {line}\n" if line else ">\n" for line in text.split("\n"))
    return _head(receipt.role, receipt.speaker, stamp, receipt.link) + body


def _head(role: Role, speaker: str, stamp: str, link: str) -> str:
    who = f" {encode(speaker)}" if speaker else ""
    return f"> [!quote] {role}{who}{DOT}{stamp}{DOT}{link}\n"


def _clock(at: datetime) -> str:
    return at.strftime("%H:%M:%S" if at.second else "%H:%M")


def _notes(receipt: Receipt) -> str:
    """What stands behind the quote in double brackets; an empty pair guards a quote that ends so."""
    parts = []
    if receipt.gloss or receipt.quote.endswith("⟧"):
        parts.append(f" ⟦{_bracketless(receipt.gloss)}⟧")
    if receipt.entry.startswith("h") and receipt.entry != hand_id(receipt.quote):
        parts.append(f" ⟦{receipt.entry}⟧")
    if receipt.disputed is not None:
        against = _bracketless(receipt.disputed_by)
        parts.append(f" ⟦disputed {receipt.disputed.isoformat()}, see {against}⟧")
    if receipt.replaced is not None:
        by = f", by {_bracketless(receipt.replaced_by)}" if receipt.replaced_by else ""
        parts.append(f" ⟦until {receipt.replaced.isoformat()}{by}⟧")
    return "".join(parts)


def _bracketless(text: str) -> str:
    return " ".join(text.split()).replace("⟦", "[").replace("⟧", "]")


# ---------------------------------------------------------------- reading

_HEAD = lazily(
    r"> \[!quote\][-+]? (?P<role>\w+)(?: (?P<speaker>[^·]+?))?"
    rf"{DOT}(?P<day>\d{{4}}-\d\d-\d\d)(?: (?P<time>\d\d:\d\d(?::\d\d)?))?"
    rf"{DOT}\[\[(?P<episode>[^\]#|]+)(?:#\^(?P<entry>\w+))?[^\]]*\]\]\s*"
)
_LINE = lazily(
    r"\[\[(?P<episode>[^\]#|]+)(?:#\^(?P<entry>\w+))?"
    r"\|(?P<time>\d\d:\d\d(?::\d\d)?)(?: (?P<name>[^\]]+))?\]\] ?"
)
_NOTE = lazily(r" ⟦([^⟦⟧]*)⟧$")
_UNTIL = lazily(r"until (\d{4}-\d\d-\d\d)(?:, by (.*))?")
_DISPUTED = lazily(r"disputed (\d{4}-\d\d-\d\d), see (.*)")
_HAND = lazily(r"h[0-9a-f]{10}")


def read_callouts(lines: Sequence[str]) -> Iterator[Receipt]:
    """The receipts among these lines; what is no receipt is passed over."""
    at = 0
    while at < len(lines):
        head = _HEAD.fullmatch(lines[at]) if lines[at].startswith("> [!quote]") else None
        at += 1
        if head is None:
            continue
        start = at
        while at < len(lines) and lines[at].startswith(">"):
            at += 1
        body = [line[2:] if line.startswith("> ") else line[1:] for line in lines[start:at]]
        yield from _receipts(head, body)


def _receipts(head: re.Match[str], body: Sequence[str]) -> Iterator[Receipt]:
    try:
        role, day = Role(head["role"]), date.fromisoformat(head["day"])
        if head["time"]:
            at = _moment(day, head["time"])
            yield _receipt(role, head["speaker"], at, head, "\n".join(body))
            return
        yield from _lines(role, head, day, body)
    except ValueError:
        return


def _lines(role: Role, head: re.Match[str], day: date, body: Sequence[str]) -> Iterator[Receipt]:
    turn: re.Match[str] | None = None
    for line in body:
        match = _LINE.match(line)
        turn = match or turn
        text = line[match.end() :] if match else line.removeprefix(f"{GOES_ON} ")
        if turn is not None and (match or text != line):
            at = _moment(day, turn["time"])
            yield _receipt(role, head["speaker"] or turn["name"], at, turn, text)


def _moment(day: date, clock: str) -> datetime:
    return datetime.combine(day, time.fromisoformat(clock))


def _receipt(
    role: Role, speaker: str | None, at: datetime, link: re.Match[str], text: str
) -> Receipt:
    quote, replaced, by = _take_until(text)
    quote, disputed, against = _take_disputed(quote)
    quote, hand = _take_hand(quote)
    quote, gloss = _take_note(quote)
    return Receipt(
        episode=link["episode"],
        entry=link["entry"] or hand or hand_id(quote),
        role=role,
        at=at,
        quote=quote,
        speaker=decode(speaker or ""),
        gloss=gloss,
        replaced=replaced,
        replaced_by=by,
        disputed=disputed,
        disputed_by=against,
    )


def _take_until(text: str) -> tuple[str, date | None, str]:
    note = _NOTE.search(text) if text.endswith("⟧") else None
    until = _UNTIL.fullmatch(note[1]) if note else None
    if note is None or until is None:
        return text, None, ""
    return text[: note.start()], date.fromisoformat(until[1]), until[2] or ""


def _take_disputed(text: str) -> tuple[str, date | None, str]:
    note = _NOTE.search(text) if text.endswith("⟧") else None
    found = _DISPUTED.fullmatch(note[1]) if note else None
    if note is None or found is None:
        return text, None, ""
    return text[: note.start()], date.fromisoformat(found[1]), found[2]


def _take_hand(text: str) -> tuple[str, str]:
    note = _NOTE.search(text) if text.endswith("⟧") else None
    if note is None or not _HAND.fullmatch(note[1]):
        return text, ""
    return text[: note.start()], note[1]


def _take_note(text: str) -> tuple[str, str]:
    note = _NOTE.search(text) if text.endswith("⟧") else None
    return (text, "") if note is None else (text[: note.start()], note[1])
