from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dream_kit import brain, candidate, reconciler, said
from noctuary.dream.gate import check
from noctuary.dream.plan import ActionKind, Known, card_path, plan
from noctuary.memory.card import Card, CardType, Status

if TYPE_CHECKING:
    from noctuary.dream.brain import Brain


def held(by_person: bool = False) -> tuple[Brain, Card, dict[str, Known]]:
    """A brain with one card of the vault, and how that stands on disk."""
    work = reconciler()
    work.take(check([candidate(said("The port is 5000"), title="port")]).passed)
    (card,) = work.brain.cards.values()
    mind = brain(frozenset({card.id}) if by_person else frozenset())
    mind.learn([(card, "port")])
    return mind, card, {card.id: Known(card, "cards/facts/port.md", "d1", by_person)}


def test_what_did_not_change_is_not_written() -> None:
    mind, card, known = held()
    assert plan(mind, known).actions == ()
    mind.put(replace(card, seen=9))
    mind.put(card)
    assert plan(mind, known).actions == ()


def test_a_new_card_is_created_where_nothing_may_be() -> None:
    work = reconciler()
    work.take(check([candidate(said("The port is 5000"), title="port")]).passed)
    (action,) = plan(work.brain, {}).actions
    assert (action.kind, action.path, action.base) == (
        ActionKind.CREATE, "cards/facts/port.md", None,
    )  # fmt: skip


def test_a_changed_card_is_rewritten_on_the_bytes_that_were_read() -> None:
    mind, card, known = held()
    mind.put(replace(card, seen=2))
    (action,) = plan(mind, known).actions
    assert (action.kind, action.base, action.before) == (ActionKind.REWRITE, "d1", card)


def test_another_status_or_kind_moves_the_file() -> None:
    mind, card, known = held()
    mind.put(replace(card, status=Status.ARCHIVED))
    (action,) = plan(mind, known).actions
    assert (action.kind, action.moved_from, action.path) == (
        ActionKind.MOVE, "cards/facts/port.md", "archive/cards/facts/port.md",
    )  # fmt: skip


def test_a_card_stays_in_the_folder_that_a_person_chose_until_it_retires() -> None:
    mind, card, known = held()
    moved = {key: replace(item, path="cards/home/port.md") for key, item in known.items()}
    mind.put(replace(card, seen=2, type=CardType.PATTERN))
    (action,) = plan(mind, moved).actions
    assert (action.kind, action.path) == (ActionKind.REWRITE, "cards/home/port.md")
    mind.put(replace(card, status=Status.ARCHIVED))
    (action,) = plan(mind, moved).actions
    assert (action.kind, action.path) == (ActionKind.MOVE, "archive/cards/facts/port.md")


def test_a_persons_card_is_patched_in_its_place_whatever_happens() -> None:
    mind, card, known = held(by_person=True)
    mind.put(replace(card, status=Status.DISPUTED, type=CardType.PATTERN))
    (action,) = plan(mind, known).actions
    assert (action.kind, action.path) == (ActionKind.PATCH, "cards/facts/port.md")


def test_every_status_has_its_folder() -> None:
    _, card, _ = held()
    assert card_path(replace(card, status=Status.QUARANTINED), "x") == "inbox/x.md"
    assert card_path(replace(card, status=Status.SUPERSEDED), "x") == "cards/facts/x.md"


def test_a_created_card_is_told_once() -> None:
    work = reconciler()
    lines = [said("The logo is blue"), said("The api is slow", 1)]
    notes = candidate(lines[0], statement="", title="notes api", topics=("api",))
    work.take(check([notes]).passed)
    more = candidate(lines[1], statement="", title="notes api", topics=("api",))
    work.take(check([more]).passed)
    changes = plan(work.brain, {}).changes
    created = {change.card for change in changes if change.kind == "created"}
    assert all(change.kind == "created" or change.card not in created for change in changes)
