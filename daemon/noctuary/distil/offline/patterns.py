"""The same thing said more than once: repeats are merged, a wish said five times is a pattern."""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING

from noctuary.distil.offline.singles import candidate_of, fact_set, times_said
from noctuary.memory.card import CardType
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from noctuary.distil.offline.singles import Single
    from noctuary.memory.candidate import Candidate

GATHERED_FROM, PATTERN_FROM = 3, 5
"""Wishes that are only alike are one from three on; said five times a wish is a pattern."""
NEAR = 0.6
MAX_PLACES, MAX_NEAR = 100, 16
"""Of the groups that share a word, the latest so many are counted, the nearest so many compared."""
ALIKE = 0.34
WISHES = frozenset({CardType.PREFERENCE, CardType.CONSTRAINT})


def merged(singles: Sequence[Single]) -> list[Candidate]:
    """One candidate for each thing that was said, however often."""
    groups = _grouped(singles, _same)
    rest = [group for group in groups if group[0].type not in WISHES]
    wishes = [group for group in groups if group[0].type in WISHES]
    loose = _grouped([single for group in wishes for single in group], _alike)
    gathered = [group for group in loose if len(group) >= GATHERED_FROM]
    taken = {id(single) for group in gathered for single in group}
    rest += [group for group in wishes if id(group[0]) not in taken]
    found = [candidate_of(group) for group in rest]
    return found + [candidate_of(group, _recurring(group)) for group in gathered]


def _recurring(group: Sequence[Single]) -> CardType | None:
    return CardType.PATTERN if times_said(group) >= PATTERN_FROM else None


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Jaccard likeness of two sets."""
    return len(left & right) / len(left | right) if left and right else 0.0


def _same(one: Single, other: Single) -> bool:
    if one.type is not other.type or one.entry.user != other.entry.user:
        return False
    if one.habits & other.habits:
        return True
    return one.piece.text == other.piece.text or (
        fact_set(one) == fact_set(other)
        and overlap(one.words, other.words) >= NEAR
        and not _at_odds(one, other)
    )


def _alike(one: Single, other: Single) -> bool:
    if one.entry.user != other.entry.user or one.entry.id == other.entry.id:
        return one.piece.text == other.piece.text
    if one.habits & other.habits:
        return True
    shared = one.words & other.words
    return (
        len(shared) >= 2
        and overlap(one.words, other.words) >= ALIKE
        and _facts_fit(one, other)
        and not _at_odds(one, other)
    )


MAX_GAP = 6
_TOKEN = re.compile(r"[\u3400-\u9fff]|[\w'’.-]*\w")


def _at_odds(one: Single, other: Single) -> bool:
    """The same words with a `not`, or with another value in one place: two rules, no repeat."""
    same_words = overlap(one.words, other.words) >= NEAR
    if same_words and one.piece.has("negation") != other.piece.has("negation"):
        return True
    left, right = (_TOKEN.findall(single.piece.text.lower()) for single in (one, other))
    return _one_gap(left, right) or _same_form(left, right)


def _same_form(left: list[str], right: list[str]) -> bool:
    """Whether two sentences of one form have other words in some of their places."""
    if len(left) != len(right):
        return False
    gaps = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    told = all(content_tokens(word) for pair in gaps for word in pair)
    return bool(gaps) and told and 2 * len(gaps) <= len(left)


def _one_gap(left: list[str], right: list[str]) -> bool:
    """Whether two sentences differ in one short place, and both have something to say there."""
    head = _shared(left, right)
    tail = _shared(left[head:][::-1], right[head:][::-1])
    gaps = [words[head : len(words) - tail] for words in (left, right)]
    frame = head + tail >= max(len(left), len(right)) / 2
    return frame and all(len(gap) <= MAX_GAP and content_tokens(" ".join(gap)) for gap in gaps)


def _shared(left: list[str], right: list[str]) -> int:
    """How many tokens two lists begin with in common."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _facts_fit(one: Single, other: Single) -> bool:
    left, right = fact_set(one), fact_set(other)
    return left <= right or right <= left


def _grouped(
    singles: Iterable[Single], same: Callable[[Single, Single], bool]
) -> list[list[Single]]:
    """Groups by likeness to any member; only singles that share a word are compared."""
    groups: list[list[Single]] = []
    by_word: dict[str, list[int]] = {}
    texts: dict[tuple[str, str, str], int] = {}
    for single in singles:
        exact = (single.type, single.entry.user, single.piece.text)
        place = texts.get(exact)
        if place is None:
            place = _home(single, groups, by_word, same)
        groups[place].append(single)
        if exact not in texts:
            texts[exact] = place
            for word in single.keys:
                by_word.setdefault(word, []).append(place)
    return groups


def _home(
    single: Single,
    groups: list[list[Single]],
    by_word: dict[str, list[int]],
    same: Callable[[Single, Single], bool],
) -> int:
    shared = Counter(place for word in single.keys for place in by_word.get(word, ())[-MAX_PLACES:])
    for place, _ in shared.most_common(MAX_NEAR):
        if any(same(single, member) for member in groups[place][-8:]):
            return place
    groups.append([])
    return len(groups) - 1
