"""Names the topic of many lines as a person would: the terms that come back in them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from noctuary.distil.offline.formal import formal
from noctuary.distil.offline.titles import MAX_TITLE, clauses_of, title_of, width
from noctuary.memory.facts import hard_facts
from noctuary.memory.sentences import language
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import STOP_EN, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

TITLE_TERMS, MANY_TERMS, MAX_TERM_WORDS = 3, 12, 3
FEW_LINES, SOME_LINES, LONG_TERM, MAX_GRAM = 3, 6, 8, 8

_WORD = re.compile(r"[A-Za-z][\w+#’'-]*(?:\.\w+)*|\d[\w.,%:]*|[^\w\s]")
_BEFORE_NOUN = words(
    "the a an my our your his her their its this these those some any new each every of for with from "
    "about in on into between via using and or first last main current both more several own 's"
)
_DULL = words(
    "please provide include includes example examples share shares shared image images photo photos "
    "picture pictures thing things lot lots way ways time times day days week month year years bit kind "
    "sort people person someone something anything everything today tomorrow yesterday morning evening "
    "night help need needs want make sure use used using work works working get got getting going good "
    "great nice best better new old big small little much many more most other others same different "
    "able possible current currently recent recently specifically especially considering instead rather "
    "also just really very still already maybe kinda sorta gonna wanna one two three first second next "
    "last start started end look looks like love feel feeling think thought know idea ideas part parts "
    "step steps point points issue issues question questions answer answers detail details hour hours "
    "minute minutes number numbers set sets lead order case cases try tried i'm i've i'd i'll it's that's "
    "don't can't didn't isn't won't be been being have has had do does did done will would can could "
    "should may might must he she they them we you it who what which when where why how here there now "
    "then than so if because since while after before during within without until over under above "
    "below by at to as up down out off not no yes all own me mine us myself yourself information support "
    "january february march april june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec "
    "unknown awesome was white black woman man group name names focus role roles cost size success outcome "
    "another hard easy difficult long short full real true whole free early late happy sad excited proud "
    "peaceful crazy tough wonderful beautiful awesome special important "
    "amazing stuff fun chance sense story future job past change cultural applicant failed error ok usage user thanks hey hi super pretty total rest set-up setup "
    "problem problems concept concepts difference differences understanding approach method methods topic "
    "topics overview summary version versions text frac left right times binom cdot approx"
)
_CJK_RUN = re.compile(r"[\u3400-\u9fff]{2,}")
_CJK_BREAK = re.compile(
    r"[的了是在我你他她它们和与及呢吗吧啊呀就都也很这那个有不一没要会能可以把被让给到从对说去来上下里着过得地还又再才只最更太多少些"
    r"每天年月日号点分次元块们什么怎么时候今昨明后前早晚周星期第几两三四五六七八九十百千万半约用做想看打买订叫定住喝吃带过改]+|喜欢|希望|觉得|知道|应该|开始|准备|参加|进行|非常|需要|已经|可能|现在|以后|自己|大家|一起|主要|内容|地点|规模|时间|名字|情况|问题|方面|东西"
)
_COMPOUND = re.compile(r"[a-z]+(?:-[a-z]+)+")
"""`cost-effective`, `long-term`: written like names of code, and mostly qualities."""
_CODE = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]\w*)+|[A-Z][a-z]+[A-Z]\w*|[a-z]+[A-Z]\w*")


def topic_title(
    lines: Sequence[str], who: str = "", telling: int = 0, others: Collection[str] = ()
) -> str:
    """The leading terms of the lines, else the most telling line, shortened.

    Args:
        lines: What stands on the card.
        who: Names of the people who talk, when several do.
        telling: Which line tells most.
        others: Words that say nothing, since the titles of other cards have them; the first term
            stays, which names what all of them are about.
    """
    terms = topic_words(lines, MANY_TERMS, who) if len(lines) > FEW_LINES else []
    new = [term for term in terms if not set(content_tokens(term)) & set(others)]
    terms = list(dict.fromkeys([*terms[:1], *new]))[:TITLE_TERMS]
    if terms and len(lines) <= SOME_LINES and not _in_half(terms[0], lines):
        terms = []
    if terms and not (len(terms) == 1 and _rules(terms[0], lines)):
        once = (
            name
            for name in _once(lines, terms)
            if not _says(who, name) and not set(content_tokens(name)) & set(others)
        )
        terms += islice(once, TITLE_TERMS - len(terms))
    if not terms or (len(terms) == 1 and not _rules(terms[0], lines)):
        return _with(who, _telling_title(lines[telling]))
    joint = "、" if language(" ".join(lines)) == "zh" else ", "
    title = terms[0]
    for term in terms[1:]:
        if width(title + joint + term) + (len(who) + 2 if who else 0) <= MAX_TITLE:
            title += joint + term
    return _with(who, title[:1].upper() + title[1:])


def _rules(term: str, lines: Sequence[str]) -> bool:
    """One long name or phrase that most of the lines name is a title by itself; a plain word is none."""
    plain = term.isascii() and term.isalpha() and term.islower()
    return width(term) >= LONG_TERM and not plain and _in_half(term, lines)


def _in_half(term: str, lines: Sequence[str]) -> bool:
    return 2 * sum(term.lower() in line.lower() for line in lines) >= len(lines)


def _says(who: str, term: str) -> bool:
    return any(word in who.split() for word in term.split())


def _telling_title(line: str) -> str:
    """A line shortened to the sentence of it that tells most; of code and formulas what they name."""
    if formal(line):
        named = list(dict.fromkeys(filter(_SPOKEN.search, _names(line))))[:TITLE_TERMS]
        zh = language(line) == "zh"
        return ", ".join(named) or ("公式与代码" if zh else "Formulas and code")
    plain = _BRACKETS.sub(" ", line).strip() or line
    ends = [hit.end() for hit in _SENTENCE.finditer(plain) if hit.end() < len(plain)]
    starts = [0, *ends]
    parts = zip(starts, [*ends, len(plain)], strict=True)
    at, end = max(parts, key=lambda part: (_tells(plain[part[0] : part[1]]), -part[0]))
    return title_of(plain[at:], _first_telling(plain[at:end]))


def _first_telling(sentence: str) -> int:
    """Where the first clause begins that says as much as a title should."""
    parts = [(start, _tells(sentence[start:end])) for start, end in clauses_of(sentence)]
    least = min(TELLING, max((value for _, value in parts), default=0))
    return next((start for start, value in parts if value >= least), 0)


def _tells(sentence: str) -> float:
    content = len(content_tokens(sentence)) / (2 if language(sentence) == "zh" else 1)
    return 2 * len(hard_facts(sentence)) + min(content, ENOUGH)


ENOUGH, TELLING = 6, 2.5
_SPOKEN = re.compile(r"[A-Za-z]{3}|[\u3400-\u9fff]{2}")
_SENTENCE = re.compile(r"[.!?]+\s+(?=\S)|[。！？]|^[^,:，：]{3,26}[:：](?!\d)\s*(?=\S)")


def _once(lines: Sequence[str], taken: list[str]) -> Iterator[str]:
    """Names that come once, for want of better."""
    for line in lines:
        for name in _names(line):
            if _COMPOUND.fullmatch(name):
                continue
            if not any(_covers(name.lower(), term.lower()) for term in taken):
                yield name
                taken = [*taken, name]


def _with(who: str, title: str) -> str:
    named = f"{who}: {title}"
    return named if who and width(named) <= MAX_TITLE else title


def topic_words(lines: Sequence[str], count: int, who: str = "") -> list[str]:
    """The terms that come back in the lines, most telling first; none when nothing comes back."""
    seen: Counter[str] = Counter()
    shown: dict[str, Counter[str]] = {}
    for line in lines:
        for key, term in dict(_terms(_BRACKETS.sub(" ", line))).items():
            seen[key] += 1
            shown.setdefault(key, Counter())[term] += 1
    back = [key for key, times in seen.items() if times > 1 and not _says(who, _shown(shown, key))]
    ranked = sorted(
        back, key=lambda key: (-_weight(seen[key], _shown(shown, key)), back.index(key))
    )
    chosen: list[str] = []
    for key in ranked:
        if not any(_covers(key, other) for other in chosen):
            chosen.append(key)
        if len(chosen) == count:
            break
    return [_shown(shown, key) for key in chosen]


_BRACKETS = re.compile(r"\[[^\]]*\]")


def _shown(shown: dict[str, Counter[str]], key: str) -> str:
    return shown[key].most_common(1)[0][0]


def _weight(times: int, term: str) -> float:
    named = term[:1].isupper() or bool(_CODE.match(term) and not _COMPOUND.fullmatch(term))
    longer = 0.4 * (len(term.split()) - 1) if term.isascii() else 0.35 * (len(term) - 2)
    return times * (1 + longer + 0.5 * named)


def _covers(key: str, other: str) -> bool:
    """Whether two terms are about the same: one is a part of the other, or they share a word."""
    if key.isascii() and other.isascii():
        return bool(set(key.split()) & set(other.split()))
    return any(key[i : i + 2] in other for i in range(len(key) - 1)) or other in key


def _terms(line: str) -> Iterator[tuple[str, str]]:
    for term in (*_phrases(line), *_names(line)):
        key = " ".join(content_tokens(term)[:MAX_TERM_WORDS] or [term.lower()])
        yield key, term
    for run in _CJK_RUN.findall(line):
        for part in _CJK_BREAK.split(run):
            for size in range(2, MAX_GRAM + 1):
                yield from (
                    (gram, gram)
                    for i in range(len(part) - size + 1)
                    if (gram := part[i : i + size])
                )


def _names(line: str) -> Iterator[str]:
    for fact in hard_facts(line):
        plain = fact.text.lower()
        verb = fact.start == 0 and " " not in plain and plain.endswith("ing")
        if (
            fact.kind == "name"
            and 2 < len(plain) < MAX_NAME
            and plain not in _DULL | STOP_EN
            and not verb
        ):
            yield fact.text
    for hit in _CODE.finditer(line):
        yield hit[0]


MAX_NAME = 25


def _phrases(line: str) -> Iterator[str]:
    """Nouns by where they stand: behind an article, a possessive or a preposition."""
    tokens = _WORD.findall(line)
    for place, token in enumerate(tokens[:-1]):
        if token.lower() in _BEFORE_NOUN:
            run = list(_run(tokens[place + 1 : place + 1 + MAX_TERM_WORDS]))
            for size in range(len(run), 0, -1):
                yield " ".join(run[:size])
                if size < len(run):
                    yield " ".join(run[-size:])


def _run(tokens: Iterable[str]) -> Iterator[str]:
    for token in tokens:
        plain = token.lower().replace("’", "'")
        dull = plain in _DULL or plain in STOP_EN or plain in _BEFORE_NOUN or len(plain) < 3
        if dull or not token[0].isalpha() or plain.endswith(("ed", "ly", "'s", "ing")):
            return
        yield token
