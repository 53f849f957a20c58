from __future__ import annotations

from datetime import datetime

import pytest

from noctuary.memory.dates import glosses
from noctuary.memory.facts import hard_facts, missing
from noctuary.memory.secrets import finds
from noctuary.memory.sentences import language, sentences
from noctuary.memory.tokens import content_tokens

AT = datetime(2024, 3, 13, 12)
HOSTILE = [
    ".", "`", "4 ", "1. ", "a.", "A ", "A-", "/a", "@", "“", "2024-", "in two ", "password is ",
    "eyJa.", "一", "周", "王", "同事", "**", "# ",
]  # fmt: skip


def read_all(text: str) -> None:
    """Everything a dream asks of a text; a pattern that is not linear never comes to its end."""
    pieces = sentences(text)
    assert pieces[-1].end <= len(text)
    facts = hard_facts(text)
    assert missing(facts[:3], text) == []
    assert all(gloss.end <= len(text) for gloss in glosses(text, AT))
    assert all(secret.end <= len(text) for secret in finds(text))
    assert all(content_tokens(text))
    assert language(text) in {"zh", "en"}


@pytest.mark.parametrize("part", HOSTILE)
def test_ten_thousand_hostile_characters(part: str) -> None:
    read_all(part * (10_000 // len(part)) + "x")


@pytest.mark.parametrize("part", [".", "`", "“"])
def test_sentences_and_secrets_of_a_megabyte(part: str) -> None:
    text = part * (1_000_000 // len(part)) + "x"
    assert sentences(text)[-1].end == len(text)
    assert finds(text) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", HOSTILE)
def test_a_hostile_megabyte_is_read_to_its_end(part: str) -> None:
    read_all(part * (1_000_000 // len(part)) + "x")
