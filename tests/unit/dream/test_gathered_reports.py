from __future__ import annotations

from datetime import datetime

import pytest

from dream_kit import brain
from noctuary.distil.offline import OfflineDistiller
from noctuary.dream import reconcile
from noctuary.dream.collect import Pending
from noctuary.dream.consolidate import Bounds, consolidate
from noctuary.dream.reconcile import Reconciler
from noctuary.memory.candidate import Anchor
from noctuary.memory.entry import Entry, Role, entry_id


def reported(project: str, *texts: str) -> list[tuple[str, list[str]]]:
    """Titles and lines of the cards when an agent reported one text a day."""
    mind, distiller = brain(), OfflineDistiller()
    for day, text in enumerate(texts, 1):
        at = datetime(2026, 11, day, 9)
        entry = Entry(
            entry_id(Role.ASSISTANT, at, text), Role.ASSISTANT, at, text, session=f"s{day}",
            episode=f"2026-11-{day:02d}-s{day}", project=project,
        )  # fmt: skip
        consolidate(Pending((entry,)), Reconciler(mind, distiller), distiller, Anchor(), Bounds())
    return [(card.title, [one.quote for one in card.evidence]) for card in mind.cards.values()]


@pytest.mark.parametrize(
    ("project", "texts", "title"),
    [
        (
            "harbour",
            ["Deployed as 7f3a2b1.", "Fixed: the crane alarm was caused by port 8042."],
            "harbour: what was done",
        ),
        ("港口", ["已部署，版本号2.4.1。", "修复了，原因是端口8042被占用。"], "港口：做完的事"),
    ],
)
def test_what_an_agent_reports_for_a_project_gathers_on_one_card(
    project: str, texts: list[str], title: str
) -> None:
    assert reported(project, *texts) == [(title, texts)]


def test_without_a_project_each_report_keeps_the_name_of_what_it_says() -> None:
    texts = ["Deployed as 7f3a2b1.", "Fixed: the crane alarm was caused by port 8042."]
    assert all("what was done" not in title for title, _ in reported("", *texts))


def test_a_full_card_makes_room_for_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconcile, "MAX_LINES", 24)
    things = [
        "crane",
        "buoy",
        "ferry",
        "winch",
        "tug",
        "sluice",
        "beacon",
        "anchor",
        "pilot",
        "quay",
        "hull",
        "mast",
        "keel",
        "rudder",
    ]
    causes = [
        "salt",
        "rust",
        "fog",
        "ice",
        "sand",
        "moss",
        "gulls",
        "rope",
        "tar",
        "wind",
        "hail",
        "dust",
    ]
    texts = [
        f"Fixed: {thing} trouble, {causes[at % 12]} was the root cause of it."
        for at, thing in enumerate(things)
    ]
    texts += [
        f"Deployed {cause} guard for every {things[at]} we own." for at, cause in enumerate(causes)
    ]
    cards = reported("harbour", *texts)
    assert sorted(line for _, lines in cards for line in lines) == sorted(texts)
    assert [len(lines) for _, lines in cards] == [24, 2]
