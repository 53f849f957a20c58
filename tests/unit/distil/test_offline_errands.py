"""A sentence that names several things to do, as one task for each that can be understood alone."""

from __future__ import annotations

import pytest

from distil_kit import distilled, said
from noctuary.memory.card import CardType


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Remember to order the ink, and book the hall.", ["Order the ink", "Book the hall"]),
        ("记得把样张打印出来，再去取信封", ["记得把样张打印出来", "去取信封"]),
        ("记得把样张打印出来，再把它寄给小何", ["记得把样张打印出来，再把它寄给小何"]),
        (
            "Remember to clean the press and send it to Rosa.",
            ["Clean the press and send it to Rosa"],
        ),
    ],
)
def test_what_says_it_stays_with_what_it_means(text: str, titles: list[str]) -> None:
    tasks = [card for card in distilled([said(text)]) if card.type is CardType.TASK]
    assert [task.title for task in tasks] == titles
