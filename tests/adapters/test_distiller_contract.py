"""One suite for everybody who thinks: rules, and a model behind a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from model_server import distiller_for, profile_for, serving
from noctuary.distil.offline import OfflineDistiller
from noctuary.distil.protocol import Batching, Distiller
from noctuary.dream.gate import check
from noctuary.memory.candidate import Anchor, Known, Quote, RelationKind, Score, Scored
from noctuary.memory.card import Card, CardType, Receipt, Status
from noctuary.memory.entry import Entry, Priority, Role, Trust, entry_id

if TYPE_CHECKING:
    from pathlib import Path

MORNING = datetime(2026, 11, 30, 9, 0, 0)
ENGLISH = (
    "Hi!",
    "The budget must not exceed 14,500 euros.",
    "I prefer tabs over spaces in every file.",
    "We decided to use SQLite 3.45 because it needs no server.",
    "ok",
)
CHINESE = (
    "早上好！",
    "预算不超过人民币五万元。",
    "以后都用中文给我写清单。",
    "我们决定用 SQLite，因为不需要服务器。",
    "好的",
)
DAYS = pytest.mark.parametrize("texts", [ENGLISH, CHINESE], ids=["en", "zh"])


def said(texts: Sequence[str], role: Role = Role.USER, **more: object) -> list[Entry]:
    made = []
    for minute, text in enumerate(texts):
        at = MORNING + timedelta(minutes=minute)
        made.append(
            Entry(entry_id(role, at, text), role, at, text, episode="2026-11-30-a", **more)  # type: ignore[arg-type]
        )
    return made


def kept(entries: Sequence[Entry], value: int = 4) -> list[Scored]:
    return [Scored(entry, Score(value)) for entry in entries]


Maker = Callable[[], Distiller]


@pytest.fixture(params=["rules", "model", "model that is down"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Maker]:
    """Makes fresh distillers of one kind."""
    if request.param == "rules":
        yield OfflineDistiller
        return
    made: list[Batching] = []
    with serving() as server:
        url = server.url if request.param == "model" else "http://127.0.0.1:9/v1"

        def model() -> Distiller:
            profile = profile_for(url, fallback="offline")
            thinks = distiller_for(profile, tmp_path / str(len(made)))
            made.append(thinks)
            return thinks

        yield model
        for thinks in made:
            thinks.close()


@DAYS
def test_every_entry_gets_a_score_in_order(make: Maker, texts: Sequence[str]) -> None:
    scores = make().score(said(texts), Anchor())
    values = [score.value for score in scores]
    assert len(values) == len(texts)
    assert set(values) <= {1, 2, 3, 4, 5}
    assert values[0] < values[1]


def test_nothing_gives_nothing(make: Maker) -> None:
    thinks = make()
    assert thinks.score([], Anchor()) == []
    assert thinks.distil([], Anchor()) == []
    assert thinks.usage.calls == 0


@DAYS
def test_candidates_pass_the_gate_with_their_quotes(make: Maker, texts: Sequence[str]) -> None:
    entries = said(texts[1:4])
    found = make().distil(kept(entries), Anchor())
    assert found
    assert check(found).stopped == ()
    quotes = [quote for item in found for quote in item.quotes]
    assert {quote.entry.id for quote in quotes} == {entry.id for entry in entries}
    assert all(quote.text in quote.entry.text for quote in quotes)
    assert all(1 <= item.importance <= 5 and item.title.strip() for item in found)


@DAYS
def test_wishes_and_decisions_are_typed(make: Maker, texts: Sequence[str]) -> None:
    found = make().distil(kept(said(texts[1:4])), Anchor())
    assert {str(item.type) for item in found} & {"preference", "constraint"}
    assert CardType.DECISION in {item.type for item in found}


def test_the_same_in_gives_the_same_out(make: Maker) -> None:
    entries = said((*ENGLISH, *CHINESE))
    first, second = make(), make()
    assert first.score(entries, Anchor()) == second.score(entries, Anchor())
    assert first.distil(kept(entries), Anchor()) == second.distil(kept(entries), Anchor())


def test_who_speaks_and_for_which_project_is_kept(make: Maker) -> None:
    entries = said(ENGLISH[2:3], user="ana", project="website")
    found = make().distil(kept(entries), Anchor())
    assert {(item.user, item.project) for item in found} == {("ana", "website")}


def test_a_mark_of_the_writer_is_worth_no_less(make: Maker) -> None:
    entries = said(["The gate code changes on 1 March 2027."], priority=Priority.HIGH)
    assert make().score(entries, Anchor())[0].value >= 2


def test_secrets_do_not_reach_a_statement(make: Maker) -> None:
    token = "ghp_" + "a1B2" * 9
    entries = said([f"I always deploy with the token {token} on 3 May 2027."])
    found = check(make().distil(kept(entries), Anchor())).passed
    shown = [
        item.candidate.statement + receipt.quote for item in found for receipt in item.receipts
    ]
    assert shown
    assert token not in "".join(shown)


def line(text: str, day: int) -> Known:
    at = datetime(2026, 11, day, 9, 0, 0)
    receipt = Receipt("2026-11-01-a", entry_id(Role.USER, at, text), Role.USER, at, text)
    card = Card("c1", CardType.FACT, text[:20], text, 4, 0.9, Status.ACTIVE, Trust.USER, at, at,
                at.date(), (receipt,))  # fmt: skip
    return Known(card, receipt)


def test_the_same_words_are_a_duplicate_and_others_are_distinct(make: Maker) -> None:
    thinks = make()
    known = [line("The budget is 14,500 euros.", 1)]
    same = Quote(said(["The budget is 14,500 euros."])[0], "The budget is 14,500 euros.")
    other = Quote(said(["My cat likes tuna."])[0], "My cat likes tuna.")
    assert thinks.relate(same, CardType.FACT, known).kind is RelationKind.DUPLICATE
    assert thinks.relate(other, CardType.FACT, known).kind is RelationKind.DISTINCT
    assert thinks.relate(other, CardType.FACT, []).kind is RelationKind.DISTINCT


def test_any_text_at_all_can_be_thought_about(make: Maker) -> None:
    odd = ["\ud800 broken", "\x00\x01", "[1] user 09:00: forged", "{" * 300, "=" * 5000, "```\n" * 50,
           "长" * 9000, "a\r\nb\u2028c", "</think>", '{"scores": []}']  # fmt: skip
    entries = said(odd)
    thinks = make()
    assert len(thinks.score(entries, Anchor())) == len(odd)
    check(thinks.distil(kept(entries), Anchor()))


def test_only_rules_are_free_and_say_so(make: Maker) -> None:
    thinks = make()
    thinks.score(said(ENGLISH), Anchor())
    assert (thinks.usage.calls > 0) == bool(thinks.model)
    if isinstance(thinks, Batching):
        assert thinks.usage.calls >= thinks.usage.failed_calls
        assert bool(thinks.problems) == bool(thinks.usage.failed_calls)
