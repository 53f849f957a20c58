from __future__ import annotations

import pytest

from distil_kit import distilled, distiller, said, value_of
from noctuary.memory.candidate import Anchor
from noctuary.memory.entry import Priority, Role


@pytest.mark.parametrize(
    "text",
    [
        "Always answer in metric units when I ask about distances.",
        "From now on write commit messages in the imperative.",
        "Please don't add emojis to my slides.",
        "以后都用中文回答我。",
        "不要再给我发语音。",
        "The budget is at most 40,000 dollars, open source only.",
        "预算不超过人民币五万元，只能使用开源技术栈。",
    ],
)
def test_instructions_and_limits_are_vital(text: str) -> None:
    assert value_of(text) == 5


@pytest.mark.parametrize(
    "text",
    [
        "I prefer short answers over long essays.",
        "We decided on Postgres because the hosting already has it.",
        "The login failed because of a stale cookie; it was fixed by clearing the session table.",
        "Remind me to renew the passport.",
        "我更喜欢喝红茶。",
        "我们决定采用模块化方案，因为团队小。",
        "提醒我周五给房东打电话。",
    ],
)
def test_wishes_choices_lessons_and_tasks_are_important(text: str) -> None:
    assert value_of(text) >= 4


@pytest.mark.parametrize(
    "text",
    [
        "My sister moved to Lisbon last spring.",
        "The meeting took 45 minutes.",
        "我表姐在杭州上班。",
        "花园音乐会的地点是南京。",
    ],
)
def test_facts_are_useful(text: str) -> None:
    assert value_of(text) == 3


@pytest.mark.parametrize(
    "text",
    [
        "Hi!",
        "Thanks a lot!",
        "ok",
        "Good morning, how are you?",
        "What is a monad?",
        "Can you explain how caching works?",
        "你好！",
        "谢谢你",
        "好的",
        "这个怎么做？",
        "",
        "🙂",
    ],
)
def test_talk_is_noise(text: str) -> None:
    assert value_of(text) == 1


def test_an_assistants_explanation_is_noise_and_its_outcome_is_not() -> None:
    explained = "A cache keeps results of earlier calls so that they need not be made again."
    assert value_of(explained, Role.ASSISTANT) == 1
    assert value_of("Fixed: all 212 tests pass.", Role.ASSISTANT) >= 2


def test_tool_output_counts_only_when_something_failed() -> None:
    assert value_of("total 12\ndrwxr-xr-x 2 ana ana", Role.TOOL) == 1
    assert value_of("Traceback (most recent call last):\nKeyError: 'x'", Role.TOOL) == 2


@pytest.mark.parametrize(
    "text", ["What if I always used tabs?", "He said you should never use tabs."]
)
def test_suppositions_and_other_peoples_words_do_not_steer(text: str) -> None:
    assert value_of(text) < 4


def test_the_writers_mark_outranks_the_words() -> None:
    low = said("Always answer in verse.")
    high = said("hello there")
    marked = [
        type(entry)(entry.id, entry.role, entry.at, entry.text, priority=priority)
        for entry, priority in ((low, Priority.LOW), (high, Priority.HIGH))
    ]
    values = [score.value for score in distiller().score(marked, Anchor())]
    assert values == [2, 4]


def test_the_score_says_why() -> None:
    score = distiller().score([said("I prefer tea.")], Anchor())[0]
    assert score.signals[0] == ("states a preference", 4)


def test_what_concerns_the_goal_is_lifted() -> None:
    entry = said("The compost heap smells of rain.")
    plain = distiller().score([entry], Anchor())[0].value
    lifted = distiller().score([entry], Anchor(goal="Build a compost heap in the garden"))[0].value
    assert lifted >= plain
    assert lifted == 3


def test_a_stuck_key_is_noise() -> None:
    assert value_of("please add it and please add it and " * 400) == 1


@pytest.mark.parametrize(
    "told", ["Always use metric units. ", "The cellar code is 4471. ", "以后都用公制单位。"]
)
def test_what_is_said_over_and_over_is_heard_once(told: str) -> None:
    text = told * (1_000_000 // len(told))
    assert value_of(text) >= 3
    candidates = distilled([said(text)])
    assert len(candidates) == 1
    assert candidates[0].seen == 1
    assert len(candidates[0].quotes) == 1


@pytest.mark.parametrize(
    ("told", "answer", "echo"),
    [
        (
            "The boat is booked, 8 seats, 268 euros, 21 November at 15:00.",
            "Done, 21 November at 15:00.",
            True,
        ),
        ("船订好了，八个座位，268元，11月21日下午三点取。", "已完成，11月21日下午三点取。", True),
        (
            "Book the boat for 21 November.",
            "Done: the boat costs 268 euros and leaves on 21 November.",
            False,
        ),
        ("把船订在11月21日。", "已完成，船费268元，11月21日出发。", False),
    ],
)
def test_an_answer_that_says_back_what_was_said_is_noise(
    told: str, answer: str, echo: bool
) -> None:
    entries = [said(told), said(answer, 1, Role.ASSISTANT)]
    scores = distiller().score(entries, Anchor())
    assert (scores[1].value == 1) is echo
