"""Whatever is said to a person can be said in Chinese: every sentence has one, and none is left over."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

import noctuary
from noctuary.care.undone import Outcome
from noctuary.memory.card import CardType, Status
from noctuary.memory.entry import Trust
from noctuary.memory.report import ChangeKind, Result
from noctuary.tongue.chinese import CHINESE

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(noctuary.__file__).parent
TEMPLATES = SOURCE.parents[1] / "templates"
ENUMERATIONS = (CardType, ChangeKind, Outcome, Result, Status, Trust)
IN_TEMPLATES = re.compile(r'\bsay\("((?:[^"\\]|\\.)*)"')
COUNTED_IN_TEMPLATES = re.compile(r'\bcounted\([^"]*(?:\("[^"]*"\))?[^"]*"([^"]*)", "([^"]*)"\)')


def sentences() -> Iterator[str]:
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "from noctuary.tongue import" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield from said_by(node)
    for path in TEMPLATES.glob("*.j2"):
        text = path.read_text("utf-8")
        yield from IN_TEMPLATES.findall(text)
        for one, many in COUNTED_IN_TEMPLATES.findall(text):
            yield from (f"{{count}} {one}", f"{{count}} {many}")
    for kind in CardType:
        yield from (f"{{count}} {kind}", f"{{count}} {kind.folder}")
    for words in ENUMERATIONS:
        yield from (word.value for word in words)


def said_by(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", "")
    texts = [one.value for one in call.args if isinstance(one, ast.Constant)]
    told = [text for text in texts if isinstance(text, str)]
    if name == "phrase":
        yield from told[:1]
    elif name == "counted":
        yield from (f"{{count}} {word}" for word in told)
    elif name == "listed":
        yield from (f"{{a}}{between}{{b}}" for between in told or [", "])


def fields(template: str) -> set[tuple[str, str]]:
    return {(name, spec or "") for _, name, spec, _ in Formatter().parse(template) if name}


def test_each_sentence_has_a_chinese_one() -> None:
    assert sorted(set(sentences()) - set(CHINESE)) == []


def test_no_chinese_sentence_is_left_over() -> None:
    assert sorted(set(CHINESE) - set(sentences())) == []


def test_both_have_the_same_fields() -> None:
    wrong = [one for one, other in CHINESE.items() if fields(one) != fields(other)]
    assert wrong == []
