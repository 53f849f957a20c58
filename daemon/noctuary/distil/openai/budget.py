"""What thinking may cost: an estimate before, caps that hold across vaults, a book that lasts.

The book is written before a call (what it may cost at most) and put right after it, so that a
program that is killed in between has counted too much, never too little.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from noctuary.errors import DistillerError
from noctuary.memory.candidate import Usage
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import date
    from pathlib import Path

    from noctuary.profiles import Profile

_LOCK_SECONDS = 10


class Capped(DistillerError):
    """A cap of the profile would be passed; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens, in and out together, and money."""

    tokens: int = 0
    money: float = 0.0

    def plus(self, tokens: int, money: float) -> Spent:
        """With this added."""
        return Spent(self.tokens + tokens, self.money + money)


class UsageBook:
    """What one profile has spent, in a file per month that all vaults of a person share."""

    def __init__(self, folder: Path, profile: str) -> None:
        self._folder = folder
        self._profile = profile
        self._read: dict[str, tuple[int, dict[str, Spent]]] = {}

    def add(self, day: date, tokens: int, money: float) -> None:
        """Write down a spending; a negative one puts an earlier one right.

        Raises:
            DistillerError: It cannot be written down, so nothing may be spent.
        """
        line = json.dumps({"day": day.isoformat(), "tokens": tokens, "money": round(money, 8)})
        try:
            with self._locked():
                self._append(self._path(day), line + "\n")
        except (OSError, TimeoutError) as error:
            raise DistillerError(
                phrase(
                    "what is spent cannot be written down in {folder} ({error}); nothing is sent until it can",
                    folder=self._folder,
                    error=error,
                )
            ) from error

    def totals(self, day: date) -> tuple[Spent, Spent]:
        """Spent on this day, and in its month."""
        path = self._path(day)
        at, days = self._read.get(path.name, (0, {}))
        data = path.read_bytes()[at:] if path.is_file() else b""
        whole = data.rpartition(b"\n")[0]
        for line in whole.splitlines():
            _count(line, days)
        self._read[path.name] = (at + len(whole) + bool(whole), days)
        month = Spent()
        for spent in days.values():
            month = month.plus(spent.tokens, spent.money)
        return days.get(day.isoformat(), Spent()), month

    def _path(self, day: date) -> Path:
        return self._folder / f"{self._profile}-{day:%Y-%m}.jsonl"

    def _locked(self) -> AbstractContextManager[object]:
        from filelock import FileLock

        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return FileLock(self._folder / "lock", timeout=_LOCK_SECONDS)

    @staticmethod
    def _append(path: Path, line: str) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "a+b") as file:
            torn = file.seek(0, os.SEEK_END) > 0 and file.seek(-1, os.SEEK_END) >= 0
            begin = b"\n" if torn and file.read(1) != b"\n" else b""
            file.write(begin + line.encode())


def _count(line: bytes, days: dict[str, Spent]) -> None:
    """Add one line of the book; a torn one, of a program that died while writing, is passed over."""
    try:
        found = json.loads(line)
        day, tokens, money = str(found["day"]), int(found["tokens"]), float(found["money"])
    except (ValueError, KeyError, TypeError):
        return
    days[day] = days.get(day, Spent()).plus(tokens, money)


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a call may cost at most, already counted."""

    day: date
    tokens: int
    money: float
    small: bool


@dataclass(slots=True)
class Purse:
    """The money of one dream: counts every call, and stops before a cap is passed."""

    profile: Profile
    book: UsageBook
    today: Callable[[], date]
    _usage: Usage = field(default_factory=Usage)
    _dream: Spent = field(default_factory=Spent)
    _lock: Lock = field(default_factory=Lock)

    @property
    def usage(self) -> Usage:
        """What this dream has cost so far, failed calls included."""
        return self._usage

    def reserve(self, tokens_in: int, tokens_out: int, *, small: bool = False) -> Reservation:
        """Count a call before it is made, at what it may cost at most.

        Raises:
            Capped: It does not fit under a cap.
            DistillerError: The book cannot be written.
        """
        tokens = tokens_in + tokens_out
        money = self.profile.price(tokens_in, tokens_out, small=small)
        with self._lock:
            day = self.today()
            self._check(day, tokens, money)
            self.book.add(day, tokens, money)
            self._dream = self._dream.plus(tokens, money)
        return Reservation(day, tokens, money, small)

    def settle(
        self, held: Reservation, tokens_in: int, tokens_out: int, *, failed: bool = False
    ) -> None:
        """Put a reservation right once the call's true cost is known.

        Raises:
            DistillerError: The book cannot be written; what was reserved stays counted.
        """
        money = self.profile.price(tokens_in, tokens_out, small=held.small)
        tokens = tokens_in + tokens_out
        with self._lock:
            self._dream = self._dream.plus(tokens - held.tokens, money - held.money)
            used = self._usage
            self._usage = Usage(
                used.calls + 1,
                used.failed_calls + failed,
                used.tokens_in + tokens_in,
                used.tokens_out + tokens_out,
                round(used.cost + money, 8),
            )
            if (tokens, money) != (held.tokens, held.money):
                self.book.add(held.day, tokens - held.tokens, money - held.money)

    def room(self) -> tuple[int, float]:
        """Tokens and money that may still be spent today; -1 where there is no cap."""
        with self._lock:
            limits = self._limits(self.today())
        tokens = [cap - spent.tokens for _, spent, cap, _ in limits if cap]
        money = [cap - spent.money for _, spent, _, cap in limits if cap]
        return max(0, min(tokens)) if tokens else -1, max(0.0, min(money)) if money else -1.0

    def _limits(self, day: date) -> list[tuple[str, Spent, int, float]]:
        today, month = self.book.totals(day)
        mine = self.profile
        return [
            ("dream", self._dream, mine.tokens_per_dream, mine.money_per_dream),
            ("day", today, mine.tokens_per_day, mine.money_per_day),
            ("month", month, mine.tokens_per_month, mine.money_per_month),
        ]

    def _check(self, day: date, tokens: int, money: float) -> None:
        for span, spent, max_tokens, max_money in self._limits(day):
            if max_tokens and spent.tokens + tokens > max_tokens:
                raise Capped(self._told(span, f"{max_tokens:,} tokens", f"tokens_per_{span}"))
            if max_money and spent.money + money > max_money:
                cap = f"{max_money:g} {self.profile.currency}"
                raise Capped(self._told(span, cap, f"money_per_{span}"))

    def _told(self, span: str, cap: str, key: str) -> str:
        return phrase(
            "the cap of {cap} per {span} is reached; raise {key} of profile {name} or wait",
            cap=cap,
            span=span,
            key=key,
            name=self.profile.name,
        )
