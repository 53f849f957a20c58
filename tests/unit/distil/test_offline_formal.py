from __future__ import annotations

import pytest

from distil_kit import distilled, distiller, said
from noctuary.distil.offline.formal import formal, points_around
from noctuary.memory.card import CardType

FORMULAS = [
    r"S(n) = \frac{n}{2} \times (a_1 + a_n)",
    "E = m * c^2 = 9 * 10^16",
    'File "tide.py", line 17',
    "    at harbour.Crane.lift(Crane.java:88)",
]
SAID = [
    "The harbour opens at 6:30 and costs 4 euros a day.",
    "Use `crane = lift` in the loader, then start it.",
    "潮汐表在 /srv/tide.csv 里，每天更新。",
    "sqlite3.OperationalError: database is locked",
]


@pytest.mark.parametrize(
    ("text", "is_formal"), [*((t, True) for t in FORMULAS), *((t, False) for t in SAID)]
)
def test_formulas_and_traces_are_told_from_what_is_said(text: str, is_formal: bool) -> None:
    assert formal(text) is is_formal


@pytest.mark.parametrize("text", FORMULAS)
def test_no_formula_or_trace_names_a_card(text: str) -> None:
    assert distiller().title([text, SAID[0]]) == "The harbour opens at 6:30 and costs 4 euros a day"
    assert not formal(distiller().title([text]))


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("By following these steps, you can lift any crate in the harbour.", True),
        ("Feel free to ask when a crane stands still!", True),
        ("按照以上步骤，你就能把箱子吊起来。", True),
        ("Dry a thin layer of the starter on baking paper.", False),
        ("把面种薄薄地摊在油纸上晾干。", False),
    ],
)
def test_a_line_about_the_answer_around_it_is_known(text: str, points: bool) -> None:
    assert bool(points_around.search(text)) is points


@pytest.mark.parametrize(
    ("text", "teaches"),
    [
        ("I never oiled the crane before, it seems like I should have, given the salt.", False),
        ("We should have oiled the crane before the winter.", True),
    ],
)
def test_a_regret_teaches_only_when_it_says_what_should_have_been_done(
    text: str, teaches: bool
) -> None:
    assert any(each.type is CardType.LESSON for each in distilled([said(text)])) is teaches
