"""A dream in words: the commit message, the lines of the brain map, the samples of noise. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.dream.triggers import RED_AFTER
from noctuary.memory.card import Status
from noctuary.memory.report import ChangeKind, Result, changed
from noctuary.memory.sentences import short
from noctuary.tongue import counted, listed, phrase, spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from noctuary.dream.gate import Passed
    from noctuary.memory.candidate import Scored
    from noctuary.memory.card import Card
    from noctuary.memory.report import DreamReport

_FAILED_AGAIN = phrase("dreams in a row failed")
"""Stands in the brain map while they do."""
_MOST_LINES = 60
_SAMPLES = 8
_SAMPLE = 80


def commit_message(report: DreamReport, language: str = "en") -> str:
    """Subject with the counts, then one line per change and why."""
    counts = changed({kind: report.count(kind) for kind in ChangeKind})
    head = phrase("Dream {id}: {counts}", id=report.id, counts=counts or phrase("no card changed"))
    lines = [head, "", report.summary, ""]
    lines += [
        phrase("- {kind} “{title}”: {why}", kind=one.kind, title=one.title, why=one.why)
        for one in report.changes[:_MOST_LINES]
    ]
    over = len(report.changes) - _MOST_LINES
    if over > 0:
        lines.append(phrase("- … and {count} more, all of them in the report", count=over))
    return "\n".join(spoken(line, language) for line in lines).rstrip() + "\n"


def dream_line(meta: Mapping[str, object]) -> str:
    """One line of the brain map for a dream, from its report's frontmatter."""
    done = changed({kind: meta.get(f"cards-{kind}") for kind in ChangeKind})
    counts = phrase(
        "{absorbed} of {entries} absorbed",
        absorbed=meta.get("entries-absorbed", 0),
        entries=counted(meta.get("entries-seen", 0), "entry", "entries"),
    )
    return listed(
        [
            f"[[{meta.get('dream', '')}]]",
            phrase("{counts}, {cards}", counts=counts, cards=done) if done else counts,
        ],
        " · ",
    )


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
        parts.append(phrase("⚠ {count} disputed", count=count[Status.DISPUTED]))
    if count[Status.QUARANTINED]:
        waiting = count[Status.QUARANTINED]
        parts.append(phrase("⚠ {count} in quarantine: `noctuary review`", count=waiting))
    if failures >= RED_AFTER:
        parts.append(
            phrase("⚠ {count} {failed}: `noctuary doctor`", count=failures, failed=_FAILED_AGAIN)
        )
    if latest is None:
        return listed([*parts, phrase("no dream yet")], " · ")
    failed = latest.get("entries-failed", 0)
    if latest.get("result") != "done" or failed:
        parts.append(
            phrase(
                "⚠ last dream {result}, {entries} failed",
                result=_result(latest.get("result")),
                entries=counted(failed, "entry", "entries"),
            )
        )
    when = str(latest.get("started", "")).replace("T", " ")
    return listed([*parts, phrase("last dream {when}", when=when)], " · ")


def _result(word: object) -> str:
    told = str(word)
    return Result(told) if told in list(Result) else told


def tells_of_failures(page: str) -> bool:
    """Whether a brain map, in whatever language, says that dreams failed again and again."""
    return any(spoken(_FAILED_AGAIN, language) in page for language in ("en", "zh"))


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
        return phrase(
            "only {trust} said it, and it would steer an agent: a person must admit it",
            trust=item.trust,
        )
    if candidate.reason:
        return phrase("{type}: {reason}", type=candidate.type, reason=short(candidate.reason))
    if candidate.seen > 1:
        return phrase("{type}, said {count} times", type=candidate.type, count=candidate.seen)
    if not candidate.statement:
        return phrase("{lines} worth keeping", lines=count_of_lines(len(item.receipts)))
    return phrase(
        "{type} of importance {importance}", type=candidate.type, importance=candidate.importance
    )


def why_again(seen: int, times: int) -> str:
    """Why a card has another receipt."""
    if not times:
        return phrase("the same turn says it twice")
    return phrase("said again, seen {count} times now", count=seen)


def lines_added(count: int) -> str:
    """`3 lines added`."""
    return phrase("{lines} added", lines=count_of_lines(count))


def count_of_lines(count: int) -> str:
    """`1 line`, `3 lines`."""
    return counted(count, "line", "lines")
