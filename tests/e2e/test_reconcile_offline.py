"""New knowledge meets old, night after night, with the real offline distiller in both languages."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from nights import EVENING, Clock, cards, new_vault, quotes, row, say, take_in, with_status
from noctuary.memory.card import LIVE, Card, CardType, Status
from noctuary.memory.cardtext import parse_card

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.api import Vault


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    return new_vault(tmp_path / "vault", clock)


def day(number: int) -> datetime:
    return EVENING + timedelta(days=number)


def night_by_night(vault: Vault, clock: Clock, *texts: str) -> None:
    for number, text in enumerate(texts):
        say(vault, text, at=day(number))
        clock.now = day(number) + timedelta(hours=18)
        assert vault.dream().result == "done"


def in_one_night(vault: Vault, clock: Clock, *texts: str) -> None:
    for number, text in enumerate(texts):
        say(vault, text, at=day(number))
    clock.now = day(len(texts))
    assert vault.dream().result == "done"


def in_one_day(vault: Vault, clock: Clock, *texts: str) -> None:
    say(vault, *texts)
    assert vault.dream().result == "done"


Tell = Callable[..., None]
TELLINGS = pytest.mark.parametrize("tell", [night_by_night, in_one_night])
ALL_TELLINGS = pytest.mark.parametrize("tell", [night_by_night, in_one_night, in_one_day])


def live(vault: Vault) -> list[Card]:
    return [card for card in cards(vault).values() if card.status in LIVE]


def live_quotes(vault: Vault) -> list[str]:
    return sorted(line.quote for card in live(vault) for line in card.evidence)


@ALL_TELLINGS
@pytest.mark.parametrize("wish", ["I prefer tabs over spaces.", "我喜欢简短的回答。"])
def test_the_same_wish_again_is_one_card_seen_twice(
    vault: Vault, clock: Clock, tell: Tell, wish: str
) -> None:
    tell(vault, clock, wish, wish)
    (card,) = cards(vault).values()
    assert card.seen == 2


@TELLINGS
def test_a_wish_that_keeps_coming_back_is_a_pattern(vault: Vault, clock: Clock, tell: Tell) -> None:
    wish = "I prefer tabs over spaces."
    tell(vault, clock, *[wish] * 5)
    (card,) = cards(vault).values()
    assert (card.type, card.seen) == (CardType.PATTERN, 5)


@TELLINGS
@pytest.mark.parametrize(
    ("short", "full"),
    [
        (
            "Our budget is 50,000 yuan.",
            "Our budget is 50,000 yuan, and it must cover the hosting as well.",
        ),
        ("预算不超过五万元。", "预算不超过五万元，而且必须包括服务器的费用。"),
    ],
)
def test_a_fuller_statement_is_told_on_the_same_card(
    vault: Vault, clock: Clock, tell: Tell, short: str, full: str
) -> None:
    tell(vault, clock, short, full)
    (card,) = cards(vault).values()
    assert card.statement == full
    assert [line.quote for line in card.evidence] == [short, full]


UPDATES = [
    ("The staging port is 5000.", "The staging port is 6000 now.", "What is the staging port?"),
    ("My favourite drink is coffee.", "My favourite drink is tea.", "my favourite drink"),
    ("The release number is now 9.", "The release number is now 10.", "release number"),
    ("测试服务器的端口是5000。", "测试服务器的端口改成6000了。", "测试服务器的端口是多少？"),
    ("我最喜欢的饮料是咖啡。", "我最喜欢的饮料是茶。", "我最喜欢的饮料"),
]


@ALL_TELLINGS
@pytest.mark.parametrize(("old", "new", "question"), UPDATES)
def test_only_the_newer_value_stays_live(
    vault: Vault, clock: Clock, tell: Tell, old: str, new: str, question: str
) -> None:
    tell(vault, clock, old, new)
    assert live_quotes(vault) == [new]
    assert old in quotes(vault)
    hits = vault.recall(question).hits
    assert new in hits[0].text
    assert all(old not in hit.text for hit in hits)


@pytest.mark.parametrize(("old", "new", "question"), UPDATES)
def test_an_older_statement_that_comes_late_does_not_become_true(
    vault: Vault, clock: Clock, old: str, new: str, question: str
) -> None:
    say(vault, new, at=day(0), session="new")
    vault.dream()
    say(vault, old, at=day(-90), session="old")
    clock.next()
    vault.dream()
    assert live_quotes(vault) == [new]
    assert new in vault.recall(question).hits[0].text


def test_a_new_value_retires_every_older_one(vault: Vault, clock: Clock) -> None:
    night_by_night(
        vault, clock, "The staging port is 5000.", "The staging port is 6000 now.",
        "The staging port is 7000 now.",
    )  # fmt: skip
    assert live_quotes(vault) == ["The staging port is 7000 now."]


@TELLINGS
@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (
            "My favourite drink is coffee.",
            "My favourite drink is tea.",
            ("created", "true again"),
        ),
        ("我最喜欢的饮料是咖啡。", "我最喜欢的饮料是茶。", ("新建", "重新成立")),
    ],
)
def test_there_and_back_again(
    vault: Vault, clock: Clock, tell: Tell, first: str, second: str, words: tuple[str, ...]
) -> None:
    tell(vault, clock, first, second, first)
    (active,) = live(vault)
    (gone,) = with_status(vault, Status.SUPERSEDED)
    assert (active.statement, gone.statement) == (first, second)
    assert active.superseded_by == ()
    told = [line.text for line in active.history]
    assert all(any(word in line for line in told) for word in words)
    assert gone.superseded_by == (f"[[{_name(vault, active)}]]",)


def _name(vault: Vault, card: Card) -> str:
    return next(name for name, known in cards(vault).items() if known.id == card.id)


def test_a_retraction_retires_and_is_no_support(vault: Vault, clock: Clock) -> None:
    wish = "I prefer tabs over spaces."
    night_by_night(vault, clock, wish, "Forget what I said about preferring tabs over spaces.")
    (gone,) = with_status(vault, Status.SUPERSEDED)
    assert (gone.statement, gone.seen, len(gone.evidence)) == (wish, 1, 1)
    assert wish not in vault.context().text


def test_an_older_retraction_does_not_retire_a_later_wish(vault: Vault, clock: Clock) -> None:
    wish = "I prefer tabs over spaces."
    say(vault, wish, at=day(0), session="new")
    vault.dream()
    say(vault, "Forget what I said about preferring tabs over spaces.", at=day(-9), session="old")
    clock.next()
    vault.dream()
    assert wish in live_quotes(vault)


@pytest.mark.parametrize(
    ("wish", "mention"),
    [
        ("I prefer tabs over spaces.", "Do I prefer tabs over spaces?"),
        ("I prefer tabs over spaces.", "She said that I prefer tabs over spaces."),
        ("我喜欢简短的回答。", "我喜欢简短的回答吗？"),
        ("我喜欢简短的回答。", "他说我喜欢简短的回答。"),
    ],
)
def test_a_mention_is_no_support(vault: Vault, clock: Clock, wish: str, mention: str) -> None:
    say(vault, wish, at=day(0))
    vault.dream()
    say(vault, mention, at=day(1))
    clock.next(2)
    vault.dream()
    card = next(card for card in live(vault) if card.statement == wish)
    assert (card.seen, len(card.evidence)) == (1, 1)


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("The release date is 3 May 2026.", "The release date is 9 May 2026.", "release date"),
        ("测试服务器的端口是5000。", "测试服务器的端口是6000。", "测试服务器的端口"),
    ],
)
def test_contradictions_of_the_same_moment_are_disputed_and_shown_together(
    vault: Vault, clock: Clock, one: str, other: str, question: str
) -> None:
    for session, text in (("s1", one), ("s2", other)):
        say(vault, text, session=session)
    vault.dream()
    assert {card.status for card in live(vault)} == {Status.DISPUTED}
    assert live_quotes(vault) == sorted([one, other])
    told = "\n".join(hit.text for hit in vault.recall(question).hits)
    assert one in told
    assert other in told
    assert vault.status().disputed >= 1


def test_disputed_rules_are_both_in_the_wake_context(vault: Vault, clock: Clock) -> None:
    rules = ("Always indent Python with tabs.", "Never indent Python with tabs.")
    for number, text in enumerate(rules):
        say(vault, text, session=f"s{number}")
    vault.dream()
    text = vault.context().text
    assert all(rule.rstrip(".") in text for rule in rules)
    assert text.count("(disputed)") == 2
    clock.next(2)
    say(vault, "From now on never indent Python with tabs.", at=day(1), session="s3")
    vault.dream()
    assert rules[0].rstrip(".") not in vault.context().text


@pytest.mark.parametrize(
    "line",
    [
        "Person{n} lives in town{n} and pays {n} euro of rent.",
        "The port of server{n} is {p}.",
        "员工{n}号的工位在{p}室。",
    ],
)
def test_look_alikes_never_retire_each_other(vault: Vault, clock: Clock, line: str) -> None:
    texts = [line.format(n=n, p=5000 + 3 * n) for n in range(100)]
    take_in(vault, [row(text, EVENING + timedelta(seconds=20 * n)) for n, text in enumerate(texts)])
    report = vault.dream()
    assert report.facts_lost == ()
    assert with_status(vault, Status.SUPERSEDED) == []
    assert with_status(vault, Status.DISPUTED) == []
    assert all(card.replaced == () for card in cards(vault).values())
    held = "\n".join(live_quotes(vault))
    assert all(text in held for text in texts)


@pytest.mark.slow
def test_five_hundred_pairs_of_look_alikes_stay_apart(vault: Vault, clock: Clock) -> None:
    for half in range(2):
        texts = [
            f"Customer {n} of branch {half} pays {n * 7 + half} euro for plan P{n}."
            for n in range(500)
        ]
        rows = [row(text, day(half) + timedelta(seconds=20 * n)) for n, text in enumerate(texts)]
        take_in(vault, rows, f"half{half}.jsonl")
        clock.now = day(half) + timedelta(hours=18)
        assert vault.dream().facts_lost == ()
    assert with_status(vault, Status.SUPERSEDED) == []
    assert with_status(vault, Status.DISPUTED) == []
    assert all(card.replaced == () for card in cards(vault).values())


@TELLINGS
@pytest.mark.parametrize(
    ("task", "plan", "done"),
    [
        (
            "Remind me to renew the domain kilnhouse.example.",
            "I will renew the domain next week, it costs 30 euros.",
            "I renewed the domain this morning, it runs until 9 December 2028.",
        ),
        ("提醒我续费域名。", "下周我要续费域名，三十元。", "域名已经续费了，花了三十元。"),
    ],
)
def test_a_task_is_done_when_the_person_says_so_and_not_before(
    vault: Vault, clock: Clock, tell: Tell, task: str, plan: str, done: str
) -> None:
    tell(vault, clock, task, plan)
    (card,) = with_status(vault, Status.OPEN)
    assert card.id in vault.context().cards
    say(vault, done, at=day(5))
    clock.now = day(6)
    vault.dream()
    assert with_status(vault, Status.OPEN) == []
    (closed,) = with_status(vault, Status.DONE)
    assert (closed.id, closed.evidence[-1].quote) == (card.id, done)
    assert done in live_quotes(vault)
    assert card.id not in vault.context().cards


@pytest.mark.slow
def test_five_hundred_tasks_that_look_alike_close_one_by_one(vault: Vault, clock: Clock) -> None:
    for half, text in enumerate(
        ["Remind me to send invoice {n} to customer {n}.", "I sent invoice {n} to customer {n}."]
    ):
        said = [text.format(n=n) for n in range(500) if not half or n % 5 == 0]
        rows = [row(one, day(half) + timedelta(seconds=20 * n)) for n, one in enumerate(said)]
        take_in(vault, rows, f"half{half}.jsonl")
        clock.now = day(half) + timedelta(hours=18)
        vault.dream()
    assert with_status(vault, Status.SUPERSEDED) == []
    done = with_status(vault, Status.DONE)
    assert len(done) > 20
    assert all(int(card.title.split()[-1]) % 5 == 0 for card in done)
    waiting = "\n".join(live_quotes(vault))
    for n in range(500):
        assert (f"Remind me to send invoice {n} to" in waiting) == (n % 5 > 0)
        assert n % 5 or f"I sent invoice {n} to" in waiting


def test_what_a_person_edited_is_disputed_but_never_retired(vault: Vault, clock: Clock) -> None:
    say(vault, "My favourite drink is coffee.", at=day(0))
    vault.dream()
    path = next((vault.path / "cards").rglob("*.md"))
    edited = path.read_text("utf-8").replace("# My favourite", "# By hand: my favourite")
    path.write_text(edited, "utf-8")
    os.utime(path, (1, 1))
    say(vault, "My favourite drink is tea.", at=day(1))
    clock.next(2)
    vault.dream()
    card = parse_card(path.read_text("utf-8"), path.stem)
    assert card.title.startswith("By hand")
    assert card.status is Status.DISPUTED
    assert path.read_text("utf-8").split("---\n")[2] == edited.split("---\n")[2]


def test_what_a_tool_prints_never_retires_what_the_person_said(vault: Vault, clock: Clock) -> None:
    say(vault, "The staging port is 5000.", at=day(0))
    vault.dream()
    vault.log("error: the staging port is 6000 now.", "tool", at=day(1), session="a1b2c3")
    clock.next(2)
    vault.dream()
    assert "The staging port is 5000." in live_quotes(vault)
    assert with_status(vault, Status.SUPERSEDED) == []


def test_a_year_of_updates_dreamt_at_once_is_no_runaway(vault: Vault, clock: Clock) -> None:
    rows = [row(f"My weight goal number {n % 40} is {n} kg now.", EVENING - timedelta(days=200 - n))
            for n in range(120)]  # fmt: skip
    take_in(vault, rows)
    report = vault.dream()
    assert not [problem for problem in report.problems if "look like a mistake" in str(problem)]
    assert with_status(vault, Status.DISPUTED) == []
