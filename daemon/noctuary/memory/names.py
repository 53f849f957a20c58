"""Names in text: people, places, products, identifiers of code, English and Chinese."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.memory.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator

_CAPITAL = r"[A-Z][A-Za-z0-9]*(?:['’-](?!s\b)[A-Za-z0-9]+)*"
_IDENTIFIER = (
    r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?:\(\))?"
    r"|[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]{1,})+(?:\(\))?|[A-Za-z_][A-Za-z0-9_]+\(\)"
    r"|[a-z]+[A-Z][A-Za-z0-9]*"
)
_ENGLISH = re.compile(
    rf"(?<![A-Za-z0-9_.@/\\-])(?:(?P<code>{_IDENTIFIER})|(?P<name>{_CAPITAL}"
    rf"(?:[ ](?:(?:of|the|de|van|von|der|la|and|&)[ ])?{_CAPITAL}|[ ]\d{{1,4}}(?![\w.,:%-]))*))(?![A-Za-z0-9_])"
)
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘"
    "杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
_CHINESE = re.compile(
    r"(?:名字|姓名|全名|真名|昵称|品牌|牌子|公司名)(?:就?是|叫做?|为|：|:)[ ]?(?P<called>[\u4e00-\u9fffA-Za-z0-9·]{2,24})"
    r"|(?:名叫|取名|命名为|改名为|叫做|叫作|(?<![喊呼吼惊尖])叫)[“「『\"]?(?P<cue>[\u4e00-\u9fffA-Za-z0-9·]{2,24})"
    rf"|(?<![\u4e00-\u9fff](?=[于方万常文易]))(?P<title>[{_SURNAMES}](?:先生|女士|小姐|老师|经理|主任|医生|教授|博士|总监|师傅|阿姨|叔叔|工程师|律师|同学))"
)
_NOT_CALLED = re.compile(r"[我你他她它们什啥谁做人停醒起出来车外这那一不]")
_NAME_END = re.compile(r"(?:的|了|吧|呢|吗|啊|和|与|在|是|，)")
_START = re.compile(r"(?:^|[.!?:。！？：；\n|•>#](?:[ \t]*[-*+])?)[\s\"'“‘(\[*_`>#-]*$")
_HEADING = re.compile(r"^[ \t>]{0,8}#{1,6}[ \t][^\n]*", re.MULTILINE)
_NO_NAME = words(
    "I I'm I've I'll I'd A An The This That These Those It It's He She We You They My Your His Her Our "
    "Their There Here What When Where Which Who Why How If In On At By For From With To Of And But "
    "Or So Yes No Not Ok OK Okay Hi Hey Hello Thanks Thank Please Sorry Wow Yeah Yep Also Then Now "
    "Just Can Could Will Would Should Do Does Did Is Are Was Were Have Has Had Let Let's Since While "
    "After Before Because As Any All Some Each Every Both Most Many More Another Other Once Until "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June "
    "July August September October November December Mon Tue Tues Wed Thu Thurs Fri Sat Sun Jan Feb "
    "Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec AM PM Mr Mrs Ms Dr TODO FYI BTW LOL OMG ASAP Good Great "
    "Oh Well Sure Maybe Really Next Last First Second Finally However Are Ask Use Using Note That's "
    "There's What's Don't Can't Won't Doesn't Didn't Isn't You're They're We're Today Tomorrow Yesterday"
)
_TRAILING = re.compile(r"(?:[ ](?:of|the|de|van|von|der|la|and|&))+$")


def names(text: str) -> list[tuple[int, int]]:
    """Start and end of each name in `text`, in order of place, none overlapping."""
    found = list(_english(text))
    if not text.isascii():
        found = _merged([*found, *_chinese(text)])
    return found


def _english(text: str) -> Iterator[tuple[int, int]]:
    headings = [hit.span() for hit in _HEADING.finditer(text)] if "#" in text else []
    at = 0
    for hit in _ENGLISH.finditer(text):
        while at < len(headings) and headings[at][1] <= hit.start():
            at += 1
        if hit["code"]:
            if hit["code"].lower() not in {"e.g", "i.e", "a.m", "p.m"}:
                yield hit.span()
        elif at == len(headings) or headings[at][0] > hit.start():
            yield from _proper(text, hit.start(), hit.end())


def _proper(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The name in a run of capitalised words, less the words that only begin a sentence."""
    parts = text[start:end].split(" ")
    trimmed = False
    while parts and (parts[0] in _NO_NAME or not parts[0][:1].isupper()):
        start += len(parts.pop(0)) + 1
        trimmed = True
    while parts and (parts[-1] in _NO_NAME or parts[-1].islower()):
        end -= len(parts.pop()) + 1
    if not parts:
        return
    if len(parts) == 1 and _plain(parts[0]) and not trimmed and _begins(text, start):
        return
    yield start, end


def _plain(word: str) -> bool:
    """A word that only its place may have capitalised."""
    return word[1:].islower() or len(word) == 1


def _begins(text: str, place: int) -> bool:
    return _START.search(text[max(0, place - 12) : place]) is not None if place else True


def _chinese(text: str) -> Iterator[tuple[int, int]]:
    for hit in _CHINESE.finditer(text):
        group = next(name for name in ("called", "cue", "title") if hit[name])
        start, end = hit.span(group)
        if group == "cue" and _NOT_CALLED.match(hit[group]):
            continue
        if group != "title":
            stop = _NAME_END.search(hit[group], 2)
            end = start + stop.start() if stop else end
        if end - start <= 16:
            yield start, end


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """In order of place; of two that overlap the longer stays."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if kept and start < kept[-1][1]:
            if end - start > kept[-1][1] - kept[-1][0]:
                kept[-1] = (start, end)
        else:
            kept.append((start, end))
    return kept
