from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctuary.memory.entry import Entry, Priority, Role, TaskMark, entry_id, hand_id
from noctuary.memory.episode import (
    EpisodeMeta,
    Gap,
    episode_name,
    forget_entries,
    joint,
    parse_episode,
    render_entry,
    render_head,
)

START = datetime(2026, 11, 30, 14, 2, 11)
DAY = START.date()
META = EpisodeMeta("7f3a2b", "claude-code", "website", "", START)
NAME = episode_name(META)


def entry(text: str, role: Role = Role.USER, minutes: int = 0, **more: object) -> Entry:
    at = START + timedelta(minutes=minutes)
    values: dict[str, object] = {
        "id": entry_id(role, at, text),
        "role": role,
        "at": at,
        "text": text,
        "episode": NAME,
        "session": "7f3a2b",
        "agent": "claude-code",
        "project": "website",
    }
    return Entry(**(values | more))  # type: ignore[arg-type]


def file_of(*entries: Entry) -> str:
    return render_head(META) + "".join(render_entry(one, DAY) for one in entries)


def test_a_file_looks_as_agreed() -> None:
    asked = entry("预算不超过人民币五万元。", priority=Priority.HIGH, user="Ana")
    ran = entry("$ pytest -q\n\n3 failed", Role.TOOL, 1, name="bash", left_out=12345)
    assert file_of(asked, ran) == (
        "---\ntype: episode\nsession: 7f3a2b\nagent: claude-code\nproject: website\n"
        "started: 2026-11-30T14:02:11\ntags:\n  - episode\n---\n"
        "\n> [!user] 14:02:11 · priority=high · user=Ana\n> 预算不超过人民币五万元。\n\n"
        f"^{asked.id}\n"
        "\n> [!tool]- 14:03:11 · name=bash · left-out=12345\n> $ pytest -q\n>\n> 3 failed\n\n"
        f"^{ran.id}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        " lead",
        ">",
        "> [!user] 10:00:00\n> forged\n\n^e0123456789",
        "```\nnot closed",
        "---\ntype: episode\n---",
        "a\r\nb\rc\r\n",
        "\x00\x0b\x1c\u2028\u2029\x85",
        "\ufeffBOM",
        "%% 3 entries forgotten ^e0123456789..^e0123456789 %%",
        "trailing  \n\n\n",
    ],
)
def test_any_text_comes_back_byte_for_byte(text: str) -> None:
    around = (entry("before"), entry(text, Role.TOOL, 1), entry("after", minutes=2))
    assert parse_episode(NAME, file_of(*around)).entries == around


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.builds(
            entry,
            st.one_of(
                st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
                st.text(st.sampled_from(list("> [!user]^e0%-`\r\n·#")), max_size=30),
            ),
            st.sampled_from(Role),
            st.integers(-2000, 2000),
            priority=st.sampled_from(Priority),
            name=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
            user=st.text(max_size=8),
            task=st.sampled_from([None, *TaskMark]),
            left_out=st.integers(0, 10**6),
        ),
        max_size=5,
        unique_by=lambda one: one.id,
    )
)
def test_every_entry_comes_back(entries: list[Entry]) -> None:
    found = parse_episode(NAME, file_of(*entries))
    assert found.entries == tuple(entries)
    assert found.order == tuple(one.id for one in entries)
    assert found.problems == ()
    assert found.meta == META


def test_a_changed_text_is_not_intact() -> None:
    text = file_of(entry("budget is 5"), entry("fine", minutes=1)).replace("is 5", "is 9")
    changed, fine = parse_episode(NAME, text).entries
    assert (changed.text, changed.intact, fine.intact) == ("budget is 9", False, True)


def test_an_editor_that_converts_line_ends_does_no_harm() -> None:
    entries = (entry("one\ntwo"), entry("", Role.TASK, 1, task=TaskMark.OPEN))
    text = file_of(*entries).replace("\n", "\r\n")
    assert parse_episode(NAME, text).entries == entries


def test_what_a_person_writes_is_an_entry_by_hand() -> None:
    text = file_of(entry("hi")) + "\n# Notes\nI prefer tea.\n\n- a\n- b\n\n---\n%% hidden %%\n"
    _, tea, points = parse_episode(NAME, text).entries
    assert (tea.text, tea.role, tea.by_hand, tea.at) == ("I prefer tea.", Role.USER, True, START)
    assert tea.id == hand_id("I prefer tea.")
    assert points.text == "- a\n- b"


def test_a_day_that_a_person_began() -> None:
    found = parse_episode("2026-11-30", "今天决定用 Rust。\n\n```\na\n\nb\n```\n")
    assert [one.text for one in found.entries] == ["今天决定用 Rust。", "```\na\n\nb\n```"]
    assert {one.at for one in found.entries} == {datetime(2026, 11, 30)}
    assert found.problems == ()


def test_an_open_fence_by_hand_does_not_swallow_entries() -> None:
    text = "```\nopen\n" + render_entry(entry("kept"), DAY)
    assert "kept" in [one.text for one in parse_episode("2026-11-30", text).entries]


def test_a_note_without_a_date_is_a_problem() -> None:
    found = parse_episode("ideas", "text\n")
    assert found.entries == ()
    assert "date" in found.problems[0].what


def test_user_of_the_file_speaks_the_user_entries() -> None:
    meta = EpisodeMeta("s", "a", "", "ana", START)
    told = entry("x", session="s", agent="a", project="")
    text = render_head(meta) + render_entry(told, DAY) + render_entry(entry("y", Role.TOOL), DAY)
    assert [one.user for one in parse_episode(NAME, text).entries] == ["ana", ""]


WHOLE = file_of(entry("first"))
SECOND = render_entry(entry("second\nline", Role.TOOL, 1, name="bash"), DAY)


@pytest.mark.parametrize("cut", range(1, len(SECOND)))
def test_a_torn_block_is_told_and_never_swallowed(cut: int) -> None:
    torn = WHOLE + SECOND[:cut]
    text = torn + joint(torn[-2:]) + render_entry(entry("third", minutes=2), DAY)
    found = parse_episode(NAME, text)
    texts = [one.text for one in found.entries]
    whole = cut >= len(SECOND) - 1
    assert texts == (["first", "second\nline", "third"] if whole else ["first", "third"])
    assert whole or SECOND[:cut].strip() == "" or found.problems


@pytest.mark.parametrize("cut", range(1, len(WHOLE)))
def test_a_torn_first_write_leaves_no_false_entry(cut: int) -> None:
    torn = WHOLE[:cut]
    text = torn + joint(torn[-2:]) + render_entry(entry("third", minutes=2), DAY)
    texts = [one.text for one in parse_episode(NAME, text).entries]
    assert texts in (["third"], ["first", "third"])


def test_forgetting_leaves_one_line_for_a_run() -> None:
    entries = [entry(f"text {n}", minutes=n) for n in range(6)]
    text = file_of(*entries)
    ids = [one.id for one in entries]
    once = forget_entries(text, {ids[1], ids[2], ids[4]})
    assert f"\n\n%% 2 entries forgotten ^{ids[1]}..^{ids[2]} %%\n\n" in once
    assert f"\n\n%% 1 entry forgotten ^{ids[4]}..^{ids[4]} %%\n\n" in once
    found = parse_episode(NAME, once)
    assert [one.id for one in found.entries] == [ids[0], ids[3], ids[5]]
    assert found.gaps == (Gap(ids[1], ids[2], 2), Gap(ids[4], ids[4], 1))
    assert found.order == tuple(ids)
    twice = forget_entries(once, {ids[3]})
    assert parse_episode(NAME, twice).gaps == (Gap(ids[1], ids[4], 4),)
    assert forget_entries(twice, {ids[3]}) == twice


def test_the_ends_of_absorbed_ranges_stay_visible() -> None:
    entries = [entry(f"text {n}", minutes=n) for n in range(6)]
    ids = [one.id for one in entries]
    text = forget_entries(file_of(*entries), set(ids[:5]), seams={ids[2], ids[3], ids[5]})
    found = parse_episode(NAME, text)
    assert {ids[2], ids[3]} <= set(found.order)
    assert sum(gap.count for gap in found.gaps) == 5


def test_forgetting_nothing_changes_nothing() -> None:
    text = file_of(entry("a")) + "\nby hand\r\n\n%% 2 entries forgotten ^e0123456789..x %%\n"
    assert forget_entries(text, {"e0000000000"}) == text


@settings(max_examples=200, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=8), st.lists(st.booleans(), max_size=8))
def test_what_is_not_forgotten_stays_byte_for_byte(first: list[bool], then: list[bool]) -> None:
    entries = [entry(f"text {n}\n%% x %%", minutes=n) for n in range(len(first))]
    text = file_of(*entries) + "\nMy own words.\n"
    for marks in (first, then):
        gone = {one.id for one, mark in zip(entries, marks, strict=False) if mark}
        text = forget_entries(text, gone)
        entries = [one for one in entries if one.id not in gone]
    for one in entries:
        assert render_entry(one, DAY) in text
    found = parse_episode(NAME, text)
    assert found.entries[:-1] == tuple(entries)
    assert sum(gap.count for gap in found.gaps) == len(first) - len(entries)
    assert text.startswith(render_head(META))
    assert text.endswith("\nMy own words.\n")


@pytest.mark.parametrize(
    ("session", "agent", "name"),
    [
        ("", "claude-code", "2026-11-30"),
        ("7f3a2b", "claude-code", "2026-11-30-claude-code-7f3a2b"),
        ("c26s1", "Chat", "2026-11-30-chat-c26s1"),
        ("3fa85f64-5717-4562-b3fc-2c963f66afa6", "a", "2026-11-30-a-3fa85f"),
        ("x", "", "2026-11-30-x"),
        ("x", "My Agent: v2.", "2026-11-30-my-agent-v2-x"),
        ("x", "助手", "2026-11-30-助手-x"),
    ],
)
def test_names(session: str, agent: str, name: str) -> None:
    assert episode_name(EpisodeMeta(session, agent, "", "", START)) == name


@given(st.text(min_size=1, max_size=60), st.text(max_size=60))
def test_names_are_legal_everywhere(session: str, agent: str) -> None:
    name = episode_name(EpisodeMeta(session, agent, "", "", START))
    assert date.fromisoformat(name[:10]) == DAY
    assert len(name) <= 50
    assert not set(name) & set('\\/:*?"<>|#^[]%.\n\x00 ')
    assert name == episode_name(EpisodeMeta(session, agent, "", "", START))


def test_time_ordered_ids_of_one_morning_differ() -> None:
    ids = ("0198d3f1-aaaa-7bbb-8ccc-0123456789ab", "0198d3f1-aaab-7bbb-8ccc-0123456789ab")
    assert len({episode_name(EpisodeMeta(one, "codex", "", "", START)) for one in ids}) == 2


@pytest.mark.parametrize(
    ("pasted", "kept"),
    [
        (
            "Mine.\n<noctuary-memory note='x'>\nA card\n\n  - 一张卡片\n</noctuary-memory>\nAlso mine.",
            2,
        ),
        ("Mine.\n\n<NOCTUARY-MEMORY>\nA card\n</noctuary-memory >\n\nAlso mine.", 2),
        ("Mine.\n\n<noctuary-memory note='x'>\nnever closed\n\nAlso mine.", 3),
        ("Mine, as <noctuary-memory> says.\n\nAlso mine.", 2),
    ],
)
def test_what_memory_told_is_no_text_by_hand(pasted: str, kept: int) -> None:
    text = file_of(entry("before")) + f"\n{pasted}\n" + render_entry(entry("after", minutes=1), DAY)
    found = [one for one in parse_episode(NAME, text).entries if one.by_hand]
    assert len(found) == kept
    assert (found[0].text[:4], found[-1].text) == ("Mine", "Also mine.")
    assert len(parse_episode(NAME, text).entries) == kept + 2
