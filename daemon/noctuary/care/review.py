"""What waits in the inbox for a person's word: cards in quarantine, and proposals for own cards.

An approval holds for the very bytes that were shown; what changed meanwhile is shown again first.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.care.boxes import unticked, verdict
from noctuary.care.writing import Amendments, amend
from noctuary.dream.brainmap import map_language
from noctuary.dream.plan import card_path
from noctuary.errors import ConflictError, NoctuaryError, Problem, UsageError
from noctuary.memory.card import Card, CardType, HistoryLine, Origin, Status
from noctuary.memory.document import PatchRefused, patch
from noctuary.memory.entry import Trust
from noctuary.memory.inbox import (
    Proposal,
    proposal_of,
    why_waiting,
    with_receipts,
    without_review,
)
from noctuary.pages.scribe import owned_changes
from noctuary.tongue import phrase
from noctuary.vault.files import digest_of
from noctuary.vault.layout import note_name
from noctuary.vault.notes import Notes
from noctuary.vault.state import read_ledger
from noctuary.vault.store import Write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from noctuary.config import Settings
    from noctuary.memory.document import Value
    from noctuary.pages import Pages
    from noctuary.vault.reading import CardFile
    from noctuary.vault.store import Store

REVIEW = "review-"
"""How the ids of reviews begin."""
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Waiting:
    """One note of the inbox.

    Attributes:
        digest: Of the bytes that are shown; an approval holds for these alone.
        why: Why it needs a person.
        proposal: It proposes a change to a card that is a person's own.
    """

    card: Card
    path: str
    digest: str
    why: str
    proposal: bool

    def as_json(self) -> dict[str, object]:
        """One note as `noctuary review --json` prints it."""
        return {
            "id": self.card.id,
            "digest": self.digest[:SHOWN],
            "kind": "proposal" if self.proposal else "quarantined",
            "type": str(self.card.type),
            "title": self.card.title,
            "statement": self.card.statement,
            "quotes": [receipt.quote for receipt in self.card.evidence],
            "why": self.why,
            "trust": str(self.card.trust),
            "path": self.path,
        }


@dataclass(frozen=True, slots=True)
class Judged:
    """What a verdict did, or would do."""

    card: str
    title: str
    verdict: str
    path: str
    commit: str = ""
    diff: str = ""

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary review approve --json` prints."""
        return {
            "id": self.card,
            "title": self.title,
            "verdict": self.verdict,
            "path": self.path or None,
            "commit": self.commit or None,
        }


def waiting(store: Store) -> list[Waiting]:
    """Everything in the inbox, and from now on what is shown of it counts as seen."""
    files, _ = store.read_cards("inbox")
    found = [
        Waiting(
            file.card, file.path, file.digest, why_waiting(file.card), bool(proposal_of(file.card))
        )
        for file in files
    ]
    shown = {item.card.id: item.digest for item in found}
    with suppress(OSError):
        store.disk.put_state(_shown_path(store), json.dumps(shown).encode())
    return found


def judge(
    store: Store,
    settings: Settings,
    pages: Pages,
    verdict_: str,
    what: str,
    *,
    dry_run: bool = False,
) -> Judged:
    """Approve or reject one note: `ID`, as last shown, or `ID@DIGEST` for the bytes of that digest.

    Raises:
        UsageError: There is no such note, or it was never shown.
        ConflictError: It has changed since it was shown.
    """
    if not dry_run:
        store.recover()
    name, _, digest = what.strip().partition("@")
    file = _find(store, name)
    _require_shown(store, file, digest)
    pages = _spoken_pages(store, settings, pages)
    bench = _Bench(store, pages)
    bench.judge(file, verdict_)
    found = Amendments(bench.writes, bench.cards, bench.marks)
    said = phrase("Review: {verdict} {card}", verdict=phrase(verdict_), card=file.card.id)
    done = amend(store, settings, pages, REVIEW, said, found, dry_run=dry_run)
    if file.path in done.dropped:
        raise ConflictError(
            phrase(
                "{path} was saved at this very moment: look at it and try again.", path=file.path
            )
        )
    path = next((write.path for write in bench.writes if write.data is not None), "")
    return Judged(file.card.id, file.card.title, verdict_, path, done.commit, done.diff)


def _spoken_pages(store: Store, settings: Settings, pages: Pages) -> Pages:
    cards = (file.card for file in store.read_cards("cards")[0])
    return pages.speaking(map_language(settings.vault.language, cards))


def _find(store: Store, name: str) -> CardFile:
    files, _ = store.read_cards("inbox")
    wanted = name.removeprefix("[[").removesuffix("]]").removesuffix(".md")
    for file in files:
        if wanted in {file.card.id, note_name(file.path), file.path.removesuffix(".md")}:
            return file
    raise UsageError(
        phrase(
            "Nothing in the inbox is called {name!r}; `noctuary review` lists what waits.",
            name=name,
        )
    )


def _require_shown(store: Store, file: CardFile, digest: str) -> None:
    again = phrase("look at it again with `noctuary review`, then decide.")
    if digest:
        if len(digest) < SHOWN or not file.digest.startswith(digest):
            raise ConflictError(
                phrase(
                    "{path} is not what {digest} stands for: {again}",
                    path=file.path,
                    digest=digest,
                    again=again,
                )
            )
        return
    try:
        shown = json.loads(store.disk.read(_shown_path(store)) or b"{}").get(file.card.id)
    except (ValueError, AttributeError):
        shown = None
    if shown is None:
        raise UsageError(
            phrase("{path} was not shown to you yet: {again}", path=file.path, again=again)
        )
    if shown != file.digest:
        raise ConflictError(
            phrase(
                "{path} has changed since it was shown to you: {again}", path=file.path, again=again
            )
        )


def _shown_path(store: Store) -> Path:
    return store.layout.state / "shown.json"


def carry_out_verdicts(store: Store, settings: Settings, pages: Pages) -> list[Problem]:
    """Do what was ticked in notes of the inbox, in one commit; what cannot be done is told."""
    files = store.read_cards("inbox")[0]
    bench = _Bench(store, _spoken_pages(store, settings, pages) if files else pages)
    problems: list[Problem] = []
    for file in files:
        ticked = verdict((Notes(store.disk).read(file.path) or b"").decode("utf-8", "replace"))
        if ticked == "both":
            problems.append(
                Problem(file.path, phrase("Both boxes are ticked: leave one of them ticked."))
            )
        elif ticked:
            try:
                bench.judge(file, ticked)
            except NoctuaryError as error:
                problems.append(Problem(file.path, error.args[0]))
    found = Amendments(bench.writes, bench.cards, bench.marks)
    if bench.writes:
        amend(
            store,
            settings,
            pages,
            REVIEW,
            phrase("Review: {count} judged", count=bench.judged),
            found,
        )
    return problems


@dataclass(slots=True)
class _Bench:
    """Works out what verdicts do."""

    store: Store
    pages: Pages
    writes: list[Write] = field(default_factory=list)
    cards: dict[str, Card | None] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)
    judged: int = 0

    def judge(self, file: CardFile, verdict_: str) -> None:
        """One note. Raises NoctuaryError when it cannot be done."""
        proposal = proposal_of(file.card)
        if proposal is not None:
            self._judge_proposal(file, proposal, approved=verdict_ == "approve")
        elif verdict_ == "approve":
            self._admit(file)
        else:
            self.marks.update(self.store.marks(file.card))
        if proposal is not None or verdict_ != "approve":
            self.writes.append(Write(file.path, None, file.digest))
            self.cards[file.card.id] = None
        self.judged += 1

    # -- a card in quarantine -----------------------------------------------------------------

    def _admit(self, file: CardFile) -> None:
        status = Status.OPEN if file.card.type is CardType.TASK else Status.ACTIVE
        card = self._noted(
            replace(file.card, status=status, origin=Origin.HUMAN, trust=Trust.USER),
            phrase("approved by you"),
        )
        data = (
            self._own_text(file, card) if self._is_edited(file) else self.pages.card(card).encode()
        )
        path = card_path(card, note_name(file.path))
        self._put(card, path, data, file.digest, moved_from=file.path)

    def _is_edited(self, file: CardFile) -> bool:
        """Whether a person changed more of the note than its boxes."""
        ledger = read_ledger(self.store.disk)
        known = ledger.files.get(file.path) if ledger else None
        text = (Notes(self.store.disk).read(file.path) or b"").decode("utf-8", "surrogateescape")
        plain = digest_of(unticked(text).encode("utf-8", "surrogateescape"))
        return known is None or plain != known.digest

    def _own_text(self, file: CardFile, card: Card) -> bytes:
        raw = Notes(self.store.disk).read(file.path) or b""
        text = without_review(raw.decode("utf-8", "surrogateescape"))
        keys = {"status": str(card.status), "trust": str(card.trust), "origin": str(card.origin)}
        return _patched(file.path, text.encode("utf-8", "surrogateescape"), keys)

    # -- a proposal ---------------------------------------------------------------------------

    def _judge_proposal(self, file: CardFile, proposal: Proposal, *, approved: bool) -> None:
        files, _ = self.store.read_cards("cards", "archive")
        target = next((item for item in files if item.card.id == proposal.target), None)
        if not approved:
            self.marks.update(self.store.marks(file.card))
            self._settle(files, target, proposal)
            return
        if target is None:
            raise UsageError(phrase("{link} is gone: reject the proposal.", link=proposal.link))
        raw = Notes(self.store.disk).read(target.path) or b""
        text = raw.decode("utf-8", "surrogateescape")
        data = with_receipts(text, file.card.evidence).encode("utf-8", "surrogateescape")
        card = replace(target.card, updated=self.store.clock())
        if proposal.status:
            card = replace(
                card,
                status=Status(proposal.status),
                valid_until=file.card.evidence[-1].at.date() if file.card.evidence else None,
                superseded_by=tuple(dict.fromkeys((*card.superseded_by, proposal.by))),
            )
            self._let_speak(files, target, proposal)
        data = _patched(target.path, data, owned_changes(target.card, card))
        card = replace(card, evidence=(*card.evidence, *file.card.evidence))
        self._put(card, target.path, data, target.digest)

    def _let_speak(self, files: Sequence[CardFile], target: CardFile, proposal: Proposal) -> None:
        """The card that takes the place of another is no longer disputed."""
        other = _named(files, proposal.by)
        if other is not None and other.card.status is Status.DISPUTED:
            link = f"[[{note_name(target.path)}]]"
            supersedes = tuple(dict.fromkeys((*other.card.supersedes, link)))
            self._change(other, replace(other.card, status=Status.ACTIVE, supersedes=supersedes))

    def _settle(
        self, files: Sequence[CardFile], target: CardFile | None, proposal: Proposal
    ) -> None:
        """The person's card stands: it is no longer disputed, what spoke against it is archived."""
        other = _named(files, proposal.by) if proposal.by else None
        if target is not None and proposal.by and target.card.status is Status.DISPUTED:
            self._change(target, replace(target.card, status=Status.ACTIVE))
        if other is not None and not other.by_person and other.card.status is Status.DISPUTED:
            self._change(
                other,
                self._noted(replace(other.card, status=Status.ARCHIVED), phrase("rejected by you")),
            )

    def _change(self, file: CardFile, card: Card) -> None:
        if file.by_person:
            raw = Notes(self.store.disk).read(file.path) or b""
            data = _patched(file.path, raw, owned_changes(file.card, card))
            self._put(card, file.path, data, file.digest)
            return
        path = card_path(card, note_name(file.path))
        moved = file.path if path != file.path else ""
        self._put(card, path, self.pages.card(card).encode(), file.digest, moved, own=False)

    # -- writing ------------------------------------------------------------------------------

    def _noted(self, card: Card, what: str) -> Card:
        now = self.store.clock()
        return replace(card, updated=now, history=(*card.history, HistoryLine(now.date(), what)))

    def _put(
        self,
        card: Card,
        path: str,
        data: bytes,
        base: str,
        moved_from: str = "",
        *,
        own: bool = True,
    ) -> None:
        marks = self.store.marks(card)
        self.cards[card.id] = card
        self.writes.append(
            Write(path, data, base, moved_from, card=card.id, marks=marks, by_person=own)
        )


def _named(files: Sequence[CardFile], link: str) -> CardFile | None:
    return next((item for item in files if f"[[{note_name(item.path)}]]" == link), None)


def _patched(path: str, data: bytes, keys: Mapping[str, Value]) -> bytes:
    try:
        return patch(data, keys)
    except PatchRefused as refusal:
        what = phrase(
            "The frontmatter of {path} is hard to change ({reason}); tidy it by hand.",
            path=path,
            reason=refusal.reason,
        )
        raise UsageError(what) from refusal
