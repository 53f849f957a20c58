"""Takes back what a dream did: all of it, or one change, however long ago it was.

A card that nobody touched since gets its old bytes again. On any other the keys and lines that
the dream changed are put back and later changes stay; where both meet, it is said and left.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.care.boxes import Box, Fate, report_boxes, with_outcomes
from noctuary.care.undone import Outcome, Taken, Undone
from noctuary.care.writing import Amendments, amend
from noctuary.dream.brainmap import map_language
from noctuary.dream.plan import card_path
from noctuary.dream.undoing import learnt, put_back, unmade
from noctuary.errors import UsageError
from noctuary.memory import threeway
from noctuary.memory.card import Card, HistoryLine, Status
from noctuary.memory.cardtext import BadCard, parse_card
from noctuary.memory.document import PatchRefused, patch, read
from noctuary.pages.scribe import owned_changes
from noctuary.tongue import listed, phrase
from noctuary.vault.files import digest_of
from noctuary.vault.layout import note_name
from noctuary.vault.notes import Notes
from noctuary.vault.past import Past, Version
from noctuary.vault.store import Write

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.config import Settings
    from noctuary.pages import Pages
    from noctuary.vault.reading import CardFile
    from noctuary.vault.store import Snapshot, Store

UNDO = "undo-"
"""How the ids of undoings begin."""
KEPT = phrase("put back, what came later is kept")
CARD_FOLDERS = ("cards/", "inbox/", "archive/")


def undo(
    store: Store,
    settings: Settings,
    pages: Pages,
    what: str,
    *,
    numbers: Iterable[int] = (),
    dry_run: bool = False,
) -> Undone:
    """Undo `DREAM` or `DREAM#CHANGE`; `numbers` name more changes of the same dream.

    Raises:
        UsageError: There is no such dream or change, or its old bytes are kept nowhere.
        VaultBusy: Another process is writing.
    """
    dream, wanted = _parse(what, numbers)
    if not dry_run:
        store.recover()
    versions = [item for item in Past(store.disk, store.history).of_dream(dream) if _is_card(item)]
    path, boxes = report_boxes(Notes(store.disk), dream)
    if not versions:
        raise UsageError(_unknown(store, dream, known=bool(path)))
    snapshot = store.snapshot()
    pages = pages.speaking(
        map_language(settings.vault.language, (item.card for item in snapshot.cards))
    )
    undoing = _Undoing(store, pages, dream, snapshot, boxes)
    taken = undoing.take(versions, wanted)
    found = Amendments(undoing.writes, undoing.cards, undoing.marks)
    notes = (
        [with_outcomes(Notes(store.disk), path, _fates(taken, store), pages.language)]
        if path
        else []
    )
    said = phrase("Undo {what}", what=_what(dream, wanted))
    done = amend(store, settings, pages, UNDO, said, found, notes, dry_run=dry_run)
    changed = set(done.dropped)
    told = tuple(_dropped(item, changed) for item in taken)
    return Undone(dream, told, done.commit, done.diff, done.name)


def _parse(what: str, numbers: Iterable[int]) -> tuple[str, tuple[int, ...]]:
    dream, mark, number = what.strip().strip("[]").partition("#")
    if not dream or (mark and not number.isdigit()):
        raise UsageError(
            phrase("{what!r} is no change; write it like 2026-12-01T0312#3.", what=what)
        )
    return dream, tuple(dict.fromkeys((*([int(number)] if number else []), *numbers)))


def _what(dream: str, wanted: Sequence[int]) -> str:
    if not wanted:
        return phrase("dream {dream}", dream=dream)
    numbers = listed(map(str, wanted))
    if len(wanted) > 1:
        return phrase("changes {numbers} of dream {dream}", numbers=numbers, dream=dream)
    return phrase("change {numbers} of dream {dream}", numbers=numbers, dream=dream)


def _unknown(store: Store, dream: str, *, known: bool) -> str:
    if store.history.find(dream):
        return phrase("Dream {dream} changed no card, so there is nothing to undo.", dream=dream)
    if known:
        return phrase(
            "What dream {dream} found before it is kept nowhere: it changed nothing, or is too old.",
            dream=dream,
        )
    return phrase("There is no dream {dream}; `noctuary dreams` lists them.", dream=dream)


def _is_card(version: Version) -> bool:
    return (version.path or version.was).startswith(CARD_FOLDERS)


def _fates(taken: Sequence[Taken], store: Store) -> dict[int, Fate]:
    """What the report says from now on, by number of the change."""
    day = store.clock().date().isoformat()
    return {
        item.number: Fate(item.outcome, day, item.words, left=item.outcome is Outcome.LEFT)
        for item in taken
        if item.number
    }


def _dropped(item: Taken, dropped: set[str]) -> Taken:
    if item.outcome is Outcome.UNDONE and any(note_name(path) == item.card for path in dropped):
        words = phrase("it was saved at this very moment: try again")
        return replace(item, outcome=Outcome.LEFT, words=words)
    return item


@dataclass(slots=True)
class _Undoing:
    """Works out the writes of one undo."""

    store: Store
    pages: Pages
    dream: str
    snapshot: Snapshot
    boxes: dict[int, Box]
    writes: list[Write] = field(default_factory=list)
    cards: dict[str, Card | None] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)

    def take(self, versions: Sequence[Version], wanted: Sequence[int]) -> list[Taken]:
        """Undo these changes, all of the dream's when none are named."""
        by_name = {note_name(item.path or item.was): item for item in versions}
        pairs = [(number, self._card_of(number)) for number in wanted or sorted(self.boxes)]
        numbers = {box.card: number for number, box in self.boxes.items()}
        for name in self._companions({name for _, name in pairs}, versions):
            pairs.append((numbers.get(name, 0), name))
        pairs += [] if wanted else [(0, name) for name in by_name]
        taken: dict[str, Taken] = {}
        for number, name in pairs:
            if name not in taken:
                taken[name] = replace(self._one(name, by_name.get(name)), number=number)
        if wanted:
            undone = {name for name, item in taken.items() if item.outcome is Outcome.UNDONE}
            self._unlink(versions, undone)
        return [
            item for item in taken.values() if item.number or item.outcome is not Outcome.ALREADY
        ]

    def _card_of(self, number: int) -> str:
        if number not in self.boxes:
            raise UsageError(
                phrase(
                    "Dream {dream} has no change {number}; its report lists them.",
                    dream=self.dream,
                    number=number,
                )
            )
        return self.boxes[number].card

    def _companions(self, names: set[str], versions: Sequence[Version]) -> list[str]:
        """Cards that stepped aside, in whole or by a line, for one whose making is undone."""
        made = [item for item in versions if not item.was and note_name(item.path) in names]
        links = {f"[[{note_name(item.path)}]]" for item in made}
        cards = filter(None, (_card(item.after) for item in made))
        turns = {receipt.link for card in cards for receipt in card.evidence}
        return [
            name
            for item in versions
            if (name := note_name(item.path)) not in names and _yielded(item, links, turns)
        ]

    # -- one card -----------------------------------------------------------------------------

    def _one(self, name: str, version: Version | None) -> Taken:
        here = None if version is None else self._at(version.path)
        if version is None or version.lost:
            if here is not None and here.by_person:
                return _left(
                    name, phrase("you made the card your own, and the dream's version is not kept")
                )
            return _left(
                name, phrase("its earlier version is kept neither by git nor in the graveyard")
            )
        before, after = _card(version.before), _card(version.after)
        if before is not None and not version.path:
            return self._bring_back(name, version, before)
        if after is None:
            return _left(name, phrase("the dream's version cannot be read as a card"))
        now = next((item for item in self.snapshot.cards if item.card.id == after.id), None)
        if now is None:
            gone = before is None
            return Taken(
                0, name, Outcome.ALREADY if gone else Outcome.LEFT, phrase("the card is gone")
            )
        if before is None:
            return self._unmake(name, after, now)
        if digest_of(version.after or b"") == now.digest and now.path == version.path:
            return self._restore(name, version, before, after, now)
        return self._put_back(name, version, before, after, now)

    def _bring_back(self, name: str, version: Version, before: Card) -> Taken:
        """A card that the dream forgot for good is in the archive again."""
        if not any(item.card.id == before.id for item in self.snapshot.cards):
            marks = self.store.marks(before)
            self.writes.append(Write(version.was, version.before, card=before.id, marks=marks))
        return Taken(0, name, Outcome.UNDONE, phrase("brought back from what was forgotten"))

    def _at(self, path: str) -> CardFile | None:
        return next((item for item in self.snapshot.cards if item.path == path), None)

    def _unmake(self, name: str, after: Card, now: CardFile) -> Taken:
        """A card that the dream made is archived; one that still waits in the inbox goes."""
        if now.archived and now.card.status is Status.ARCHIVED:
            return Taken(0, name, Outcome.ALREADY, phrase("the card is in the archive"))
        if now.by_person:
            return _left(name, phrase("you made the card your own; delete it if it is wrong"))
        if now.quarantined:
            self._learn(None, after)
            self._write(now, None, None)
            return Taken(0, name, Outcome.UNDONE, phrase("taken out of the inbox"))
        rest = unmade(after, now.card)
        if rest is None:
            return _left(
                name, phrase("later dreams built on it; undo those first, or delete the card")
            )
        self._learn(None, after)
        rest = self._noted(rest, phrase("making undone"))
        self._write(now, rest, self.pages.card(rest).encode())
        told = phrase("archived") if rest.status is Status.ARCHIVED else KEPT
        return Taken(0, name, Outcome.UNDONE, told)

    def _restore(
        self, name: str, version: Version, before: Card, after: Card, now: CardFile
    ) -> Taken:
        self._learn(before, after)
        self._write(now, before, version.before, version.was)
        return Taken(0, name, Outcome.UNDONE, phrase("as it was before, to the byte"))

    def _put_back(
        self, name: str, version: Version, before: Card, after: Card, now: CardFile
    ) -> Taken:
        found = put_back(before, after, now.card)
        left = list(found.left)
        if replace(found.card, seen=now.card.seen) == now.card:
            changed = phrase("changed again since: {parts}", parts=listed(left))
            what = changed if left else phrase("nothing of it is left")
            return Taken(0, name, Outcome.LEFT if left else Outcome.ALREADY, what)
        card = self._noted(found.card, phrase("undone in part") if left else phrase("undone"))
        if now.by_person:
            data = self._patched(version, now, card, left)
            if data is None:
                return _left(
                    name, phrase("you changed the same lines since; put them back by hand")
                )
        else:
            data = self.pages.card(card).encode()
        self._learn(before, after)
        self._write(now, card, data, version.was if now.path == version.path else "")
        told = KEPT
        if left:
            told = phrase(
                "{kept}; left, since changed again: {parts}", kept=KEPT, parts=listed(left)
            )
        return Taken(0, name, Outcome.UNDONE, told)

    def _patched(
        self, version: Version, now: CardFile, card: Card, left: list[str]
    ) -> bytes | None:
        """A card that is a person's: keys by byte range, lines only where they are unchanged."""
        raw = Notes(self.store.disk).read(now.path) or b""
        try:
            data = patch(raw, owned_changes(now.card, card))
        except PatchRefused:
            return None
        texts = [_text(item) for item in (version.before, version.after, data)]
        bodies = [read(text).body for text in texts]
        body = threeway.put_back(*bodies)
        if body is None:
            left.append(phrase("the text"))
            return data if data != raw else None
        head = texts[2][: len(texts[2]) - len(bodies[2])]
        fresh = (head + body).encode("utf-8", "surrogateescape")
        return fresh if fresh != raw else None

    def _unlink(self, versions: Sequence[Version], undone: set[str]) -> None:
        """Cards that took the place of one that speaks again no longer say so."""
        links = {f"[[{name}]]" for name in undone}
        for version in versions:
            after, old = _card(version.after), _card(version.before)
            if after is None or note_name(version.path) in undone:
                continue
            gone = links & (set(after.supersedes) - set(old.supersedes if old else ()))
            now = next((one for one in self.snapshot.cards if one.card.id == after.id), None)
            if gone and now is not None and gone & set(now.card.supersedes):
                kept = tuple(link for link in now.card.supersedes if link not in gone)
                self._rewrite(now, replace(now.card, supersedes=kept))

    def _rewrite(self, now: CardFile, card: Card) -> None:
        data = self.pages.card(card).encode()
        if now.by_person:
            try:
                raw = Notes(self.store.disk).read(now.path) or b""
                data = patch(raw, owned_changes(now.card, card))
            except PatchRefused:
                return
        self._write(now, card, data)

    # -- writing ------------------------------------------------------------------------------

    def _noted(self, card: Card, what: str) -> Card:
        now = self.store.clock()
        line = HistoryLine(
            now.date(), phrase("{what}: {link}", what=what, link=f"[[{self.dream}]]")
        )
        return replace(card, updated=now, history=(*card.history, line))

    def _learn(self, before: Card | None, after: Card) -> None:
        """What the dream learnt here is not learnt again."""
        self.marks.update(self.store.marks(learnt(before, after)))

    def _write(self, now: CardFile, card: Card | None, data: bytes | None, was: str = "") -> None:
        path = was or now.path
        if card is not None and not was and not now.by_person:
            path = card_path(card, note_name(now.path))
        self.cards[now.card.id] = card
        moved = now.path if data is not None and path != now.path else ""
        name, marks = (card.id, self.store.marks(card)) if card else ("", ())
        self.writes.append(
            Write(path=path, data=data, base=now.digest, moved_from=moved, card=name, marks=marks)
        )


def _yielded(version: Version, links: set[str], turns: set[str]) -> bool:
    """Whether a card stepped aside for one of these links, or a line of it for one of these turns."""
    old, new = _card(version.before), _card(version.after)
    if old is None or new is None:
        return False
    lines = {item.key for item in old.replaced}
    replaced = {item.replaced_by for item in new.replaced if item.key not in lines}
    return bool(links & (set(new.superseded_by) - set(old.superseded_by)) or turns & replaced)


def _left(name: str, why: str) -> Taken:
    return Taken(0, name, Outcome.LEFT, why)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _card(data: bytes | None) -> Card | None:
    if data is None:
        return None
    try:
        return parse_card(data.decode("utf-8", "replace"), "")
    except BadCard:
        return None
