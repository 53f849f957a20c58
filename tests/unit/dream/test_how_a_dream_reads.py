"""What a person reads of a dream is right: counts, history, names, and no line told twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from dream_kit import NIGHT, Relate, Scripted, brain, candidate, reconciler, said
from noctuary.distil.offline import OfflineDistiller
from noctuary.dream.collect import Pending
from noctuary.dream.consolidate import Bounds, consolidate
from noctuary.dream.gate import check
from noctuary.dream.plan import plan
from noctuary.dream.reconcile import Reconciler
from noctuary.memory.candidate import DISTINCT, Anchor, Candidate, Quote, Relation, RelationKind
from noctuary.memory.card import Card, CardType, Status
from noctuary.memory.entry import Entry, Role, entry_id


def always(kind: RelationKind) -> Relate:
    return lambda _quote, _type, known: Relation(kind, known[0], "") if known else DISTINCT


def digest(
    *entries: Entry, title: str = "Harbour, cranes", topics: tuple[str, ...] = ()
) -> Candidate:
    return candidate(*entries, statement="", title=title, topics=topics or ("harbour", "cranes"))


def dreamt(*entries: Entry, mind: Reconciler | None = None) -> list[Card]:
    work = mind or Reconciler(brain(), OfflineDistiller())
    consolidate(Pending(tuple(entries)), work, work.distiller, Anchor(), Bounds())
    return list(work.brain.cards.values())


def turn(text: str, minute: int, role: Role = Role.USER, project: str = "") -> Entry:
    return replace(said(text, minute, role), project=project, session="a1")


def test_what_another_turn_says_again_counts_however_it_was_quoted() -> None:
    work = reconciler(always(RelationKind.DUPLICATE))
    work.take(check([candidate(said("Always label the crates"), type_=CardType.PREFERENCE)]).passed)
    later = said("Label all crates, always. I want the crates labelled", 30)
    twice = Candidate(
        CardType.PREFERENCE, "Crates", "Label all crates",
        (Quote(later, "Label all crates, always."), Quote(later, "I want the crates labelled")),
        importance=4,
        seen=1,
    )  # fmt: skip
    work.take(check([twice]).passed)
    (card,) = work.brain.cards.values()
    assert card.seen == 2
    whys = [change.why for change in work.brain.changes]
    assert "said again, seen 2 times now" in whys
    assert all("seen 1 times" not in why for why in whys)


def test_a_page_that_grows_twice_in_a_dream_has_one_line_of_history() -> None:
    first = reconciler()
    first.take(check([digest(said("The harbour crane is green"))]).passed)
    mind = replace(brain(), dream="[[2026-12-02T0300]]")
    mind.learn([(card, "harbour") for card in first.brain.cards.values()])
    work = reconciler(mind=mind)
    for minute in (10, 20):
        lines = [said(f"The harbour crane {n} lifts {minute} tons", minute + n) for n in (1, 2)]
        work.take(check([digest(*lines)]).passed)
    (card,) = work.brain.cards.values()
    assert [line.text for line in card.history][1:] == ["4 lines added by [[2026-12-02T0300]]"]
    assert [change.why for change in plan(work.brain, {}).changes] == ["4 lines added"]


def test_what_a_card_was_asked_for_passes_to_its_heir_and_back() -> None:
    first = reconciler()
    first.take(check([candidate(said("The port is 5000"))]).passed)
    (old,) = first.brain.cards.values()
    mind = brain()
    mind.learn([(replace(old, references=7, last_referenced=NIGHT.date()), "port")])
    work = reconciler(always(RelationKind.SUPERSEDES), mind)
    work.take(check([candidate(said("The port is 6000", 30))]).passed)
    heir = next(card for card in work.brain.cards.values() if card.id != old.id)
    assert (heir.references, heir.last_referenced) == (7, NIGHT.date())
    assert work.brain.cards[old.id].references == 0


def test_a_line_that_the_ledger_saves_in_full_stands_once() -> None:
    text = "I fixed the winch of the old ferry, can you check that pier 42 opens at 06:30?"
    entry = said(text)
    start = Quote(entry, "I fixed the winch of the old ferry")
    thinker = Scripted(
        scores={text: 4},
        candidates=[Candidate(CardType.FACT, "Ferry", "", (start,), importance=3)],
    )
    work = Reconciler(brain(), thinker)
    consolidate(Pending((entry,)), work, thinker, Anchor(), Bounds())
    lines = [one.quote for card in work.brain.cards.values() for one in card.evidence]
    assert lines == [text]


@pytest.mark.parametrize(
    ("opened", "reported", "denied"),
    [
        (
            "We still need to write the visitor page.",
            "Done – the visitor page is written and linked in the footer.",
            "No, the visitor page is not written yet.",
        ),
        ("别忘了写访客页。", "访客页写好了，已经放到页脚。", "不对，访客页还没写完。"),
    ],
)
def test_an_assistants_report_closes_a_task_until_its_person_denies_it(
    opened: str, reported: str, denied: str
) -> None:
    work = Reconciler(brain(), OfflineDistiller())
    report = turn(reported, 20, Role.ASSISTANT)
    task = next(
        card for card in dreamt(turn(opened, 0), report, mind=work) if card.type is CardType.TASK
    )
    assert task.status is Status.DONE
    assert task.evidence[-1].entry == report.id
    dreamt(turn(denied, 40), mind=work)
    again = work.brain.cards[task.id]
    assert (again.status, again.evidence, again.valid_until) == (
        Status.OPEN,
        task.evidence[:-1],
        None,
    )
    assert any(
        "open again" in line.text or line.text.startswith("created") for line in again.history
    )


@pytest.mark.parametrize(
    ("opened", "told"),
    [
        ("Remind me on Monday to pay the stall.", "Paid the stall. 85 as agreed."),
        ("别忘了给印坊签合同", "合同签好了"),
        ("Don't forget to call the plumber.", "called the plumber"),
    ],
)
def test_a_word_that_is_worth_no_line_closes_a_task_all_the_same(opened: str, told: str) -> None:
    (task,) = [
        card for card in dreamt(turn(opened, 0), turn(told, 20)) if card.type is CardType.TASK
    ]
    assert task.status is Status.DONE
    assert task.evidence[-1].quote in told


@pytest.mark.parametrize("role", [Role.TOOL, Role.WEB, Role.FILE])
def test_what_tools_and_pages_report_closes_no_task(role: Role) -> None:
    entries = [
        turn("We still need to write the visitor page.", 0),
        turn("The visitor page is written.", 20, role),
    ]
    (task,) = [card for card in dreamt(*entries) if card.type is CardType.TASK]
    assert task.status is Status.OPEN


@pytest.mark.parametrize(
    "reported",
    [
        "The visitor page will be written tomorrow.",
        "Once the visitor page is written, I link it.",
        "I have written the imprint.",
        "Is the visitor page written?",
    ],
)
def test_an_assistants_plan_or_another_thing_closes_no_task(reported: str) -> None:
    entries = [
        turn("We still need to write the visitor page.", 0),
        turn(reported, 20, Role.ASSISTANT),
    ]
    (task,) = [card for card in dreamt(*entries) if card.type is CardType.TASK]
    assert task.status is Status.OPEN


def day(number: int, *texts: str) -> list[Entry]:
    found = []
    for minute, text in enumerate(texts):
        at = datetime(2026, 5, number, 9) + timedelta(minutes=minute)
        found.append(
            Entry(
                entry_id(Role.USER, at, text), Role.USER, at, text, session=f"s{number}",
                episode=f"2026-05-{number:02d}-s{number}",
            )
        )  # fmt: skip
    return found


def test_digests_of_one_theme_have_names_that_tell_them_apart() -> None:
    work = reconciler()
    work.distiller = OfflineDistiller()
    one = day(1, *(f"My orchard has {n} pear trees near the pond of Ghent." for n in range(3, 8)))
    two = day(
        9, *(f"My orchard got {n} beehives on the slope, the beehives hum." for n in range(3, 8))
    )
    for entries in (one, two):
        title = "Orchard, trees"
        work.take(
            check([digest(*entries, title=title, topics=(f"t{len(work.brain.cards)}",))]).passed
        )
    titles = [card.title for card in work.brain.cards.values()]
    assert len(titles) == len(set(titles)) == 2
    assert "beehives" in titles[1].lower()
