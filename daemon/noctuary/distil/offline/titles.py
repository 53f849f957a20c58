"""Titles of single statements: one whole clause that says the thing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.memory.dates import glosses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

MAX_TITLE, LONGEST = 60, 80
"""Width of a title, and of one that would lose its point if it were cut; a Chinese character is
two wide."""
MIN_HEAD = 20

_CJK = re.compile(r"[\u3400-\u9fff\uff00-\uffef]")
_MARKS = re.compile(r"[`*#|\[\]]|(?<!\w)_+|_+(?!\w)|^\W*>\s*")
_EDGES = " \t\r\n.,;:!?。，；：！？、-–—*_#>"
_QUOTES = (("“", "”"), ("「", "」"), ("《", "》"), ('"', '"'), ("`", "`"))
_CLAUSE = re.compile(
    r"[,;]\s+(?!\d)|[:.!?]\s+|[，；：。！？]|\s[-–—]+\s|"
    r"\s+(?=(?:and|so|but) (?:i|i'm|i've|i'd|i'll|we|my|our|it|the|that)\b)|"
    r"\s+(?=(?:because|which|although|even though|so that|in order to|especially since)\b)",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"\s+(?=(?:when|before|after|for|with|without|in|on|at|by|from|using|while|if|since|where|who|"
    r"that|including|such|than|into|over|under|until|unless|as|to|and|or)\b)|、",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:(?:and|so|but) )?(?:because|which|so that|in order to|since|especially|although|even though|"
    r"otherwise|including|who|where|i think|you know)\b|因为|由于|不然|否则|免得|以免|这样|毕竟|考虑到",
    re.IGNORECASE,
)
_I_AM = r"(?:i'?m|i am|we'?re|we are) (?:really |currently |kinda |sorta |just |also |still |now )*"
_LEADS = re.compile(
    r"(?:(?:and|but|so|also|then|plus|well|ok|okay|oh|yes|yeah|anyway|actually|basically|"
    r"honestly|however|therefore|because|since|considering|given that|especially since|overall|"
    r"by the way|btw|before i forget|just so you know|for the record|as i said|specifically|"
    r"note that|please note(?: that)?|please remember(?: that)?|remember that|keep in mind(?: that)?|"
    r"lesson learn(?:ed|t)|todo|to-do|still open|"
    r"from now on|going forward|from here on|in the future|as a rule|"
    r"i changed my mind(?: about [^:,]{1,40}:)?|you know|i mean|for instance|for example)(?![\w'’-])"
    r"[,:.;]*\s*"
    r"|(?:lesson|reminder|decision|decided|update|correction|right|good|great)[,:.;]+\s*"
    r"|(?:note|lesson|reminder|heads[- ]up|fyi)(?: [^\s,.:;]+){1,5}(?::\s*|\s+$)"
    r"|(?:hi|hey|hello)(?:[,! ]+(?-i:[A-Z])\w+)?[,.! ]+\s*"
    r"|(?:that|which)\s+(?=(?:i|we|my|our|the)\b)"
    r"|(?:i|we) (?:(?:don'?t|do not|can'?t) (?:understand|know|see|get|tell)|(?:just )?(?:noticed|realized|realised|found out))"
    r" (?:why|how|that)\s+(?=(?:\w+ ?){3})"
    r"|(?:it|this) (?:seems|looks|feels) (?:like|as if|as though|that)\s+(?=(?:\w+ ?){3})"
    rf"|{_I_AM}(?:trying|planning|going|looking|hoping|aiming|working)(?: on)?(?: to)?\s+"
    rf"|{_I_AM}(?:a bit |a little )?(?:worried|concerned|wondering|thinking|unsure|not sure|stuck|"
    r"curious|confused)(?: about| if| that| whether| on)?\s+"
    r"|(?:i|we) (?:really |just |still |also )*(?:want|need|have|had) to\s+"
    r"|(?:(?:i|we) )?(?:really |just |still |also )*(?:gotta|got to|need to|have to)\s+|i'?d (?:really |also )?(?:like|love) to\s+"
    r"|(?:i|we) (?:really |just |also )*want to make sure(?: that)?(?: i| we)?\s+"
    r"|make sure(?: that)?(?: i| we| to)?\s+|(?:i|we) (?:think|feel like|guess|believe)(?: that)?\s+"
    r"|remind me (?:to|that|about)\s+|don'?t forget to\s+|remember to\s+)",
    re.IGNORECASE,
)
_LEADS_ZH = re.compile(
    r"(?:另外|然后|所以|而且|并且|但是|但|不过|还有|对了|其实|那么|就是说|顺便说一下|顺便|首先|最后|因为|由于|"
    r"考虑到|更正一下|补充一下|总之|比如说?|我觉得|记住|请记住|请注意|注意|待办|提醒我|别忘了|哦|嗯|好的|好吧|"
    r"(?:这个|一个)?教训(?:要记住|是)?|(?:踩了?|遇到)(?:个|一个)?(?:大)?坑(?=[，,：:]|$)|(?:经验|结论|体会|心得|划重点)(?:[：:]|$)|后来才?发现(?:原来)?是?|说错了|算了)[，,：:、。\s]*"
)
_DANGLING = re.compile(
    r"(?:^|[\s,;:，；])(?:a|an|the|of|to|for|with|and|or|but|in|on|at|by|from|as|is|are|was|were|be|been|that|"
    r"which|who|like|my|our|your|their|his|her|its|this|these|so|because|when|if|than|into|about|using|"
    r"including|while|under|over|up|i|i'm|i've|we|it's|just|really|more|very|not|no|also|specifically|"
    r"due|starting|found|when (?:i|we|you) \w+|such|will|would|can|could|should|have|has|had|do|does|did|am|what|how|where)$",
    re.IGNORECASE,
)


def title_of(statement: str, at: int = 0) -> str:
    """A title from one statement: the clauses around the place `at` that fit, hedges stripped."""
    text = statement[:2000]
    if _OPEN_THING.match(text):
        return _cut(_plain(text))
    clauses = list(clauses_of(text))
    place = max((i for i, (start, _) in enumerate(clauses) if start <= at), default=0)
    while place + 1 < len(clauses) and _only_leads(text[slice(*clauses[place])]):
        place += 1
    shown = _bare(text[slice(*clauses[place])])
    if not told(shown):
        return _cut(_bare(text)) or "…"
    if place and _hangs(shown):
        place, shown = _standing(text, clauses, place, shown)
    back = bool(place and _POINTS_BACK.search(shown))
    most = LONGEST if back else MAX_TITLE
    if place and (back or not _leaning(shown)):
        place, shown = _begun(text, clauses, place, shown, most)
    title = _lengthened(text, clauses, place, shown)
    if title == shown and _SCENE.match(shown) and place + 1 < len(clauses):
        after = _bare(text[slice(*clauses[place + 1])])
        if told(after) and not _hangs(after) and not _PRONOUN.match(after):
            title = _lengthened(text, clauses, place + 1, after)
    return _alone(_cut(title, most)) or "…"


def _hangs(shown: str) -> bool:
    """Whether a clause says nothing without the one before it, or only asks."""
    return bool(_HANGS.match(shown) or _ELLIPTIC.search(shown))


def _standing(text: str, clauses: list[tuple[int, int]], place: int, shown: str) -> tuple[int, str]:
    """The nearest clause before this one, else behind it, that says something by itself."""
    found = [
        (other, clause)
        for other in (*range(place - 1, -1, -1), *range(place + 1, len(clauses)))
        if told(clause := _bare(text[slice(*clauses[other])])) and not _hangs(clause)
    ]
    whole = [pair for pair in found if not _SCENE.match(pair[1])]
    return next(iter(whole or found), (place, shown))


_HANGS = re.compile(
    r"(?:with|which|who|whose|is|are|was|were|what|how|why|whether|than|including|such as|in order|"
    r"i was wondering|i'?m wondering|can you|could you|(?:\w+ )?(?:days?|weeks?|months?|hours?) (?:before|after))\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:it|they|he|she|that|this)\b", re.IGNORECASE)
_ELLIPTIC = re.compile(
    r"\b(?:i|we|you|he|she|it|they|that|this)(?:(?:'?[ds]|'ll|'ve)? )(?:(?:should|could|would|might|must|will|can|do|does|did|"
    r"have|has|had|is|was|were|are|am)(?:n't)? ?){1,2}(?:not |too|so|either)*$",
    re.IGNORECASE,
)
"""It ends where its verb should stand, which only the clause before it has."""


def _alone(title: str) -> str:
    """Without a time that only the sentence before it tells, or a bracket that is not closed."""
    shown = title
    if title.count("(") > title.count(")") and (unclosed := _UNCLOSED.search(title)):
        shown = title[: unclosed.start()]
    shown = _trimmed(_THEN_ZH.sub("", _THEN.sub("", shown)))
    return _raised(shown) if told(shown) else title


_OPEN_THING = re.compile(r"still open\W+(?:the|an?|my|our)\b", re.IGNORECASE)
"""A thing that is no deed: without these words nobody knows what is to be done about it."""
_UNCLOSED = re.compile(r"\W*[\w.]*\([^()]*$")
_THEN = re.compile(r"\s+(?:before|after|by|until|till|since) (?:that|then|this)$", re.IGNORECASE)
_THEN_ZH = re.compile(r"^(?:在)?(?:那|此|这)之?[前后]，?")


_SCENE = re.compile(
    r"(?:by|in|with|as|at|on|during|through|moving|overall|additionally|finally|first|next|if|when|while|"
    r"(?:even )?though|although|since|because|unless|once)\b",
    re.IGNORECASE,
)
"""How clauses begin that only set the scene for what follows."""


def timeless(title: str, said: datetime) -> str:
    """A title without the day it begins with, which is another one tomorrow: `yesterday`, `下周三`."""
    first = next(iter(glosses(title, said)), None)
    if first is None or first.start or _NUMBER.search(first.phrase):
        return title
    rest = _trimmed(title[first.end :])
    return _raised(rest) if told(rest) and not _hangs(rest) else title


_NUMBER = re.compile(r"\d")


def width(text: str) -> int:
    """Columns that a text takes."""
    return len(text) + len(_CJK.findall(text))


def told(text: str) -> bool:
    """Whether a clause is more than a scrap."""
    return len(text.split()) > 1 or len(_CJK.findall(text)) > 3


def without_conjunction(text: str) -> str:
    """A statement that begins with its thought, not with what tied it to the one before."""
    lead = _TIE.match(text)
    return _raised(text[lead.end() :]) if lead and told(text[lead.end() :]) else text


_TIE = re.compile(
    r"(?:(?:and|but|so|also|plus|considering|especially since|given that)\s+"
    r"(?=(?:i|i'\w+|we|we'\w+|my|our|the|it)\b)|(?:and|but|also|plus)\s+(?=(?:please|always|never|don't|no|from now)\b)|"
    r"(?:另外|然后|所以|而且|并且|还有)[，,]?)",
    re.IGNORECASE,
)


def clauses_of(text: str) -> Iterator[tuple[int, int]]:
    """Where the clauses of a text begin and end."""
    start = 0
    for gap in _gaps(text):
        if gap.start() > start:
            yield start, gap.start()
            start = gap.end()
    yield start, len(text)


def _gaps(text: str) -> Iterator[re.Match[str]]:
    """Where clauses part: never inside quotation marks or code."""
    quoted = [hit.span() for hit in _QUOTED.finditer(text)]
    for gap in _CLAUSE.finditer(text):
        if not any(start < gap.start() < end - 1 for start, end in quoted):
            yield gap


_QUOTED = re.compile(
    r"“[^”\n]{1,200}”|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|「[^」\n]{1,100}」|《[^》\n]{1,60}》"
)


def _only_leads(clause: str) -> bool:
    plain = _plain(clause)
    lead = _LEADS.match(plain + " ") or _LEADS_ZH.match(plain)
    return lead is not None and lead.end() >= len(plain)


def _leaning(shown: str) -> bool:
    """A clause with a subject of its own needs nothing before it."""
    return bool(
        re.match(r"(?:i|i'\w+|we|we'\w+|my|our|the|always|never|use)\b", shown, re.IGNORECASE)
    )


_POINTS_BACK = re.compile(
    r"\b(?:it|them|those)\b|\bthat(?= (?:in|on|for|to|over|as|with|up|from)\b|$)", re.IGNORECASE
)
"""It speaks of something that only the clauses before it name."""


def _begun(
    text: str, clauses: list[tuple[int, int]], place: int, shown: str, most: int
) -> tuple[int, str]:
    """With the clauses before it when all of them fit: they hold the subject."""
    whole = _bare(text[clauses[0][0] : clauses[place][1]])
    if width(whole) <= most:
        return place, whole
    before = _bare(text[clauses[place - 1][0] : clauses[place][1]])
    return (place, before) if width(before) <= most else (place, shown)


def _lengthened(text: str, clauses: list[tuple[int, int]], place: int, shown: str) -> str:
    """With the clauses behind it that fit, up to the first that only explains.

    A list is whole, or is left out.
    """
    start = text.find(shown[1:], 0) - 1 if len(shown) > 1 else -1
    if start < 0:
        return shown
    listed = ""
    for first, last in clauses[place + 1 :]:
        longer = _plain(text[start:last])
        in_list = bool(listed) or text[:first].rstrip().endswith((":", "："))
        most = LONGEST if in_list else MAX_TITLE
        leans = _ASIDE.match(text, first) or _ELLIPTIC.search(_plain(text[first:last]))
        if leans or width(longer) > most:
            return listed or shown
        listed = listed or (shown if in_list else "")
        shown = _raised(longer)
    return shown


def _plain(text: str) -> str:
    return _trimmed(" ".join(_MARKS.sub("", text).split()))


def _trimmed(text: str) -> str:
    """Without marks at its edges, and quotation marks only with their other half."""
    shown, before = text.strip(_EDGES), ""
    while shown != before:
        before = shown
        for first, last in _QUOTES:
            inner = shown[1:-1]
            around = shown[:1] == first and shown[-1:] == last and first not in inner
            if around or (shown[-1:] == last and not _opened(shown[:-1], first, last)):
                shown = shown[:-1]
            if around or (shown[:1] in (first, last) and last not in shown[1:]):
                shown = shown[1:]
        shown = shown.strip(_EDGES)
    return shown


def _opened(text: str, first: str, last: str) -> bool:
    """Whether a quotation begins in a text and does not end."""
    told = text.count(first)
    return bool(told % 2) if first == last else told > text.count(last)


def _closed(title: str) -> str:
    """A quotation that was cut off ends with the title."""
    for first, last in _QUOTES:
        if _opened(title, first, last):
            return f"{title.removesuffix('…')}…{last}"
    return title


def _bare(text: str) -> str:
    shown = _plain(text)
    for _ in range(6):
        lead = _LEADS.match(shown) or _LEADS_ZH.match(shown)
        rest = _trimmed(shown[lead.end() :]) if lead else ""
        if not rest or not told(rest):
            break
        shown = rest
    return _raised(shown)


def _raised(text: str) -> str:
    first = text.split(" ", 1)[0]
    plain = re.sub("['’]", "", first, count=1)
    return text[:1].upper() + text[1:] if plain.islower() and plain.isalpha() else text


def _cut(shown: str, most: int = MAX_TITLE) -> str:
    """At most as long as a title may be, cut between clauses, else phrases, else words."""
    if width(shown) <= most:
        return _closed(_trimmed(_TIED.sub("", shown)))
    gaps = list(_gaps(shown))
    if width(shown) <= LONGEST and any(gap[0][0] in ":：;；" for gap in gaps):
        return _whole(shown)
    ends = [gap.start() for gap in gaps if told(shown[: gap.start()])]
    fitting = [end for end in ends if end > MIN_HEAD and width(shown[:end]) <= MAX_TITLE]
    if fitting:
        return _whole(shown[: fitting[-1]])
    thought = shown[: next((end for end in ends if end > MIN_HEAD), len(shown))]
    if width(thought) <= LONGEST:
        return _whole(thought)
    limit = next(end for end in range(len(shown), 0, -1) if width(shown[:end]) <= LONGEST)
    phrases = [gap.start() for gap in _PHRASE.finditer(shown) if MIN_HEAD < gap.start() <= limit]
    phrases = [end for end in phrases if not _in_range(shown, end)]
    if phrases and not _WAITS.search(shown[: phrases[-1]]):
        return _whole(shown[: phrases[-1]])
    head = shown[:limit]
    if " " in head[MIN_HEAD:]:
        return _whole(head[: head.rindex(" ")]) + "…"
    return _closed(_trimmed(head[:-1]) + "…")


def _in_range(shown: str, end: int) -> bool:
    """Whether a place parts `from 20 to 12` or `between A and B`."""
    return bool(_RANGE_OPEN.search(shown, 0, end) and _RANGE_SHUT.match(shown, end))


_RANGE_OPEN = re.compile(r"\b(?:from|between)(?: [^\s,;]+){1,3}$", re.IGNORECASE)
_RANGE_SHUT = re.compile(r"\s+(?:to|and|through|until)\b", re.IGNORECASE)
_TIED = re.compile(r"[,，\s]\s*(?:and|or|but|so)$", re.IGNORECASE)
_WAITS = re.compile(r"\b(?:someone|somebody|anyone|something|those|the one)$", re.IGNORECASE)


def _whole(shown: str) -> str:
    """Without words at the end that wait for others."""
    text = _trimmed(shown)
    while (end := _DANGLING.search(text)) and end.start() > MIN_HEAD:
        text = _trimmed(text[: end.start()])
    return _closed(text)
