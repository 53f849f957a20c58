"""The brain map: which card is where, most important first, within what an agent can load.

Pure: cards in, sections of lines out; templates turn them to `index.md` and `maps/*.md`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from noctuary.dream.brain import is_live
from noctuary.memory.card import Card, CardType, Status
from noctuary.memory.sentences import speech
from noctuary.tongue import phrase, spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from noctuary.tongue import Language

    Say: TypeAlias = Callable[[object], str]

MAX_LINES = 190
MAX_CHARS = 19_000
"""The index stays under 200 lines and 20,000 characters, with room for the markers around it."""
MAP_LINES = 400
_SCALES = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1)
_ALWAYS = frozenset({CardType.CONSTRAINT, CardType.PREFERENCE, CardType.PATTERN})
_FEW_TOPIC_LINKS = 3
_KINDS = {
    CardType.PREFERENCE: phrase("Preferences"),
    CardType.CONSTRAINT: phrase("Constraints"),
    CardType.DECISION: phrase("Decisions"),
    CardType.FACT: phrase("Facts"),
    CardType.PATTERN: phrase("Patterns"),
    CardType.LESSON: phrase("Lessons"),
    CardType.TASK: phrase("Tasks"),
}


@dataclass(frozen=True, slots=True)
class Placed:
    """A card with the name of its note."""

    card: Card
    name: str

    @property
    def link(self) -> str:
        """Wikilink that shows the title."""
        title = self.card.title.translate(_LINK_SAFE)
        return f"[[{self.name}]]" if title == self.name else f"[[{self.name}|{title}]]"


_LINK_SAFE = str.maketrans({"|": "/", "[": "(", "]": ")", "\n": " ", "^": " ", "#": " "})


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its lines, each ready to stand in a list."""

    heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MapPage:
    """One page of the second level."""

    name: str
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BrainMap:
    """The index and the pages that it overflows into."""

    title: str
    health: str
    sections: tuple[Section, ...]
    mindmap: tuple[str, ...]
    pages: tuple[MapPage, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Cards that belong together; `most` of them are shown, the rest is on a page of its own."""

    key: str
    title: str
    cards: tuple[Placed, ...]


def brain_map(
    cards: Sequence[Placed], dreams: Sequence[str], health: str, language: str = "en"
) -> BrainMap:
    """Draw the map of all live cards; lines of dreams come newest first."""
    live = sorted((item for item in cards if is_live(item.card)), key=_rank)
    say = partial(spoken, language=language)
    dreams, health = [say(line) for line in dreams], say(health)
    for scale in _SCALES:
        drawn = _draw(live, dreams, health, say, scale)
        if _fits(drawn):
            break
    return drawn


def map_language(wanted: str, cards: Iterable[Card]) -> Language:
    """The language of the pages of a vault, as its settings want it, `auto` by the live cards."""
    return speech(wanted, (card.title for card in cards if is_live(card)))


def _rank(item: Placed) -> tuple[int, int, int, str]:
    card = item.card
    return (-card.importance, -card.references, -card.created.toordinal(), item.name)


def _fits(drawn: BrainMap) -> bool:
    lines = [line for section in drawn.sections for line in (section.heading, *section.lines)]
    lines += [drawn.health, *drawn.mindmap]
    blanks = 3 * len(drawn.sections) + 10
    return len(lines) + blanks <= MAX_LINES and sum(map(len, lines)) + 3 * len(lines) <= MAX_CHARS


def _draw(
    live: list[Placed], dreams: Sequence[str], health: str, say: Say, scale: float
) -> BrainMap:
    pages: list[MapPage] = []

    def most(number: int) -> int:
        return max(1, int(number * scale))

    always = [item for item in live if item.card.type in _ALWAYS and item.card.importance >= 4]
    tasks = [item for item in live if item.card.type is CardType.TASK]
    sections = [
        _listed(
            _Group("always-true", say(phrase("Always true")), tuple(always)), most(40), say, pages
        ),
        _listed(
            _Group("open-tasks", say(phrase("Open tasks")), tuple(tasks)), most(15), say, pages
        ),
        *_kinds(live, always[: most(40)], most(6), say, pages),
        _grouped("topics", say(phrase("By topic")), _by_topic(live), most(16), say, pages),
        _grouped(
            "people-projects",
            say(phrase("By project and person")),
            _by_person(live),
            most(12),
            say,
            pages,
        ),
        Section(say(phrase("Latest dreams")), tuple(dreams[:5])),
    ]
    kept = tuple(section for section in sections if section.lines)
    return BrainMap(say(phrase("Brain map")), health, kept, _mindmap(live, say), tuple(pages))


def _kinds(
    live: list[Placed], above: list[Placed], most: int, say: Say, pages: list[MapPage]
) -> list[Section]:
    """The cards by kind, without those that stand above already."""
    told = {item.card.id for item in above}
    sections = []
    for type_ in CardType:
        if type_ is CardType.TASK:
            continue
        cards = tuple(item for item in live if item.card.type is type_ and item.card.id not in told)
        group = _Group(type_.folder, say(_KINDS[type_]), cards)
        sections.append(_listed(group, most, say, pages, counted=True))
    return sections


def _listed(
    group: _Group, most: int, say: Say, pages: list[MapPage], *, counted: bool = False
) -> Section:
    """One line per card; what is over goes to a page that the last line links to."""
    lines = [card_line(item, say) for item in group.cards[:most]]
    over = len(group.cards) - most
    if over > 0:
        first = _add_pages(group, pages, say)
        lines.append(say(phrase("{count} more: {link}", count=over, link=f"[[{first}]]")))
    heading = f"{group.title} ({len(group.cards)})" if counted else group.title
    return Section(heading, tuple(lines))


def card_line(item: Placed, say: Say) -> str:
    """How a card stands in a list: link, importance as dots, day of its newest evidence.

    Of many lines under one title it says how many there are.
    """
    card = item.card
    newest = max((receipt.at for receipt in card.evidence), default=card.created)
    count = len(card.evidence)
    lines = (
        " · " + say(phrase("{count} lines", count=count)) if card.is_digest and count > 1 else ""
    )
    mark = " ⚠" if card.status is Status.DISPUTED else ""
    return f"{item.link} · {'●' * card.importance}{lines} · {newest:%Y-%m-%d}{mark}"


def _grouped(
    key: str,
    heading: str,
    groups: list[_Group],
    most: int,
    say: Say,
    pages: list[MapPage],
) -> Section:
    """One line per group with its best cards; large groups and the groups that are over get pages."""
    lines = []
    for group in groups[:most]:
        links = " · ".join(item.link for item in group.cards[:_FEW_TOPIC_LINKS])
        over = len(group.cards) - _FEW_TOPIC_LINKS
        if over > 0:
            links += " · " + say(
                phrase(
                    "{count} more: {link}",
                    count=over,
                    link=f"[[{_add_pages(group, pages, say)}]]",
                )
            )
        lines.append(f"**{group.title}** ({len(group.cards)}): {links}")
    if len(groups) > most:
        rest = [
            f"**{group.title}** ({len(group.cards)}): "
            + " · ".join(item.link for item in group.cards[:_FEW_TOPIC_LINKS])
            for group in groups[most:]
        ]
        first = _paged(key, heading, rest, pages)
        lines.append(
            say(phrase("{count} more: {link}", count=len(groups) - most, link=f"[[{first}]]"))
        )
    return Section(heading, tuple(lines))


def _add_pages(group: _Group, pages: list[MapPage], say: Say) -> str:
    lines = [card_line(item, say) for item in group.cards]
    return _paged(group.key, group.title or say(phrase("Brain map")), lines, pages)


def _paged(key: str, title: str, lines: list[str], pages: list[MapPage]) -> str:
    """Pages of at most 400 lines under names of their own; the name of the first."""
    first = f"map-{key}"
    for number, start in enumerate(range(0, len(lines), MAP_LINES), start=1):
        name = first if number == 1 else f"{first}-{number}"
        if all(page.name != name for page in pages):
            pages.append(MapPage(name, title, tuple(lines[start : start + MAP_LINES])))
    return first


def _by_topic(live: Iterable[Placed]) -> list[_Group]:
    """Topics that several cards share; one of a single card says no more than its title."""
    groups = _groups(live, lambda card: card.topics, "topic")
    return [group for group in groups if len(group.cards) > 1]


def _by_person(live: Iterable[Placed]) -> list[_Group]:
    return _groups(live, lambda card: tuple(filter(None, (card.project, card.user))), "of")


def _groups(
    live: Iterable[Placed], keys: Callable[[Card], Sequence[str]], kind: str
) -> list[_Group]:
    found: dict[str, list[Placed]] = defaultdict(list)
    for item in live:
        for key in keys(item.card):
            found[key].append(item)
    ordered = sorted(
        found.items(),
        key=lambda pair: (-sum(item.card.importance for item in pair[1]), pair[0]),
    )
    return [_Group(f"{kind}-{_plain(key)}", key, tuple(cards)) for key, cards in ordered]


def _plain(key: str) -> str:
    return "".join(char if char.isalnum() else "-" for char in key.casefold())


def _mindmap(live: list[Placed], say: Say) -> tuple[str, ...]:
    """Lines of a Mermaid mindmap: kinds, and the strongest topics of each."""
    lines = ["mindmap", f"  root(({say(phrase('memory'))}))"]
    for type_ in CardType:
        cards = [item for item in live if item.card.type is type_]
        if not cards:
            continue
        lines.append(f"    {_label(f'{say(_KINDS[type_])} {len(cards)}')}")
        lines += [f"      {_label(group.title)}" for group in _by_topic(cards)[:3]]
    return tuple(lines)


def _label(text: str) -> str:
    """Text that Mermaid takes as one node, whatever is in it."""
    return '["' + "".join(char for char in text if char.isalnum() or char in " -_/.") + '"]'
