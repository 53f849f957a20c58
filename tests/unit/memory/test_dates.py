from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.dates import dates_in, gloss_line, glosses, resolved, say_date

AT = datetime(2023, 5, 10, 13, 56)  # a Wednesday

ENGLISH = [
    ("yesterday", "9 May 2023"),
    ("the day before yesterday", "8 May 2023"),
    ("tonight", "10 May 2023"),
    ("last night", "9 May 2023"),
    ("tomorrow", "11 May 2023"),
    ("the day after tomorrow", "12 May 2023"),
    ("last week", "week of 1 May 2023"),
    ("next week", "week of 15 May 2023"),
    ("the week before last", "week of 24 April 2023"),
    ("last weekend", "weekend of 6 May 2023"),
    ("this weekend", "weekend of 13 May 2023"),
    ("two weekends ago", "weekend of 29 April 2023"),
    ("last Friday", "Friday 5 May 2023"),
    ("last Wednesday", "Wednesday 3 May 2023"),
    ("last Tues", "Tuesday 9 May 2023"),
    ("this Friday", "Friday 12 May 2023"),
    ("next Tuesday", "Tuesday 16 May 2023"),
    ("two days ago", "8 May 2023"),
    ("three weeks ago", "around 19 April 2023"),
    ("two months ago", "March 2023"),
    ("ten years ago", "2013"),
    ("a few days ago", "around 7 May 2023"),
    ("about a year ago", "around May 2022"),
    ("last month", "April 2023"),
    ("next month", "June 2023"),
    ("last year", "2022"),
    ("last summer", "summer 2022"),
    ("next winter", "winter 2023-24"),
    ("last June", "June 2022"),
    ("the end of the month", "late May 2023"),
    ("two weeks from now", "around 24 May 2023"),
]


@pytest.mark.parametrize(("phrase", "meaning"), ENGLISH)
def test_english_phrases(phrase: str, meaning: str) -> None:
    text = f"Well, {phrase} it is."
    assert [(g.phrase, g.meaning) for g in glosses(text, AT)] == [(phrase, meaning)]
    assert resolved(text, AT) == f"Well, {phrase} [{meaning}] it is."


CHINESE = [
    ("昨天", "2023年5月9日"),
    ("前天", "2023年5月8日"),
    ("大前天", "2023年5月7日"),
    ("后天", "2023年5月12日"),
    ("昨晚", "2023年5月9日"),
    ("上周", "2023年5月1日那一周"),
    ("下个星期", "2023年5月15日那一周"),
    ("上周五", "2023年5月5日"),
    ("下周三", "2023年5月17日"),
    ("下下周日", "2023年5月28日"),
    ("这周末", "2023年5月13日那个周末"),
    ("上个月", "2023年4月"),
    ("下个月5号", "2023年6月5日"),
    ("月底", "2023年5月底"),
    ("年初", "2023年初"),
    ("去年", "2022年"),
    ("前年", "2021年"),
    ("明年三月", "2024年3月"),
    ("去年夏天", "2022年夏天"),
    ("三天前", "2023年5月7日"),
    ("两周后", "2023年5月24日左右"),
    ("十年前", "2013年"),
    ("几个月前", "2023年2月左右"),
    ("前几天", "2023年5月7日左右"),
]


@pytest.mark.parametrize(("phrase", "meaning"), CHINESE)
def test_chinese_phrases(phrase: str, meaning: str) -> None:
    text = f"他说{phrase}的事"
    assert [(g.phrase, g.meaning) for g in glosses(text, AT)] == [(phrase, meaning)]
    assert resolved(text, AT) == f"他说{phrase}[{meaning}]的事"


@pytest.mark.parametrize(
    ("text", "phrase", "whole", "day"),
    [
        ("Due March 29 it is.", "March 29", "Due March 29 [2023] it is.", date(2023, 3, 29)),
        ("Due 3 December.", "3 December", "Due 3 December [2022].", date(2022, 12, 3)),
        (
            "By Dec. 3rd, yes",
            "Dec. 3rd",
            "By Dec. 3rd [3 December 2022], yes",
            date(2022, 12, 3),
        ),
        ("定在4月2日上午", "4月2日", "定在4月2日[2023年]上午", date(2023, 4, 2)),
        ("十二月三号见", "十二月三号", "十二月三号[2022年12月3日]见", date(2022, 12, 3)),
    ],
)
def test_a_day_of_a_month_gets_what_it_lacks_and_is_a_whole_date(
    text: str, phrase: str, whole: str, day: date
) -> None:
    assert [(g.phrase, g.first, g.last) for g in glosses(text, AT)] == [(phrase, day, day)]
    assert resolved(text, AT) == whole
    assert dates_in(whole) == [day]
    assert gloss_line(text, AT) == f"{phrase} = {say_date(day, 'en' if text.isascii() else 'zh')}"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("It is Friday because Thursday was full.", date(2023, 5, 11)),
        ("Thursday wasn't available, so Friday.", date(2023, 5, 11)),
        ("周四满了，改周五", date(2023, 5, 11)),
        ("周四已经没票了", date(2023, 5, 11)),
    ],
)
def test_a_day_that_was_not_free_any_more_lies_ahead(text: str, day: date) -> None:
    assert day in [gloss.first for gloss in glosses(text, AT)]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("We met on Monday.", "Monday 8 May 2023"),
        ("I will call on Monday.", "Monday 15 May 2023"),
        ("The report is due Friday.", "Friday 12 May 2023"),
        ("We will move in three weeks.", "around 31 May 2023"),
        ("We moved in September.", "September 2022"),
        ("We will move in September.", "September 2023"),
        ("I have lived here for 4 years.", "since 2019"),
        ("I rested over the weekend and read.", "weekend of 6 May 2023"),
        ("周六要去开会。", "2023年5月13日"),
        ("周三去了医院。", "2023年5月3日"),
        ("The visit of the board is on Friday at 9.", "Friday 12 May 2023"),
        ("The surveyor comes on Friday.", "Friday 12 May 2023"),
        ("The review was on Friday.", "Friday 5 May 2023"),
        ("He came on Friday and leaves the keys with us.", "Friday 5 May 2023"),
        ("董事会周五九点来参观。", "2023年5月12日"),
        ("评审在周五。", "2023年5月12日"),
        ("周五交稿。", "2023年5月12日"),
        ("周一的会上定了。", "2023年5月8日"),
        ("Send it before Friday.", "Friday 12 May 2023"),
        ("The lantern fair is on the 11th.", "11 May 2023"),
        ("And then on Monday, we met.", "Monday 8 May 2023"),
        ("The lantern fair was on the 8th, we had a stall.", "8 May 2023"),
        ("It broke before Friday.", "Friday 5 May 2023"),
        ("It moves to jun 9.", "9 June 2023"),
        ("截稿改到19号。", "2023年5月19日"),
    ],
)
def test_the_tense_decides_what_a_bare_name_means(text: str, meaning: str) -> None:
    assert [gloss.meaning for gloss in glosses(text, AT)] == [meaning]


@pytest.mark.parametrize(
    "text",
    [
        "You may 5 times march on in a second; the sun is out.",
        "On March 15, 2024 and 2024-03-15.",
        "From Nov 1 - Nov 15, 2023 we plan.",
        "`yesterday` and\n```\nlast week\n```",
        "Every Friday I ran. On Fridays we ran.",
        "My birthday is March 29.",
        "We did it in 3 days.",
        "I lived there for 3 years.",
        "2024年4月2日要交。",
        "我的生日是4月2日。",
        "这需要说明天气。后天性的。每周五开会。今晚周五。",
        "先天后天都重要。最后天黑了。",
        "We play on Friday. Friday is the best day.",
        "董事会周五。",
        "Turned out the Monday export must be a spreadsheet.",
        "Big one: the lantern fair on the 11th, we ordered a stall.",
        "字号不要小于9号。尺码不能大于5号。",
    ],
)
def test_what_is_absolute_or_no_date_stays_alone(text: str) -> None:
    assert [g.phrase for g in glosses(text, AT) if g.phrase not in {"今晚"}] == []


@pytest.mark.parametrize(
    "text",
    [
        "We will meet on Saturday, 27 May.",
        "We will meet on 27 May (Saturday).",
        "We will meet on May 27, 2023, on Saturday.",
        "5月27日，周六上午要剪彩。",
        "周六（5月27日）上午要剪彩。",
        "2023年5月27日，周六上午要剪彩。",
    ],
)
def test_a_weekday_beside_a_date_is_that_day(text: str) -> None:
    assert {gloss.first for gloss in glosses(text, AT)} <= {date(2023, 5, 27)}


def test_a_weekday_beside_another_day_is_its_own() -> None:
    days = [gloss.first for gloss in glosses("Due 25 May, Friday we will meet.", AT)]
    assert days == [date(2023, 5, 25), date(2023, 5, 12)]


def test_a_gloss_names_the_days_it_covers() -> None:
    (week,) = glosses("last week", AT)
    assert (week.first, week.last) == (date(2023, 5, 1), date(2023, 5, 7))


def test_the_gloss_line_tells_each_phrase_once() -> None:
    text = "Yesterday I ran; yesterday was fine. 上周也是。"
    assert gloss_line(text, AT) == "yesterday = 9 May 2023; 上周 = 2023年5月1日那一周"
    assert gloss_line("nothing here", AT) == ""


def test_absolute_dates_in_every_spelling() -> None:
    text = "2024-03-15, 2024/3/15, March 15, 2024, 15th of March 2024, 2024年3月15日, 二〇二四年三月十五日"
    assert dates_in(text) == [date(2024, 3, 15)] * 6
    assert dates_in("2024-02-30 and 1.2.3 and v2024.1.1.4") == []


def test_dates_are_said_in_both_languages() -> None:
    assert say_date(date(2023, 5, 7), "en") == "7 May 2023"
    assert say_date(date(2023, 5, 7), "zh") == "2023年5月7日"


@given(
    st.lists(
        st.sampled_from(
            [
                "last ",
                "next ",
                "week",
                "Friday",
                " 99",
                " years ago",
                "上",
                "周五",
                "前",
                "年",
                "三",
                "月",
                "`",
                "\n",
                "May 3",
                "\ud800",
            ]
        ),
        max_size=20,
    ),
    st.datetimes(),
)
def test_any_words_on_any_day_give_exact_offsets(parts: list[str], at: datetime) -> None:
    text = "".join(parts)
    told = glosses(text, at)
    assert all(text[gloss.start : gloss.end] == gloss.phrase for gloss in told)
    assert all(gloss.first <= gloss.last for gloss in told)


@given(st.text(), st.datetimes())
def test_no_text_raises(text: str, at: datetime) -> None:
    assert resolved(text, at).startswith(text[:0])
    assert len(dates_in(text)) <= len(text)


NUMBERED = [
    ("The rent is due on the 15th.", "on the 15th", "15 May 2023"),
    ("We will meet on the 3rd.", "on the 3rd", "3 June 2023"),
    ("I need the papers by the 10th, please.", "by the 10th", "10 May 2023"),
    ("I'll be in Ghent until the 31st.", "until the 31st", "31 May 2023"),
    ("The parcel arrived on the 2nd.", "on the 2nd", "2 May 2023"),
    ("She called on the 20th and left a note.", "on the 20th", "20 April 2023"),
    ("The exam is on the 3rd of next month.", "on the 3rd of next month", "3 June 2023"),
    ("The exam is next month's 3rd.", "next month's 3rd", "3 June 2023"),
    ("He left the 28th of last month.", "the 28th of last month", "28 April 2023"),
    ("下个月三号要考试。", "下个月三号", "2023年6月3日"),
    ("下月3号交房租。", "下月3号", "2023年6月3日"),
    ("十五号要交房租。", "十五号", "2023年5月15日"),
    ("我3号要去根特。", "3号", "2023年6月3日"),
    ("体检改到25号了，18日我要出差。", "18日", "2023年5月18日"),
    ("2号我去了根特。", "2号", "2023年5月2日"),
    ("我们是二十号搬过来的，已经住下了。", "二十号", "2023年4月20日"),
]


@pytest.mark.parametrize(("text", "phrase", "meaning"), NUMBERED)
def test_a_day_by_its_number_alone_is_the_next_or_the_last_one(
    text: str, phrase: str, meaning: str
) -> None:
    assert (phrase, meaning) in [(g.phrase, g.meaning) for g in glosses(text, AT)]


@pytest.mark.parametrize(
    "text",
    [
        "We live on the 15th floor.",
        "I won on the 3rd try.",
        "She had a party on the 40th.",
        "The rent is due on the 1st of every month.",
        "I always pay on the 15th.",
        "It was on the 4th of them.",
        "Look on the 2nd page.",
        "I like the 15th.",
        "He finished 3rd and will train again.",
        "我要去3号楼。",
        "坐5号线要换车。",
        "他是十五号选手，明白了。",
        "第15号要修。",
        "每月15号要交房租。",
        "员工15号要来。",
        "三日游要订。",
        "十五号。",
        "今日要闻。",
    ],
)
def test_other_numbers_are_no_days(text: str) -> None:
    assert [gloss for gloss in glosses(text, AT) if gloss.phrase != "今日"] == []


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("The shop is closed, so I'm only here on the 17th.", "17 September 2026"),
        ("We are off on the 17th.", "17 September 2026"),
        ("The shop was closed on the 1st.", "1 September 2026"),
        ("It is booked, but it is Friday because the week was full.", "Friday 18 September 2026"),
    ],
)
def test_a_present_state_looks_ahead(text: str, meaning: str) -> None:
    assert f"[{meaning}]" in resolved(text, datetime(2026, 9, 16, 13))


def test_the_last_friday_of_the_month_is_no_day_of_last_week() -> None:
    text = "The column is due on the last Friday of the month."
    assert resolved(text, datetime(2026, 9, 15, 13)) == text
