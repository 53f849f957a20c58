"""Which kind of card a sentence becomes, where its words alone would mislead."""

from __future__ import annotations

import pytest

from distil_kit import distilled, said
from noctuary.memory.card import INSTRUCTION_LIKE, CardType

KINDS = {
    CardType.LESSON: [
        "发现个坑：客户端默认是自动提交的，手动标记了也没用，重启就丢消息",
        "整理素材的时候才知道，原来这种文件不能直接拖进去，得先转一遍",
    ],
    CardType.DECISION: [
        "主色定香槟金配灰绿，她原来想要粉的，后来自己放弃了",
        "主持人用小贺吧，老吴那天要跑两场，赶不过来",
        "立绘换小满画，一张280",
        "她不想要签到台了，改成拍立得墙",
    ],
    CardType.TASK: [
        "商店页面9月30号之前要提交审核，别让我错过",
        "The tax form has to be filed by 30 September, don't let me forget.",
    ],
    CardType.PREFERENCE: [
        "你能不能别用表格了，我手机上看串行",
        "每天晚上给我发个小结：血压、吃了啥、睡得咋样",
        "我这人记性差，凡是有日期的事都帮我单独列出来",
        "老许要求 PR 描述写 rollback 步骤",
        "你说话简单点，那些个术语甭往外蹦",
        "别一提药就让我问医生，我听着烦",
        "如果雨天概率超过60%，提前一天就直接搭室内，别等",
        "今后所有对外邮件抄送贺律师",
        "若对方再提调解，先记下金额，不要当场答复",
        "开发票的事以后找丽姐，我这边不管了",
        "3号房空调坏了，修好之前别往外卖",
        "密封条还没装呢，别瞎说，没做的事不要写",
        "提交时必须注明出处，并且核对是不是现行有效的版本",
    ],
    CardType.CONSTRAINT: ["kafka 升级的事你别管，运维在弄", "停车位就4个，先到先得"],
}
FACTS = [
    "预约时段改成每20分钟一个，原来30分钟太长了",
    "最大 3 次就行",
    "洗衣机修好了，换了个排水管，80",
    "昨天那个姓赵的客人走的时候没退房卡，扣了20押金",
    "小乔下个月去上海进修",
    "老陈下个月要离职，接手的是大刘",
    "轮椅借着了，街道的，押金500，用三个月",
    "给沈小姐写个消息，问她要几份，语气轻松点",
    "主持人有俩备选，老吴报价6000，小贺4500，先放着",
]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in KINDS.items() for text in texts]
)
def test_the_kind_that_is_meant(kind: CardType, text: str) -> None:
    assert kind in {one.type for one in distilled([said(text)])}


@pytest.mark.parametrize("text", FACTS)
def test_what_only_sounds_like_a_rule_a_choice_or_a_lesson(text: str) -> None:
    kinds = {one.type for one in distilled([said(text)])}
    assert not kinds & {*INSTRUCTION_LIKE, CardType.LESSON, CardType.TASK, CardType.DECISION}


def test_a_rule_with_a_condition_is_no_repeat_of_a_wish_for_brevity() -> None:
    found = distilled(
        [
            said("你写的东西太啰嗦，直接给结论"),
            said("如果概率超过60%，提前一天就直接搭室内，别等", 1),
        ]
    )
    assert any("60%" in one.statement for one in found)
