from __future__ import annotations

from itertools import permutations

import pytest

from distil_kit import distilled, relation, said
from noctuary.memory.candidate import RelationKind
from noctuary.memory.card import INSTRUCTION_LIKE, CardType


def rules(text: str) -> list[CardType]:
    return [each.type for each in distilled([said(text)]) if each.type in INSTRUCTION_LIKE]


@pytest.mark.parametrize(
    "text",
    [
        "Also please don't touch the attic/ folder, Ida's crew owns it.",
        "Don't edit anything under archive/.",
        "Leave the harvest folder alone, please.",
        "Keep your hands off deploy/prod.yml.",
        "The tariff table must stay as it is.",
        "The seed library is off limits.",
        "Stay out of the ledger module.",
        "One more thing: nobody touches the seed list.",
        "The tariff sheet must remain exactly as it is.",
        "Don't rebase my branches.",
        "公共账本谁都别动。",
        "Nobody may delete the backups.",
        "attic/ belongs to Ida's crew, so don't touch it.",
        "In the weekly letter don't use abbreviations.",
        "还有，别动 attic 目录，那是小何组的。",
        "结账页面的代码千万别改。",
        "不要修改 tariff.sql。",
        "tariff.sql 保持原样。",
        "账本模块不要碰。",
        "attic 目录是小何组的，别动。",
        "周报里不要用缩写。",
        "以后别改首页。",
        "attic/ belongs to Ida's crew. Don't touch it.",
        "attic 目录归小何管。别动它。",
    ],
)
def test_what_must_be_left_alone_is_a_standing_rule(text: str) -> None:
    assert len(rules(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "You may edit the attic/ folder from now on.",
        "Feel free to change archive/ now.",
        "attic/ is ours now, so you may edit it.",
        "以后 attic 目录可以随便改。",
        "账本模块现在可以改了。",
    ],
)
def test_a_lasting_permission_is_a_standing_rule(text: str) -> None:
    assert len(rules(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Don't run the tests now.",
        "Please don't run the tests now.",
        "Please don't push the branch yet.",
        "Don't touch this.",
        "Don't worry about the attic.",
        "You can start with the cover.",
        "You may notice a smell in the attic.",
        "We may not finish the letter.",
        "Ida said you may edit the attic.",
        "Should I leave the attic alone?",
        "Leave me alone.",
        "先别提交。",
        "请不要现在部署到测试机。",
        "先不要跑测试。",
        "别担心账本。",
        "别动。",
        "The oven is hot today. Don't touch it.",
        "I painted the shed. Don't touch it.",
        "你可以先写封面。",
    ],
)
def test_what_holds_for_the_moment_is_none(text: str) -> None:
    assert rules(text) == []


SAME = [
    (
        "Also please don't touch the attic/ folder, Ida's crew owns it.",
        "Ida's crew handed over attic/ to us, so you may edit it from now on.",
    ),
    ("Leave the harvest folder alone, please.", "You can change the harvest folder again."),
    ("Keep your hands off deploy/prod.yml.", "It's fine to edit deploy/prod.yml now."),
    ("The tariff table is off limits.", "The tariff table is no longer off limits."),
    ("The harvest folder is off limits.", "The freeze on the harvest folder is over."),
    ("Please don't touch the harvest folder.", "You're free to edit the harvest folder now."),
    ("账本模块不要碰。", "账本模块已经解禁了。"),
    ("Don't delete the backups.", "You may remove the backups from now on."),
    ("attic/ belongs to Ida's crew, so don't touch it.", "attic/ is ours now, you may edit it."),
    ("You may edit the attic/ folder from now on.", "Please don't touch the attic/ folder."),
    ("别动 attic 目录，那是小何组的。", "小何把 attic 目录交给我们了，以后你可以改了。"),
    ("账本模块不要碰。", "账本模块现在可以改了。"),
    ("首页的轮播图千万别动。", "合作方同意轮播图可以改了，以后你随便改。"),
    (
        "attic/ stays off limits, leave attic/ alone.",
        "attic/ is ours now, go ahead and edit it whenever you need.",
    ),
    ("小何的账本请不要碰。", "小何说他的账本我们可以改了。"),
    ("公共账本谁都别动。", "公共账本以后归我们管，可以随便动。"),
    ("不要修改 tariff.sql。", "tariff.sql 现在可以随便改。"),
    ("attic/ belongs to Ida's crew. Don't touch it.", "attic/ is ours now, you may edit it."),
    (
        "The prints of the Graz branch are faded before 1990, never use them.",
        "The Graz branch sent the prints again, they are sharp now, you can use them again.",
    ),
    ("唱片的封套不要动，那是老周定的。", "老周同意换唱片的封套了，你可以改。"),
    ("Leave the winch manual alone.", "Rosa signed off on the winch manual, so you can edit it."),
]


def _shares(old: str, new: str) -> bool:
    """Whether both name one of the things."""
    things = (
        "attic",
        "harvest",
        "prod.yml",
        "tariff table",
        "backups",
        "账本",
        "轮播图",
        "封套",
        "winch",
        "prints",
        "tariff.sql",
    )
    return any(thing in old and thing in new for thing in things)


@pytest.mark.parametrize(("old", "new"), SAME)
def test_a_later_rule_for_the_same_thing_replaces(old: str, new: str) -> None:
    found = relation(new, old, type_=CardType.CONSTRAINT)
    assert found.kind is RelationKind.SUPERSEDES
    assert found.rest == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *((old, new) for (old, _), (_, new) in permutations(SAME, 2) if not _shares(old, new)),
        ("Please don't touch the attic/ folder.", "You may edit the cellar/ folder from now on."),
        ("Don't delete the backups.", "You may edit the backups from now on."),
        ("Don't touch the tests in attic/.", "You may edit attic/ from now on."),
        ("Don't touch attic/.", "I moved the tests out of attic/, so you may edit them now."),
        ("Don't touch the attic/ folder.", "You may edit it from now on."),
        ("Don't touch the attic/ folder.", "Ida's crew painted the attic/ folder."),
        ("Don't touch the attic/ folder.", "Ida said you may edit the attic/ folder."),
        ("Don't touch the attic/ folder.", "You may edit the attic/ folder just this time."),
        ("首页的轮播图千万别动。", "详情页的轮播图现在可以改了。"),
        ("账本模块不要碰。", "会员模块现在可以改了。"),
        ("账本模块不要删。", "账本模块现在可以改了。"),
        ("账本模块不要碰。", "今天账本模块可以碰。"),
        ("唱片的封套不要动。", "老周不同意换唱片的封套，你可以改。"),
        ("唱片的封套不要动。", "老周还没批准换唱片的封套，你可以改。"),
        (
            "Leave the winch manual alone.",
            "Rosa never agreed to the winch manual, you can edit it.",
        ),
    ],
)
def test_a_rule_for_another_thing_or_deed_leaves_it(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.CONSTRAINT).kind is not RelationKind.SUPERSEDES


def test_a_rule_about_it_is_titled_by_what_it_is() -> None:
    text = "Ida's crew handed over attic/ to us, so you may edit it from now on."
    (rule,) = distilled([said(text)])
    assert "attic/" in rule.title


def test_another_order_in_the_same_sentence_stays() -> None:
    old = "Don't touch attic/, and never delete the backups."
    found = relation("You may edit attic/ from now on.", old, type_=CardType.CONSTRAINT)
    assert found.kind is RelationKind.SUPERSEDES
    assert [part.text for part in found.rest] == ["never delete the backups."]


@pytest.mark.parametrize(
    ("old", "new", "rest"),
    [
        (
            "The winch load must not exceed 400 kg, Rosa's old crane is fragile there.",
            "The winch load was raised to 500 kg.",
            [],
        ),
        (
            "The winch load must not exceed 400 kg, always ask Rosa first.",
            "The winch load was raised to 500 kg.",
            ["always ask Rosa first."],
        ),
        ("邮件一天最多发200封，那边的服务器很旧。", "邮件额度提到500封了。", []),
        ("邮件一天最多发200封，必须用公司邮箱。", "邮件额度提到500封了。", ["必须用公司邮箱。"]),
    ],
)
def test_the_reason_of_a_limit_falls_with_it_another_rule_does_not(
    old: str, new: str, rest: list[str]
) -> None:
    found = relation(new, old, type_=CardType.CONSTRAINT)
    assert found.kind is RelationKind.SUPERSEDES
    assert [part.text for part in found.rest] == rest


@pytest.mark.parametrize(
    ("ban", "exception"),
    [
        (
            "Nobody may see the recordings, only the police.",
            "Owners can see the recordings if their car was hit.",
        ),
        ("Never push to main.", "You can push to main for typo fixes in the docs."),
        ("Don't touch the billing module.", "You may touch the billing module's tests."),
        ("No emojis in messages.", "Emojis in birthday messages are fine."),
        ("Don't use force unwraps.", "Force unwraps are ok in tests."),
        ("监控录像谁都不能调，只有派出所来才行", "监控业主本人的车被刮了可以调，要登记"),
        ("不要动 proto 文件", "proto 文件的注释可以改"),
        ("代码里不准用 force unwrap", "测试里可以用 force unwrap"),
        ("群里别发广告", "周末群里可以发二手广告"),
    ],
)
def test_an_exception_leaves_the_rule_standing(ban: str, exception: str) -> None:
    found = relation(exception, ban, type_=CardType.PREFERENCE)
    assert found.kind is not RelationKind.SUPERSEDES
