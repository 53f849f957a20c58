from __future__ import annotations

from typing import TYPE_CHECKING

from dream_kit import said
from noctuary.dream.ledger import Lines, accounts, balance, mend
from noctuary.memory.candidate import Score, Scored
from noctuary.memory.facts import hard_facts
from noctuary.memory.sentences import Sentence, sentences

if TYPE_CHECKING:
    import pytest


def scored(text: str, value: int, minute: int = 0) -> Scored:
    return Scored(said(text, minute), Score(value))


def test_facts_on_no_card_are_lost_and_noise_is_not_counted() -> None:
    items = [scored("We ship v2.3.1 on 2026-12-24.", 3), scored("It was 12:30 then.", 1)]
    found = balance(accounts(items, {}))
    assert found.kept == 0
    assert {text for text, _ in found.lost} >= {"2026-12-24"}
    assert all("12:30" not in text for text, _ in found.lost)


def test_a_quote_that_holds_the_fact_keeps_it() -> None:
    item = scored("We ship on 2026-12-24.", 3)
    found = balance(accounts([item], {item.entry.link: "ship on 2026-12-24"}))
    assert (len(found.lost), found.share_lost) == (0, 0.0)
    assert found.kept >= 1


def test_mending_quotes_every_lost_fact_of_an_entry_that_matters() -> None:
    item = scored("Hello. The port is 5000. Nice weather. The host is db.example.com.", 5)
    (digest,) = mend(accounts([item], {}), 1.0, " / ".join)
    quotes = [quote.text for quote in digest.quotes]
    assert any("5000" in quote for quote in quotes)
    assert all("weather" not in quote for quote in quotes)
    assert all(quote in item.entry.text for quote in quotes)
    assert digest.title == " / ".join(quotes)


def test_minor_entries_are_mended_only_down_to_the_threshold() -> None:
    items = [scored(f"Number {n}00 it is.", 2, n) for n in range(1, 51)]
    found = accounts(items, {})
    total = sum(account.facts for account in found)
    mended = {quote.entry.id for digest in mend(found, 0.1, str) for quote in digest.quotes}
    left = [account for account in found if account.entry.id not in mended]
    assert 0 < sum(len(account.lost) for account in left) <= total * 0.1


def test_secrets_are_not_facts_to_keep() -> None:
    secret = "ghp_" + "A1b2" * 9
    (account,) = accounts([scored(f"token {secret}", 4)], {})
    assert all(secret not in fact.text for fact in account.lost)


def test_a_huge_line_is_cut_around_its_fact() -> None:
    text = "blah " * 5000 + "port 5000 " + "blah " * 5000
    fact = next(fact for fact in hard_facts(text) if "5000" in fact.text)
    (line,) = Lines(text).holding([fact])
    assert "5000" in line
    assert len(line) <= 400
    assert line in text


def test_a_run_on_sentence_is_cut_between_clauses_and_told_once() -> None:
    clauses = [
        f"then we measured part {n} of the long wall and it was {n * 7} cm" for n in range(40)
    ]
    text = ", ".join(clauses)
    facts = [fact for fact in hard_facts(text) if fact.kind == "quantity"]
    lines = Lines(text).holding(facts)
    assert all(fact.text in "\n".join(lines) for fact in facts)
    assert all(len(line) <= 400 and line in text for line in lines)
    assert sum(map(len, lines)) <= len(text)
    assert all(line.startswith("then we measured") for line in lines)
    assert all(line.rstrip(", ").endswith("cm") for line in lines)


def test_a_run_on_chinese_sentence_is_cut_between_clauses() -> None:
    text = "，".join(f"第{n}段墙量出来一共是{n * 7 + 1}厘米还要再刷一遍白色的漆" for n in range(60))
    facts = [fact for fact in hard_facts(text) if "厘米" in fact.text]
    lines = Lines(text).holding(facts)
    assert all(fact.text in "\n".join(lines) for fact in facts)
    assert all(line.startswith("第") and len(line) <= 400 for line in lines)


def test_a_text_is_cut_once_however_many_of_its_facts_are_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cut: list[str] = []

    def counted(text: str) -> list[Sentence]:
        cut.append(text)
        return sentences(text)

    text = "\n".join(f"The part {n} costs {n * 7 + 1000} euros." for n in range(300))
    monkeypatch.setattr("noctuary.dream.ledger.sentences", counted)
    lines = Lines(text)
    told = [line for fact in hard_facts(text) for line in lines.holding([fact])]
    assert set(told) == set(text.splitlines())
    assert cut == [text]
