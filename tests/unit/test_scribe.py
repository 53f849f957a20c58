from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dream_kit import brain, candidate, reconciler, said
from noctuary.dream.gate import check
from noctuary.dream.plan import Known, Plan, plan
from noctuary.memory.card import Card, Status
from noctuary.pages import Pages
from noctuary.pages.scribe import BEGIN, END, Scribe, put_between
from noctuary.vault.files import digest_of

PATH = "cards/facts/port.md"


def a_card() -> Card:
    work = reconciler()
    work.take(check([candidate(said("The port is 5000"), title="port")]).passed)
    (card,) = work.brain.cards.values()
    return card


def scribe(notes: dict[str, bytes]) -> Scribe:
    return Scribe(Pages(), notes.get, lambda card: (card.id,))


def disputed(raw: bytes, *, by_person: bool, base: bytes | None = None) -> Plan:
    card = a_card()
    mind = brain(frozenset({card.id}) if by_person else frozenset())
    mind.learn([(card, "port")])
    mind.put(replace(card, status=Status.DISPUTED, statement="The port is changed"))
    return plan(mind, {card.id: Known(card, PATH, digest_of(base or raw), by_person)})


def test_a_persons_card_gets_new_keys_and_keeps_its_body() -> None:
    raw = Pages().card(a_card()).replace("# port", "# My port\r\n%% mine %%").encode()
    (write,), problems = scribe({PATH: raw}).writes(disputed(raw, by_person=True))
    assert problems == []
    assert write.data is not None
    assert b"\nstatus: disputed\n" in write.data
    assert write.data.split(b"---\n", 2)[2] == raw.split(b"---\n", 2)[2]


def test_a_card_that_changed_meanwhile_is_left_alone_with_a_reason() -> None:
    raw = Pages().card(a_card()).encode()
    planned = disputed(raw, by_person=True, base=b"as it was read")
    writes, (problem,) = scribe({PATH: raw}).writes(planned)
    assert writes == []
    assert "changed while the dream was thinking" in str(problem)


def test_entries_rest_on_the_write_that_brings_their_receipts() -> None:
    card = a_card()
    mind = brain()
    mind.put(card)
    (write,), _ = scribe({}).writes(plan(mind, {}))
    assert write.entries == tuple((line.episode, line.entry) for line in card.evidence)


def test_generated_notes_are_written_only_when_their_bytes_change() -> None:
    clerk = scribe({"maps/a.md": b"same\n"})
    assert clerk.page("maps/a.md", "same\n") is None
    write = clerk.page("maps/a.md", "other\n")
    assert write is not None
    assert write.base == digest_of(b"same\n")


@given(st.text(), st.text(), st.text())
def test_what_stands_around_the_block_is_kept(above: str, below: str, block: str) -> None:
    if "<!-- noctuary:" in above + below:
        return
    first = put_between(above, block)
    around = first.replace(END, END + below)
    second = put_between(around, "next")
    assert second.startswith(above.rstrip("\n") if above.strip() else "")
    assert second.endswith(END + below + "\n")
    assert (second.count(BEGIN), second.count(END)) == (1, 1)


@given(st.lists(st.sampled_from([BEGIN, END, "<!-- noctuary:", "text", "\n"]), max_size=8))
def test_no_block_can_end_itself(pieces: list[str]) -> None:
    block = "".join(pieces)
    once = put_between("mine\n", block)
    assert (once.count(BEGIN), once.count(END)) == (1, 1)
    assert put_between(once, block) == once


def test_the_diff_names_what_is_new_gone_and_moved() -> None:
    raw = Pages().card(a_card()).encode()
    planned = disputed(raw, by_person=False)
    writes, _ = scribe({PATH: raw}).writes(planned)
    diff = scribe({PATH: raw}).diff(writes)
    assert f"--- a/{PATH}" in diff
    assert f"+++ b/{PATH}" in diff
    assert "+The port is changed" in diff
