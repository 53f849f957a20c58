"""Whether the clause around a date speaks of what was or of what will be."""

from __future__ import annotations

import re

from noctuary.memory.lazy import lazily

_PAST_EN = lazily(
    r"\b(?:was|were|did|had|went|got|took|came|saw|made|met|gave|left|found|told|said|bought|began"
    r"|ran|ate|won|lost|sent|built|spent|wrote|drove|flew|felt|held|kept|led|taught|caught|broke"
    r"|chose|fell|grew|read|sold|spoke|thought|brought|put|knew|just|"
    r"(?<!is )(?<!are )(?<!am )(?<!['’]re )(?<!['’]m )(?<!be )[a-z]{2,}ed)\b",
    re.IGNORECASE,
)
_FUTURE_EN = lazily(
    r"\b(?:will|shall|going[ ]to|gonna|plan(?:s|ning)?[ ]to|let['’]s|due|deadline|needs?[ ]to"
    r"|ha(?:ve|s)[ ]to|should|must|remind|see[ ]you|wants?[ ]to|hop(?:e|ing)[ ]to|can['’]t[ ]wait"
    r"|upcoming"
    r"|scheduled[ ]for|is[ ]on|are[ ]on|starts?|ends?)\b|['’](?:ll)\b|\bbut[ ]it(?:[ ]is|['’]s)[ ]\|"
    r"|\|[ ](?:(?:was|were|is|are|already|all|fully|not|wasn['’]t|isn['’]t)[ ])+(?:full\b|booked|taken|sold[ ]out|gone"
    r"|free\b|available|possible|unavailable|busy)",
    re.IGNORECASE,
)
_ARRANGED_EN = lazily(
    r"\b(?:arrives?|leaves?|comes?|visits?|opens?|closes?|meets?|flies|lands|begins?|expires?|returns?"
    r"|launch(?:es)?|ships?|takes[ ]place|goes[ ]live|is[ ](?:coming|leaving|arriving|visiting|moving)"
    r"|(?:is|are)[ ](?:off|away|out|closed|shut|free|here|back|busy)|i[ ]am|we[ ]are"
    r"|(?:i['’]?m|we['’]re|they['’]re))\b",
    re.IGNORECASE,
)
_PAST_ZH = lazily(r"了|过|已经|刚|曾|会上|会前|会后")
_FUTURE_ZH = lazily(
    r"\|(?:都|已经?|早就?|也)?(?:[约订排]?满|订完|卖完|没[位空票号]|不行|来不及)|想|要|(?:改|换|挪|延|推迟|提前|顺延)[到在成至]?\||(?<![事员协工开年晚聚例周早班长学社机国宴])会(?![上前后议场员计])|将|打算|计划|准备|记得|提醒|预计|约|截止|开始|举行|举办|参加"
)
_ARRANGED_ZH = lazily(
    r"(?:定|排|改|约|就|审|稿|试|议|会|赛)在\||截稿|交稿|交付|评审|面试|考试|放假|出发|到期|上线|开庭|不在|来不了|休息|休假|加班"
    r"|来(?:参观|检查|看|家|公司|学校)|去(?!的|年)"
)
"""Present words of what is arranged: they look ahead where nothing says that it is past."""
_END_EN = lazily(r"[.!?\n。！？；;]")
_END_ZH = lazily(r"[。！？；\n.!?;]")


def tense_en(hit: re.Match[str], prep: str = "") -> int:
    """-1, 0 or 1: past, neither, or ahead; a preposition of the hit counts to the words before."""
    clause = _clause(hit, _END_EN, 120, 80, prep)
    said = _tense(clause, _FUTURE_EN, _PAST_EN, _ARRANGED_EN)
    return 0 if said < 0 and _is_of_a_thing(clause) else said


def tense_zh(hit: re.Match[str]) -> int:
    """The same in Chinese."""
    return _tense(_clause(hit, _END_ZH, 40, 40), _FUTURE_ZH, _PAST_ZH, _ARRANGED_ZH)


def _tense(
    clause: str, future: re.Pattern[str], past: re.Pattern[str], arranged: re.Pattern[str]
) -> int:
    if future.search(clause):
        return 1
    if past.search(clause):
        return -1
    return 1 if arranged.search(clause) else 0


def _is_of_a_thing(clause: str) -> bool:
    """Whether what is past is told beside the date: `the fair on the 11th, we ordered a stall`."""
    before, _, after = clause.partition("|")
    before, after = before.split(", ")[-1], after.split(",")[0]
    return len(before.split()) > MOST_LEADING and not _PAST_EN.search(f"{before}|{after}")


MOST_LEADING = 3
"""Words that may lead to a date without naming a thing: `and then on`."""


def _clause(
    hit: re.Match[str], end: re.Pattern[str], before: int, after: int, prep: str = ""
) -> str:
    """The words around a hit within its sentence, with a stroke where it stands."""
    text = hit.string
    first = end.split(text[max(0, hit.start() - before) : hit.start()])[-1]
    last = end.split(text[hit.end() : hit.end() + after], maxsplit=1)[0]
    return f"{first}{prep}|{last}"
