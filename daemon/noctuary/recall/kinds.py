"""Which kinds of memory a question is about, by the words that ask for them. Pure.

"Which database did we choose" asks for a decision, "what is left to do" for open tasks; the cards
themselves hold none of these words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.memory.card import INSTRUCTION_LIKE, CardType, Status
from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from noctuary.recall.passages import Passage


def _asking(english: str, chinese: str) -> re.Pattern[str]:
    return lazily(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)


_ASKED: Mapping[tuple[CardType, ...], re.Pattern[str]] = {
    (CardType.TASK,): _asking(
        r"to-?dos?|(?:left|have|need|still|things|remains) to (?:do|be done)|(?:open|pending|outstanding"
        r"|unfinished|remaining) (?:tasks?|items?|points?|issues?|work|things|errands?)|next steps?|what(?:'s| is| are)"
        r"(?: still)? (?:left|open|pending|outstanding|unfinished|missing)|not (?:yet )?(?:done|finished)|tasks",
        "待办(?:事项)?|(?:事情?|活|工作)?(?:还|都)?[没未](?:做|办|完成|弄|处理|搞定)[完好掉成]?|还[要得有][^，。？]{0,6}(?:做|办|事)[完好掉成]?|要做的|剩下?的?(?:事|活|任务|工作)"
        "|下一步|接下来.{0,4}[做办]|(?:哪些|什么)(?:任务|事要)",
    ),
    (CardType.DECISION,): _asking(
        r"decisions?|decid(?:e|ed|ing)|ch(?:oose|ose|osen|oice)|picked|settled? on|(?:went|gone?|going) with"
        r"|opt(?:ed)? for|agreed?",
        "决定|决策|选(?:了|的|定|择|用)|定(?:了|的是|下|在)|敲定|拍板|商定|为(?:什么|何)(?:不?[选用])",
    ),
    (CardType.LESSON,): _asking(
        r"lessons?|learn(?:ed|t)?|mistakes?|(?:went|goes?|gone) wrong|gotchas?|pitfalls?|watch out"
        r"|(?:root )?cause[ds]?|(?:solve|fix)(?:d|ed)?",
        "教训|踩.{0,3}坑|经验|学到|吸取|出.{0,3}(?:问题|岔子|错)|(?:怎么|如何)(?:解决|修)|(?:什么|啥)原因",
    ),
    tuple(INSTRUCTION_LIKE): _asking(
        r"rules?|preferences?|conventions?|guidelines?|habits?",
        "规则|规矩|规定|偏好|习惯|规范|讲究",
    ),
    (CardType.CONSTRAINT,): _asking(
        "limits|limitations|constraints|restrictions", "(?:什么|哪些|啥)(?:限制|约束|底线|红线)"
    ),
}


def kinds_asked(question: str) -> dict[str, str]:
    """The terms that stand for the kinds of cards a question asks for, with the words that do."""
    found = {
        kinds: " ".join(hit[0] for hit in asks.finditer(question)) for kinds, asks in _ASKED.items()
    }
    return {_term(kind): words for kinds, words in found.items() if words for kind in sorted(kinds)}


KINDS = frozenset(f"kind:{kind}" for kinds in _ASKED for kind in kinds)
"""All terms for kinds of cards."""


def kind_told(passage: Passage, kinds: Container[str] = KINDS) -> tuple[str, ...]:
    """The term under which a line is found by the kind of its card, if it is one of these.

    That of a task only while it is open.
    """
    term = _term(passage.type)
    done = passage.type == CardType.TASK and passage.status != Status.OPEN
    if done or term not in kinds or passage.part not in ("statement", "receipt"):
        return ()
    return (term,)


def _term(kind: str) -> str:
    return f"kind:{kind}"
