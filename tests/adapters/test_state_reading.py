"""What is kept of a state file that was read belongs to nobody; the days of graves are read strictly."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.vault.files import Disk
from noctuary.vault.graveyard import Graveyard
from noctuary.vault.state import Ledger, Written, read_ledger, write_ledger

if TYPE_CHECKING:
    from pathlib import Path


def test_who_changes_a_ledger_changes_nobody_elses(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    write_ledger(disk, Ledger({"cards/a.md": Written("1")}, {"mark"}, {"session": {"t1"}}))

    one = read_ledger(disk)
    assert one is not None
    one.files.clear()
    one.rejected.add("more")
    one.reopened["session"].discard("t1")

    assert read_ledger(disk) == Ledger({"cards/a.md": Written("1")}, {"mark"}, {"session": {"t1"}})
    write_ledger(disk, one)
    assert read_ledger(disk) == one


AT = datetime(2026, 11, 30, 3, 12)


@pytest.mark.parametrize("stamp", ["", "20261130", "2026-11-30T0312", "20261130T0312", "20261130T0312٣٤", "20261330T031200", "20261130T031260", "20261130 031200"])  # fmt: skip
def test_what_is_named_otherwise_is_no_grave(tmp_path: Path, stamp: str) -> None:
    folder = Graveyard(Disk(tmp_path)).folder
    folder.mkdir(parents=True)
    (folder / f"{stamp}-0123456789abcdef-abcdef-cards%2Fa.md").write_bytes(b"a")
    (folder / "20261130T031200-0123456789abcdef-abcdef-cards%2Fb.md").write_bytes(b"b")

    assert [grave.path for grave in Graveyard(Disk(tmp_path)).graves()] == ["cards/b.md"]


@given(st.datetimes(datetime(1900, 1, 1), datetime(2999, 1, 1)))
def test_a_day_is_read_as_it_was_written(moment: datetime) -> None:
    from noctuary.vault import graveyard

    stamp = moment.strftime(graveyard._STAMP)
    assert graveyard._moment(stamp) == datetime.strptime(stamp, graveyard._STAMP)


def test_graves_of_late_are_found_and_old_ones_expire(tmp_path: Path) -> None:
    yard = Graveyard(Disk(tmp_path))
    for days in range(6):
        for path in ("cards/a.md", "index.md"):
            source = tmp_path / "source"
            source.write_bytes(b"a")
            yard.bury(source, path, "0" * 64, AT - timedelta(days=days, seconds=1))

    late = list(yard.graves(AT - timedelta(days=2)))
    assert [(AT - grave.buried).days for grave in late] == [1, 1, 0, 0]
    assert yard.expire(AT, 4) == 2 + 4
    assert {(AT - grave.buried).days for grave in yard.graves()} == {0, 1, 2, 3}
