from __future__ import annotations

import os
from xml.etree import ElementTree

import pytest
from benchmarks import life
from benchmarks.years import MONTH, Month, Run, found
from benchmarks.years_plot import drawing

SETTINGS = {
    "max_cards": 160, "stale_days": 40, "noise_days": 2, "entry_days": 4, "graveyard_days": 4,
    "report_days": 15, "max_archive_mb": 0.03,
}  # fmt: skip
MONTHS = 4
PER_DAY = 24


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> list[Month]:
    """Sixteen weeks in a vault that is full after ten."""
    folder = tmp_path_factory.mktemp("years")
    os.environ["NOCTUARY_CACHE"] = str(folder / "cache")
    found(folder, **SETTINGS)
    lived = [Month(0)]
    for number in range(1, MONTHS + 1):
        last = lived[-1]
        month = Month(number, entries=last.entries, raw_in=last.raw_in)
        run = Run(folder, month, PER_DAY)
        run.live(MONTHS * MONTH)
        lived.append(run.month)
    return lived[1:]


@pytest.mark.slow
def test_a_full_vault_does_not_grow(months: list[Month]) -> None:
    before, after = months[-2:]
    for part in ("cards", "episodes", "graveyard", "maps", "cache", "state"):
        # The index in the cache goes up and down as its segments are merged.
        peak = max(month.sizes[part] for month in months[:-1])
        assert after.sizes[part] <= 1.5 * peak + 4_000, part
    assert after.sizes["dreams"] - before.sizes["dreams"] <= 1_000 * MONTH
    assert after.files <= 1.2 * before.files + MONTH
    assert after.cards <= SETTINGS["max_cards"]
    assert after.sizes["archive"] <= 1.2 * 1_000_000 * SETTINGS["max_archive_mb"]


@pytest.mark.slow
def test_what_must_be_known_is_known(months: list[Month]) -> None:
    for month in months:
        assert month.rules == 1
        assert month.facts >= 0.5
        assert month.week >= 0.5
        assert month.facts_lost == 0
        assert month.problems == []


@pytest.mark.slow
def test_raw_text_is_gone(months: list[Month]) -> None:
    last = months[-1]
    assert last.raw_left < 0.15 * last.raw_in


def test_a_life_is_the_same_each_time_and_never_repeats() -> None:
    assert life.day(9, 40) == life.day(9, 40)
    texts = [row["text"] for day in range(5) for row in life.day(day, 60) if row["role"] == "tool"]
    assert len(texts) == len(set(texts))
    assert {row["text"].isascii() for on in range(5) for row in life.day(on, 60)} == {True, False}
    assert life.day(6, 40) == []


def test_what_is_asked_was_said() -> None:
    said = "\n".join(row["text"] for day in range(460) for row in life.day(day, 20))
    for asked in (*life.rules(459), *life.facts(459), *life.told(459, 20)):
        assert asked.answer in said
    changed = [asked for asked in life.facts(459) if len(asked.older) > 1]
    assert changed


def test_the_drawing_is_svg_with_a_line_for_each_series() -> None:
    lived = [Month(number, usual=number / 10, sizes={"cards": number}) for number in range(1, 40)]
    root = ElementTree.fromstring(drawing(lived))  # noqa: S314 - our own text
    assert root.tag.endswith("svg")
    assert len(root.findall(".//{*}polyline")) == 13
