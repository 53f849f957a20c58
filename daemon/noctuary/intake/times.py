"""Times of transcripts, in whatever form agents write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from noctuary.intake.text import label
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from datetime import tzinfo

FIRST_YEAR = 1970
LAST_YEAR = 2199
_UNIX_TEXT = re.compile(r"[0-9]{9,16}(\.[0-9]+)?")
_MILLISECONDS_FROM = 100_000_000_000


class RecordError(ValueError):
    """One record cannot be used; the message is the sentence for its problem."""


def moment(value: object, zone: tzinfo) -> datetime:
    """A time as it stands in a transcript, as local time of the zone in whole seconds, naive.

    Takes moments, ISO 8601 with or without offset and Unix time in seconds or milliseconds; without an
    offset the time is one of the zone.

    Raises:
        RecordError: It is no time, or lies outside the years 1970 to 2199.
    """
    try:
        found = _time(value)
        local = found.astimezone(zone) if found.tzinfo else found
    except (ValueError, OverflowError, OSError) as error:
        raise RecordError(_no_time(value)) from error
    if not FIRST_YEAR <= local.year <= LAST_YEAR:
        raise RecordError(_no_time(value))
    return local.replace(tzinfo=None, microsecond=0, fold=0)


def _time(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        text = value.strip()
        return _unix(float(text)) if _UNIX_TEXT.fullmatch(text) else datetime.fromisoformat(text)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _unix(value)
    raise ValueError(value)


def _unix(value: float) -> datetime:
    seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
    return datetime.fromtimestamp(seconds, UTC)


def _no_time(value: object) -> str:
    told = str(value) if isinstance(value, datetime) else value
    shown = label(repr(told))[:60] if isinstance(told, (str, int, float)) else "this"
    return phrase("{shown} is not a time; write it like 2026-11-30T14:02:11", shown=shown)
