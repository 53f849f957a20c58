from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.card import Status
from noctuary.recall.passages import (
    PIECE,
    SHORT,
    card_passages,
    date_tokens,
    entry_passages,
    pieces,
)
from noctuary.recall.turns import turns
from recall_samples import card, entry, receipt


def test_each_receipt_of_a_digest_is_a_passage_of_its_own() -> None:
    digest = card("Running", receipt("I run on Mondays."), receipt("My shoes are size 43."))
    shown = [one.passage.text for one in card_passages(digest, "cards/facts/running.md")]
    assert shown == ["I run on Mondays.", "My shoes are size 43."]


def test_a_statement_says_where_its_newest_word_was_said() -> None:
    first = receipt("Port 8000.", "2026-11-30T14:00:00")
    last = receipt("Port 9000.", "2026-12-02T09:00:00")
    statement, *_ = card_passages(card("Port", last, first, statement="Port 9000."), "cards/p.md")
    assert statement.passage.link == last.link
    assert statement.links.count(last.link.strip("[]")) == 1


def test_relative_dates_are_resolved_in_what_is_shown() -> None:
    digest = card("Trips", receipt("We went to Rome yesterday.", "2023-05-08T13:58:00"))
    assert "7 May 2023" in card_passages(digest, "cards/facts/t.md")[0].passage.text


def test_a_replaced_receipt_knows_until_when_and_by_what() -> None:
    old = receipt("Budget: 5 k", replaced=date(2026, 12, 1), replaced_by="[[n#^e1]]")
    passage = card_passages(card("Budget", replaced=(old,)), "cards/facts/b.md")[0].passage
    assert (passage.is_past, passage.until, passage.successor) == (True, date(2026, 12, 1), "n#^e1")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "I have never sung in public.",
            (
                "I have never sung in public. [contradictory: the contrary was said on "
                "3 May 2026; it was not clarified which is correct]"
            ),
        ),
        (
            "我从来没有登台唱过歌。",
            "我从来没有登台唱过歌。 [有矛盾：2026年5月3日说的与此相反，哪个正确尚未澄清]",
        ),
    ],
)
def test_what_is_disputed_says_so_until_it_is_settled(words: str, told: str) -> None:
    line = replace(receipt(words), disputed=date(2026, 5, 3), disputed_by="[[n#^e1]]")
    digest = card("Singing", line, receipt("I own a piano."), status=Status.DISPUTED)
    shown = [one.passage.text for one in card_passages(digest, "cards/facts/s.md")]
    assert shown == [told, "I own a piano."]
    stated = card("Singing", line, statement=words, status=Status.DISPUTED)
    assert card_passages(stated, "cards/facts/s.md")[0].passage.text == told
    settled = replace(digest, status=Status.ACTIVE)
    assert card_passages(settled, "cards/facts/s.md")[0].passage.text == words


def test_a_short_turn_is_found_by_the_words_of_its_neighbours() -> None:
    talk = [
        entry("Which zoo did you visit?", "2026-11-30T14:00:00"),
        entry("The one in Vienna.", "2026-11-30T14:01:00"),
        entry("Lovely giraffes there!", "2026-11-30T14:02:00"),
    ]
    found = entry_passages(list(turns(talk))[1])[0].tokens.split()
    assert "zoo" in found
    assert any(token.startswith("giraff") for token in found)


def test_turns_of_other_sessions_are_no_neighbours() -> None:
    talk = [entry("Which zoo?", session="a"), entry("Vienna.", session="b")]
    assert all(turn.before is None and turn.after is None for turn in turns(talk))


def test_a_new_neighbour_changes_the_digest_of_a_turn() -> None:
    first, second = entry("Which zoo?"), entry("Vienna.")
    assert next(turns([first])).digest != next(turns([first, second])).digest


@given(st.text(alphabet="ab .。!?\n我", max_size=2000))
def test_pieces_keep_every_word(text: str) -> None:
    assert "".join("".join(pieces(text)).split()) == "".join(text.split())


def test_long_text_is_cut_at_sentences_into_bounded_pieces() -> None:
    text = " ".join(f"Sentence number {number} says something." for number in range(100))
    found = pieces(text)
    assert len(found) > 1
    assert all(len(piece) <= PIECE + SHORT and piece.endswith(".") for piece in found)


def test_a_day_is_found_by_its_common_spellings() -> None:
    found = date_tokens(date(2023, 5, 8))
    assert {"d:2023-05-08", "d:2023-05"} <= set(found)


def test_where_one_person_goes_on_alone_own_words_count_more() -> None:
    alone = next(turns([entry("Vienna.", user="Anna"), entry("Lovely.", user="Anna")]))
    spoken = next(turns([entry("Vienna.", user="Anna"), entry("Lovely.", user="Bert")]))
    counts = [entry_passages(turn)[0].tokens.split().count("vienna") for turn in (alone, spoken)]
    assert counts[0] > counts[1] > 1


def test_sessions_that_run_at_once_keep_their_own_neighbours() -> None:
    talk = [entry(f"{name}{number}", session=name) for number in range(3) for name in "ab"]
    found = {turn.entry.text: turn for turn in turns(iter(talk))}
    assert len(found) == len(talk)
    for name in "ab":
        middle = found[f"{name}1"]
        assert middle.before is not None
        assert middle.after is not None
        assert (middle.before.text, middle.after.text) == (f"{name}0", f"{name}2")
        assert found[f"{name}0"].before is found[f"{name}2"].after is None
