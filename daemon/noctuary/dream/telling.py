"""A dream in words: the commit message, the lines of the brain map, the samples of noise. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.dream.conflicts import short
from noctuary.dream.mapwords import FAILED_AGAIN, RED_AFTER
from noctuary.memory.card import Status
from noctuary.memory.report import ChangeKind, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from noctuary.dream.gate import Passed
    from noctuary.memory.candidate import Scored
    from noctuary.memory.card import Card
    from noctuary.memory.report import DreamReport

_MOST_LINES = 60
_SAMPLES = 8
_SAMPLE = 80


def commit_message(report: DreamReport) -> str:
    """Subject with the counts, then one line per change and why."""
    lines = [f"Dream {report.id}: {_counts(report)}", "", report.summary, ""]
    lines += [
        f"- {change.kind} “{change.title}”: {change.why}" for change in report.changes[:_MOST_LINES]
    ]
    over = len(report.changes) - _MOST_LINES
    if over > 0:
        lines.append(f"- … and {over} more, all of them in the report")
    return "\n".join(lines).rstrip() + "\n"


def _counts(report: DreamReport) -> str:
    parts = [f"{report.count(kind)} {kind}" for kind in ChangeKind if report.count(kind)]
    return ", ".join(parts) or "no card changed"


def dream_line(meta: Mapping[str, object]) -> str:
    """One line of the brain map for a dream, from its report's frontmatter."""
    done = [
        f"{meta.get(f'cards-{kind}')} {kind}" for kind in ChangeKind if meta.get(f"cards-{kind}")
    ]
    seen = counted(meta.get("entries-seen", 0), "entry", "entries")
    counts = f"{meta.get('entries-absorbed', 0)} of {seen} absorbed"
    return f"[[{meta.get('dream', '')}]] · " + ", ".join([counts, *done])


def health_line(
    cards: Iterable[Card], latest: Mapping[str, object] | None, failures: int = 0
) -> str:
    """How memory is, in one line: what it holds, what waits for a person, how the last dream went.

    `failures` are dreams in a row that left no report; a few are told of.
    """
    held = list(cards)
    count = {status: sum(card.status is status for card in held) for status in Status}
    live = count[Status.ACTIVE] + count[Status.OPEN] + count[Status.DISPUTED]
    parts = [counted(live, "card", "cards")]
    if count[Status.DISPUTED]:
        parts.append(f"⚠ {count[Status.DISPUTED]} disputed")
    if count[Status.QUARANTINED]:
        parts.append(f"⚠ {count[Status.QUARANTINED]} in quarantine: `noctuary review`")
    if failures >= RED_AFTER:
        parts.append(f"⚠ {failures} {FAILED_AGAIN}: `noctuary doctor`")
    if latest is None:
        return " · ".join([*parts, "no dream yet"])
    failed = latest.get("entries-failed", 0)
    if latest.get("result") != "done" or failed:
        told = counted(failed, "entry", "entries")
        parts.append(f"⚠ last dream {latest.get('result')}, {told} failed")
    return " · ".join([*parts, f"last dream {str(latest.get('started', '')).replace('T', ' ')}"])


def noise_samples(noise: Sequence[Scored]) -> tuple[tuple[str, str], ...]:
    """A few of the dropped entries, spread over all of them, each cut to one short line."""
    step = max(1, len(noise) // _SAMPLES)
    return tuple((one_line(item.entry.text), item.entry.link) for item in noise[::step][:_SAMPLES])


def one_line(text: str) -> str:
    """The start of a text as one line that cannot be taken for Markdown structure."""
    flat = " ".join(text.split())
    return "`" + flat[:_SAMPLE].replace("`", "'") + ("…" if len(flat) > _SAMPLE else "") + "`"


def why_new(item: Passed) -> str:
    """Why a card was made, in a few words."""
    candidate = item.candidate
    if item.quarantined:
        return f"only {item.trust} said it, and it would steer an agent: a person must admit it"
    if candidate.reason:
        return f"{candidate.type}: {short(candidate.reason)}"
    if candidate.seen > 1:
        return f"{candidate.type}, said {candidate.seen} times"
    if not candidate.statement:
        return f"{count_of_lines(len(item.receipts))} worth keeping"
    return f"{candidate.type} of importance {candidate.importance}"


def why_again(seen: int, times: int) -> str:
    """Why a card has another receipt."""
    return f"said again, seen {seen} times now" if times else "the same turn says it twice"


def lines_added(count: int) -> str:
    """`3 lines added`."""
    return f"{count_of_lines(count)} added"


def count_of_lines(count: int) -> str:
    """`1 line`, `3 lines`."""
    return counted(count, "line", "lines")
