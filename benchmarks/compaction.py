"""Measures what is left of a conversation after compactions: `python benchmarks/compaction.py`.

Conversations of an agent at work are made up from a seed, in English and Chinese: each turn reads a
file, runs a command and reports a measured number; one in five states a decision with its reason,
one a limit, one a wish. The window is compacted again and again as more turns come. What was said
and stands verbatim in the messages that are left counts as kept. Beside it, the same with the last
turns alone, which is what a sliding window keeps.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

_HOUSE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_HOUSE), str(_HOUSE / "daemon"), str(_HOUSE / "tests")]

from noctuary.config import ContextSettings
from noctuary.distil.offline import OfflineDistiller
from noctuary.memory.facts import fact_keys, hard_facts
from noctuary.window.compaction import Request, compacted
from noctuary.window.messages import total
from talks import Message, Talk, system, work

NOON = datetime(2026, 11, 30, 12)
EXACT = ("said facts", "tools' facts")
KINDS = ("decisions", "constraints", "preferences", "paths", "commands", "numbers")
KEEP = 2
LINES = 60
"""Lines of a file that is read: with 30 turns a window of 32,000 tokens is full at its threshold."""


@dataclass
class Row:
    """Shares that were kept after one round, over all conversations."""

    kept: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def main(arguments: list[str] | None = None) -> int:
    """Print one table per round that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talks", type=int, default=10)
    parser.add_argument("--turns", type=int, default=30, help="between two compactions")
    parser.add_argument("--window", type=int, default=32_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    rows = measure(given.talks, given.turns, given.window, given.rounds)
    if given.json:
        print(json.dumps({name: figures(row) for name, row in rows.items()}, indent=2))
        return 0
    print(f"| | {' | '.join(KINDS + EXACT)} | tokens | p50 s |")
    print("|---|" + "---|" * (len(KINDS + EXACT) + 2))
    for name, row in rows.items():
        told = figures(row)
        shares = " | ".join(f"{told[kind]:.3f}" for kind in KINDS + EXACT)
        print(
            f"| {name} | {shares} | {told['before']:.0f} → {told['after']:.0f} | {told['seconds']:.2f} |"
        )
    return 0


def figures(row: Row) -> dict[str, float]:
    """The mean of each share; sizes and time."""
    shares = {kind: mean(values) for kind, values in row.kept.items()}
    sizes = {"before": mean(row.before), "after": mean(row.after)}
    return {**shares, **sizes, "seconds": median(row.seconds)}


def measure(talks: int, turns: int, window: int, rounds: int) -> dict[str, Row]:
    """What is kept after each round, by compaction and by the last turns alone."""
    rows: dict[str, Row] = defaultdict(Row)
    for seed in range(talks):
        _run(Random(seed), turns, window, rounds, rows)
    return dict(sorted(rows.items()))


def _run(random: Random, turns: int, window: int, rounds: int, rows: dict[str, Row]) -> None:
    settings = ContextSettings(keep_last_n_turns=KEEP)
    rules = OfflineDistiller()
    said, messages, whole = Talk(), [system()], [system()]
    for number in range(1, rounds + 1):
        talk = work(random, turns, (number - 1) * turns, lines=LINES)
        for kind in KINDS:
            getattr(said, kind).extend(getattr(talk, kind))
        messages += talk.messages
        whole += talk.messages
        began = time.perf_counter()
        done = compacted(messages, rules, Request(window, NOON, always=True, settings=settings))
        row = rows[f"after {number}"]
        row.seconds.append(time.perf_counter() - began)
        row.before.append(done.before)
        row.after.append(done.after)
        messages = done.messages
        _count(row, said, whole, messages)
        sliding = rows[f"after {number}, last turns alone"]
        last = whole[-5 * KEEP :]
        sliding.seconds.append(0)
        sliding.before.append(total(whole))
        sliding.after.append(total(last))
        _count(sliding, said, whole, last)


def _count(row: Row, said: Talk, whole: list[Message], left: list[Any]) -> None:
    text = shown(left)
    for kind in KINDS:
        wanted = getattr(said, kind)
        row.kept[kind].append(mean(line in text for line in wanted))
    known = fact_keys(text)
    for name, of_tools in (("said facts", False), ("tools' facts", True)):
        told = (_words(item) for item in whole if (item["role"] == "tool") is of_tools)
        keys = {fact.key for words in told for fact in hard_facts(words)}
        row.kept[name].append(len(keys & known) / len(keys))


def shown(messages: list[Any]) -> str:
    """Everything that a model can read in these messages, quotes as they were."""
    return "\n".join(map(_words, messages)).replace('\\"', '"')


def _words(message: Message) -> str:
    asked = [json.loads(each["function"]["arguments"]) for each in message.get("tool_calls") or ()]
    values = [str(value) for given in asked for value in given.values()]
    return "\n".join([message.get("content") or "", *values])


if __name__ == "__main__":
    raise SystemExit(main())
