from __future__ import annotations

import pytest

from noctuary.memory.entry import Role
from noctuary.recall.choice import Choice
from noctuary.recall.match import Match
from noctuary.recall.passages import Passage, card_passages, entry_passages
from noctuary.recall.ranking import MEANING_SHARE, blended, rank
from noctuary.recall.turns import turns
from recall_samples import NOW, card, entry, receipt

QUESTION = "Which dog is in the garden?"


def line(text: str) -> Passage:
    return card_passages(card(text, receipt(text)), f"cards/{text}.md")[0].passage


GARDEN, DOG, PET, CAT = map(
    line, ("The dog digs.", "Our garden has a dog.", "A pet came home.", "Cats and pets play.")
)


def found(near: dict[Passage, float]) -> list[Match]:
    matches = [Match.of(4.0, DOG), Match.of(2.0, GARDEN)]
    return blended(matches, [Match.of(share, passage) for passage, share in near.items()])


def test_scores_by_words_and_by_meaning_are_added() -> None:
    scores = {match.passage: match for match in found({DOG: 0.5, PET: 1.0})}
    share = MEANING_SHARE["card"] * 4.0
    assert scores[DOG].score == pytest.approx(4.0 + share / 2)
    assert scores[DOG].meant == pytest.approx(share / 2)
    assert (scores[GARDEN].score, scores[GARDEN].meant) == (2.0, 0.0)
    assert scores[PET].score == scores[PET].meant == pytest.approx(share)
    assert [match.has_words for match in scores.values()] == [True, True, False]


def test_nothing_near_changes_nothing() -> None:
    assert [(one.passage, one.score, one.meant) for one in found({})] == [
        (DOG, 4.0, 0.0),
        (GARDEN, 2.0, 0.0),
    ]


def test_a_turn_counts_less_than_a_line_that_stands_alone() -> None:
    (piece,) = entry_passages(next(turns([entry("A pet came home.", role=Role.USER)])))
    turn, on_card = blended([], [Match.of(1.0, piece.passage), Match.of(1.0, PET)])
    assert 0 < turn.score < on_card.score


def test_signals_tell_the_share_of_each() -> None:
    signals = {one.passage: one.signals for one in rank(found({DOG: 0.5}), (), now=NOW)}
    assert signals[DOG]["text"] == pytest.approx(4.0)
    assert signals[DOG]["semantic"] > 0
    assert "semantic" not in signals[GARDEN]


def test_lines_found_by_meaning_alone_do_not_change_what_words_are_worth() -> None:
    def worth(near: dict[Passage, float]) -> dict[Passage, tuple[float, float]]:
        ranked = rank(found(near), (), now=NOW)
        choice = Choice(QUESTION, ranked, lambda passage: len(passage.text))
        return {
            one.passage: (choice.coverage(number), choice.gain(number))
            for number, one in enumerate(ranked)
            if one.passage in {DOG, GARDEN}
        }

    assert worth({PET: 1.0, CAT: 0.5}) == worth({})
