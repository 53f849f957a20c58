"""Cuts an entry into the pieces that can be kept: sentences without openers and request tails.

Every piece is a verbatim part of its entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.pasted import pasted
from noctuary.distil.offline.wording import lower, split_words
from noctuary.memory.facts import hard_facts
from noctuary.memory.sentences import sentences
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.distil.offline.cues import Cues, Hits
    from noctuary.memory.sentences import Kind

OPENERS = ("opener", "greeting", "thanks", "filler")
MIN_WORDS = 3
MAX_SENTENCE, MIN_PORTION, MAX_PORTION = 420, 80, 240
MAX_CODE_READ = 4_000
MAX_GAP = 14
MAX_ENTRY_CHARS = 40_000
"""Of a longer entry the head and the tail are read; its middle is pasted matter."""

_CJK = re.compile(r"[\u3400-\u9fff]")
_WORDS = re.compile(r"[A-Za-z0-9][\w'’-]*|[\u3400-\u9fff]")
_QUESTION = re.compile(r"[?？][\s\"”’）)]*$")
CONDITION = re.compile(
    r"(?:if|when|whenever|unless|before|after|every time|each time|in case) |如果|要是|若|倘若|万一|当|每次|每当|凡是|遇到",
    re.IGNORECASE,
)
"""How a sentence begins that says when something is asked for: the order behind it belongs to it."""
_ASKS = re.compile(
    r"(?:how (?:many|much|far|long|old|tall|often|do|does|did|is|are|was|can|could|should|come)|"
    r"(?:what|who|where|which|whose|when|why)(?:['’]s| is| are| was| were| does| do| did| would| can)|"
    r"who (?:wrote|invented|won|made|painted|said)|(?:is|are|does|do|did|can|will) (?:it|there|that|this|you|they)) ",
    re.IGNORECASE,
)
"""How a question begins, also where its mark is left out."""
_ASKS_ZH = re.compile(
    r"(?:吗|么|来着|多少|是谁|谁[\u4e00-\u9fff]{1,3}的?|是什么|为什么|怎么回事|几[个点号岁天]|在哪里?|是不是|行不行|好不好|觉得呢|得了[^，。！]{0,6}不)[?？]?$"
)
_ASKS_LOOSELY_ZH = re.compile(
    r"(?:什么|怎么|哪|谁|几点|多少|为什么|是否|吗|呢)[^。！]{0,12}[?？]?$"
    r"|(?P<verb>[\u4e00-\u9fff])[不没](?P=verb)[^，,；;。！都也就再]{0,12}[?？]?$"
)
"""A word that asks, near the end; in an order it asks nothing: `先问我哪个好`."""
_BOUNDARY = re.compile(
    r"(?P<gap>\s*(?:,|;|\s[-–—]+|—|，|；|\.\.\.|\band\b|\bso\b|\bbut\b)\s*)"
    r"(?:(?:so|and|but|then|also|now|or|maybe|perhaps|please|if so|specifically|especially|"
    r"所以|那么|请问|那|但是?|你|您)[, ]*){0,3}",
    re.IGNORECASE,
)
_CALLED = (
    re.compile(r",\s+([A-Z]\w+)\s*[.!?~]*$"),
    re.compile(r"^(?:\w+,?\s)?([A-Z]\w+)[,!]"),
)
_CLAUSE = re.compile(r"[,;:，；：、]\s*(?:(?:and|so|but|also|or)\s+)?(?!\d)")
_QUOTED = re.compile(r"[:：,，]\s*(?:\"[^\"\n]{20,2000}\"|“[^”\n]{10,2000}”|「[^」\n]{10,2000}」)")
"""Words of somebody else that are told in full."""
ERROR_NAME = re.compile(r"\b(?:\w+\.)*(\w+(?:Error|Exception))\b")
_DOUBT = ("hypothetical", "reported")
_CHECKS = re.compile(
    r"(?:核对|核实|确认|检查|复查|查|看看?|注明|写明|说明|判断|[弄搞问]清楚?)(?:一下|一遍)?[^，。；]{0,6}$"
)
_BLANK = re.compile(r"\s+")
_AFTER_OPENER = re.compile(
    r"(?:\s+(?:[A-Z][\w'’-]*|so|there|everyone|again|a lot|my friend)){0,2}\s*[,!.，！、~～—–-]+\s*"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an entry's text with what was recognised in it.

    Attributes:
        cues: Kinds of cue phrases, each with its places relative to the piece.
        facts: Keys of the hard facts that are no names.
        names: Keys of the names, without the one who is spoken to.
        rare: How many words tell something: no stop words, no small talk.
        tail: Where a request for help begins behind the told part; 0 when there is none.
    """

    text: str
    start: int
    kind: Kind
    cues: Hits
    facts: frozenset[str]
    names: frozenset[str]
    question: bool
    words: int
    rare: int = 0
    tail: int = 0

    def has(self, *kinds: str) -> bool:
        """Whether any of these kinds of language occurs."""
        return any(kind in self.cues for kind in kinds)

    @property
    def doubted(self) -> bool:
        """Whether it supposes something or says what others say: `check whether it is` does not."""
        spans = [span for kind in _DOUBT for span in self.cues.get(kind, ())]
        return any(not _CHECKS.search(self.text[:start]) for start, _ in spans)

    @property
    def fails(self) -> bool:
        """Whether it reports a failure, in a word or by the name of an error."""
        return self.has("failure") or bool(ERROR_NAME.search(self.text))

    def first(self, *kinds: str) -> int:
        """Where the first cue of these kinds stands; behind everything when there is none."""
        spans = [span for kind in kinds for span in self.cues.get(kind, ())]
        return min(spans, default=(len(self.text), 0))[0]

    def leads(self, *kinds: str) -> bool:
        """Whether the piece begins with one of these kinds."""
        return any(span[0] <= 1 for kind in kinds for span in self.cues.get(kind, ()))


def together(text: str, first: Piece, last: Piece) -> Piece:
    """The part of a text from one piece to another, as one piece that does what the first does."""
    return replace(
        first,
        text=text[first.start : last.start + len(last.text)],
        facts=first.facts | last.facts,
        names=first.names | last.names,
        words=first.words + last.words,
        rare=first.rare + last.rare,
    )


def beside(text: str, first: Piece, last: Piece) -> bool:
    """Whether one piece follows another on the same line, with hardly anything between them."""
    end = first.start + len(first.text)
    return 0 <= last.start - end <= MAX_GAP and "\n" not in text[end : last.start]


class Cutter:
    """Cuts texts into pieces; remembers the last texts, which are scored first and distilled next."""

    def __init__(self, cues: Cues) -> None:
        self._cues = cues
        self.pieces = lru_cache(maxsize=20_000)(self._pieces)

    def _pieces(self, text: str, speaker: str = "") -> tuple[Piece, ...]:
        """The pieces of an entry in order, empty ones left out."""
        body = _without_middle(text)
        skip = _speaker_prefix(body, speaker)
        of_others = (pasted(body), *(hit.span() for hit in _QUOTED.finditer(body)))
        found = []
        for sentence in sentences(body):
            start = max(sentence.start, skip)
            theirs = sentence.kind in ("prose", "list") and any(
                first <= start < last or start <= first < sentence.end < last
                for first, last in of_others
            )
            kind: Kind = "quote" if theirs else sentence.kind
            for first, last in _portions(body, start, sentence.end, kind):
                if piece := self.piece(text[first:last], first, kind):
                    found.append(piece)
        return tuple(found)

    def failed(self, output: str) -> bool:
        """Whether the output of a tool reports a failure, at its head or its end."""
        ends = f"{output[:1000]}\n{output[1000:][-1000:]}"
        return "failure" in self._cues.hits(ends) or bool(ERROR_NAME.search(ends))

    def piece(self, text: str, start: int = 0, kind: Kind = "prose") -> Piece | None:
        """One sentence, trimmed and looked at; None when nothing is left."""
        if kind == "code":
            facts, names = told_facts(text[:MAX_CODE_READ])
            return Piece(text, start, kind, {}, facts, names, False, 99)
        hits = self._cues.hits(text)
        begin = self._behind_opener(text, hits)
        tails = list(_request_tails(text, begin, hits))
        end = next((tail for tail in tails if not _adds_facts(text[tail:], text[begin:tail])), None)
        shown = text[begin:end].strip()
        if not shown:
            return None
        begin += len(text[begin:end]) - len(text[begin:end].lstrip())
        if shown != text:
            hits = self._cues.hits(shown)
        facts, names = told_facts(shown)
        return Piece(
            text=shown,
            start=start + begin,
            kind=kind,
            cues=hits,
            facts=facts,
            names=names - addressed(shown),
            question=is_question(shown, hits),
            words=count_words(shown),
            rare=rare_words(shown, hits),
            tail=tails[0] - begin if tails and tails[0] != end else 0,
        )

    def _behind_opener(self, text: str, hits: Hits) -> int:
        begin = 0
        for _ in range(3):
            end = _opener_end(text[begin:], hits)
            if not end or count_words(text[begin + end :]) < MIN_WORDS:
                return begin
            begin += end
            hits = self._cues.hits(text[begin : begin + 80])
        return begin


def _request_tails(text: str, begin: int, hits: Hits) -> Iterator[int]:
    """Where parts that only ask for help may begin."""
    if CONDITION.match(text, begin) and not _QUESTION.search(text):
        return
    starts = {span[0] for kind in ("request", "aside") for span in hits.get(kind, ())}
    for gap in _BOUNDARY.finditer(text, begin + 1):
        if gap.end() in starts and count_words(text[begin : gap.start()]) > MIN_WORDS:
            yield gap.start()


def _portions(text: str, start: int, end: int, kind: Kind) -> Iterator[tuple[int, int]]:
    """A run-on sentence in portions that fit a line, cut between clauses."""
    while kind != "code" and end - start > MAX_SENTENCE:
        window = (text, start + MIN_PORTION, start + MAX_PORTION)
        cuts = [hit.end() for hit in _CLAUSE.finditer(*window)]
        cuts = cuts or [hit.end() for hit in _BLANK.finditer(*window)]
        cut = cuts[-1] if cuts else start + MAX_PORTION
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _opener_end(text: str, hits: Hits) -> int:
    ends = [end for kind in OPENERS for start, end in hits.get(kind, ()) if start == 0]
    for end in sorted(ends, reverse=True):
        if gap := _AFTER_OPENER.match(text, end):
            return gap.end()
    return 0


def _adds_facts(tail: str, head: str) -> bool:
    (facts, names), (known_facts, known_names) = told_facts(tail), told_facts(head)
    return bool(facts - known_facts or names - known_names)


def told_facts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Keys of the hard facts of a text, and of the names in it."""
    keys = {fact.key: fact.kind for fact in hard_facts(text)}
    return (
        frozenset(key for key, kind in keys.items() if kind != "name"),
        frozenset(key for key, kind in keys.items() if kind == "name"),
    )


def addressed(text: str) -> set[str]:
    """Keys of names that are called, not told about: `Thanks, Ana!`, `Ana, look`."""
    return {f"name:{hit[1].lower()}" for called in _CALLED for hit in called.finditer(text)}


def rare_words(text: str, hits: Hits) -> int:
    """How many different words of a sentence tell something."""
    common = set(hits.get("common", ()))
    told = {
        word.text
        for word in split_words(lower(text))
        if (word.start, word.end) not in common and len(word.text) > 2
    }
    english = sum(1 for word in told if content_tokens(word))
    return english + len(_CJK.findall(text)) // 3


def count_words(text: str) -> int:
    """English words; two Chinese characters count as one."""
    found = _WORDS.findall(text)
    cjk = sum(1 for word in found if _CJK.match(word))
    return len(found) - cjk + (cjk + 1) // 2


def is_question(text: str, hits: Hits) -> bool:
    """Whether the sentence asks."""
    if any(span[0] == 0 for span in hits.get("request", ())):
        return True
    if _QUESTION.search(text):
        return True
    if not _CJK.search(text):
        return bool(_ASKS.match(text))
    loosely = not {"norm", "standing", "chore", "task"} & hits.keys()
    return bool(_ASKS_ZH.search(text) or (loosely and _ASKS_LOOSELY_ZH.search(text)))


def _speaker_prefix(text: str, speaker: str) -> int:
    for mark in (": ", "：", ":"):
        if speaker and text.startswith(speaker + mark):
            return len(speaker) + len(mark)
    return 0


def _without_middle(text: str) -> str:
    if len(text) <= MAX_ENTRY_CHARS:
        return text
    half = MAX_ENTRY_CHARS // 2
    blank = re.sub(r"[^\n]", " ", text[half + 1 : -half - 1])
    return f"{text[:half]}\n{blank}\n{text[-half:]}"
