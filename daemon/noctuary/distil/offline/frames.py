"""How a new line stands to a known one: same slot with another value, repeat, refinement, contradiction.

No list of relations: two sentences are aligned; what they share is the frame (subject and
relation), what differs at one place behind the relation is the value.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import CLAUSE_MARK
from noctuary.distil.offline.cues import voiced
from noctuary.distil.offline.forms import listed
from noctuary.distil.offline.nowadays import levelled, without_now, zh_otherwise
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import words

if TYPE_CHECKING:
    from noctuary.distil.offline.cues import Cues, Hits, Span
    from noctuary.memory.facts import HardFact

_TOKEN = re.compile(
    r"[A-Za-z]+(?:['’][A-Za-z]+)*|\d+(?:[.,:/-]\d+)*%?|[\u3400-\u9fff]|[^\sA-Za-z\d]"
)
_CJK = re.compile(r"[\u3400-\u9fff]")
_COPULA = words("is are was were am 's 're 'm be been becomes became equals")
_ONE = words("live work resides lived worked costs weighs lasts starts ends opens closes belongs")
"""Verbs that hold of one object at a time; the commonest in the form that `levelled` gives them."""
_MANY = words(
    "speaks plays take use contains holds owns runs studies study teaches leads heads manages hosts "
    "needs supports has"
)
"""Verbs that may hold of many: what stands behind them must name the attribute."""
_PREPOSITIONS = words("of in at on by from for with to as")
_PRONOUNS = words("it this that these those there he she they here what which who")
_ADVERBS = words("actually today still")
_OWNER = words("my our his her their your")
_COUNTED = words("number percent money duration date time quantity version")
_GERUND = re.compile(r"[a-z]{3,}ing$")
_ZH_COPULA = re.compile(r"(?:是|叫|(?<!因)为|在|改成|改为|改到|换成|变成|住|位于|等于|：|:)$")
_ZH_QUALITY = re.compile(r"^(?:[我你他她它咱这那]们?家?的?)?[^，。的]{1,6}是$")
"""`我叔叔是…` names no attribute: what follows may be one quality of many."""
_ZH_NEAR_COPULA = re.compile(r"(?:是|叫|在|(?<!因)为)[^，。了过]{0,6}$")
_ZH_FRAME = re.compile(r"的|我|他|她|它|名字|地点|时间")


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence as tokens, with what is asked of it again and again.

    Attributes:
        tokens: Words and marks, case kept, final marks removed.
        line: The tokens that two lines are aligned by: without words for the present.
        now: Whether it has any of those.
        words: Content tokens, for likeness.
        keys: Hard facts by key.
        kinds: Kinds of the hard facts.
        changed: Hard facts with a word of change close by.
        cues: Kinds of cue phrases.
        habits: Those of them that are recurring wishes.
    """

    text: str
    tokens: tuple[str, ...]
    low: tuple[str, ...]
    line: tuple[str, ...]
    now: bool
    words: frozenset[str]
    plain: frozenset[str]
    keys: frozenset[str]
    kinds: frozenset[str]
    changed: frozenset[str]
    cues: frozenset[str]
    habits: frozenset[str]
    names: frozenset[str]


def _speaks_of(text: str, cue: Span, fact: HardFact) -> bool:
    """Whether a word of change is about a number: near before it, or behind it in its clause."""
    if not -NEAR_BEHIND <= fact.start - cue[1] <= NEAR:
        return False
    return fact.end > cue[0] or not CLAUSE_MARK.search(text[fact.end : cue[0]])


_ANNOUNCES = re.compile(
    r"(?:(?:small |quick )?(?:correction|update|change(?: of plans?)?)\s*[:,–—-]"
    r"|[^，。：]{0,8}?(?:更正|纠正|修正|更新|改动?|调整|有变动|有变化)(?:一下|了)?[：:，,])\s*",
    re.IGNORECASE,
)
"""How a line begins that puts another right."""


def _unannounced(text: str) -> str:
    opening = _ANNOUNCES.match(text)
    return text[opening.end() :] if opening else text


NEAR, NEAR_BEHIND = 45, 30
"""So many characters before or behind a number a word of change speaks of it."""


class Framer:
    """Makes frames, and remembers them: the same known lines are compared again and again."""

    def __init__(self, cues: Cues) -> None:
        self._cues = cues
        self.frame = lru_cache(maxsize=50_000)(self._frame)

    def _frame(self, text: str) -> Frame:
        tokens = tuple(_TOKEN.findall(text.strip().rstrip(" .。!！")))
        facts = hard_facts(text)
        words = frozenset(content_tokens(text))
        in_facts = frozenset(word for fact in facts for word in content_tokens(fact.text))
        hits: Hits = self._cues.hits(text)
        changes = hits.get("change", ())
        cue_words = frozenset(
            word
            for kind in ("change", "retraction", "standing", "negation")
            for start, end in hits.get(kind, ())
            for word in content_tokens(text[start:end])
        )
        low = tuple(token.lower() for token in tokens)
        present, now = without_now(text.strip().rstrip(" .。!！"))
        return Frame(
            text=text,
            tokens=tokens,
            low=low,
            line=tuple(_TOKEN.findall(levelled(_unannounced(present)))),
            now=now,
            words=words,
            plain=words - in_facts - cue_words,
            keys=frozenset(fact.key for fact in facts),
            kinds=frozenset(fact.kind for fact in facts),
            changed=frozenset(
                fact.key for fact in facts if any(_speaks_of(text, span, fact) for span in changes)
            ),
            cues=frozenset(hits),
            habits=voiced(text, hits),
            names=frozenset(
                token for token in tokens[1:] if token[:1].isupper() and token not in ("I", "I'm")
            ),
        )


WINDOW = 9


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of a line as `kind:value`, with the telling words near it and in its clause, numbers left out.

    Attributes:
        rivals: Other numbers of its kind beside it: which of them is meant nobody knows.
    """

    key: str
    near: frozenset[str]
    clause: frozenset[str]
    rivals: frozenset[str]


def number_contexts(frame: Frame) -> tuple[Counted, ...]:
    """Each number of a line."""
    return _number_contexts(frame.text)


@lru_cache(maxsize=20_000)
def _number_contexts(text: str) -> tuple[Counted, ...]:
    found = []
    facts = [fact for fact in hard_facts(text) if fact.kind in _COUNTED]
    for fact in facts:
        before, after = text[: fact.start], text[fact.end :]
        near = (*before.split()[-WINDOW:], "|", *after.split()[:WINDOW])
        clause = f"{CLAUSE_MARK.split(before)[-1]} | {CLAUSE_MARK.split(after)[0]}"
        around, whole = (
            frozenset(word for word in content_tokens(part) if not word.isdigit())
            for part in (" ".join(near), clause)
        )
        first = fact.start - len(_LIST_END.split(before)[-1])
        last = fact.end + len(_LIST_END.split(after)[0])
        rivals = frozenset(
            one.key for one in facts if one.kind == fact.kind and first <= one.start < last
        )
        found.append(Counted(fact.key, around, whole, rivals - {fact.key}))
    return tuple(found)


_LIST_END = re.compile(r"[;:.!?](?:\s|$)|,\s+(?![^,]{0,12}\d)|[，。；：！？]")
"""Where a clause ends that may hold a list of numbers."""


def other_things(new: frozenset[str], old: frozenset[str]) -> bool:
    """Whether each names what the other does not: then they speak of two things.

    Of Chinese only single characters count: a pair of them lies across the end of a word as well.
    """
    return bool(_named(new - old)) and bool(_named(old - new))


def _named(words: frozenset[str]) -> bool:
    return any(len(word) == 1 or not _CJK.search(word) for word in words)


@dataclass(frozen=True, slots=True)
class Difference:
    """Two sentences with one shared head, one shared tail, and what differs between.

    Attributes:
        now: Whether the newer one says that it is so now.
    """

    head: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    tail: tuple[str, ...]
    now: bool


def difference(old: Frame, new: Frame) -> Difference:
    """Aligns two frames from both ends."""
    one, other = old.line, new.line
    limit = min(len(one), len(other))
    head = 0
    while head < limit and one[head].lower() == other[head].lower():
        head += 1
    tail = 0
    while tail < limit - head and one[-1 - tail].lower() == other[-1 - tail].lower():
        tail += 1
    old_end, new_end = len(one) - tail, len(other) - tail
    return Difference(one[:head], one[head:old_end], other[head:new_end], one[old_end:], new.now)


MAX_VALUE = 8


def same_slot(old: Frame, new: Frame) -> bool:
    """Whether both say the same of the same subject with another value."""
    gap = difference(old, new)
    if not gap.old or not gap.new or not gap.head:
        return False
    if max(len(gap.old), len(gap.new)) > MAX_VALUE * (2 if _CJK.search(old.text) else 1):
        return False
    if _CJK.search("".join(gap.head)):
        counted = bool(old.kinds & new.kinds & _COUNTED)
        return _zh_slot(gap, counted=counted) or _zh_now(gap)
    return _en_slot(gap)


def _en_slot(gap: Difference) -> bool:
    head = [token.lower() for token in gap.head]
    marker = _relation(head)
    if marker <= 0 or head[0] in _PRONOUNS or _two_claims(gap):
        return False
    subject, verb = head[:marker], head[marker]
    behind = [word.lower() for word in _unvalued(gap.head[marker + 1 :]) if word not in _ADVERBS]
    if verb in _COPULA:
        return _copula_slot(subject, behind, gap)
    last = behind[-1] if behind else ""
    if verb in listed("one-now"):
        return gap.now and last in _PREPOSITIONS | _ARTICLES
    if verb in listed("one-for") and gap.now:
        return bool(gap.tail) and gap.tail[0].lower() in listed("aim")
    if subject == ["i"] and not gap.now:
        return verb in _ONE and _valued(gap)
    if verb in _MANY:
        return last in _PREPOSITIONS or _counted_anew(gap)
    return last in _PREPOSITIONS | _ARTICLES or _valued(gap)


_ARTICLES = words("the a an")


def _unvalued(part: tuple[str, ...]) -> tuple[str, ...]:
    """Without the names at its end, which are the beginning of a value: `Dr Hall`, `Dr Moss`."""
    end = len(part)
    while end and part[end - 1][:1].isupper():
        end -= 1
    return part[:end]


def _counted_anew(gap: Difference) -> bool:
    return all(token[:1].isdigit() for token in (*gap.old, *gap.new))


def _copula_slot(subject: list[str], behind: list[str], gap: Difference) -> bool:
    """`X is in …`, `the N of X is …`, `my N is …`: one value at a time."""
    if _GERUND.match(gap.old[0].lower()) or _GERUND.match(gap.new[0].lower()):
        return False
    defined = (
        "of" in subject or subject[0] in _OWNER or "'s" in " ".join(subject) or len(subject) > 3
    )
    if behind:
        return any(word in _PREPOSITIONS for word in behind) and not _one_is_a_state(gap)
    if _own_relation(gap.old) or _own_relation(gap.new):
        return False
    if subject == ["i"]:
        return False
    if _is_quality(gap.old) or _is_quality(gap.new):
        return False
    return defined or _valued(gap)


def _one_is_a_state(gap: Difference) -> bool:
    """`in the garage` against `in great shape`."""
    return gap.old[-1].lower() in _STATES or gap.new[-1].lower() in _STATES


_STATES = words(
    "shape condition mood charge progress love use stock trouble hold time order touch danger doubt pain bed season"
)


def _is_quality(part: tuple[str, ...]) -> bool:
    """`a nurse`, `from Dresden`: of such qualities a thing may have many at a time."""
    return part[0].lower() in _PREPOSITIONS | {"a", "an", "near", "into"}


def _relation(head: list[str]) -> int:
    """Place of the last copula or state verb in the shared head; -1 when there is none."""
    relations = _COPULA | _ONE | _MANY | listed("one-now")
    return max((i for i, word in enumerate(head) if word in relations), default=-1)


def _two_claims(gap: Difference) -> bool:
    """True when the differing part holds a verb of its own: then the subjects differ."""
    return any(token.lower() in _COPULA for token in (*gap.old, *gap.new))


def _own_relation(part: tuple[str, ...]) -> bool:
    """`a citizen of …` against `famous for …`: the differing part holds the relation itself."""
    pairs = itertools.pairwise(part)
    return any(word.islower() and after in _PREPOSITIONS for word, after in pairs)


def _valued(gap: Difference) -> bool:
    """Numbers or names on both sides: values, not qualities."""
    return _is_value(gap.old) and _is_value(gap.new)


def _is_value(part: tuple[str, ...]) -> bool:
    return any(token[:1].isdigit() or token[:1].isupper() for token in part)


def _zh_slot(gap: Difference, *, counted: bool) -> bool:
    head = "".join(gap.head)
    if "是" in gap.old or "是" in gap.new or CLAUSE_MARK.search("".join((*gap.old, "|", *gap.new))):
        return False
    if head.endswith("在") and len(gap.tail) > MAX_ZH_DOING:
        return False
    if _ZH_QUALITY.search(head) and not (counted or gap.tail or _valued(gap)):
        return False
    found = _ZH_COPULA.search(head) or _ZH_NEAR_COPULA.search(head)
    return bool(found) and (counted or bool(_ZH_FRAME.search(head))) and len(head) >= MIN_ZH_HEAD


def _zh_now(gap: Difference) -> bool:
    head, old, new, tail = map("".join, (gap.head, gap.old, gap.new, gap.tail))
    return gap.now and zh_otherwise(head, old, new, tail)


MIN_ZH_HEAD = 4
MAX_ZH_DOING = 3
"""`在上海工作` tells where somebody is; with more behind it, 在 only tells where something happens."""


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Likeness of two sets, 0 to 1."""
    return len(left & right) / len(left | right) if left and right else 0.0


def contained(inner: frozenset[str], outer: frozenset[str]) -> float:
    """How much of `inner` is in `outer`."""
    return len(inner & outer) / len(inner) if inner else 0.0
