from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.facts import fact_keys, hard_facts, missing

ONE = [
    ("about 12 of them", "number", "12", "number:12"),
    ("we have 50k rows", "number", "50k", "number:50000"),
    ("共有三百五十", "number", "三百五十", "number:350"),
    ("needs 3 GB", "quantity", "3 GB", "quantity:3 gb"),
    ("身高175cm", "quantity", "175cm", "quantity:175 cm"),
    ("有三千人参加", "quantity", "三千人", "quantity:3000 person"),
    ("pay $1.5 million", "money", "$1.5 million", "money:1500000 USD"),
    ("预算五万元", "money", "五万元", "money:50000 CNY"),
    ("房租涨到1万2了", "number", "1万2", "number:12000"),
    ("一共3万5千元", "money", "3万5千元", "money:35000 CNY"),
    ("大概2千5左右", "number", "2千5", "number:2500"),
    ("用了1万5000次", "quantity", "1万5000次", "quantity:15000 times"),
    ("cut by 5%", "percent", "5%", "percent:5"),
    ("下降百分之五", "percent", "百分之五", "percent:5"),
    ("by March 15, 2024", "date", "March 15, 2024", "date:2024-03-15"),
    ("在2024年3月15日", "date", "2024年3月15日", "date:2024-03-15"),
    ("by April 2", "date", "April 2", "date:--04-02"),
    ("since March 2024", "date", "March 2024", "date:2024-03"),
    ("at 2pm", "time", "2pm", "time:14:00"),
    ("在下午三点半", "time", "下午三点半", "time:15:30"),
    ("took 250ms", "duration", "250ms", "duration:250 ms"),
    ("花了十分钟", "duration", "十分钟", "duration:10 min"),
    ("for two weeks", "duration", "two weeks", "duration:2 week"),
    ("uses v2.3.1", "version", "v2.3.1", "version:2.3.1"),
    ("看第三版", "version", "第三版", "version:3"),
    ("met Melanie", "name", "Melanie", "name:melanie"),
    ("Thomas Kyd wrote", "name", "Thomas Kyd", "name:thomas kyd"),
    ("the HTTP layer", "name", "HTTP", "name:http"),
    ("call user_id", "name", "user_id", "name:user_id"),
    ("小区叫绿洲家园。", "name", "绿洲家园", "name:绿洲家园"),
    ("他姓名是李明，", "name", "李明", "name:李明"),
    ("看《三体》", "quoted", "三体", "quoted:三体"),
    ("edit src/app.py now", "path", "src/app.py", "path:src/app.py"),
    ("读取/etc/hosts文件", "path", "/etc/hosts", "path:/etc/hosts"),
    ("see https://a.org/b?c=1.", "url", "https://a.org/b?c=1", "url:https://a.org/b?c=1"),
    ("写信给ann@x.org", "email", "ann@x.org", "email:ann@x.org"),
    ("do `git push -f` now", "command", "git push -f", "command:git push -f"),
    ("commit 9fceb02d it", "id", "9fceb02d", "id:9fceb02d"),
    ("close ABC-123 now", "id", "ABC-123", "id:abc-123"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "said", "key"), ONE)
def test_each_kind_is_found(text: str, kind: str, said: str, key: str) -> None:
    assert [(f.kind, f.text, f.key) for f in hard_facts(text)] == [(kind, said, key)]


SAME = [
    ("50,000 yuan", "五万元"),
    ("¥50,000", "人民币五万元"),
    ("50000", "5万"),
    ("50k", "50,000"),
    ("５０", "50"),
    ("5%", "百分之五"),
    ("5 percent", "5％"),
    ("March 15, 2024", "2024-03-15"),
    ("15 March 2024", "2024年3月15日"),
    ("14:00", "2 p.m."),
    ("14:00", "下午两点"),
    ("3 weeks", "三周"),
    ("v3", "第3版"),
    ("the PostgreSQL", "the postgreSQL"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_a_fact_share_a_key(one: str, other: str) -> None:
    first, second = hard_facts(one), hard_facts(other)
    assert first
    assert [fact.key for fact in first] == [fact.key for fact in second]
    assert missing(first, f"so: {other} …") == []


@pytest.mark.parametrize(
    "text",
    [
        "Nothing here to see.",
        "千万别去，万一十分冷。",
        "I am so happy. The end.",
        "叫我起床",
        "一个人，一点也不",
        "first and second",
    ],
)
def test_plain_words_are_no_facts(text: str) -> None:
    assert hard_facts(text) == []


def test_a_fence_gives_only_commands_paths_urls_and_versions() -> None:
    text = "```sh\n$ make test\ncount = 123\nopen /etc/hosts\nuse v1.2.3 of MyClass\n```\nthen 77"
    assert [(f.kind, f.text) for f in hard_facts(text)] == [
        ("command", "make test"),
        ("path", "/etc/hosts"),
        ("version", "v1.2.3"),
        ("number", "77"),
    ]


@pytest.mark.parametrize(
    ("fact", "haystack", "lost"),
    [
        ("about 5", "exactly 1,500 or 5.5 or 15", True),
        ("about 5", "it was 5.", False),
        ("met Ann", "Annual report", True),
        ("met Ann", "it was ANN!", False),
        ("12 rows", "12 columns", False),
        ("at 14:00", "at 14:30", True),
        ("on March 15", "by 2024-03-15", False),
        ("住在 /srv/a", "在/srv/ab里", True),
    ],
)
def test_missing_looks_word_for_word_and_by_key(fact: str, haystack: str, *, lost: bool) -> None:
    assert bool(missing(hard_facts(fact), haystack)) is lost


@pytest.mark.parametrize(
    "text",
    [
        "2. Install it",
        "3) try it\n4) leave it",
        "intro:\n  12. then stop",
        "- **2. begin** now",
        "（十二）附则",
        "十二、附则",
        "2、安装",
        "one of the 3 ways",
        "there are 4 options",
        "有3种方法",
        "go to step 3",
        "x^2 + y",
    ],
)
def test_list_markers_and_passing_digits_are_no_facts(text: str) -> None:
    assert hard_facts(text) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("I have 3 kids and 2 black cats", ["3", "2"]),
        ("retries = 3", ["3"]),
        ("score: 7", ["7"]),
        ("set it to 5", ["5"]),
        ("rated 4/5", ["4", "5"]),
        ("-5 outside", ["-5"]),
        ("人数是8", ["8"]),
        ("one of the 30 ways", ["30"]),
        ("the answer was\n12.", ["12"]),
        ("2. Take 4 spoons", ["4"]),
    ],
)
def test_digits_that_tell_a_value_stay(text: str, numbers: list[str]) -> None:
    assert [fact.text for fact in hard_facts(text) if fact.kind == "number"] == numbers


NAMES: list[tuple[str, list[str]]] = [
    ("**Error Handling**: catch it", []),
    ("1. **Cache Layer** - keep it", []),
    ("# Our Great Plan", []),
    ("Step 1: Choose Your Main Topic", []),
    ("- Ask Friends: they know", []),
    ("1) Bake it\n2) Serve it", []),
    ('She said: "Baking helps"', []),
    ("It works: Baking helps.", []),
    ("Section 12 follows", []),
    ("Option B and plan C", ["Option B"]),
    ("**Flask-WTF**: for forms", ["Flask-WTF"]),
    ("## The HTTP Layer", ["HTTP"]),
    ("**Cache Layer**: our Cache Layer is new", ["Cache Layer", "Cache Layer"]),
    ("Zotero is fine. We took Zotero.", ["Zotero", "Zotero"]),
    ("Smith left early. I met Ann Smith.", ["Smith", "Ann Smith"]),
    ("Later is fine. We left.", []),
    ("Caroline: hey there", ["Caroline"]),
    ("Note: hey there", []),
    ("Bye Nora, dear", ["Nora"]),
    ("we meet in Room 302 today", ["Room 302"]),
    ("sold Studio 12 and Room 3", ["Studio 12", "Room 3"]),
    ("李明在银行上班", ["李明"]),
    ("赵小云是我的邻居", ["赵小云"]),
    ("我同事周敏说可以", ["周敏"]),
    ("医生刘芳推荐了散步", ["刘芳"]),
    ("我和张敏说过", ["张敏"]),
    ("孙晓的电话是空的", ["孙晓"]),
    ("周末在家工作，白天在店里上班", []),
    ("马上说，高中同学说", []),
    ("方案是我的，文件是他的", []),
    ("我同事说他来，老师何时来", []),
]


@pytest.mark.parametrize(("text", "expected"), NAMES)
def test_names_are_told_from_mere_capitals_and_words(text: str, expected: list[str]) -> None:
    assert [fact.text for fact in hard_facts(text) if fact.kind == "name"] == expected


def test_answers_are_the_callers_own() -> None:
    hard_facts("met Ann").clear()
    fact_keys("met Ann").clear()
    assert hard_facts("met Ann")
    assert fact_keys("met Ann")


def test_a_numbered_name_implies_its_number() -> None:
    assert missing(hard_facts("about 302"), "in Room 302") == []
    assert "number:302" in fact_keys("in Room 302")


def test_a_whole_date_implies_its_month_and_an_amount_its_number() -> None:
    assert {"date:2024-03-15", "date:2024-03", "date:--03-15"} <= fact_keys("2024-03-15")
    assert "number:50000" in fact_keys("五万元")


@given(
    st.text(
        alphabet=st.sampled_from("aA1 .,:/-_@#$%`'\"“”《》年月日点万百分之叫三\n￥０\ud800"),
        max_size=60,
    )
)
def test_any_text_gives_exact_offsets_and_keeps_its_own_facts(text: str) -> None:
    found = hard_facts(text)
    assert all(text[fact.start : fact.end] == fact.text for fact in found)
    assert missing(found, text) == []


@pytest.mark.parametrize(
    "part", ["a", "1", "1,", "/a", "@", "A ", "a_", "一", "`", "“", "://", "$ "]
)
def test_long_runs_are_read_to_the_end(part: str) -> None:
    text = part * (50_000 // len(part)) + " at 14:00"
    assert isinstance(hard_facts(text), list)
