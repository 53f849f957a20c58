from __future__ import annotations

from itertools import permutations

import pytest

from distil_kit import distilled, relation, said
from noctuary.memory.candidate import RelationKind
from noctuary.memory.card import CardType

ANEW = [
    ("We use Nettle for the mail queue.", "The mail queue moves to Sorrel 2."),
    ("The press log runs on Fennel.", "We're switching the press log to Tansy."),
    ("Our map server is Larch 3.", "The map server is now Rowan 5."),
    ("We use Dill for the letters.", "Let's go with Chervil instead of Dill for the letters."),
    ("The archive uses Basil 1.", "We switched from Basil 1 to Borage, it is quicker."),
    ("We chose Mint for the invoices.", "Use Thyme for the invoices instead."),
    ("Our press runs on Saffron.", "The press now runs on Lovage instead of Saffron."),
    ("Payments go through Anise.", "Payments switched to Cumin."),
    ("付款走 Anise。", "付款改成 Cumin。"),
    ("账本用 Nettle 8.0，因为之前的店员会用。", "新店员只会 Sorrel，所以账本换成 Sorrel 16。"),
    ("地图服务是 Larch 3。", "把地图服务换成 Rowan 吧。"),
    ("邮件队列采用 Dill。", "邮件队列不用 Dill 了，改用 Chervil。"),
    ("相册部署在 Basil。", "相册从 Basil 迁到 Borage 了。"),
    ("前台用的是 Mint。", "前台现在用 Thyme。"),
]
RIGHT = [
    ("每消费一元积一分，满500分可以换一本书。", "积分规则改一下：满300分就可以换书。"),
    ("每人限借3本。", "规则改了：每人限借5本。"),
    ("满200元包邮。", "更正：满150元就包邮。"),
    ("The minimum order is 50 euros.", "Correction: the minimum order is 30 euros."),
    ("Orders above 50 kilos ship free.", "Update: orders above 30 kilos ship free."),
    ("The workshop takes 12 people.", "Small correction: the workshop takes 15 people."),
]


@pytest.mark.parametrize(("old", "new"), ANEW + RIGHT)
def test_a_new_choice_or_a_correction_replaces(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *((old, new) for (old, _), (_, new) in permutations(ANEW, 2)),
        *((old, new) for (old, _), (_, new) in permutations(RIGHT, 2)),
        ("The mail queue is slow.", "The mail queue moves to Sorrel 2."),
        ("We use Nettle for the mail queue.", "We also use Sorrel for the mail queue."),
        ("We use Nettle for the mail queue.", "We don't use Sorrel for the mail queue."),
        ("We use Nettle for the mail queue.", "The mail archive moves to Sorrel 2."),
        ("We use Nettle for the mail queue.", "Should we move to Sorrel for the mail queue?"),
        ("We used the mail queue for two years.", "The mail queue moves to Sorrel 2."),
        ("We use Nettle.", "We're moving to Lisbon."),
        ("账本用了三年。", "账本换成 Sorrel 16。"),
        ("账本是瓶颈。", "账本换成 Sorrel 16。"),
        ("测试账本用 Nettle。", "账本换成 Sorrel 16。"),
        ("账本用 Nettle。", "账本也用 Sorrel。"),
        ("账本用 Nettle。", "听说账本换成 Sorrel 了。"),
        ("满500分可以换书。", "积分规则改一下：满300分可以抽奖。"),
        ("满500分可以换书。", "借书规则改一下：满3本可以续借。"),
        ("满500分可以换书。", "满300分可以换书签。"),
        ("The workshop takes 12 people.", "Correction: the workshop takes 15 minutes."),
        ("The workshop takes 12 people.", "Correction: the van takes 15 people."),
    ],
)
def test_another_thing_is_left_alone(old: str, new: str) -> None:
    assert relation(new, old).kind is not RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    "text",
    [
        "Correction: the minimum order is 30 euros.",
        "更正：满150元就包邮。",
        "Correction: tours are now allowed on Mondays as well, still never on Fridays.",
        "Change of plan: Ida brings the tent.",
    ],
)
def test_a_correction_has_a_card_of_its_own(text: str) -> None:
    (found,) = distilled([said(text)])
    assert found.statement == text
    assert found.importance >= 4


@pytest.mark.parametrize("text", ["帮我把第二段改一下。", "Can you update the second line?"])
def test_asking_for_a_change_corrects_nothing(text: str) -> None:
    assert not [
        each for each in distilled([said(text)]) if each.type is CardType.FACT and each.statement
    ]
