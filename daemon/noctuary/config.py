"""Settings of a vault: `noctuary.toml` to typed values, and the file that `init` writes.

Pure: text in, values and problems out. A key that is unknown or bad is a problem with its line,
never a crash; the default stands in for it, or the cautious value where a default could destroy.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import MISSING, dataclass, field, fields, replace
from datetime import time
from typing import TYPE_CHECKING, Any, cast
from zoneinfo import ZoneInfo

from noctuary.errors import Problem
from noctuary.tongue import listed, phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from dataclasses import Field
    from typing import TypeAlias

    Value: TypeAlias = str | int | float | bool | tuple[str, ...]
    Check: TypeAlias = Callable[[object], Value]
    """Gives the value in its proper type, or raises ValueError with what was expected."""

FILE_NAME = "noctuary.toml"
CATEGORIES = ("decisions_made", "tasks_pending", "constraints_active", "user_preferences")


def _whole(low: int, high: int) -> Check:
    def check(raw: object) -> Value:
        if isinstance(raw, bool) or not isinstance(raw, int) or not low <= raw <= high:
            raise ValueError(phrase("a whole number from {low} to {high:,}", low=low, high=high))
        return raw

    return check


def _number(low: float, high: float) -> Check:
    def check(raw: object) -> Value:
        if isinstance(raw, bool) or not isinstance(raw, int | float) or not low <= raw <= high:
            raise ValueError(phrase("a number from {low:g} to {high:g}", low=low, high=high))
        return float(raw)

    return check


def _truth(raw: object) -> Value:
    if isinstance(raw, bool):
        return raw
    raise ValueError(phrase("true or false"))


def _one_of(*words: str) -> Check:
    def check(raw: object) -> Value:
        if not isinstance(raw, str) or raw not in words:
            raise ValueError(phrase("one of {words}", words=listed(f'"{word}"' for word in words)))
        return raw

    return check


def _words(raw: object) -> Value:
    items = [raw] if isinstance(raw, str) else raw
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError(phrase('a list of texts, such as ["one", "two"]'))
    return tuple(items)


def _some_of(*words: str) -> Check:
    def check(raw: object) -> Value:
        chosen = cast("tuple[str, ...]", _words(raw))
        if not set(chosen) <= set(words):
            raise ValueError(phrase("a list with some of {words}", words=listed(words)))
        return chosen

    return check


def _name(raw: object) -> Value:
    if not isinstance(raw, str) or not re.fullmatch(r"[\w.-]{1,64}", raw):
        raise ValueError(
            phrase('"offline" or the name of a profile (letters, digits, ".", "_", "-")')
        )
    return raw


def _zone(raw: object) -> Value:
    try:
        ZoneInfo(cast("str", raw))
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(
            phrase('the name of a time zone, such as "Europe/Berlin" or "UTC"')
        ) from None
    return cast("str", raw)


def _window(raw: object) -> Value:
    if not isinstance(raw, str) or (raw and _span(raw) is None):
        raise ValueError(phrase('a span of the day such as "02:00-04:00", or "" for none'))
    return raw


def _span(text: str) -> tuple[time, time] | None:
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)", text)
    if found is None:
        return None
    first_hour, first_minute, last_hour, last_minute = map(int, found.groups())
    return time(first_hour, first_minute), time(last_hour, last_minute)


def _key(default: object, check: Check, cautious: object = MISSING) -> Any:  # noqa: ANN401
    """A field with its check; `cautious` is what stands in for a value that cannot be read."""
    return field(default=default, metadata={"check": check, "cautious": cautious})


@dataclass(frozen=True, slots=True)
class VaultSettings:
    """`[vault]`: where in the world, and in which language."""

    timezone: str = _key("UTC", _zone)
    language: str = _key("auto", _one_of("auto", "en", "zh"))

    @property
    def zone(self) -> ZoneInfo:
        """The zone in which every time in the vault is read and written."""
        return ZoneInfo(self.timezone)


@dataclass(frozen=True, slots=True)
class TriggerSettings:
    """`[triggers]`: what wakes a dream, any one of them."""

    idle_minutes: int = _key(10, _whole(1, 1440))
    min_session_minutes: int = _key(5, _whole(0, 1440))
    max_pending: int = _key(200, _whole(1, 1_000_000))
    max_hours: int = _key(24, _whole(1, 8760))
    on_task_done: bool = _key(True, _truth)
    night_window: str = _key("02:00-04:00", _window)
    deep_dream_days: int = _key(7, _whole(1, 365))
    settle_seconds: int = _key(60, _whole(0, 86_400))

    @property
    def night(self) -> tuple[time, time] | None:
        """First and last minute of the night, which may run over midnight; None for no night."""
        return _span(self.night_window)


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """`[dream]`: who thinks, and how much may change in one night."""

    distiller: str = _key("offline", _name)
    batch: int = _key(25, _whole(1, 200))
    detail_from: int = _key(4, _whole(2, 5))
    keep_from: int = _key(2, _whole(1, 5))
    max_lost_facts: float = _key(0.02, _number(0, 1))
    max_cards_per_100_entries: int = _key(25, _whole(1, 100))
    max_changed_share: float = _key(0.2, _number(0, 1))


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """`[retention]`: how long raw entries and retired cards are kept."""

    purge: str = _key("grace", _one_of("grace", "immediate", "never"), cautious="never")
    noise_days: int = _key(7, _whole(0, 36_500), cautious=36_500)
    entry_days: int = _key(30, _whole(0, 36_500), cautious=36_500)
    graveyard_days: int = _key(30, _whole(0, 36_500), cautious=36_500)
    stale_days: int = _key(60, _whole(1, 36_500))
    max_cards: int = _key(5000, _whole(10, 1_000_000))
    max_cards_mb: int = _key(20, _whole(1, 10_000))
    max_archive_mb: float = _key(20, _number(0, 100_000), cautious=100_000)
    report_days: int = _key(180, _whole(1, 36_500), cautious=36_500)


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """`[recall]`: how many tokens an agent is given, and how they are found."""

    budget: int = _key(1000, _whole(50, 1_000_000))
    wake_budget: int = _key(1500, _whole(50, 1_000_000))
    semantic: bool = _key(True, _truth)


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """`[context_management]`: how a running agent's own window is compacted."""

    trigger_threshold: float = _key(0.65, _number(0.1, 1))
    compression_strategy: str = _key("hierarchical", _one_of("hierarchical"))
    keep_last_n_turns: int = _key(10, _whole(0, 1000))
    summary_categories: tuple[str, ...] = _key(CATEGORIES, _some_of(*CATEGORIES))


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """`[history]`: what git is told."""

    git: bool = _key(True, _truth)
    track_episodes: bool = _key(False, _truth)
    commit_hand_edits: bool = _key(True, _truth)
    hooks: bool = _key(False, _truth)
    sign: bool = _key(False, _truth)


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """`[privacy]`: what never reaches a card, a model or the disk."""

    redact: bool = _key(True, _truth)
    private_terms: tuple[str, ...] = _key((), _words)
    tool_output_bytes: int = _key(4096, _whole(0, 100_000_000))


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """`[daemon]`: how `noctuary watch` behaves."""

    notify: bool = _key(False, _truth)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything in `noctuary.toml`, one attribute per section."""

    vault: VaultSettings = field(default_factory=VaultSettings)
    triggers: TriggerSettings = field(default_factory=TriggerSettings)
    dream: DreamSettings = field(default_factory=DreamSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    context_management: ContextSettings = field(default_factory=ContextSettings)
    history: HistorySettings = field(default_factory=HistorySettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    daemon: DaemonSettings = field(default_factory=DaemonSettings)


def keys() -> Iterator[tuple[str, str]]:
    """Every (section, key) there is, in the order of the file."""
    for section in fields(Settings):
        for key in fields(getattr(Settings(), section.name)):
            yield section.name, key.name


def parse(text: str) -> tuple[Settings, tuple[Problem, ...]]:
    """Settings from the text of a `noctuary.toml`, and what is wrong with it, by line."""
    document, problems = _load(text.removeprefix("\ufeff"))
    torn = bool(problems)
    sections = {}
    for section in fields(Settings):
        table = document.pop(section.name, {})
        sections[section.name] = _section(section.name, table, text, problems, torn=torn)
    for name in document:
        problems.append(
            _problem(
                text, "", name, phrase("there is no section or key {name}; remove it", name=name)
            )
        )
    return Settings(**sections), tuple(problems)


def _load(text: str) -> tuple[dict[str, Any], list[Problem]]:
    """The document without the lines that are no TOML, and a problem for each of those lines."""
    lines = text.split("\n")
    problems: list[Problem] = []
    while True:
        try:
            return tomllib.loads("\n".join(lines)), problems
        except RecursionError:
            what = phrase("it is nested too deep to be read; cautious defaults are used")
            return {}, [*problems, Problem(FILE_NAME, what)]
        except tomllib.TOMLDecodeError as error:
            number = _bad_line(str(error), lines)
            what = phrase(
                "line {number} is not TOML and was left out: write key = value, text in quotes",
                number=number,
            )
            problems.append(Problem(FILE_NAME, what, number))
            lines[number - 1] = ""


def _bad_line(error: str, lines: list[str]) -> int:
    """Number of a line to leave out that is not empty, so that leaving out comes to an end."""
    found = re.search(r"at line (\d+)", error)
    number = int(found.group(1)) if found else len(lines)
    before = [index for index, line in enumerate(lines[:number], 1) if line]
    return before[-1] if before else _first_full(lines)


def _first_full(lines: list[str]) -> int:
    return next(index for index, line in enumerate(lines, 1) if line)


_WITHOUT_EFFECT = frozenset({"compression"})
"""Keys that files may hold and that say nothing; nobody needs to take them out."""


def _section(name: str, table: object, text: str, problems: list[Problem], *, torn: bool) -> Any:  # noqa: ANN401
    settings = getattr(Settings(), name)
    if not isinstance(table, dict):
        what = phrase("{name} must be a section, [{name}]; its defaults are used", name=name)
        problems.append(_problem(text, "", name, what))
        table, torn = {}, True
    changes = {
        key.name: _value(name, key, table, text, problems, torn=torn) for key in fields(settings)
    }
    known = {key.name for key in fields(settings)} | _WITHOUT_EFFECT
    problems += [
        _problem(
            text,
            name,
            key,
            phrase("there is no key {key} in [{name}]; remove it", key=key, name=name),
        )
        for key in table
        if key not in known
    ]
    return replace(settings, **changes)


def _value(
    section: str,
    key: Field[Any],
    table: Mapping[str, object],
    text: str,
    problems: list[Problem],
    *,
    torn: bool,
) -> Value:
    cautious = key.metadata["cautious"]
    stand_in = cast("Value", key.default if cautious is MISSING else cautious)
    if key.name not in table:
        return stand_in if torn else cast("Value", key.default)
    try:
        return cast("Check", key.metadata["check"])(table[key.name])
    except ValueError as error:
        what = phrase(
            "{name} in [{section}] must be {error}; {shown} is used",
            name=key.name,
            section=section,
            error=error,
            shown=_shown(stand_in),
        )
        problems.append(_problem(text, section, key.name, what))
        return stand_in


def _shown(value: Value) -> str:
    """A value as it is written in the file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{item}"' for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _problem(text: str, section: str, key: str, what: str) -> Problem:
    return Problem(FILE_NAME, what, _line_of(text, section, key))


def _line_of(text: str, section: str, key: str) -> int:
    """Line on which a key (or, without section, a section or top key) stands; 0 if not found."""
    here = ""
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*\[+\s*([\w-]+)", line)
        if header:
            here = header.group(1)
        if here == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
            return number
        if header and not section and here == key:
            return number
    return 0


def initial(template: str, timezone: str) -> str:
    """The `noctuary.toml` of a new vault, from the text of its template."""
    return template.replace("{{ timezone }}", timezone)
