"""What holds for questions in English holds in Chinese: time, filters, replacement, silence."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from noctuary.memory.card import CardType, Status
from noctuary.recall.ranking import Filters
from noctuary.recall.recall import Recall
from recall_samples import NOW, card, on_disk, receipt

if TYPE_CHECKING:
    from pathlib import Path

MOVED = date(2026, 11, 20)
NEW = receipt("我的办公室搬到了七楼。", "2026-11-20T09:00:00")
OLD = receipt("我的办公室在三楼。", "2026-11-01T09:00:00", replaced=MOVED, replaced_by=NEW.link)


@pytest.fixture
def recall(tmp_path: Path) -> Recall:
    found = Recall.open(tmp_path)
    found.sync(
        [
            on_disk("办公室", card("办公室", NEW, replaced=(OLD,))),
            on_disk("预算", card("预算", receipt("预算不超过五万元。"), type=CardType.CONSTRAINT)),
            on_disk("官网", card("官网", receipt("官网用蓝色做主色。"), project="官网")),
            on_disk("海报", card("海报", receipt("海报用红色做主色。"), project="海报")),
            on_disk("合同", card("合同", receipt("合同由老周保管。"), status=Status.SUPERSEDED)),
        ]
    )
    return found


def told(recall: Recall, query: str, filters: Filters | None = None, budget: int = 80) -> str:
    answer = recall.search(query, now=NOW, budget=budget, filters=filters or Filters())
    return "\n".join(hit.text for hit in answer.hits)


def test_what_was_replaced_is_not_told(recall: Recall) -> None:
    text = told(recall, "我的办公室在几楼？")
    assert "七楼" in text
    assert "三楼" not in text


def test_as_of_a_day_what_held_then_is_told(recall: Recall) -> None:
    text = told(recall, "我的办公室在几楼？", Filters(as_of=date(2026, 11, 10)))
    assert "三楼" in text
    assert "七楼" not in text


def test_what_took_its_place_goes_first_where_both_are_told(recall: Recall) -> None:
    text = told(recall, "我的办公室在几楼？", Filters(archived=True))
    assert text.index("七楼") < text.index("三楼")


def test_a_question_can_be_kept_to_a_project_or_a_type(recall: Recall) -> None:
    assert "红色" not in told(recall, "主色是什么颜色？", Filters(project="官网"))
    assert "蓝色" in told(recall, "主色是什么颜色？", Filters(project="官网"))
    only = Filters(types=frozenset({CardType.CONSTRAINT}))
    assert told(recall, "预算是多少？主色是什么？", only) == "预算不超过五万元"


@pytest.mark.parametrize("query", ["火星上有水吗？", "怎么样？", "哪里？", "，。？"])
def test_where_nothing_matches_nothing_is_told(recall: Recall, query: str) -> None:
    assert told(recall, query) == ""


def test_a_superseded_card_is_told_only_when_asked_for(recall: Recall) -> None:
    assert "老周" not in told(recall, "合同由谁保管？")
    assert "老周" in told(recall, "合同由谁保管？", Filters(archived=True))
