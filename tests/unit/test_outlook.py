"""What a daemon takes from earlier dreams, whatever a clock has dated them to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from noctuary.care.outlook import moment, past_of
from noctuary.vault.attempts import Attempts
from noctuary.vault.files import Disk
from noctuary.vault.pulse import Pulse, Told

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
YESTERDAY = NOW - timedelta(days=1)
LAST_WEEK = NOW - timedelta(days=7)


def pulse_of(root: Path, **dreams: datetime) -> Pulse:
    told = {
        f"dreams/{trigger}.md": Told((), f"{at:%Y-%m-%dT%H:%M:%S}", trigger, "done")
        for trigger, at in dreams.items()
    }
    return Pulse(Disk(root), told=told)


@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(days=365)])
def test_a_dream_of_the_future_does_not_hide_those_before_it(
    tmp_path: Path, ahead: timedelta
) -> None:
    pulse = pulse_of(tmp_path, idle=YESTERDAY, deep=LAST_WEEK, night=NOW + ahead)
    late = Attempts(deep=(NOW + ahead).isoformat())
    past = past_of(pulse, late, UTC, NOW)
    assert (past.dreamt, past.deep) == (YESTERDAY, LAST_WEEK)
    later = past_of(pulse, late, UTC, NOW + ahead)
    assert later.dreamt == later.deep == NOW + ahead


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "x"])
def test_what_is_no_moment_is_none(text: str) -> None:
    assert moment(text, UTC) is None
