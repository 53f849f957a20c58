"""Distils a day: as much of its entries as the ration allows, in parts that the model can hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noctuary.distil.openai.excess import tempered
from noctuary.distil.openai.grounding import Source, is_named, lines_of
from noctuary.distil.openai.prompts import LINE_TOKENS, language_of
from noctuary.distil.openai.transport import MESSAGE_TOKENS, Ask
from noctuary.memory.card import INSTRUCTION_LIKE, CardType
from noctuary.memory.entry import Role
from noctuary.memory.tokens import estimate
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from noctuary.distil.openai.desk import Desk
    from noctuary.distil.openai.ration import Ration
    from noctuary.distil.openai.shown import Shown
    from noctuary.distil.protocol import Distiller
    from noctuary.memory.candidate import Anchor, Candidate, Scored

_LEVELS = ((2000, 400), (1000, 250), (600, 150), (300, 90), (150, 50))
"""Tokens that are shown of an entry of the person, and of any other, the most generous first."""
_OUT_SHARE, _OUT_EACH = 0.25, 24
"""What an answer is expected to take: by the tokens that were shown, and at least by the entry."""
_MOST_OUT = 0.5
_LEAST_OUT = 600
_LARGEST_PART = 6000
_MOST_ENTRIES = 60
_VITAL = 4
_KEPT_BY_RULES = INSTRUCTION_LIKE | {CardType.DECISION, CardType.LESSON, CardType.TASK}


@dataclass(frozen=True, slots=True)
class Cut:
    """How much is shown of the entries, and which of them rules must distil."""

    own: int
    others: int
    shown: tuple[Scored, ...]
    by_rules: tuple[Scored, ...] = ()

    def tokens(self, item: Scored) -> int:
        """About what it costs to show one entry."""
        most = self.own if item.entry.role in (Role.USER, Role.TASK) else self.others
        return min(most, estimate(item.entry.text)) + LINE_TOKENS


def expected_cost(cut: Cut, items: Iterable[Scored], per_call: int, part: int) -> int:
    """About what the questions and their answers cost."""
    shown = [cut.tokens(item) for item in items]
    calls = -(-sum(shown) // part) if shown else 0
    return sum(map(_with_answer, shown)) + calls * per_call


def _with_answer(tokens: int) -> int:
    return tokens + answer_to(tokens)


def answer_to(tokens: int) -> int:
    """What an entry of so many shown tokens takes of the answer."""
    return max(_OUT_EACH, int(_OUT_SHARE * tokens))


def fitting(scored: Sequence[Scored], left: int, per_call: int, part: int) -> Cut:
    """The most generous cut that costs no more than is left; what does not fit is for rules."""
    for own, others in _LEVELS:
        cut = Cut(own, others, tuple(scored))
        if expected_cost(cut, scored, per_call, part) <= left:
            return cut
    return _dropped(cut, left, per_call, part)


def _dropped(cut: Cut, left: int, per_call: int, part: int) -> Cut:
    """Those that matter most, as far as it goes."""
    by_worth = sorted(cut.shown, key=lambda item: -item.score.value)
    taken: list[Scored] = []
    into, room = 0, left - per_call
    for item in by_worth:
        cost = _with_answer(cut.tokens(item)) + cut.tokens(item) * per_call // part
        if into + cost <= room:
            into += cost
            taken.append(item)
    inside = set(map(id, taken))
    shown = tuple(item for item in cut.shown if id(item) in inside)
    rest = tuple(item for item in cut.shown if id(item) not in inside)
    return Cut(cut.own, cut.others, shown, rest)


def parts_of(cut: Cut, largest: int) -> list[Sequence[Scored]]:
    """Runs of entries that one question can hold, none of them a small rest."""
    total = sum(cut.tokens(item) for item in cut.shown)
    count = max(-(-total // largest), -(-len(cut.shown) // _MOST_ENTRIES), 1)
    share = total / count
    parts: list[list[Scored]] = [[]]
    held = 0
    for item in cut.shown:
        cost = cut.tokens(item)
        full = held + cost > largest or len(parts[-1]) >= _MOST_ENTRIES
        if parts[-1] and (full or held >= share):
            parts.append([])
            held = 0
        parts[-1].append(item)
        held += cost
    return [part for part in parts if part]


class Distilling:
    """Distils the entries of one day that are worth keeping."""

    def __init__(self, desk: Desk, offline: Distiller) -> None:
        self._desk = desk
        self._offline = offline

    def distil(self, scored: Sequence[Scored], anchor: Anchor, ration: Ration) -> list[Candidate]:
        """Candidates of the model; those of the rules where it was not asked or passed over."""
        lang = language_of([item.entry for item in scored])
        cut = self.cut(scored, anchor, ration, lang)
        parts = parts_of(cut, self.part_tokens(lang, anchor))

        def ask_of(part: Sequence[Scored]) -> Ask:
            return self._question(cut, part, lang, anchor)

        per_call = self.per_call(lang, anchor)
        ration.spend(
            len(parts) * per_call + sum(_with_answer(cut.tokens(item)) for item in cut.shown)
        )
        found: list[Candidate] = []
        by_rules = list(cut.by_rules)
        for part, answer in self._desk.work("distilling", parts, ask_of):
            if answer is None:
                by_rules += part
                continue
            source = Source([self._show(cut, item) for item in part])
            found += [made for line in answer.cards for made in source.candidates(line)]
        found, excess = tempered(found, cut.shown)
        self._desk.stopped += excess
        found = self._titled(found)
        ruled = self._offline.distil(by_rules, anchor) if by_rules else []
        kept = self._passed_over(cut, found, by_rules, anchor)
        return [*_without(found, kept), *kept, *ruled]

    def need(self, scored: Sequence[Scored], anchor: Anchor) -> int:
        """About what it would cost to distil these entries, if there were no ration."""
        lang = language_of([item.entry for item in scored])
        per_call = self.per_call(lang, anchor)
        cut = Cut(*_LEVELS[1], tuple(scored))
        return expected_cost(cut, scored, per_call, self.part_tokens(lang, anchor))

    def cut(self, scored: Sequence[Scored], anchor: Anchor, ration: Ration, lang: str) -> Cut:
        """How much of the entries the ration allows to show.

        What a writer marked as a task is one, and is no question.
        """
        tasks = tuple(item for item in scored if item.entry.role is Role.TASK)
        rest = [item for item in scored if item.entry.role is not Role.TASK]
        per_call = self.per_call(lang, anchor)
        cut = fitting(rest, ration.left, per_call, self.part_tokens(lang, anchor))
        return replace(cut, by_rules=(*tasks, *cut.by_rules))

    def per_call(self, lang: str, anchor: Anchor) -> int:
        """What every question costs besides its entries."""
        frame = self._desk.prompts.system("distil", lang, anchor)
        return estimate(frame) + estimate(self._desk.prompts.data(lang, ())) + MESSAGE_TOKENS

    def part_tokens(self, lang: str, anchor: Anchor) -> int:
        """Tokens of entries in one question, so that the answer has room beside them."""
        profile = self._desk.profile
        room = profile.context_tokens - profile.thinking_tokens - self.per_call(lang, anchor)
        return max(200, min(_LARGEST_PART, int(room / (1.1 + _MOST_OUT))))

    def _show(self, cut: Cut, item: Scored) -> Shown:
        return self._desk.prompts.show(item.entry, cut.tokens(item) - LINE_TOKENS)

    def _question(self, cut: Cut, part: Sequence[Scored], lang: str, anchor: Anchor) -> Ask:
        prompts = self._desk.prompts
        data = prompts.data(lang, prompts.lines([self._show(cut, item) for item in part]))
        into = sum(cut.tokens(item) for item in part)
        most = max(_LEAST_OUT, int(_MOST_OUT * into)) + self._desk.profile.thinking_tokens
        return Ask("distil", prompts.system("distil", lang, anchor), data, most)

    def _titled(self, found: Sequence[Candidate]) -> list[Candidate]:
        """With titles of the rules where the model's own hold hardly a word of their cards."""
        named = [
            item
            if is_named(item) or not item.quotes
            else replace(item, title=self._offline.title(lines_of(item)))
            for item in found
        ]
        mended = sum(one.title != other.title for one, other in zip(named, found, strict=True))
        if mended:
            what = phrase(
                "{mended} titles were not in the words of their cards; rules named them",
                mended=mended,
            )
            self._desk.stopped.append(what)
        return named

    def _passed_over(
        self, cut: Cut, found: Sequence[Candidate], by_rules: Sequence[Scored], anchor: Anchor
    ) -> list[Candidate]:
        """Wishes, limits, decisions, lessons and tasks in plain words that the model made nothing of.

        Raw entries are forgotten one day: what rules are sure of is not left to a model alone,
        least of all what it was not shown. A wish that only lies among facts is passed over too.
        """
        quoted = _quoted(item for item in found if item.statement and item.type in _KEPT_BY_RULES)
        done = {item.entry.id for item in by_rules}
        rest = [item for item in cut.shown if item.entry.id not in done and _plain(item)]
        ruled = self._offline.distil(rest, anchor) if rest else []
        kept = [
            item
            for item in ruled
            if item.type in _KEPT_BY_RULES and item.importance >= _VITAL and not _told(item, quoted)
        ]
        if kept:
            self._desk.stopped.append(
                phrase(
                    "The model passed over {count} clear wishes, decisions or tasks; rules kept them",
                    count=len(kept),
                )
            )
        return kept


def _without(found: Iterable[Candidate], ruled: Iterable[Candidate]) -> Iterator[Candidate]:
    """What the model found, without words that stand on the cards of the rules."""
    held = _quoted(ruled)
    for item in found:
        quotes = tuple(
            quote
            for quote in item.quotes
            if not any(quote.text in text for text in held.get(quote.entry.id, ()))
        )
        if quotes or not item.quotes:
            yield replace(item, quotes=quotes)


def _quoted(found: Iterable[Candidate]) -> dict[str, list[str]]:
    """What candidates hold of each entry, by its id."""
    quoted: dict[str, list[str]] = {}
    for item in found:
        for quote in item.quotes:
            if quote.text in quote.entry.text:
                quoted.setdefault(quote.entry.id, []).append(quote.text)
    return quoted


def _told(item: Candidate, quoted: dict[str, list[str]]) -> bool:
    """Whether the words that this rests on, or a part of them, are held already."""
    return any(
        quote.text in text or text in quote.text
        for quote in item.quotes
        for text in quoted.get(quote.entry.id, ())
    )


def _plain(item: Scored) -> bool:
    return item.entry.role is Role.USER and item.score.value >= _VITAL - 1
