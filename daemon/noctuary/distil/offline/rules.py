"""Standing rules about a thing: what must be left alone, and what may be done to it again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import clauses
from noctuary.distil.offline.forms import alike, forms, listed, pattern
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import stem

if TYPE_CHECKING:
    from noctuary.distil.offline.clauses import Clause
    from noctuary.distil.offline.forms import Shape
    from noctuary.distil.offline.frames import Frame


TOUCH = "touch"
"""Name of all deeds that change a thing in some way."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a clause forbids or allows.

    Attributes:
        deed: `TOUCH`, or one name for all verbs that mean the same.
        thing: Telling words of what it is about; empty when only a pronoun names it.
        head: Those of the thing itself: of 首页的轮播图 the second half.
        once: It holds for the moment only.
        before: The clauses before it, in which a pronoun's thing stands.
        place: Where the clause stands in its text.
    """

    allows: bool
    deed: str
    thing: frozenset[str]
    head: frozenset[str]
    once: bool
    before: str
    place: tuple[int, int]


def standing_rule(text: str) -> Rule | None:
    """The first rule of a sentence that holds on and whose thing the sentence names."""
    found = (rule for rule in rules(text) if not rule.once)
    return next((rule for rule in found if rule.thing or content_tokens(rule.before)), None)


def bans_what_was_told(before: str, text: str) -> bool:
    """Whether one sentence forbids what another tells of: `attic/ is Tom's`, `don't touch it`."""
    ban = next((rule for rule in rules(text) if not rule.allows and not rule.once), None)
    if ban is None or ban.thing or content_tokens(ban.before):
        return False
    return bool(_subject(before)) and not pattern("for-now").search(before)


def for_the_moment(text: str, place: int) -> bool:
    """Whether what stands here in a sentence is only asked for now: `don't run the tests now`."""
    return any(rule.once and rule.place[0] <= place < rule.place[1] for rule in rules(text))


def lifts(new: Frame, old: Frame) -> bool:
    """One allows what the other forbids, or forbids what the other allows, of the same thing."""
    if renews(new, old) or _needless(new, old):
        return True
    if _allowed_again(new, old) or _permits_denied(new, old):
        return True
    said = [rule for rule in rules(new.text) if not rule.once]
    banned = any(one.allows and one.thing and one.thing in _banned(old.text) for one in said)
    if banned or _frees(new.text, old.text):
        return True
    return any(
        one.allows != other.allows and one.deed == other.deed and _same_thing(one, other)
        for one in said
        for other in rules(old.text)
        if not other.once
    )


def is_exception(new: Frame, old: Frame) -> bool:
    """Whether what is forbidden is allowed of something narrower only: `emojis in birthday messages`."""
    if "negation" in new.cues:
        return False
    told = [new.plain.intersection(content_tokens(part.text)) for part in clauses(new.text)]
    said = max(told, key=lambda words: len(words & old.plain), default=new.plain)
    return bool(said - old.plain - frozenset(content_tokens(" ".join(listed("narrows-nothing")))))


def renews(new: Frame, old: Frame) -> bool:
    """Whether a line speaks of a rule itself and gives it another wording: `that rule: from now …`."""
    return bool(new.habits & old.habits) and bool(pattern("rule-anew").search(new.text))


def _allowed_again(new: Frame, old: Frame) -> bool:
    """`The room can be let again` against `don't let the room until …`: the same verb and thing."""
    told = next(forms("may-again", **_VERB).find(new.text), None)
    if told is None or pattern("for-now").search(new.text):
        return False
    verb = told["verb"]
    banned = any(verb in hit[0] for hit in forms("may-not").find(old.text))
    shared = {word for word in new.words & old.words if len(word) > 1 and verb not in word}
    return banned and bool(shared)


def _needless(new: Frame, old: Frame) -> bool:
    """`… moved out, no need to ring any more` against `ring …, before you knock`: the same deed."""
    told = next(forms("needless", **_DEED).find(new.text), None)
    if told is None or pattern("for-now").search(new.text) or told["verb"] not in old.text:
        return False
    shared = {word for word in new.words & old.words if len(word) > 1 and word not in told["verb"]}
    return bool(shared) and next(forms("may-not").find(old.text), None) is None


_DEED: dict[str, Shape] = {"verb": (r"\w+", r"[\u4e00-\u9fff]{2,6}?")}
_VERB: dict[str, Shape] = {"verb": (r"\w+", r"[\u4e00-\u9fff]{1,2}?")}


def _frees(new: str, old: str) -> bool:
    """`No need to ask her about spending any more` against `ask her first before spending`."""
    asked = next(forms("ask-first").find(old), None)
    if asked is None:
        return False
    beside = pattern("beside-thing")
    before = old[: asked.start()]
    for hit in forms("no-asking").find(new):
        told = beside.sub("", pattern("told-by").sub("", hit["what"])).strip()
        if len(told) > 1 and set(told[:MOST_NAMED]) <= set(before):
            return True
    return False


MOST_NAMED = 4
"""Characters by which a matter is known again, whatever their order: 退房延迟, 延迟退房."""


@lru_cache(maxsize=20_000)
def _banned(text: str) -> frozenset[frozenset[str]]:
    """What a text says must not appear, whichever verb it takes: `no emojis in titles`."""
    if not forms("bans").may_stand_in(text):
        return frozenset()
    return frozenset(_thing(hit["thing"]) for hit in forms("bans").find(text)) - {frozenset()}


def _permits_denied(new: Frame, old: Frame) -> bool:
    """`You can show whole files again` against any line that denies it in these words."""
    if "negation" not in old.cues:
        return False
    found = (named for part in clauses(new.text) for named in forms("allows-again").read(part.text))
    told = (frozenset(content_tokens(named["rest"])) for named in found)
    return any(len(words) > 1 and words <= old.words for words in told)


@lru_cache(maxsize=20_000)
def rules(text: str) -> tuple[Rule, ...]:
    """Everything that a sentence forbids or allows, clause by clause."""
    if not any(forms(kind).may_stand_in(text) for kind in ("forbids", "allows")):
        return ()
    found = ((part, _rule(part.text, text[: part.start])) for part in clauses(text))
    return tuple(_told(text, part, *rule) for part, rule in found if rule is not None)


def _rule(clause: str, before: str) -> tuple[bool, str, str] | None:
    """Whether a clause allows, the deed, and the words for the thing."""
    for allows, kind in ((False, "forbids"), (True, "allows")):
        for named in forms(kind).read(clause):
            deed = _deed(named.get("deed") or TOUCH)
            if _holds_on(clause, before, deed) if allows else deed not in _stems("no-deed"):
                thing = f"{named['thing']} {named.get('behind', '')}".strip()
                return allows, deed, pattern("told-by").sub("", thing)
    return None


def _holds_on(clause: str, before: str, deed: str) -> bool:
    """Whether a permission is about a deed that can be forbidden, and is a standing one.

    It is when it says so, or when somebody agreed to it just before: `Tom is fine with it, you can …`.
    """
    lasts = pattern("from-now").search(clause) or pattern("permits").search(clause)
    return bool(lasts or pattern("agreed").search(before)) and deed in {
        *_deeds().values(),
        *_stems("permitted"),
    }


def _told(text: str, part: Clause, allows: bool, deed: str, named: str) -> Rule:
    thing = _thing(named)
    head = _thing(named.rpartition("的")[2]) or thing
    once = pattern("for-now").search(part.text) and not (
        allows and pattern("from-now").search(part.text)
    )
    return Rule(allows, deed, thing, head, bool(once), text[: part.start], (part.start, part.end))


@cache
def _deeds() -> dict[str, str]:
    """Stems of verbs with the one name of all that mean the same."""
    return {stem(verb): name for verb, name in alike("deed").items()}


@cache
def _stems(kind: str) -> frozenset[str]:
    return frozenset(map(stem, listed(kind)))


def _deed(verb: str) -> str:
    plain = stem(verb.lower())
    return _deeds().get(plain, plain)


def _thing(text: str) -> frozenset[str]:
    """The telling words for a thing: none of a pronoun, general ones only of what is somebody's."""
    shown = pattern("beside-thing").sub(" ", pattern("for-now").sub(" ", text)).strip()
    if pattern("pointing").match(shown):
        return frozenset()
    told = frozenset(content_tokens(pattern("any-thing").sub(" ", shown)))
    general = frozenset(content_tokens(" ".join(sorted(listed("any-thing")))))
    return told - general or (told if pattern("owned").match(shown) else frozenset())


def _same_thing(one: Rule, other: Rule) -> bool:
    if one.thing and other.thing:
        return one.thing in (other.thing, other.head) or one.head == other.thing
    if not one.thing and not other.thing:
        mine, theirs = _subject(one.before), _subject(other.before)
        same = bool(mine) and mine == theirs
        return same or _told_of(mine, other.before) or _told_of(theirs, one.before)
    named, pointing = (one, other) if one.thing else (other, one)
    return _spoken_of(named.thing, pointing.before)


def _told_of(thing: frozenset[str], before: str) -> bool:
    """Whether the clauses before a pronoun hold most of the words for a thing, and not just one."""
    named = thing.intersection(content_tokens(before))
    return len(named) > 1 and len(named) >= MOST_OF_THING * len(thing)


MOST_OF_THING = 0.6


def _subject(before: str) -> frozenset[str]:
    """What the clauses before a pronoun begin with: `legacy/ belongs to Tom, so leave it alone`."""
    named = next(forms("tells-of").read(before), None)
    return _thing(named["thing"]) if named else frozenset()


def _spoken_of(thing: frozenset[str], before: str) -> bool:
    """Whether the clauses before a pronoun tell of this thing itself, not of something in it."""
    if not thing <= frozenset(content_tokens(before)):
        return False
    seen = before.lower().split()
    place = next((i for i, word in enumerate(seen) if thing & frozenset(content_tokens(word))), 0)
    while place and seen[place - 1] in listed("the"):
        place -= 1
    finished = place > 1 and seen[place - 2] in listed("done-with")
    return not place or seen[place - 1] not in listed("of") or finished
