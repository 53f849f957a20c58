from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.entry import Role
from noctuary.memory.tokens import estimate
from noctuary.recall.answer import compose
from noctuary.recall.match import Match
from noctuary.recall.passages import card_passages, entry_passages, turns
from noctuary.recall.ranking import Ranked, rank
from recall_samples import NOW, card, entry, receipt

if TYPE_CHECKING:
    from noctuary.memory.card import Card


def ranked(*cards: Card) -> list[Ranked]:
    found = [
        Match.of(float(100 - number), one.passage)
        for number, one in enumerate(
            one for of in cards for one in card_passages(of, f"cards/facts/{of.title}.md")
        )
    ]
    return rank(found, (), now=NOW)


def test_lines_of_one_card_come_together_in_order_of_time() -> None:
    late = receipt("Then tea.", "2026-11-30T15:00:00")
    early = receipt("First coffee.", "2026-11-30T14:00:00")
    answer = compose("q", ranked(card("Drinks", late, early)), k=None, budget=100)
    assert answer.hits[0].text == "30 November 2026 First coffee.\n30 November 2026 Then tea."


def test_a_line_names_its_speaker_and_day() -> None:
    said = card("a", receipt("I paint.", "2023-05-08T10:00:00", speaker="Anna"))
    hit = compose("q", ranked(said), k=None, budget=100).hits[0]
    assert hit.text == "8 May 2023 Anna: I paint."


def test_a_speaker_who_is_named_already_is_not_named_twice() -> None:
    said = card("a", receipt("Anna: I paint.", speaker="Anna"))
    assert compose("q", ranked(said), k=None, budget=100).hits[0].text.count("Anna") == 1


def test_what_the_assistant_said_is_marked() -> None:
    passage = entry_passages(turns([entry("Try tea.", role=Role.ASSISTANT)])[0])[0].passage
    answer = compose("q", rank([Match.of(1.0, passage)], (), now=NOW), k=None, budget=100)
    assert "(assistant)" in answer.hits[0].text


def test_chinese_lines_carry_their_day_too() -> None:
    said = card("预算", receipt("预算不超过五万元。", "2024-04-02T10:00:00"))
    hit = compose("q", ranked(said), k=None, budget=100).hits[0]
    assert hit.text == "2024-04-02 预算不超过五万元。"


def test_the_same_words_are_paid_for_once() -> None:
    twice = card("a", receipt("I like tea."), receipt("I like tea!", "2026-12-01T10:00:00"))
    assert compose("q", ranked(twice), k=None, budget=100).hits[0].text.count("tea") == 1


def test_at_most_k_cards() -> None:
    cards = [card(f"t{number}", receipt(f"line {number}")) for number in range(9)]
    assert len(compose("q", ranked(*cards), k=3, budget=1000).hits) == 3


def test_a_line_too_long_for_what_is_left_makes_room_for_shorter_ones() -> None:
    cards = [card("long", receipt("word " * 400)), card("short", receipt("tea"))]
    hits = compose("q", ranked(*cards), k=None, budget=50).hits
    assert [hit.title for hit in hits] == ["short"]


@given(st.integers(0, 300), st.lists(st.text("ab 我们。", min_size=1, max_size=80), max_size=30))
def test_the_budget_is_never_exceeded(budget: int, quotes: list[str]) -> None:
    cards = [card(f"t{number}", receipt(quote)) for number, quote in enumerate(quotes)]
    answer = compose("q", ranked(*cards), k=None, budget=budget)
    assert answer.tokens <= budget
    assert estimate("\n".join(hit.text for hit in answer.hits)) <= budget


def test_nothing_found_is_an_empty_answer() -> None:
    assert compose("q", [], k=5, budget=100).to_json() == {"query": "q", "hits": [], "tokens": 0}


def test_json_has_the_promised_shape() -> None:
    answer = compose("q", ranked(card("a", receipt("tea"))), k=5, budget=100)
    shape = json.loads(json.dumps(answer.to_json(explain=True)))["hits"][0]
    assert list(shape) == [
        "id", "kind", "type", "title", "text", "score", "status", "importance", "trust", "date",
        "path", "source", "explain",
    ]  # fmt: skip
    assert shape["source"][0].startswith("[[2026-11-30-agent-7f3a2b#^e")
    assert "importance" in shape["explain"]
