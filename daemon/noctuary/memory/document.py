"""The one codec for Markdown with frontmatter: read it, write a new header, patch an old one.

Reading never raises: what cannot be read is a sentence in `Document.problem`. Writing to a file
that exists goes through `patch`, which changes the bytes of the named keys and no others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from noctuary.memory import yamlcore
from noctuary.memory.lazy import lazily
from noctuary.memory.yamlcore import BadYaml, Node, compose, construct
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from frontmatter.default_handlers import BaseHandler

MAX_HEADER = 64 * 1024
MAX_FILE = 8 * 1024 * 1024

Value = str | int | float | bool | None | list[str] | tuple[str, ...]


class PatchRefused(Exception):
    """The header is written in a way that cannot be changed safely; the file is left alone."""

    def __init__(self, why: str, **fields: object) -> None:
        self.reason = phrase(why, **fields)
        super().__init__(self.reason)


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown text taken apart.

    Attributes:
        meta: Keys of the header; dates and times are words.
        body: Everything behind the header, byte for byte.
        problem: One sentence when a header is there and cannot be read; then `meta` is empty.
    """

    meta: dict[str, object] = field(default_factory=dict)
    body: str = ""
    problem: str = ""


# ---------------------------------------------------------------- reading

_FENCE = lazily(r"---[ \t]*\r?(?:\n|\Z)")
_CLOSING = lazily(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where the header of a text stands: `start` to `end`, the body from `body`."""

    start: int
    end: int
    body: int


def read(text: str) -> Document:
    """Take a text apart into header and body."""
    if len(text) > MAX_FILE:
        return Document(
            body=text, problem=phrase("The file is over 8 MiB: split it into smaller notes.")
        )
    cut = _cut(text)
    if cut is None:
        return Document(body=text)
    if cut.end < 0:
        return Document(
            body=text, problem=phrase("The frontmatter is not closed: add a line `---`.")
        )
    return _read_header(text[cut.start : cut.end], text[cut.body :])


def _cut(text: str) -> _Cut | None:
    """None without a header; `end` is -1 when its closing fence is missing."""
    origin = 1 if text.startswith("\ufeff") else 0
    opening = _FENCE.match(text, origin)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return _Cut(opening.end(), -1, len(text))
    return _Cut(opening.end(), closing.start(), closing.end())


def _read_header(header: str, body: str) -> Document:
    if len(header) > MAX_HEADER:
        return Document(body=body, problem=phrase("The frontmatter is over 64 KiB: shorten it."))
    meta = _read_flat(header)
    if meta is not None:
        return Document(meta, body)
    try:
        return Document(_read_yaml(header), body)
    except BadYaml as error:
        return Document(
            body=body,
            problem=phrase("The frontmatter cannot be read, correct it: {error}.", error=error),
        )


_PLAIN = (
    r"(?![-?](?:[ \n]|\Z))(?=[\w/+.-])"
    r"(?:[^\x00-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f\u3000\ud800-\udfff\ufeff\ufffe\uffff:# ]"
    r"|:(?=[^\s])|(?<! )\#| (?=[^\s#]))+"
)
_QUOTED = r'"[^\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"\\]*"'
_FLAT_LINE = lazily(rf"(?:([a-z][a-z0-9-]*):(?: ({_PLAIN}|{_QUOTED}))?|  - ({_PLAIN}|{_QUOTED}))\n")


def _read_flat(header: str) -> dict[str, object] | None:
    """The header as we write it ourselves, read line by line; None for anything else."""
    meta: dict[str, object] = {}
    at, size, key = 0, len(header), ""
    match = _FLAT_LINE.match
    while at < size:
        line = match(header, at)
        if line is None:
            return None
        at = line.end()
        name, value, item = line.groups()
        if name is None:
            if not _add_item(meta, key, item):
                return None
        elif name in meta:
            return None
        else:
            key = name
            meta[key] = None if value is None else _flat_value(value)
    return meta


def _add_item(meta: dict[str, object], key: str, item: str) -> bool:
    """Append to the list under the latest key; False when that key holds a value already."""
    held = meta.get(key, "")
    if held is None:
        meta[key] = [_flat_value(item)]
        return True
    if isinstance(held, list):
        held.append(_flat_value(item))
        return True
    return False


def _flat_value(text: str) -> object:
    return text[1:-1] if text[0] == '"' else yamlcore.resolve(text)


def _read_yaml(header: str) -> dict[str, object]:
    """Any header, by way of python-frontmatter. Raises BadYaml."""
    import frontmatter

    meta, _ = frontmatter.parse(f"---\n{header}\n---", handler=_handler())
    return meta


@cache
def _handler() -> BaseHandler:
    from frontmatter.default_handlers import BaseHandler

    class CoreHandler(BaseHandler):
        """Reads YAML 1.2 core through our own nodes."""

        FM_BOUNDARY = re.compile(r"^---\s*$", re.MULTILINE)
        START_DELIMITER = END_DELIMITER = "---"

        def split(self, text: str) -> tuple[str, str]:
            return text[4:-3], ""

        def load(self, fm: str, **kwargs: object) -> dict[str, object]:
            return load_map(fm)

    return CoreHandler()


def load_map(header: str) -> dict[str, object]:
    """The keys of a header without its fences. Raises BadYaml."""
    root = compose(header)
    if root is None:
        return {}
    if root.kind != "map":
        if root.kind == "scalar" and not root.text and not root.style:
            return {}
        raise BadYaml(phrase("it is not a list of `key: value` lines"))
    value = construct(root)
    return value if isinstance(value, dict) else {}


# ---------------------------------------------------------------- writing


def header(meta: Mapping[str, object]) -> str:
    """A new header with its fences, in the very bytes that Obsidian would write."""
    return f"---\n{''.join(yamlcore.block(key, value) for key, value in meta.items())}---\n"


# ---------------------------------------------------------------- patching


@dataclass(frozen=True, slots=True)
class _Edit:
    """Replace `start` to `end` of a text by `new`."""

    start: int
    end: int
    new: str


def patch(raw: bytes, changes: Mapping[str, Value]) -> bytes:
    """Set keys in the header of a file, leaving every other byte as it is.

    A key that is missing is added as the last one. Raises PatchRefused, with the reason, rather
    than touch a header that is written in an unusual way.
    """
    text = _decoded(raw)
    cut = _patchable(text)
    before = read(text)
    if before.problem:
        raise PatchRefused(before.problem)
    wanted = {key: value for key, value in changes.items() if not _same(before.meta, key, value)}
    if not wanted:
        return raw
    patched = _apply(text, _edits(text, cut, wanted))
    _check(before, read(patched), wanted)
    return patched.encode()


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise PatchRefused("The file is not UTF-8.") from None


def _patchable(text: str) -> _Cut:
    cut = _cut(text)
    if cut is None:
        raise PatchRefused("The file has no frontmatter.")
    if cut.end < 0:
        raise PatchRefused("The frontmatter is not closed.")
    return cut


def _same(meta: Mapping[str, object], key: str, value: Value) -> bool:
    if key not in meta:
        return False
    held = meta[key]
    if isinstance(value, (list, tuple)):
        return held == list(value)
    return held == value and isinstance(held, bool) == isinstance(value, bool)


def _edits(text: str, cut: _Cut, wanted: Mapping[str, Value]) -> list[_Edit]:
    header_text = text[cut.start : cut.end]
    root = _root(header_text)
    places = {key.text: (key, value) for key, value in root.pairs} if root else {}
    newline = "\r\n" if text[: cut.start].endswith("\r\n") else "\n"
    indent = " " * root.column if root else ""
    edits, added = [], ""
    for name, value in wanted.items():
        if name in places:
            edits.append(_replace(header_text, *places[name], value))
        else:
            added += yamlcore.block(name, _plain(value), indent)
    if added:
        edits.append(_Edit(len(header_text), len(header_text), added.replace("\n", newline)))
    return [_Edit(edit.start + cut.start, edit.end + cut.start, edit.new) for edit in edits]


def _plain(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value


def _root(header_text: str) -> Node | None:
    try:
        root = compose(header_text)
    except BadYaml as error:
        raise PatchRefused("The frontmatter cannot be read: {error}.", error=error) from None
    if root is None or (root.kind == "scalar" and not root.text):
        return None
    if root.kind != "map" or root.style != "block" or root.marked:
        raise PatchRefused("The frontmatter is not written as `key: value` lines.")
    return root


def _replace(text: str, key: Node, value: Node, new: Value) -> _Edit:
    if key.marked or value.marked:
        raise PatchRefused("`{key}` uses a YAML anchor.", key=key.text)
    if key.line != key.end_line or "\n" in text[key.start : key.end]:
        raise PatchRefused("The key `{key}` spans several lines.", key=key.text)
    if value.kind == "map":
        raise PatchRefused("`{key}` holds a map.", key=key.text)
    if value.kind == "list":
        return _replace_list(text, key, value, new)
    return _replace_scalar(text, key, value, new)


def _replace_scalar(text: str, key: Node, value: Node, new: Value) -> _Edit:
    if value.style in ("|", ">"):
        raise PatchRefused("`{key}` is a block of text.", key=key.text)
    if not value.text and not value.style:
        return _fill(text, key, new)
    if value.line != key.line or value.end_line != key.line:
        raise PatchRefused("The value of `{key}` is not on one line with its key.", key=key.text)
    return _Edit(value.start, value.end, _inline(new))


def _inline(new: Value) -> str:
    if isinstance(new, (list, tuple)):
        return yamlcore.flow(list(new))
    return yamlcore.scalar(new)


_COLON = lazily(r"[ \t]*:")
_REST_BLANK = lazily(r"[ \t]*\r?(?:\n|\Z)")


def _fill(text: str, key: Node, new: Value) -> _Edit:
    """Give a value to a key that has none."""
    colon = _COLON.match(text, key.end)
    if colon is None:
        raise PatchRefused("`{key}` is written in an unusual way.", key=key.text)
    at = colon.end()
    if isinstance(new, (list, tuple)) and new and _REST_BLANK.match(text, at):
        newline = "\r\n" if text[at:].split("\n", 1)[0].endswith("\r") else "\n"
        indent = " " * key.column
        lines = (f"{newline}{indent}  - {yamlcore.scalar(item)}" for item in new)
        return _Edit(at, at, "".join(lines))
    return _Edit(at, at, f" {_inline(new)}")


_ITEM_LINE = lazily(r"[ \t]*- [^\r\n]*\r?(?:\n|\Z)")


def _replace_list(text: str, key: Node, value: Node, new: Value) -> _Edit:
    if not isinstance(new, (list, tuple)):
        raise PatchRefused("`{key}` is a list and is to become one value.", key=key.text)
    if any(item.kind != "scalar" or item.marked for item in value.items):
        raise PatchRefused("`{key}` is not a plain list.", key=key.text)
    if value.style == "flow":
        if value.line != key.line or value.end_line != key.line:
            raise PatchRefused("The list of `{key}` spans several lines.", key=key.text)
        return _Edit(value.start, value.end, yamlcore.flow(list(new)))
    return _replace_block_list(text, key, value, new)


def _replace_block_list(text: str, key: Node, value: Node, new: Sequence[str]) -> _Edit:
    colon = _COLON.match(text, key.end)
    rest = _REST_BLANK.match(text, colon.end()) if colon else None
    if colon is None or rest is None or rest.end() != value.start - value.column:
        raise PatchRefused("The list of `{key}` does not follow its key at once.", key=key.text)
    start = rest.end()
    end = _end_of_items(text, start, key, value)
    if not new:
        return _Edit(colon.end(), end, " []" + text[colon.end() : rest.end()].lstrip(" \t"))
    newline = "\r\n" if text[start:].split("\n", 1)[0].endswith("\r") else "\n"
    lines = "".join(f"{' ' * value.column}- {yamlcore.scalar(item)}{newline}" for item in new)
    return _Edit(start, end, lines)


def _end_of_items(text: str, start: int, key: Node, value: Node) -> int:
    """Where the lines of a block list end; one line for each item and nothing between them."""
    at = start
    for item in value.items:
        line = _ITEM_LINE.match(text, at)
        if line is None or not at <= item.start <= item.end <= line.end():
            raise PatchRefused("The list of `{key}` has more than its items in it.", key=key.text)
        if not _REST_BLANK.match(text, item.end) or item.style in ("|", ">"):
            raise PatchRefused("The list of `{key}` has comments in it.", key=key.text)
        at = line.end()
    return at


def _apply(text: str, edits: list[_Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


def _check(before: Document, after: Document, wanted: Mapping[str, Value]) -> None:
    """Refuse a patch whose result does not read as: the old header with the wanted changes."""
    expected = dict(before.meta) | {key: _plain(value) for key, value in wanted.items()}
    same = list(after.meta.items()) == list(expected.items())
    if after.problem or after.body != before.body or not same:
        raise PatchRefused("The changed header would not read back as meant.")
