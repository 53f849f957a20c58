from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, datetime

from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.card import Card, CardType, HistoryLine, Origin, Receipt, Status
from noctuary.memory.cardplain import from_plain, hollow, to_plain
from noctuary.memory.entry import Role, Trust
from recall_samples import card, receipt

words = st.text(max_size=30)
lists = st.lists(words, max_size=3).map(tuple)
days = st.dates(date(1990, 1, 1), date(2100, 1, 1))
moments = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1))
receipts = st.builds(
    Receipt, words, words, st.sampled_from(Role), moments, words, words, words,
    st.none() | days, words, st.none() | days, words,
)  # fmt: skip
cards = st.builds(
    Card,
    id=words, type=st.sampled_from(CardType), title=words, statement=words,
    importance=st.integers(1, 5), confidence=st.floats(0, 1), status=st.sampled_from(Status),
    trust=st.sampled_from(Trust), created=moments, updated=moments, last_referenced=days,
    evidence=st.lists(receipts, max_size=3).map(tuple),
    replaced=st.lists(receipts, max_size=2).map(tuple),
    history=st.lists(st.builds(HistoryLine, days, words), max_size=2).map(tuple),
    user=words, project=words, source=lists, references=st.integers(0), seen=st.integers(1),
    origin=st.sampled_from(Origin), aliases=lists, tags=lists, supersedes=lists,
    superseded_by=lists, valid_from=st.none() | days, valid_until=st.none() | days,
    extra=st.dictionaries(words, words, max_size=2),
)  # fmt: skip


@given(cards)
def test_a_card_comes_back_whole(one: Card) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(one)))) == one


def test_a_hollow_card_has_its_weight_and_its_links_but_no_words() -> None:
    full = card("Tea", receipt("I drink tea."), statement="I drink tea.", references=7)
    full = replace(full, supersedes=("[[coffee]]",), extra={"mine": "x"})
    bare = hollow(full)
    assert (bare.id, bare.references, bare.supersedes) == (full.id, 7, ("[[coffee]]",))
    assert "drink" not in json.dumps(to_plain(bare))
