"""What a dream would cost, planned with the very rules by which it would be dreamt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.distil.openai.distilling import answer_to, parts_of
from noctuary.distil.openai.prompts import language_of
from noctuary.distil.openai.ration import Ration
from noctuary.distil.openai.scoring import OUT_TOKENS, batches, cost_of
from noctuary.memory.candidate import Scored
from noctuary.memory.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.distil.openai.distilling import Distilling
    from noctuary.distil.openai.scoring import Scoring
    from noctuary.distil.protocol import Distiller
    from noctuary.memory.candidate import Anchor, Score
    from noctuary.memory.entry import Entry
    from noctuary.profiles import Profile


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a dream is expected to cost, before it begins.

    Attributes:
        entry_tokens: About how many tokens the entries themselves have.
        at_most: What its questions are planned to stay within, out and back together. How new
            lines stand to old ones is asked within it: whether there is a question shows only in
            the dream. Failed questions come on top.
        cost: In `currency`.
        sent_to: To whom the entries would go, in words.
    """

    entries: int = 0
    entry_tokens: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    at_most: int = 0
    cost: float = 0.0
    currency: str = ""
    sent_to: str = ""


@dataclass(slots=True)
class Forecaster:
    """Plans the questions of a dream without asking them."""

    profile: Profile
    scoring: Scoring
    distilling: Distilling
    offline: Distiller
    batch: int

    def forecast(self, days: Iterable[Sequence[Entry]], anchor: Anchor) -> Forecast:
        """The sum over all days."""
        entries = own = calls = into = out = most = 0
        cost = 0.0
        for day in days:
            ration = Ration(tokens_of(day))
            scoring = self._scores(day, anchor, ration)
            cards = self._cards(day, anchor, ration)
            entries, own = entries + len(day), own + ration.entries
            most += ration.whole
            calls += scoring[0] + cards[0]
            into, out = into + scoring[1] + cards[1], out + scoring[2] + cards[2]
            cost += self.profile.price(scoring[1], scoring[2], small=True)
            cost += self.profile.price(cards[1], cards[2])
        mine = self.profile
        cap = mine.tokens_per_dream or most
        return Forecast(
            entries, own, calls, into, out, min(most, cap), cost, mine.currency, mine.shown()
        )

    def _scores(self, day: Sequence[Entry], anchor: Anchor, ration: Ration) -> tuple[int, int, int]:
        rules = self.offline.score(day, anchor)
        need = self.distilling.need(kept_by(day, rules), anchor)
        asked = self.scoring.chosen(day, rules, anchor, ration, self.batch, need)
        calls = len(batches(asked, self.batch))
        out = OUT_TOKENS * len(asked)
        into = sum(cost_of(item.entry) for item in asked) - out
        into += calls * self.scoring.per_call(language_of(day), anchor)
        ration.spend(into + out)
        return calls, into, out

    def _cards(self, day: Sequence[Entry], anchor: Anchor, ration: Ration) -> tuple[int, int, int]:
        rules = self.offline.score(day, anchor)
        kept = kept_by(day, rules)
        lang = language_of(day)
        cut = self.distilling.cut(kept, anchor, ration, lang)
        calls = len(parts_of(cut, self.distilling.part_tokens(lang, anchor)))
        shown = [cut.tokens(item) for item in cut.shown]
        into = sum(shown) + calls * self.distilling.per_call(lang, anchor)
        return calls, into, sum(map(answer_to, shown))


def tokens_of(entries: Iterable[Entry]) -> int:
    """About how many tokens the texts of these entries have."""
    return sum(estimate(entry.text) for entry in entries)


def kept_by(entries: Iterable[Entry], rules: Iterable[Score]) -> list[Scored]:
    """The entries that rules see as more than noise."""
    both = zip(entries, rules, strict=True)
    return [Scored(entry, rule) for entry, rule in both if rule.value > 1]
