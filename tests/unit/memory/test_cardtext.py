from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctuary.memory import cardtext
from noctuary.memory.card import Card, CardType, HistoryLine, Origin, Receipt, Status
from noctuary.memory.cardtext import BadCard, parse_card
from noctuary.memory.document import header
from noctuary.memory.entry import Role, Trust, hand_id

AT = datetime(2023, 5, 8, 13, 58)
EPISODE = "2023-05-08-chat-c26s1"


def receipt(number: int, quote: str, **more: object) -> Receipt:
    values: dict[str, object] = {
        "episode": EPISODE,
        "entry": f"e{number:010x}",
        "role": Role.USER,
        "at": AT + timedelta(minutes=number),
        "quote": quote,
    }
    return Receipt(**(values | more))  # type: ignore[arg-type]


CARD = Card(
    id="c7k2m9",
    type=CardType.CONSTRAINT,
    title="预算不超过人民币五万元",
    statement="预算不超过人民币五万元，只能使用开源技术栈。",
    importance=5,
    confidence=0.95,
    status=Status.ACTIVE,
    trust=Trust.USER,
    created=datetime(2026, 11, 30, 14, 2, 11),
    updated=datetime(2026, 12, 1, 3, 12, 5),
    last_referenced=date(2026, 12, 1),
    evidence=(receipt(0, "只能使用开源技术栈。"),),
    history=(HistoryLine(date(2026, 12, 1), "created by [[2026-12-01T0312]]"),),
    user="ana",
    project="website",
    source=(f"[[{EPISODE}#^e0000000000]]",),
    references=4,
    seen=3,
    aliases=("预算上限",),
    tags=("memory/constraint", "topic/budget"),
)
MINIMAL = "---\nid: c1\ntype: fact\nimportance: 3\ncreated: 2026-11-30\n---\n"


def rendered(card: Card) -> str:
    """A card as the shipped template puts it together."""
    sections = (
        cardtext.evidence_block(card),
        cardtext.replaced_block(card),
        cardtext.history_block(card),
    )
    statement = f"\n{cardtext.statement_block(card)}\n" if card.statement else ""
    tail = "".join(f"\n{section}" for section in sections if section)
    return f"{header(cardtext.card_meta(card))}# {cardtext.title_line(card)}\n{statement}{tail}"


def test_keys_stand_in_the_agreed_order() -> None:
    keys = (
        "id type importance confidence status trust user project source created updated"
        " last-referenced references seen origin aliases tags"
    )
    assert list(cardtext.card_meta(CARD)) == keys.split()


def test_optional_keys_only_when_set() -> None:
    bare = replace(CARD, user="", project="", aliases=(), tags=())
    assert not {"user", "project", "aliases", "tags"} & set(cardtext.card_meta(bare))
    full = replace(
        CARD,
        supersedes=("[[a]]",),
        superseded_by=("[[b]]",),
        valid_from=date(2026, 1, 1),
        valid_until=date(2026, 2, 1),
    )
    assert cardtext.card_meta(full)["valid-until"] == "2026-02-01"
    assert parse_card(rendered(full), "x") == full


def test_neighbours_share_a_callout() -> None:
    card = replace(
        CARD,
        evidence=(
            receipt(0, "I went.", gloss="yesterday = 7 May 2023"),
            receipt(4, "It helped.", at=AT + timedelta(seconds=9)),
            receipt(5, "two\n\nlines", gloss="today = 8 May 2023"),
        ),
    )
    assert cardtext.evidence_block(card) == (
        "## Evidence\n"
        "> [!quote] user · 2023-05-08 · [[2023-05-08-chat-c26s1]]\n"
        "> [[2023-05-08-chat-c26s1#^e0000000000|13:58]] I went. ⟦yesterday = 7 May 2023⟧\n"
        "> [[2023-05-08-chat-c26s1#^e0000000004|13:58:09]] It helped.\n"
        "\n"
        "> [!quote] user · 2023-05-08 14:03:00 · [[2023-05-08-chat-c26s1#^e0000000005]]\n"
        "> two\n>\n> lines ⟦today = 8 May 2023⟧\n"
    )
    assert parse_card(rendered(card), "x") == card


@pytest.mark.parametrize(
    "more",
    [
        {"episode": "other"},
        {"role": Role.ASSISTANT},
        {"at": AT + timedelta(days=1)},
        {"quote": "several\nlines"},
    ],
)
def test_others_have_a_callout_of_their_own(more: dict[str, Any]) -> None:
    card = replace(CARD, evidence=(receipt(0, "a"), replace(receipt(1, "b"), **more)))
    assert cardtext.evidence_block(card).count("> [!quote]") == 2
    assert parse_card(rendered(card), "x") == card


def test_replaced_lines_say_until_when_and_by_what() -> None:
    by = "[[2024-04-02-chat-x#^e0123456789]]"
    old = receipt(1, "blue", gloss="g", replaced=date(2024, 4, 2), replaced_by=by)
    card = replace(CARD, replaced=(old, receipt(2, "red", replaced=date(2024, 5, 1))))
    block = cardtext.replaced_block(card)
    assert f"blue ⟦g⟧ ⟦until 2024-04-02, by {by}⟧\n" in block
    assert "red ⟦until 2024-05-01⟧\n" in block
    assert parse_card(rendered(card), "x") == card


def test_disputed_lines_say_since_when_and_what_speaks_against_them() -> None:
    against = "[[2024-04-02-chat-x#^e0123456789]]"
    mark = {"disputed": date(2024, 4, 2), "disputed_by": against}
    lines = (receipt(1, "blue", gloss="g", **mark), receipt(2, "two\nlines", **mark))
    old = receipt(3, "red", replaced=date(2024, 5, 1), **mark)
    card = replace(CARD, evidence=lines, replaced=(old,))
    assert f"blue ⟦g⟧ ⟦disputed 2024-04-02, see {against}⟧\n" in cardtext.evidence_block(card)
    assert parse_card(rendered(card), "x") == card


def test_handwritten_sources_keep_their_id() -> None:
    same = receipt(0, "I like tea.", entry=hand_id("I like tea."))
    part = receipt(1, "tea", entry=hand_id("I like tea."))
    card = replace(CARD, evidence=(same, part))
    assert parse_card(rendered(card), "x").evidence == (same, part)
    assert cardtext.evidence_block(card).count("⟦") == 1


def test_a_digest_has_no_statement() -> None:
    card = replace(CARD, statement="", evidence=(receipt(0, "a"), receipt(1, "b")))
    assert "\n\n\n" not in rendered(card)
    assert parse_card(rendered(card), "x") == card


def test_a_statement_cannot_open_a_section() -> None:
    card = replace(CARD, statement="a\n## Evidence\n\\## History\n```\n## Replaced\n```\nz")
    assert parse_card(rendered(card), "x") == card


LINE = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="⟦⟧\u2028\u2029"), max_size=25
)
QUOTE = st.lists(
    st.one_of(LINE, st.sampled_from([" ⟦x⟧", "⟦", "## Evidence", "> [!quote] user", "", "a ⟦⟧"])),
    min_size=1,
    max_size=3,
).map("\n".join)
WORD = LINE.map(lambda text: " ".join(text.split()))
RECEIPT = st.builds(
    receipt,
    st.integers(0, 3000),
    QUOTE,
    role=st.sampled_from(Role),
    episode=st.sampled_from([EPISODE, "2026-11-30", "2026-11-30-助手-x"]),
    speaker=st.sampled_from(["", "Ana", "Ana · B", "小明", "a]] b", "100%"]),
    gloss=st.sampled_from(["", "yesterday = 7 May 2023", "昨天 = 2024年4月2日"]),
)
STATEMENT = st.lists(
    LINE.filter(lambda line: not line.startswith(("# ", "```", "~~~"))), max_size=3
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(RECEIPT, max_size=5),
    st.lists(RECEIPT, max_size=3),
    WORD.filter(bool),
    STATEMENT.map(lambda lines: "\n".join(lines).strip("\n")),
    st.dictionaries(st.sampled_from(["cssclasses", "mine", "x y"]), st.lists(WORD, max_size=2)),
    st.lists(WORD.filter(bool), max_size=3),
)
def test_any_card_comes_back(
    evidence: list[Receipt],
    replaced: list[Receipt],
    title: str,
    statement: str,
    extra: dict[str, object],
    words: list[str],
) -> None:
    card = replace(
        CARD,
        evidence=tuple(
            replace(one, disputed=date(2024, 4, 2), disputed_by="[[n#^e1]]") if at % 2 else one
            for at, one in enumerate(evidence)
        ),
        replaced=tuple(replace(one, replaced=date(2024, 4, 2)) for one in replaced),
        title=title,
        statement=statement if statement.strip() else "",
        extra=extra,
        aliases=tuple(words),
        source=tuple(f"[[{word}]]" for word in words),
    )
    text = rendered(card)
    assert parse_card(text, "x") == card
    assert rendered(parse_card(text, "x")) == text


def test_a_person_may_reorder_add_and_write() -> None:
    text = (
        "---\ncreated: 2026-11-30\nmine: yes\ntype: fact\ncssclasses:\n  - wide\nid: c1\n"
        "importance: 3\nsource: [[Note]]\ntags: '#topic/tea'\n---\n"
        "# Tea\n\nOne.\n\n## My notes\nTwo.\n\n"
        "## History\n- 2026-12-01 made\n- no date\n\n"
        "## Evidence\nloose words\n"
        "> [!note] mine\n> x\n\n"
        "> [!quote] user · 2026-11-30 14:02:11 · [[2026-11-30#^e0123456789]]\n> tea\n"
        "\n## Afterthoughts\n> [!quote] user · 2026-11-30 14:02:11 · [[x#^e0123456789]]\n> no\n"
    )
    card = parse_card(text, "x")
    assert card.title == "Tea"
    assert card.statement == "One.\n\n## My notes\nTwo."
    assert [one.quote for one in card.evidence] == ["tea"]
    assert card.history == (HistoryLine(date(2026, 12, 1), "made"),)
    assert card.extra == {"mine": "yes", "cssclasses": ["wide"]}
    assert (card.source, card.tags) == (("[[Note]]",), ("topic/tea",))
    assert (card.origin, card.status, card.trust) == (Origin.HUMAN, Status.ACTIVE, Trust.USER)


def test_line_ends_of_windows_do_no_harm() -> None:
    assert parse_card(rendered(CARD).replace("\n", "\r\n"), "x") == CARD


def test_the_name_stands_in_for_a_missing_title() -> None:
    card = parse_card(MINIMAL + "I drink tea.\n", "tea")
    assert (card.title, card.statement) == ("tea", "I drink tea.")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("id: c1\n", "", "`id`"),
        ("type: fact", "type: thought", "`type`"),
        ("type: fact\n", "", "`type`"),
        ("importance: 3", "importance: 9", "`importance`"),
        ("importance: 3", "importance: high", "`importance`"),
        ("importance: 3", "importance: true", "`importance`"),
        ("created: 2026-11-30", "created: soon", "`created`"),
        ("created: 2026-11-30", "created: 2026-13-45", "`created`"),
        ("created: 2026-11-30\n", "", "`created`"),
        ("id: c1", "id: c1\nlast-referenced: x", "`last-referenced`"),
        ("id: c1", "id: c1\nstatus: gone", "`status`"),
        ("id: c1", "id: c1\nconfidence: 7", "`confidence`"),
        ("id: c1", "id: c1\nuser:\n  - a", "`user`"),
        ("id: c1", "id: c1\nid: c2", "twice"),
    ],
)
def test_what_must_be_right_is_named(old: str, new: str, says: str) -> None:
    with pytest.raises(BadCard, match=says):
        parse_card(MINIMAL.replace(old, new), "x")


def test_no_header_is_no_card() -> None:
    with pytest.raises(BadCard, match="frontmatter"):
        parse_card("# Title\n", "x")


def test_people_in_one_callout_stand_beside_the_time() -> None:
    lines = (receipt(0, "a"), replace(receipt(1, "b"), speaker="Ana [x] | y"))
    card = replace(CARD, evidence=lines)
    assert cardtext.evidence_block(card).count("> [!quote]") == 1
    assert parse_card(rendered(card), "x").evidence == lines


def test_more_words_of_one_turn_follow_without_a_second_link() -> None:
    first = receipt(0, "We ship in May.")
    more = replace(first, quote="… and Ana knows.", gloss="May = May 2023")
    other = receipt(1, "… begins like one")
    card = replace(CARD, evidence=(first, more, other))
    block = cardtext.evidence_block(card)
    assert "\n> … … and Ana knows. ⟦May = May 2023⟧\n" in block
    assert parse_card(rendered(card), "x").evidence == (first, more, other)
