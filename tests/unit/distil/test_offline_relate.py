from __future__ import annotations

import pytest

from distil_kit import distilled, distiller, known_line, relation, said
from noctuary.memory.candidate import Quote, RelationKind
from noctuary.memory.card import CardType


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The capital of Arvonia is Telm.", "The capital of Arvonia is Brask."),
        ("Mira Holt was born in the city of Graz.", "Mira Holt was born in the city of Linz."),
        ("Mira Holt plays the position of keeper.", "Mira Holt plays the position of striker."),
        ("My budget is 300 euros.", "My budget is 450 euros."),
        ("My phone number is 555-0100.", "My phone number is 555-0199."),
        ("我的预算是三千元。", "我的预算是五千元。"),
        ("花园音乐会的地点是南京。", "花园音乐会的地点是苏州。"),
        (
            "The daily quota of our API is 1,000 calls.",
            "The daily quota of our API is now 1,200 calls.",
        ),
    ],
)
def test_another_value_for_the_same_subject_supersedes(old: str, new: str) -> None:
    found = relation(new, old)
    assert found.kind is RelationKind.SUPERSEDES
    assert found.known is not None
    assert found.known.receipt.quote == old


def test_an_older_line_that_comes_late_is_outdated() -> None:
    known = known_line("The capital of Arvonia is Brask.", minute=90)
    quote = Quote(said("x"), "The capital of Arvonia is Telm.")
    assert distiller().relate(quote, CardType.FACT, [known]).kind is RelationKind.OUTDATED


def test_two_values_at_the_same_time_are_disputed() -> None:
    found = relation(
        "The capital of Arvonia is Telm.", "The capital of Arvonia is Brask.", minute=0
    )
    assert found.kind is RelationKind.DISPUTES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The rent is 850 euros.", "We raised the rent to 900 euros."),
        ("The regatta is on 5 May.", "They moved the regatta to 12 May."),
        (
            "Our sail budget is 14,500 euros.",
            "We changed the sail budget from 14,500 to 16,000 euros.",
        ),
        ("The test system sends at most 200 letters a day.", "The letter quota was raised to 500."),
        ("测试环境的邮件一天最多发200封。", "邮件额度提到500封了。"),
        (
            "My deadline of April 1 for the first regatta covers the sails.",
            "I have to plan with the new regatta deadline of April 5.",
        ),
        ("截稿日期是5月2日。", "新的截稿日期是5月9日。"),
        ("灯的种类先做40种，后面再加。", "灯减到24种，40种做不完。"),
        ("交稿日是5月2日。", "周编辑说交稿可以晚几天，延到5月9日。"),
    ],
)
def test_another_limit_replaces_however_the_limit_is_called(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Big one: the lantern fair on the 11th, we ordered a stall, number 34, costs 85 euros.",
            "The fair went great: 412 lanterns, 1,930 euros.",
        ),
        ("The rent is 850 euros.", "We moved the lamps to the hall for 40 euros."),
        ("The rent of the hall is 850 euros.", "We raised the mast to 9 metres."),
        ("Our fair stand costs 85 euros.", "The fair stand fell over, 40 euros of damage."),
    ],
)
def test_how_a_thing_went_is_not_what_it_costs(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.DISTINCT


_SUBJECTS = (("price list", "payment hook"), ("价格表", "支付回调"), ("north gate", "south gate"))


@pytest.mark.parametrize(
    "line",
    [
        "The {} of quarry listens on port {} now.",
        "The {} of the harbour opens at {} now, not earlier.",
        "We have changed the {} of quarry to {} euros.",
        "The {} takes {} ms since we switched to Redis.",
        "石场的{}现在监听{}端口。",
        "石场的{}改成了{}元。",
        "{}的预算现在是{}元，何勇说的。",
    ],
)
def test_a_change_of_one_thing_says_nothing_of_another(line: str) -> None:
    pairs = [pair for pair in _SUBJECTS if pair[0].isascii() == line[0].isascii()]
    for one, other in pairs or [_SUBJECTS[1]]:
        old, new = line.format(one, 8123), line.format(other, 9456)
        assert relation(new, old).kind is RelationKind.DISTINCT, new
        assert relation(line.format(one, 9456), old).kind is RelationKind.SUPERSEDES, old


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My boss is a designer.", "My boss is from Dresden."),
        ("My sister is a doctor.", "My sister is 34."),
        ("The south gate is open on Sundays.", "The library is no longer open on Sundays."),
        ("My cousin is a nurse.", "My cousin is really into yoga."),
        ("The meeting is in room 4.", "The meeting is at 5."),
        ("我叔叔是警队的队长。", "我叔叔是干警察的。"),
        ("我的上司是总裁。", "我的上司是湖南人。"),
        (
            "Always add the security notes when I ask about payments.",
            "Since you always add the security notes on payments, I've switched to Argon 2.1.",
        ),
        ("我不喜欢在周报里看到缩写。", "我不喜欢在合同里看到缩写。"),
        ("我们决定用Kafka，因为旧的每次要65毫秒。", "我们决定用Redis，因为旧的每次要85毫秒。"),
        ("我在西安见了冯涛，他们用钉钉。", "我在西安见了小林，他们用微信。"),
        ("朱琳2月搬到昆明，在那边办公。", "吕萍12月搬到厦门，在那边办公。"),
    ],
)
def test_one_quality_leaves_the_others_alone(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.DISTINCT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("朱琳2月搬到昆明，在那边办公。", "朱琳12月搬到厦门，在那边办公。"),
        ("审计日志的预算是74735元，何勇说的。", "审计日志的预算是89051元，小林说的。"),
        ("项目预算是五万元。", "项目预算是六万元。"),
        ("我妹妹是北京人。", "我妹妹是上海人。"),
        ("The code of the door is 4411.", "The code of the door is 5522."),
        ("The deadline of the grant is July 5.", "The deadline of the grant is August 9."),
        ("The rhythm of the report is weekly.", "The rhythm of the report is monthly."),
        ("My sister moved to Porto.", "My sister moved to Lisbon."),
        ("The library is open on Sundays.", "The library is no longer open on Sundays."),
        ("I take sugar in my tea.", "I no longer take sugar in my tea."),
        ("The binder is at 12 Elm Road.", "The binder has a new address: 40 Oak Street."),
        ("The binder is at 12 Mill Road.", "Our binder has a new address, it's 30 Mill Road now."),
        ("The press hall is at 41 Quay Lane.", "The press hall now lives at 90 Harbour Lane."),
        ("Our shop is at shop.example.org.", "Our shop now lives at books.example.org."),
        ("The car inspection is on 12 March.", "The car inspection got pushed to 26 March."),
        (
            "We print at 300 dpi, don't change it.",
            "dpi: the press was mended, we can go to 600 now.",
        ),
        ("The head of the press is Bodil.", "Ines took over as head of the press from Bodil."),
        ("The head of the press is Bodil.", "Our new head of the press is Ines."),
        ("截稿日期是 3 月 10 日。", "截稿延到 3 月 20 日。"),
        ("交付定在 3 月 10 日。", "交付顺延到 3 月 24 日。"),
        ("装订课在3月10日。", "装订课改期了，改到3月17日，地点不变。"),
        ("我的师傅是梁老师。", "换师傅了，现在是方老师带我。"),
    ],
)
def test_the_same_thing_told_anew_replaces(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize("frame", ["en", "zh", "room", "price", "invoice"])
def test_look_alikes_about_other_subjects_are_distinct(frame: str) -> None:
    lines = {
        "en": "The capital of Region{n} is Town{m}.",
        "zh": "员工{n}号的电话是{m}。",
        "room": "Room {n} holds {m} people.",
        "price": "The price of item {n} is {m} euros.",
        "invoice": "Invoice {n} was paid on {m} May.",
    }
    texts = [lines[frame].format(n=n + 100, m=n % 28 + 1) for n in range(101)]
    known = [known_line(texts[0])]
    kinds = {
        distiller().relate(Quote(said(text, 60), text), CardType.FACT, known).kind
        for text in texts[1:]
    }
    assert kinds == {RelationKind.DISTINCT}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I like apples.", "I like pears."),
        ("I went to Graz.", "I went to Linz."),
        ("Mira Holt is a citizen of Arvonia.", "Mira Holt is famous for The Long Night."),
        ("I prefer dark mode in editors.", "I prefer short answers."),
        ("I bought 3 lamps.", "I bought 5 clocks."),
    ],
)
def test_things_that_can_both_be_true_are_distinct(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.DISTINCT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I prefer tea in the morning.", "I prefer tea in the morning!"),
        ("我更喜欢喝红茶。", "我更喜欢喝红茶"),
        ("Always use metric units in recipes.", "Always use metric units in the recipes."),
    ],
)
def test_the_same_again_is_a_duplicate(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.PREFERENCE).kind is RelationKind.DUPLICATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Always use tables in reports.", "Never use tables in reports."),
        ("以后都用表格回答。", "以后不要用表格回答。"),
    ],
)
def test_a_reversed_wish_supersedes(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.PREFERENCE).kind is RelationKind.SUPERSEDES


def test_what_names_the_old_value_supersedes_it() -> None:
    old = "We use Jenkins for the nightly builds."
    new = "We switched the nightly builds from Jenkins to Drone."
    assert relation(new, old).kind is RelationKind.SUPERSEDES


def test_never_against_done_is_disputed() -> None:
    old = "I repaired the violin bridge with my uncle."
    new = "I have never repaired a violin bridge."
    assert relation(new, old).kind is RelationKind.DISPUTES


@pytest.mark.parametrize(
    ("claim", "denial"),
    [
        (
            "I want to start with simple violin bridges and repair bows.",
            "I have never repaired a violin bridge, but I want to start with simple bows.",
        ),
        (
            "starting with simple violin bridges and bows, and maybe repair one",
            "I've never repaired any violin bridges or bows before, but I want to learn",
        ),
        (
            "I'm hoping to repair the violin bridge with my uncle.",
            "I have never repaired a violin bridge.",
        ),
        (
            "Should I repair a violin bridge or a bow first?",
            "I have never repaired a violin bridge or a bow.",
        ),
        ("我想和叔叔一起修小提琴的琴桥。", "我从来没修过小提琴的琴桥。"),
    ],
)
def test_a_wish_or_a_plan_contradicts_no_denial(claim: str, denial: str) -> None:
    assert relation(denial, claim).kind is not RelationKind.DISPUTES
    assert relation(claim, denial).kind is not RelationKind.DISPUTES


@pytest.mark.parametrize(
    ("claim", "denial"),
    [
        ("Last week I rebuilt 5 violin bridges.", "I've never rebuilt any violin bridges before."),
        ("I got my violin bridge repaired in Ghent.", "I've never had a violin bridge repaired."),
        (
            "I carved 2 violin bridges in May.",
            "I've never made any violin bridges or tuned any bows.",
        ),
        (
            "I've been playing duets with Ida, who's 30 and a cellist, in some churches.",
            "I've never performed with Ida in any churches.",
        ),
        ("我和叔叔修过小提琴的琴桥。", "我从来没修过小提琴的琴桥。"),
    ],
)
def test_a_deed_contradicts_its_denial(claim: str, denial: str) -> None:
    assert relation(denial, claim).kind is RelationKind.DISPUTES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Always use tables in reports.", "Forget what I said about tables in reports."),
        ("周末项目用红色主题。", "算了，周末项目的红色主题作废。"),
        ("I prefer dark oak for the shelves.", "Forget what I said about dark oak."),
        ("Always answer in Latin.", "Please forget everything I told you about Latin."),
        ("外甥对核桃过敏。", "请忘掉我说过的核桃过敏的事。"),
        ("书架我更喜欢用深色橡木。", "忘了我说的深色橡木吧。"),
    ],
)
def test_a_retraction_retracts(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.PREFERENCE).kind is RelationKind.RETRACTS


@pytest.mark.parametrize(
    "new",
    [
        "What if the capital of Arvonia is Telm?",
        "Is the capital of Arvonia Telm?",
        "He said the capital of Arvonia is Telm.",
    ],
)
def test_questions_and_suppositions_are_no_support(new: str) -> None:
    assert relation(new, "The capital of Arvonia is Brask.").kind is RelationKind.DISTINCT


def test_two_peoples_own_dogs_are_two_dogs() -> None:
    known = known_line("My dog is called Rex.", speaker="Ana")
    text = "My dog is called Max."
    quote = Quote(said(text, 60, user="Ben"), text)
    assert distiller().relate(quote, CardType.FACT, [known]).kind is RelationKind.DISTINCT


def test_more_about_the_same_refines() -> None:
    old = "The garden hall seats guests."
    new = "The garden hall seats 80 guests and has a kitchen."
    assert relation(new, old).kind is RelationKind.REFINES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("周海是我的邻居，其身高是169cm。", "何冰是我的舅妈，其身高是164cm。"),
        ("周海是我的邻居，其电话是555-0100。", "何冰是我的舅妈，其电话是555-0199。"),
        ("周海是我的邻居，他的生日是3月5日。", "何冰是我的舅妈，她的生日是4月9日。"),
        (
            "Hal is my neighbour, his birthday is 5 March.",
            "Ida is my aunt, her birthday is 9 April.",
        ),
        ("Hal is my neighbour, his age is 40.", "Gus is my uncle, his age is 62."),
    ],
)
def test_a_pronoun_names_somebody_else_in_each_line(old: str, new: str) -> None:
    assert relation(new, old).kind is RelationKind.DISTINCT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The winch log is shared, so always ask Rosa before you edit it.",
            "You did it again! I told you the winch log is shared, ask Rosa.",
        ),
        ("菜单统一用宋体排版，别用楷体", "你又用了楷体，我说过菜单用宋体排版"),
        ("Use tabs for indentation.", "As I said, use tabs for indentation."),
        ("Never deploy on Fridays.", "I told you never to deploy on Fridays!"),
    ],
)
def test_a_rule_that_is_told_again_is_the_same_rule(old: str, new: str) -> None:
    found = relation(new, old, type_=CardType.PREFERENCE)
    assert found.kind is RelationKind.DUPLICATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use spaces for indentation.", "I told you to use tabs."),
        ("以后都用英文写提交信息", "我说过用中文回答"),
        ("Use tabs for indentation.", "I told you not to use tabs."),
    ],
)
def test_what_was_told_before_is_not_any_other_rule(old: str, new: str) -> None:
    found = relation(new, old, type_=CardType.PREFERENCE)
    assert found.kind is not RelationKind.DUPLICATE


def test_a_complaint_says_what_had_been_told() -> None:
    (rule,) = distilled(
        [said("You used italics again, I told you: always use bold for dish names.")]
    )
    assert rule.statement == "Always use bold for dish names."
    assert rule.quotes[0].text.startswith("You used italics again")
