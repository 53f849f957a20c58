"""The gate between a distiller and memory: nothing invented, nothing obeyed, nothing secret.

Pure. Assumes that whoever thinks may be wrong or hostile: a candidate passes only as far as its
quotes stand in their entries, its facts stand in its quotes, and its sources may be believed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noctuary.memory.card import INSTRUCTION_LIKE, CardType, Receipt
from noctuary.memory.dates import gloss_line, resolved
from noctuary.memory.entry import Role, Trust, lowest_trust
from noctuary.memory.facts import hard_facts, missing
from noctuary.memory.safe import neutralise
from noctuary.memory.secrets import redact
from noctuary.memory.sentences import language
from noctuary.tongue import listed, phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.memory.candidate import Candidate, Quote

MAX_TITLE = 80
MAX_STATEMENT = 600
MAX_QUOTE = 1200
MAX_QUOTES = 40
LINES_MATTER = 3
"""Lines without a statement matter at most so much."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Passed:
    """A candidate that may enter memory, with its receipts ready.

    Attributes:
        quarantined: It would steer an agent but no person said it: only a person may admit it.
    """

    candidate: Candidate
    receipts: tuple[Receipt, ...]
    trust: Trust
    quarantined: bool = False


@dataclass(frozen=True, slots=True)
class GateResult:
    """What passed, and one sentence for each thing that was stopped or mended."""

    passed: tuple[Passed, ...]
    stopped: tuple[str, ...]


def fit_for_card(text: str) -> str:
    """What of a raw text may stand on a card: secrets blacked out, active Markdown made inert."""
    return neutralise(redact(text))


def check(candidates: Iterable[Candidate]) -> GateResult:
    """Hold every candidate to the rules."""
    passed: list[Passed] = []
    stopped: list[str] = []
    for candidate in candidates:
        kept, reason = _check_one(candidate)
        if kept is not None:
            passed.append(kept)
        if reason:
            stopped.append(reason)
    return GateResult(tuple(passed), tuple(stopped))


def _check_one(candidate: Candidate) -> tuple[Passed | None, str]:
    title = tidy_title(candidate.title)
    quotes = _grounded(candidate)
    if not quotes:
        return None, phrase("“{title}”: no quote of it stands in its entry", title=title)
    quotes, quarantined = _believable(candidate.type, quotes)
    if len(_SPACES.sub("", title)) < 2:
        return None, phrase("“{title}”: it says nothing", title=title)
    statement, reason = _supported_statement(candidate, quotes)
    lines_only = bool(candidate.statement.strip()) and not statement
    held = replace(
        candidate,
        type=CardType.FACT if lines_only else candidate.type,
        title=title,
        statement=statement,
        quotes=quotes,
        importance=min(LINES_MATTER if lines_only else 5, max(1, candidate.importance)),
        confidence=min(1.0, max(0.0, candidate.confidence)),
        topics=tuple(dict.fromkeys(filter(None, map(tidy_topic, candidate.topics)))),
        reason=fit_for_card(candidate.reason),
    )
    trust = lowest_trust([quote.entry.role for quote in quotes])
    receipts = tuple(receipt_of(quote) for quote in quotes)
    return Passed(held, receipts, trust, quarantined), reason


def _grounded(candidate: Candidate) -> tuple[Quote, ...]:
    """Quotes that stand word for word in their entries, each once."""
    kept: dict[tuple[str, str, str], Quote] = {}
    for quote in candidate.quotes[:MAX_QUOTES]:
        text = quote.text.strip()
        if text and len(text) <= MAX_QUOTE and text in quote.entry.text:
            kept.setdefault((quote.entry.episode, quote.entry.id, text), replace(quote, text=text))
    return tuple(kept.values())


def _believable(type_: CardType, quotes: tuple[Quote, ...]) -> tuple[tuple[Quote, ...], bool]:
    """For what would steer an agent: the person's own words alone, or quarantine."""
    if type_ not in INSTRUCTION_LIKE:
        return quotes, False
    own = tuple(quote for quote in quotes if quote.entry.role is Role.USER)
    return (own, False) if own else (quotes, True)


def _supported_statement(candidate: Candidate, quotes: Sequence[Quote]) -> tuple[str, str]:
    """The statement if its facts stand in its quotes, else the quotes' own words.

    Where these are of several entries and do not steer, no one of them speaks for all: they stand
    as lines, without a statement.
    """
    statement = fit_for_card(candidate.statement.strip())
    if not statement:
        return "", ""
    support = "\n".join(f"{quote.text}\n{resolved(quote.text, quote.entry.at)}" for quote in quotes)
    unsupported = missing_facts(statement, support)
    why = phrase("invented {facts}", facts=listed(unsupported[:3])) if unsupported else ""
    if not why and len(statement) > MAX_STATEMENT:
        why = phrase("it is too long")
    if not why and not _in_own_language(statement, quotes):
        why = phrase("it is in another language than what was said")
    if not why:
        return statement, ""
    reason = phrase(
        "“{title}”: {why}; verbatim text kept", title=tidy_title(candidate.title), why=why
    )
    if candidate.type not in INSTRUCTION_LIKE and len({quote.entry.id for quote in quotes}) > 1:
        return "", reason
    return verbatim(quotes[0]), reason


def verbatim(quote: Quote) -> str:
    """A quote as a statement of its own."""
    return fit_for_card(resolved(quote.text, quote.entry.at))[:MAX_STATEMENT]


def _in_own_language(statement: str, quotes: Sequence[Quote]) -> bool:
    """Whether a statement is in a language of the people that it rests on, if it rests on any.

    What it cites of others, word for word, is in whatever language that was.
    """
    own = [quote for quote in quotes if quote.entry.role is Role.USER]
    spoken = {language(text) for quote in own for text in (quote.text, quote.entry.text)}
    for quote in quotes:
        if quote.entry.role is not Role.USER:
            statement = statement.replace(quote.text, " ")
    return not spoken or not statement.strip(" .。") or language(statement) in spoken


def missing_facts(statement: str, support: str) -> list[str]:
    """Hard facts of the statement that its support does not hold, as written."""
    return [fact.text for fact in missing(hard_facts(statement), support)]


def receipt_of(quote: Quote) -> Receipt:
    """The receipt for a quote, as it will stand on a card."""
    entry = quote.entry
    return Receipt(
        episode=entry.episode,
        entry=entry.id,
        role=entry.role,
        at=entry.at,
        quote=fit_for_card(quote.text),
        speaker=entry.user,
        gloss=gloss_line(quote.text, entry.at),
    )


def tidy_title(title: str) -> str:
    """One inert line of at most 80 characters, cut at a word."""
    line = _SPACES.sub(" ", fit_for_card(title)).strip(" #\t-–—:：。.,，")
    if len(line) <= MAX_TITLE:
        return line
    cut = line[:MAX_TITLE]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > MAX_TITLE // 2 else cut).rstrip(" ,;，；") + "…"


def tidy_topic(topic: str) -> str:
    """A topic that Obsidian takes as a tag: letters, digits, dashes; not digits alone."""
    tag = re.sub(r"[^\w/-]+", "-", redact(topic).strip().casefold()).strip("-/_")[:40]
    return tag if re.search(r"[^\W\d_]", tag) else ""
