"""What is so now takes the place of what was so; what only looks like it leaves it alone."""

from __future__ import annotations

import pytest

from distil_kit import relation
from noctuary.memory.candidate import RelationKind

MONTH = 60 * 24 * 30


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My sister drives a red Volvo.", "My sister now drives a blue Saab."),
        ("My sister drives a red Volvo.", "These days my sister drives a blue Saab."),
        ("My sister drives a red Volvo.", "My sister is driving a blue Saab now."),
        ("My brother works at Siemens.", "My brother now works at Bosch."),
        ("My brother works at Siemens.", "My brother works at Bosch these days."),
        ("I commute by bus.", "I now commute by bike."),
        ("My son goes to Lincoln School.", "Currently my son goes to Park School."),
        ("We use Postgres for the orders.", "We now use SQLite for the orders."),
        ("I take the bus to work.", "I take the train to work now."),
        ("My aunt lives in Ghent.", "My aunt is living in Bruges now."),
        ("Our team meets on Mondays.", "Our team now meets on Thursdays."),
        ("My dentist is Dr Hall.", "My dentist is Dr Moss now."),
        ("Tom plays the drums.", "Tom doesn't play the drums anymore."),
        ("我姐姐开一辆红色的沃尔沃。", "我姐姐现在开一辆蓝色的萨博。"),
        ("我哥哥在西门子上班。", "我哥哥现在在博世上班。"),
        ("我坐公交上班。", "我现在骑车上班。"),
        ("我坐公交上班。", "如今我坐地铁上班。"),
        ("我们用 Postgres 存订单。", "我们现在用 SQLite 存订单。"),
        ("我儿子在林肯小学读书。", "我儿子目前在公园小学读书。"),
        ("我们组每周一开会。", "我们组现在每周四开会。"),
        ("阿姨住在根特。", "阿姨如今住在布鲁日。"),
        ("我的牙医是王医生。", "我的牙医换成了李医生。"),
        ("会议室在三楼。", "会议室改在五楼了。"),
    ],
)
def test_what_is_so_now_takes_the_place_of_what_was_so(old: str, new: str) -> None:
    assert relation(new, old, minute=MONTH).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My sister drives a red Volvo.", "My sister drives a blue Saab."),
        ("My sister drives a red Volvo.", "My brother now drives a blue Saab."),
        ("My sister drives a red Volvo.", "My sister now paints the red fence."),
        ("My sister drives a red Volvo.", "From now on my sister drives a blue Saab at night."),
        ("My sister has a dog.", "My sister has a cat."),
        ("My sister has a dog.", "My sister now has a cat."),
        ("My sister owns a bike.", "My sister owns a boat."),
        ("Tom plays the drums.", "Tom plays the guitar."),
        ("Tom plays the drums.", "Tom plays the guitar now."),
        ("Mira speaks French.", "Mira speaks German."),
        ("The kitchen needs a lamp.", "The kitchen needs a table."),
        ("Our app uses the camera.", "Our app uses the microphone."),
        ("Our app uses React.", "Our app uses Postgres."),
        ("I'm using Flask 2.3.1 and SQLite 3.39.", "I'm using Flask 2.3.1 and Redis 7.2."),
        ("Ana teaches the beginners.", "Ana teaches the children."),
        ("The box contains a lens.", "The box contains a cable."),
        ("I eat an apple every day.", "I eat a pear every day now."),
        ("Our team meets on Mondays.", "Their team now meets on Thursdays."),
        ("My bike is in the garage.", "My bike is in great shape now."),
        ("我姐姐有一只狗。", "我姐姐现在有一只猫。"),
        ("汤姆会弹钢琴。", "汤姆现在会弹吉他。"),
        ("我姐姐开一辆红色的沃尔沃。", "我哥哥现在开一辆蓝色的萨博。"),
        ("厨房需要一盏灯。", "厨房现在需要一张桌子。"),
        ("我坐公交上班。", "我妹妹现在骑车上班。"),
        ("我在学法语。", "我现在在学德语。"),
    ],
)
def test_what_may_be_so_as_well_is_left_alone(old: str, new: str) -> None:
    assert relation(new, old, minute=MONTH).kind is RelationKind.DISTINCT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (  # the change speaks of another date
            "I'm worried that I won't meet the new 25 April deadline.",
            "I met my final draft deadline on 1 October, but now I have to write letters to agents.",
        ),
        (  # which of many numbers is meant, nobody knows
            "The triangle in the second exercise has sides of 6, 8 and 10.",
            "The triangle in the second exercise has an angle of 65, but it is actually 60.",
        ),
        (
            "The share of favourable outcomes is 3, divided by the number of outcomes, which is 6.",
            "The pairs add up to 7, so there are 6 favourable outcomes out of 36 outcomes.",
        ),
        (  # what was extended is the editing, not the submission
            "The submission of the conference paper is due on 20 July, and the editing runs until 16 July.",
            "The conference paper editing has been extended until 19 July.",
        ),
        (  # an adjective names no old value
            "The first result for the altitude was 4.5 but it was corrected to 4.8 for the sides 5 and 12.",
            "I used s = 12 for the sides 7 and 24 instead of the correct s = 18.",
        ),
    ],
)
def test_a_change_of_one_number_leaves_other_numbers_alone(old: str, new: str) -> None:
    found = relation(new, old, minute=MONTH)
    assert "20 July" in "".join(part.text for part in found.rest) or (
        found.kind is RelationKind.DISTINCT
    )
