"""The part of YAML 1.2 that frontmatter needs: nodes with positions, meanings, and scalars as text.

PyYAML only cuts the text into events; what a scalar means is decided here, so that `yes`, `10:30`
and `007` stay the words a person wrote. Tags, references to containers, repeated keys and deep
nesting are refused.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from noctuary.memory.lazy import lazily
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

    class _Mark(Protocol):
        """Where an event stands in the text."""

        index: int
        line: int
        column: int


MAX_DEPTH = 16
MAX_DIGITS = 300


class BadYaml(Exception):
    """The header cannot be read; the message says why, without its place in a file."""


@dataclass(slots=True)
class Node:
    """One piece of a header with its place.

    Attributes:
        kind: `scalar`, `list` or `map`.
        start: Index of the first character in the text; `end` is behind the last one.
        line: Line of the first character, from 0.
        style: How a scalar is quoted (`""`, `'`, `"`, `|`, `>`); `flow` or `block` otherwise.
        marked: True when it carries an anchor or stands for another node.
    """

    kind: str
    start: int
    end: int
    line: int
    end_line: int
    column: int
    style: str = ""
    text: str = ""
    marked: bool = False
    items: list[Node] = field(default_factory=list)
    pairs: list[tuple[Node, Node]] = field(default_factory=list)


# ---------------------------------------------------------------- reading


def compose(text: str) -> Node | None:
    """The root node of one YAML document, None when it is empty. Raises BadYaml."""
    import yaml

    try:
        return _Composer(_events(text)).document()
    except yaml.YAMLError as error:
        raise BadYaml(_reason(error, text)) from None
    except (ValueError, RecursionError) as error:
        raise BadYaml(str(error).split("\n", 1)[0]) from None


def _events(text: str) -> Iterator[yaml.Event]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    events: Iterator[yaml.Event] = yaml.parse(text, Loader=loader)
    return events


def _reason(error: Exception, text: str) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None)
    mark = getattr(error, "problem_mark", None)
    said = str(problem or error).split("\n", 1)[0]
    if mark is None:
        return said
    here = "".join(text.splitlines()[mark.line : mark.line + 1])
    if "\t" in here[: len(here) - len(here.lstrip())]:
        said = phrase("it is indented by a tab instead of blanks")
    return phrase("{said} in line {number}", said=said, number=mark.line + 2)


class _Composer:
    """Builds nodes from events, refusing what frontmatter has no use for."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._anchors: dict[str, Node] = {}

    def document(self) -> Node | None:
        import yaml

        root: Node | None = None
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise BadYaml(phrase("it holds more than one YAML document"))
            elif isinstance(event, yaml.NodeEvent):
                root = self._node(event, 0)
        return root

    def _node(self, event: yaml.Event, depth: int) -> Node:
        import yaml

        if depth > MAX_DEPTH:
            raise BadYaml(phrase("it is nested deeper than {most} levels", most=MAX_DEPTH))
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        self._refuse_tag(event)
        if isinstance(event, yaml.ScalarEvent):
            node = _make(event, "scalar", event.style or "")
            node.text = event.value
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._list(event, depth)
        else:
            node = self._map(event, depth)
        return self._remember(event, node)

    def _refuse_tag(self, event: yaml.Event) -> None:
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise BadYaml(phrase("the tag {tag} is not allowed", tag=tag))

    def _remember(self, event: yaml.Event, node: Node) -> Node:
        anchor = getattr(event, "anchor", None)
        if anchor:
            node.marked = True
            self._anchors[anchor] = node
        return node

    def _alias(self, event: yaml.AliasEvent) -> Node:
        target = self._anchors.get(str(event.anchor))
        if target is None or target.kind != "scalar":
            raise BadYaml(
                phrase("*{anchor} does not stand for a single value", anchor=event.anchor)
            )
        node = _make(event, "scalar", target.style)
        node.text, node.marked = target.text, True
        return node

    def _list(self, event: yaml.Event, depth: int) -> Node:
        import yaml

        node = _make(event, "list", _container_style(event))
        for inner in self._events:
            if isinstance(inner, yaml.SequenceEndEvent):
                return _closed(node, inner)
            node.items.append(self._node(inner, depth + 1))
        raise BadYaml(phrase("a list is not closed"))

    def _map(self, event: yaml.Event, depth: int) -> Node:
        import yaml

        node = _make(event, "map", _container_style(event))
        seen: set[str] = set()
        for inner in self._events:
            if isinstance(inner, yaml.MappingEndEvent):
                return _closed(node, inner)
            key = self._node(inner, depth + 1)
            if key.kind != "scalar":
                raise BadYaml(phrase("a key is not a word"))
            if key.text in seen:
                raise BadYaml(phrase("the key `{text}` stands twice", text=key.text))
            seen.add(key.text)
            node.pairs.append((key, self._node(next(self._events), depth + 1)))
        raise BadYaml(phrase("a map is not closed"))


def _container_style(event: yaml.Event) -> str:
    return "flow" if getattr(event, "flow_style", False) else "block"


def _make(event: yaml.Event, kind: str, style: str) -> Node:
    start, line, column = _place(event.start_mark)
    end, end_line, _ = _place(event.end_mark)
    return Node(kind, start, end, line, end_line, column, style)


def _closed(node: Node, event: yaml.Event) -> Node:
    node.end, node.end_line, _ = _place(event.end_mark)
    return node


def _place(mark: _Mark | None) -> tuple[int, int, int]:
    if mark is None:
        raise BadYaml(phrase("it has no positions"))
    return mark.index, mark.line, mark.column


def construct(node: Node) -> object:
    """The value of a node: str, int, float, bool, None, list or dict with words as keys."""
    if node.kind == "list":
        return [construct(item) for item in node.items]
    if node.kind == "map":
        return {key.text: construct(value) for key, value in node.pairs}
    return node.text if node.style else resolve(node.text)


_NUMBER = lazily(
    r"""(?P<int>[-+]?(?:0|[1-9][0-9]*))
      | (?P<hex>0x[0-9a-fA-F]+)
      | (?P<oct>0o[0-7]+)
      | (?P<float>[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)
      | (?P<inf>[-+]?\.(?:inf|Inf|INF))
      | (?P<nan>\.nan|\.NaN|\.NAN)""",
    re.VERBOSE,
)
_WORDS: dict[str, object] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True)
_WORDS |= dict.fromkeys(("false", "False", "FALSE"), False)
_NUMBER_STARTS = frozenset("0123456789+-.")


def resolve(text: str) -> object:
    """What a plain scalar means under the core schema; numbers with leading zeros stay words."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > MAX_DIGITS:
        return text
    return _number(match.lastgroup or "", text)


def _number(kind: str, text: str) -> int | float:
    if kind in ("int", "hex", "oct"):
        return int(text, 10 if kind == "int" else 0)
    if kind == "inf":
        return -math.inf if text.startswith("-") else math.inf
    return math.nan if kind == "nan" else float(text)


# ---------------------------------------------------------------- writing

_NEVER_PLAIN = lazily(
    r"""^[\n\t\ ,\[\]{}\#&*!|>'"%@`] | ^[?-]$ | ^[?-][\ \t] | [\n:][\ \t] | [\ \t]\n
      | [\n\t\ ]\# | [\n\t\ :]$ | [\t\n\r] | ^(?:---|\.\.\.)(?:\ |$)""",
    re.VERBOSE,
)
_FLOW_MARKS = lazily(r"[\[\]{},]")
_OTHER_NUMBERS = lazily(r"[-+]?[0-9]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ESCAPE_ALWAYS = lazily("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_RAW_IN_QUOTES = lazily("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def scalar(value: object, *, in_flow: bool = False) -> str:
    """One value as YAML that 1.1 and 1.2 readers take apart the same way, in one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    return _word(str(value), in_flow)


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return "-.inf" if value < 0 else ".inf"
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _word(text: str, in_flow: bool) -> str:
    if _ESCAPE_ALWAYS.search(text):
        return _double(text)
    if _NEVER_PLAIN.search(text) or _reads_as_other(text) or (in_flow and _FLOW_MARKS.search(text)):
        return _quoted(text)
    return text


def _reads_as_other(text: str) -> bool:
    return not isinstance(resolve(text), str) or _OTHER_NUMBERS.fullmatch(text) is not None


def _quoted(text: str) -> str:
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return _double(text)


def _double(text: str) -> str:
    return _RAW_IN_QUOTES.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def block(key: str, value: object, indent: str = "") -> str:
    """One key with its value as block lines, lists and maps indented by two."""
    head = f"{indent}{scalar(key)}:"
    if isinstance(value, (list, tuple)):
        return _block_list(head, value, indent) if value else f"{head} []\n"
    if isinstance(value, dict):
        return _block_map(head, value, indent) if value else f"{head} {{}}\n"
    return f"{head} {scalar(value)}\n"


def _block_list(head: str, items: list[object] | tuple[object, ...], indent: str) -> str:
    return head + "\n" + "".join(f"{indent}  - {_item(item, indent)}\n" for item in items)


def _block_map(head: str, pairs: dict[str, object], indent: str) -> str:
    inner = "".join(block(str(key), item, indent + "  ") for key, item in pairs.items())
    return f"{head}\n{inner}"


def _item(item: object, indent: str) -> str:
    if isinstance(item, (list, tuple)):
        return flow(item)
    if isinstance(item, dict) and item:
        inner = "".join(block(str(key), value, indent + "    ") for key, value in item.items())
        return inner.strip("\n").removeprefix(indent + "    ")
    return "{}" if isinstance(item, dict) else scalar(item)


def flow(items: list[object] | tuple[object, ...]) -> str:
    """A list in one line, `[a, b]`; maps inside it as JSON."""
    return f"[{', '.join(_flow_item(item) for item in items)}]"


def _flow_item(item: object) -> str:
    if isinstance(item, (list, tuple)):
        return flow(item)
    return json.dumps(item) if isinstance(item, dict) else scalar(item, in_flow=True)
