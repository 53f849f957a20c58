from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING

import pytest

from noctuary.errors import NoctuaryError, Problem
from noctuary.memory.card import Card, CardType, HistoryLine, Receipt, Status
from noctuary.memory.cardtext import parse_card
from noctuary.memory.entry import Role, Trust
from noctuary.memory.report import Change, ChangeKind, DreamReport, Result, SessionSummary
from noctuary.pages import Pages
from noctuary.resources import template, templates

if TYPE_CHECKING:
    from pathlib import Path

AT = datetime(2026, 11, 30, 14, 2, 11)
QUOTE = "预算不超过人民币五万元，只能使用开源技术栈。"
CARD = Card(
    id="c7k2m9",
    type=CardType.CONSTRAINT,
    title="预算不超过人民币五万元",
    statement=QUOTE,
    importance=5,
    confidence=0.95,
    status=Status.ACTIVE,
    trust=Trust.USER,
    created=AT,
    updated=AT,
    last_referenced=AT.date(),
    evidence=(Receipt("2026-11-30-claude-code-7f3a2b", "e3f9a2c41d0", Role.USER, AT, QUOTE),),
    history=(HistoryLine(date(2026, 12, 1), "created by [[2026-12-01T0312]]"),),
    source=("[[2026-11-30-claude-code-7f3a2b#^e3f9a2c41d0]]",),
)
BODY = """# 预算不超过人民币五万元

预算不超过人民币五万元，只能使用开源技术栈。

## Evidence
> [!quote] user · 2026-11-30 14:02:11 · [[2026-11-30-claude-code-7f3a2b#^e3f9a2c41d0]]
> 预算不超过人民币五万元，只能使用开源技术栈。

## History
- 2026-12-01 created by [[2026-12-01T0312]]
"""


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    return Pages(tmp_path)


def test_a_card_looks_as_agreed(pages: Pages) -> None:
    text = pages.card(CARD)
    assert text.endswith("\n---\n" + BODY)
    assert parse_card(text, "x") == CARD
    assert pages.card(parse_card(text, "x")) == text


def test_a_bare_card_has_no_empty_sections(pages: Pages) -> None:
    bare = replace(CARD, statement="", evidence=(), history=())
    assert pages.card(bare).endswith("\n---\n# 预算不超过人民币五万元\n")


def test_active_texts_are_inert_on_every_place(pages: Pages) -> None:
    evil = "x <script>y</script> ![a](http://e.org) <% z %>"
    quoted = (replace(CARD.evidence[0], quote=evil),)
    card = replace(
        CARD,
        title=evil,
        statement=evil,
        evidence=quoted,
        replaced=quoted,
        history=(HistoryLine(AT.date(), evil),),
    )
    text = pages.card(card)
    assert text.count("x \\<script>") == 5
    assert " <script" not in text
    assert " ![" not in text
    assert "<%" not in text


def test_active_texts_are_inert_on_every_place_of_a_report(pages: Pages) -> None:
    evil = "x <script>y</script> ![a](http://e.org) <% z %> [[2026-11-30-a]]"
    told = SessionSummary("2026-11-30-a", 1, 1, (evil,), (evil,), (evil,), (evil,))
    report = DreamReport(
        "2026-12-01T0312",
        "idle",
        Result.PARTIAL,
        AT,
        changes=(Change(ChangeKind.CREATED, "a-card", evil, evil, "[[2026-11-30-a]]"),),
        facts_lost=((evil, "[[2026-11-30-a]]"),),
        sessions=(told,),
        rejected=(evil,),
        problems=(Problem("cards/x.md", evil),),
    )
    text = pages.report(report)
    assert text.count("x \\<script>") == 8
    assert text.count("[[2026-11-30-a]]") == 8 + 3
    assert " <script" not in text
    assert " ![" not in text
    assert "<%" not in text


def test_a_proposal_has_boxes_and_reads_as_its_card(pages: Pages) -> None:
    waiting = replace(CARD, status=Status.QUARANTINED)
    text = pages.inbox(waiting, "A tool said it.")
    assert "\n## Review\nA tool said it.\n\n- [ ] approve\n- [ ] reject\n\n## Evidence\n" in text
    assert parse_card(text, "x") == waiting


def test_values_are_not_rendered_again(pages: Pages) -> None:
    assert "7 * 7" in pages.card(replace(CARD, statement="{% raw %} 7 * 7 {# x #}"))


def test_a_persons_own_template_goes_first(pages: Pages, tmp_path: Path) -> None:
    (tmp_path / "card.md.j2").write_text("# {{ title }}\r\nmine\r\n", encoding="utf-8")
    assert pages.card(CARD).endswith("\n---\n# 预算不超过人民币五万元\nmine\n")


@pytest.mark.parametrize("source", ["{{ nothing }}", "{{ ", "{{ title.__class__.__mro__ }}"])
def test_a_bad_template_is_one_sentence(pages: Pages, tmp_path: Path, source: str) -> None:
    (tmp_path / "card.md.j2").write_text(source, encoding="utf-8")
    with pytest.raises(NoctuaryError, match=r"card\.md\.j2 cannot be filled in"):
        pages.card(CARD)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions")
def test_a_template_that_anybody_may_write_is_refused(pages: Pages, tmp_path: Path) -> None:
    own = tmp_path / "card.md.j2"
    own.write_text("x", encoding="utf-8")
    own.chmod(0o666)
    with pytest.raises(NoctuaryError, match="chmod"):
        pages.card(CARD)


def test_a_missing_template_is_one_sentence(pages: Pages) -> None:
    with pytest.raises(NoctuaryError, match="no template"):
        template("nothing.md.j2")


def test_every_shipped_template_compiles(pages: Pages) -> None:
    names = [one.name for one in templates().iterdir() if one.name.endswith(".j2")]
    assert "card.md.j2" in names
    for name in names:
        pages._environment.get_template(name)


def test_jinja_waits_for_the_first_page() -> None:
    code = "import sys, noctuary.pages; noctuary.pages.Pages(); assert 'jinja2' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": "daemon"})
