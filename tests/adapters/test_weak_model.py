"""A small model that does half of what it is asked: what is of use is taken, rules do the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from model_server import (
    Answer,
    Call,
    completion,
    distiller_for,
    error,
    honest,
    profile_for,
    says,
    sensible,
    serving,
)
from noctuary.distil.offline import OfflineDistiller
from noctuary.distil.openai.prompts import Prompts
from noctuary.distil.openai.ration import Ration
from noctuary.distil.openai.reply import BadReply, begun, read, schema_of
from noctuary.distil.openai.wire import Format
from noctuary.memory.candidate import Anchor, Score, Scored
from noctuary.memory.card import CardType
from noctuary.memory.entry import Entry, Role, TaskMark, entry_id

if TYPE_CHECKING:
    from pathlib import Path

    from model_server import ModelServer, Script
    from noctuary.memory.candidate import Candidate

MORNING = datetime(2026, 12, 1, 9, 0)


def entries(count: int) -> list[Entry]:
    return [_entry(f"The {n}th crate holds {n + 7} red bricks.", n) for n in range(1, count + 1)]


def _entry(text: str, minute: int, role: Role = Role.USER) -> Entry:
    at = MORNING + timedelta(minutes=minute)
    return Entry(entry_id(role, at, text), role, at, text, session="s", episode="e")


def scores_of(call: Call, count: int, **more: object) -> list[dict[str, object]]:
    numbers = [n for n, _, _ in call.entries][:count]
    return [{"n": n, "why": "seen", "score": 5, "sure": True} | more for n in numbers]


def scored(script: Script, tmp_path: Path, count: int = 10) -> tuple[list[Score], ModelServer, int]:
    """The scores of a log of so many entries, and how many calls failed."""
    with serving(script) as server:
        thinks = distiller_for(profile_for(server, fallback="offline"), tmp_path / "state")
        said = entries(count)
        rules = OfflineDistiller().score(said, Anchor())
        found = thinks._scoring.score(said, rules, Anchor(), Ration(10_000), batch=25)
        thinks.close()
        return found, server, thinks.usage.failed_calls


def by_model(found: list[Score]) -> int:
    return sum("the model" in signal for score in found for signal, _ in score.signals)


def test_the_scores_that_were_given_are_taken(tmp_path: Path) -> None:
    found, server, failed = scored(
        lambda call: says({"scores": scores_of(call, 7)}, call), tmp_path
    )
    assert (len(server.calls), failed) == (1, 0)
    assert by_model(found) == 7
    assert [score.value for score in found[:7]] == [5] * 7


def test_what_a_model_is_unsure_of_stays_as_rules_see_it(tmp_path: Path) -> None:
    def script(call: Call) -> Answer:
        lines = scores_of(call, 10, score=1, sure=False)
        return says({"scores": [{**lines[0], "score": 5, "sure": True}, *lines[1:]]}, call)

    found, _, _ = scored(script, tmp_path)
    rules = OfflineDistiller().score(entries(10), Anchor())
    assert found[0].value == 5
    assert found[1:] == rules[1:]


def _answers(count: int) -> list[Entry]:
    lines = (f"Step {n}: heat the kiln to {n * 90} degrees." for n in range(20, 20 + count))
    return [_entry(line, n, Role.ASSISTANT) for n, line in enumerate(lines, 20)]


def test_that_every_answer_is_crucial_is_not_believed(tmp_path: Path) -> None:
    """Else every detail of what an agent explained would be kept word for word."""
    said = [*entries(4), *_answers(8)]
    rules = OfflineDistiller().score(said, Anchor())
    with serving(lambda call: says({"scores": scores_of(call, 12)}, call)) as server:
        thinks = distiller_for(profile_for(server), tmp_path / "state")
        found = thinks._scoring.score(said, rules, Anchor(), Ration(10_000), batch=25)
        thinks.close()
        asked = len(server.calls[0].entries)
    assert asked == 12
    assert [score.value for score in found[:4]] == [5] * 4
    assert found[4:] == rules[4:]
    assert any("8 answers and outputs" in what for what in thinks.stopped)


def test_that_some_answers_are_crucial_is_believed(tmp_path: Path) -> None:
    said = _answers(8)
    rules = OfflineDistiller().score(said, Anchor())

    def script(call: Call) -> Answer:
        lines = scores_of(call, 8)
        return says({"scores": [*lines[:4], *({**one, "score": 2} for one in lines[4:])]}, call)

    with serving(script) as server:
        thinks = distiller_for(profile_for(server), tmp_path / "state")
        found = thinks._scoring.score(said, rules, Anchor(), Ration(10_000), batch=25)
        thinks.close()
    assert [score.value for score in found[:4]] == [5] * 4
    assert thinks.stopped == ()


@pytest.mark.parametrize(("again", "counts"), [(5, 8), (2, 7)])
def test_a_number_with_two_scores_means_nothing(again: int, counts: int, tmp_path: Path) -> None:
    def script(call: Call) -> Answer:
        lines = [*scores_of(call, 8), {"n": 1, "why": "or so", "score": again, "sure": True}]
        return says({"scores": [*lines, {"n": 99, "why": "?", "score": 5, "sure": True}]}, call)

    found, _, failed = scored(script, tmp_path)
    assert (by_model(found), failed) == (counts, 0)


def test_a_reply_without_most_of_the_scores_is_asked_for_again_with_some_chance(
    tmp_path: Path,
) -> None:
    def script(call: Call) -> Answer:
        return says({"scores": scores_of(call, 10 if call.body["temperature"] else 1)}, call)

    found, server, failed = scored(script, tmp_path)
    assert [call.body["temperature"] > 0 for call in server.calls] == [False, True]
    assert (by_model(found), failed) == (10, 1)


def test_a_model_that_cannot_do_one_thing_is_not_asked_for_it_all_night(tmp_path: Path) -> None:
    def script(call: Call) -> Answer:
        return completion("I am not sure what you mean.") if call.kind == "score" else honest(call)

    said = entries(60)
    with serving(script) as server:
        profile = profile_for(server, fallback="offline", in_flight=1, tries=2)
        thinks = distiller_for(profile, tmp_path / "state")
        rules = OfflineDistiller().score(said, Anchor())
        found = thinks._scoring.score(said, rules, Anchor(), Ration(20_000), batch=10)
        cards = thinks.distil([Scored(entry, Score(4)) for entry in said[:5]], Anchor())
        thinks.close()
    assert found == rules
    formats = [call.format for call in server.of("score")]
    assert formats == ["json_schema"] * 2 + ["json_object"] * 2 + ["plain"] * 6
    assert any("take a larger model" in problem.what for problem in thinks.problems)
    assert (len(server.of("distil")), len(cards)) == (1, 5)


def test_a_server_that_failed_is_asked_the_very_same_again(tmp_path: Path) -> None:
    answers = iter([completion("")])
    _, server, _ = scored(lambda call: next(answers, honest(call)), tmp_path)
    assert [call.body["temperature"] for call in server.calls] == [0, 0]


def test_a_model_is_held_to_a_line_for_every_entry(tmp_path: Path) -> None:
    _, server, _ = scored(honest, tmp_path)
    sent: Any = server.calls[0].body["response_format"]["json_schema"]["schema"]
    numbered = sent["properties"]["scores"]
    assert numbered["required"] == [str(number) for number in range(1, 11)]
    assert numbered["additionalProperties"] is False
    assert list(numbered["properties"]["10"]["properties"]) == ["why", "score", "sure"]
    whole: Any = schema_of("distil")
    assert "required" not in whole["properties"]["cards"]


NUMBERED = '{"scores":{"1":{"why":"a","score":4,"sure":true},"2":{"why":"b","score":1,"sure":false}'


@pytest.mark.parametrize("end", ["}}", '},"more":1}', "}} That is all."])
def test_lines_may_stand_under_their_numbers(end: str) -> None:
    found = read(NUMBERED + end, "score").scores
    assert [(line.n, line.score, line.sure) for line in found] == [(1, 4, True), (2, 1, False)]


@pytest.mark.parametrize("end", ["", ",", ',"3":{"why":"x', ',"3":', "}"])
def test_numbered_lines_before_a_break_count(end: str) -> None:
    broken = begun(NUMBERED + end, "score")
    assert broken is not None
    found, told = broken
    assert ([line.n for line in found.scores], told) == ([1, 2], 2)


@pytest.mark.parametrize("key", ["<number>", "one", "-1", "1.5", "", "9" * 30, "１"])
def test_a_line_under_no_number_is_no_answer(key: str) -> None:
    text = json.dumps({"scores": {key: {"why": "a", "score": 4, "sure": True}}})
    with pytest.raises(BadReply):
        read(text, "score")


def test_a_server_that_fails_over_the_format_is_asked_otherwise_at_once(tmp_path: Path) -> None:
    """As llama.cpp's Python server does, which answers with HTTP 500."""

    def script(call: Call) -> Answer:
        if call.format == "json_schema":
            return error(500, "('body', 'response_format', 'type'): should be 'json_object'")
        return honest(call)

    _, server, failed = scored(script, tmp_path)
    assert ([call.format for call in server.calls], failed) == (["json_schema", "json_object"], 1)


# -- cards ------------------------------------------------------------------------------------


def distilled(
    cards: list[dict[str, object]], tmp_path: Path, *said: str | Entry
) -> tuple[list[Candidate], list[str]]:
    """The candidates of a model that answers with these cards, and what was put right."""
    with serving(lambda call: says({"cards": cards}, call)) as server:
        thinks = distiller_for(profile_for(server), tmp_path / "state")
        log = [_entry(one, n) if isinstance(one, str) else one for n, one in enumerate(said, 1)]
        kept = [Scored(entry, Score(4)) for entry in log]
        found = thinks.distil(kept, Anchor())
        thinks.close()
        return found, list(thinks.stopped)


def card(*quotes: tuple[int, str], **keys: object) -> dict[str, object]:
    base: dict[str, object] = {"why": "", "type": "fact", "title": "A card", "statement": ""}
    base |= {"importance": 4, "topics": [], "done": False}
    return base | {"quotes": [{"n": n, "text": text} for n, text in quotes]} | keys


NEAR = [
    ("The roof of the barn was tarred on 9 May.", "roof of barn tarred 9 May", True),
    ("The roof of the barn was tarred on 9 May.", "roof of barn tarred 10 May", False),
    ("The roof of the barn was tarred on 9 May.", "the roof leaks since the barn burnt", False),
    ("谷仓的屋顶五月九日刷了沥青。", "谷仓屋顶五月九日刷沥青", True),
    ("谷仓的屋顶五月九日刷了沥青。", "谷仓屋顶五月十日刷沥青", False),
    ("谷仓的屋顶五月九日刷了沥青。", "谷仓着火以后一直漏水", False),
]


@pytest.mark.parametrize(("said", "quoted", "meant"), NEAR)
def test_a_quote_with_slips_means_the_sentence_that_it_retells(
    said: str, quoted: str, meant: bool, tmp_path: Path
) -> None:
    lead = "Good morning. " if said.isascii() else "早上好。"
    found, _ = distilled([card((1, quoted))], tmp_path, lead + said)
    [quote] = found[0].quotes
    assert (quote.text == said) == meant
    assert meant or quote.text not in lead + said


def test_words_under_another_number_are_not_guessed_at(tmp_path: Path) -> None:
    found, _ = distilled(
        [card((2, "roof barn tarred 9 May"))],
        tmp_path,
        "The roof of the barn was tarred on 9 May.",
        "Nothing else happened in the whole of that month.",
    )
    assert all(quote.entry.text == "" for item in found for quote in item.quotes)


# -- replies that broke off -------------------------------------------------------------------


def broken_off(after: int) -> Script:
    """A server whose replies to more entries than this end in the line behind them."""

    def script(call: Call) -> Answer:
        [(name, lines)] = sensible(call).items()
        assert isinstance(lines, list)
        if len(lines) <= after:
            return says({name: lines}, call)
        text = json.dumps({name: lines}, ensure_ascii=False)
        end = text.index(json.dumps(lines[after], ensure_ascii=False)) + 40
        return completion(text[:end], call, finish_reason="length")

    return script


def crates(call: Call) -> list[int]:
    return [int(text.split("th crate")[0].removeprefix("The ")) for _, _, text in call.entries]


def test_cards_before_the_break_are_kept_and_only_the_rest_is_asked_about(tmp_path: Path) -> None:
    with serving(broken_off(5)) as server:
        profile = profile_for(server)
        thinks = distiller_for(profile, tmp_path / "state")
        kept = [Scored(entry, Score(4)) for entry in entries(8)]
        found = thinks.distil(kept, Anchor())
        first = [crates(call) for call in server.of("distil")]
        thinks.close()
        again = distiller_for(profile, tmp_path / "state").distil(kept, Anchor())
    assert first == [[1, 2, 3, 4, 5, 6, 7, 8], [6, 7, 8]]
    assert sorted(quote.text for item in found for quote in item.quotes) == [
        item.entry.text for item in kept
    ]
    assert (again, len(server.calls)) == (found, 2)


def test_where_little_came_before_the_break_the_rest_is_halved(tmp_path: Path) -> None:
    with serving(broken_off(2)) as server:
        thinks = distiller_for(profile_for(server), tmp_path / "state")
        found = thinks.distil([Scored(entry, Score(4)) for entry in entries(6)], Anchor())
        thinks.close()
        asked = [crates(call) for call in server.calls]
    assert asked == [[1, 2, 3, 4, 5, 6], [3, 4], [5, 6]]
    assert len({quote.entry.id for item in found for quote in item.quotes}) == 6


def test_scores_before_the_break_are_kept(tmp_path: Path) -> None:
    found, server, failed = scored(broken_off(7), tmp_path)
    assert [len(call.entries) for call in server.calls] == [10, 3]
    assert (by_model(found), failed) == (10, 1)


@pytest.mark.parametrize("text", ["", "{", '{"cards":[{"quotes":[{"n":0,"text":"x"}],', "[{}]"])
def test_a_break_before_the_first_whole_line_leaves_nothing(text: str) -> None:
    assert begun(text, "distil") is None


DAYS = {
    "en": (
        "The barn is in Lindau.",
        "The roof costs 4,300 euros.",
        "Jonas brings 24 tiles on 3 May.",
        "From now on always write the dates in full.",
    ),
    "zh": (
        "谷仓在林道镇。",
        "屋顶要花四千三百欧元。",
        "小王5月3日送来24片瓦。",
        "以后日期都要写全。",
    ),
}


@pytest.mark.parametrize("lang", DAYS)
def test_a_card_about_everything_becomes_lines_and_its_wishes_stand_apart(
    lang: str, tmp_path: Path
) -> None:
    said = DAYS[lang]
    summary = "The person told several things." if lang == "en" else "此人说了好几件事。"
    whole = card(*enumerate(said, 1), type="preference", statement=summary, importance=5)
    found, stopped = distilled([whole], tmp_path, *said)
    lines, wish = found
    assert (lines.type, lines.statement) == (CardType.FACT, "")
    assert [quote.text for quote in lines.quotes] == list(said[:3])
    assert (wish.type, wish.quotes[0].text) == (CardType.PREFERENCE, said[3])
    assert any("passed over 1 clear" in what for what in stopped)


def test_a_statement_that_tells_what_its_lines_tell_stays(tmp_path: Path) -> None:
    said = DAYS["en"][:3]
    statement = "The barn in Lindau gets a roof for 4,300 euros; Jonas brings 24 tiles on 3 May."
    found, _ = distilled([card(*enumerate(said, 1), statement=statement)], tmp_path, *said)
    assert [item.statement for item in found] == [statement]


def test_lines_of_a_person_and_of_an_agent_stand_on_two_cards(tmp_path: Path) -> None:
    said = ("The barn is in Lindau.", "The roof costs 4,300 euros.", "The tiles came on 3 May.")
    roles = (Role.USER, Role.ASSISTANT, Role.USER)
    log = [_entry(text, n, role) for n, (text, role) in enumerate(zip(said, roles, strict=True), 1)]
    found, _ = distilled([card(*enumerate(said, 1))], tmp_path, *log)
    assert [[quote.text for quote in item.quotes] for item in found] == [
        [said[0], said[2]],
        [said[1]],
    ]


@pytest.mark.parametrize("text", ["Order the tiles for the roof", "给谷仓订瓦片"])
def test_a_task_that_a_writer_marked_is_no_question(text: str, tmp_path: Path) -> None:
    task = replace(_entry(text, 1, Role.TASK), task=TaskMark.OPEN)
    found, _ = distilled([], tmp_path, task, _entry("The roof costs 4,300 euros.", 2))
    assert [(item.type, item.statement) for item in found] == [(CardType.TASK, text)]


TITLES = [
    ("The barn gets a tin roof in May.", "Roof of the barn", True),
    ("The barn gets a tin roof in May.", "Project information overview", False),
    ("谷仓五月换铁皮屋顶。", "谷仓屋顶", True),
    ("谷仓五月换铁皮屋顶。", "计划与活动安排", False),
    ("谷仓五月换铁皮屋顶。", "Roof of the barn", False),
]


@pytest.mark.parametrize(("said", "title", "stays"), TITLES)
def test_a_title_is_of_the_words_of_its_card(
    said: str, title: str, stays: bool, tmp_path: Path
) -> None:
    found, stopped = distilled([card((1, said), title=title, statement=said)], tmp_path, said)
    [made] = found
    assert (made.title == title) == stays
    assert stays or made.title.lower().split()[0] in said.lower()
    assert any("titles" in what for what in stopped) != stays


@pytest.mark.parametrize(("score", "most"), [(2, 3), (3, 4), (4, 5)])
def test_a_card_matters_hardly_more_than_what_it_rests_on(
    score: int, most: int, tmp_path: Path
) -> None:
    said = "The barn gets a tin roof in May."
    vital = card((1, said), statement=said, importance=5)
    with serving(lambda call: says({"cards": [vital]}, call)) as server:
        thinks = distiller_for(profile_for(server), tmp_path / "state")
        found = thinks.distil([Scored(_entry(said, 1), Score(score))], Anchor())
        thinks.close()
    assert [item.importance for item in found] == [most]
    assert any("far more than" in what for what in thinks.stopped) == (most < 5)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", ["score", "distil", "relate"])
def test_no_prompt_holds_an_answer_that_could_be_copied(
    kind: str, lang: str, tmp_path: Path
) -> None:
    prompt = Prompts(b"key", own=tmp_path).system(kind, lang, Anchor(goal="A shop."))
    with pytest.raises(BadReply):
        read(prompt.replace('{"cards":[]}', ""), kind)


def _bounds(schema: object) -> int:
    """How often a schema bounds the length of a text."""
    if isinstance(schema, dict):
        return ("maxLength" in schema) + sum(map(_bounds, schema.values()))
    return sum(map(_bounds, schema)) if isinstance(schema, list) else 0


@pytest.mark.parametrize("kind", ["score", "distil", "relate"])
def test_reasons_are_bounded_where_the_server_can_hold_a_model_to_it(kind: str) -> None:
    schema = schema_of(kind, 0 if kind == "distil" else 3)
    loose: Any = Format.JSON_OBJECT.parameters(kind, schema)
    strict: Any = Format.JSON_SCHEMA.parameters(kind, schema)
    assert _bounds(loose["response_format"]["schema"]) > 0
    sent = strict["response_format"]["json_schema"]["schema"]
    assert _bounds(sent) == 0
    assert sent["required"] == schema["required"]
