"""Draws what `years.py` measured: small panels of lines as SVG, readable on light and on dark."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.years import Month

WIDE, HIGH = 400, 210
LEFT, TOP, BOTTOM = 62, 44, 34
COLUMNS = 2
_STYLE = """
  .back { fill: #ffffff; }
  text { font: 12px system-ui, sans-serif; fill: #3b4252; }
  .title { font-weight: 600; font-size: 13px; }
  .axis { stroke: #c5cad3; stroke-width: 1; }
  .line { fill: none; stroke-width: 2; }
  .c0 { stroke: #1f6fb2; } .c1 { stroke: #c2571a; } .c2 { stroke: #2b8a4b; } .c3 { stroke: #8a4fb0; }
  text.c0 { fill: #1f6fb2; } text.c1 { fill: #c2571a; } text.c2 { fill: #2b8a4b; } text.c3 { fill: #8a4fb0; }
  text.c0, text.c1, text.c2, text.c3 { stroke: none; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #12161d; }
    text { fill: #d5dae3; }
    .axis { stroke: #3a4250; }
    .c0 { stroke: #6ab4f0; } .c1 { stroke: #f09a5f; } .c2 { stroke: #6fce8f; } .c3 { stroke: #c69be6; }
    text.c0 { fill: #6ab4f0; } text.c1 { fill: #f09a5f; } text.c2 { fill: #6fce8f; } text.c3 { fill: #c69be6; }
  }
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a panel: its name, and a value for each month."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One small drawing over the months."""

    title: str
    unit: str
    lines: tuple[Line, ...]


def drawing(months: Sequence[Month]) -> str:
    """The whole drawing."""
    panels = _panels(months)
    rows = -(-len(panels) // COLUMNS)
    wide, high = COLUMNS * WIDE, rows * HIGH
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img">',
        f"<title>{len(months)} months of daily dreams</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="back" width="{wide}" height="{high}"/>',
    ]
    for number, panel in enumerate(panels):
        across, down = number % COLUMNS * WIDE, number // COLUMNS * HIGH
        parts.append(f'<g transform="translate({across},{down})">')
        parts += _drawn(panel)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _panels(months: Sequence[Month]) -> list[Panel]:
    def line(name: str, values: Sequence[float]) -> Line:
        return Line(name, tuple(values))

    def megabytes(*parts: str) -> list[float]:
        return [sum(month.sizes.get(part, 0) for part in parts) / 1e6 for month in months]

    return [
        Panel("Said, and what is kept of it", "MB", (
            line("said", [month.raw_in / 1e6 for month in months]),
            line("raw text kept", [month.raw_left / 1e6 for month in months]),
            line("cards and maps", megabytes("cards", "maps", "pages")),
        )),
        Panel("The vault by part", "MB", (
            line("archive", megabytes("archive")),
            line("graveyard", megabytes("graveyard")),
            line("cache", megabytes("cache")),
            line("state, reports", megabytes("state", "dreams")),
        )),
        Panel("A dream, processor time", "s", (
            line("after work", [month.usual for month in months]),
            line("deep, weekly", [month.deep for month in months]),
            line("nothing said", [month.forgetting for month in months]),
        )),
        Panel("Asking, processor time", "ms", (
            line("recall, half", [month.recall for month in months]),
            line("recall, 19 of 20", [month.recall_most for month in months]),
            line("wake context", [1000 * month.context for month in months]),
        )),
    ]  # fmt: skip


def _drawn(panel: Panel) -> Iterator[str]:
    top = _round_up(max(max(line.values, default=0) for line in panel.lines))
    count = max(len(line.values) for line in panel.lines)
    yield f'<text class="title" x="{LEFT}" y="18">{escape(panel.title)}</text>'
    for share in (0, 0.5, 1):
        height = _y(share)
        yield f'<path class="axis" d="M{LEFT} {height:.1f}H{WIDE - 14}"/>'
        label = f"{share * top:g} {panel.unit}"
        yield f'<text x="{LEFT - 6}" y="{height + 4:.1f}" text-anchor="end">{label}</text>'
    for year in range(1 + 28 * count // 365):
        across = _x(365 * year / 28, count)
        yield f'<text x="{across:.1f}" y="{HIGH - 14}">{f"year {year + 1}"}</text>'
    across = float(LEFT)
    for number, line in enumerate(panel.lines):
        points = " ".join(
            f"{_x(month + 1, count):.1f},{_y(value / top):.1f}"
            for month, value in enumerate(line.values)
        )
        yield f'<polyline class="line c{number}" points="{points}"/>'
        yield f'<text class="c{number}" x="{across:.0f}" y="35">{escape(line.name)}</text>'
        across += 14 + 7.2 * len(line.name)


def _x(month: float, count: int) -> float:
    return LEFT + (WIDE - 14 - LEFT) * month / max(1, count)


def _y(share: float) -> float:
    return HIGH - BOTTOM - (HIGH - BOTTOM - TOP) * share


def _round_up(value: float) -> float:
    """The next round number."""
    if value <= 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return float(next(step * power for step in (1, 2, 3, 4, 6, 8, 10) if value <= step * power))
