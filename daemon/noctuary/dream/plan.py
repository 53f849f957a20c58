"""What a dream will write, as data: the difference between the brain before and after.

Pure. Each action carries the digest that it was planned on; applying drops what has changed since.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from noctuary.memory.card import Card, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from noctuary.dream.brain import Brain
    from noctuary.memory.report import Change


class ActionKind(StrEnum):
    """How a file is changed."""

    CREATE = "create"
    REWRITE = "rewrite"
    PATCH = "patch"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class Known:
    """A card as it stands in the vault.

    Attributes:
        path: Relative to the vault, with `/`.
        digest: sha256 of the bytes that were read.
        by_person: A person has edited it: only the daemon's own keys may be patched.
    """

    card: Card
    path: str
    digest: str
    by_person: bool


@dataclass(frozen=True, slots=True)
class Action:
    """One file to write.

    Attributes:
        path: Where the card goes.
        moved_from: Where it stood, for a move.
        base: Digest it was planned on; None when the file must not exist yet.
        before: The card as it was read; None for a new one.
        entries: Pairs of episode and entry id that this rests on: what is new on the card, and
            what replaced or closed it, which may stand on another one.
    """

    kind: ActionKind
    path: str
    card: Card
    base: str | None = None
    before: Card | None = None
    moved_from: str = ""
    entries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """Actions in a stable order, and the changes in words with their note names filled in."""

    actions: tuple[Action, ...]
    changes: tuple[Change, ...]


def plan(brain: Brain, known: Mapping[str, Known]) -> Plan:
    """Compare the brain with what the vault holds."""
    causes = _causes(brain, known)
    actions = [
        replace(action, entries=causes[card_id])
        for card_id in sorted(brain.touched)
        if (action := _action(brain, brain.cards[card_id], known.get(card_id))) is not None
    ]
    changes = tuple(
        replace(change, card=brain.name_of(change.card), title=brain.cards[change.card].title)
        for change in brain.changes
    )
    return Plan(tuple(actions), _once_each(changes))


def _causes(brain: Brain, known: Mapping[str, Known]) -> dict[str, tuple[tuple[str, str], ...]]:
    """The entries of this dream that each touched card rests on."""
    found: dict[str, dict[tuple[str, str], None]] = {card_id: {} for card_id in brain.touched}
    turns: dict[str, dict[tuple[str, str], None]] = {}
    for card_id, entries in found.items():
        before = known.get(card_id)
        held = {item.key for item in before.card.evidence} if before else set()
        for item in brain.cards[card_id].evidence:
            if item.key not in held:
                entries[item.episode, item.entry] = None
                turns.setdefault(item.link, {})[item.episode, item.entry] = None
    for change in brain.changes:
        found.get(change.card, {}).update(turns.get(change.source, {}))
    return {card_id: tuple(entries) for card_id, entries in found.items()}


def _action(brain: Brain, card: Card, known: Known | None) -> Action | None:
    name = brain.name_of(card.id)
    if known is None:
        return Action(ActionKind.CREATE, card_path(card, name), card)
    if card == known.card:
        return None
    if known.by_person:
        return Action(ActionKind.PATCH, known.path, card, known.digest, known.card)
    if (path := _place(card, name, known)) != known.path:
        return Action(ActionKind.MOVE, path, card, known.digest, known.card, known.path)
    return Action(ActionKind.REWRITE, path, card, known.digest, known.card)


def _place(card: Card, name: str, known: Known) -> str:
    """Where a card goes: to a folder of a person's choice it stays true, unless it retires."""
    usual = card_path(card, name)
    chosen = known.path != card_path(known.card, name)
    same_zone = known.path.partition("/")[0] == usual.partition("/")[0]
    return known.path if chosen and same_zone else usual


def card_path(card: Card, name: str) -> str:
    """Where a card lives by itself, by its status and type."""
    if card.status is Status.QUARANTINED:
        return f"inbox/{name}.md"
    if card.status is Status.ARCHIVED:
        return f"archive/cards/{card.type.folder}/{name}.md"
    return f"cards/{card.type.folder}/{name}.md"


def _once_each(changes: Iterable[Change]) -> tuple[Change, ...]:
    """At most one change of a kind per card: the last words said about it."""
    last: dict[tuple[str, str], Change] = {}
    for change in changes:
        last[change.kind, change.card] = change
    created = {change.card for change in last.values() if change.kind == "created"}
    return tuple(
        change
        for change in last.values()
        if not (change.kind == "revised" and change.card in created)
    )
