from __future__ import annotations

import pytest

from distil_kit import distiller, said, scored
from noctuary.memory.candidate import Anchor, Candidate
from noctuary.memory.entry import Role

ASKED = {
    "en": "How can I keep my sourdough starter alive while I travel in July?",
    "zh": "七月我出门旅行的时候，怎么养酸面种？",
}
TELLING = {
    "en": "You can dry a thin layer on baking paper, crumble it, and revive it later with warm water.",
    "zh": "建议你把面种薄薄地摊在油纸上晾干，碾碎装罐，回来以后加温水慢慢唤醒。",
}
FILLING = {
    "en": [
        "Keeping your sourdough starter alive while you travel is a good question.",
        "It is great that you think of your starter before you travel in July!",
        "Let me know if you have any other questions about it.",
    ],
    "zh": ["七月我出门旅行的时候，怎么养酸面种，问得好。", "还有什么问题随时告诉我。"],
}


def answer(language: str, copies: int = 12) -> str:
    filling = FILLING[language] * copies
    filling.insert(4, TELLING[language])
    return "\n\n".join(filling)


def of_assistant(candidates: list[Candidate]) -> list[str]:
    return [
        quote.text
        for each in candidates
        for quote in each.quotes
        if quote.entry.role is Role.ASSISTANT
    ]


def kept(language: str, text: str, talk: int = 10_000) -> list[str]:
    """What stays of an answer, in a session of so many bytes besides."""
    entries = [
        said("x" * talk, 0, Role.TOOL),
        said(ASKED[language], 1),
        said(text, 2, Role.ASSISTANT),
    ]
    return of_assistant(distiller().distil(scored(entries), Anchor()))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_a_long_answer_the_line_stays_that_says_what_was_not_asked(language: str) -> None:
    assert kept(language, answer(language), talk=30_000) == [TELLING[language]]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_short_session_has_no_room_for_it(language: str) -> None:
    assert kept(language, answer(language), talk=10) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_answer_without_news_leaves_nothing(language: str) -> None:
    assert kept(language, "\n\n".join(FILLING[language] * 12), talk=30_000) == []


def test_what_many_answers_leave_stays_within_a_hundredth() -> None:
    entries = []
    for turn in range(60):
        entries.append(said(f"How do I paint shelf number {turn}?", 2 * turn))
        text = (
            f"You can sand board {turn}{turn} with paper {turn + 100} before varnishing it twice. "
            * 9
        )
        entries.append(said(text, 2 * turn + 1, Role.ASSISTANT))
    lines = of_assistant(distiller().distil(scored(entries), Anchor()))
    assert lines
    assert sum(len(line) for line in lines) <= 0.01 * sum(len(entry.text) for entry in entries)


def test_advice_never_shares_a_card_with_a_persons_own_words() -> None:
    entries = [
        said("x" * 30_000, 0, Role.TOOL),
        said("My starter is 4 years old and lives in a 2 litre jar.", 1),
        said(answer("en"), 2, Role.ASSISTANT),
    ]
    for each in distiller().distil(scored(entries), Anchor()):
        assert len({quote.entry.role for quote in each.quotes}) == 1
