"""Scores: rules first, since they are free; the model where they hesitate, as far as it is worth it.

The small model is asked first, the big one about what the small one is unsure of; what all are
unsure of stays as rules see it. What rules see as important is never left to a model alone: noise
is forgotten for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from noctuary.distil.openai.excess import undiscerning
from noctuary.distil.openai.prompts import LINE_TOKENS, language_of
from noctuary.distil.openai.reply import BadReply
from noctuary.distil.openai.transport import MESSAGE_TOKENS, Ask
from noctuary.memory.candidate import Score
from noctuary.memory.entry import Role
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import estimate
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.distil.openai.desk import Desk
    from noctuary.distil.openai.ration import Ration
    from noctuary.memory.candidate import Anchor
    from noctuary.memory.entry import Entry

SHOWN_TOKENS = 60
"""Enough of an entry to judge how much it matters."""
OUT_TOKENS = 24
"""A line of the answer."""
LEAST_SHARE, MOST_SHARE = 0.08, 0.3
"""Of the ration: what scoring may cost, however much distilling needs, and at most."""
BATCH = 25
CHATTER = 40
_TRUST_RULES = 2
"""So far below the score of the rules may a model go."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An entry that the model is to score; `place` is its place in the day."""

    place: int
    entry: Entry
    rule: Score


def cost_of(entry: Entry) -> int:
    """About what it costs to have one entry scored."""
    return min(SHOWN_TOKENS, estimate(entry.text)) + LINE_TOKENS + OUT_TOKENS


def chosen(
    entries: Sequence[Entry], rules: Sequence[Score], most: int, per_call: int, batch: int = BATCH
) -> list[Asked]:
    """The entries to ask about within so many tokens, those first where rules hesitate most."""
    worth = [
        Asked(place, entry, rule)
        for place, (entry, rule) in enumerate(zip(entries, rules, strict=True))
        if _open_question(entry, rule)
    ]
    taken: list[Asked] = []
    for item in sorted(worth, key=lambda item: (_rank(item), item.place)):
        cost = cost_of(item.entry) + (per_call if len(taken) % batch == 0 else 0)
        if cost > most:
            continue
        most -= cost
        taken.append(item)
    return sorted(taken, key=lambda item: item.place)


def _open_question(entry: Entry, rule: Score) -> bool:
    if not rule.sure:
        return True
    if entry.role not in (Role.USER, Role.ASSISTANT):
        return False
    chatter = len(entry.text) < CHATTER and rule.value <= 1 and not hard_facts(entry.text)
    return not chatter


def _rank(item: Asked) -> int:
    if not item.rule.sure:
        return 0
    if item.entry.role is Role.USER:
        return 1
    return 2 if item.rule.value > 1 else 3


def batches(asked: Sequence[Asked], size: int) -> list[Sequence[Asked]]:
    """Parts of at most so many entries, of about the same size."""
    if not asked:
        return []
    count = -(-len(asked) // size)
    step = -(-len(asked) // count)
    return [asked[start : start + step] for start in range(0, len(asked), step)]


class Scoring:
    """Scores the entries of one day."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def score(
        self,
        entries: Sequence[Entry],
        rules: Sequence[Score],
        anchor: Anchor,
        ration: Ration,
        batch: int,
        reserved: int = 0,
    ) -> list[Score]:
        """The scores of the model where it was asked, those of the rules elsewhere.

        `reserved` tokens of the ration are for distilling.
        """
        scores = list(rules)
        asked = self.chosen(entries, rules, anchor, ration, batch, reserved)
        lang = language_of(entries)
        parts = batches(asked, batch)
        unsure = self._ask(parts, lang, anchor, ration, scores, small=True)
        if unsure and self._desk.profile.small_model:
            again = batches([item for item in asked if item.place in unsure], batch)
            self._ask(again, lang, anchor, ration, scores, small=False)
        return scores

    def chosen(
        self,
        entries: Sequence[Entry],
        rules: Sequence[Score],
        anchor: Anchor,
        ration: Ration,
        batch: int,
        reserved: int = 0,
    ) -> list[Asked]:
        """The entries that the model is asked about."""
        per_call = self.per_call(language_of(entries), anchor)
        least, most = (int(share * ration.whole) for share in (LEAST_SHARE, MOST_SHARE))
        spare = min(most, max(least, ration.whole - reserved))
        return chosen(entries, rules, spare, per_call, batch)

    def per_call(self, lang: str, anchor: Anchor) -> int:
        """What every question costs besides its entries."""
        frame = self._desk.prompts.system("score", lang, anchor)
        return estimate(frame) + estimate(self._desk.prompts.data(lang, ())) + MESSAGE_TOKENS

    def _ask(
        self,
        parts: Sequence[Sequence[Asked]],
        lang: str,
        anchor: Anchor,
        ration: Ration,
        scores: list[Score],
        *,
        small: bool,
    ) -> set[int]:
        """Put the model's scores into `scores`; gives the places of those it is unsure of."""
        unsure: set[int] = set()

        def ask_of(part: Sequence[Asked]) -> Ask:
            return self._question(part, lang, anchor, small=small)

        for part in parts:
            ration.spend(ask_of(part).tokens_in + OUT_TOKENS * len(part))
        for part, answer in self._desk.work("scoring", parts, ask_of):
            if answer is None:
                continue
            told = self._believed(scored_once(part, answer.scores))
            for item, line in told:
                if line.sure:
                    scores[item.place] = _score(item, line)
                else:
                    unsure.add(item.place)
        return unsure

    def _believed(self, told: list[tuple[Asked, Any]]) -> list[tuple[Asked, Any]]:
        """Without what agents and tools said where nearly all of that is called important."""
        others = [one for one in told if one[0].entry.role is not Role.USER]
        if not undiscerning([line.score for _, line in others]):
            return told
        self._desk.stopped.append(
            phrase(
                "nearly all of {count} answers and outputs were called important; rules scored them",
                count=len(others),
            )
        )
        return [one for one in told if one not in others]

    def _question(self, part: Sequence[Asked], lang: str, anchor: Anchor, *, small: bool) -> Ask:
        prompts = self._desk.prompts
        shown = [prompts.show(item.entry, SHOWN_TOKENS) for item in part]

        def check(answer: Any) -> None:  # noqa: ANN401 - a shape of `reply`
            if 2 * len(scored_once(part, answer.scores)) < len(part):
                raise BadReply(phrase("the reply does not score half of the entries"))

        return Ask(
            "score",
            prompts.system("score", lang, anchor),
            prompts.data(lang, prompts.lines(shown)),
            2 * OUT_TOKENS * len(part) + self._desk.profile.thinking_tokens,
            check,
            small,
            len(part),
        )


def scored_once(part: Sequence[Asked], lines: Iterable[Any]) -> list[tuple[Asked, Any]]:
    """The entries that an answer scores, each with its line; rules score the others.

    A number that stands there twice with different scores means nothing.
    """
    said: dict[int, list[Any]] = {}
    for line in lines:
        said.setdefault(line.n, []).append(line)
    return [
        (item, said[number][0])
        for number, item in enumerate(part, 1)
        if len({line.score for line in said.get(number, ())}) == 1
    ]


def _score(item: Asked, line: Any) -> Score:  # noqa: ANN401 - a shape of `reply`
    value = max(line.score, item.rule.value - _TRUST_RULES)
    said = (f"the model: {' '.join(line.why.split())[:60] or 'no reason'}", float(line.score))
    return Score(value, (said, *item.rule.signals), line.sure)
