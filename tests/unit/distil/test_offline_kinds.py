from __future__ import annotations

import pytest

from distil_kit import distilled, relation, said
from noctuary.memory.candidate import Candidate, RelationKind
from noctuary.memory.card import CardType
from noctuary.memory.entry import Role


def types(text: str) -> list[CardType]:
    return [each.type for each in distilled([said(text)]) if each.statement]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Lesson learned: always let the glue dry over night.", CardType.LESSON),
        ("后来发现是水太热，换成温水就成功了。", CardType.LESSON),
        ("这个教训要记住：先断电，再换灯泡。", CardType.LESSON),
        (
            "We'll take the small van at 60 euros a day, because it fits the lane.",
            CardType.DECISION,
        ),
        ("借书期限定为30天，可以续借一次。", CardType.DECISION),
        ("My nephew is allergic to walnuts.", CardType.CONSTRAINT),
        ("外甥对花生过敏。", CardType.CONSTRAINT),
        ("We never print names on the badges.", CardType.PREFERENCE),
        ("以后写邮件都不要超过一百字。", CardType.PREFERENCE),
        ("I'd rather you skip the praise in reviews.", CardType.PREFERENCE),
        ("It helps me when you number the steps.", CardType.PREFERENCE),
        ("最好别用缩写。", CardType.PREFERENCE),
        ("Can you show me how to bind the booklet without using staples?", CardType.PREFERENCE),
        (
            "How do I list the rehearsals on the poster without adding a second page?",
            CardType.PREFERENCE,
        ),
        ("I prioritize quiet rooms when I rehearse.", CardType.PREFERENCE),
        ("I'd like to avoid plastic sleeves.", CardType.PREFERENCE),
        ("能不能在不用胶水的情况下装订小册子？", CardType.PREFERENCE),
        ("海报怎么排版，尽量少用颜色？", CardType.PREFERENCE),
        ("我不想用塑料封套。", CardType.PREFERENCE),
        ("我每天早上都跑五公里，风雨无阻。", CardType.PREFERENCE),
    ],
)
def test_each_kind_of_sentence_becomes_its_kind_of_card(text: str, kind: CardType) -> None:
    assert types(text) == [kind]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Pinning the spine with two needles stopped the slipping.", CardType.LESSON),
        ("Soaking the paper first halved the drying.", CardType.LESSON),
        ("We forgot the blotting paper and the pages came out wavy.", CardType.LESSON),
        ("Folding the sheets before cutting is twice as fast.", CardType.LESSON),
        ("封面裂开了，当时没晾干就压。", CardType.LESSON),
        ("改成先裁后折，快多了。", CardType.LESSON),
        ("调低到 40 度，纸就不卷了。", CardType.LESSON),
        ("The bulbs only sprouted once I moved them to the cellar.", CardType.LESSON),
        ("A lining would have saved the cover.", CardType.LESSON),
        ("It wasn't the glue, it was the damp cellar.", CardType.LESSON),
        ("It was a big mistake to oil the hinges.", CardType.LESSON),
        ("封面脱胶是潮气害的。", CardType.LESSON),
        ("先泡纸再压，省了一半时间。", CardType.LESSON),
        ("给合页上油是个大错。", CardType.LESSON),
        ("The van can carry 400 kilos.", CardType.CONSTRAINT),
        ("My wrist doesn't tolerate the heavy press.", CardType.CONSTRAINT),
        ("The fund only pays for paper inside the county.", CardType.CONSTRAINT),
        ("There is no power in the chapel.", CardType.CONSTRAINT),
        ("We have to be out of the chapel by ten.", CardType.CONSTRAINT),
        ("基金只报销县内的纸张。", CardType.CONSTRAINT),
        ("超过两天的押金不退。", CardType.CONSTRAINT),
        ("The hinges want oiling before spring.", CardType.TASK),
        ("The needles aren't ordered yet.", CardType.TASK),
        ("订书机还没着落。", CardType.TASK),
        ("开春前把合页修好。", CardType.TASK),
        ("小教堂那份差事我推掉了。", CardType.DECISION),
    ],
)
def test_what_a_deed_brought_about_and_what_a_thing_allows_is_known(
    text: str, kind: CardType
) -> None:
    assert kind in types(text)


@pytest.mark.parametrize(
    "text",
    [
        "扫地机买好了，一共498元，比预算便宜。",
        "Shrink them to 900 pixels, under 300 KB each.",
        "Please add the year to the cover page too.",
        "The old attic is under 20 square metres.",
        "帮我写一个五百字以内的故事。",
        "How do I bind the booklet without breaking the spine?",
        "How can I decline the solo without hurting the choir?",
        "怎么改排版才不影响打印效果？",
        "Somebody asked me whether I prefer the balcony.",
        "My aunt wanted to know if I always use the side door.",
        "有人问我是不是更喜欢坐楼座。",
    ],
)
def test_purchases_orders_and_measures_do_not_steer(text: str) -> None:
    assert types(text) == []


def test_a_wish_inside_a_long_request_is_a_card_with_what_it_is_about() -> None:
    text = (
        "I'm furnishing the reading room with oak shelves and I prefer them over steel, "
        "can you help me find a joiner in Ghent who delivers before 12 May?"
    )
    wishes = [each for each in distilled([said(text)]) if each.type is CardType.PREFERENCE]
    assert len(wishes) == 1
    assert "oak shelves" in wishes[0].statement


DIRECT = {
    "en": [
        "No need to ask, just start with the cover.",
        "Skip the outline and go straight to the last chapter.",
        "Now paint the door, go ahead directly.",
        "You don't have to check with me first.",
        "Stop asking and carry on.",
        "Print the labels, go ahead without asking.",
        "No more confirmation questions, please.",
        "Would you stop checking in with me? Just get on with it.",
    ],
    "zh": [
        "直接写就行，不用先问我。",
        "别列优缺点了，直接给我结论。",
        "帮我想三个店名，跳过客套，直接开始。",
        "以后这种小改动你直接做，不用先列计划。",
        "别废话，直接给方案。",
        "先别解释，直接动手。",
        "不用每次都跟我确认。",
        "你直接改就好，别等我点头。",
    ],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_wish_in_ever_other_words_is_one_pattern(language: str) -> None:
    texts = DIRECT[language]
    found = distilled([said(text, minute) for minute, text in enumerate(texts)])
    patterns = [each for each in found if each.type is CardType.PATTERN]
    assert [each.seen for each in patterns] == [8]
    assert not [each for each in found if each.type is CardType.CONSTRAINT]
    (wish,) = distilled([said(text, minute) for minute, text in enumerate(texts[-3:])])
    assert (wish.type, wish.seen) == (CardType.PREFERENCE, 3)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_wish_of_another_night_is_a_duplicate(language: str) -> None:
    first, *others = DIRECT[language]
    kinds = {relation(text, first, type_=CardType.PREFERENCE).kind for text in others}
    assert kinds == {RelationKind.DUPLICATE}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Never prune the roses without asking me first.", True),
        ("Don't move the piano without asking me.", True),
        ("没问过我别挪钢琴。", True),
        ("Tom pruned the roses without asking anybody.", False),
        ("She had to stop asking for the key.", False),
        ("他没问就把钢琴挪走了。", False),
    ],
)
def test_what_must_not_be_done_unasked_is_no_wish_to_start_at_once(text: str, asked: bool) -> None:
    wishes = {topic for each in distilled([said(text)]) for topic in each.topics}
    assert not wishes & {"start-directly", "直接开始"}
    assert bool(wishes & {"not-start-directly", "not-直接开始"}) == asked


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("I prefer oak for the shelves. Depth 30 cm, 4 boards.", None),
        ("I prefer short letters. No bullet lists. Thanks!",
         "I prefer short letters. No bullet lists."),
        ("我更喜欢用橡木。深30厘米，4块板。", None),
        ("I prefer oak for the shelves. My uncle bought 4 boards.",
         "I prefer oak for the shelves."),
        ("我更喜欢用橡木。叔叔买了4块板。", "我更喜欢用橡木。"),
    ],
)  # fmt: skip
def test_a_fragment_stays_with_its_sentence(text: str, quote: str | None) -> None:
    (wish,) = [each for each in distilled([said(text)]) if each.type is CardType.PREFERENCE]
    assert [each.text for each in wish.quotes] == [quote or text]
    assert wish.statement == (quote or text)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("By the way, we never print names.", "We never print names."),
        ("Anyway, i prefer oak.", "I prefer oak."),
        ("numpy must stay below 2.0 here.", "numpy must stay below 2.0 here."),
        ("By the way, my cousin is allergic to figs.", "My cousin is allergic to figs."),
    ],
)
def test_a_statement_begins_like_a_sentence(text: str, statement: str) -> None:
    assert [each.statement for each in distilled([said(text)]) if each.statement] == [statement]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Please use tabs in this project, not spaces.",
         "I changed my mind: use 4 spaces from now on instead of tabs."),
        ("这个项目请用制表符缩进，不要用空格。", "缩进改成四个空格吧，不用制表符了。"),
        ("预算不超过人民币五万元，只能使用开源技术栈。", "预算改成六万元。"),
        ("我每天早上都喝一杯美式咖啡，不加糖。", "我现在不喝咖啡了，早上改喝龙井茶。"),
        ("I drink a cup of coffee every morning.", "I no longer drink coffee, tea is fine."),
        ("I drink a cup of coffee every morning.", "I don't drink coffee any more."),
        ("The gallery opens on 12 December 2026.",
         "The opening moves from 12 December to 19 December 2026."),
        ("展览开幕定在12月12日。", "开幕从12月12日改到12月19日。"),
        ("The rent is 850 euros a month.", "The rent was raised to 900 euros."),
        ("My sister lives in Porto.", "My sister moved to Lisbon."),
        ("我姐姐住在杭州。", "我姐姐搬到上海了。"),
        ("以后都用中文回答我。", "以后都用英文回答我。"),
        ("You can start right away, no need to ask.", "Ask me first before you change anything."),
        ("直接做就行，不用问我。", "动手前先问我一下。"),
    ],
)  # fmt: skip
def test_a_change_of_mind_supersedes(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.PREFERENCE).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The car inspection is on Thursday at 2 pm.", "The dentist moved to Friday at 3 pm."),
        ("蛋糕11月21日下午取。", "体检改到11月25日。"),
        ("I like the garden.", "I don't like the red chair any more."),
        ("My sister lives in Porto.", "I moved to Lisbon."),
        ("I am used to drinking tea at four.", "I stopped drinking coffee."),
        (
            "I keep the changelog for 2.3 in the attic.",
            "I still need to write the changelog for 2.4.",
        ),
        ("I'm saving for 3 lamps by June 1.", "I updated my plan, it was sent on July 11."),
        ("I met some friends and got good advice.", "I'm gonna keep on going and never quit."),
    ],
)
def test_what_speaks_of_something_else_changes_nothing(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.DISTINCT


def test_a_persons_words_and_an_agents_report_stand_on_different_digests() -> None:
    entries = [
        said("The barn in Lund has 14 windows.", 0),
        said("Fixed: all 14 windows are listed.", 1, role=Role.ASSISTANT),
        said("My cousin Pia paints them on 4 June.", 2),
    ]
    roles = [{quote.entry.role for quote in each.quotes} for each in distilled(entries)]
    assert sorted(map(len, roles)) == [1, 1]


def test_a_failure_that_was_cured_is_noise() -> None:
    entries = [
        said("FAILED tests/test_oven.py::test_heat - AssertionError: 13 != 12", 0, role=Role.TOOL),
        said("9 passed in 2.06s", 1, role=Role.TOOL),
    ]
    assert distilled(entries) == []
    assert len(distilled(entries[:1])) == 1


def test_the_lines_of_a_digest_are_in_order_of_time() -> None:
    talk = [
        said("I planted 12 cherry trees in May.", 0, user="Ana"),
        said("My boat is called Heron.", 1, user="Ben"),
        said("The orchard belongs to my uncle Olaf.", 2, user="Ana"),
    ]
    digest: Candidate
    (digest,) = distilled(talk)
    assert [quote.entry.user for quote in digest.quotes] == ["Ana", "Ben", "Ana"]


@pytest.mark.parametrize(
    "text",
    ["My lamp is from Graz and it has 14 arms.", "小满上一年级，蛋糕要八寸的，奶奶住在湖边。"],
)
def test_short_talks_with_an_agent_keep_what_the_person_tells(text: str) -> None:
    entries = [said(text, 0), said("Can you tell me a joke?", 1), said("What is a monad?", 2)]
    assert text in [quote.text for each in distilled(entries) for quote in each.quotes]


@pytest.mark.parametrize(
    "text",
    [
        "I might buy a second loom but I haven't decided.",
        "We never settled on a colour for the sails, we took what was there.",
        "织布机买不买还没决定，先看看价格。",
    ],
)
def test_what_is_not_settled_is_no_decision(text: str) -> None:
    assert all(each.type is not CardType.DECISION for each in distilled([said(text)]))


@pytest.mark.parametrize(
    "text",
    [
        "更正一下，不是32盏，是36盏，加了两盏壁灯。",
        "开幕推迟到12月15号，因为要加一盏灯。",
        "Correction: the sail is 36 metres, not 32, because we added a panel.",
    ],
)
def test_what_is_put_right_or_moved_teaches_nothing(text: str) -> None:
    assert all(each.type is not CardType.LESSON for each in distilled([said(text)]))
