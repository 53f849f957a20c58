from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from noctuary.memory import document
from noctuary.memory.document import PatchRefused, Value, header, load_map, patch, read

_spec = importlib.util.spec_from_file_location(
    "frontmatter_corpus", Path(__file__).with_name("frontmatter_corpus.py")
)
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
CORPUS: dict[str, str] = _module.CORPUS

CHANGES: dict[str, Value] = {
    "status": "superseded",
    "superseded-by": ["[[2026-12-01#^e0123456789]]", "b: c"],
    "seen": 4,
}
OWNED = re.compile(rb"""\s*["']?(?:status|superseded-by|seen)["']?[ \t]*:""")
ITEM = re.compile(rb"\s*- ")


def unowned(raw: bytes) -> list[bytes]:
    """Lines that do not belong to a key of CHANGES, found without any YAML."""
    kept, inside = [], False
    for line in raw.split(b"\n"):
        if OWNED.match(line):
            inside = True
        elif not (inside and ITEM.match(line)):
            inside = False
            kept.append(line)
    return kept


def patched(text: str, changes: dict[str, Value] = CHANGES) -> bytes | None:
    try:
        return patch(text.encode(), changes)
    except PatchRefused:
        return None


def assert_only_owned_bytes_changed(text: str, new: bytes) -> None:
    before, after = read(text), read(new.decode())
    assert unowned(text.encode()) == unowned(new)
    assert after.body == before.body
    assert after.meta == before.meta | CHANGES
    assert patch(new, CHANGES) == new


def test_the_corpus_has_its_size() -> None:
    assert len(CORPUS) == 72


@pytest.mark.parametrize("name", CORPUS)
def test_patch_changes_no_byte_outside_its_keys(name: str) -> None:
    new = patched(CORPUS[name])
    if new is not None:
        assert_only_owned_bytes_changed(CORPUS[name], new)


def test_patch_refuses_only_what_it_must() -> None:
    refused = {name for name, text in CORPUS.items() if patched(text) is None}
    assert refused == {
        *("status as block", "value on the next line", "value over lines", "keep at the end"),
        *("flow list over lines", "list with comments", "list of lists", "flow map", "anchor"),
        *("merge key", "tag", "no header", "unclosed header", "list header", "duplicate keys"),
        "templater",
    }


@pytest.mark.parametrize("name", CORPUS)
def test_patching_with_what_is_there_gives_the_same_bytes(name: str) -> None:
    raw = CORPUS[name].encode()
    status = read(CORPUS[name]).meta.get("status")
    if status == "active":
        assert patch(raw, {"status": "active"}) == raw


@pytest.mark.parametrize("name", CORPUS)
def test_the_body_is_the_end_of_the_file(name: str) -> None:
    assert CORPUS[name].endswith(read(CORPUS[name]).body)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a: 10:30", "10:30"),
        ("a: 007", "007"),
        ("a: yes", "yes"),
        ("a: on", "on"),
        ("a: 2026-11-30", "2026-11-30"),
        ("a: 2026-11-30T03:12:05", "2026-11-30T03:12:05"),
        ("a: 1_000", "1_000"),
        ("a: true", True),
        ("a: False", False),
        ("a: ~", None),
        ("a: 1.10", 1.1),
        ("a: 1e3", 1000.0),
        ("a: -12", -12),
        ("a: 0x1F", 31),
        ("a: =", "="),
        ("a: [[Note]]", [["Note"]]),
        ("a: '7'", "7"),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(line: str, value: object) -> None:
    assert read(f"---\n{line}\n---\n").meta == {"a": value}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("---\na: 1\n", "not closed"),
        ("---\na: 1\na: 2\n---\n", "twice"),
        ("---\na: &x [1]\nb: *x\n---\n", "single value"),
        ("---\na: !!python/name:os.system x\n---\n", "tag"),
        ("---\n" + "[" * 900 + "\n---\n", "deeper"),
        ("---\n" + "- " * 5000 + "x\n---\n", "deeper"),
        ("---\na: " + "1:10" * 30000 + "\n---\n", "64 KiB"),
        ("---\na: {{b}}\n---\n", "not a word"),
        ("---\na: \x01\n---\n", "cannot be read"),
        ("---\na: b: c\n---\n", "cannot be read"),
        ("---\n- a\n---\n", "key: value"),
        ("---\njust words\n---\n", "key: value"),
        ("---\na:\n\t- b\n---\n", "a tab instead of blanks in line 3"),
        ("---\na: 1\n...\nb: 2\n---\n", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(text: str, says: str) -> None:
    found = read(text)
    assert says in found.problem
    assert found.problem.endswith(".")
    assert found.meta == {}


def test_a_huge_file_is_left_unread() -> None:
    assert "8 MiB" in read("x" * (document.MAX_FILE + 1)).problem


def test_a_base_60_bomb_stays_a_word() -> None:
    bomb = ":".join(["1"] * 20000)
    assert read(f"---\na: {bomb}\n---\n").meta == {"a": bomb}


def test_bom_and_crlf_are_no_hindrance() -> None:
    found = read("\ufeff---\r\na: b\r\n---\r\nbody\r\n")
    assert found.meta == {"a": "b"}
    assert found.body == "body\r\n"


def test_crlf_is_kept_in_added_lines() -> None:
    new = patch(b"---\r\nid: x\r\nl:\r\n---\r\n", {"l": ["a"], "seen": 2})
    assert new == b"---\r\nid: x\r\nl:\r\n  - a\r\nseen: 2\r\n---\r\n"


def test_a_comment_stays_behind_the_new_value() -> None:
    assert patch(b"---\nstatus: a # why\n---\n", {"status": "b"}) == b"---\nstatus: b # why\n---\n"


def test_a_list_can_become_empty_and_full_again() -> None:
    raw = b"---\ntags:\n  - a\n  - b\nid: x\n---\n"
    empty = patch(raw, {"tags": []})
    assert empty == b"---\ntags: []\nid: x\n---\n"
    assert read(patch(empty, {"tags": ["a", "c, d"]}).decode()).meta["tags"] == ["a", "c, d"]


def test_not_utf_8_is_refused() -> None:
    with pytest.raises(PatchRefused, match="UTF-8"):
        patch(b"---\na: \xe9\n---\n", {"a": "b"})


def test_header_is_written_as_obsidian_would() -> None:
    meta = {
        "id": "c7k2m9",
        "n": 5,
        "c": 0.95,
        "one": 1.0,
        "source": ["[[2026-11-30#^e3f9a2c41d0]]", "plain"],
        "created": "2026-11-30T14:02:11",
        "clock": "10:30",
        "zeros": "007",
        "word": "yes",
        "title": "预算: 上限 🧠",
        "quote": 'say "hi"',
        "both": 'it\'s "so"',
        "hash": "a #b",
        "tag": "#x",
        "none": None,
        "off": False,
        "empty": [],
        "blank": "",
        "nested": {"a": [1, {"b": 2, "c": ["d"]}]},
    }
    assert header(meta) == (
        "---\nid: c7k2m9\nn: 5\nc: 0.95\none: 1\nsource:\n"
        '  - "[[2026-11-30#^e3f9a2c41d0]]"\n  - plain\n'
        'created: 2026-11-30T14:02:11\nclock: 10:30\nzeros: "007"\nword: yes\n'
        'title: "预算: 上限 🧠"\nquote: say "hi"\nboth: it\'s "so"\nhash: "a #b"\ntag: "#x"\n'
        'none: null\noff: false\nempty: []\nblank: ""\n'
        "nested:\n  a:\n    - 1\n    - b: 2\n      c:\n        - d\n---\n"
    )


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WORDS = st.one_of(
    TEXT,
    st.text(st.sampled_from(list("aZ0 -:#'\"[]{}&*!|>%@`,?~/\\=+.eé预😀\t_x")), max_size=12),
    st.sampled_from(["yes", "null", "10:30", "0x1", "1e3", "---", "...", "-", "[[a]]", "<<"]),
)
SCALARS = st.one_of(
    WORDS, st.booleans(), st.none(), st.integers(), st.floats(allow_nan=False, width=32)
)
METAS = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True),
    st.one_of(SCALARS, st.lists(WORDS, max_size=4)),
    max_size=6,
)


@settings(max_examples=300, deadline=None)
@given(METAS)
def test_a_written_header_reads_as_it_was_meant(meta: dict[str, object]) -> None:
    found = read(header(meta) + "body\n")
    assert found.problem == ""
    assert found.meta == meta
    assert list(found.meta) == list(meta)
    assert found.body == "body\n"


@settings(max_examples=300, deadline=None)
@given(METAS)
@example({"a": "x: y"})
def test_the_quick_reading_is_the_general_one(meta: dict[str, object]) -> None:
    text = header(meta)[4:-4]
    quick = document._read_flat(text)
    assert quick is None or quick == load_map(text)


LOOSE_VALUE = st.one_of(
    WORDS,
    st.sampled_from(
        ["'a'", '"b"', "[a, b]", "[[x]]", "a # c", "# c", "|", ">-", "&x y", "*x", "{a: b}", "  z "]
    ),
)
LOOSE_KEY = st.sampled_from(["status", "seen", "superseded-by", "id", "title", '"status"', "on"])
LOOSE_LINE = st.one_of(
    st.builds(lambda key, value: f"{key}: {value}", LOOSE_KEY, LOOSE_VALUE),
    st.builds(lambda key: f"{key}:", LOOSE_KEY),
    st.builds(lambda pad, value: f"{pad}- {value}", st.sampled_from(["", "  "]), LOOSE_VALUE),
    st.builds(lambda value: f"  {value}", LOOSE_VALUE),
    st.sampled_from(["", "# comment", "  # deep", "status: active", "seen: 1", "...", "--- x"]),
)
LOOSE_HEADERS = st.builds(
    lambda lines, end, body: f"---{end}{end.join(lines)}{end}---{end}{body}",
    st.lists(LOOSE_LINE, max_size=7, unique_by=lambda line: line.split(":")[0].strip('"')),
    st.sampled_from(["\n", "\n", "\n", "\r\n"]),
    st.sampled_from(["", "text\n", "\n\n    code\n---\nstatus: x"]),
)


def check_loose_header(text: str) -> None:
    quick = None if read(text).problem else read(text).meta
    new = patched(text)
    if new is None:
        return
    assert quick is not None
    assert_only_owned_bytes_changed_by_values(text, new)


def assert_only_owned_bytes_changed_by_values(text: str, new: bytes) -> None:
    """As above, for headers where block text may look like one of our keys."""
    before, after = read(text), read(new.decode())
    expected = before.meta | CHANGES
    assert repr(after.meta) == repr(expected)
    assert after.body == before.body
    assert patch(new, CHANGES) == new
    foreign = [line for line in unowned(text.encode()) if line.strip()]
    assert [line for line in unowned(new) if line.strip()] == foreign


@settings(max_examples=500, deadline=None)
@given(LOOSE_HEADERS)
def test_any_header_is_patched_right_or_refused(text: str) -> None:
    check_loose_header(text)


@pytest.mark.slow
@settings(
    max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
@given(LOOSE_HEADERS)
def test_twenty_thousand_headers_are_patched_right_or_refused(text: str) -> None:
    check_loose_header(text)


@settings(max_examples=500, deadline=None)
@example("---\nstatus: -\n---\n")
@given(LOOSE_HEADERS)
def test_the_quick_reading_of_loose_headers_is_the_general_one(text: str) -> None:
    inner = text[4:].rsplit("---", 1)[0]
    quick = document._read_flat(inner)
    if quick is not None:
        assert repr(quick) == repr(load_map(inner))


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_reading_never_raises(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\n", f"---\n{text}"):
        assert isinstance(read(whole).meta, dict)
