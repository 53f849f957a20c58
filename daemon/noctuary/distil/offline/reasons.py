"""The sentence beside a wish, a limit or a choice that says why, or what its `it` is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.distil.offline.forms import listed, pattern
from noctuary.distil.offline.score import event_signal, instruction_signal
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.pieces import Piece

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


def named_before(text: str, pieces: Sequence[Piece], place: int) -> Piece | None:
    """The sentence before one that names what `it` is.

    `The logo is green. I'd rather have it brown.`, but not where a word of its own may be meant.
    """
    said = pieces[place]
    hit = pattern("it").search(said.text)
    if hit is None or not place:
        return None
    if _names_a_thing(said.text[: hit.start()]):
        return None
    ahead = pieces[place - 1]
    between = text[ahead.start + len(ahead.text) : said.start]
    tells = _is_told(ahead) and not ahead.leads("greeting", "thanks", "talk")
    return ahead if tells and len(ahead.text) <= LONGEST_NAME and "\n" not in between else None


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
