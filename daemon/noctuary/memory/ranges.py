"""Which entries of an episode dreams have absorbed, as the reports tell it. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class AbsorbedRange:
    """A run of entries of one episode, first to last in the order of the file.

    Attributes:
        on: Day of the dream, where the run was read from its report.
    """

    episode: str
    first: str
    last: str
    count: int
    on: date | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """As it stands in a report: `episode first..last count`."""
        return f"{self.episode} {self.first}..{self.last} {self.count}"


_RANGE = lazily(r"(\S+) ([eh][0-9a-f]{10})\.\.([eh][0-9a-f]{10}) (\d+)")


def parse_range(text: str, started: object = "") -> AbsorbedRange | None:
    """Read one line of a report's `absorbed` list; None if a person changed it beyond reading.

    `started` is what the report says of its beginning.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        return None
    return AbsorbedRange(match[1], match[2], match[3], int(match[4]), _day(started))


def ranges_of(meta: Mapping[str, object]) -> list[AbsorbedRange]:
    """The absorbed ranges that a report's frontmatter states."""
    lines = meta.get("absorbed")
    if not isinstance(lines, list):
        return []
    spans = (parse_range(str(line), meta.get("started")) for line in lines)
    return [span for span in spans if span is not None]


def _day(started: object) -> date | None:
    try:
        return datetime.fromisoformat(str(started)).date()
    except ValueError:
        return None


def covered(order: Sequence[str], ranges: Iterable[AbsorbedRange]) -> set[str]:
    """Ids among `order` (an episode's ids in file order) that lie in one of the ranges.

    A range whose ends are not both there covers nothing: its entries are dreamt again, which
    changes nothing, since their receipts are known.
    """
    place = {entry: index for index, entry in enumerate(order)}
    found: set[str] = set()
    for span in ranges:
        first, last = place.get(span.first), place.get(span.last)
        if first is not None and last is not None:
            found.update(order[first : last + 1])
    return found


def to_ranges(episode: str, order: Sequence[str], absorbed: set[str]) -> list[AbsorbedRange]:
    """The fewest ranges that cover exactly the absorbed ids of one episode."""
    ranges: list[AbsorbedRange] = []
    run: list[str] = []
    for entry in [*order, ""]:
        if entry in absorbed:
            run.append(entry)
        elif run:
            ranges.append(AbsorbedRange(episode, run[0], run[-1], len(run)))
            run = []
    return ranges


def by_episode(ranges: Iterable[AbsorbedRange]) -> dict[str, list[AbsorbedRange]]:
    """Ranges of all reports, sorted out by episode."""
    sorted_out: dict[str, list[AbsorbedRange]] = defaultdict(list)
    for span in ranges:
        sorted_out[span.episode].append(span)
    return dict(sorted_out)
