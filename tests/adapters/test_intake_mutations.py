"""Whatever happens to a transcript: entries, problems, or one sentence; never another error."""

from __future__ import annotations

import io
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.errors import BadInput
from noctuary.intake.common import Incoming, IntakeSettings, Item
from noctuary.intake.registry import reader
from transcript_shapes import Transcript, use

if TYPE_CHECKING:
    from collections.abc import Callable

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


def _claude_rows() -> list[dict[str, object]]:
    t = Transcript()
    t.user("<system-reminder>x</system-reminder> tea, please")
    t.agent("hot", use("c", "Read", file_path="/tea.txt"), id="m")
    t.result("c", [{"type": "text", "text": "green"}])
    t.add("attachment", attachment={"type": "queued_command", "prompt": "now"})
    t.add("system", subtype="compact_boundary", logicalParentUuid="s1-3")
    t.agent("done", id="m2")
    return t.records


def _own_rows() -> list[dict[str, object]]:
    row: dict[str, object] = {"ts": "2026-11-30T14:02:11Z", "role": "tool", "text": "green tea"}
    return [row, row | {"session": "s", "priority": "low", "name": "sh"}, row | {"user": "ana"}]


ROWS: dict[str, Callable[[], list[dict[str, object]]]] = {
    "claude-code": _claude_rows,
    "jsonl": _own_rows,
}


def _read(format_: str, data: bytes) -> list[Item]:
    try:
        items = list(reader(format_)(io.BytesIO(data), IntakeSettings(tool_output_bytes=20)))
    except BadInput:
        return []
    for item in items:
        if isinstance(item, Incoming):
            item.entry.text.encode()
            assert item.entry.at.tzinfo is None
    return items


def _jsonl(rows: list[object]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def _places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    inner = value.items() if isinstance(value, dict) else []
    if isinstance(value, list):
        inner = list(enumerate(value))
    return [path, *(place for key, item in inner for place in _places(item, (*path, key)))]


def _changed(value: object, path: tuple[object, ...], new: object) -> object:
    if not path:
        return new
    if isinstance(value, dict):
        return {k: _changed(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    assert isinstance(value, list)
    return [_changed(v, path[1:], new) if i == path[0] else v for i, v in enumerate(value)]


@pytest.mark.parametrize("format_", ROWS)
@given(data=st.data())
def test_any_value_of_any_record_may_be_anything(format_: str, data: st.DataObject) -> None:
    rows: object = ROWS[format_]()
    for _ in range(data.draw(st.integers(1, 3))):
        places = [place for place in _places(rows) if place]
        rows = _changed(rows, data.draw(st.sampled_from(places)), data.draw(JSON))
    assert isinstance(rows, list)
    _read(format_, _jsonl(rows))


@pytest.mark.parametrize("format_", ROWS)
@given(data=st.data())
def test_any_bytes_may_be_changed_cut_or_put_in(format_: str, data: st.DataObject) -> None:
    whole = _jsonl(list(ROWS[format_]()))
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 60)))
    _read(format_, whole[:start] + data.draw(st.binary(max_size=20)) + whole[end:])


@pytest.mark.parametrize("format_", ROWS)
@given(order=st.data())
def test_records_in_any_order_lose_no_record_silently(format_: str, order: st.DataObject) -> None:
    rows = ROWS[format_]()
    shuffled = order.draw(st.permutations(rows))
    items = _read(format_, _jsonl(list(shuffled)))
    assert items
    assert not any("not JSON" in str(item) for item in items)


@pytest.mark.parametrize("format_", ["summaries", "memory-md", "notes"])
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-16")))
def test_older_memory_may_be_any_bytes(format_: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "old.md")
        file.write_bytes(data)
        with suppress(BadInput):
            list(reader(format_)(file, IntakeSettings()))


@given(JSON)
def test_summaries_may_be_any_json(value: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "old.json")
        row = {"date": "2026-11-30", "summary": value, "patterns": value, "message_count": value}
        for content in (value, [value], [row], {"memories": [row, value]}):
            file.write_text(json.dumps(content), encoding="utf-8")
            with suppress(BadInput):
                list(reader("summaries")(file, IntakeSettings()))
