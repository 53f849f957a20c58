"""A newer line gives a thing another value, ends a rule, or calls off a plan, however it is said."""

from __future__ import annotations

import pytest

from distil_kit import relation
from noctuary.memory.candidate import RelationKind
from noctuary.memory.card import CardType

VALUES = [
    ("音响架限高不能超过3米", "场地的小李说限高其实是2.8米"),
    ("盐一天不能过5克", "盐再卡紧点，4克"),
    ("我们 SLO 是 300ms，别超", "另外 SLO 变了，客户签的 200ms，下月开始算"),
    ("预算总共12万，不含酒席", "预算也松口了，她爸说可以加到14万"),
    ("复查是26号，市二院", "复查改日子了，主任出差，改到29号上午"),
    ("pod limit 提到 1Gi，跟运维说好了", "pod limit 1Gi 不够，老是抖，改 2Gi"),
    ("血压我一般早上7点量", "以后血压统一晚上8点量，早上他起不来"),
    ("平日价降到350吧，淡季没人", "平日350还是低了点，回到380"),
    ("停车位就4个", "停车位多租了2个，现在6个"),
    ("早餐供应到九点半", "早餐时间延到十点，客人都起得晚"),
    ("举证期限是11月10日", "举证期限相应顺延至11月17日"),
    ("做一个 app，SwiftUI，最低支持 iOS 16", "最低支持还是 iOS 17，16 上用不了"),
    ("复习算法用 FSRS，默认 retention 0.9", "retention 0.9 用户抱怨太多，调成 0.87"),
    ("曲目暂定八首", "曲目定了，九首，加了一首安可"),
    ("服务器一个人最多占 32 核", "核数放宽到 64 了，管理员批的"),
    ("QC 阈值：线粒体 <10%，基因数 >300", "线粒体 10% 太严，放到 20%"),
    ("收书按定价两成", "收书比例提到两成五，旁边新开了一家"),
    ("代码注释用英文", "注释还是中文吧，学生看不懂英文"),
    ("投稿目标 Cell Reports", "投稿换 Genome Biology，那边图不限"),
    ("公示要贴满7天才能动工", "公示期缩成5天，街道同意的"),
    ("门禁卡一户发3张", "门禁卡不够，改一户2张"),
    ("财务表每周五发我", "财务表改成每月底发，每周太勤"),
    ("数据库先用 SwiftData", "SwiftData 迁移巨坑，加个字段就崩，换 GRDB 了"),
]
ENDED = [
    ("每次报价单出来先给我过一眼再发客户", "之前说报价单要先给我看，现在阿凯管报价，给他看就行"),
    ("每次改完先跑 make lint 再给我看", "以前用 make lint，现在统一 pre-commit 了"),
    ("以后给客户的消息都别带波浪号", "波浪号可以用了，客户说太严肃"),
    ("别动 proto 文件", "proto 的改动可以直接改了"),
    ("他对鱼刺有阴影，不能吃鱼", "鱼可以吃了，没刺的就行"),
    ("以后凡是花钱超过500的都先跟我姐说一声", "我姐说以后花钱别问她了"),
    ("退房延迟得先问我", "延迟退房一点以前的你可以自己定，超过一点再问我"),
    ("3号房空调坏了，修好之前别往外卖", "3号房空调修好了，可以卖了"),
    ("3栋有个老人心脏不好，敲门前先打电话", "3栋老人搬去女儿家了，不用打电话了"),
    ("教材不收", "教材可以收了，只收近两年的"),
    ("猫叫馒头，怕生，别让顾客抱", "馒头不怕人了，可以抱"),
    ("通知不用给他看了，我自己看", "老季回来了，通知还是先给他看"),
    ("小柯周四来不了，伴奏先用录音", "小柯说周四又能来了"),
    ("今后所有对外邮件抄送贺律师", "邮件不用再抄送贺律师了，抄送黎律师即可"),
]
CALLED_OFF = [
    ("小乔下个月去上海进修，花材临时由我妈采购", "小乔的进修取消了"),
    ("明天安排了试菜", "试菜取消了"),
    ("the tasting is planned for tomorrow", "the tasting is cancelled"),
]
OTHERS = [
    ("预算总共12万，不含酒席", "报价变了，3点再打一次电话"),
    ("会议纪要都用表格写", "周五的会议取消了"),
    ("在大理开民宿，6间房，保洁是杨阿姨", "杨阿姨涨工资，一间房25涨到30"),
    ("早餐的厨师八点到岗，一共三个人", "早餐时间延到十点"),
    ("石场的网关有3个", "石场的邮局现在有5个"),
    ("通知不用给他看了", "海报还是先发群里"),
    ("邮件不用再抄送律师了", "律师说引用原话时可以"),
    ("周末价480", "周末价想调，你看500合适不"),
    ("每次改完先跑 make lint 再给我看", "以前我们在上海办公，现在搬到杭州了"),
    ("以后给客户的消息都别带表情", "波浪号可以用了"),
    ("以后凡是花钱超过500的都先跟我姐说一声", "吃药的事以后别问她了"),
]


@pytest.mark.parametrize(("old", "new"), VALUES)
def test_another_value_takes_the_place_of_the_old_one(old: str, new: str) -> None:
    found = relation(new, old, type_=CardType.CONSTRAINT)
    assert found.kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(("old", "new"), ENDED)
def test_a_rule_that_is_no_longer_meant_ends(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.PREFERENCE).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(("old", "new"), CALLED_OFF)
def test_a_plan_that_is_called_off_ends(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(("old", "new"), OTHERS)
def test_what_speaks_of_something_else_ends_nothing(old: str, new: str) -> None:
    kinds = {RelationKind.SUPERSEDES, RelationKind.RETRACTS}
    assert relation(new, old, type_=CardType.PREFERENCE).kind not in kinds


def test_of_a_limit_that_fell_no_mere_attribution_remains() -> None:
    found = relation(
        "小李说限高其实是2.8米", "草坪有限高，不能超过3米，酒店规定的", type_=CardType.CONSTRAINT
    )
    assert [part.text for part in found.rest] == []


def test_of_a_line_with_several_values_the_others_hold_on() -> None:
    found = relation("平日价降到350吧，淡季没人", "房价平日380，周末480，含早")
    assert ["周末480" in part.text for part in found.rest] == [True]
    font = "正文仿宋三号，行距28磅"
    found = relation("行距改为26磅", font, type_=CardType.PREFERENCE)
    assert [part.text for part in found.rest] == ["正文仿宋三号"]


def test_a_rule_that_is_reworded_replaces_the_old_wording() -> None:
    old = "别解释，只给改动的部分，直接贴"
    new = "只给改动这条，改成小文件可以直接给整个"
    assert relation(new, old, type_=CardType.PREFERENCE).kind is RelationKind.SUPERSEDES
