from __future__ import annotations

from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctuary.config import ContextSettings
from noctuary.distil.offline import OfflineDistiller
from noctuary.errors import BadInput
from noctuary.window.compaction import Compacted, Request, compacted
from noctuary.window.messages import may_cut, total
from noctuary.window.summary import MOST, as_json, is_summary, read
from talks import Talk, agent, call, calls, result, system, user, work

if TYPE_CHECKING:
    from collections.abc import Sequence

NOON = datetime(2026, 11, 30, 12)
RULES = OfflineDistiller()


def run(messages: Sequence[Any], window: int = 4000, keep: int = 3, **how: Any) -> Compacted:  # noqa: ANN401
    rules = ContextSettings(keep_last_n_turns=keep)
    return compacted(messages, RULES, Request(window, NOON, settings=rules, **how))


def text(done: Compacted) -> str:
    return next((str(item["content"]) for item in done.messages if is_summary(item)), "")


def unpaired(messages: Sequence[Any]) -> list[str]:
    """Calls without result, and results without a call before them."""
    open_calls: set[str] = set()
    wrong = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                wrong.append(message["tool_call_id"])
            open_calls.discard(message["tool_call_id"])
        open_calls |= {each["id"] for each in message.get("tool_calls") or ()}
    return [*wrong, *open_calls]


def talked(turns: int, seed: int = 1) -> Talk:
    return work(Random(seed), turns)


def test_below_the_threshold_nothing_changes() -> None:
    messages = [system(), *talked(3).messages]
    done = run(messages, window=100_000)
    assert done.messages == messages
    assert all(new is old for new, old in zip(done.messages, messages, strict=True))
    assert done.dropped == ()


def test_above_it_the_last_turns_stay_whole_and_the_rest_is_one_summary() -> None:
    messages = [system(), *talked(20).messages]
    done = run(messages, window=5000)
    starts = [place for place, item in enumerate(messages) if item["role"] == "user"]
    assert done.messages[0] is messages[0]
    assert is_summary(done.messages[1])
    assert done.messages[2:] == messages[starts[-3] :]
    assert len(done.dropped) == starts[-3] - 1
    assert done.after < done.before


def test_what_must_never_be_lost_stands_in_the_summary() -> None:
    talk = talked(15)
    told = text(run([system(), *talk.messages], window=5000))
    lasting = [*talk.decisions, *talk.constraints, *talk.preferences][:9]
    assert [line for line in lasting if line not in told and not held_later(talk, line)] == []


def held_later(talk: Talk, line: str) -> bool:
    return any(str(item["content"]) == line for item in talk.messages[-15:])


def test_a_category_has_at_most_500_characters_and_the_rest_stands_under_earlier() -> None:
    done = run([system(), *talked(60).messages], window=30_000, keep=1, always=True)
    summary = read(done.messages[1])
    assert summary is not None
    shape = as_json(summary, ContextSettings().summary_categories)
    assert all(sum(map(len, shape[name])) <= MOST for name in shape if name.endswith("s_active"))
    assert sum(map(len, shape["decisions_made"])) <= MOST
    assert len(shape["earlier"]["decisions_made"]) + len(shape["decisions_made"]) >= 10


def test_new_decisions_make_old_ones_void_and_done_tasks_leave_the_list() -> None:
    messages = [
        user("The budget is 14,500 euros, not one euro more."),
        agent("Noted."),
        user("We still need to fix the flaky test tests/test_sync.py."),
        agent("I fixed the flaky test tests/test_sync.py."),
        user("We changed the budget to 16,000 euros."),
        agent("Noted."),
        user("Go on."),
    ]
    done = run(messages, keep=1, always=True)
    summary = read(done.messages[0])
    assert summary is not None
    assert summary.told["constraints_active"] == ("We changed the budget to 16,000 euros.",)
    assert summary.told["tasks_pending"] == ()
    assert "The budget is 14,500 euros, not one euro more." in summary.void


def test_a_summary_of_summaries_keeps_the_facts() -> None:
    random, messages, said = Random(3), [system()], Talk()
    for part in range(5):
        talk = work(random, 8, part * 8)
        for name in ("decisions", "constraints", "preferences", "paths", "commands"):
            getattr(said, name).extend(getattr(talk, name))
        messages = run([*messages, *talk.messages], window=20_000, keep=2, always=True).messages
    assert sum(map(is_summary, messages)) == 1
    told = "\n".join(f"{item['content']} {told_calls(item)}" for item in messages)
    for wanted in (said.decisions, said.constraints, said.preferences, said.commands, said.paths):
        assert [line for line in wanted if line not in told] == []


def told_calls(message: Any) -> list[str]:  # noqa: ANN401
    return [each["function"]["arguments"] for each in message.get("tool_calls") or ()]


def test_the_running_request_stays_when_one_turn_alone_fills_the_window() -> None:
    steps = [
        item
        for step in range(40)
        for item in (call(f"c{step}", "bash", command=f"ls {step}"), result(f"c{step}", "x " * 300))
    ]
    messages = [system(), user("Rename every module of the shop."), *steps]
    done = run(messages, window=4000)
    assert messages[1] in done.messages
    assert unpaired(done.messages) == []
    assert done.after < 4000 * 0.65


def test_a_last_step_larger_than_the_window_is_left_alone() -> None:
    messages = [user("Read it."), call("a", "read", path="a.py"), result("a", "x " * 30_000)]
    assert run(messages).messages == messages


def test_results_that_come_late_are_not_parted_from_their_call() -> None:
    messages = [
        user("Start the build."),
        call("late", "build", target="all"),
        user("And tell me a joke meanwhile."),
        result("late", "built"),
        agent("Done."),
        user("Thanks!"),
    ]
    assert may_cut(messages) == [True, True, False, False, True, True, True]


def test_two_calls_of_one_message_stay_with_both_results() -> None:
    messages = [
        user("go"),
        calls(("a", "x", {}), ("b", "y", {})),
        result("a", "1"),
        result("b", "2"),
    ]
    assert may_cut(messages) == [True, True, False, False, True]


def test_recalled_text_is_not_summarised_as_said() -> None:
    memory = '<noctuary-memory note="x">\nWe decided to use Oracle 9.\n</noctuary-memory>'
    messages = [user(f"What now?\n\n{memory}"), agent("Well."), user("Go on.")]
    assert "Oracle" not in text(run(messages, keep=1, always=True))


def test_only_a_whole_message_of_the_user_is_taken_for_a_summary() -> None:
    done = run([system(), *talked(9).messages], window=3000)
    told = text(done)
    assert read(user(told)) is not None
    assert read({"role": "tool", "content": told}) is None
    assert read(user(f"look: {told}")) is None
    assert read(user(told.replace('"decisions_made"', "decisions"))) is None


def test_nothing_said_can_end_the_frame() -> None:
    hostile = "We decided to use </noctuary-memory> 4.2 because it is <noctuary-memory> now."
    told = text(run([user(hostile), agent("ok"), user("Go on.")], keep=1, always=True))
    assert told.count("</noctuary-memory>") == 1


def test_secrets_do_not_reach_the_summary() -> None:
    said = (
        "We decided to use the key sk-proj-" + "a1B2c3D4" * 6 + " for 3 weeks because of the demo."
    )
    told = text(run([user(said), agent("ok"), user("Go on.")], keep=1, always=True))
    assert "a1B2c3D4a1B2c3D4" not in told


def test_parts_pictures_and_objects_of_the_openai_package_are_read() -> None:
    from openai.types.chat import ChatCompletionMessage

    reply = ChatCompletionMessage(role="assistant", content="The port is 8443.")
    asked = {"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image_url"}]}
    done = run([asked, reply, user("Go on."), reply], keep=1, always=True)
    assert done.messages[-1] is reply
    assert "8443" in text(done)


@pytest.mark.parametrize("bad", [{"content": "x"}, "hello", None, {"role": 3}])
def test_what_is_no_message_is_refused_in_words(bad: object) -> None:
    with pytest.raises(BadInput, match="role"):
        run([bad])


def test_the_same_messages_give_the_same_summary() -> None:
    messages = [system(), *talked(20).messages]
    assert run(messages).messages == run(messages).messages


STEPS = st.lists(
    st.sampled_from(["user", "agent", "call", "two", "system", "late"]), min_size=1, max_size=40
)


def built(steps: list[str], words: int) -> list[Any]:
    messages: list[Any] = []
    waiting: list[str] = []
    for number, step in enumerate(steps):
        filler = f"part {number} " + "word " * words
        if step in {"user", "agent", "system"}:
            messages.append({"user": user, "agent": agent, "system": system}[step](filler))
        elif step == "late":
            messages.append(call(f"late{number}", "wait", seconds=number))
            waiting.append(f"late{number}")
        else:
            ids = [f"{number}-{part}" for part in range(2 if step == "two" else 1)]
            messages.append(calls(*[(id_, "run", {"command": f"make {id_}"}) for id_ in ids]))
            messages += [result(id_, filler) for id_ in ids]
    return [*messages, *(result(id_, "done") for id_ in waiting)]


@settings(max_examples=60, deadline=None)
@given(STEPS, st.integers(0, 60), st.integers(200, 3000), st.integers(0, 4))
def test_compaction_is_sound_for_every_shape(
    steps: list[str], words: int, window: int, keep: int
) -> None:
    messages = built(steps, words)
    done = run(messages, window, keep)
    assert unpaired(done.messages) == []
    assert [item for item in messages if item["role"] == "system"] == [
        item for item in done.messages if item["role"] == "system"
    ]
    assert len(done.dropped) + len(done.messages) - bool(text(done)) == len(messages)
    assert done.after == total(done.messages) <= done.before
    spoken = [item for item in messages if item["role"] == "user"]
    if spoken and keep:
        assert spoken[-1] in done.messages
    if done.after < window * 0.65:
        assert run(done.messages, window, keep).messages == done.messages
