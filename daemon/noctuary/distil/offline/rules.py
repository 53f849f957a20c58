"""Standing rules about a thing: what must be left alone, and what may be done to it again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.distil.offline.frames import Frame


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, words(text)))


TOUCH = "touch"
"""Name of all deeds that change a thing in some way."""
_CHANGING = _stems(
    "touch edit change modify alter rewrite refactor reformat update adjust tweak adapt work fiddle tinker mess "
    "动 碰 改 改动 修改 编辑 调整 重构 重写 更改 动手"
)
_ALIKE = (
    _stems("delete remove drop erase 删 删除 删掉 移除"),
    _stems("rename move 改名 重命名 移动 挪 挪动"),
    _stems("commit push merge 提交 推送 推 合并"),
    _stems("deploy release ship publish 部署 发布 上线"),
    _stems("send mail email post 发 发送 寄"),
    _stems("use introduce add install 用 使用 引入 添加 安装"),
)
_MAY = frozenset([TOUCH]).union(
    *_ALIKE, _stems("run read open write call close skip allowed permitted 运行 执行 覆盖 跑")
)
"""What a permission is about; `you may notice` permits nothing."""
_NO_DEED = _stems(
    "worry forget bother hesitate get know think mind care be feel let mention need want have understand see "
    "believe like love you expect miss panic stress judge laugh wait stop give rush hurry take remember look make "
    "lose hold blame overthink tell say ask quite really even just also seem remind recall hate show me"
)
"""What follows a `don't` that forbids nothing."""
_GENERIC = words(
    "folder file directory module package table branch repository repo code anything everything something thing "
    "stuff part content line under inside below in of at there whole entire existing"
)
_DEICTIC = re.compile(r"(?:this|that|these|those|it|them|him|her|me|us|you)\b|它们?", re.IGNORECASE)
_BREAK = re.compile(
    r"[,;:!?]\s+|\.\s+|\s[-–—]+\s|[，。；：！？]|(?<!ahead)\s+(?=(?:so|and|but|because|since) )",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"\b(?:(?<!from )now|right away|for the moment|at the moment|(?:just )?yet|today|tonight|tomorrow|first|"
    r"this (?:time|once|week|morning|afternoon|evening))\b|for now\b"
    r"|先(?=别|不|勿)|暂时|暂且|现在|眼下|目前|今天|今晚|明天|这次|这回|这会儿|还(?=不要|别)|待会",
    re.IGNORECASE,
)
_MAY_WORD = re.compile(r"\bmay\b|feel free", re.IGNORECASE)
_EVER = re.compile(
    r"\b(?:from now on|going forward|from here on|now|over|lifted|again|any ?time|always|freely|whenever|these days|as well|"
    r"no longer|any ?more)\b|以后|今后|现在|从[^，。]{1,6}起|随便|随时|放心|了$|也",
    re.IGNORECASE,
)
"""What makes of a permission a standing one."""
_LEAD = (
    r"(?:(?:also|and|but|so|oh|plus|then|ok|okay|again|just|one more thing|for the record|remember|"
    r"note(?: that)?|important|please|kindly|from now on|in general|generally)[,:]?\s+)*"
)
_OBJECT = r"(?P<thing>[^\s].{1,80}?)"
_AS_IS = (
    r"(?:alone|untouched|unchanged|intact|as (?:is|it is|they are|it was|they were)|the way (?:it is|they are)|"
    r"in peace|be)"
)
_FORBIDS = tuple(
    re.compile(rf"{_LEAD}{form}", re.IGNORECASE)
    for form in (
        rf"(?:(?:in|on|for|at|with) [^,]{{2,40}}? )?(?:please )?(?:do not|don['’]t|never)(?: ever)? (?P<deed>[a-z]+)(?: (?:with|on|in|around|to|into|up|out))? {_OBJECT}$",
        (
            r"(?:you (?:must not|mustn['’]t|may not|should not|shouldn['’]t|cannot|are not (?:allowed )?to|"
            r"aren['’]t (?:allowed )?to|should never|must never)|(?:nobody|no one) (?:may|should|must|can))"
            rf" (?P<deed>[a-z]+)(?: (?:with|on|in|around))? {_OBJECT}$"
        ),
        r"(?:nobody|no one) (?P<deed>touches|edits|changes|modifies|deletes|renames|moves|merges) "
        + rf"{_OBJECT}$",
        rf"(?:leave|keep) {_OBJECT} {_AS_IS}(?: please)?$",
        rf"(?:(?:keep )?(?:your )?hands off|(?:stay|keep) (?:away from|out of|clear of|off)|steer clear of)(?: of)? {_OBJECT}$",
        rf"{_OBJECT} (?:must|should|has to|have to|needs? to|(?:is|are) to) (?:stay|remain|be (?:left|kept)) (?:exactly |just )?{_AS_IS}$",
        rf"{_OBJECT} (?:is|are) (?:off[ -]limits|taboo|not (?:to be touched|to be changed|to be edited|yours))(?: .*)?$",
    )
)
_ALLOWS = tuple(
    re.compile(rf"{_LEAD}{form}", re.IGNORECASE)
    for form in (
        (
            r"(?:from now on )?(?:(?:you|we) (?:may|can|are (?:now )?(?:allowed|free|welcome) to)|"
            r"you['’]re (?:now )?(?:allowed|free|welcome) to)"
            rf"(?: (?:now|again|also|always|freely|safely))* (?P<deed>[a-z]+)(?: (?:with|on|in))? {_OBJECT}$"
        ),
        rf"go ahead and (?P<deed>[a-z]+) {_OBJECT}$",
        rf"feel free to (?P<deed>[a-z]+)(?: (?:with|on|in))? {_OBJECT}$",
        rf"it['’]?s (?:now )?(?:ok|okay|fine|all ?right)(?: now)? (?:to|if you) (?P<deed>[a-z]+) {_OBJECT}$",
        rf"{_OBJECT} (?:may|can) (?:now |again )*be (?P<deed>[a-z]+)(?: .*)?$",
        rf"{_OBJECT} (?:is|are) (?:now )?(?P<deed>allowed|permitted)(?: .*)?$",
        rf"{_OBJECT} (?:is|are) (?:now )?(?:fair game|open (?:for|to) (?:changes|edits))(?: .*)?$",
        rf"the (?:freeze|ban|lock) on {_OBJECT} (?:is|has been) (?:now |no longer )*(?:over|lifted|gone|in force)(?: .*)?$",
        rf"{_OBJECT} (?:is|are) (?:no longer off[ -]limits|not off[ -]limits any ?more|free to (?P<deed>[a-z]+))(?: .*)?$",
    )
)
_DEED_ZH = (
    r"(?P<deed>动手|改动|修改|编辑|调整|重构|重写|更改|重命名|改名|删除|删掉|移除|移动|挪动|提交|推送|合并|部署|发布|上线|"
    r"发送|使用|引入|添加|安装|运行|执行|覆盖|动|碰|改|删|挪|用|发|跑)(?:到|在|给)?"
)
_NOT_ZH = r"(?:别|不要|请勿|勿|不许|不准|不得|禁止|严禁)(?:再|去|随便|擅自|乱|轻易|现在|今天)*"
_CANNOT_ZH = r"(?:不能|不可以)(?:再|随便|擅自|乱|轻易)*(?P<deed>修改|改动|改|碰|删除|删掉|删)"
_LEAD_ZH = r"(?:还有|另外|对了|顺便|以后|今后|也|都|就|请|麻烦|大家|你们?|千万|绝对|记住|一律|先|暂时|现在|今天|这次)*"
_THING_ZH = r"(?P<thing>[^，。；！？]{1,24}?)"
_FORBIDS_ZH = (
    re.compile(
        rf"{_LEAD_ZH}{_THING_ZH}(?:请|麻烦|谁|大家|任何人|都|也|就|先|暂时|现在|今天|这次|千万|绝对|一律)*{_NOT_ZH}{_DEED_ZH}(?:它们?|了|啊|哦)*$"
    ),
    re.compile(rf"{_LEAD_ZH}{_NOT_ZH}{_DEED_ZH}(?P<thing>它们?)?(?:了|啊|哦)*$"),
    re.compile(rf"{_LEAD_ZH}{_THING_ZH}(?:都|也|就|绝对|一律)*{_CANNOT_ZH}(?:它们?|的)?$"),
    re.compile(
        rf"{_LEAD_ZH}(?:[^，。；！？我他她]{{1,10}}?(?:里|中|上|时|时候))?{_NOT_ZH}{_DEED_ZH}{_THING_ZH}$"
    ),
    re.compile(
        rf"{_LEAD_ZH}{_THING_ZH}(?:都|要|必须|得|请|就|一律)*(?:(?:保持|维持)(?:原样|不变|现状|原状)|原封不动|原样(?:保留|留着))"
    ),
)
_ALLOWS_ZH = (
    re.compile(
        rf"{_LEAD_ZH}(?P<thing>[^，。；！？]{{0,24}}?)(?:现在|以后|今后|都|也|你们?|咱们?|我们|就|又)*(?<!不)(?:可以|能|随便|随意|尽管)"
        rf"(?:随便|随时|直接|放心|自由|再|大胆)*{_DEED_ZH}(?P<behind>[^，。；！？]{{0,24}}?)(?:了|啦)?$"
    ),
    re.compile(rf"{_LEAD_ZH}{_THING_ZH}(?:现在|已经|今天起|都)*(?:解禁|解冻|解封|放开)了$"),
)
_PREPOSITIONS = words("of from in into out under with by for on than like inside outside within")
_DETERMINERS = words("the a an our your my its their his her old whole")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a clause forbids or allows.

    Attributes:
        deed: `TOUCH`, or the verb.
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


def for_the_moment(text: str, place: int) -> bool:
    """Whether what stands here in a sentence is only asked for now: `don't run the tests now`."""
    return any(rule.once and rule.place[0] <= place < rule.place[1] for rule in rules(text))


def lifts(new: Frame, old: Frame) -> bool:
    """One allows what the other forbids, or forbids what the other allows, of the same thing."""
    return any(
        one.allows != other.allows and _same_deed(one.deed, other.deed) and _same_thing(one, other)
        for one in rules(new.text)
        if not one.once
        for other in rules(old.text)
        if not other.once
    )


@lru_cache(maxsize=20_000)
def rules(text: str) -> tuple[Rule, ...]:
    """Everything that a sentence forbids or allows, clause by clause."""
    return tuple(_rules(text)) if _HINT.search(text) else ()


_HINT = re.compile(
    r"n['’]t|\bnot\b|\bnever\b|\bno(?:body| one)\b|\bleave\b|\bkeep\b|hands off|\bstay\b|steer|remain|off.limits|taboo|"
    r"\bmay\b|\bcan\b|\ballowed\b|\bfree\b|welcome|\bfine\b|ok(?:ay)?\b|right|[别勿]|不[要许准能可得]|[禁严]|原|维持|保持|[可能解放随尽]|\b(?:freeze|ban|lock|game|open|ahead)\b",
    re.IGNORECASE,
)


def _rules(text: str) -> Iterator[Rule]:
    start = 0
    for end, after in (
        *((hit.start(), hit.end()) for hit in _BREAK.finditer(text)),
        (len(text),) * 2,
    ):
        clause = text[start:end].strip(" .。!！")
        found = _rule(clause)
        if found is not None:
            allows, deed, text_of_thing = found
            thing = _thing(text_of_thing)
            head = _thing(text_of_thing.rpartition("的")[2]) or thing
            once = bool(_ONCE.search(clause)) and not (allows and _EVER.search(clause))
            yield Rule(allows, deed, thing, head, once, text[:start], (start, after))
        start = after


def _rule(clause: str) -> tuple[bool, str, str] | None:
    for forms, allows in (
        (_FORBIDS, False),
        (_FORBIDS_ZH, False),
        (_ALLOWS, True),
        (_ALLOWS_ZH, True),
    ):
        for form in forms:
            hit = form.match(clause)
            if hit is None:
                continue
            named = hit.groupdict()
            deed = _deed(named.get("deed") or TOUCH)
            lasts = not allows or _EVER.search(clause) or _MAY_WORD.search(clause)
            if lasts and (deed in _MAY if allows else deed not in _NO_DEED):
                thing = f"{named['thing'] or ''} {named.get('behind') or ''}".strip()
                return allows, deed, _TOLD_BY.sub("", thing)
    return None


def _deed(verb: str) -> str:
    """One name for all verbs that change a thing, else the stem of the verb."""
    plain = stem(verb.lower())
    return TOUCH if plain in _CHANGING else plain


def _thing(text: str) -> frozenset[str]:
    shown = _TIMES.sub(" ", _ONCE.sub(" ", text)).strip()
    if _DEICTIC.match(shown):
        return frozenset()
    told = frozenset(content_tokens(_GENERIC_ZH.sub(" ", shown)))
    return told - _GENERIC_WORDS or (told if _OWNED.match(shown) else frozenset())


_OWNED = re.compile(r"(?:my|our|his|her|their)\b", re.IGNORECASE)
_GENERIC_WORDS = frozenset(content_tokens(" ".join(sorted(_GENERIC))))
_TIMES = re.compile(
    r"\b(?:from now on|going forward|any ?more|again|freely|as well|please|ever|without .*|until .*|because .*|unless .*)$"
    r"|以后|今后|现在|从[^，。]{1,6}起",
    re.IGNORECASE,
)
_TOLD_BY = re.compile(r"^[^，。；！？的]{1,6}?(?:说了?|讲了?|同意了?|答应了?)")
_GENERIC_ZH = re.compile(
    r"那个|这个|那些|这些|[这那](?=\w)|里面?的?|下面?的?|的?(?:东西|内容|文件夹?|目录|模块|代码|部分)|[我他她]们?的|我们|任何|所有|整个"
)


def _same_deed(one: str, other: str) -> bool:
    return one == other or any(one in group and other in group for group in _ALIKE)


def _same_thing(one: Rule, other: Rule) -> bool:
    if one.thing and other.thing:
        return one.thing in (other.thing, other.head) or one.head == other.thing
    if not one.thing and not other.thing:
        return bool(_subject(one.before)) and _subject(one.before) == _subject(other.before)
    named, pointing = (one, other) if one.thing else (other, one)
    return _spoken_of(named.thing, pointing.before)


def _subject(before: str) -> frozenset[str]:
    """What the clauses before a pronoun begin with: `legacy/ belongs to Tom, so leave it alone`."""
    hit = _IS_SOMETHING.match(before)
    return _thing(hit["thing"] or hit["thing_zh"]) if hit else frozenset()


_IS_SOMETHING = re.compile(
    rf"{_LEAD}(?:the )?(?P<thing>[^,;]{{1,50}}?) (?:is|are|was|were|belongs?|contains?|holds?)\b"
    rf"|{_LEAD_ZH}(?P<thing_zh>[^，。；]{{1,16}}?)(?:现在|已经|都)*(?:是|归|属于|由)",
    re.IGNORECASE,
)


def _spoken_of(thing: frozenset[str], before: str) -> bool:
    """Whether the clauses before a pronoun tell of this thing itself, not of something in it."""
    if not thing <= frozenset(content_tokens(before)):
        return False
    seen = before.lower().split()
    place = next((i for i, word in enumerate(seen) if thing & frozenset(content_tokens(word))), 0)
    while place and seen[place - 1] in _DETERMINERS:
        place -= 1
    finished = place > 1 and seen[place - 2] in ("done", "finished", "through")
    return not place or seen[place - 1] not in _PREPOSITIONS or finished
