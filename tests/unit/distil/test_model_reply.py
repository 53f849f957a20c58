"""What a model is shown, and what is read from its replies."""

from __future__ import annotations

import json
import re
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.distil.openai.reply import SCHEMAS, BadReply, extract, read, shapes
from noctuary.distil.openai.shown import CUT, show
from noctuary.memory.entry import Entry, Role
from noctuary.memory.tokens import estimate

NOON = datetime(2026, 11, 30, 12, 0, 0)
WORDS = st.text(st.characters(codec="utf-8"), max_size=60)
TOKEN = "ghp_" + "aB3d" * 9


def entry(text: str) -> Entry:
    return Entry("e0123456789", Role.USER, NOON, text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        'Sure:\n```json\n{"a": 1}\n```\nAnything else?',
        '<think>{"a": 2} or {"a": 3}?</think>{"a": 1}',
        'thoughts without a beginning {"a": 2}</think> {"a": 1}',
        '{"a": 2} no, wait: {"a": 1}',
        '{broken {"a": 1}',
        '{"a": 1} {"a": 1',
    ],
)
def test_the_last_whole_object_is_the_answer(text: str) -> None:
    assert extract(text) == {"a": 1}


@pytest.mark.parametrize(
    "text", ["", "no", "[1, 2]", "{", '{"a": NaN}', '{"a": 1e999', "{" * 100_000, '{"a":' * 100_000]
)
def test_without_a_whole_object_there_is_no_answer(text: str) -> None:
    with pytest.raises(BadReply):
        extract(text)


@given(st.text(alphabet='{}[]":,0tn\\ a<>/think', max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for kind in SCHEMAS:
        try:
            read(text, kind)
        except BadReply:
            continue


@pytest.mark.parametrize(
    "line",
    [
        {"n": 1, "why": "", "score": 6, "sure": True},
        {"n": 1, "why": "", "score": "5", "sure": True},
        {"n": 1.5, "why": "", "score": 5, "sure": True},
        {"n": True, "why": "", "score": 5, "sure": True},
        {"n": 1, "why": "", "score": 5, "sure": "yes"},
        {"why": "", "score": 5, "sure": True},
        7,
    ],
)
def test_scores_are_validated_strictly(line: object) -> None:
    good = {"n": 1, "why": "", "score": 5, "sure": True}
    assert len(read(json.dumps({"scores": [good]}), "score").scores) == 1
    with pytest.raises(BadReply):
        read(json.dumps({"scores": [good, line]}), "score")


def test_letters_that_no_file_can_hold_are_left_out() -> None:
    text = r'{"scores":[{"n":1,"why":"a\ud800b\u0000c","score":5,"sure":true}]}'
    assert read(text, "score").scores[0].why == "abc"


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_schema_that_is_sent_is_the_shape_that_is_read(kind: str) -> None:
    sent = SCHEMAS[kind]
    model = shapes()[kind].model_json_schema()
    [(name, items)] = sent["properties"].items()
    line = model["$defs"][model["properties"][name]["items"]["$ref"].rpartition("/")[2]]
    assert set(items["items"]["properties"]) == set(line["properties"])
    assert set(line["required"]) <= set(items["items"]["required"])


# -- what is shown, and the way back ----------------------------------------------------------


@given(WORDS, st.integers(0, 60), st.integers(1, 60))
def test_a_quote_of_what_is_shown_leads_back_to_the_entry(text: str, at: int, size: int) -> None:
    shown = show(entry(text), 10_000)
    said = shown.text[at : at + size]
    words = shown.words_of(said)
    if words is not None:
        assert words in text
    elif said.strip():
        assert estimate(text) > 10_000


@given(st.text(max_size=3000), st.integers(10, 100))
def test_long_texts_are_cut_and_the_cut_is_no_quote(text: str, most: int) -> None:
    shown = show(entry(text), most)
    assert estimate(shown.text) <= most + 12 or estimate(text) <= most
    if CUT in shown.text and CUT not in text:
        assert shown.words_of(shown.text) is None


def test_other_spaces_marks_and_cases_are_forgiven_but_no_other_words() -> None:
    shown = show(entry("She said: “The  boat’s price\nis 8,200 euros” yesterday."), 1000)
    assert (
        shown.words_of('"the boat\'s price is 8,200 euros"') == "The  boat’s price\nis 8,200 euros"
    )
    assert shown.words_of("The boat's price is 8,200 euros...") is not None
    assert shown.words_of("The boat's price is 9,200 euros") is None
    assert shown.words_of("The boat's euros") is None
    assert shown.words_of("  ") is None


def test_what_is_blacked_out_leads_back_whole() -> None:
    text = f"Deploy with {TOKEN} to Rosenholz on Friday."
    shown = show(entry(text), 1000, re.compile("Rosenholz"))
    assert TOKEN not in shown.text
    assert "Rosenholz" not in shown.text
    assert shown.words_of(shown.text) == text
    mask = shown.text[shown.text.index("[secret") : shown.text.index("]") + 1]
    assert shown.words_of(f"with {mask} to") == f"with {TOKEN} to"
    assert shown.words_of(mask[:10]) == TOKEN
