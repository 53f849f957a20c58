"""From which score on an entry is kept in detail, or at all, is for the person to say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dream_kit import Scripted, reconciler, said
from noctuary.dream.collect import Pending
from noctuary.dream.consolidate import Bounds, Outcome, consolidate
from noctuary.memory.candidate import Anchor
from noctuary.memory.entry import Priority

TEXTS = {f"The pier {score} costs {score}00 euros.": score for score in range(1, 6)}


def outcome(bounds: Bounds, priority: Priority = Priority.NORMAL) -> Outcome:
    entries = [replace(said(text, minute), priority=priority) for minute, text in enumerate(TEXTS)]
    thinker = Scripted(scores=TEXTS)
    return consolidate(Pending(tuple(entries)), reconciler(), thinker, Anchor(), bounds)


@pytest.mark.parametrize(
    ("bounds", "values"),
    [
        (Bounds(), [1, 2, 3, 4, 5]),
        (Bounds(keep_from=1), [2, 2, 3, 4, 5]),
        (Bounds(keep_from=4), [1, 1, 1, 4, 5]),
        (Bounds(detail_from=5), [1, 2, 3, 3, 5]),
        (Bounds(detail_from=2), [1, 4, 4, 4, 5]),
    ],
)
def test_scores_are_read_as_the_settings_say(bounds: Bounds, values: list[int]) -> None:
    told = outcome(bounds)
    assert [item.score.value for item in told.scored] == values
    assert len(told.noise) == values.count(1)


def test_the_writers_mark_outranks_the_settings() -> None:
    strict = Bounds(keep_from=5, detail_from=5)
    assert {item.score.value for item in outcome(strict, Priority.HIGH).scored} == {4, 5}
    kind = Bounds(keep_from=1, detail_from=2)
    assert {item.score.value for item in outcome(kind, Priority.LOW).scored} == {2}
