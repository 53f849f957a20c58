"""Relations: rules where they are clear, the model at once about all lines where they are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.distil.offline.holding import untouched
from noctuary.distil.openai.transport import MESSAGE_TOKENS, Ask
from noctuary.errors import DistillerError
from noctuary.memory.candidate import DISTINCT, Known, Quote, Relation, RelationKind
from noctuary.memory.sentences import language
from noctuary.memory.tokens import content_tokens, estimate
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.distil.openai.desk import Desk
    from noctuary.distil.openai.ration import Ration
    from noctuary.distil.protocol import Distiller
    from noctuary.memory.card import CardType

BATCH = 20
NEAREST = 2
ALIKE = 0.4
"""Share of the shorter line's telling words that must stand in the other one to be asked about."""
SHOWN_TOKENS = 60
OUT_TOKENS = 24
RATION_SHARE, LEAST_TOKENS = 0.1, 500
_UNCLEAR = frozenset({RelationKind.DISTINCT, RelationKind.DISPUTES})
_REPLACING = frozenset({RelationKind.SUPERSEDES, RelationKind.RETRACTS})
_LETTERS = "abcdefgh"

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A new line, and the old ones that it may speak of."""

    quote: Quote
    known: tuple[Known, ...]


class Relating:
    """Answers how lines stand to each other, from what was thought about beforehand."""

    def __init__(self, desk: Desk, offline: Distiller) -> None:
        self._desk = desk
        self._offline = offline
        self._thought: dict[tuple[_Key, _Key], tuple[RelationKind, str]] = {}

    def relate(self, quote: Quote, type_: CardType, known: Sequence[Known]) -> Relation:
        """The rules' relation, or the model's where rules see none."""
        ruled = self._offline.relate(quote, type_, known)
        if ruled.kind not in _UNCLEAR:
            return ruled
        for line in known:
            kind, why = self._thought.get((_key(quote), line.receipt.key), (None, ""))
            if kind is None or kind is RelationKind.DISTINCT:
                continue
            if kind in _REPLACING and quote.entry.at <= line.receipt.at:
                continue
            rest = untouched(line.receipt.quote, quote.text) if kind in _REPLACING else ()
            return Relation(kind, line, why, rest)
        return ruled if ruled.kind is not RelationKind.DISTINCT else DISTINCT

    def foresee(
        self, asked: Iterable[tuple[Quote, CardType, Sequence[Known]]], ration: Ration
    ) -> None:
        """Ask the model about all lines where rules are unclear, as far as the ration goes."""
        doubts = self._affordable([doubt for one in asked if (doubt := self._doubt(*one))], ration)
        if not doubts:
            return
        zh = sum(language(doubt.quote.text) == "zh" for doubt in doubts)
        lang = "zh" if 2 * zh > len(doubts) else "en"
        parts = [doubts[start : start + BATCH] for start in range(0, len(doubts), BATCH)]
        try:
            answers = self._desk.work("relating", parts, lambda part: self._question(part, lang))
        except DistillerError as error:
            told = phrase("{error}; rules alone related new lines to old ones", error=error)
            self._desk.tell(told, "relating")
            return
        for part, answer in answers:
            for line in answer.relations if answer is not None else ():
                self._learn(part, line.n, line.old, RelationKind(line.kind), line.why)

    def _doubt(self, quote: Quote, type_: CardType, known: Sequence[Known]) -> Doubt | None:
        if self._offline.relate(quote, type_, known).kind not in _UNCLEAR:
            return None
        new = frozenset(content_tokens(quote.text))
        near = [
            line
            for line in known
            if (_key(quote), line.receipt.key) not in self._thought
            and _alike(new, frozenset(content_tokens(line.receipt.quote)))
        ]
        return Doubt(quote, tuple(near[:NEAREST])) if near else None

    def _affordable(self, doubts: list[Doubt], ration: Ration) -> list[Doubt]:
        left = min(ration.left, max(LEAST_TOKENS, int(RATION_SHARE * ration.whole)))
        frame = estimate(self._desk.prompts.system("relate", "en")) + 50 + MESSAGE_TOKENS
        taken: list[Doubt] = []
        for doubt in doubts:
            cost = estimate("\n".join(self._lines(1, doubt))) + OUT_TOKENS
            cost += frame if len(taken) % BATCH == 0 else 0
            if cost > left:
                break
            left -= cost
            ration.spend(cost)
            taken.append(doubt)
        return taken

    def _question(self, part: Sequence[Doubt], lang: str) -> Ask:
        lines = [
            line for number, doubt in enumerate(part, 1) for line in self._lines(number, doubt)
        ]
        prompts = self._desk.prompts
        most = 2 * OUT_TOKENS * len(part) + 50 + self._desk.profile.thinking_tokens
        data = prompts.data(lang, lines)
        return Ask("relate", prompts.system("relate", lang), data, most, lines=len(part))

    def _lines(self, number: int, doubt: Doubt) -> list[str]:
        quote = doubt.quote
        lines = [f"[{number}] {quote.entry.at:%Y-%m-%d}: {self._line(quote.text)}"]
        lines += [
            f"  {letter} {known.receipt.at:%Y-%m-%d}: {self._line(known.receipt.quote)}"
            for letter, known in zip(_LETTERS, doubt.known, strict=False)
        ]
        return lines

    def _line(self, text: str) -> str:
        return " ".join(self._desk.prompts.hidden(text[: 4 * SHOWN_TOKENS]).split())

    def _learn(
        self, part: Sequence[Doubt], number: int, old: str, kind: RelationKind, why: str
    ) -> None:
        """Remember an answer, if it speaks of lines that were shown."""
        if not 1 <= number <= len(part):
            return
        doubt = part[number - 1]
        place = _LETTERS.find(old) if len(old) == 1 else -1
        if 0 <= place < len(doubt.known):
            said = " ".join(why.split())[:80]
            key = (_key(doubt.quote), doubt.known[place].receipt.key)
            self._thought[key] = (
                kind,
                said or phrase("the model says it {kind} the old line", kind=kind),
            )


def _key(quote: Quote) -> _Key:
    return (quote.entry.episode, quote.entry.id, quote.text)


def _alike(new: frozenset[str], old: frozenset[str]) -> bool:
    smaller = min(len(new), len(old))
    return smaller > 0 and len(new & old) >= ALIKE * smaller
