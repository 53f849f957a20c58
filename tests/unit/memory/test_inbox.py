from __future__ import annotations

from datetime import datetime

import pytest

from noctuary.memory.card import Receipt
from noctuary.memory.cardtext import parse_card
from noctuary.memory.entry import Role
from noctuary.memory.inbox import with_receipts, without_review

AT = datetime(2026, 11, 30, 14, 2, 11)
NEW = Receipt("2026-11-30-chat-aa1111", "e3f9a2c41d0", Role.USER, AT, "I like tea.")
HEAD = "---\nid: c1\ntype: fact\nimportance: 3\ncreated: 2026-11-30\n---\n# Tea\n\nMine.\n"
OLD = "\n## Evidence\n> [!quote] user · 2026-11-29 14:02:11 · [[x#^e000000000a]]\n> Before.\n"
HISTORY = "\n## History\n- 2026-11-30 created\n"
OWN = "\n## Own\n```\n## Evidence\n```\nwords\n"


@pytest.mark.parametrize("text", [
    HEAD, HEAD + OLD, HEAD + HISTORY, HEAD + OLD + HISTORY, HEAD + OLD + OWN, HEAD + OWN,
    HEAD + OWN + OLD, (HEAD + OLD + HISTORY).replace("\n", "\r\n"), HEAD.rstrip("\n"),
])  # fmt: skip
def test_receipts_are_added_and_every_line_stays(text: str) -> None:
    fresh = with_receipts(text, [NEW])
    before, after = parse_card(text, "x"), parse_card(fresh, "x")
    assert [item.quote for item in after.evidence] == [
        *(item.quote for item in before.evidence), "I like tea."
    ]  # fmt: skip
    assert after.history == before.history
    rest = iter(fresh.splitlines())
    assert all(line in rest for line in text.splitlines() if line.strip())


def test_no_receipts_change_nothing() -> None:
    assert with_receipts(HEAD + OLD, []) == HEAD + OLD


def test_the_boxes_go_and_the_rest_stays() -> None:
    review = "\n## Review\nWhy.\n\n- [x] approve\n- [ ] reject\n"
    assert without_review(HEAD + review + OLD) == HEAD + OLD
    assert without_review(HEAD + review) == HEAD
    assert without_review(HEAD + OLD) == HEAD + OLD
