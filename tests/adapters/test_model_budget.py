"""Money and what was paid for: caps that hold, a book that lasts, replies that are kept."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import date
from threading import Barrier, Event, Thread
from typing import TYPE_CHECKING

import pytest

from model_server import Answer, Call, distiller_for, error, honest, profile_for, serving
from nights import NIGHT, Clock, files, new_vault, say
from noctuary.distil.openai.budget import Capped, Purse, UsageBook
from noctuary.distil.openai.crew import in_parallel, within
from noctuary.errors import DistillerError
from noctuary.memory.candidate import Anchor, Score, Scored
from noctuary.memory.entry import Entry, Role, entry_id
from noctuary.profiles import profile_from

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.api import Vault
    from noctuary.distil.openai.desk import Beat
    from noctuary.profiles import Profile

FIRST, LAST, NEXT = date(2026, 12, 1), date(2026, 12, 31), date(2027, 1, 1)


def a_profile(**caps: float) -> Profile:
    spans = ("dream", "day", "month")
    none = {f"{what}_per_{span}": 0 for what in ("tokens", "money") for span in spans}
    keys = {"base_url": "http://localhost/v1", "price_in": 10.0, "price_out": 30.0, **none, **caps}
    return profile_from("test", keys)


def purse(folder: Path, day: date = FIRST, caps: dict[str, float] | None = None) -> Purse:
    return Purse(a_profile(**caps or {}), UsageBook(folder, "test"), lambda: day)


@pytest.mark.parametrize("span", ["dream", "day", "month"])
@pytest.mark.parametrize(("what", "cap"), [("tokens", 1000), ("money", 0.01)])
def test_no_cap_is_ever_passed(tmp_path: Path, what: str, cap: float, span: str) -> None:
    mine = purse(tmp_path, caps={f"{what}_per_{span}": cap})
    held = mine.reserve(400, 100)
    mine.settle(held, 400, 100)
    with pytest.raises(Capped, match=f"raise {what}_per_{span}"):
        mine.reserve(601, 0) if what == "tokens" else mine.reserve(400, 0)
    if what == "tokens":
        mine.settle(mine.reserve(500, 0), 500, 0)
        assert mine.usage.tokens_in == 900


def test_what_may_be_spent_is_counted_before_it_is(tmp_path: Path) -> None:
    one = purse(tmp_path, caps={"tokens_per_day": 1000})
    other = purse(tmp_path, caps={"tokens_per_day": 1000})
    one.reserve(700, 0)
    with pytest.raises(Capped):
        other.reserve(400, 0)


def test_days_and_months_begin_anew(tmp_path: Path) -> None:
    purse(tmp_path, FIRST).reserve(900, 0)
    assert purse(tmp_path, LAST, {"tokens_per_day": 1000}).reserve(900, 0)
    with pytest.raises(Capped):
        purse(tmp_path, LAST, {"tokens_per_month": 2000}).reserve(900, 0)
    assert purse(tmp_path, NEXT, {"tokens_per_month": 2000}).reserve(900, 0)


def test_failed_calls_are_spending_too(tmp_path: Path) -> None:
    mine = purse(tmp_path)
    mine.settle(mine.reserve(100, 50), 100, 0, failed=True)
    assert (mine.usage.calls, mine.usage.failed_calls, mine.usage.cost) == (1, 1, 0.001)
    assert UsageBook(tmp_path, "test").totals(FIRST)[0].tokens == 100


def test_the_small_model_has_its_own_price(tmp_path: Path) -> None:
    profile = replace(a_profile(), small_model="s", small_price_in=1.0, small_price_out=1.0)
    mine = Purse(profile, UsageBook(tmp_path, "test"), lambda: FIRST)
    mine.settle(mine.reserve(1_000_000, 0, small=True), 1_000_000, 0)
    mine.settle(mine.reserve(1_000_000, 0), 1_000_000, 0)
    assert mine.usage.cost == 11.0


def test_torn_lines_and_nonsense_in_the_book_are_passed_over(tmp_path: Path) -> None:
    book = UsageBook(tmp_path, "test")
    book.add(FIRST, 10, 0.5)
    with next(tmp_path.glob("*.jsonl")).open("ab") as file:
        file.write(b'null\n[1]\n{"day": "x"}\n\xff\xfe\n{"day": "2026-12-01", "tok')
    book.add(FIRST, 5, 0.5)
    assert UsageBook(tmp_path, "test").totals(FIRST)[0].tokens == 15
    assert book.totals(FIRST)[0].tokens == 15


def test_where_nothing_can_be_written_nothing_is_spent(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, no folder")
    with pytest.raises(DistillerError, match="nothing is sent"):
        purse(tmp_path / "taken").reserve(1, 1)


def test_many_threads_and_processes_share_one_book(tmp_path: Path) -> None:
    script = (
        "import sys; from datetime import date; from pathlib import Path;"
        "from noctuary.distil.openai.budget import UsageBook;"
        "book = UsageBook(Path(sys.argv[1]), 'test');"
        "[book.add(date(2026, 12, 1), 1, 0.0) for _ in range(40)]"
    )
    run = [sys.executable, "-c", script, str(tmp_path)]
    others = [subprocess.Popen(run) for _ in range(2)]
    mine = purse(tmp_path)

    def spend() -> None:
        for _ in range(10):
            mine.settle(mine.reserve(2, 2), 1, 0)

    threads = [Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait() for other in others] == [0, 0]
    assert UsageBook(tmp_path, "test").totals(FIRST)[0].tokens == 80 + 40
    assert mine.usage.calls == 40


# -- caps and dreams --------------------------------------------------------------------------

SAID = ("The budget must not pass 14,500 euros.", "We moved to Kiel on 3 May 2026.")


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    made = new_vault(tmp_path / "vault", Clock())
    say(made, *SAID)
    return made


@pytest.mark.parametrize("cap", [{"tokens_per_dream": 10}, {"money_per_day": 0.000001}])
def test_at_a_cap_the_dream_waits_or_rules_dream_it(
    cap: dict[str, float], vault: Vault, tmp_path: Path
) -> None:
    before = files(vault.path)
    with serving() as server:
        waits = vault.dream(distiller=distiller_for(profile_for(server, **cap), tmp_path / "a"))
        assert (waits.result, server.calls) == ("failed", [])
        assert "the cap of" in str(waits.problems[0])
        assert files(vault.path) == before
        profile = profile_for(server, fallback="offline", **cap)
        dreamt = vault.dream(distiller=distiller_for(profile, tmp_path / "b"))
        assert (dreamt.result, dreamt.absorbed, server.calls) == ("done", 2, [])
        assert any("rules thought instead" in str(problem) for problem in dreamt.problems)


def test_two_vaults_share_one_purse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    with serving() as server:
        results = []
        for name in ("one", "two"):
            vault = new_vault(tmp_path / name, Clock())
            say(vault, *SAID)
            profile = profile_for(server, tokens_per_day=2000)
            results.append(vault.dream(distiller=distiller_for(profile, tmp_path / "s")).result)
    assert results == ["done", "failed"]


def test_a_quiet_day_costs_nothing(vault: Vault, tmp_path: Path) -> None:
    with serving() as server:
        vault.dream(distiller=distiller_for(profile_for(server), tmp_path / "s"))
        asked = len(server.calls)
        again = distiller_for(profile_for(server), tmp_path / "s")
        assert vault.dream(distiller=again, now="2026-12-02T03:00:00").result == "nothing"
        assert (len(server.calls), again.usage.calls) == (asked, 0)


def test_what_was_paid_for_is_kept_for_the_next_try(vault: Vault, tmp_path: Path) -> None:
    broken = [True]

    def script(call: Call) -> Answer:
        return error(500, "boom") if call.kind == "distil" and broken[0] else honest(call)

    with serving(script) as server:
        first = distiller_for(profile_for(server), tmp_path / "s")
        assert vault.dream(distiller=first).result == "failed"
        assert len(server.of("score")) == 1
        kept = list((tmp_path / "s" / "replies").iterdir())
        assert len(kept) == 1
        assert kept[0].stat().st_mode & 0o077 == 0
        broken[0] = False
        second = distiller_for(profile_for(server), tmp_path / "s")
        assert vault.dream(distiller=second).result == "done"
        assert len(server.of("score")) == 1, "scores were paid for once"
    assert list((tmp_path / "s" / "replies").iterdir()) == [], "nothing said stays in the cache"


def test_what_is_on_its_way_when_another_question_fails_is_kept(tmp_path: Path) -> None:
    failing, both = Event(), Barrier(2, timeout=20)
    broken = [True]

    def script(call: Call) -> Answer:
        if broken[0]:
            both.wait()
            if "crate 0 " in call.data:
                failing.set()
                return error(401, "no more")
            failing.wait(20)
        return honest(call)

    more = "They were brought by cart from the old mill, and nobody has counted them since. " * 4
    said = [f"In crate {n} lie {n + 7} red bricks for the wall. {more}" for n in range(80)]
    entries = [
        Entry(entry_id(Role.USER, NIGHT, text), Role.USER, NIGHT, text, episode="a")
        for text in said
    ]
    scored = [Scored(entry, Score(4)) for entry in entries]
    with serving(script) as server:
        first = distiller_for(profile_for(server, in_flight=2), tmp_path / "s")
        with pytest.raises(DistillerError, match="no more"):
            first.distil(scored, Anchor())
        first.close()
        assert len(server.calls) == 2
        assert len(list((tmp_path / "s" / "replies").iterdir())) == 1
        broken[0] = False
        second = distiller_for(profile_for(server), tmp_path / "s")
        second.distil(scored, Anchor())
        second.close()
        asked = [call.data for call in server.calls]
    assert len(asked) == 3, "the one that came in was paid for once"
    assert asked[2] in asked[:2]


def test_a_kept_reply_that_was_tampered_with_is_asked_for_again(
    vault: Vault, tmp_path: Path
) -> None:
    with serving() as server:
        thinks = distiller_for(profile_for(server), tmp_path / "s")
        vault.dream(distiller=thinks, dry_run=True)
        asked = len(server.calls)
        for path in (tmp_path / "s" / "replies").iterdir():
            path.write_bytes(b"\xff{}")
        report = vault.dream(distiller=distiller_for(profile_for(server), tmp_path / "s"))
        assert (report.result, len(server.calls)) == ("done", 2 * asked)


def test_ctrl_c_leaves_nothing_half_done(vault: Vault, tmp_path: Path) -> None:
    before = files(vault.path)

    def press(beat: Beat) -> None:
        if beat.stage == "distilling":
            raise KeyboardInterrupt

    with serving() as server:
        first = distiller_for(profile_for(server), tmp_path / "s", on_beat=press)
        with pytest.raises(KeyboardInterrupt):
            vault.dream(distiller=first)
        assert files(vault.path) == before
        second = distiller_for(profile_for(server), tmp_path / "s")
        assert vault.dream(distiller=second).result == "done"
        assert second.usage.calls == 0, "both answers were paid for already"


def test_a_dream_tells_how_far_it_is(vault: Vault, tmp_path: Path) -> None:
    beats: list[Beat] = []
    with serving() as server:
        thinks = distiller_for(profile_for(server), tmp_path / "s", on_beat=beats.append)
        vault.dream(distiller=thinks)
    assert [beat.stage for beat in beats] == ["scoring", "distilling"]
    assert [(beat.done, beat.total) for beat in beats] == [(1, 1), (2, 2)]
    assert 0 < beats[0].usage.tokens_in < beats[1].usage.tokens_in
    assert beats[1].seconds_left == 0


def test_the_big_model_is_asked_only_about_doubts(vault: Vault, tmp_path: Path) -> None:
    def script(call: Call) -> Answer:
        if call.kind != "score":
            return honest(call)
        sure = call.body["model"] == "big-model"
        lines = [
            {"n": n, "why": "x", "score": 5 if sure else 2, "sure": sure or "Kiel" not in text}
            for n, _, text in call.entries
        ]
        return Answer(
            json.dumps(
                {"choices": [{"message": {"content": json.dumps({"scores": lines})}}]}
            ).encode()
        )

    with serving(script) as server:
        profile = profile_for(server, small_model="small-model")
        vault.dream(distiller=distiller_for(profile, tmp_path / "s"))
        asked = [(call.body["model"], len(call.entries)) for call in server.of("score")]
    assert asked == [("small-model", 2), ("big-model", 1)]


def test_several_questions_are_in_flight(tmp_path: Path) -> None:
    together = Barrier(3, timeout=20)
    jobs = [together.wait for _ in range(3)]
    assert sorted(done.get() for done in in_parallel(jobs, 3)) == [0, 1, 2]
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0)


def test_the_forecast_is_near_what_is_spent(vault: Vault, tmp_path: Path) -> None:
    say(
        vault,
        *(f"The {n}th crate holds {n + 7} red bricks for the wall." for n in range(60)),
        session="b2",
    )
    from noctuary.dream.collect import pending

    snapshot = vault._store.snapshot()
    days = [day for _, day in pending(snapshot.episodes, snapshot.absorbed).by_day()]
    with serving() as server:
        thinks = distiller_for(profile_for(server), tmp_path / "s")
        planned = thinks.forecast(days, Anchor())
        assert server.calls == []
        vault.dream(distiller=thinks)
    assert planned.entries == 62
    assert planned.calls == thinks.usage.calls
    assert abs(planned.tokens_in - thinks.usage.tokens_in) < 0.2 * thinks.usage.tokens_in
    assert planned.tokens_out > thinks.usage.tokens_out / 3
    assert planned.cost > 0
    assert thinks.usage.tokens_in + planned.tokens_out <= planned.at_most


def test_the_forecast_keeps_to_the_cap_of_a_dream(vault: Vault, tmp_path: Path) -> None:
    say(vault, *(f"The {n}th crate holds {n + 7} red bricks." for n in range(200)), session="b2")
    from noctuary.dream.collect import pending

    snapshot = vault._store.snapshot()
    days = [day for _, day in pending(snapshot.episodes, snapshot.absorbed).by_day()]
    with serving() as server:
        profile = replace(profile_for(server), tokens_per_dream=2000)
        planned = distiller_for(profile, tmp_path / "s").forecast(days, Anchor())
    assert planned.at_most == 2000
