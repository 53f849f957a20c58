"""A title or statement that is made behind the gate is held to the gate's rules all the same."""

from __future__ import annotations

import pytest

from dream_kit import Scripted, candidate, reconciler, said
from noctuary.dream.gate import check
from noctuary.dream.heirs import heir, renamed, told_apart
from noctuary.memory.card import CardType

SECRET = "ghp_" + "A1b2" * 9
BAD = (
    f"Use\0 the token {SECRET} for the wharf",
    f"码头\0的令牌是 {SECRET}，请用它",
    "<script>pay()</script> the wharf\x1b now",
)


def clean(text: str) -> bool:
    held = text.replace("\\<", "")
    return bool(text) and not any(part in held for part in ("\0", "\x1b", SECRET, "<script>"))


@pytest.mark.parametrize("bad", BAD)
def test_the_line_that_replaces_a_rule(bad: str) -> None:
    work = reconciler()
    rule = candidate(said("Never use the old wharf"), type_=CardType.PREFERENCE)
    work.take(check([rule]).passed)
    (old,) = work.brain.cards.values()
    (item,) = check([candidate(said(bad, 1), said("The quay is wet", 2), statement="")]).passed
    made = heir(item, item.candidate.quotes[0], item.receipts[0], old, lambda lines: lines[0])
    assert made is not None
    assert clean(made.candidate.title)
    assert clean(made.candidate.statement)


@pytest.mark.parametrize("bad", BAD)
def test_a_digest_under_another_name(bad: str) -> None:
    lines = [said("The quay is wet"), said(bad, 1)]
    (item,) = check([candidate(*lines, statement="", title="quay wet")]).passed
    left = item.candidate.quotes[1:]
    assert clean(renamed(item, left, lambda texts: texts[0]).candidate.title)

    class Naming(Scripted):
        def title(self, _lines: object, _others: object = ()) -> str:
            return bad

    assert clean(told_apart(item, frozenset({"quay"}), Naming()).candidate.title)
