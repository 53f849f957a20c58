"""What of a turn its person only pasted: a letter, a notice, a page. Nobody here says it."""

from __future__ import annotations

import re

from noctuary.distil.offline.forms import pattern

_FENCE = re.compile(r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|\"{3})[ \t]*$", re.MULTILINE)
_GREETS = re.compile(
    r"^(?:(?:各位|尊敬的|亲爱的)[^\n，。；]{1,24}[：:，,]|Dear [^\n.;]{1,40}[,:]|(?:Hi|Hello) (?:all|everyone|team|there),)",
    re.MULTILINE,
)
"""How a letter begins."""


def pasted(text: str) -> tuple[int, int]:
    """Where the pasted matter of a turn stands; an empty span at its end where there is none.

    It stands between rules, or to the end, behind a line that speaks of a text: `the mail from the
    venue:`; a letter behind other words begins with its greeting.
    """
    head, line, _ = text.partition("\n")
    nothing = (len(text), len(text))
    if not line or pattern("own-draft").search(head):
        return nothing
    if letter := _GREETS.search(text, len(head)):
        return letter.start(), len(text)
    if not pattern("pasted-head").search(head):
        return nothing
    if fence := _FENCE.search(text, len(head)):
        close = _FENCE.search(text, fence.end())
        return fence.end(), close.start() if close else len(text)
    return (len(head) + 1, len(text)) if head.rstrip().endswith((":", "：")) else nothing
