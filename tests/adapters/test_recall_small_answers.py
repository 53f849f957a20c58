"""What an agent gets that can spare eighty tokens, in both languages, from cards on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from noctuary.memory.tokens import estimate
from noctuary.recall.recall import Recall
from recall_samples import NOW, card, on_disk, receipt

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.recall.answer import Answer

PEOPLE = [
    "My neighbour is 52 years old.",
    "My neighbour collects stamps.",
    "My neighbour works for the city archive.",
    "My neighbour's phone number is 0151 2233445.",
    "My aunt is 61 years old.",
    "My aunt's phone number is 0160 7788990.",
    "My coach's phone number is 0170 1234321.",
    "My coach is 45 years old.",
]
人物 = [
    "我邻居今年52岁。",
    "我邻居喜欢集邮。",
    "我邻居在市档案馆上班。",
    "我邻居的电话号码是13512233445。",
    "我姨妈今年61岁。",
    "我姨妈的电话号码是13677889900。",
    "我教练的电话号码是13712343210。",
    "我教练今年45岁。",
]


def asked(folder: Path, lines: list[str], question: str, budget: int = 80) -> Answer:
    recall = Recall.open(folder)
    stamps = [f"2026-11-{day:02d}T09:00:00" for day in range(1, len(lines) + 1)]
    told = [receipt(line, at) for line, at in zip(lines, stamps, strict=True)]
    recall.sync([on_disk(f"c{n}", card(f"c{n}", one)) for n, one in enumerate(told)])
    return recall.search(question, now=NOW, budget=budget)


def words(answer: Answer) -> str:
    return "\n".join(hit.text for hit in answer.hits)


@pytest.mark.parametrize(
    ("lines", "question", "wanted", "others"),
    [
        (
            PEOPLE,
            "What is the phone number of the one who is 52?",
            "2233445",
            ["7788990", "1234321"],
        ),
        (人物, "那个52岁的人，电话号码是多少？", "13512233445", ["13677889900", "13712343210"]),
        (PEOPLE, "Whoever collects stamps: how old is that person?", "52", ["61", "45"]),
        (人物, "喜欢集邮的那个人今年多大？", "52", ["61", "45"]),
    ],
)
def test_the_line_about_the_one_meant_goes_before_those_about_others(
    tmp_path: Path, lines: list[str], question: str, wanted: str, others: list[str]
) -> None:
    text = words(asked(tmp_path, lines, question))
    assert wanted in text
    assert all(text.find(wanted) < text.find(other) for other in others if other in text)


@pytest.mark.parametrize(
    ("lines", "question", "wanted"),
    [
        (PEOPLE, "Such weather! Did it rain? Actually, where does my neighbour work?", "archive"),
        (
            人物,
            "天气真好，好想出去玩。要不要打电话约人？其实我想问的是，我邻居在哪儿上班？",
            "档案馆",
        ),
    ],
)
def test_talk_around_a_question_does_not_hide_its_answer(
    tmp_path: Path, lines: list[str], question: str, wanted: str
) -> None:
    assert wanted in words(asked(tmp_path, lines, question, 15))


@pytest.mark.parametrize(
    ("lines", "question"), [(PEOPLE, "my neighbour's phone number"), (人物, "我邻居的电话号码")]
)
def test_a_small_answer_is_used_up_and_kept_to(
    tmp_path: Path, lines: list[str], question: str
) -> None:
    for budget in (20, 40, 60):
        answer = asked(tmp_path / str(budget), lines, question, budget)
        assert 0.8 * budget <= estimate(words(answer)) <= answer.tokens <= budget


@pytest.mark.parametrize(
    ("lines", "question", "wanted"),
    [
        (
            ["I live on Elm Court.", "Elm Court is quiet, has old trees, but no shop nearby."],
            "How is the place where I live?",
            "old trees",
        ),
        (
            ["我住的小区叫榆园。", "榆园很安静，树也老，就是附近没有商店。"],
            "我住的小区怎么样？",
            "安静",
        ),
    ],
)
def test_even_of_two_lines_one_leads_to_the_other(
    tmp_path: Path, lines: list[str], question: str, wanted: str
) -> None:
    assert wanted in words(asked(tmp_path, lines, question))


def test_a_full_stop_that_costs_as_much_as_a_word_is_left_out_of_a_small_answer(
    tmp_path: Path,
) -> None:
    assert "。" not in words(asked(tmp_path / "a", 人物, "我邻居的电话号码"))
    assert "。" in words(asked(tmp_path / "b", 人物, "我邻居的电话号码", 1000))
