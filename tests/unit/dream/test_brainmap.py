from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from dream_kit import NIGHT, candidate, reconciler, said
from noctuary.dream.brainmap import MAX_CHARS, BrainMap, Placed, brain_map, map_language
from noctuary.dream.gate import check
from noctuary.memory.card import Card, CardType, Status

LINK = re.compile(r"\[\[([^\]|#]+)")


def cards(count: int) -> list[Placed]:
    work = reconciler()
    work.take(check([candidate(said("The port is 5000"), title="seed")]).passed)
    (seed,) = work.brain.cards.values()
    return [Placed(numbered(seed, n), f"note-{n}") for n in range(count)]


def numbered(seed: Card, n: int) -> Card:
    types = list(CardType)
    type_ = types[n % len(types)]
    return replace(
        seed,
        id=f"c{n:06d}",
        type=type_,
        title=f"Card number {n} about something of a usual length",
        importance=1 + n % 5,
        status=Status.OPEN if type_ is CardType.TASK else Status.ACTIVE,
        created=NIGHT - timedelta(hours=n),
        project=f"project-{n % 30}",
        user=f"person-{n % 7}",
        tags=(f"memory/{type_}", f"topic/topic-{n % 90}"),
    )


def lines_of(drawn: BrainMap) -> list[str]:
    body = [line for section in drawn.sections for line in (section.heading, *section.lines)]
    return [drawn.title, drawn.health, *body, *drawn.mindmap]


@pytest.mark.parametrize("count", [0, 1, 10, 100, 1000, 10_000])
def test_the_index_fits_whatever_the_number_of_cards(count: int) -> None:
    drawn = brain_map(cards(count), ["[[2026-12-01T0312]] · something"], "healthy")
    blanks = 3 * len(drawn.sections) + 8
    assert len(lines_of(drawn)) + blanks < 200
    assert len("\n".join(f"- {line}" for line in lines_of(drawn))) < MAX_CHARS + 1000


def test_every_card_can_be_reached_and_every_link_exists() -> None:
    placed = cards(1000)
    drawn = brain_map(placed, [], "healthy")
    pages = {page.name: page for page in drawn.pages}
    known = {item.name for item in placed} | set(pages)
    texts = lines_of(drawn) + [line for page in pages.values() for line in page.lines]
    linked = {name for line in texts for name in LINK.findall(line)}
    assert linked <= known
    assert {item.name for item in placed} <= linked


def test_rules_come_first_and_the_most_important_of_them_first() -> None:
    drawn = brain_map(cards(50), [], "healthy")
    assert drawn.sections[0].heading == "Always true"
    dots = [line.count("●") for line in drawn.sections[0].lines]
    assert dots == sorted(dots, reverse=True)
    assert min(dots) >= 4


def test_retired_cards_are_not_on_the_map() -> None:
    (placed,) = cards(1)
    gone = Placed(replace(placed.card, status=Status.SUPERSEDED), placed.name)
    drawn = brain_map([gone], [], "healthy")
    assert all(placed.name not in line for line in lines_of(drawn))


def test_the_map_speaks_the_language_of_its_cards() -> None:
    (placed,) = cards(1)
    chinese = Placed(replace(placed.card, title="预算不超过人民币五万元", importance=5), "预算")
    spoken = map_language("auto", [chinese.card])
    assert brain_map([chinese], [], "", spoken).sections[0].heading == "始终成立"


def test_titles_cannot_break_out_of_their_link() -> None:
    (placed,) = cards(1)
    hostile = Placed(replace(placed.card, title="a]] [[evil|x", importance=5), "note")
    assert LINK.findall(brain_map([hostile], [], "").sections[0].lines[0]) == ["note"]


def test_a_digest_says_how_many_lines_stand_under_its_title() -> None:
    work = reconciler()
    entries = [said(f"The harbour crane {n} is green", n) for n in range(3)]
    work.take(check([candidate(*entries, statement="", title="Harbour")]).passed)
    (card,) = work.brain.cards.values()
    drawn = brain_map([Placed(card, "harbour")], [], "healthy", "en")
    assert "[[harbour|Harbour]] · ●●●● · 3 lines · " in "\n".join(lines_of(drawn))
    drawn = brain_map([Placed(card, "harbour")], [], "healthy", "zh")
    assert " · 3 行 · " in "\n".join(lines_of(drawn))


def test_what_is_always_true_is_listed_once_and_a_topic_has_several_cards() -> None:
    (seed,) = [item.card for item in cards(1)]
    rule = replace(seed, type=CardType.PREFERENCE, importance=5, tags=("topic/tide",))
    fact = replace(seed, id="c2", type=CardType.FACT, title="Tide", tags=("topic/tide",))
    lone = replace(fact, id="c3", title="Pier", tags=("topic/pier",))
    drawn = brain_map([Placed(rule, "rule"), Placed(fact, "tide"), Placed(lone, "pier")], [], "")
    lists = [line for section in drawn.sections[:2] for line in section.lines]
    assert sum("[[rule|" in line for line in lists) == 1
    assert "**tide** (2)" in "\n".join(lines_of(drawn))
    assert "**pier**" not in "\n".join(lines_of(drawn))
