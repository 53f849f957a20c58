"""Every fault of a server that we know of, at each of the three ways to ask it for JSON."""

from __future__ import annotations

import json
import random
import socket
import struct
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from model_server import (
    Answer,
    Call,
    ModelServer,
    Script,
    completion,
    distiller_for,
    error,
    honest,
    profile_for,
    says,
    sensible,
    serving,
)
from nights import NIGHT, Clock, files, new_vault, report_text, say
from noctuary.distil.openai import reply
from noctuary.distil.openai.wire import Failed
from noctuary.errors import DistillerError
from noctuary.memory.candidate import Anchor, Score, Scored
from noctuary.memory.entry import Entry, Role, entry_id

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from noctuary.api import Vault
    from noctuary.distil.openai.distiller import OpenAIDistiller

FORMATS = ("json_schema", "json_object", "plain")
SAID = (
    "The budget must not pass 14,500 euros.",
    "We decided on SQLite 3.45 because it needs no server.",
    "以后都用中文给我写购物清单，预算五百元。",
)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    made = new_vault(tmp_path / "vault", Clock())
    say(made, *SAID)
    return made


def at_level(wanted: str, fault: Script) -> Script:
    """A server that takes only formats up to `wanted`, and has its fault there."""

    def script(call: Call) -> Answer:
        if FORMATS.index(call.format) < FORMATS.index(wanted):
            return error(400, "response_format of this type is not supported")
        return fault(call)

    return script


# -- faults after which nothing may have happened ---------------------------------------------


def rude(act: Callable[[BaseHTTPRequestHandler], None]) -> Script:
    return lambda _: Answer(rude=act)


def reset(handler: BaseHTTPRequestHandler) -> None:
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.connection.close()


def truncated(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"choices": [')


def no_http(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(400):
        handler.wfile.write(b'{"x":"' + b"y" * 10_000)


FATAL: dict[str, Script] = {
    "429 for ever": lambda _: error(429, "slow down"),
    "429 come back in five minutes": lambda _: error(429, "slow down", retry_after="300"),
    "no credit": lambda _: error(429, "You exceeded your quota", "insufficient_quota"),
    "500": lambda _: error(500, "boom"),
    "503 in HTML": lambda _: Answer(b"<html>busy</html>", 503),
    "401": lambda _: error(401, "bad key"),
    "404": lambda _: error(404, "model not found"),
    "redirect": lambda _: Answer(b"", 307, {"Location": "http://127.0.0.1:9/v1/chat/completions"}),
    "reset": rude(reset),
    "truncated": rude(truncated),
    "not HTTP": rude(no_http),
    "endless": rude(endless),
    "HTML with 200": lambda _: Answer(b"<html>welcome</html>"),
    "a list": lambda _: Answer(b"[1, 2]"),
    "an error with 200": lambda _: Answer(b'{"error": {"message": "out of memory"}}'),
    "no choices": lambda _: completion("", choices=[]),
    "refusal": lambda _: completion(None, message={"content": None, "refusal": "I cannot."}),
    "content filter": lambda _: completion(None, finish_reason="content_filter"),
    "cut off": lambda _: completion('{"scores":[{"n":1,', finish_reason="length"),
    "context": lambda _: error(400, "This model's maximum context length is 10", "context_length_exceeded"),
    "empty": lambda _: completion(""),
    "prose": lambda _: completion("Sure! I scored everything as you asked."),
    "half an object": lambda _: completion('{"scores":[{"n":1,"why":"x","score":4'),
    "another shape": lambda _: says({"result": [1, 2, 3]}),
    "numbers as words": lambda _: says({"scores": [{"n": "1", "score": "high"}], "cards": "none"}),
    "not a number": lambda _: completion('{"scores":[{"n":1,"score":NaN}],"cards":[{"importance":Infinity}]}'),
    "out of range": lambda _: says({"scores": [{"n": 1, "score": 99}], "cards": [{"importance": -1}]}),
    "too deep": lambda _: completion('{"cards":' * 3000 + "1" + "}" * 3000),
    "a huge number": lambda _: completion('{"scores":[{"n":1,"score":' + "9" * 9000 + "}]}"),
    "null": lambda _: completion("null"),
}  # fmt: skip


@pytest.mark.parametrize("level", FORMATS)
@pytest.mark.parametrize("name", FATAL)
def test_a_server_at_fault_changes_nothing(
    name: str, level: str, vault: Vault, tmp_path: Path
) -> None:
    before = files(vault.path)
    slept: list[float] = []
    with serving(at_level(level, FATAL[name])) as server:
        thinks = distiller_for(profile_for(server), tmp_path / "state", slept=slept)
        report = vault.dream(distiller=thinks, purge_now=True)
    assert report.result == "failed"
    assert report.failed == len(SAID)
    assert "3 entries wait" in str(report.problems[0])
    assert report.usage.failed_calls == len(server.calls) > 0
    assert report.usage.tokens_in > 0
    assert sum(slept) < 20
    assert files(vault.path) == before


@pytest.mark.parametrize("name", ["silent", "dripping", "dripping headers"])
def test_the_clock_ends_a_call_that_never_ends(name: str, vault: Vault, tmp_path: Path) -> None:
    before = files(vault.path)
    with serving() as server:
        server.script = slow(server, name)
        profile = profile_for(server, call_seconds=0.2)
        report = vault.dream(distiller=distiller_for(profile, tmp_path / "state"))
    assert report.result == "failed"
    assert "within 0.2 s" in str(report.problems[0])
    assert report.usage.failed_calls == 2
    assert report.usage.tokens_out > 0, "what a late reply may have cost is counted"
    assert files(vault.path) == before


def slow(server: ModelServer, name: str) -> Script:
    """Goes on until the server is closed, whoever has stopped listening."""

    def act(handler: BaseHTTPRequestHandler) -> None:
        starts = {"dripping": b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n",
                  "dripping headers": b"HTTP/1.1 200 OK\r\nX: "}  # fmt: skip
        handler.wfile.write(starts.get(name, b""))
        while not server.closing.wait(0.05):
            if name in starts:
                handler.wfile.write(b" ")
                handler.wfile.flush()

    return rude(act)


def test_a_dream_ends_when_its_time_is_over(vault: Vault, tmp_path: Path) -> None:
    with serving(lambda _: error(500, "boom")) as server:
        profile = profile_for(server, dream_minutes=0.000001, tries=9)
        report = vault.dream(distiller=distiller_for(profile, tmp_path / "state"))
    assert report.result == "failed"
    assert "took longer than" in str(report.problems[0])
    assert len(server.calls) <= 1


def test_nobody_there(vault: Vault, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    profile = profile_for(f"http://127.0.0.1:{port}/v1")
    report = vault.dream(distiller=distiller_for(profile, tmp_path / "state"))
    assert report.result == "failed"
    assert "nobody answers" in str(report.problems[0])
    assert (report.usage.failed_calls, report.usage.tokens_in) == (2, 0)


def test_what_several_days_wait_for_is_told_once(vault: Vault, tmp_path: Path) -> None:
    for days in (2, 1):
        say(vault, *SAID, at=NIGHT - timedelta(days=days), session=f"d{days}")
    with serving() as server:
        gone = profile_for(server)
    report = vault.dream(distiller=distiller_for(gone, tmp_path / "state"))
    [problem] = report.problems
    assert "9 entries wait: profile test at 127.0.0.1" in problem.what
    assert problem.where.count("2026-") == 2


@pytest.mark.parametrize("name", ["500", "no credit", "prose", "cut off", "refusal", "401"])
def test_with_rules_to_fall_back_on_a_dream_is_still_dreamt(
    name: str, vault: Vault, tmp_path: Path
) -> None:
    with serving(FATAL[name]) as server:
        profile = profile_for(server, fallback="offline")
        report = vault.dream(distiller=distiller_for(profile, tmp_path / "state"))
    assert report.result == "done"
    assert (report.absorbed, len(report.facts_lost)) == (len(SAID), 0)
    told = report_text(vault, report.id)
    assert "rules thought instead" in told
    assert f"{report.usage.failed_calls} of them failed" in told


# -- faults that can be lived with ------------------------------------------------------------


def fenced(call: Call) -> Answer:
    return completion(f"Here you are:\n```json\n{json.dumps(sensible(call))}\n```\nDone.", call)


def thinking(call: Call) -> Answer:
    thought = '<think>Is it {"scores": []}? Or {"cards": [1]}? Hm.</think>\n'
    return completion(thought + json.dumps(sensible(call)), call)


def chatty(call: Call) -> Answer:
    more = {"id": 7, "extra": {"a": 1}}
    return says({**sensible(call), **more}, call)


def no_usage(call: Call) -> Answer:
    return completion(json.dumps(sensible(call)), call, usage=None)


def false_usage(call: Call) -> Answer:
    return completion(
        json.dumps(sensible(call)), usage={"prompt_tokens": -5, "completion_tokens": "x"}
    )


def odd_letters(call: Call) -> Answer:
    text = json.dumps(sensible(call)).replace('"why": "', r'"why": "\ud800\u0000\u202e')
    return completion(text, call)


@pytest.mark.parametrize("level", FORMATS)
@pytest.mark.parametrize(
    "script", [honest, fenced, thinking, chatty, no_usage, false_usage, odd_letters]
)
def test_what_can_be_read_is_taken(
    script: Script, level: str, vault: Vault, tmp_path: Path
) -> None:
    with serving(at_level(level, script)) as server:
        report = vault.dream(distiller=distiller_for(profile_for(server), tmp_path / "state"))
    assert (report.result, len(report.facts_lost)) == ("done", 0)
    assert report.usage.failed_calls == FORMATS.index(level)
    assert report.usage.tokens_in >= sum(call.tokens for call in server.calls[-2:])
    assert "14,500" in "".join(
        card.read_text("utf-8") for card in vault.path.rglob("cards/**/*.md")
    )


def test_a_server_that_stumbles_once_is_asked_again(vault: Vault, tmp_path: Path) -> None:
    answers = [error(503, "warming up"), error(429, "slow down", retry_after="3")]
    slept: list[float] = []
    with serving(lambda call: answers.pop(0) if answers else honest(call)) as server:
        profile = profile_for(server, tries=3)
        report = vault.dream(distiller=distiller_for(profile, tmp_path / "s", slept=slept))
    assert report.result == "done"
    assert report.usage.failed_calls == 2
    assert slept[0] < 3 <= slept[-1] or len(slept) == 1


def test_the_manner_that_worked_is_remembered(vault: Vault, tmp_path: Path) -> None:
    with serving(at_level("plain", honest)) as server:
        profile = profile_for(server)
        vault.dream(distiller=distiller_for(profile, tmp_path / "state"))
        assert [call.format for call in server.calls] == [*FORMATS, "plain"]
        say(vault, "The fence will be 12 metres long.", session="b2")
        vault.dream(distiller=distiller_for(profile, tmp_path / "state"), now="2026-12-02T03:00:00")
        assert {call.format for call in server.calls[4:]} == {"plain"}


def test_parameters_that_a_server_minds_are_left_out(vault: Vault, tmp_path: Path) -> None:
    def picky(call: Call) -> Answer:
        if "max_tokens" in call.body:
            return error(400, "Use 'max_completion_tokens' instead of 'max_tokens'.")
        if "temperature" in call.body:
            return error(400, "Unsupported value: 'temperature' must be 1.")
        return honest(call)

    with serving(picky) as server:
        report = vault.dream(distiller=distiller_for(profile_for(server), tmp_path / "state"))
    assert report.result == "done"
    assert server.calls[-1].format == "json_schema"
    assert server.calls[-1].body["max_completion_tokens"] > 0


def test_batches_that_are_too_long_are_halved(vault: Vault, tmp_path: Path) -> None:
    say(vault, *(f"Room {n} of the house has {n + 2} windows." for n in range(12)), session="c3")

    taken: list[int] = []

    def small(call: Call) -> Answer:
        if len(call.entries) > 4:
            return error(400, "the prompt exceeds the context window of this model")
        taken.append(len(call.entries))
        return honest(call)

    with serving(small) as server:
        report = vault.dream(distiller=distiller_for(profile_for(server), tmp_path / "state"))
    assert report.result == "done"
    assert report.absorbed == len(SAID) + 12
    assert report.usage.failed_calls == len(server.calls) - len(taken) > 0
    assert 0 < max(taken) <= 4


def test_nothing_of_the_environment_is_taken(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_API_KEY": "sk-from-the-environment",
        "OPENAI_ORG_ID": "org-secret",
        "OPENAI_CUSTOM_HEADERS": "X-Spy: yes",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "ALL_PROXY": "http://127.0.0.1:9",
        "MY_KEY": "the-key-that-is-named",
    }.items():
        monkeypatch.setenv(name, value)
    with serving() as server:
        profile = profile_for(server, api_key_env="MY_KEY")
        assert vault.dream(distiller=distiller_for(profile, tmp_path / "s")).result == "done"
    sent = {name.lower(): value for name, value in server.calls[0].headers.items()}
    assert sent["authorization"] == "Bearer the-key-that-is-named"
    assert "x-spy" not in sent
    assert not any("org-secret" in value for value in sent.values())


# -- mutated replies --------------------------------------------------------------------------


def mutated(rng: random.Random, text: str) -> str:
    """A reply with a few letters, words or pieces of it changed."""
    for _ in range(rng.randint(1, 4)):
        at, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        pieces = [
            "",
            '"',
            "{",
            "}",
            "[",
            "]",
            "null",
            "-1",
            "1e999",
            "\\ud83d",
            "\x00",
            "6",
            ",",
            "真",
        ]
        middle = rng.choice([*pieces, text[at:end], text[at : at + 9] * 3, text[:at]])
        text = text[:at] + middle + text[rng.choice([at, min(at + 1, len(text)), end]) :]
    return text


def day(number: int) -> list[Entry]:
    texts = [*SAID, *(f"Room {n} of house {number} has {n + 2} windows." for n in range(5))]
    return [
        Entry(entry_id(Role.USER, NIGHT, text), Role.USER, NIGHT, text, episode="2026-12-01-a")
        for text in texts
    ]


def survive(seed: int, rounds: int) -> int:
    rng = random.Random(seed)
    line = {"n": 1, "why": "x", "score": 4, "sure": True}
    card = {"why": "x", "type": "fact", "title": "Room", "statement": "Room 1 has 3 windows.",
            "quotes": [{"n": 5, "text": "Room 1 has 3 windows."}], "importance": 4,
            "topics": ["a"], "done": False}  # fmt: skip
    replies = {
        "score": json.dumps({"scores": [{**line, "n": n} for n in range(1, 9)]}),
        "distil": json.dumps({"cards": [card, card]}),
        "relate": json.dumps({"relations": [{"n": 1, "why": "x", "old": "a", "kind": "distinct"}]}),
    }
    valid = 0
    for _ in range(rounds):
        kind = rng.choice(list(replies))
        try:
            reply.read(mutated(rng, replies[kind]), kind)
            valid += 1
        except Failed:
            pass
    return valid


def test_mutated_replies_are_read_or_refused() -> None:
    valid = survive(seed=1, rounds=2000)
    assert 0 < valid < 2000


@pytest.mark.slow
def test_many_mutated_replies_are_read_or_refused() -> None:
    assert 0 < survive(seed=2, rounds=50_000) < 50_000


def through_the_distiller(tmp_path: Path, seed: int, replies: int) -> None:
    """Scores and cards of mutated replies keep to the contract, over the whole way."""
    rng = random.Random(seed)

    def script(call: Call) -> Answer:
        return completion(mutated(rng, json.dumps(sensible(call), ensure_ascii=False)), call)

    with serving(script) as server:
        calls, failed, number = Counter[str](), Counter[str](), 0
        while len(server.calls) < replies:
            number += 1
            for kind in ("offline", "wait"):
                profile = profile_for(server, tries=1, fallback=kind)
                thinks = distiller_for(profile, tmp_path / kind)
                keeps_to_the_contract(thinks, day(number), may_fail=kind == "wait")
                calls[kind] += thinks.usage.calls
                failed[kind] += thinks.usage.failed_calls
                thinks.close()
    assert all(0 < failed[kind] < calls[kind] for kind in ("offline", "wait"))


def keeps_to_the_contract(thinks: OpenAIDistiller, entries: list[Entry], *, may_fail: bool) -> None:
    try:
        scores = thinks.score(entries, Anchor())
        found = thinks.distil([Scored(entry, Score(4)) for entry in entries], Anchor())
    except DistillerError:
        assert may_fail
        return
    assert len(scores) == len(entries)
    assert all(1 <= score.value <= 5 for score in scores)
    assert all(1 <= item.importance <= 5 for item in found)
    for item in found:
        "".join((item.title, item.statement, *item.topics)).encode()


def test_mutated_replies_over_the_whole_way(tmp_path: Path) -> None:
    through_the_distiller(tmp_path, seed=3, replies=300)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_mutated_replies_over_the_whole_way(tmp_path: Path, seed: int) -> None:
    through_the_distiller(tmp_path, seed=seed, replies=1000)
