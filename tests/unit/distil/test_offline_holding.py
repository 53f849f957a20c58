from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distil_kit import distiller as the_distiller
from distil_kit import known_line, relation, said
from noctuary.distil.offline.holding import claims, still_holding
from noctuary.memory.candidate import Quote, RelationKind
from noctuary.memory.card import CardType


@pytest.mark.parametrize(
    ("old", "new", "rest", "about"),
    [
        (
            "The harbour office is called Tidewatch, it is in Ostend, and it opens on 3 March 2026.",
            "The opening of the office moves from 3 March to 9 March 2026.",
            "The harbour office is called Tidewatch, it is in Ostend",
            "",
        ),
        (
            "My cousin lives in Leeds, and she repairs violins.",
            "My cousin moved to Dover.",
            "she repairs violins.",
            "My cousin",
        ),
        (
            "My cousin lives in Leeds, works as a baker, and has 3 ponies.",
            "My cousin moved to Dover.",
            "works as a baker, and has 3 ponies.",
            "My cousin",
        ),
        (
            "The rent must not exceed 1,500 euros, and the flat must have a lift.",
            "The rent was raised to 1,700 euros.",
            "the flat must have a lift.",
            "",
        ),
        (
            "I drink cider every evening, and I own a boat.",
            "I no longer drink cider.",
            "I own a boat.",
            "",
        ),
        (
            "Always use tables in reports; never use red.",
            "Forget what I said about tables in reports.",
            "never use red.",
            "",
        ),
        ("租金不超过三千元，必须有电梯。", "租金提高到四千元。", "必须有电梯。", ""),
        (
            "叔叔住在大连海边，今年61岁，腰不好，不能搬重物。",
            "叔叔搬到青岛了。",
            "今年61岁，腰不好，不能搬重物。",
            "叔叔",
        ),
        ("日志库用 Loki，队列用 Kafka。", "日志库改用 Elastic。", "队列用 Kafka。", ""),
        ("展览定在3月8日，讲解员是周宁。", "展览改到3月15日。", "讲解员是周宁。", ""),
    ],
)
def test_what_was_not_changed_still_holds(old: str, new: str, rest: str, about: str) -> None:
    kind = CardType.CONSTRAINT if "must" in old or "必须" in old else CardType.FACT
    found = relation(new, old, type_=kind)
    assert found.kind in (RelationKind.SUPERSEDES, RelationKind.RETRACTS)
    assert [(part.text, part.about) for part in found.rest] == [(rest, about)]
    assert rest in old


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We sell apples, pears and plums.", "We no longer sell apples."),
        ("My budget is 300 euros.", "My budget is 450 euros."),
        ("The vote is on 4 April, 2026 in the town hall.", "The vote moves to 9 April 2026."),
        ("I drink cider every evening, because it helps me sleep.", "I no longer drink cider."),
        ("The director of the play is J. Arden Brook.", "The director of the play is Eva Moll."),
        (
            "Always use tables in reports, and keep them under 2 pages.",
            "Never use tables in reports.",
        ),
        (
            "The seat of the University of Orlo, Tarn is located in the city of Tarn.",
            "The seat of the University of Orlo, Tarn is located in the city of Brask.",
        ),
        ("我每天早上都喝一杯豆浆，不加糖，喝完才上班。", "我现在不喝豆浆了。"),
        ("展览定在3月8日，周日上午十点开始。", "展览改到3月15日。"),
    ],
)
def test_what_only_leans_on_the_changed_part_falls_with_it(old: str, new: str) -> None:
    found = relation(new, old, type_=CardType.PREFERENCE)
    assert found.kind is RelationKind.SUPERSEDES
    assert found.rest == ()


def test_of_an_outdated_line_too_the_rest_holds() -> None:
    known = known_line("The opening moves to 9 March 2026.", minute=90)
    late = "The opening is on 3 March 2026, and the shop sells sails."
    found = the_distiller().relate(Quote(said(late), late), CardType.FACT, [known])
    assert found.kind is RelationKind.OUTDATED
    assert [part.text for part in found.rest] == ["the shop sells sails."]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The rent must not exceed 900 euros.", "The rent was raised to 950 euros."),
        ("The rent must not exceed 1,900 euros.", "The rent must not exceed 950 euros."),
        ("租金不超过三千元。", "租金提高到四千元。"),
        ("每场最多30人。", "每场最多25人。"),
        ("The rent is now 950 euros.", "The rent is 900 euros, and the lease ends in May."),
    ],
)
def test_a_limit_set_anew_replaces_the_value_before(new: str, old: str) -> None:
    assert relation(new, old, type_=CardType.CONSTRAINT).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The rent must not exceed 900 euros.", "The garage rent must not exceed 100 euros."),
        ("The rent must not exceed 900 euros.", "The rent must not exceed 20 days."),
        ("每把锁不能超过260元。", "每把椅子不能超过180元。"),
        ("It's been a long week, I'm feeling tired.", "It's been a good month, I'm feeling great."),
        ("租金不超过三千元，只能用开源软件。", "只能用开源软件。"),
    ],
)
def test_a_limit_of_something_else_replaces_nothing(new: str, old: str) -> None:
    found = relation(new, old, type_=CardType.CONSTRAINT)
    assert found.kind not in (RelationKind.SUPERSEDES, RelationKind.DISPUTES)


@given(
    st.lists(
        st.sampled_from(
            ["the sea is calm", "it rains", "我喜欢茶", "必须先测试", "because of you", "3 May"]
        ),
        min_size=1,
        max_size=14,
    ),
    st.sampled_from([", ", "; ", "，", "。", ". "]),
    st.integers(0, 13),
)
def test_rests_are_verbatim_and_never_what_fell(clauses: list[str], mark: str, at: int) -> None:
    text = mark.join(clauses)
    fallen = clauses[at % len(clauses)]
    for part in still_holding(text, lambda shown: fallen in shown):
        assert part.text in text
        assert fallen not in part.text
    assert all(clause in text for clause in claims(text))
