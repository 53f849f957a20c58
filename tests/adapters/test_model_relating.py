"""How a model is asked about lines, and what of its answers counts."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from model_server import DOUBT, Answer, Call, distiller_for, profile_for, says, sensible, serving
from noctuary.memory.candidate import Anchor, Known, Quote, RelationKind
from noctuary.memory.card import Card, CardType, Receipt, Status
from noctuary.memory.entry import Entry, Role, Trust, entry_id

if TYPE_CHECKING:
    from pathlib import Path

OLD = "My brother Tom drives a red lorry for the brewery."
NEW = "My brother Tom drives a school bus for the town."
FAR = "The weather in Oslo was grey."


def known(text: str, day: int = 1) -> Known:
    at = datetime(2026, 11, day, 9, 0)
    receipt = Receipt("2026-11-01-a", entry_id(Role.USER, at, text), Role.USER, at, text)
    card = Card("c1", CardType.FACT, text[:20], text, 4, 0.9, Status.ACTIVE, Trust.USER, at, at,
                at.date(), (receipt,))  # fmt: skip
    return Known(card, receipt)


def said(text: str, day: int = 20) -> Quote:
    at = datetime(2026, 11, day, 9, 0)
    return Quote(Entry(entry_id(Role.USER, at, text), Role.USER, at, text, episode="b"), text)


def answers(kind: str, old: str = "a", n: int = 1) -> object:
    def script(call: Call) -> Answer:
        if call.kind != "relate":
            return says(sensible(call), call)
        return says({"relations": [{"n": n, "why": "a new job", "old": old, "kind": kind}]}, call)

    return script


def related(
    tmp_path: Path, script: object, quote: Quote, lines: list[Known]
) -> tuple[RelationKind, str, list[Call]]:
    with serving(script) as server:  # type: ignore[arg-type]
        thinks = distiller_for(profile_for(server), tmp_path / "state")
        thinks.score([quote.entry], Anchor())
        thinks.foresee([(quote, CardType.FACT, lines)])
        found = thinks.relate(quote, CardType.FACT, lines)
        thinks.close()
        return found.kind, found.why, server.of("relate")


def test_rules_see_nothing_here(tmp_path: Path) -> None:
    kind, _, calls = related(tmp_path, answers("distinct", ""), said(NEW), [known(OLD)])
    assert kind is RelationKind.DISTINCT
    [(number, day, new, old)] = DOUBT.findall(calls[0].data)
    assert (number, day, new) == ("1", "2026-11-20", NEW)
    assert OLD in old


@pytest.mark.parametrize("kind", ["supersedes", "refines", "disputes", "duplicate", "retracts"])
def test_the_model_is_believed_where_rules_are_unsure(tmp_path: Path, kind: str) -> None:
    found, why, _ = related(tmp_path, answers(kind), said(NEW), [known(OLD)])
    assert (str(found), why) == (kind, "a new job")


@pytest.mark.parametrize(("old", "n"), [("b", 1), ("z", 1), ("", 1), ("aa", 1), ("a", 2), ("a", 0)])
def test_lines_that_were_not_shown_mean_nothing(tmp_path: Path, old: str, n: int) -> None:
    found, _, _ = related(tmp_path, answers("supersedes", old, n), said(NEW), [known(OLD)])
    assert found is RelationKind.DISTINCT


def test_nothing_is_replaced_by_what_was_said_before_it(tmp_path: Path) -> None:
    later = [known(OLD, day=28)]
    assert related(tmp_path, answers("supersedes"), said(NEW), later)[0] is RelationKind.DISTINCT


def test_lines_that_are_clear_or_far_cost_nothing(tmp_path: Path) -> None:
    assert related(tmp_path, answers("disputes"), said(NEW), [known(FAR)])[2] == []
    kind, _, calls = related(tmp_path, answers("disputes"), said(OLD), [known(OLD)])
    assert (kind, calls) == (RelationKind.DUPLICATE, [])


def test_without_an_answer_rules_relate(tmp_path: Path) -> None:
    def silent(call: Call) -> Answer:
        return Answer(b"", 500) if call.kind == "relate" else says(sensible(call), call)

    kind, _, calls = related(tmp_path, silent, said(NEW), [known(OLD)])
    assert kind is RelationKind.DISTINCT
    assert calls


@pytest.mark.parametrize(
    ("old", "new", "rest"),
    [
        (
            "My brother Tom drives a red lorry for the brewery, and my sister Ada lives in Ghent.",
            "Tom drives a school bus for the town.",
            ["my sister Ada lives in Ghent"],
        ),
        (
            "The workshop takes 12 guests, and the lunch costs 9 euros.",
            "There is room for 20 guests in the workshop.",
            ["the lunch costs 9 euros"],
        ),
        (OLD, NEW, []),
        ("我哥哥开红色的货车，我姐姐住在根特。", "我哥哥开校车，货车卖了。", ["我姐姐住在根特"]),
        ("我哥哥开红色的货车。", "我哥哥开校车，货车卖了。", []),
    ],
)
@pytest.mark.parametrize("kind", ["supersedes", "retracts"])
def test_what_the_new_line_says_nothing_of_still_holds(
    tmp_path: Path, old: str, new: str, rest: list[str], kind: str
) -> None:
    with serving(answers(kind)) as server:  # type: ignore[arg-type]
        thinks = distiller_for(profile_for(server), tmp_path / "state")
        quote, lines = said(new), [known(old)]
        thinks.score([quote.entry], Anchor())
        thinks.foresee([(quote, CardType.FACT, lines)])
        found = thinks.relate(quote, CardType.FACT, lines)
        thinks.close()
    assert str(found.kind) == kind
    assert [part.text.rstrip("。.") for part in found.rest] == rest
