"""A wish, limit or choice carries the reason that the sentence beside it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from distil_kit import distilled, said
from noctuary.distil.offline.singles import LONGEST_REASONED
from noctuary.memory.card import CardType

if TYPE_CHECKING:
    from noctuary.memory.candidate import Candidate

_STEERS = {CardType.PREFERENCE, CardType.CONSTRAINT, CardType.DECISION}


def _card(text: str) -> Candidate:
    (card,) = (one for one in distilled([said(text)]) if one.type in _STEERS)
    return card


AHEAD = [
    ("Small commits are easier to revert.", "Always keep commits small."),
    ("A typed client prevents broken calls.", "I prefer a typed client over raw requests."),
    ("Meetings before ten make people late.", "From now on schedule meetings after ten."),
    ("Reviews take ages here.", "So please always open small pull requests."),
    ("小的提交回滚更容易。", "我喜欢小的提交。"),
    ("我们的接口高峰期经常超时。", "所以以后不要在高峰期发布。"),
]
BEHIND = [
    ("Always write the tests first.", "It saves us a lot of time in review."),
    ("We decided to use Postgres for the ledger.", "Postgres keeps the transactions safe."),
    ("Never deploy on a Friday.", "Because nobody is around at the weekend."),
    ("请始终先写测试，再写代码。", "这样评审能省很多时间。"),
]


@pytest.mark.parametrize(("first", "last"), AHEAD + BEHIND)
def test_a_statement_carries_its_reason_in_the_order_of_telling(first: str, last: str) -> None:
    space = " " if first.isascii() else ""
    card = _card(f"{first}{space}{last}")
    assert {first, last} == {quote.text for quote in card.quotes}
    assert card.statement.startswith(first)
    assert card.statement.endswith(last.removeprefix("所以"))


def test_the_reason_stands_nowhere_else() -> None:
    found = distilled([said("Small commits are easier to revert. Always keep commits small.")])
    assert len(found) == 1


def test_a_request_for_help_may_stand_between() -> None:
    reason = "I'm setting up a pipeline with typed clients to reduce broken calls"
    card = _card(f"{reason}, can you help me with that? I prefer typed clients over raw ones.")
    assert reason in card.statement


@pytest.mark.parametrize(
    "text",
    [
        "I live in Lyon. Please always answer in French.",
        "Does that make builds faster? Always keep builds reproducible.",
        "The old server saves us money.\n\nAlways answer in French.",
        "Never deploy on a Friday. It was raining yesterday.",
        "我住在里昂。以后请始终用法语回答。",
        "旧服务器比较省钱。以后请始终用法语回答。",
    ],
)
def test_what_gives_no_reason_for_the_same_thing_stays_apart(text: str) -> None:
    assert len(_card(text).quotes) == 1


def test_a_reason_without_room_is_a_receipt_only() -> None:
    reason = "It saves us " + "considerable preparation time " * 8 + "and money."
    rule = (
        "Always write the tests first, " + "with care and patience, " * 5 + "and keep them small."
    )
    card = _card(f"{rule} {reason}")
    assert reason in [quote.text for quote in card.quotes]
    assert len(card.statement) < LONGEST_REASONED
    assert reason not in card.statement


def test_a_wish_that_came_often_keeps_every_reason() -> None:
    texts = [
        "Always keep commits small. Small commits are easier to revert.",
        "Always keep commits small. It saves time in review.",
        "Always keep commits small.",
    ]
    cards = distilled([said(text, at) for at, text in enumerate(texts)])
    quotes = [quote.text for one in cards for quote in one.quotes]
    assert "Small commits are easier to revert." in quotes
    assert "It saves time in review." in quotes


@pytest.mark.parametrize(
    ("named", "wish"),
    [
        ("Rosa wants the sail in dark green.", "I'd rather have it in brown but she decides."),
        ("Our winch checker is knotty.", "Always run it before you cast off."),
        ("帆布是深绿的，很旧了。", "以后别改它。"),
    ],
)
def test_a_wish_about_it_stands_with_the_sentence_that_names_it(named: str, wish: str) -> None:
    card = _card(f"{named}{' ' if named.isascii() else ''}{wish}")
    assert {quote.text for quote in card.quotes} == {named, wish}
    assert card.statement.startswith(named)
    assert wish.rstrip(".。") in card.statement


@pytest.mark.parametrize(
    "text",
    [
        "Thanks! I prefer it short.",
        "What is a winch? Always run it before you cast off.",
        "The sail is green. Always write the log in English and keep it short.",
    ],
)
def test_no_other_sentence_is_told_along(text: str) -> None:
    assert len(_card(text).quotes) == 1


@pytest.mark.parametrize(
    ("ahead", "wish"),
    [
        ("Our contact is Signor Bassi.", "Simple sentences for him please."),
        ("Greta is new here.", "Please always cc her."),
        ("The audit is on Tuesday.", "Then no mails before 12."),
    ],
)
def test_a_wish_stands_with_the_sentence_that_names_the_person_or_the_day(
    ahead: str, wish: str
) -> None:
    card = _card(f"{ahead} {wish}")
    assert {quote.text for quote in card.quotes} == {ahead, wish}


@pytest.mark.parametrize("ahead", ["Well, there it is.", "And so we are here again."])
def test_a_sentence_that_names_nothing_is_not_told_along(ahead: str) -> None:
    card = _card(f"{ahead} Please never use it before noon.")
    assert ahead not in {quote.text for quote in card.quotes}


@pytest.mark.parametrize(
    "text",
    [
        "whenever you show me a diff, only the changes, not the whole file",
        "btw when you answer me, just the code, no explanation",
    ],
)
def test_a_wish_keeps_its_condition_and_what_is_not_meant(text: str) -> None:
    assert _card(text).statement.removeprefix("btw ") in text
    assert len(_card(text).statement) >= len(text) - len("btw ")
