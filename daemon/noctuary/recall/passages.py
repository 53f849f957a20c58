"""Cuts cards and entries into passages: the lines that search finds and answers are made of.

Pure. A passage is one receipt of a card, the statement of a card, or a piece of a short-term entry.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from noctuary.memory.card import ENTRY, Receipt, Status
from noctuary.memory.dates import resolved, say_date
from noctuary.memory.entry import Role, trust_of
from noctuary.memory.sentences import language, sentences
from noctuary.memory.tokens import content_tokens, index_tokens
from noctuary.recall.doubts import doubt
from noctuary.recall.kinds import kind_told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.memory.card import Card
    from noctuary.memory.entry import Entry
    from noctuary.recall.turns import Turn

SHORT = 280
"""Characters up to which a turn stays whole, and is understood better with those around it."""
PIECE = 320
"""Characters that a piece of a long turn aims at."""
CONTEXT = 200
"""Characters of the turns before and after that go into the index."""
NEAR = timedelta(minutes=10)
"""Time between two lines of a card that belong to the same exchange."""
LONGEST_TOKEN = 80
OWN = 2
"""How often a passage's own words go into the index, what surrounds them once."""
OWN_IN_MONOLOGUE = 8
"""The same where a person goes on alone: what was said before is then seldom what is answered."""


class Passage(NamedTuple):
    """One line that can be found and shown; a tuple, since a search makes many of them at once.

    Attributes:
        owner: What is indexed and replaced as a whole: path of a card, id of an entry.
        kind: `card` or `entry`.
        id: Id of the card or the entry.
        note: Name of the note that holds it, for links.
        part: `statement`, `receipt`, `replaced` or `piece`.
        text: What is shown, relative dates resolved in brackets.
        link: Wikilink to the turn it came from; empty for a statement.
        until: Day from which it no longer holds; None while it does.
        successor: Link to the turn, or to the card, that took its place.
    """

    owner: str
    kind: str
    id: str
    path: str
    note: str
    part: str
    type: str
    title: str
    text: str
    speaker: str
    role: str
    at: datetime
    link: str
    status: str
    importance: int
    trust: str
    references: int
    referenced: date
    user: str = ""
    project: str = ""
    session: str = ""
    since: date | None = None
    until: date | None = None
    successor: str = ""

    @property
    def is_past(self) -> bool:
        """True when newer knowledge took its place."""
        return self.part == "replaced" or self.status in _PAST

    @property
    def was_true(self) -> bool:
        """True when newer knowledge took its place, and nobody put it away."""
        return self.is_past and self.status not in _PUT_AWAY

    @property
    def is_live(self) -> bool:
        """True when it may be told whoever asks: neither past nor put away."""
        return not self.is_past and self.status not in _PUT_AWAY


_PAST = frozenset({Status.SUPERSEDED, Status.EXPIRED})
_PUT_AWAY = frozenset({Status.ARCHIVED, Status.QUARANTINED})


class Indexed(NamedTuple):
    """A passage with the tokens under which it is found.

    Attributes:
        tokens: Its own words, several times, since they count more than what surrounds them: day,
            speaker, title, topics, the turns before and after; with blanks between.
        links: Notes and turns it hangs together with.
    """

    passage: Passage
    tokens: str
    links: tuple[str, ...]


def card_passages(card: Card, path: str) -> list[Indexed]:
    """Every line of a card, the statement first, then receipts in order, replaced ones last."""
    about = _tokens(" ".join((card.title, *card.aliases, *card.topics, card.project)))
    related = tuple(dict.fromkeys(_target(link) for link in _related(card)))
    return [
        Indexed(
            passage,
            _weighty(
                passage.text,
                (about, *_around(passage.speaker, passage.at), *near, *kind_told(passage)),
            ),
            tuple(dict.fromkeys((passage.note, *_turn(passage), *related))),
        )
        for passage, near in _lines(card, path)
    ]


def _turn(passage: Passage) -> list[str]:
    return [_target(passage.link)] if passage.link else []


def _lines(card: Card, path: str) -> Iterator[tuple[Passage, list[str]]]:
    """Each line with the words around it."""
    if card.statement:
        yield _statement(card, path), []
    beside = _beside(card)
    for receipt in card.evidence:
        yield _receipt(card, path, receipt), beside.get(receipt.key, [])
    for receipt in card.replaced:
        yield _receipt(card, path, receipt), []


def _beside(card: Card) -> dict[tuple[str, str, str], list[str]]:
    """The words just before and after each short receipt in the same episode."""
    told = sorted(card.evidence, key=lambda receipt: receipt.at)
    found = {}
    for before, receipt, after in zip([None, *told], told, [*told[1:], None], strict=False):
        if len(receipt.quote) <= SHORT:
            near = [one for one in (before, after) if one and _is_near(one, receipt)]
            found[receipt.key] = [_tokens(one.quote[:CONTEXT]) for one in near]
    return found


def _is_near(one: Receipt, other: Receipt) -> bool:
    near = one.episode == other.episode and abs(one.at - other.at) <= NEAR
    return near and (bool(other.speaker) or one.role != other.role)


def _related(card: Card) -> Iterator[str]:
    yield from card.supersedes
    yield from card.superseded_by
    if card.statement:
        yield from card.source


def _statement(card: Card, path: str) -> Passage:
    last = max(card.evidence, key=lambda receipt: receipt.at, default=None)
    at, link = (last.at, last.link) if last else (card.created, "")
    doubts = (doubt for receipt in card.evidence if (doubt := _doubt(card, receipt)))
    text = card.statement + next(doubts, "")
    return _card_passage(card, path, "statement", text, at, card.user, link)


def _receipt(card: Card, path: str, receipt: Receipt) -> Passage:
    part = "replaced" if receipt.replaced else "receipt"
    passage = _card_passage(
        card,
        path,
        part,
        _shown(receipt) + _doubt(card, receipt),
        receipt.at,
        receipt.speaker,
        receipt.link,
    )._replace(role=receipt.role)
    if not receipt.replaced:
        return passage
    return passage._replace(until=receipt.replaced, successor=_target(receipt.replaced_by))


def _shown(receipt: Receipt) -> str:
    text = resolved(receipt.quote, receipt.at)
    if receipt.gloss and text == receipt.quote:
        return f"{text} [{receipt.gloss}]"
    return text


def _doubt(card: Card, receipt: Receipt) -> str:
    """What to know of a line that another one speaks against; empty when none does."""
    if receipt.disputed is None or card.status != Status.DISPUTED:
        return ""
    return doubt(receipt.disputed, language(receipt.quote))


def _card_passage(
    card: Card, path: str, part: str, text: str, at: datetime, speaker: str, link: str
) -> Passage:
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    return Passage(
        owner=path,
        kind="card",
        id=card.id,
        path=path,
        note=name,
        part=part,
        type=card.type,
        title=card.title,
        text=text,
        speaker=speaker,
        role=_role_of(card),
        at=at,
        link=link,
        status=card.status,
        importance=card.importance,
        trust=card.trust,
        references=card.references,
        referenced=card.last_referenced,
        user=card.user,
        project=card.project,
        since=card.valid_from,
        until=card.valid_until,
        successor=_target(card.superseded_by[0]) if card.superseded_by else "",
    )


def _role_of(card: Card) -> str:
    return Role.USER if card.trust == "user" else str(card.trust)


def entry_passages(turn: Turn) -> list[Indexed]:
    """The pieces of one entry; a short one is also found by the words around it."""
    entry = turn.entry
    around = _around(f"{entry.user} {entry.name}", entry.at)
    if len(entry.text) <= SHORT:
        around += (_tokens(turn.before.text[-CONTEXT:]),) if turn.before else ()
        around += (_tokens(turn.after.text[:CONTEXT]),) if turn.after else ()
    links = (_target(entry.link), entry.episode)
    weight = OWN_IN_MONOLOGUE if turn.is_monologue else OWN
    return [
        Indexed(_piece(entry, text), _weighty(text, around, weight), links)
        for text in pieces(resolved(entry.text, entry.at))
    ]


def pieces(text: str) -> list[str]:
    """Short text whole, long text as runs of whole sentences of about `PIECE` characters."""
    if len(text) <= SHORT:
        return [text]
    runs: list[list[str]] = []
    size = PIECE
    for sentence in sentences(text):
        if size + len(sentence.text) > PIECE:
            runs.append([])
            size = 0
        runs[-1].append(sentence.text)
        size += len(sentence.text)
    return [" ".join(run) for run in runs] or [text]


def _piece(entry: Entry, text: str) -> Passage:
    return Passage(
        owner=entry.id,
        kind="entry",
        id=entry.id,
        path=episode_path(entry.episode),
        note=entry.episode,
        part="piece",
        type=ENTRY,
        title="",
        text=text,
        speaker=entry.user,
        role=entry.role,
        at=entry.at,
        link=entry.link,
        status=Status.ACTIVE,
        importance=3,
        trust=trust_of(entry.role),
        references=0,
        referenced=entry.at.date(),
        user=entry.user,
        project=entry.project,
        session=entry.session,
    )


def episode_path(name: str) -> str:
    """Where the note of an episode lies, relative to the vault."""
    return f"episodes/{name[:4]}/{name[5:7]}/{name}.md"


@lru_cache(maxsize=4096)
def date_tokens(day: date) -> tuple[str, ...]:
    """Every common spelling of a day, so that a question may name it in any of them."""
    spelt = f"{day.isoformat()} {say_date(day, 'en')} {say_date(day, 'zh')} {day:%A}"
    return tuple(dict.fromkeys(content_tokens(spelt)))


def _around(speaker: str, at: datetime) -> tuple[str, ...]:
    return (_tokens(speaker), _day_tokens(at.toordinal()))


@lru_cache(maxsize=4096)
def _day_tokens(ordinal: int) -> str:
    return " ".join(date_tokens(date.fromordinal(ordinal)))


def _weighty(text: str, around: tuple[str, ...], weight: int = OWN) -> str:
    return " ".join((*(_tokens(text),) * weight, *around))


@lru_cache(maxsize=256)
def _tokens(text: str) -> str:
    """Kept a while, since a turn is told beside its neighbours too."""
    return index_tokens(text, LONGEST_TOKEN)


def session_names(link: str) -> list[str]:
    """What the session may be called in which a turn was said, by the name of its note.

    `2026-11-30-claude-code-7f3a2b` may be session `7f3a2b` of agent `claude-code`, or
    `code-7f3a2b` of `claude`: the name alone does not tell.
    """
    parts = _target(link).partition("#")[0].split("-")[3:]
    return ["-".join(parts[start:]) for start in range(len(parts))]


def _target(link: str) -> str:
    """What a wikilink points to, without brackets and shown text."""
    return link.removeprefix("[[").removesuffix("]]").split("|", 1)[0]
