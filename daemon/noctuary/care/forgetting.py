"""What a forgetting does to the notes of a vault, worked out before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.care.overview import find_card
from noctuary.dream.gate import fit_for_card, tidy_title
from noctuary.dream.plan import card_path
from noctuary.errors import UsageError
from noctuary.memory.cardtext import BadCard, parse_card
from noctuary.memory.wiping import Wiper, is_telling
from noctuary.pages.scribe import Scribe
from noctuary.tongue import listed, phrase
from noctuary.vault.files import digest_of
from noctuary.vault.forgotten import forgotten_ids
from noctuary.vault.history import GitState
from noctuary.vault.layout import note_name
from noctuary.vault.names import NameBook, card_file_name
from noctuary.vault.notes import Notes
from noctuary.vault.rewriting import objects
from noctuary.vault.store import Write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from noctuary.memory.card import Card, Receipt
    from noctuary.memory.episode import Episode
    from noctuary.pages import Pages
    from noctuary.vault.reading import CardFile
    from noctuary.vault.store import Snapshot, Store

_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Aim:
    """What to forget.

    Attributes:
        name: A card (id, note name, path or title), else a session or the name of an episode.
        project: That the session belongs to, where several projects have one of this name.
        matching: Words; everything that holds them goes.
    """

    name: str = ""
    project: str = ""
    matching: str = ""


@dataclass(slots=True)
class Plan:
    """What is to be done.

    Attributes:
        entries: Ids of raw entries that go, by episode; `episodes` are those that go whole.
        gone: Paths that go, in git's history too.
        cards: Cards in their new state by id; None for those that go.
        marks: What is not to be learnt again.
    """

    wiper: Wiper = field(default_factory=lambda: Wiper(()))
    writes: list[Write] = field(default_factory=list)
    entries: dict[str, set[str]] = field(default_factory=dict)
    episodes: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    cards: dict[str, Card | None] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)


def plan(store: Store, pages: Pages, aim: Aim) -> Plan:
    """Everything that holds what the aim names.

    Raises:
        UsageError: Nothing is called so, or sessions of several projects are, or the words are too
            short to be looked for.
    """
    planner = _Planner(store, pages, store.snapshot(), Plan())
    if aim.matching:
        planner.aim_at_words(aim.matching)
    else:
        planner.aim_at_name(aim.name, aim.project)
    planner.entries()
    planner.cards()
    planner.links()
    planner.reports()
    return planner.plan


@dataclass(slots=True)
class _Planner:
    store: Store
    pages: Pages
    snapshot: Snapshot
    plan: Plan
    renamed: dict[str, str] = field(default_factory=dict)
    doomed: set[str] = field(default_factory=set)
    elsewhere: str = ""

    # -- the aim ------------------------------------------------------------------------------

    def aim_at_words(self, words: str) -> None:
        if len(words.strip()) < _SHORTEST:
            raise UsageError(
                phrase(
                    "Give at least three letters to be looked for; shorter words are everywhere."
                )
            )
        slug = card_file_name(words).removesuffix(".md")
        names = [name for file in self.snapshot.cards if slug in (name := note_name(file.path))]
        self.plan.wiper = Wiper.of([words, fit_for_card(words)], names)

    def aim_at_name(self, name: str, project: str) -> None:
        try:
            self._aim_at_card(find_card(self.snapshot.cards, name))
        except UsageError:
            if not (self._aim_at_session(name, project) or self._aim_at_past(name)):
                raise

    def _aim_at_past(self, name: str) -> bool:
        """A card that is gone already, and that only git remembers."""
        wanted = name.removeprefix("[[").removesuffix("]]").removesuffix(".md").rpartition("/")[2]
        folders = ("cards", "inbox", "archive")
        reply = self.store.history.git("rev-list", "--objects", "--all", "--", *folders)
        lines = reply.out.decode("utf-8", "surrogateescape").splitlines()
        found = dict(line.split(" ", 1) for line in lines if note_name(line) == wanted)
        texts: list[str] = []
        for blob, path in found.items():
            self.plan.gone.add(path)
            card = _parsed(self.store.history.git("cat-file", "blob", blob).out)
            if card is not None:
                quotes = (item.quote for item in (*card.evidence, *card.replaced))
                texts += [card.title, card.statement, *quotes]
        self.plan.wiper = Wiper.of(filter(is_telling, texts), [wanted] if found else [])
        return bool(found)

    def _aim_at_card(self, file: CardFile) -> None:
        card = file.card
        self.doomed.add(card.id)
        receipts = (*card.evidence, *card.replaced)
        self._take_entries(receipts)
        texts = [card.statement, card.title, *(receipt.quote for receipt in receipts)]
        texts += self._raw_texts()
        self.plan.wiper = Wiper.of(filter(is_telling, texts), [note_name(file.path)])

    def _take_entries(self, receipts: Iterable[Receipt]) -> None:
        here = {episode.name: set(episode.order) for episode in self.snapshot.episodes}
        for receipt in receipts:
            if receipt.entry in here.get(receipt.episode, ()):
                self.plan.entries.setdefault(receipt.episode, set()).add(receipt.entry)

    def _raw_texts(self) -> Iterator[str]:
        for episode in self.snapshot.episodes:
            ids = self.plan.entries.get(episode.name, set())
            for entry in episode.entries:
                if entry.id in ids:
                    yield from (entry.text, fit_for_card(entry.text))

    def _aim_at_session(self, name: str, project: str) -> bool:
        wanted = name.removeprefix("[[").removesuffix("]]").removesuffix(".md").rpartition("/")[2]
        found = list(_of_session(self.snapshot.episodes, wanted, project))
        if not found and forgotten_ids(self.store.disk, wanted):
            self.plan.episodes.add(wanted)
            self.plan.gone.add(self.store.layout.episode_path(wanted))
        for episode in found:
            self.plan.episodes.add(episode.name)
            self.plan.entries[episode.name] = {entry.id for entry in episode.entries}
            self.plan.gone.add(self.store.layout.episode_path(episode.name))
        texts = {*self._raw_texts(), *self._quotes(), *self._earlier_quotes()}
        self.elsewhere = "\n".join(self._said_elsewhere())
        self.plan.wiper = Wiper.of(filter(self._is_own, texts))
        return bool(self.plan.episodes)

    def _is_own(self, text: str) -> bool:
        """Whether a text is worth looking for everywhere, and said by nothing that stays."""
        return is_telling(text) and not Wiper.of([text]).hits(self.elsewhere)

    def _said_elsewhere(self) -> Iterator[str]:
        """What other sessions hold as well, and so is not this one's alone."""
        for episode in self.snapshot.episodes:
            if episode.name not in self.plan.episodes:
                yield from (entry.text for entry in episode.entries)
        for file in self.snapshot.cards:
            for receipt in (*file.card.evidence, *file.card.replaced):
                if receipt.episode not in self.plan.episodes:
                    yield receipt.quote

    def _quotes(self) -> Iterator[str]:
        for file in self.snapshot.cards:
            for receipt in (*file.card.evidence, *file.card.replaced):
                if receipt.episode in self.plan.episodes:
                    yield receipt.quote

    def _earlier_quotes(self) -> Iterator[str]:
        """Quotes of the session on versions of cards that only git remembers."""
        if self.store.history.standing().state is not GitState.READY:
            return
        marks = [f"[[{name}".encode() for name in self.plan.episodes]
        for _, data in objects(self.store.history):
            if data.startswith(b"---\n") and any(mark in data for mark in marks):
                card = _parsed(data)
                receipts = (*card.evidence, *card.replaced) if card else ()
                ours = [item for item in receipts if item.episode in self.plan.episodes]
                yield from (item.quote for item in ours)
                if card and len(ours) == len(receipts):
                    yield from (card.title, card.statement)

    # -- raw entries --------------------------------------------------------------------------

    def entries(self) -> None:
        """Entries that hold the words."""
        for episode in self.snapshot.episodes:
            hit = {
                entry.id
                for entry in episode.entries
                if self.plan.wiper.hits(entry.text) or self.plan.wiper.hits(entry.name)
            }
            if hit:
                self.plan.entries.setdefault(episode.name, set()).update(hit)

    # -- cards --------------------------------------------------------------------------------

    def cards(self) -> None:
        """Cards that hold the words, or rest on what goes."""
        book = NameBook(Notes(self.store.disk).names())
        for file in self.snapshot.cards:
            card = None if file.card.id in self.doomed else self._lighter(file.card)
            raw = Notes(self.store.disk).read(file.path) or b""
            held = self.plan.wiper.hits_bytes(raw) or self.plan.wiper.hits(note_name(file.path))
            if card == file.card and not held:
                continue
            self._remember_rejection(file.card, card)
            if card is None:
                told = filter(self._is_own, (file.card.title, file.card.statement))
                self.plan.wiper = Wiper.of((*self.plan.wiper.texts, *told), self.plan.wiper.names)
                self._bury(file)
            else:
                self._change(file, card, book, raw)

    def _lighter(self, card: Card) -> Card | None:
        """The card without what is forgotten; None when nothing is left of it."""
        hits = self.plan.wiper.hits
        evidence = tuple(item for item in card.evidence if self._stays(item))
        replaced = tuple(item for item in card.replaced if self._stays(item))
        statement = card.statement
        alone = len(evidence) < len(card.evidence) and not _is_borne(statement, evidence)
        if hits(statement) or alone:
            statement = ""
        if not statement and not evidence:
            return None
        title = card.title
        if hits(title) or statement != card.statement:
            title = tidy_title(evidence[0].quote) if evidence else card.type.value
        lighter = replace(
            card,
            title=title,
            statement=statement,
            replaced=replaced,
            aliases=tuple(item for item in card.aliases if not hits(item)),
            tags=tuple(item for item in card.tags if not hits(item)),
            history=tuple(line for line in card.history if not hits(line.text)),
            extra={key: value for key, value in card.extra.items() if not hits(str(value))},
        )
        return lighter if evidence == card.evidence else lighter.with_evidence(evidence)

    def _stays(self, receipt: Receipt) -> bool:
        gone = receipt.entry in self.plan.entries.get(receipt.episode, ())
        whole = receipt.episode in self.plan.episodes
        told = self.plan.wiper.hits(receipt.quote) or self.plan.wiper.hits(receipt.gloss)
        return not (whole or told or (gone and not self.doomed))

    def _remember_rejection(self, before: Card, after: Card | None) -> None:
        kept = set(after.evidence) | set(after.replaced) if after else set()
        lost = replace(
            before,
            statement="" if after and after.statement else before.statement,
            evidence=tuple(item for item in before.evidence if item not in kept),
            replaced=tuple(item for item in before.replaced if item not in kept),
        )
        self.plan.marks.update(self.store.marks(lost))

    def _bury(self, file: CardFile) -> None:
        self.renamed[note_name(file.path)] = ""
        self.plan.gone.add(file.path)
        self.plan.cards[file.card.id] = None
        self.plan.writes.append(Write(file.path, None, file.digest))

    def _change(self, file: CardFile, card: Card, book: NameBook, raw: bytes) -> None:
        path = file.path
        if self.plan.wiper.hits(note_name(path)) or card.title != file.card.title:
            name = book.take(card.title if not file.by_person else file.card.id)
            self.renamed[note_name(path)] = name
            self.plan.gone.add(path)
            path = card_path(card, name)
        self.plan.cards[card.id] = card
        scribe = Scribe(self.pages, Notes(self.store.disk).read, self.store.marks)
        data = self.plan.wiper.blank_bytes(raw) if file.by_person else scribe.bytes_of(card, path)
        self._put(file, card, path, data)

    def _put(self, file: CardFile, card: Card, path: str, data: bytes) -> None:
        moved = file.path if path != file.path else ""
        marks = self.store.marks(card)
        self.plan.writes.append(Write(path, data, file.digest, moved, card=card.id, marks=marks))

    # -- what points there --------------------------------------------------------------------

    def links(self) -> None:
        """Names that are gone go from the links of other cards."""
        if not self.renamed:
            return
        self.plan.wiper = replace(
            self.plan.wiper, names=tuple(dict.fromkeys((*self.plan.wiper.names, *self.renamed)))
        )
        scribe = Scribe(self.pages, Notes(self.store.disk).read, self.store.marks)
        for file in self.snapshot.cards:
            card = self.plan.cards.get(file.card.id, file.card)
            if card is None:
                continue
            linked = replace(
                card,
                supersedes=self._relinked(card.supersedes),
                superseded_by=self._relinked(card.superseded_by),
                history=tuple(line for line in card.history if not self.plan.wiper.hits(line.text)),
            )
            if linked == card:
                continue
            known = next((one for one in self.plan.writes if one.card == card.id), None)
            path = known.path if known else file.path
            if known is not None:
                self.plan.writes.remove(known)
            raw = (known.data if known else Notes(self.store.disk).read(file.path)) or b""
            data = (
                self.plan.wiper.blank_bytes(raw)
                if file.by_person
                else scribe.bytes_of(linked, path)
            )
            self.plan.cards[card.id] = linked
            self._put(file, linked, path, data)

    def _relinked(self, links: tuple[str, ...]) -> tuple[str, ...]:
        names = (link.strip("[]") for link in links)
        fresh = (self.renamed.get(name, name) for name in names)
        return tuple(f"[[{name}]]" for name in fresh if name)

    def reports(self) -> None:
        """Reports tell the rest of what they told."""
        notes = Notes(self.store.disk)
        for path in notes.paths("dreams"):
            raw = notes.read(path) or b""
            if self.plan.wiper.hits_bytes(raw):
                data = self.plan.wiper.blank_bytes(raw)
                self.plan.writes.append(Write(path, data, digest_of(raw)))


def _is_borne(statement: str, evidence: Iterable[Receipt]) -> bool:
    """Whether what is left says the statement too."""
    return any(statement in item.quote or item.quote in statement for item in evidence)


def _parsed(data: bytes) -> Card | None:
    try:
        return parse_card(data.decode("utf-8", "replace"), "")
    except BadCard:
        return None


def _of_session(episodes: Iterable[Episode], wanted: str, project: str) -> Iterator[Episode]:
    """The episode of this name, else all of the session of this name.

    Raises:
        UsageError: Sessions of several projects are called so.
    """
    found = [one for one in episodes if wanted == one.name]
    found = found or [
        one for one in episodes if wanted == one.meta.session and project in ("", one.meta.project)
    ]
    projects = sorted({one.meta.project for one in found} - {""})
    if len(projects) > 1:
        raise UsageError(
            phrase(
                "Sessions called '{wanted}' belong to several projects ({names}): add --project, or name one episode.",
                wanted=wanted,
                names=listed(projects),
            )
        )
    yield from found
