"""Notes that wait for a person: why they wait, and what a proposal for an own card would do. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory.card import Status
from noctuary.memory.lazy import lazily
from noctuary.memory.receipttext import callouts
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noctuary.memory.card import Card, Receipt

_TARGET, _LINK, _STATUS, _BY = (
    *("proposal-card", "proposal-for", "proposal-status", "proposal-by"),
)
_HEADING = lazily(r"#{1,2} .*")
_FENCE = lazily(r" {0,3}(```|~~~)")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to a card that is a person's own: its receipts are added, its status may change.

    Attributes:
        target: Id of the card.
        link: Wikilink to it.
        status: Its new status; empty when it keeps the one it has.
        by: Wikilink to the card that would take its place.
    """

    target: str
    link: str
    status: str = ""
    by: str = ""

    def as_extra(self) -> dict[str, object]:
        """The keys of the note that holds it."""
        keys = {_TARGET: self.target, _LINK: self.link, _STATUS: self.status, _BY: self.by}
        return {key: value for key, value in keys.items() if value}


def proposal_of(card: Card) -> Proposal | None:
    """The proposal that an inbox note holds; None for a card that waits for itself."""
    words = [str(card.extra.get(key) or "") for key in (_TARGET, _LINK, _STATUS, _BY)]
    return Proposal(*words) if words[0] else None


def why_waiting(card: Card) -> str:
    """Why a note of the inbox needs a person, in one or two sentences."""
    proposal = proposal_of(card)
    if proposal is None:
        return phrase(
            "Nobody but a source of trust “{trust}” said this, and a {type} steers agents. "
            "Approve it to let it in; until then nobody is told.",
            trust=card.trust,
            type=card.type,
        )
    what = phrase("Approve to add the lines below to its evidence")
    if proposal.by:
        what = phrase(
            "{what} and to mark it {status} by {by}",
            what=what,
            status=_status(proposal.status),
            by=proposal.by,
        )
    elif proposal.status:
        what = phrase("{what} and to mark it {status}", what=what, status=_status(proposal.status))
    return phrase(
        "For {link}, a card that you made your own. {what}.", link=proposal.link, what=what
    )


def _status(word: str) -> str:
    return Status(word) if word in list(Status) else word


def with_receipts(text: str, receipts: Sequence[Receipt]) -> str:
    """A card's text with more receipts in its evidence, every other byte as it is."""
    if not receipts:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    block = callouts(receipts).rstrip("\n").replace("\n", newline) + newline
    place = _end_of(text, "## Evidence")
    if place is not None:
        return _inserted(text, place, block, newline)
    later = [
        spot
        for head in ("## Replaced", "## History")
        if (spot := _start_of(text, head)) is not None
    ]
    head = f"## Evidence{newline}"
    return _inserted(text, min(later, default=len(text)), head + block, newline)


def _inserted(text: str, at: int, block: str, newline: str) -> str:
    before, after = text[:at].rstrip("\r\n"), text[at:]
    return before + newline * 2 + block + (newline + after.lstrip("\r\n") if after.strip() else "")


def without_review(text: str) -> str:
    """An inbox note without the section that holds its boxes."""
    start, end = _start_of(text, "## Review"), _end_of(text, "## Review")
    if start is None or end is None:
        return text
    return (
        text[:start].rstrip("\r\n")
        + "\n"
        + ("\n" + text[end:].lstrip("\r\n") if text[end:].strip() else "")
    )


def _start_of(text: str, heading: str) -> int | None:
    return next((at for at, line in _headings(text) if line == heading), None)


def _end_of(text: str, heading: str) -> int | None:
    """Where the section ends: at the next heading, or at the end."""
    inside = False
    for at, line in _headings(text):
        if inside:
            return at
        inside = line == heading
    return len(text) if inside else None


def _headings(text: str) -> Iterator[tuple[int, str]]:
    """Headings of the first two levels outside code, each with where it starts."""
    at, fence = 0, ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
        elif not fence and _HEADING.match(line):
            yield at, line.rstrip()
        at += len(line)
