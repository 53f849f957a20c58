"""What a dream with a model costs, by the tokens of the entries it absorbs.

A scripted model on loopback answers every question as an honest, simple model would and counts
the tokens of what is sent and of what it sends back, with the same measure by which the entries
are counted (a token per four characters, or per Chinese character).

    python -m benchmarks.model_cost [--entries 200]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from model_server import Answer, Call, distiller_for, profile_for, says, sensible, serving
from nights import Clock, new_vault, take_in
from noctuary.memory.tokens import estimate

DAYS_AGO = datetime(2026, 11, 30, 8, 0)
LIMIT = 1.5


@dataclass(frozen=True, slots=True)
class Talk:
    """A made-up kind of log: how long what is said is, in words, and how often by whom.

    Attributes:
        turns: Role, share of the entries, shortest and longest text in words.
    """

    name: str
    turns: tuple[tuple[str, float, int, int], ...]
    chinese: bool = False
    days: int = 1


TALKS = (
    Talk("coding agent", (("user", 0.2, 8, 80), ("assistant", 0.4, 30, 250), ("tool", 0.4, 20, 400))),
    Talk("assistant chat", (("user", 0.5, 8, 90), ("assistant", 0.5, 60, 350))),
    Talk("assistant chat, Chinese", (("user", 0.5, 10, 90), ("assistant", 0.5, 60, 300)), True),
    Talk("assistant chat over five days", (("user", 0.5, 8, 90), ("assistant", 0.5, 60, 350)), days=5),
    Talk("two people, short lines", (("user", 1.0, 6, 40),)),
)  # fmt: skip

_WORDS = [
    "the",
    "model",
    "of",
    "a",
    "house",
    "with",
    "garden",
    "and",
    "two",
    "windows",
    "was",
    "painted",
    "green",
    "last",
    "spring",
    "because",
    "rain",
    "had",
    "taken",
    "its",
    "colour",
    "while",
    "we",
    "talked",
    "about",
    "prices",
    "trains",
    "budgets",
    "servers",
    "tests",
    "files",
    "release",
    "dates",
    "families",
    "recipes",
    "medicine",
    "letters",
    "and",
    "what",
    "should",
    "be",
    "done",
    "before",
    "winter",
    "comes",
    "again",
]
_HAN = "我们今天讨论预算和项目进度因为服务器需要更新所以决定下周再测试网站的登录页面并且记录结果"
_TELLING = (
    "I prefer {0} over {1} in every report.",
    "The budget for {0} must not exceed {2} euros.",
    "We decided to use {0} {3}.4 because it needs no {1}.",
    "My sister moved to {0} street {3} on 3 May 2026.",
    "The {0} test failed with error {2}, a restart cured it.",
)
_TELLING_ZH = (
    "{0}的预算不超过{2}元。",
    "以后都用{0}写报告。",
    "我们决定用{0}，因为不需要{1}。",
    "{0}在2026年5月{3}日完成。",
)


def rows(talk: Talk, entries: int, seed: int = 7) -> list[dict[str, object]]:
    """The entries of a made-up log, always the same ones."""
    rng = random.Random(seed)
    roles = [turn for turn in talk.turns for _ in range(round(100 * turn[1]))]
    made: list[dict[str, object]] = []
    per_day = -(-entries // talk.days)
    for number in range(entries):
        role, _, least, most = rng.choice(roles)
        at = DAYS_AGO + timedelta(days=number // per_day, minutes=2 * (number % per_day))
        text = _text(rng, talk, role, rng.randint(least, most))
        made.append(
            {"ts": at.isoformat(), "role": role, "text": text, "session": f"s{number // 40}"}
        )
    return made


def _text(rng: random.Random, talk: Talk, role: str, words: int) -> str:
    if role == "user" and rng.random() < 0.15:
        return rng.choice(("好的，谢谢！", "继续。") if talk.chinese else ("ok, thanks!", "go on"))
    telling = _telling(rng, talk) if role == "user" and rng.random() < 0.4 else ""
    if talk.chinese:
        filler = "".join(rng.choice(_HAN) for _ in range(words)) + "。"
    else:
        filler = " ".join(rng.choice(_WORDS) for _ in range(words)).capitalize() + "."
    return f"{telling} {filler}".strip()


def _telling(rng: random.Random, talk: Talk) -> str:
    frames = _TELLING_ZH if talk.chinese else _TELLING
    words = [_HAN[at : at + 2] for at in range(0, 40, 2)] if talk.chinese else _WORDS
    return rng.choice(frames).format(
        rng.choice(words), rng.choice(words), rng.randint(100, 99_999), rng.randint(1, 28)
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """What one dream cost, in tokens as the scripted server counted them."""

    entries: int
    entry_tokens: int
    calls: int
    sent: int
    received: int
    scored: int
    shown: int
    cards: int
    result: str

    @property
    def ratio(self) -> float:
        """All tokens of all questions and answers by the tokens of the entries."""
        return (self.sent + self.received) / self.entry_tokens


def measure(talk: Talk, entries: int, folder: Path) -> Cost:
    """Dream once over a log of this kind."""
    os.environ["NOCTUARY_CACHE"] = str(folder / "cache")
    vault = new_vault(folder / "vault", Clock(DAYS_AGO + timedelta(days=talk.days, hours=20)))
    made = rows(talk, entries)
    take_in(vault, made)
    received: list[int] = []

    def script(call: Call) -> Answer:
        answer = _fewer(sensible(call))
        received.append(estimate(json.dumps(answer, ensure_ascii=False)))
        return says(answer, call)

    with serving(script) as server:
        report = vault.dream(distiller=distiller_for(profile_for(server), folder / "state"))
        return Cost(
            entries=report.seen,
            entry_tokens=sum(estimate(str(row["text"])) for row in made),
            calls=len(server.calls),
            sent=sum(call.tokens for call in server.calls),
            received=sum(received),
            scored=sum(len(call.entries) for call in server.of("score")),
            shown=sum(len(call.entries) for call in server.of("distil")),
            cards=len(report.changes),
            result=str(report.result),
        )


def _fewer(answer: dict[str, object]) -> dict[str, object]:
    """One card for four entries that tell something: what the prompt asks for, generously."""
    found = answer.get("cards")
    return {"cards": found[::4]} if isinstance(found, list) else answer


def main() -> int:
    """Print a table; exit code 1 where a dream costs more than it may."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=200)
    wanted = parser.parse_args()
    print(
        "| log | entries | their tokens | questions | sent | received | ratio | scored | shown | cards |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    worst = 0.0
    for talk in TALKS:
        with tempfile.TemporaryDirectory() as folder:
            cost = measure(talk, wanted.entries, Path(folder))
        worst = max(worst, cost.ratio if cost.result == "done" else 99.0)
        print(
            f"| {talk.name} | {cost.entries} | {cost.entry_tokens:,} | {cost.calls} | {cost.sent:,} "
            f"| {cost.received:,} | {cost.ratio:.2f} | {cost.scored} | {cost.shown} | {cost.cards} |"
        )
    print(f"\nhighest ratio {worst:.2f}, limit {LIMIT}")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
