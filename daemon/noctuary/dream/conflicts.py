"""What follows when a new line speaks against an old one: one steps aside, or both are marked.

Pure. Nothing less trusted, and nothing at all over a person's own edit, retires what memory holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noctuary.dream.gate import tidy_title
from noctuary.dream.proposals import propose
from noctuary.memory.candidate import Known, Quote
from noctuary.memory.card import Card, Status
from noctuary.memory.dates import gloss_line, resolved
from noctuary.memory.entry import Entry, trust_of
from noctuary.memory.report import ChangeKind
from noctuary.memory.sentences import short
from noctuary.memory.tokens import content_tokens
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.dream.brain import Brain
    from noctuary.memory.candidate import Rest
    from noctuary.memory.card import Receipt


@dataclass(slots=True)
class Conflicts:
    """Settles conflicts between lines of one brain.

    Attributes:
        may_retire: How many cards of the vault may still be superseded (a runaway's brake);
            cards that this very dream made do not count.
        refused: How many more would have been.
    """

    brain: Brain
    may_retire: int = 1_000_000
    refused: int = 0

    def retire(self, old: Known, new: Known, why: str, rest: tuple[Rest, ...] = ()) -> bool:
        """Let the old line step aside for the new one, but for the rest of it that still holds.

        False if it stays, disputed.
        """
        card = self.brain.cards[old.card.id]
        refusal = self._protection(old, new)
        if refusal:
            self.dispute(
                old, new, phrase("{why}; not replaced, since {refusal}", why=why, refusal=refusal)
            )
            if card.id in self.brain.by_person:
                propose(self.brain, card, new.receipt, by=self.brain.cards[new.card.id])
            return False
        if rest or card.id == new.card.id or _has_more(card, old.receipt):
            self._replace_line(old, new, rest)
        else:
            self.may_retire -= card.id in self.brain.from_vault
            self._supersede(card, new, why)
        return True

    def _protection(self, old: Known, new: Known) -> str:
        if old.card.id in self.brain.by_person:
            return phrase("a person wrote it")
        if trust_of(new.receipt.role).rank < trust_of(old.receipt.role).rank:
            return phrase("it is better founded")
        if self.may_retire <= 0 and old.card.id in self.brain.from_vault:
            self.refused += 1
            return phrase("so many at once look like a mistake")
        return ""

    def _supersede(self, old: Card, new: Known, why: str) -> None:
        """The heir answers the questions of the old card, so what it was asked for passes to it."""
        brain = self.brain
        home = brain.cards[new.card.id]
        new_link, old_link = (f"[[{brain.name_of(card.id)}]]" for card in (home, old))
        day = new.receipt.at.date()
        gone = replace(
            old,
            status=Status.SUPERSEDED,
            valid_until=day,
            superseded_by=tuple(dict.fromkeys((*old.superseded_by, new_link))),
            references=0,
        )
        brain.put(
            brain.note(gone, phrase("superseded by {link}", link=new_link)),
            brain.change(
                ChangeKind.SUPERSEDED,
                gone,
                why or phrase("newer knowledge: {title}", title=home.title),
                new.receipt.link,
            ),
        )
        supersedes = tuple(dict.fromkeys((*home.supersedes, old_link)))
        brain.put(
            replace(
                home,
                supersedes=supersedes,
                valid_from=home.valid_from or day,
                references=home.references + old.references,
                last_referenced=max(home.last_referenced, old.last_referenced),
            )
        )

    def _replace_line(self, old: Known, new: Known, rest: tuple[Rest, ...]) -> None:
        """Only the outdated line steps aside; what still holds of it stays in its place."""
        card = self.brain.cards[old.card.id]
        if all(item.key != old.receipt.key for item in card.evidence):
            return
        stale = replace(old.receipt, replaced=new.receipt.at.date(), replaced_by=new.receipt.link)
        kept = tuple(_part(old.receipt, part) for part in rest)
        evidence = tuple(
            one for item in card.evidence for one in (kept if item.key == stale.key else (item,))
        )
        revised = replace(card.with_evidence(evidence), replaced=(*card.replaced, stale))
        if not card.is_digest and kept:
            revised = replace(
                revised, title=tidy_title(_raised(rest[0].text)), statement=_told(kept)
            )
        elif evidence and set(content_tokens(card.title)) <= set(content_tokens(stale.quote)):
            revised = replace(revised, title=tidy_title(evidence[0].quote))
        what = f"“{short(stale.quote)}”"
        why = (
            phrase("only this still holds of {what}", what=what)
            if kept
            else phrase("{what} is outdated", what=what)
        )
        change = self.brain.change(ChangeKind.REVISED, revised, why, new.receipt.link)
        self.brain.put(self.brain.note(revised, phrase("a line replaced")), change)

    def dispute(self, one: Known, other: Known, why: str) -> None:
        """Both stay, marked and linked to each other."""
        brain = self.brain
        for mine, theirs in ((one, other), (other, one)):
            card = brain.cards[mine.card.id]
            a_persons = card.id in brain.by_person
            if card.status is Status.DISPUTED and (a_persons or _is_marked(card, mine.receipt)):
                continue
            theirs_link = f"[[{brain.name_of(theirs.card.id)}]]"
            disputed = replace(
                card,
                status=Status.DISPUTED,
                supersedes=tuple(link for link in card.supersedes if link != theirs_link),
            )
            if not a_persons:
                disputed = replace(disputed, evidence=_marked(card, mine.receipt, theirs.receipt))
            against = phrase("disputed: see {link}, noted", link=theirs_link)
            if card.is_digest:
                said, denied = short(mine.receipt.quote), short(theirs.receipt.quote)
                against = phrase(
                    "disputed: “{said}” against “{denied}”, noted", said=said, denied=denied
                )
            brain.put(
                brain.note(disputed, against),
                brain.change(ChangeKind.REVISED, disputed, phrase("disputed: {why}", why=why)),
            )


def _is_marked(card: Card, line: Receipt) -> bool:
    return any(one.key == line.key and one.disputed for one in card.evidence)


def _marked(card: Card, line: Receipt, against: Receipt) -> tuple[Receipt, ...]:
    """The card's lines, the one that something speaks against marked."""
    mark = replace(line, disputed=against.at.date(), disputed_by=against.link)
    return tuple(mark if one.key == line.key else one for one in card.evidence)


def settled(card: Card) -> Card:
    """The card with nothing that speaks against it any more."""
    lines = tuple(replace(one, disputed=None, disputed_by="") for one in card.evidence)
    return replace(card, status=Status.ACTIVE, evidence=lines)


def _has_more(card: Card, line: Receipt) -> bool:
    """Whether a card says something besides this line.

    A digest does with every other line; the lines of a statement say the same, unless one is
    what was kept of a line that fell.
    """
    others = [one for one in card.evidence if one.key != line.key]
    return any(card.is_digest or _is_part(one, card.replaced) for one in others)


def _is_part(receipt: Receipt, fallen: tuple[Receipt, ...]) -> bool:
    return any(one.entry == receipt.entry and receipt.quote in one.quote for one in fallen)


def _part(receipt: Receipt, rest: Rest) -> Receipt:
    """The receipt for a part of its quote."""
    about = [rest.about] if rest.about else []
    meaning = gloss_line(rest.text, receipt.at)
    return replace(receipt, quote=rest.text, gloss="; ".join([*about, *filter(None, [meaning])]))


def _told(parts: tuple[Receipt, ...]) -> str:
    """A statement made of the parts that still hold."""
    return "\n".join(_raised(_resolved(part)) for part in parts)


def _resolved(part: Receipt) -> str:
    """The words of a part with the meaning of each date, and whom it speaks of behind them."""
    about = part.gloss.removesuffix(gloss_line(part.quote, part.at)).rstrip("; ")
    return resolved(part.quote, part.at) + (f" [{about}]" if about else "")


def _raised(text: str) -> str:
    return text[:1].upper() + text[1:]


def as_quote(receipt: Receipt, card: Card) -> Quote:
    """The receipt as words of an entry again, as far as they are known."""
    entry = Entry(
        id=receipt.entry,
        role=receipt.role,
        at=receipt.at,
        text=receipt.quote,
        user=receipt.speaker,
        episode=receipt.episode,
        project=card.project,
    )
    return Quote(entry, receipt.quote)
