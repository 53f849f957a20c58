from __future__ import annotations

import unicodedata
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctuary.vault.layout import dream_id, note_name
from noctuary.vault.names import MAX_BYTES, MAX_CHARS, card_file_name, name_key

DEVICES = {"con", "prn", "aux", "nul", "com1", "lpt9", "com²", "conin$"}


def assert_legal(name: str) -> None:
    stem = name.removesuffix(".md")
    assert name.endswith(".md")
    assert stem
    assert len(name) <= MAX_CHARS
    assert len(name.encode()) <= MAX_BYTES
    assert not set('<>:"/\\|?*#^[]%') & set(name)
    assert all(unicodedata.category(char)[0] != "C" for char in name)
    assert stem[0] not in ". -"
    assert stem[-1] not in ". "
    assert stem.split(".")[0].casefold() not in DEVICES
    assert unicodedata.normalize("NFC", name) == name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Budget at most 50,000 yuan", "budget-at-most-50-000-yuan.md"),
        ("预算不超过人民币五万元", "预算不超过人民币五万元.md"),
        ("Python 3.11 only", "python-3.11-only.md"),
        ("Ana's café", "anas-café.md"),
        ("CON", "note-con.md"),
        ("nul.txt", "note-nul.txt.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("[[link]] #tag ^block | a:b", "link-tag-block-a-b.md"),
        ("…", "card.md"),
        ("", "card.md"),
        ("index", "index-2.md"),
        ("a\u202eb\u200bc\ufeffd", "abcd.md"),
        ("line\nbreak\ttab", "line-break-tab.md"),
    ],
)
def test_titles_become_readable_names(title: str, name: str) -> None:
    assert card_file_name(title) == name
    assert_legal(name)


@settings(max_examples=400)
@given(st.text(max_size=300))
def test_any_title_becomes_a_legal_name(title: str) -> None:
    assert_legal(card_file_name(title))


@settings(max_examples=100)
@given(st.lists(st.text(max_size=80), max_size=30))
def test_names_are_unique_however_a_file_system_folds_them(titles: list[str]) -> None:
    taken: list[str] = []
    for title in titles:
        taken.append(card_file_name(title, taken))
    assert len({name_key(name) for name in taken}) == len(taken)


def test_taken_names_count_in_any_case_and_form() -> None:
    assert card_file_name("Straße", ["STRASSE"]) == "straße-2.md"
    assert card_file_name("café", ["CAFE\u0301.md"]) == "café-2.md"
    assert card_file_name("x", ["x", "x-2"]) == "x-3.md"


def test_long_titles_leave_room_for_a_number() -> None:
    first = card_file_name("字" * 300)
    second = card_file_name("字" * 300, [first])
    assert_legal(second)
    assert second != first


def test_dream_ids_follow_the_minute() -> None:
    at = datetime(2026, 11, 30, 3, 12, 5)
    assert dream_id(at) == "2026-11-30T0312"
    assert dream_id(at, {"2026-11-30T0312"}) == "2026-11-30T0312-2"
    assert note_name("dreams/2026/2026-11-30T0312.md") == "2026-11-30T0312"


@given(st.text(st.characters(max_codepoint=0x17F), max_size=30))
def test_names_without_any_other_letter_are_folded_the_short_way(name: str) -> None:
    folded = unicodedata.normalize("NFKC", name).casefold()
    assert name_key(name) == unicodedata.normalize("NFC", folded)
