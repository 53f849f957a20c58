from __future__ import annotations

import pytest

from distil_kit import distiller, known_line, relation, said, scored
from noctuary.dream.gate import check
from noctuary.memory.candidate import Anchor, Candidate, Quote, RelationKind
from noctuary.memory.card import CardType
from noctuary.memory.entry import Entry, Role

U, A, T = Role.USER, Role.ASSISTANT, Role.TOOL
BUILD = "$ kiln build\nKilnError: the glaze table has no row 14"


def talk(*turns: tuple[Role, str]) -> list[Entry]:
    return [said(text, minute, role) for minute, (role, text) in enumerate(turns)]


def of(*turns: tuple[Role, str]) -> list[Candidate]:
    return distiller().distil(scored(talk(*turns)), Anchor())


def lessons(*turns: tuple[Role, str]) -> list[Candidate]:
    return [each for each in of(*turns) if each.type is CardType.LESSON]


@pytest.mark.parametrize(
    ("answer", "confirms"),
    [
        (
            "Updated. The proxy must not cache rows; I set row_cache=0.",
            "Great, that fixed the 'stale row' errors.",
        ),
        ("代理不能缓存，我把 row_cache 设成 0。", "果然可以了，不再报“行已过期”的错误。"),
    ],
)
def test_a_confirmation_teaches_with_what_it_points_to(answer: str, confirms: str) -> None:
    (lesson,) = lessons((U, "The page shows old rows, error E17."), (A, answer), (U, confirms))
    assert "row_cache" in lesson.statement
    assert "row_cache" in lesson.title + lesson.statement
    assert {quote.entry.role for quote in lesson.quotes} >= {U, A}


@pytest.mark.parametrize(
    "confirms",
    [
        "That worked, thanks!",
        "Works now.",
        "The error is gone.",
        "Yes! That did the trick.",
        "果然快了，搞定。",
        "可以了",
        "All good now.",
        "搞定了，谢谢。",
        "这样就好了。",
    ],
)
def test_a_bare_confirmation_teaches_error_and_cure(confirms: str) -> None:
    answer = "I added row 14 to glaze.csv."
    (lesson,) = lessons((T, BUILD), (A, answer), (U, confirms))
    assert "KilnError: the glaze table has no row 14" in lesson.statement
    assert "I added row 14 to glaze.csv." in lesson.statement
    assert confirms[:4] not in lesson.statement
    texts = [
        quote.text for each in of((T, BUILD), (A, answer), (U, confirms)) for quote in each.quotes
    ]
    assert sum("no row 14" in text for text in texts) == 1


@pytest.mark.parametrize(
    ("told", "statement"),
    [
        ("Ah right, the tunnel was down. Fixed now.", "The tunnel was down. Fixed now."),
        ("Oh, my token had expired.", "My token had expired."),
        ("My bad, I forgot to start the tunnel.", "I forgot to start the tunnel."),
        ("原来是隧道没开，现在可以了。", "原来是隧道没开，现在可以了。"),
        ("哦，隧道忘了开。", "隧道忘了开。"),
        ("哦，是我忘了开隧道，现在好了。", "是我忘了开隧道，现在好了。"),
    ],
)
def test_an_error_and_the_cause_that_a_person_tells_are_one_lesson(
    told: str, statement: str
) -> None:
    (lesson,) = of((T, BUILD), (A, "Is the tunnel open?"), (U, told))
    assert lesson.type is CardType.LESSON
    assert lesson.statement == f"{BUILD}. {statement}"
    (passed,) = check([lesson]).passed
    assert passed.candidate.statement == lesson.statement


@pytest.mark.parametrize(
    ("turns", "statement", "title"),
    [
        (
            (
                (U, "The nightly kiln log keeps timing out."),
                (A, "How long is it?"),
                (U, "Turned out the index was missing."),
            ),
            "The nightly kiln log keeps timing out. Turned out the index was missing.",
            "The nightly kiln log keeps timing out: Turned out the index was missing",
        ),
        (
            (
                (U, "昨天晚上发面失败了，全是酸味。"),
                (A, "是不是太热？"),
                (U, "后来发现是盐放早了，晚一点放就成功了。"),
            ),
            "昨天[2026年3月1日]晚上发面失败了，全是酸味。后来发现是盐放早了，晚一点放就成功了。",
            "晚上发面失败了，全是酸味：盐放早了，晚一点放就成功了",
        ),
        (
            ((U, "The glaze came out blurry. It turned out that the lid was open."),),
            "The glaze came out blurry. It turned out that the lid was open.",
            "The glaze came out blurry: It turned out that the lid was open",
        ),
    ],
)
def test_what_a_person_found_out_stands_with_what_they_complained_about(
    turns: tuple[tuple[Role, str], ...], statement: str, title: str
) -> None:
    (lesson,) = of(*turns)
    assert lesson.type is CardType.LESSON
    assert (lesson.statement, lesson.title) == (statement, title)
    (passed,) = check([lesson]).passed
    assert passed.candidate.statement == statement


def test_a_cure_is_confirmed_where_only_the_cause_holds_a_word_of_denial() -> None:
    answer = "Two programs read the port. Stop getty on ttyS0 and try again."
    (lesson,) = lessons((T, BUILD), (A, answer), (U, "That solved it, getty was still on ttyS0."))
    assert lesson.title.startswith("KilnError: ")
    assert "Stop getty on ttyS0" in lesson.statement
    assert "That solved it, getty was still on ttyS0." in lesson.statement


def test_a_cure_may_be_told_in_the_present() -> None:
    answer = "`row` is empty for old tiles. I fill it with 14 and add a flag `no_row`."
    (lesson,) = lessons((T, BUILD), (A, answer), (U, "nice, that did it"))
    assert "I fill it with 14" in lesson.statement


def test_a_bare_confirmation_of_nothing_is_no_lesson() -> None:
    assert lessons((U, "that did it")) == []


def test_a_cure_that_is_taken_back_in_the_same_breath_is_none() -> None:
    found = lessons((T, BUILD), (A, "I added row 14."), (U, "That fixed it, but not for long."))
    assert all("row 14" not in each.statement for each in found)


def test_days_are_those_of_the_turn_that_names_them() -> None:
    entries = [
        said("The oven keeps tripping since yesterday.", 0),
        said("It turned out that a wire broke yesterday.", 3 * 24 * 60),
    ]
    (lesson,) = distiller().distil(scored(entries), Anchor())
    assert "1 March 2026" in lesson.statement
    assert "4 March 2026" in lesson.statement


def test_what_was_found_out_gains_no_words_that_complain_of_nothing() -> None:
    found = of((U, "Lunch was good."), (U, "Turned out the index was missing."))
    assert all("Lunch" not in each.statement for each in found)


@pytest.mark.parametrize(
    "turns",
    [
        ((A, "I set the sign to blue."), (U, "Great, that worked well for the party.")),
        ((T, BUILD), (A, "I added row 14."), (U, "That didn't work.")),
        ((T, BUILD), (A, "I added row 14."), (U, "还是不行。")),
        ((T, BUILD), (A, "Shall I add the row?"), (U, "Yes please. My sister was here yesterday.")),
        (
            (T, BUILD),
            (T, "$ kiln build\nall rows passed"),
            (U, "Oh, my sister was here yesterday."),
        ),
        ((T, BUILD), (A, "Shall I add the row?"), (U, "Would that have worked?")),
        ((A, "Shall I look at the kiln?"), (U, "Oh, my sister was here yesterday.")),
    ],
)
def test_what_confirms_no_cure_teaches_nothing(turns: tuple[tuple[Role, str], ...]) -> None:
    assert lessons(*turns) == []


def test_talk_between_people_teaches_nothing() -> None:
    entries = [
        said("The kiln failed with an error.", 0, user="Ana"),
        said("I added row 14 to glaze.csv.", 1, user="Ben"),
        said("That fixed the error!", 2, user="Ana"),
    ]
    found = distiller().distil(scored(entries), Anchor())
    assert not [each for each in found if each.type is CardType.LESSON]


def test_a_failure_is_of_its_day_and_not_replaced() -> None:
    known = known_line("The kiln fails since the port is 5433.", type_=CardType.LESSON)
    text = "The port of the kiln is now 6432."
    found = distiller().relate(Quote(said(text, 60), text), CardType.FACT, [known])
    assert found.kind is not RelationKind.SUPERSEDES
    assert relation(text, "The port of the kiln is 5433.").kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    ("answer", "confirms"),
    [
        ("Row 14 was never written: I changed `<` to `<=` in glaze.py.", "there we go"),
        ("I pinned glaze to 2.1, since 2.2 drops row 14.", "all green. now the next ticket"),
    ],
)
def test_a_run_that_passes_between_the_cure_and_its_confirmation(
    answer: str, confirms: str
) -> None:
    (lesson,) = lessons((T, BUILD), (A, answer), (T, "$ kiln build\nok, 12 rows"), (U, confirms))
    assert "KilnError" in lesson.title
    assert answer in lesson.statement
