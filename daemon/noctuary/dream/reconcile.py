"""New lines meet old ones: duplicates strengthen, corrections replace, contradictions are shown.

Pure. The distiller says how two lines relate; the rules here say what may follow from it, so that
nothing less trusted, and nothing at all over a person's own edit, retires what memory holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noctuary.dream.brain import Brain, first_status, is_live
from noctuary.memory.candidate import DISTINCT, Known, Quote, Relation, RelationKind
from noctuary.memory.card import Card, CardType, HistoryLine, Receipt, Status, source_links
from noctuary.memory.report import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noctuary.distil.protocol import Distiller
    from noctuary.dream.gate import Passed

MAX_RECEIPTS = 5
"""Receipts on a card with a statement of its own; more of the same only raise `seen`."""
MAX_LINES = 16
"""Lines on a digest before another one is begun."""
LIFT_AT = 3
"""A wish said this often has become a pattern."""

_RETIRING = frozenset({RelationKind.SUPERSEDES, RelationKind.RETRACTS})


@dataclass(slots=True)
class Reconciler:
    """Takes candidates that passed the gate into a brain, one after the other.

    Attributes:
        may_retire: How many cards of the vault this dream may still supersede (a runaway's brake).
    """

    brain: Brain
    distiller: Distiller
    may_retire: int = 1_000_000
    refused: int = 0

    def take(self, passed: Iterable[Passed]) -> None:
        """Reconcile candidates in order."""
        for item in passed:
            if item.quarantined:
                self._quarantine(item)
            elif item.candidate.closes and self._close_task(item):
                continue
            else:
                self._reconcile(item)

    # -- one candidate ------------------------------------------------------------------------

    def _reconcile(self, item: Passed) -> None:
        fresh: list[tuple[Receipt, Relation]] = []
        for quote, receipt in zip(item.candidate.quotes, item.receipts, strict=True):
            if self.brain.holds(receipt):
                continue
            relation = self._relation(item, quote)
            if relation.kind is RelationKind.DUPLICATE and relation.known is not None:
                self._reinforce(relation.known.card.id, receipt, item)
            else:
                fresh.append((receipt, relation))
        if fresh:
            self._settle(item, fresh)

    def _relation(self, item: Passed, quote: Quote) -> Relation:
        known = self.brain.near(quote.text)
        if not known:
            return DISTINCT
        return self.distiller.relate(quote, item.candidate.type, known)

    def _settle(self, item: Passed, fresh: list[tuple[Receipt, Relation]]) -> None:
        """Give the fresh lines a home, then let them retire or dispute what they speak against."""
        lines = tuple(receipt for receipt, _ in fresh)
        home = self._revive(item, fresh) or self._home_for(item, lines)
        for receipt, relation in fresh:
            if relation.known is None or relation.known.card.id == home.id:
                if relation.known is not None and relation.kind in _RETIRING:
                    home = self._replace_line(relation.known, receipt, home)
            elif relation.kind in _RETIRING:
                home = self._retire(relation, receipt, home, item)
            elif relation.kind is RelationKind.DISPUTES:
                home = self._dispute(relation.known.card.id, home, relation.why)

    def _home_for(self, item: Passed, lines: tuple[Receipt, ...]) -> Card:
        open_digest = self._digest_for(item, lines) if not item.candidate.statement else None
        if open_digest is None:
            return self._create(item, lines)
        evidence = tuple(sorted((*open_digest.evidence, *lines), key=_in_time))
        grown = self.brain.note(
            open_digest.with_evidence(evidence), f"{_lines(len(lines))} added", minor=True
        )
        change = self.brain.change(
            ChangeKind.REVISED, grown, f"{_lines(len(lines))} more on the same topic", lines[0].link
        )
        return self.brain.put(grown, change)

    def _digest_for(self, item: Passed, lines: tuple[Receipt, ...]) -> Card | None:
        """A digest on the same topic that has room and that no person has made their own."""
        topics = set(item.candidate.topics)
        if not topics:
            return None
        seen: dict[str, None] = {}
        for known in self.brain.near(item.candidate.title, limit=12):
            seen.setdefault(known.card.id)
        for card_id in seen:
            card = self.brain.cards[card_id]
            room = len(card.evidence) + len(lines) <= MAX_LINES
            same = card.user == item.candidate.user and card.project == item.candidate.project
            ours = card.is_digest and card.id not in self.brain.by_person and is_live(card)
            if room and same and ours and len(topics & set(card.topics)) >= min(2, len(topics)):
                return card
        return None

    def _create(self, item: Passed, lines: tuple[Receipt, ...]) -> Card:
        candidate, brain = item.candidate, self.brain
        card = Card(
            id=brain.new_id(candidate.type, candidate.title, lines[0]),
            type=candidate.type,
            title=candidate.title,
            statement=candidate.statement,
            importance=candidate.importance,
            confidence=round(candidate.confidence, 2),
            status=first_status(candidate.type, item.quarantined),
            trust=item.trust,
            created=lines[0].at,
            updated=brain.now,
            last_referenced=brain.now.date(),
            evidence=lines if not candidate.statement else lines[:MAX_RECEIPTS],
            history=(HistoryLine(brain.now.date(), f"created by {brain.dream}"),),
            user=candidate.user,
            project=candidate.project,
            source=source_links(lines),
            seen=max(candidate.seen, 1),
            aliases=candidate.aliases,
            tags=(f"memory/{candidate.type}", *(f"topic/{topic}" for topic in candidate.topics)),
            valid_from=candidate.valid_from,
            valid_until=candidate.valid_until,
        )
        kind = ChangeKind.QUARANTINED if item.quarantined else ChangeKind.CREATED
        return brain.put(card, brain.change(kind, card, _why_new(item), lines[0].link))

    # -- what follows from a relation ---------------------------------------------------------

    def _reinforce(self, card_id: str, receipt: Receipt, item: Passed) -> None:
        card = self.brain.cards[card_id]
        if card.id in self.brain.by_person or card.is_digest:
            self.brain.put(replace(card, seen=card.seen + 1, updated=self.brain.now))
            return
        grown = replace(
            card,
            seen=card.seen + max(item.candidate.seen, 1),
            importance=max(card.importance, item.candidate.importance),
        )
        if len(card.evidence) < MAX_RECEIPTS:
            grown = grown.with_evidence((*card.evidence, receipt))
        grown = self._lift(grown)
        change = self.brain.change(
            ChangeKind.REVISED, grown, f"said again, seen {grown.seen} times now", receipt.link
        )
        self.brain.put(self.brain.note(grown, "said again, noted", minor=True), change)

    def _lift(self, card: Card) -> Card:
        """A preference that keeps coming back is a pattern."""
        if card.type is not CardType.PREFERENCE or card.seen < LIFT_AT:
            return card
        tags = tuple(tag for tag in card.tags if not tag.startswith("memory/"))
        return replace(card, type=CardType.PATTERN, tags=(f"memory/{CardType.PATTERN}", *tags))

    def _retire(self, relation: Relation, receipt: Receipt, home: Card, item: Passed) -> Card:
        assert relation.known is not None  # noqa: S101 - callers checked; narrows the type
        old = self.brain.cards[relation.known.card.id]
        protected = old.id in self.brain.by_person or item.trust.rank < old.trust.rank
        if protected or self.may_retire <= 0:
            self.refused += 0 if protected else 1
            why = "a person wrote it" if old.id in self.brain.by_person else "it is better founded"
            return self._dispute(old.id, home, f"{relation.why}; not replaced, since {why}")
        if len(old.evidence) > 1 and old.is_digest:
            return self._replace_line(relation.known, receipt, home)
        self.may_retire -= 1
        return self._supersede(old, home, receipt, relation)

    def _supersede(self, old: Card, home: Card, receipt: Receipt, relation: Relation) -> Card:
        brain, new_link = self.brain, f"[[{self.brain.name_of(home.id)}]]"
        gone = replace(
            old,
            status=Status.SUPERSEDED,
            valid_until=receipt.at.date(),
            superseded_by=tuple(dict.fromkeys((*old.superseded_by, new_link))),
        )
        why = relation.why or f"newer knowledge: {home.title}"
        brain.put(
            brain.note(gone, f"superseded by {new_link}"),
            brain.change(ChangeKind.SUPERSEDED, gone, why, receipt.link),
        )
        link = f"[[{brain.name_of(old.id)}]]"
        return brain.put(
            replace(
                self.brain.cards[home.id],
                supersedes=tuple(dict.fromkeys((*home.supersedes, link))),
                valid_from=home.valid_from or receipt.at.date(),
            )
        )

    def _replace_line(self, known: Known, receipt: Receipt, home: Card) -> Card:
        """Within a digest only the outdated line steps aside."""
        card = self.brain.cards[known.card.id]
        old = next((item for item in card.evidence if item.key == known.receipt.key), None)
        if old is None or card.id in self.brain.by_person:
            return self.brain.cards[home.id]
        stale = replace(old, replaced=receipt.at.date(), replaced_by=receipt.link)
        evidence = tuple(item for item in card.evidence if item.key != old.key)
        revised = replace(card.with_evidence(evidence), replaced=(*card.replaced, stale))
        change = self.brain.change(
            ChangeKind.REVISED, revised, f"“{_short(old.quote)}” is outdated", receipt.link
        )
        self.brain.put(self.brain.note(revised, "a line replaced"), change)
        return self.brain.cards[home.id]

    def _dispute(self, other: str, home: Card, why: str) -> Card:
        """Both stay, marked and linked to each other."""
        brain = self.brain
        for card_id, against in ((other, home.id), (home.id, other)):
            card = brain.cards[card_id]
            if card.is_digest or card.status is Status.DISPUTED:
                continue
            disputed = replace(card, status=Status.DISPUTED)
            link = f"[[{brain.name_of(against)}]]"
            brain.put(
                brain.note(disputed, f"disputed: see {link}, noted"),
                brain.change(ChangeKind.REVISED, disputed, f"disputed: {why}"),
            )
        return brain.cards[home.id]

    def _revive(self, item: Passed, fresh: list[tuple[Receipt, Relation]]) -> Card | None:
        """A→B→A: a superseded card that says this very thing becomes active again."""
        if not item.candidate.statement:
            return None
        retiring = next(
            (rel for _, rel in fresh if rel.kind in _RETIRING and rel.known is not None), None
        )
        if retiring is None or retiring.known is None:
            return None
        old = self._same_said_before(item, retiring.known.card)
        if old is None:
            return None
        receipt = fresh[0][0]
        evidence = (*old.evidence, receipt)[-MAX_RECEIPTS:]
        alive = replace(
            old.with_evidence(evidence),
            status=Status.ACTIVE,
            superseded_by=(),
            valid_from=receipt.at.date(),
            valid_until=None,
            seen=old.seen + 1,
        )
        change = self.brain.change(ChangeKind.REVISED, alive, "true again", receipt.link)
        return self.brain.put(self.brain.note(alive, "true again, noted"), change)

    def _same_said_before(self, item: Passed, current: Card) -> Card | None:
        """The superseded card in the chain behind `current` that the candidate repeats."""
        by_name = {self.brain.name_of(card.id): card for card in self.brain.cards.values()}
        seen: set[str] = set()
        chain = list(current.supersedes)
        while chain:
            name = chain.pop().strip("[]")
            card = by_name.get(name)
            if card is None or card.id in seen:
                continue
            seen.add(card.id)
            if card.evidence and card.status is Status.SUPERSEDED:
                known = [Known(card, receipt) for receipt in card.evidence]
                quote = item.candidate.quotes[0]
                kind = self.distiller.relate(quote, item.candidate.type, known).kind
                if kind is RelationKind.DUPLICATE:
                    return card
            chain.extend(card.supersedes)
        return None

    # -- tasks and quarantine -----------------------------------------------------------------

    def _close_task(self, item: Passed) -> bool:
        """Mark the open task that this speaks of as done; False if there is none."""
        receipt = item.receipts[0]
        if self.brain.holds(receipt):
            return True
        for known in self.brain.near(item.candidate.title + " " + receipt.quote, limit=12):
            card = known.card
            if card.type is CardType.TASK and card.status is Status.OPEN:
                done = replace(card, status=Status.DONE, valid_until=receipt.at.date())
                if card.id not in self.brain.by_person:
                    done = done.with_evidence((*card.evidence, receipt))
                change = self.brain.change(ChangeKind.REVISED, done, "done", receipt.link)
                self.brain.put(self.brain.note(done, "done, noted"), change)
                return True
        return False

    def _quarantine(self, item: Passed) -> None:
        fresh = tuple(receipt for receipt in item.receipts if not self.brain.holds(receipt))
        if fresh:
            self._create(item, fresh)


def _why_new(item: Passed) -> str:
    candidate = item.candidate
    if item.quarantined:
        return f"only {item.trust} said it, and it would steer an agent: a person must admit it"
    if candidate.reason:
        return f"{candidate.type}: {_short(candidate.reason)}"
    if candidate.seen > 1:
        return f"{candidate.type}, said {candidate.seen} times"
    if not candidate.statement:
        return f"{_lines(len(item.receipts))} worth keeping"
    return f"{candidate.type} of importance {candidate.importance}"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _short(text: str, limit: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _in_time(receipt: Receipt) -> tuple[object, str]:
    return (receipt.at, receipt.entry)
