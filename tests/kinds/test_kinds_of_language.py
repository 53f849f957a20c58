"""Labelled sentences of people who work with agents, each said alone and dreamt offline."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2]))

from benchmarks.kinds import judged, precisions, read, recalls, steering

HERE = Path(__file__).parent
REACHED = {
    "dev_en.tsv": (0.96, 0.93),
    "dev_zh.tsv": (0.91, 0.79),
    "dev2_en.tsv": (0.93, 0.93),
    "dev2_zh.tsv": (0.89, 0.89),
    "dev3_en.tsv": (0.88, 0.86),
    "dev3_zh.tsv": (0.88, 0.85),
    "held_en.tsv": (0.80, 0.85),
    "held_zh.tsv": (0.77, 0.74),
    "held2_en.tsv": (0.88, 0.82),
    "held2_zh.tsv": (0.88, 0.89),
    "held3_en.tsv": (0.71, 0.70),
    "held3_zh.tsv": (0.65, 0.58),
}
"""Mean recall and least precision of a kind of card, a little below what was measured.

Nothing was tuned to the lines of the `held` files: keep it so, or they tell nothing any more.
"""
MAY_STEER = {"held3_zh.tsv": 0.1}
"""Share of the harmless lines that may steer; of all other files a twentieth."""


@pytest.mark.slow
@pytest.mark.parametrize("name", REACHED)
def test_kinds_of_language_are_known(name: str) -> None:
    found = judged(read(HERE / name))
    recall, precision = REACHED[name]
    by_label = recalls(found)
    assert sum(by_label.values()) / len(by_label) >= recall
    assert min(precisions(found).values()) >= precision
    assert steering(found) <= MAY_STEER.get(name, 0.05)
