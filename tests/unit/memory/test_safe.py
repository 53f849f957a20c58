from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from noctuary.memory.safe import neutralise, says


@pytest.mark.parametrize(
    "text",
    [
        "预算不超过人民币五万元，只能使用开源技术栈。",
        "Use `x < y` and **bold**; 3 < 4, a -> b, x<y and z.",
        "a 5% rise, {one brace}, $5 and `$HOME`",
        "[[note]] and [[note#^e0123456789|13:58]] and #tag",
        "![[local picture.png]] ![chart](img/chart.png) [page](notes/page.md)",
        "https://example.org/x?y=1 <https://example.org> <ana@example.org>",
        "```python\nprint('<div>', '{{x}}', '%%')\n```",
        "~~~\n![x](http://example.org)\n~~~",
        "- ```sh\n  ls `pwd`\n  ```",
        "# Title\n\n- [ ] task\n> quote\n\n| a | b |\n|---|---|",
        "[^1] and\n[^1]: a footnote",
        "C:\\Users\\ana `C:\\x`",
    ],
)
def test_benign_text_stays_as_it_is(text: str) -> None:
    assert neutralise(text) == text


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        ("```dataviewjs\ndv.x()\n```", "```text\ndv.x()\n```"),
        ("~~~ tasks\nx\n~~~", "~~~ text\nx\n~~~"),
        ("```python {run}\nx\n```", "```text\nx\n```"),
        ("> ```mermaid\n> click a\n> ```", "> ```text\n> click a\n> ```"),
        ("`= this.x`", "`\\= this.x`"),
        ("`$= dv.x`", "`\\$= dv.x`"),
        ("``  = x``", "``  \\= x``"),
        ("`BUTTON[x]`", "`\\BUTTON[x]`"),
        ("<% tp.x %>", "< % tp.x %>"),
        ("```js\n<% x %>\n```", "```js\n< % x %>\n```"),
        ("%%hidden%%", "% %hidden% %"),
        ("{{title}}", "{ {title}}"),
        ("<script>x</script>", "\\<script>x\\</script>"),
        ("a <img src=x onerror=y>", "a \\<img src=x onerror=y>"),
        ("<!-- a", "\\<!-- a"),
        ("<div", "\\<div"),
        ("<javascript:x>", "\\<javascript:x>"),
        ("![a](http://e.org/x)", "`![a](http://e.org/x)`"),
        ("![a](  <data:x>)", "`![a](  <data:x>)`"),
        ("![a](&#104;ttp://e.org)", "`![a](&#104;ttp://e.org)`"),
        ("![a](//e.org/x)", "`![a](//e.org/x)`"),
        ("![a](\\\\host\\x)", "`![a](\\\\host\\x)`"),
        ("![[http://e.org/x]]", "`![[http://e.org/x]]`"),
        ("![a][b]\n\n[b]: http://e.org", "! [a][b]\n\n\\[b]: http://e.org"),
        ("![a\nb](http://e.org)", "! [a\nb](http://e.org)"),
        ("[docs](https://e.org/x)", "docs (https://e.org/x)"),
        ("[x](obsidian://open?vault=a)", "x (`obsidian://open?vault=a`)"),
        ("[https://good.org](https://e.org)", "https://good.org (https://e.org)"),
    ],
)
def test_active_text_is_broken(text: str, inert: str) -> None:
    assert neutralise(text) == inert


@pytest.mark.parametrize(
    "text",
    [
        "```\nnot closed <img src=http://e.org>",
        "- ```\n<img src=http://e.org>\n```",
        "> ```\nout <img src=http://e.org>\n> ```",
        "```\n    ```\n```\n<img src=http://e.org>\n```",
        "a ` b\n\n`<img src=http://e.org>` c `",
        "$`$<img src=http://e.org>`",
        "$$\n```\n$$\n<img src=http://e.org>\n```",
        '<img alt="`x`" src=http://e.org>',
        "\\`<img src=http://e.org>`",
        "\\\\<img src=http://e.org>",
        "<img\nsrc=http://e.org>",
    ],
)
def test_no_code_is_feigned_around_a_tag(text: str) -> None:
    assert re.search(r"(?<!\\)(?:\\\\)*<img", outside_code(neutralise(text))) is None


def outside_code(text: str) -> str:
    """What of these small samples a strict reader may take for prose."""
    if text.startswith("```"):
        text = re.sub(r"\A```\n.*?\n```(?=\n|\Z)", "", text, count=1, flags=re.DOTALL)
    return re.sub(r"(?<![\\`$])`[^`$\n]+`", "", text)


def test_backticks_are_even_in_every_line_of_prose() -> None:
    assert neutralise("a ` b") == "a \\` b"
    assert neutralise("`` a ` b") == "\\`\\` a \\` b"


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            ["```", "~~~", "`", "``", "\n", " ", "> ", "- ", "<", ">", "<img ", "src=x", "![", "](",
             "http://e", ")", "[a]", ":", "%%", "{{", "<%", "$", "$=", "=", "\\", "[[", "]]", '"',
             "dataview", "text", "    ", "<!--", "é", "预"]
        ),
        st.text(max_size=4),
    ),
    max_size=14,
).map("".join)  # fmt: skip


@settings(max_examples=1000, deadline=None)
@given(PIECES)
def test_twice_changes_nothing_more(text: str) -> None:
    once = neutralise(text)
    assert neutralise(once) == once


CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")


@settings(max_examples=500, deadline=None)
@example("``<!--``")
@given(PIECES)
def test_nothing_active_is_left(text: str) -> None:
    inert = neutralise(text)
    assert "<%" not in inert
    assert re.search(r"(?<!\\)<(?:script|!--)", CODE_SPAN.sub("", inert)) is None
    assert not re.search(r"^ {0,3}(?:```|~~~)[ \t]*dataview[^`]*$", inert, re.MULTILINE)


def test_a_quote_is_found_in_its_text_made_inert() -> None:
    text = "see ![x](http://e.org/p.png) and <b>bold</b> words"
    assert says(neutralise(text), text)
    assert says("and <b>bold", text)
    assert not says("and italic", text)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=4), st.integers(0, 3))
def test_any_line_of_a_text_is_found_again(pieces: list[str], which: int) -> None:
    lines = "\n".join(pieces).split("\n")
    quote = lines[which % len(lines)]
    if re.search(r"\w", quote):
        assert says(neutralise(quote), "\n".join(lines))


def test_a_quotation_cannot_be_left() -> None:
    assert neutralise("a\r# b\r\nc\x1b[31m\ud800") == "a\n# b\nc\ufffd[31m\ufffd"
