"""Phrases with open places: each construct of the notation reads what docs/cues.md says."""

from __future__ import annotations

import pytest

from noctuary.distil.offline.forms import Form, Forms, alike, forms, listed, pattern

CLASSES = {
    "lead": ("also", "and", "另外"),
    "keep": ("keep", "leave as"),
    "很": ("很", "非常"),
}


def read(phrase: str, clause: str) -> list[dict[str, str]]:
    kind = Forms([Form(phrase, CLASSES, {})])
    found = list(kind.read(clause))
    assert kind.may_stand_in(clause) or not found
    return found


@pytest.mark.parametrize(
    ("phrase", "clause", "told"),
    [
        ("^leave <thing> alone$", "Leave the old barn alone", {"thing": "the old barn"}),
        ("^leave <thing> alone$", "and also, leave Bo alone", {"thing": "Bo"}),
        (
            "don't|never <deed:*> <thing>$",
            "Don’t feed the cats",
            {"deed": "feed", "thing": "the cats"},
        ),
        ("go|went [from <old>] to <new>$", "went from A to B C", {"old": "A", "new": "B C"}),
        ("go|went [from <old>] to <new>$", "go to B", {"old": "", "new": "B"}),
        ("please? @keep <thing>$", "please leave as it is", {"thing": "it is"}),
        ("@keep <thing> please?$", "keep it please", {"thing": "it"}),
        (
            "paint* <what:doors|windows> .. # times$",
            "painting doors for all 3 times",
            {"what": "doors"},
        ),
        ("walk !the <where>$", "walk a mile", {"where": "a mile"}),
        ("over <_> by <who>$", "over the hill by Bo", {"who": "Bo"}),
        ("stop <what> without|until …", "stop it until it rains, then go on", {"what": "it"}),
        ("^<thing> @很* 好|棒 了?$", "另外这个非常非常好了", {"thing": "这个"}),
        ("^<thing> 不! 能 <deed:用|吃>$", "这个能吃", {"thing": "这个", "deed": "吃"}),
        ("^把 <thing> .. 给 <who>$", "把书都交给小李", {"thing": "书", "who": "小李"}),
    ],
)
def test_a_phrase_reads_what_stands_at_its_open_places(
    phrase: str, clause: str, told: dict[str, str]
) -> None:
    assert read(phrase, clause) == [told]


@pytest.mark.parametrize(
    ("phrase", "clause"),
    [
        ("^leave <thing> alone$", "they leave the barn alone"),
        ("^leave <thing> alone$", "leave the barn alone today"),
        ("^leave alone", "leave aloneness"),
        ("walk !the <where>$", "walk the dog"),
        ("^<thing> 不! 能 <deed:用|吃>$", "这个不能吃"),
    ],
)
def test_a_phrase_reads_nothing_elsewhere(phrase: str, clause: str) -> None:
    assert read(phrase, clause) == []


def test_every_list_of_the_package_can_be_used() -> None:
    assert next(forms("forbids").read("别动旧代码"))["thing"] == "旧代码"
    assert pattern("for-now").search("please not now")
    assert not pattern("for-now").search("from now on")
    assert {"with", "of"} <= listed("of") | listed("on")
    assert alike("deed")["erase"] == alike("deed")["删掉"] == "delete"
