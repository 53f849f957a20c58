from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from noctuary.memory.card import Card, CardType, Status
from noctuary.memory.entry import Role
from noctuary.recall.match import Match
from noctuary.recall.passages import Passage, card_passages, entry_passages
from noctuary.recall.ranking import Filters, Ranked, holds_on, joined, newest_first, rank
from noctuary.recall.turns import turns
from recall_samples import NOW, card, entry, receipt

if TYPE_CHECKING:
    from collections.abc import Iterable


def line(of: Card, number: int = 0, path: str = "cards/facts/x.md") -> Passage:
    return card_passages(of, path)[number].passage


def ranked(
    found: list[tuple[float, Passage]], named: Iterable[str], *, now: datetime
) -> list[Ranked]:
    return rank([Match.of(score, passage) for score, passage in found], named, now=now)


def test_at_equal_match_what_matters_more_comes_first() -> None:
    minor = line(card("a", receipt("tea at five"), importance=1), path="a.md")
    major = line(card("b", receipt("tea at six"), importance=5), path="b.md")
    assert ranked([(1.0, minor), (1.0, major)], (), now=NOW)[0].passage == major


def test_at_equal_match_newer_comes_first() -> None:
    old = line(card("a", receipt("tea", "2020-01-01T10:00:00")), path="a.md")
    new = line(card("b", receipt("tea", "2026-12-20T10:00:00")), path="b.md")
    assert ranked([(1.0, old), (1.0, new)], (), now=NOW)[0].passage == new


def test_a_much_better_match_beats_importance() -> None:
    minor = line(card("a", receipt("tea"), importance=2), path="a.md")
    major = line(card("b", receipt("tea"), importance=5), path="b.md")
    assert ranked([(2.0, minor), (1.0, major)], (), now=NOW)[0].passage == minor


def test_who_is_named_in_the_question_is_heard_first() -> None:
    anna = line(card("a", receipt("tea", speaker="Anna")), path="a.md")
    bert = line(card("b", receipt("tea", speaker="Bert")), path="b.md")
    assert ranked([(1.0, anna), (1.0, bert)], {"bert"}, now=NOW)[0].passage == bert


def test_who_is_named_is_heard_before_another_who_fits_somewhat_better() -> None:
    anna = line(card("a", receipt("tea at five", speaker="Anna")), path="a.md")
    bert = line(card("b", receipt("tea", speaker="Bert")), path="b.md")
    order = ranked([(1.5, anna), (1.0, bert)], {"bert", "tea"}, now=NOW)
    assert order[0].passage == bert


def test_the_person_outranks_the_assistant() -> None:
    talk = turns([entry("tea"), entry("tea", role=Role.ASSISTANT)])
    user, other = (entry_passages(turn)[0].passage for turn in talk)
    assert ranked([(1.0, other), (1.0, user)], (), now=NOW)[0].passage == user


def test_new_knowledge_takes_the_place_of_the_old_line_that_matched() -> None:
    new = receipt("Now it is ten.", "2026-12-01T10:00:00")
    old = receipt("The limit is five.", replaced=date(2026, 12, 1), replaced_by=new.link)
    both = card("Limit", new, replaced=(old,))
    order = ranked([(3.0, line(both, 1))], (), now=NOW)
    told = newest_first(
        order, lambda target: [Match.of(0.0, line(both, 0))] if target in new.link else []
    )
    assert [one.passage.text for one in told] == ["Now it is ten.", "The limit is five."]


def test_an_old_line_that_matches_better_still_comes_behind() -> None:
    new = receipt("The limit is ten.", "2026-12-01T10:00:00")
    old = receipt("The limit is five.", replaced=date(2026, 12, 1), replaced_by=new.link)
    both = card("Limit", new, replaced=(old,))
    order = ranked([(9.0, line(both, 1)), (1.0, line(both, 0))], (), now=NOW)
    told = newest_first(order, lambda _: [Match.of(0.0, line(both, 0))])
    assert [one.passage.text for one in told] == ["The limit is ten.", "The limit is five."]


def test_each_part_of_a_question_gets_its_share() -> None:
    loud = [Match.of(9.0 - n, line(card(f"a{n}", receipt("a")), path=f"a{n}.md")) for n in range(5)]
    quiet = [Match.of(2.0, line(card("b", receipt("b")), path="b.md"))]
    order = sorted(joined([*loud, *quiet], [loud, quiet]), key=lambda match: -match.score)
    owners = [match.passage.owner for match in order]
    assert owners.index("b.md") < owners.index("a4.md")


def test_by_default_the_past_is_not_told() -> None:
    retired = line(card("a", receipt("tea"), status=Status.SUPERSEDED))
    assert not Filters().admit(retired)
    assert Filters(archived=True).admit(retired)


def test_what_awaits_a_person_is_never_told() -> None:
    proposed = line(card("a", receipt("tea"), status=Status.QUARANTINED))
    assert not Filters(archived=True).admit(proposed)


def test_as_of_a_day_the_old_value_holds_and_the_new_does_not() -> None:
    old = receipt("five", "2026-11-01T10:00:00", replaced=date(2026, 12, 1))
    new = receipt("ten", "2026-12-01T10:00:00")
    both = card("Limit", new, replaced=(old,))
    day = date(2026, 11, 15)
    assert holds_on(line(both, 1), day)
    assert not holds_on(line(both, 0), day)
    assert not holds_on(line(both, 1), date(2026, 12, 1))


def test_a_project_sees_its_own_and_what_belongs_to_none() -> None:
    site, general, other = (
        line(card(name, receipt("tea"), project=name)) for name in ("site", "", "other")
    )
    only = Filters(project="site")
    assert [only.admit(one) for one in (site, general, other)] == [True, True, False]


def test_types_can_be_asked_for() -> None:
    rule = line(card("a", receipt("tea"), type=CardType.CONSTRAINT))
    assert Filters(types=frozenset({"constraint"})).admit(rule)
    assert not Filters(types=frozenset({"fact"})).admit(rule)
