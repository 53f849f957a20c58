"""Names in text: people, places, products, identifiers of code, English and Chinese."""

from __future__ import annotations

import re

from noctuary.memory import names_zh
from noctuary.memory.lazy import lazily
from noctuary.memory.words import words

_REST = r"[A-Za-z0-9]*(?:['’-](?!s\b)[A-Za-z0-9]+)*"
_CAPITAL = rf"[A-Z]{_REST}"
_SMALL = r"(?:of|the|de|van|von|der|la|and|&)"
_IDENTIFIER = (
    r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?:\(\))?"
    r"|[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]{1,})+(?:\(\))?|[A-Za-z_][A-Za-z0-9_]+\(\)"
    r"|[a-z]+[A-Z][A-Za-z0-9]*"
)
_FIGURE = r"[ ]\d{1,4}(?![\w.,:%-])"
_MORE = rf"(?:[ ](?:{_SMALL}[ ])?{_CAPITAL}|{_FIGURE}(?=[ ][A-Z])){{0,11}}(?:{_FIGURE})?"
_WITH_CODE = lazily(
    rf"(?<![A-Za-z0-9_.@/\\-])(?:(?P<code>{_IDENTIFIER})|(?P<name>{_CAPITAL}{_MORE}))"
    r"(?![A-Za-z0-9_])"
)
_WITHOUT_CODE = lazily(
    rf"(?P<name>[A-Z](?<![A-Za-z0-9_.@/\\-].){_REST}{_MORE})(?![A-Za-z0-9_])(?P<code>(?!))?"
)
"""The same for text without identifiers, led by the one set of characters that can begin a name."""
_CODE_SIGN = lazily(r"[A-Z._(](?:(?<=[a-z][A-Z])|(?<=[A-Za-z0-9_]\.)(?=[A-Za-z_])|(?<=[_(]))")
_SIGN = lazily(r"[A-Z_(.]")
"""What every English name and identifier has somewhere."""
_LATIN = frozenset(["e.g", "i.e", "a.m", "p.m"])
_START = lazily(r"(?:^|[.!?:。！？：；\n|•>#](?:[ \t]*[-*+])?|\d[.)][ ])[\s\"'“‘(\[*_`>#-]*$")
_NO_NAME = words(
    "I I'm I've I'll I'd A An The This That These Those It It's He She We You They My Your His Her "
    "Our Their There Here What When Where Which Who Why How If In On At By For From With To Of And "
    "But Or So Yes No Not Ok OK Okay Hi Hey Hello Thanks Thank Please Sorry Wow Yeah Yep Also Then "
    "Now Just Can Could Will Would Should Do Does Did Is Are Was Were Have Has Had Let Let's Since "
    "While After Before Because As Any All Some Each Every Both Most Many More Another Other Once "
    "Until Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April "
    "May June July August September October November December Mon Tue Tues Wed Thu Thurs Fri Sat "
    "Sun Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec AM PM Mr Mrs Ms Dr TODO FYI BTW LOL OMG "
    "ASAP Good Great Oh Well Sure Maybe Really Next Last First Second Finally However Are Ask Use "
    "Using Note That's There's What's Don't Can't Won't Doesn't Didn't Isn't You're They're We're "
    "Today Tomorrow Yesterday Bye Goodbye Aww Haha Congrats Congratulations Cheers Dear Yay Whoa "
    "Nope Nice Cool Awesome Glad Ah Ahh Hmm Ooh Absolutely Certainly Definitely Exactly Indeed"
)
_LABELS = words(
    "Step Phase Part Chapter Section Option Tip Task Question Answer Example Note Warning Summary "
    "Formula Name Email Address Date Time Location Total Result Results Conclusion Introduction "
    "Subject Title Topic Goal Goals Pros Cons Input Output Usage Problem Solution Error Case "
    "Method Number Figure Table Item Level Lesson Exercise Scenario User Assistant System Human "
    "Reminder Update Status Hint Important Caution Overview Background Details Reason"
)
"""Words before a colon that are no speakers, and before a number no names."""
_SPEAKER = lazily(r"[ \t]*(?P<who>[A-Z][a-z]+):[ ](?=\S)")
_MARK = r"[ \t>]{0,8}(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?"
_TITLE_WORD = r"(?:[A-Z0-9(][\w'’&/().-]*|and|of|the|for|to|in|on|with|a|an|or|by|your|vs\.?|&|-)"
_LABEL = lazily(
    rf"^{_MARK}(?:\#{{1,6}}[ \t][^\n]*"
    r"|(?:\*\*|__)[^*_\n]{1,120}(?:[:：](?:\*\*|__)|(?:\*\*|__)(?=[ ]?(?:[:：(–—-]|$)))"
    r"|(?:Step|Phase|Part|Chapter|Section|Option|Tip|Task|Lesson|Day|Week)[ ]\d{1,3}[ ]?[:.–-]"
    rf"(?:[ ]{_TITLE_WORD}){{1,12}}[ \t]*$"
    rf"|{_TITLE_WORD}(?:[ ]{_TITLE_WORD}){{1,7}}:(?=[ ]|[ \t]*$))",
    re.MULTILINE,
)
"""Headings, bold labels, labels before a colon: there capitals are a matter of typesetting."""
_STEP = lazily(rf"{_MARK}[A-Z][a-z]+[ ]\d")
_WORD = lazily(r"[^ ]+")

Span = tuple[int, int]


def names(text: str) -> list[Span]:
    """Start and end of each name in `text`, in order of place, none overlapping."""
    found = _english(text) if _SIGN.search(text) else []
    if not text.isascii():
        found = _merged([*found, *names_zh.names(text)])
    return found


def _english(text: str) -> list[Span]:
    labels = _labels(text)
    sure = _speaker(text)
    doubtful: list[Span] = []
    at = 0
    pattern = _WITH_CODE if _CODE_SIGN.search(text) else _WITHOUT_CODE
    for hit in pattern.finditer(text, sure[0][1] if sure else 0):
        while at < len(labels) and labels[at][1] <= hit.start():
            at += 1
        if hit["code"]:
            sure += [hit.span()] if hit["code"].lower() not in _LATIN else []
            continue
        labelled = at < len(labels) and labels[at][0] <= hit.start()
        for span in _proper(text, *hit.span(), labelled=labelled):
            (doubtful if _doubtful(text, span, labelled=labelled) else sure).append(span)
    return sorted([*sure, *_confirmed(text, sure, doubtful)]) if doubtful else sure


def _speaker(text: str) -> list[Span]:
    """Who speaks, in text that begins with `Caroline: …`."""
    hit = _SPEAKER.match(text)
    if hit is None or hit["who"] in _LABELS or hit["who"] in _NO_NAME:
        return []
    return [hit.span("who")]


def _labels(text: str) -> list[Span]:
    if "#" not in text and ":" not in text and "**" not in text and "__" not in text:
        return [hit.span() for hit in _LABEL.finditer(text)] if _STEP.match(text) else []
    return [hit.span() for hit in _LABEL.finditer(text)]


def _proper(text: str, start: int, end: int, *, labelled: bool) -> list[Span]:
    """The name in a run of capitalised words, less the words that only begin a sentence.

    In a label each word stands for itself when one of them shows by its form that it is a name.
    """
    if labelled and any(not _plain(word[0]) for word in _WORD.finditer(text, start, end)):
        words_in = [word.span() for word in _WORD.finditer(text, start, end)]
        return [span for a, b in words_in for span in _trimmed(text, a, b)]
    return _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    parts = text[start:end].split(" ")
    while parts and (parts[0] in _NO_NAME or not parts[0][:1].isupper()):
        start += len(parts.pop(0)) + 1
    while parts and (parts[-1] in _NO_NAME or parts[-1].islower()):
        end -= len(parts.pop()) + 1
    numbered = len(parts) == 2 and parts[0] in _LABELS and parts[1].isdigit()
    return [(start, end)] if parts and end - start > 1 and not numbered else []


def _doubtful(text: str, span: Span, *, labelled: bool) -> bool:
    """Whether only its place may have given the capitals."""
    said = text[slice(*span)]
    if labelled:
        return all(map(_plain, said.replace("-", " ").split(" ")))
    said = said.rstrip(" 0123456789")
    return " " not in said and _plain(said) and _begins(text, span[0])


def _confirmed(text: str, sure: list[Span], doubtful: list[Span]) -> list[Span]:
    """Those of the doubtful that stand elsewhere in the text as names beyond doubt."""
    known = {text[start:end] for start, end in sure}
    known.update(part for name in tuple(known) for part in name.split(" "))
    return [(start, end) for start, end in doubtful if text[start:end] in known]


def _plain(word: str) -> bool:
    """A word that only its place may have capitalised."""
    return word[1:].islower() or len(word) == 1 or word.islower()


def _begins(text: str, place: int) -> bool:
    return _START.search(text[max(0, place - 12) : place]) is not None if place else True


def _merged(spans: list[Span]) -> list[Span]:
    """In order of place; of two that overlap the longer stays."""
    kept: list[Span] = []
    for start, end in sorted(spans):
        if kept and start < kept[-1][1]:
            if end - start > kept[-1][1] - kept[-1][0]:
                kept[-1] = (start, end)
        else:
            kept.append((start, end))
    return kept
