"""Whether a clause tells that something happened."""

from __future__ import annotations

import re

from noctuary.memory.lazy import lazily

_PAST = (
    r"(?:\w{2,}ed|(?:re|over|under|out|un)?(?:went|saw|met|took|made|got|had|bought|wrote|read|ran|came|gave|did|built|found|lost|won|sold|sent|"
    r"spent|told|taught|thought|felt|left|kept|paid|sat|spoke|stood|wore|drove|flew|ate|drank|began|broke|chose|drew|"
    r"fell|forgot|grew|held|heard|knew|led|let|put|rode|rose|said|sang|slept|swam|threw|understood|woke|cut|set|hit))"
)
_PARTICIPLE = (
    rf"(?:{_PAST}|\w{{2,}}(?:en|wn|nt|lt|ght)|done|gone|been|seen|sung|swum|begun|come|become|run)"
)
_WHO = r"(?:i|we|he|she|they|who|(?-i:[A-Z])\w+)"
_LIGHT = r"(?: (?:just|already|also|once|first|finally|recently|even|only|now|\w+ly))*"

_NO_DEED = (
    r"(?:want|need|like|hope|plan|wish|think|know|would|will|can|could|should|may|might|must|prefer|have|am|are|do|does|"
    r"feel|guess|believe|wonder|aim|intend|expect|try|love|understand|never|not|\w+ly|often|always|also)(?:n['’]t)?\b"
)
"""Behind `I`: no deed, or an adverb before one."""

HAPPENED = lazily(
    rf"(?:\b{_WHO}(?:['’](?:ve|s|d)| have| has| had)|\bhaving){_LIGHT} {_PARTICIPLE}\b"
    rf"|\b{_WHO}{_LIGHT} {_PAST}\b"
    rf"|\b(?:was|were|got|been){_LIGHT} {_PARTICIPLE}\b"
    r"|\b(?:after|since|by|having) \w+ing\b"
    rf"|^(?:and |but |so |that |where |also )*(?:i|we)(?: \w+ly| often| always| also)? (?!{_NO_DEED})[a-z]{{3,}}\b"
    r"|^(?:but |and |so |then )?(?:my|our|the|this|that) .{2,60}?\b\w{2,}ed\b"
    r"|(?<![没未不])(?:了|过)(?![头于来去分解程敏])|已经|已于|曾经",
    re.IGNORECASE,
)
