"""What a dream says of itself: counts, changes in words, what was kept, what was dropped.

Pure values. The frontmatter is written through `document`, the body through a template.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from noctuary.memory import document
from noctuary.memory.lazy import lazily
from noctuary.tongue import counted, listed, phrase

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from noctuary.errors import Problem
    from noctuary.memory.candidate import Usage
    from noctuary.memory.ranges import AbsorbedRange


class Result(StrEnum):
    """How a dream ended."""

    DONE = "done"
    NOTHING = "nothing"
    FAILED = "failed"
    PARTIAL = "partial"


class ChangeKind(StrEnum):
    """What a dream did to one card."""

    CREATED = "created"
    REVISED = "revised"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one card, in words that a person can judge.

    Attributes:
        card: Note name of the card.
        source: Wikilink to the turn that caused it; empty when none did.
    """

    kind: ChangeKind
    card: str
    title: str
    why: str
    source: str = ""


_LINE = lazily(
    r"(?m)^[-*] \[(?P<tick>.)\] (?:undo|撤销|(?:undone|已撤销) [\d-]+)"
    r" · (?P<number>\d+) · (?P<words>.*)$"
)


def change_lines(text: str) -> dict[int, str]:
    """The changes that a report lists, by the number under which each can be undone."""
    return {int(found["number"]): found["words"].rstrip() for found in _LINE.finditer(text)}


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What one session came to, in a few lines."""

    episode: str
    messages: int
    minutes: int
    decisions: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    successes: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()


def _no_usage() -> Usage:
    from noctuary.memory.candidate import Usage

    return Usage()


@dataclass(frozen=True, slots=True)
class DreamReport:
    """One dream from trigger to commit.

    Attributes:
        id: `2026-12-01T0312`, also the name of the note.
        seconds: Wall time of the whole dream.
        absorbed_bytes: Bytes of text of the absorbed entries, the measure of what cards replace.
        commit: Hash of its git commit; empty without git or when nothing changed.
        facts_lost: Hard facts that are in no card, with their entry's link: `(fact, link)`.
        noise_samples: A few of the dropped entries, `(text, link)`.
        rejected: What the gate stopped, with the reason.
    """

    id: str
    trigger: str
    result: Result
    started: datetime
    seconds: float = 0.0
    distiller: str = "offline"
    model: str = ""
    usage: Usage = field(default_factory=_no_usage)
    seen: int = 0
    absorbed: int = 0
    absorbed_bytes: int = 0
    noise: int = 0
    failed: int = 0
    purged: int = 0
    waiting: int = 0
    changes: tuple[Change, ...] = ()
    facts_kept: int = 0
    facts_lost: tuple[tuple[str, str], ...] = ()
    ranges: tuple[AbsorbedRange, ...] = ()
    sessions: tuple[SessionSummary, ...] = ()
    noise_samples: tuple[tuple[str, str], ...] = ()
    rejected: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    commit: str = ""
    preview: str = ""

    def count(self, kind: ChangeKind) -> int:
        """How many cards had this happen to them."""
        return sum(change.kind == kind for change in self.changes)

    @property
    def summary(self) -> str:
        """The dream in one sentence."""
        if self.result is Result.NOTHING:
            written = phrase("nothing was written")
            if self.purged:
                written = phrase(
                    "raw entries whose time was up are forgotten: {count}", count=self.purged
                )
            return phrase("Nothing new to dream about; {written}.", written=written)
        counts = changed({kind: self.count(kind) for kind in ChangeKind})
        return phrase(
            "{absorbed} of {entries} absorbed ({noise} of them noise), {cards}; {facts} kept, {lost} lost.",
            absorbed=self.absorbed,
            entries=counted(self.seen, "entry", "entries"),
            noise=self.noise,
            cards=phrase("cards: {counts}", counts=counts) if counts else phrase("no card changed"),
            facts=counted(self.facts_kept, "hard fact", "hard facts"),
            lost=len(self.facts_lost),
        )

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary dream --json` prints."""
        return {
            "id": self.id,
            "trigger": self.trigger,
            "result": str(self.result),
            "entries": {
                "seen": self.seen,
                "absorbed": self.absorbed,
                "noise": self.noise,
                "failed": self.failed,
            },
            "cards": {str(kind): self.count(kind) for kind in ChangeKind},
            "facts": {"kept": self.facts_kept, "lost": len(self.facts_lost)},
            "tokens": {"in": self.usage.tokens_in, "out": self.usage.tokens_out},
            "cost": self.usage.cost,
            "seconds": round(self.seconds, 3),
            "commit": self.commit or None,
            "problems": [str(problem) for problem in self.problems],
        }


def changed(counts: Mapping[ChangeKind, object]) -> str:
    """`3 created, 1 revised`; empty where nothing is counted."""
    return listed(
        phrase("{count} {kind}", count=count, kind=kind) for kind, count in counts.items() if count
    )


def report_meta(report: DreamReport) -> dict[str, object]:
    """Frontmatter of a report, in the order in which it is written."""
    meta: dict[str, object] = {
        "type": "dream",
        "dream": report.id,
        "trigger": report.trigger,
        "result": str(report.result),
        "started": report.started.isoformat(timespec="seconds"),
        "seconds": round(report.seconds, 2),
        "distiller": report.distiller,
    }
    if report.model:
        meta["model"] = report.model
    meta |= {
        "tokens-in": report.usage.tokens_in,
        "tokens-out": report.usage.tokens_out,
        "failed-calls": report.usage.failed_calls,
        "cost": report.usage.cost,
        "entries-seen": report.seen,
        "entries-absorbed": report.absorbed,
        "bytes-absorbed": report.absorbed_bytes,
        "entries-noise": report.noise,
        "entries-failed": report.failed,
    }
    meta |= {
        f"cards-{kind}": count
        for kind in ChangeKind
        if (count := report.count(kind)) or kind is not ChangeKind.FORGOTTEN
    }
    meta |= {"facts-kept": report.facts_kept, "facts-lost": len(report.facts_lost)}
    meta["absorbed"] = [str(span) for span in report.ranges]
    meta["tags"] = ["dream"]
    return meta


def shortened(raw: bytes, episodes: Collection[str]) -> bytes:
    """A report without its sections, and with those absorbed ranges alone that are of `episodes`."""
    text = raw.decode("utf-8", "surrogateescape")
    meta = document.read(text)
    held = meta.meta.get("absorbed")
    lines = [str(line) for line in held] if isinstance(held, list) else []
    kept = [line for line in lines if line.partition(" ")[0] in episodes]
    body, section, _ = meta.body.partition("\n## ")
    if section:
        text = text.removesuffix(meta.body) + body.rstrip("\n") + "\n"
    data = text.encode("utf-8", "surrogateescape")
    try:
        return data if kept == lines else document.patch(data, {"absorbed": kept})
    except document.PatchRefused:
        return raw
