"""Headers as people, Obsidian and other tools write them: 72 files, by name."""

from __future__ import annotations

_TAIL = "status: active\n"


def _md(header: str, body: str = "# Title\n\nBody.\n") -> str:
    return f"---\n{header}---\n{body}"


_PLAIN = {
    "own form": _md("id: c7\nstatus: active\nseen: 3\ntags:\n  - memory/fact\n"),
    "key order": _md("zeta: 1\nalpha: 2\n" + _TAIL),
    "comment line": _md("# mine\nid: c7\n" + _TAIL),
    "comment behind value": _md("status: active # for now\nid: c7\n"),
    "comment behind empty value": _md("status: # to be filled\nid: c7\n"),
    "comment at the end": _md(_TAIL + "# the end\n"),
    "single quotes": _md("status: 'active'\nid: 'c7'\n"),
    "double quotes": _md('status: "active"\nid: "c7"\n'),
    "quoted key": _md("\"status\": active\n'id': c7\n"),
    "escapes": _md('title: "a\\tb \\u00e9"\n' + _TAIL),
    "blank lines": _md("\nid: c7\n\n\n" + _TAIL + "\n"),
    "no final newline": "---\nstatus: active\n---",
    "body without final newline": _md(_TAIL, "text"),
    "leading newlines in body": _md(_TAIL, "\n\n\ntext\n"),
    "trailing spaces in body": _md(_TAIL, "text  \n\n  \n"),
    "indented code first": _md(_TAIL, "    code\n    more\n"),
    "rule in body": _md(_TAIL, "a\n\n---\n\nstatus: not a key\n---\n"),
    "empty body": _md(_TAIL, ""),
    "spaces around the colon": _md("status :   active   \nid:\tc7\n"),
    "trailing spaces": _md("status: active   \nid: c7 \n"),
    "fence with spaces": "---  \nstatus: active\n--- \t\nbody\n",
}
_MEANINGS = {
    "time": _md("at: 10:30\n" + _TAIL),
    "time with seconds": _md("at: 10:30:00\n" + _TAIL),
    "zoned moment": _md("created: 2026-01-05T10:30:00Z\n" + _TAIL),
    "leading zeros": _md("a: 007\nb: 01234\nc: 08\n" + _TAIL),
    "yes and no": _md("a: no\nb: Yes\nc: on\nd: y\n" + _TAIL),
    "key on": _md("on: 1\nno: 2\n" + _TAIL),
    "booleans": _md("a: True\nb: FALSE\n" + _TAIL),
    "numbers": _md("a: 1.10\nb: 1_000\nc: 0x1F\nd: 2026_01_02\ne: 1e3\nf: .5\n" + _TAIL),
    "nothing": _md("a: ~\nb: null\nc:\n" + _TAIL),
    "equals sign": _md("a: =\n" + _TAIL),
    "bare wikilink": _md("source: [[Note]]\n" + _TAIL),
    "base 60": _md("a: 1:10:10:10\n" + _TAIL),
    "impossible day": _md("created: 2026-13-45\n" + _TAIL),
    "huge number": _md(f"a: {'9' * 5000}\n" + _TAIL),
    "not a number": _md("a: .nan\nb: -.inf\n" + _TAIL),
}
_TEXTS = {
    "emoji": _md("title: 🧠 brain\n" + _TAIL),
    "chinese": _md("title: 预算上限：五万元\naliases:\n  - 预算\n" + _TAIL),
    "combining": _md("title: e\u0301tude\n" + _TAIL),
    "long line": _md(f"title: {'word ' * 80}end\n" + _TAIL),
    "many words": _md("a: it's; (fine) & well @ last\n" + _TAIL),
    "url": _md("a: https://example.org/x?y=1#z\n" + _TAIL),
    "windows path": _md("a: C:\\Users\\ana\n" + _TAIL),
    "key content": _md("content: x\nhandler: y\n" + _TAIL),
    "number as key": _md("1: x\n2.5: y\n" + _TAIL),
}
_BLOCKS = {
    "literal block": _md("note: |\n  one\n  two\n" + _TAIL),
    "folded block": _md("note: >-\n  one\n  two\n\n" + _TAIL),
    "owned key in a block": _md("note: |\n  status: inner\nstatus: active\n"),
    "status as block": _md("status: |\n  active\n"),
    "value on the next line": _md("status:\n  active\nid: c7\n"),
    "value over lines": _md("status: active\n  and more\nid: c7\n"),
    "keep at the end": _md("status: active\nnote: |+\n  text\n\n"),
    "indented list": _md("tags:\n    - a\n    - b\n" + _TAIL),
    "flush list": _md("tags:\n- a\n- b\n" + _TAIL),
    "flow list": _md("tags: [a,   b]\n" + _TAIL),
    "flow list over lines": _md("superseded-by: [a,\n  b]\n" + _TAIL),
    "list with comments": _md("superseded-by:\n  - a # why\n  # between\n  - b\n" + _TAIL),
    "list of lists": _md("superseded-by:\n  - - a\n" + _TAIL),
    "flow map": "---\n{id: c7, status: active}\n---\nbody\n",
    "nested map": _md("meta:\n  status: inner\n  b:\n    c: 1\n" + _TAIL),
    "anchor": _md("a: &x active\nstatus: *x\n"),
    "merge key": _md("base: &b\n  x: 1\nmore:\n  <<: *b\n" + _TAIL),
    "tag": _md("a: !!python/object/apply:os.system [ls]\n" + _TAIL),
}
_BROKEN = {
    "crlf": "---\r\nid: c7\r\nstatus: active\r\ntags:\r\n  - a\r\n---\r\nbody\r\n",
    "mixed endings": "---\nid: c7\r\nstatus: active\n---\r\nbody\n",
    "bom": "\ufeff" + _md(_TAIL),
    "no header": "# Title\n\nstatus: active\n",
    "empty header": "---\n---\nbody\n",
    "unclosed header": "---\nstatus: active\nbody\n",
    "list header": "---\n- a\n- b\n---\nbody\n",
    "duplicate keys": _md("status: active\nstatus: done\n"),
    "templater": _md("title: {{title}}\n" + _TAIL),
}

CORPUS: dict[str, str] = _PLAIN | _MEANINGS | _TEXTS | _BLOCKS | _BROKEN
