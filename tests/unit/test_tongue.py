"""Whatever is said to a person can be said in Chinese: every sentence has one, and none is left over."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

import click
from hypothesis import given
from hypothesis import strategies as st

import noctuary
from noctuary.care.proof import Standing
from noctuary.care.undone import Outcome
from noctuary.day.founding import READ, comment_of
from noctuary.doors.cli import cli
from noctuary.doors.cli.helping import paragraphs
from noctuary.dream.triggers import Because
from noctuary.errors import NoctuaryError, Problem, UsageError
from noctuary.memory.card import CardType, Status
from noctuary.memory.entry import Trust
from noctuary.memory.report import ChangeKind, Result
from noctuary.memory.sentences import speech
from noctuary.tongue import counted, listed, phrase, spoken
from noctuary.tongue.chinese import PARTS
from noctuary.tongue.chinese import sentences as chinese_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(noctuary.__file__).parent
TEMPLATES = SOURCE.parents[1] / "templates"
CHINESE = {one: said for part in PARTS for one, said in chinese_of(part).items()}
ENUMERATIONS = (Because, Standing, CardType, ChangeKind, Outcome, Result, Status, Trust)
WORDS_OF_STATE = (
    *("running", "stopped", "events", "polling"),
    *("clock", "disk", "dreams", "files", "finding", "git", "journal", "locks", "notes"),
    *("permissions", "search", "settings", "watching"),
)
"""Said by `phrase(word)` where the word is a value."""
IN_TEMPLATES = re.compile(r'\bsay\("((?:[^"\\]|\\.)*)"')
COUNTED_IN_TEMPLATES = re.compile(r'\bcounted\([^"]*(?:\("[^"]*"\))?[^"]*"([^"]*)", "([^"]*)"\)')


def sentences() -> Iterator[str]:
    yield from in_the_source()
    yield from in_templates()
    yield from WORDS_OF_STATE
    yield from helps(cli)
    for kind in CardType:
        yield from (f"{{count}} {kind}", f"{{count}} {kind.folder}")
    for words in ENUMERATIONS:
        yield from (word.value for word in words)


def in_the_source() -> Iterator[str]:
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "from noctuary.tongue import" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield from said_by(node)


def in_templates() -> Iterator[str]:
    for path in TEMPLATES.glob("*.j2"):
        text = path.read_text("utf-8")
        yield from IN_TEMPLATES.findall(text)
        for one, many in COUNTED_IN_TEMPLATES.findall(text):
            yield from (f"{{count}} {one}", f"{{count}} {many}")
    for name in ("config.toml.j2", "obsidian/memory.base"):
        for read in READ.finditer((TEMPLATES / name).read_text("utf-8")):
            yield read["name"] or comment_of(read[0])


def helps(command: click.Command) -> Iterator[str]:
    yield from paragraphs(command.help)
    yield from (one.help for one in command.params if isinstance(one, click.Option) and one.help)
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from helps(inner)


def said_by(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", "")
    texts = [one.value for one in call.args if isinstance(one, ast.Constant)]
    told = [text for text in texts if isinstance(text, str)]
    if name in {"phrase", "PatchRefused"}:
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


def test_no_sentence_stands_twice() -> None:
    assert len(CHINESE) == sum(len(chinese_of(part)) for part in PARTS)


def test_both_have_the_same_fields() -> None:
    wrong = [one for one, other in CHINESE.items() if fields(one) != fields(other)]
    assert wrong == []


def test_a_sentence_is_plain_english_to_whoever_only_reads_it() -> None:
    said = phrase("{cards}: {kinds}", cards=counted(2, "card", "cards"), kinds="x")
    assert (said, f"{said}", json.loads(json.dumps([said]))[0]) == ("2 cards: x",) * 3
    assert str(NoctuaryError(said)) == "2 cards: x"


def test_what_is_filled_in_is_said_in_the_same_language() -> None:
    inside = UsageError(phrase("the card is gone"))
    parts = listed([counted(1, "card", "cards"), phrase("{lines} added", lines=inside)])
    assert spoken(parts, "zh") == "1 张卡片、增加了 卡片已经不在了"
    assert spoken(parts, "en") == "1 card, the card is gone added"
    assert spoken(Problem("cards/a.md", phrase("it is too long"), 3), "zh") == "cards/a.md:3: 太长"


def test_what_nobody_translated_stays_as_it_is() -> None:
    assert spoken("任何 text {here}", "zh") == "任何 text {here}"
    assert spoken(phrase("nobody knows {this}", this="x"), "zh") == "nobody knows x"


@given(st.text(), st.sampled_from(["en", "zh"]))
def test_words_of_others_are_never_taken_for_a_template(text: str, language: str) -> None:
    assert spoken(phrase("{a}, {b}", a=text, b="x"), language).startswith(text)
    assert spoken(text, language) == text


def test_the_vaults_language_is_that_of_most_cards_unless_the_settings_say_one() -> None:
    titles = ["预算不超过五万元", "数据库用 SQLite", "Use tabs"]
    assert [speech(wanted, titles) for wanted in ("auto", "en", "zh")] == ["zh", "en", "zh"]
    assert [speech("auto", told) for told in ([], titles[2:], titles[1:], ["naïve café"])] == [
        "en"
    ] * 4
