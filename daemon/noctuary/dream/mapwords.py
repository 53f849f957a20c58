"""The words of the brain map in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from noctuary.memory.card import CardType

if TYPE_CHECKING:
    from collections.abc import Mapping

RED_AFTER = 3
"""So many failed dreams in a row are more than bad luck."""
FAILED_AGAIN = "dreams in a row failed"
"""Stands in the brain map while they do."""


@dataclass(frozen=True, slots=True)
class Words:
    """Headings and phrases; `more` and `further` take `count` and `link`."""

    title: str
    root: str
    always: str
    tasks: str
    topics: str
    people: str
    dreams: str
    more: str
    further: str
    lines: str
    kinds: Mapping[CardType, str]


WORDS: Mapping[str, Words] = MappingProxyType(
    {
        "en": Words(
            title="Brain map",
            root="memory",
            always="Always true",
            tasks="Open tasks",
            topics="By topic",
            people="By project and person",
            dreams="Latest dreams",
            more="{count} more: {link}",
            further="{count} more: {link}",
            lines="{count} lines",
            kinds=MappingProxyType(
                {
                    CardType.PREFERENCE: "Preferences",
                    CardType.CONSTRAINT: "Constraints",
                    CardType.DECISION: "Decisions",
                    CardType.FACT: "Facts",
                    CardType.PATTERN: "Patterns",
                    CardType.LESSON: "Lessons",
                    CardType.TASK: "Tasks",
                }
            ),
        ),
        "zh": Words(
            title="脑图",
            root="记忆",
            always="始终成立",
            tasks="未完成的任务",
            topics="按主题",
            people="按项目与人",
            dreams="最近的梦",
            more="另有 {count} 条：{link}",
            further="另有 {count} 条：{link}",
            lines="{count} 行",
            kinds=MappingProxyType(
                {
                    CardType.PREFERENCE: "偏好",
                    CardType.CONSTRAINT: "约束",
                    CardType.DECISION: "决定",
                    CardType.FACT: "事实",
                    CardType.PATTERN: "模式",
                    CardType.LESSON: "教训",
                    CardType.TASK: "任务",
                }
            ),
        ),
    }
)
