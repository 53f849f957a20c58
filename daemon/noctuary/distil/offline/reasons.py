"""The sentence beside a wish, a limit or a choice that says why, or what its `it` is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.distil.offline.forms import listed, pattern
from noctuary.distil.offline.pieces import told_facts
from noctuary.distil.offline.score import event_signal, instruction_signal
from noctuary.memory.dates import glosses
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import STOP_EN, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.pieces import Piece
    from noctuary.memory.entry import Entry

_MARKS = " .,;!。，；！"
LONGEST = 40
"""Words of a reason."""


def reason_beside(text: str, pieces: Sequence[Piece], place: int) -> tuple[Piece, ...]:
    """The sentence of the same turn behind one, else before it, that gives its reason."""
    said = pieces[place]
    behind = next((one for one in pieces[place + 1 : place + 2] if _explains(said, one)), None)
    if behind is not None:
        return (behind,)
    ahead = pieces[place - 1] if place else None
    return (ahead,) if ahead is not None and _leads_to(text, ahead, said) else ()


def named_before(entry: Entry, pieces: Sequence[Piece], place: int) -> Piece | None:
    """The sentence before one that names what `it` is, who `him`, or the day of `then`.

    `The logo is green. I'd rather have it brown.`, but not where a word of its own may be meant.
    """
    if not place:
        return None
    said, ahead = pieces[place], pieces[place - 1]
    between = entry.text[ahead.start + len(ahead.text) : said.start]
    tells = _is_told(ahead) and not ahead.leads("greeting", "thanks", "talk")
    if not tells or len(ahead.text) > LONGEST_NAME or "\n" in between:
        return None
    if pattern("then").match(said.text):
        dated = glosses(ahead.text, entry.at) or any(key.startswith("date:") for key in ahead.facts)
        return ahead if dated else None
    return ahead if _points_at(said, ahead) else None


def _points_at(said: Piece, ahead: Piece) -> bool:
    """Whether a pronoun of one sentence may mean what another names."""
    who = pattern("him").search(said.text.rstrip(_MARKS))
    if who is not None and not told_facts(said.text[: who.start()])[1]:
        first = ahead.text.split(" ", 1)[0]
        return bool(ahead.names) or (first.istitle() and first.lower() not in STOP_EN)
    hit = pattern("it").search(said.text)
    names = ahead.rare or ahead.facts or ahead.names
    return bool(hit and names) and not _names_a_thing(said.text[: hit.start() if hit else 0])


def _names_a_thing(before: str) -> bool:
    """Whether the words before an `it` may hold what it means: more than a verb and what leads to it."""
    if not before.isascii():
        return len(before) > MOST_BEFORE
    return len(set(content_tokens(before)) - {stem(word) for word in listed("before-it")}) > 1


MOST_BEFORE = 6
LONGEST_NAME = 160
"""Characters of a sentence that is told along for a name in it."""


def _explains(said: Piece, one: Piece) -> bool:
    """`It saves us a lot of time.` behind what is wished."""
    if not _is_told(one):
        return False
    tells = pattern("brings").search(one.text) and not _is_own(one)
    goes_on = pattern("same-thing").match(one.text) or _shared(said, one)
    return one.leads("reason") or bool(tells and goes_on)


def _leads_to(text: str, one: Piece, said: Piece) -> bool:
    """`Small commits are easier to revert.` ahead of what is wished of them."""
    between = text[one.start + len(one.text) : said.start]
    if not _is_told(one) or _is_own(one) or "\n" in between:
        return False
    follows = pattern("follows").match(f"{between}{said.text}".lstrip(_MARKS))
    return bool(follows or (pattern("brings").search(one.text) and _shared(one, said)))


def _is_told(one: Piece) -> bool:
    return one.kind == "prose" and not one.question and one.words < LONGEST


def _is_own(one: Piece) -> bool:
    """Whether it stands on a card of its own."""
    return bool(instruction_signal(one) or event_signal(one))


def _shared(one: Piece, other: Piece) -> bool:
    """Whether both speak of one thing."""
    words = frozenset(content_tokens(one.text)) & frozenset(content_tokens(other.text))
    return any(word.isascii() or len(word) > 1 for word in words)
