"""Lines for machines and for the page around them, which say nothing on a card: formulas, traces, pointers."""

from __future__ import annotations

import re

from noctuary.memory.lazy import lazily

trace = lazily(
    r"\s*(?:File \"[^\"]+\", line \d+|Traceback \(most recent|at [\w.$<>/]+ ?\([^)]*:\d+(?::\d+)?\)|"
    r"\+{3} |-{3} |@@ |\$ |>>> )"
)
"""How a line of a trace begins: it says where, not what."""
_SAID = lazily(r"(?<![\\\w])[A-Za-z][a-z’'-]+(?![\w({\\])|[\u3400-\u9fff]{1,2}")
_INSIDE = lazily(r"\\text\{[^}]*\}|\\[A-Za-z]+|`[^`]*`")
_MARKS = lazily(r"[\\={}^_|<>\[\]]|(?<=[\w)}]) ?[+*/×÷] ?(?=[\w(\\{])")


def formal(text: str) -> bool:
    """Whether a line is a formula, a trace or code rather than something that is said."""
    if trace.match(text):
        return True
    marks = len(_MARKS.findall(text))
    return marks > 1 and marks >= len(_SAID.findall(_INSIDE.sub(" ", text)))


points_around = lazily(
    r"(?:by|with|in|through) \w+ing (?:\w+ )?(?:these|this|those|the (?:above|following|same))\b|"
    r"\b(?:following|take|taking|with|using|follow) (?:these|this|the above) (?:\w+ )?(?:steps?|approach|structure|plan|guide\w*|"
    r"practices|tips|strateg\w+|tests|aspects|examples?)\b|"
    r"\b(?:as follows|(?:shown|described|listed|mentioned) (?:above|below)|the (?:following|above)|feel free|let me know|"
    r"if you (?:have|need) any|(?:here (?:is|are)|here's)|this (?:setup|snippet|example|script|approach|structure) )\b|[:：]\s*$|"
    r"(?:按照|通过|根据|遵循|采取)(?:以上|上述|这些|这样|此|本)|(?:以下|如下|上面|下面)|如(?:果|有)(?:你|您)?(?:还)?(?:有|需要)?(?:任何|其他|更多)|欢迎随时|随时告诉我",
    re.IGNORECASE,
)
"""How a sentence speaks of the answer that it stands in, of which nothing is kept beside it."""
