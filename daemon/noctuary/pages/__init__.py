"""Pages that the daemon writes, from templates that a person can replace in the settings folder.

Jinja is loaded with the first page. Templates never come from a vault, which may be shared.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from noctuary.errors import NoctuaryError
from noctuary.memory import cardtext
from noctuary.memory.document import header
from noctuary.memory.report import report_meta
from noctuary.memory.safe import neutralise
from noctuary.resources import shelf
from noctuary.tongue import Phrase, counted, phrase, spoken

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

    from noctuary.dream.brainmap import BrainMap, MapPage
    from noctuary.memory.card import Card, Receipt
    from noctuary.memory.report import DreamReport, SessionSummary
    from noctuary.tongue import Language


class Pages:
    """Renders cards, the brain map, reports and proposals."""

    def __init__(self, own: Path | None = None, language: Language = "en") -> None:
        """`own` is the folder of the person's templates; by default that of the settings."""
        self._own = own
        self.language = language

    def speaking(self, language: Language) -> Pages:
        """The same pages in another language."""
        other = copy(self)
        other.language = language
        return other

    def card(self, card: Card) -> str:
        """A card's file; anything active in its texts is made inert."""
        body = self.render("card.md.j2", **_texts(card, self.language))
        return header(cardtext.card_meta(card)) + body

    def inbox(self, card: Card, why: str = "") -> str:
        """A proposal with its boxes for approval and rejection, and why it needs a person."""
        body = self.render(
            "inbox.md.j2",
            why=neutralise(spoken(why, self.language)),
            **_texts(card, self.language),
        )
        return header(cardtext.card_meta(card)) + body

    def index(self, view: BrainMap) -> str:
        """The generated part of `index.md`."""
        return self.render("index.md.j2", map=view)

    def map_page(self, page: MapPage) -> str:
        """One page of the second level of the brain map."""
        return self.render("map.md.j2", page=page)

    def report(self, report: DreamReport) -> str:
        """A dream report's file; anything active in its texts is made inert."""
        body = self.render("report.md.j2", report=_inert_report(report, self.language))
        return header(report_meta(report)) + body

    def render(self, name: str, **values: object) -> str:
        """Any template by name.

        Raises:
            NoctuaryError: The template is missing or cannot be filled in.
        """
        from jinja2 import TemplateError

        try:
            return self._environment.get_template(name).render(
                values, say=self._say, counted=counted
            )
        except TemplateError as error:
            what = phrase(
                "The template {name} cannot be filled in ({error}); correct or remove it.",
                name=name,
                error=error,
            )
            raise NoctuaryError(what) from error

    def _say(self, said: str, **fields: object) -> str:
        """A sentence of a template in the language of the vault."""
        known = fields or not isinstance(said, Phrase | StrEnum)
        return spoken(phrase(said, **fields) if known else said, self.language)

    @cached_property
    def _environment(self) -> Environment:
        return shelf(self._own)


def _texts(card: Card, language: Language) -> dict[str, object]:
    """What a card's template is given: words alone, no objects."""
    inert = _inert(card, language)
    return {
        "title": cardtext.title_line(inert) or inert.id,
        "statement": cardtext.statement_block(inert),
        "evidence": cardtext.evidence_block(inert).rstrip("\n"),
        "replaced": cardtext.replaced_block(inert).rstrip("\n"),
        "history": cardtext.history_block(inert).rstrip("\n"),
    }


def _inert(card: Card, language: Language) -> Card:
    return replace(
        card,
        title=neutralise(card.title),
        statement=neutralise(card.statement),
        evidence=tuple(map(_inert_receipt, card.evidence)),
        replaced=tuple(map(_inert_receipt, card.replaced)),
        history=tuple(
            replace(line, text=neutralise(spoken(line.text, language))) for line in card.history
        ),
    )


def _inert_receipt(receipt: Receipt) -> Receipt:
    quote = neutralise(receipt.quote)
    return receipt if quote == receipt.quote else replace(receipt, quote=quote)


def _inert_report(report: DreamReport, language: Language) -> DreamReport:
    return replace(
        report,
        changes=tuple(
            replace(one, why=neutralise(spoken(one.why, language))) for one in report.changes
        ),
        facts_lost=tuple((neutralise(fact), link) for fact, link in report.facts_lost),
        sessions=tuple(map(_inert_session, report.sessions)),
        rejected=tuple(neutralise(spoken(one, language)) for one in report.rejected),
        problems=tuple(
            replace(
                one,
                where=spoken(one.where, language),
                what=neutralise(spoken(one.what, language)),
            )
            for one in report.problems
        ),
    )


def _inert_session(session: SessionSummary) -> SessionSummary:
    return replace(
        session,
        decisions=tuple(map(neutralise, session.decisions)),
        errors=tuple(map(neutralise, session.errors)),
        successes=tuple(map(neutralise, session.successes)),
        preferences=tuple(map(neutralise, session.preferences)),
    )
