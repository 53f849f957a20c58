"""What a question asks for: its search terms, each with a weight. Pure."""

from __future__ import annotations

import re

from noctuary.memory.tokens import content_tokens

_ASKING_EN = frozenset(
    re.findall(
        r"\w+",
        """what when where who whom whose which why how do does did done can could would should shall
    will may might must has have had having am is are was were be been being about any anything
    there their they them this that these those his her its our your my me tell give list please
    and or if than then so such some many much long often kind type""",
    )
)
_ASKING_ZH = re.compile(
    "请问|什么时候|为什么|是什么|什么|哪一个|哪里|哪儿|哪个|哪些|哪位|哪天|谁的|多少|怎么样|怎么|怎样|如何|是否|能否|有没有|是不是|吗|呢|吧|谁|几"
)
SINGLE_CHARACTER = 0.35
"""Weight of one Chinese character beside the pairs it stands in."""
_SHORTEST_PAIRED = 2


def terms(question: str) -> dict[str, float]:
    """Search terms with weights; asking words are left out unless nothing else remains."""
    kept = _weighted(_ASKING_ZH.sub(" ", question), _ASKING_EN)
    return kept or _weighted(question, frozenset())


def _weighted(text: str, left_out: frozenset[str]) -> dict[str, float]:
    found = [token for token in content_tokens(text) if token not in left_out]
    paired = any(len(token) >= _SHORTEST_PAIRED and not token.isascii() for token in found)
    return {token: SINGLE_CHARACTER if paired and _is_single(token) else 1.0 for token in found}


def _is_single(token: str) -> bool:
    return len(token) == 1 and not token.isascii()
