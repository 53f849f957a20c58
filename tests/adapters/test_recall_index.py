from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, NoReturn

import pytest

from noctuary.memory.card import CardType, Status
from noctuary.recall.index import IndexDamagedError
from noctuary.recall.packed import decode, encode
from noctuary.recall.passages import card_passages
from noctuary.recall.ranking import Filters
from noctuary.recall.recall import Recall
from noctuary.resources import cache_folder
from recall_samples import EPISODE, NOW, OnDisk, card, entry, on_disk, receipt

if TYPE_CHECKING:
    from pathlib import Path

TEA = on_disk("tea", card("Tea", receipt("I drink green tea every morning.")))
BUDGET = on_disk(
    "预算",
    card("预算", receipt("预算不超过人民币五万元，只能使用开源技术栈。"), type=CardType.CONSTRAINT),
)


class _Untouchable(list[OnDisk]):
    """Cards that nobody may look at."""

    def __iter__(self) -> NoReturn:
        raise AssertionError


def texts(recall: Recall, query: str, filters: Filters | None = None) -> list[str]:
    answer = recall.search(query, now=NOW, filters=filters or Filters())
    return [hit.text for hit in answer.hits]


@pytest.fixture
def recall(tmp_path: Path) -> Recall:
    return Recall.open(tmp_path / "cache")


@pytest.mark.parametrize("query", ["green tea", "TEAS", "What do I drink in the mornings?"])
def test_english_is_found_by_its_forms(recall: Recall, query: str) -> None:
    recall.sync([TEA, BUDGET])
    assert "green tea" in texts(recall, query)[0]


@pytest.mark.parametrize("query", ["预算", "开源", "预算是多少？", "五万元"])
def test_chinese_is_found_by_two_characters(recall: Recall, query: str) -> None:
    recall.sync([TEA, BUDGET])
    assert "预算不超过人民币五万元" in texts(recall, query)[0]


def test_a_day_is_found_however_it_is_written(recall: Recall) -> None:
    recall.sync([on_disk("a", card("a", receipt("I saw Ann.", "2023-05-08T10:00:00"))), TEA])
    for query in ("8 May 2023", "2023-05-08", "2023年5月8日", "May 8, 2023"):
        assert "I saw Ann." in texts(recall, query)[0], query


@pytest.mark.parametrize(
    ("before", "after", "asked", "was", "told"),
    [
        (
            "The fence budget is 300 euros.",
            "The fence budget is 400 euros.",
            "What is the fence budget?",
            "What was the original budget of the fence?",
            "The fence budget is 300 euros. [until 1 December 2026]",
        ),
        (
            "围栏的预算是三百元。",
            "围栏的预算是四百元。",
            "围栏的预算是多少？",
            "围栏最初的预算是多少？",
            "围栏的预算是三百元。 [至2026年12月1日]",
        ),
    ],
)
def test_what_was_so_before_is_told_where_it_is_asked_for(
    recall: Recall, before: str, after: str, asked: str, was: str, told: str
) -> None:
    new = receipt(after, "2026-12-01T10:00:00")
    old = receipt(before, replaced=date(2026, 12, 1), replaced_by=new.link)
    recall.sync([on_disk("f", card("Fence", new, replaced=(old,)))])
    for filters in (None, Filters()):
        now = "\n".join(hit.text for hit in recall.search(asked, now=NOW, filters=filters).hits)
        assert before not in now
        then = recall.search(was, now=NOW, filters=filters).hits[0].text.splitlines()
        assert after in then[0]
        assert then[1].endswith(told)


def test_nothing_matches_nothing_is_told(recall: Recall) -> None:
    recall.sync([TEA])
    assert texts(recall, "helicopter") == []
    assert texts(recall, "") == []


def test_an_empty_memory_answers_nothing(recall: Recall) -> None:
    assert texts(recall, "tea") == []


def test_short_term_entries_are_found_beside_cards(recall: Recall) -> None:
    recall.sync([TEA], [entry("The green door is locked.")])
    answer = recall.search("green", now=NOW)
    assert {hit.kind for hit in answer.hits} == {"card", "entry"}
    found = next(hit for hit in answer.hits if hit.kind == "entry")
    assert found.path == f"episodes/2026/11/{EPISODE}.md"


def test_unchanged_cards_are_never_read_again(tmp_path: Path) -> None:
    tea, rule = replace(TEA, reads=0), replace(BUDGET, reads=0)
    Recall.open(tmp_path).sync([tea, rule])
    Recall.open(tmp_path).sync([tea, rule, on_disk("new", card("new", receipt("coffee")))])
    assert (tea.reads, rule.reads) == (1, 1)


def test_a_changed_card_is_found_by_its_new_words_only(recall: Recall) -> None:
    recall.sync([TEA])
    recall.sync([on_disk("tea", card("Tea", receipt("I drink coffee.")), digest="2")])
    assert texts(recall, "green") == []
    assert "coffee" in texts(recall, "coffee")[0]


def test_what_is_gone_is_not_found(recall: Recall) -> None:
    recall.sync([TEA, BUDGET], [entry("The green door is locked.")])
    recall.sync([BUDGET])
    assert texts(recall, "green") == []


def test_a_card_that_cannot_be_read_is_left_out(recall: Recall) -> None:
    assert recall.sync([OnDisk("cards/facts/bad.md", "1", None), TEA])
    assert len(texts(recall, "tea")) == 1
    assert [head.title for head in recall.heads()] == ["Tea"]


def test_several_readers_see_what_a_writer_adds(tmp_path: Path) -> None:
    readers = [Recall.open(tmp_path) for _ in range(3)]
    for reader in readers:
        reader.sync([TEA])
    Recall.open(tmp_path).sync([TEA, BUDGET])
    for reader in readers:
        reader.sync([TEA, BUDGET])
        assert len(texts(reader, "预算")) == 1


def test_while_another_process_writes_the_index_is_left_alone(tmp_path: Path) -> None:
    from filelock import FileLock

    recall = Recall.open(tmp_path)
    recall.sync([TEA])
    with FileLock(tmp_path / "lock"):
        assert recall.sync([TEA, BUDGET]) is False
        assert len(texts(recall, "tea")) == 1


@pytest.mark.parametrize("damage", ["garbage", "empty", "gone"])
def test_a_damaged_index_is_rebuilt(tmp_path: Path, damage: str) -> None:
    Recall.open(tmp_path).sync([TEA, BUDGET])
    for file in (tmp_path / "index").iterdir():
        if damage == "gone":
            file.unlink()
        else:
            file.write_bytes(b"" if damage == "empty" else b"\x00garbage" * 40)
    recall = Recall.open(tmp_path)
    try:
        recall.sync([TEA, BUDGET])
        found = texts(recall, "green tea")
    except IndexDamagedError:
        recall.sync([TEA, BUDGET])
        found = texts(recall, "green tea")
    assert len(found) == 1


@pytest.mark.parametrize("seal", ["", "one"])
@pytest.mark.parametrize("name", ["owners.bin", "mark.json"])
@pytest.mark.parametrize("damage", ["garbage", "empty", "cut", "one byte"])
def test_damaged_notes_beside_the_index_are_made_anew(
    tmp_path: Path, name: str, damage: str, seal: str
) -> None:
    Recall.open(tmp_path).sync([TEA], seal="one")
    file = tmp_path / name
    whole = file.read_bytes()
    bad = {"garbage": b"{not json", "empty": b"", "cut": whole[:-9]}
    file.write_bytes(bad.get(damage, whole.replace(b"Tea", b"Teb").replace(b"one", b"two")))
    recall = Recall.open(tmp_path)
    recall.sync([TEA], seal=seal)
    assert len(texts(recall, "tea")) == 1
    assert [head.title for head in recall.heads()] == ["Tea"]


def test_heads_that_are_damaged_unseen_are_said_to_be_and_made_anew(tmp_path: Path) -> None:
    Recall.open(tmp_path).sync([TEA], seal="one")
    file, found = tmp_path / "owners.bin", (tmp_path / "owners.bin").stat()
    file.write_bytes(file.read_bytes().replace(b"Tea", b"Teb"))
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    recall = Recall.open(tmp_path)
    recall.sync([TEA], seal="one")
    with pytest.raises(IndexDamagedError):
        recall.heads()
    recall.sync([TEA], seal="one")
    assert [head.title for head in recall.heads()] == ["Tea"]


def test_cards_under_the_seal_they_were_left_with_are_not_looked_at(tmp_path: Path) -> None:
    said = [entry("The green door is locked.")]
    Recall.open(tmp_path).sync([TEA, BUDGET], said, seal="one")
    recall = Recall.open(tmp_path)
    assert recall.sync(_Untouchable(), said, seal="one")
    assert len(texts(recall, "green tea")) >= 1


def test_another_seal_or_another_entry_is_looked_at(tmp_path: Path) -> None:
    said = entry("The green door is locked.")
    Recall.open(tmp_path).sync([TEA], [said], seal="one")
    recall = Recall.open(tmp_path)
    recall.sync([TEA, BUDGET], [said], seal="two")
    assert len(texts(recall, "预算")) == 1
    recall.sync([TEA, BUDGET], [said, entry("A key lies under the mat.")], seal="two")
    assert "under the mat" in texts(recall, "mat")[0]
    recall.sync([TEA, BUDGET], [], seal="two")
    assert not any("door" in text for text in texts(recall, "door"))


def test_a_seal_says_nothing_of_what_another_process_wrote_since(tmp_path: Path) -> None:
    first = Recall.open(tmp_path)
    first.sync([TEA], seal="one")
    Recall.open(tmp_path).sync([TEA, BUDGET])
    first.sync([TEA], seal="one")
    assert texts(first, "预算") == []


@pytest.mark.parametrize(
    "name", ["a\tb", "a\nb", "a\\nb", "a\u2028b", "\ud800", 'a"b', "预算", "é"]
)
def test_a_card_may_have_any_name_that_a_file_can_have(tmp_path: Path, name: str) -> None:
    odd = on_disk(name, card("Odd", receipt("I keep bees.")))
    Recall.open(tmp_path).sync([TEA, odd])
    recall = Recall.open(tmp_path)
    recall.sync([OnDisk(one.path, one.digest, None) for one in (TEA, odd)])
    assert len(texts(recall, "bees")) == 1
    assert sorted(head.title for head in recall.heads()) == ["Odd", "Tea"]
    recall.sync([TEA])
    assert texts(recall, "bees") == []


def test_the_new_value_comes_though_only_the_old_one_matches(recall: Recall) -> None:
    new = receipt("It has moved to ten past nine.", "2026-12-01T10:00:00")
    old = receipt("The standup is at nine.", replaced=date(2026, 12, 1), replaced_by=new.link)
    recall.sync([on_disk("s", card("Daily", new, replaced=(old,)))])
    found = texts(recall, "When is the standup?")
    assert "ten past nine" in found[0]
    assert "is at nine" not in "".join(found)


def test_the_card_that_superseded_another_comes_in_its_place(recall: Recall) -> None:
    new = card("Where I live", receipt("Moved to Graz."), statement="The person lives in Graz.")
    old = card(
        "Flat",
        receipt("My flat is in Linz."),
        status=Status.SUPERSEDED,
        superseded_by=("[[home]]",),
    )
    recall.sync([on_disk("home", new), on_disk("flat", old)])
    found = texts(recall, "Where is my flat?")
    assert "Graz" in found[0]
    assert not any("Linz" in text for text in found)


def test_archived_shows_the_old_line_behind_the_new_one(recall: Recall) -> None:
    new = receipt("The limit is ten.", "2026-12-01T10:00:00")
    old = receipt("The limit is five.", replaced=date(2026, 12, 1), replaced_by=new.link)
    recall.sync([on_disk("s", card("Limit", new, replaced=(old,)))])
    ranked = recall.ranked("limit five", now=NOW, limit=20, filters=Filters(archived=True))
    assert [one.passage.text for one in ranked] == ["The limit is ten.", "The limit is five."]


def test_as_of_a_day_tells_what_held_then(recall: Recall) -> None:
    new = receipt("The limit is ten.", "2026-12-01T10:00:00")
    old = receipt("The limit is five.", replaced=date(2026, 12, 1), replaced_by=new.link)
    recall.sync([on_disk("s", card("Limit", new, replaced=(old,)))])
    then = texts(recall, "What is the limit?", Filters(as_of=date(2026, 11, 30)))
    assert len(then) == 1
    assert "five" in then[0]


def test_the_cache_may_lie_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path))
    assert cache_folder("vault-1") == tmp_path / "vault-1"


def test_the_cache_lies_in_the_users_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOCTUARY_CACHE", raising=False)
    assert cache_folder("vault-1").parts[-2:] == ("noctuary", "vault-1")


def test_a_stored_passage_comes_back_whole() -> None:
    old = receipt("今天\u2028“five” \x1f", replaced=date(2026, 12, 1), replaced_by="[[a#^e1]]")
    for one in card_passages(card("T", replaced=(old,), valid_until=NOW.date()), "cards/t.md"):
        assert decode(encode(one.passage)) == one.passage


@pytest.mark.parametrize("word", ["budget", "预算"])
def test_what_belongs_there_is_found_behind_any_number_of_others(recall: Recall, word: str) -> None:
    others = [
        on_disk(f"o{n}", card(f"{word} {n}", receipt(f"{word} {word} {n}"), project="other"))
        for n in range(120)
    ]
    mine = on_disk("mine", card("mine", receipt(f"On tea: the {word}, at last."), project="site"))
    recall.sync([*others, mine])
    found = recall.search(word, now=NOW, budget=100, filters=Filters(project="site"))
    assert [hit.title for hit in found.hits] == ["mine"]


def test_a_card_that_can_no_longer_be_read_leaves_nothing_behind(recall: Recall) -> None:
    recall.sync([TEA, BUDGET])
    recall.sync([OnDisk(TEA.path, "2", None), BUDGET])
    assert texts(recall, "green tea") == []
    assert [head.title for head in recall.heads()] == ["预算"]


def test_an_entry_that_two_episodes_hold_is_told_once(recall: Recall) -> None:
    twice = entry("The green door is locked.")
    recall.sync([], [twice, replace(twice, session="other")])
    assert len(recall.ranked("green door", now=NOW, limit=10)) == 1
    recall.sync([], [twice])
    assert len(recall.ranked("green door", now=NOW, limit=10)) == 1


def test_entries_may_come_as_a_stream_and_a_damaged_index_is_still_made_anew(
    tmp_path: Path,
) -> None:
    Recall.open(tmp_path).sync([TEA], [entry("The green door is locked.")])
    for file in (tmp_path / "index").glob("*.store"):
        file.unlink()
    recall = Recall.open(tmp_path)
    said = [entry("The green door is locked."), entry("It is open again.", "2026-11-30T15:00:00")]
    recall.sync(iter([TEA]), iter(said))
    assert "locked" in " ".join(texts(recall, "green door"))
