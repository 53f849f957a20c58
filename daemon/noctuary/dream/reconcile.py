"""New lines meet old ones: duplicates strengthen, corrections replace, contradictions are shown.

Pure. The distiller says how two lines relate; the rules here say what may follow from it, so that
nothing less trusted, and nothing at all over a person's own edit, retires what memory holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noctuary.distil.protocol import Batching
from noctuary.dream.brain import CREATED, first_status, is_live, same_kind
from noctuary.dream.conflicts import Conflicts, as_quote, settled
from noctuary.dream.heirs import heir, lead_of, renamed, replaced_card, told_apart, weighed
from noctuary.dream.proposals import propose
from noctuary.dream.returning import MAX_RECEIPTS, revived
from noctuary.dream.scope import in_scope
from noctuary.dream.tasks import close_named
from noctuary.dream.telling import lines_added, why_again, why_new
from noctuary.memory.candidate import DISTINCT, Known, Quote, Relation, RelationKind
from noctuary.memory.card import Card, CardType, HistoryLine, Receipt, Status, source_links
from noctuary.memory.report import ChangeKind
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noctuary.distil.protocol import Distiller
    from noctuary.dream.brain import Brain
    from noctuary.dream.gate import Passed

MAX_LINES = 40
"""Lines on a digest before another one is begun."""
LIFT_AT = 5
"""A wish said this often has become a pattern."""

_RETIRING = frozenset({RelationKind.SUPERSEDES, RelationKind.RETRACTS})
_ACTING = _RETIRING | {RelationKind.DISPUTES, RelationKind.OUTDATED}
_NEAR = 8
"""So many of the nearest lines are compared with a new one."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A quote that memory does not hold yet, and how it stands to what memory holds."""

    quote: Quote
    receipt: Receipt
    relation: Relation

    @property
    def refines(self) -> Known | None:
        """The line that this later one says in full."""
        known = self.relation.known
        if self.relation.kind is not RelationKind.REFINES or known is None:
            return None
        return known if known.receipt.at <= self.receipt.at else None


class Reconciler:
    """Takes candidates that passed the gate into a brain, one after the other."""

    def __init__(self, brain: Brain, distiller: Distiller, may_retire: int = 1_000_000) -> None:
        """`may_retire` bounds how many cards of the vault are superseded, see `Conflicts`."""
        self.brain = brain
        self.distiller = distiller
        self.conflicts = Conflicts(brain, may_retire)

    def foresee(self, passed: Iterable[Passed]) -> None:
        """Let a distiller to whom single questions are dear think about all of them at once."""
        if isinstance(self.distiller, Batching):
            self.distiller.foresee(
                [
                    (quote, item.candidate.type, near)
                    for item in passed
                    for quote, receipt in zip(item.candidate.quotes, item.receipts, strict=True)
                    if not item.quarantined and not self.brain.holds(receipt)
                    if (near := self._near(item, quote.text))
                ]
            )

    def take(self, passed: Iterable[Passed]) -> None:
        """Reconcile candidates in order."""
        for item in passed:
            if item.quarantined:
                self._quarantine(item)
            elif item.candidate.closes and close_named(self.conflicts, self.distiller, item):
                continue
            else:
                self._reconcile(item)

    # -- one candidate ------------------------------------------------------------------------

    def _reconcile(self, item: Passed) -> None:
        fresh: list[_Line] = []
        shares = _shares(item)
        for quote, receipt, times in zip(item.candidate.quotes, item.receipts, shares, strict=True):
            if self.brain.holds(receipt):
                self._repeat(item, quote, receipt)
                continue
            relation = self._relation(item, quote)
            if relation.kind is RelationKind.DUPLICATE and relation.known is not None:
                self._reinforce(relation.known.card.id, receipt, item, times)
                self._decide(item, _Line(quote, receipt, relation), relation.known.card.id)
            else:
                fresh.append(_Line(quote, receipt, relation))
        for line in list(fresh):
            old = replaced_card(line.relation)
            alone = heir(item, line.quote, line.receipt, old, self.distiller.title) if old else None
            if alone is not None:
                fresh.remove(line)
                self._settle(alone, [line])
        if fresh:
            left = [line.quote for line in fresh]
            self._settle(renamed(item, left, self.distiller.title), fresh)

    def _repeat(self, item: Passed, quote: Quote, receipt: Receipt) -> None:
        """A line that is dreamt again speaks against what it did not reach the first time.

        That is what a person edited while the dream was thinking.
        """
        home = self.brain.home_of(receipt)
        if home is None:
            return
        others = [
            known
            for known in self._near(item, quote.text)
            if known.card.id != home.id and known.receipt.at < receipt.at
        ]
        relation = self._relate(quote, item.candidate.type, others)
        if relation.kind in _RETIRING:
            self._assert(item, _Line(quote, receipt, relation), home.id)

    def _near(self, item: Passed, text: str) -> list[Known]:
        found = self.brain.near(text, limit=2 * _NEAR, topics=item.candidate.topics)
        return [known for known in found if in_scope(item.candidate, known.card)][:_NEAR]

    def _relation(self, item: Passed, quote: Quote) -> Relation:
        return self._relate(quote, item.candidate.type, self._near(item, quote.text))

    def _relate(self, quote: Quote, type_: CardType, known: list[Known]) -> Relation:
        """The relation to these lines; words that say a task is done stand for themselves beside it."""
        waiting = [line for line in known if line.card.status is Status.OPEN]
        done = self.distiller.finished(quote, waiting) if waiting else ()
        known = [line for line in known if line not in done]
        if not known:
            return DISTINCT
        found = self.distiller.relate(quote, type_, known)
        # Nothing is retired by what was said before it.
        late = found.known is not None and found.known.receipt.at > quote.entry.at
        if late and found.kind in _RETIRING:
            earlier = [line for line in known if line.receipt.at <= quote.entry.at]
            return self._relate(quote, type_, earlier)
        return found

    def _settle(self, item: Passed, fresh: list[_Line]) -> None:
        """Give the fresh lines a home, then let them retire or dispute what they speak against."""
        lines = tuple(line.receipt for line in fresh)
        replaced = next(filter(None, (replaced_card(line.relation) for line in fresh)), None)
        if replaced is not None and item.candidate.statement:
            item = weighed(item, replaced)
        home = self._revive(item, fresh) or self._refine(item, fresh) or self._home_for(item, lines)
        for line in fresh:
            self._assert(item, line, home.id)
            self._yield(item, line, home.id)

    def _assert(self, item: Passed, line: _Line, home: str) -> None:
        """Everything that the line speaks against steps aside, one after the other."""
        relation = line.relation
        if relation.kind not in _ACTING:
            relation = self._relation_inside(item, line, home)
        for _ in range(_NEAR):
            if relation.known is None or relation.kind not in _ACTING:
                return
            new = Known(self.brain.cards[home], line.receipt)
            if relation.kind is RelationKind.OUTDATED:
                self.conflicts.retire(new, relation.known, relation.why, relation.rest)
                return
            if relation.kind is RelationKind.DISPUTES:
                self.conflicts.dispute(relation.known, new, relation.why)
                return
            if not self.conflicts.retire(relation.known, new, relation.why, relation.rest):
                return
            others = [
                known
                for known in self._near(item, line.quote.text)
                if known.receipt.key != line.receipt.key
            ]
            relation = self._relate(line.quote, item.candidate.type, others)

    def _decide(self, item: Passed, line: _Line, card_id: str) -> None:
        """What is said again wins its dispute: the lines against it step aside."""
        if self.brain.cards[card_id].status is not Status.DISPUTED:
            return
        against = [known for known in self._near(item, line.quote.text) if known.card.id != card_id]
        relation = self._relate(line.quote, item.candidate.type, against)
        if relation.known is None or relation.kind not in _RETIRING:
            return
        mine = Known(self.brain.cards[card_id], line.receipt)
        if self.conflicts.retire(relation.known, mine, relation.why, relation.rest):
            decided = settled(self.brain.cards[card_id])
            self.brain.put(self.brain.note(decided, phrase("dispute decided, noted")))

    def _relation_inside(self, item: Passed, line: _Line, home: str) -> Relation:
        """How a line of a digest stands to the lines that came to the same digest with it."""
        card = self.brain.cards[home]
        if not card.is_digest or len(card.evidence) == 1:
            return DISTINCT
        beside = [
            known
            for known in self._near(item, line.quote.text)
            if known.card.id == home
            and known.receipt.key != line.receipt.key
            and known.receipt.at <= line.receipt.at
        ]
        return self._relate(line.quote, item.candidate.type, beside)

    def _yield(self, item: Passed, line: _Line, home: str) -> None:
        """What comes late steps aside at once for what memory knows that is newer."""
        for known in self._near(item, line.quote.text):
            card = self.brain.cards[home]
            if known.receipt.at <= line.receipt.at or (known.card.id == home and card.statement):
                continue
            if not is_live(card) or all(one.key != line.receipt.key for one in card.evidence):
                return
            mine = Known(card, line.receipt)
            found = self.distiller.relate(
                as_quote(known.receipt, known.card), known.card.type, [mine]
            )
            if found.kind in _RETIRING:
                self.conflicts.retire(mine, known, found.why, found.rest)

    def _home_for(self, item: Passed, lines: tuple[Receipt, ...]) -> Card:
        fresh = self._fresh(item, lines)
        page = self._page_for(fresh)
        if page is None:
            if fresh.is_digest and not (fresh.project and fresh.title.startswith(fresh.project)):
                others = self.brain.named_alike(fresh.title.removeprefix(lead_of(item.candidate)))
                fresh = self._fresh(told_apart(item, others, self.distiller), lines)
            kind = ChangeKind.QUARANTINED if item.quarantined else ChangeKind.CREATED
            return self.brain.put(
                fresh, self.brain.change(kind, fresh, why_new(item), lines[0].link)
            )
        evidence = tuple(sorted((*page.evidence, *lines), key=_in_time))
        grown = replace(
            page.with_evidence(evidence),
            importance=max(page.importance, fresh.importance),
            last_referenced=max(page.last_referenced, fresh.last_referenced),
        )
        before, added = map(lines_added, self.brain.grow(page.id, len(lines)))
        change = self.brain.change(ChangeKind.REVISED, grown, added, lines[0].link)
        return self.brain.put(self.brain.note(grown, added, minor=True, instead=before), change)

    def _page_for(self, fresh: Card) -> Card | None:
        """A digest on the same topic, else the last one of the same people, while it has room."""
        if not fresh.is_digest or fresh.status is Status.QUARANTINED:
            return None
        topics = set(fresh.topics)
        near = self.brain.near(fresh.title, limit=12) if topics else []
        pages = [
            card
            for card in dict.fromkeys(known.card.id for known in near)
            if len(topics & set(self.brain.cards[card].topics)) >= min(2, len(topics))
        ]
        pages += self.brain.titled(fresh.title) if fresh.project else []
        pages += self.brain.pages(fresh)
        return next(
            (card for key in pages if self._takes(card := self.brain.cards[key], fresh)), None
        )

    def _takes(self, page: Card, fresh: Card) -> bool:
        """Whether the lines of a new digest may go on on this one, which no person has edited."""
        ours = page.is_digest and is_live(page) and page.id not in self.brain.by_person
        alike = same_kind(page) == same_kind(fresh)
        return ours and alike and len(page.evidence) + len(fresh.evidence) <= MAX_LINES

    def _fresh(self, item: Passed, lines: tuple[Receipt, ...]) -> Card:
        candidate, brain = item.candidate, self.brain
        return Card(
            id=brain.new_id(candidate.type, candidate.title, lines[0]),
            type=candidate.type,
            title=candidate.title,
            statement=candidate.statement,
            importance=candidate.importance,
            confidence=round(candidate.confidence, 2),
            status=first_status(candidate, item.quarantined),
            trust=item.trust,
            created=lines[0].at,
            updated=brain.now,
            last_referenced=brain.now.date(),
            evidence=lines if not candidate.statement else lines[:MAX_RECEIPTS],
            history=(HistoryLine(brain.now.date(), brain.deed(CREATED)),),
            user=candidate.user,
            project=candidate.project,
            source=source_links(lines),
            seen=max(candidate.seen, 1),
            tags=(f"memory/{candidate.type}", *(f"topic/{topic}" for topic in candidate.topics)),
            valid_from=candidate.valid_from,
            valid_until=candidate.valid_until,
        )

    # -- what follows from a relation ---------------------------------------------------------

    def _reinforce(self, card_id: str, receipt: Receipt, item: Passed, times: int) -> None:
        card = self.brain.cards[card_id]
        times = max(times, told_anew(card, receipt))
        if card.id in self.brain.by_person:
            propose(self.brain, card, receipt)
        if card.id in self.brain.by_person or card.is_digest:
            self.brain.put(replace(card, seen=card.seen + times, updated=self.brain.now))
            return
        grown = replace(
            card,
            seen=card.seen + times,
            importance=max(card.importance, item.candidate.importance),
        )
        if len(card.evidence) < MAX_RECEIPTS:
            grown = grown.with_evidence((*card.evidence, receipt))
        grown = self._lift(grown)
        why = why_again(grown.seen, times)
        change = self.brain.change(ChangeKind.REVISED, grown, why, receipt.link)
        self.brain.put(self.brain.note(grown, phrase("said again, noted"), minor=True), change)

    def _lift(self, card: Card) -> Card:
        """A preference that keeps coming back is a pattern."""
        if card.type is not CardType.PREFERENCE or card.seen < LIFT_AT:
            return card
        tags = tuple(tag for tag in card.tags if not tag.startswith("memory/"))
        return replace(card, type=CardType.PATTERN, tags=(f"memory/{CardType.PATTERN}", *tags))

    # -- cards that are told anew -------------------------------------------------------------

    def _refine(self, item: Passed, fresh: list[_Line]) -> Card | None:
        """A statement that says the same and more takes the place of the shorter one."""
        known = next((line.refines for line in fresh if line.refines), None)
        if known is None or not self._may_refine(item, known.card.id, len(fresh)):
            return None
        card = self.brain.cards[known.card.id]
        lines = tuple(line.receipt for line in fresh)
        fuller = replace(
            card.with_evidence((*card.evidence, *lines)),
            statement=item.candidate.statement,
            importance=max(card.importance, item.candidate.importance),
            seen=card.seen + max(item.candidate.seen, 1),
        )
        change = self.brain.change(
            ChangeKind.REVISED, fuller, phrase("said in full now"), lines[0].link
        )
        return self.brain.put(
            self.brain.note(fuller, phrase("said in full, noted"), minor=True), change
        )

    def _may_refine(self, item: Passed, card_id: str, lines: int) -> bool:
        card, candidate = self.brain.cards[card_id], item.candidate
        return (
            bool(candidate.statement and card.statement)
            and (card.type, card.user, card.project)
            == (candidate.type, candidate.user, candidate.project)
            and card.trust is item.trust
            and is_live(card)
            and card_id not in self.brain.by_person
            and len(card.evidence) + lines <= MAX_RECEIPTS
        )

    def _revive(self, item: Passed, fresh: list[_Line]) -> Card | None:
        """A→B→A: a card that said this very thing before becomes active again."""
        if not item.candidate.statement:
            return None
        retiring = next((line.relation for line in fresh if line.relation.kind in _RETIRING), None)
        if retiring is None or retiring.known is None:
            return None
        current = retiring.known.card
        return revived(self.brain, self.distiller, item, fresh[0].receipt, current)

    # -- quarantine ---------------------------------------------------------------------------

    def _quarantine(self, item: Passed) -> None:
        fresh = tuple(receipt for receipt in item.receipts if not self.brain.holds(receipt))
        if fresh:
            self._home_for(item, fresh)


def _shares(item: Passed) -> list[int]:
    """How often each quote of a candidate counts; all together as often as it was said."""
    quotes, said = len(item.candidate.quotes), max(item.candidate.seen, 1)
    counted = min(quotes, said)
    return [said - counted + 1, *[1] * (counted - 1), *[0] * (quotes - counted)]


def told_anew(card: Card, receipt: Receipt) -> int:
    """1 for a turn that the card does not know yet, else 0."""
    return int(
        all((one.episode, one.entry) != (receipt.episode, receipt.entry) for one in card.evidence)
    )


def _in_time(receipt: Receipt) -> tuple[object, str]:
    return (receipt.at, receipt.entry)
