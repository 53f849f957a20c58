from __future__ import annotations

import pytest

from noctuary.memory.card import CardType, Status
from noctuary.recall.kinds import kind_told, kinds_asked
from noctuary.recall.passages import card_passages
from noctuary.recall.query import terms
from recall_samples import card, receipt


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is left to do?", "task"),
        ("any open tasks for the website?", "task"),
        ("what do I still have to do this week", "task"),
        ("What are the next steps?", "task"),
        ("还有什么没做完？", "task"),
        ("我还有哪些待办", "task"),
        ("接下来要做什么", "task"),
        ("Which database did we choose and why?", "decision"),
        ("what was decided about hosting", "decision"),
        ("为什么选了 SQLite", "decision"),
        ("我们做了哪些决定", "decision"),
        ("What lessons did we learn?", "lesson"),
        ("what went wrong with the deployment", "lesson"),
        ("之前踩过什么坑", "lesson"),
        ("What are our conventions for commits?", "preference"),
        ("这个项目有什么规矩", "pattern"),
        ("Are there any limits?", "constraint"),
        ("有什么限制", "constraint"),
    ],
)
def test_the_words_of_a_question_tell_which_kind_of_card_it_is_about(
    question: str, kind: str
) -> None:
    assert f"kind:{kind}" in kinds_asked(question)
    assert terms(question)[f"kind:{kind}"] > 0


@pytest.mark.parametrize(
    "question",
    [
        "When does the studio open?",
        "What is the budget for the kitchen?",
        "How should I cook rice?",
        "Where do I do my shopping?",
        "小满对什么过敏",
        "预算是多少",
        "什么时候上线",
        "妈妈住在哪里",
    ],
)
def test_a_question_about_a_thing_asks_for_no_kind(question: str) -> None:
    assert kinds_asked(question) == {}


def test_the_more_a_question_says_the_less_the_kind_counts_beside_it() -> None:
    bare, longer = terms("what did we decide"), terms("what did we decide about the old kiln")
    assert bare["kind:decision"] == 1.0
    assert 0 < longer["kind:decision"] < 1
    assert longer["kiln"] > longer["decid"]
    told = "what did we decide about kiln, glaze, clay, oven, wheel and shelf"
    assert "kind:decision" not in terms(told)


def test_lines_of_a_card_are_found_by_its_kind_a_task_only_while_open() -> None:
    told = {
        status: [
            kind_told(one.passage)
            for one in card_passages(
                card(
                    "Renew the domain",
                    receipt("Renew the domain"),
                    statement="Renew the domain.",
                    type=CardType.TASK,
                    status=status,
                ),
                "cards/tasks/renew.md",
            )
        ]
        for status in (Status.OPEN, Status.DONE)
    }
    assert told == {Status.OPEN: [("kind:task",), ("kind:task",)], Status.DONE: [(), ()]}
