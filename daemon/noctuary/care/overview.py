"""What people look at: status, stats, the list of dreams, a dream's diff. Reads, never writes."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from noctuary.care.health import health
from noctuary.errors import UsageError
from noctuary.memory import document
from noctuary.memory.card import Status as CardStatus
from noctuary.memory.report import ChangeKind, Result, change_lines, changed
from noctuary.tongue import counted, listed, phrase
from noctuary.vault.forgotten import all_forgotten
from noctuary.vault.layout import note_name
from noctuary.vault.reading import Reader
from noctuary.vault.survey import Survey
from noctuary.vault.tally import twins

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from noctuary.config import Settings
    from noctuary.errors import Problem
    from noctuary.vault.reading import CardFile
    from noctuary.vault.store import Store


@dataclass(frozen=True, slots=True)
class DreamNote:
    """A dream as its report tells it.

    Attributes:
        started: ISO local time, as it stands in the report.
        numbers: Every number in the report's frontmatter, by key.
    """

    id: str
    path: str
    trigger: str
    result: str
    started: str
    distiller: str
    numbers: Mapping[str, float]

    def number(self, key: str) -> float:
        """A number of the frontmatter; 0 when it is not there."""
        return self.numbers.get(key, 0)

    @property
    def words(self) -> str:
        """The dream in one line."""
        cards = changed(
            {
                kind: f"{self.number(f'cards-{kind}'):g}"
                for kind in ChangeKind
                if self.number(f"cards-{kind}")
            }
        )
        absorbed, seen = self.number("entries-absorbed"), self.number("entries-seen")
        kept, lost = self.number("facts-kept"), self.number("facts-lost")
        told = phrase(
            "{absorbed} of {entries} absorbed",
            absorbed=f"{absorbed:g}",
            entries=counted(f"{seen:g}", "entry", "entries"),
        )
        facts = phrase("facts: {kept:g} kept, {lost:g} lost", kept=kept, lost=lost)
        done = phrase("cards: {counts}", counts=cards or phrase("none changed"))
        return listed([phrase(self.result), told, done, facts], " · ")

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary dreams --json` prints, like that of `dream --json`."""
        number = self.number
        return {
            "id": self.id,
            "path": self.path,
            "trigger": self.trigger,
            "result": self.result,
            "started": self.started,
            "entries": {
                part: number(f"entries-{part}") for part in ("seen", "absorbed", "noise", "failed")
            },
            "cards": {str(kind): number(f"cards-{kind}") for kind in ChangeKind},
            "facts": {"kept": number("facts-kept"), "lost": number("facts-lost")},
            "tokens": {"in": number("tokens-in"), "out": number("tokens-out")},
            "cost": number("cost"),
            "seconds": number("seconds"),
        }


def dream_notes(store: Store) -> list[DreamNote]:
    """Every dream whose report is still there, newest first."""
    found = [note for path in Reader(store.root).notes("dreams") if (note := _dream(store, path))]
    return sorted(found, key=lambda note: (note.started, note.id), reverse=True)


def _dream(store: Store, path: str) -> DreamNote | None:
    data = Reader(store.root).bytes_of(path)
    meta = document.read(data.decode("utf-8", "replace")).meta if data else {}
    if meta.get("type") != "dream":
        return None
    numbers = {key: value for key, value in meta.items() if isinstance(value, int | float)}
    trigger, result, started, distiller = (
        str(meta.get(key, "")) for key in ("trigger", "result", "started", "distiller")
    )
    return DreamNote(note_name(path), path, trigger, result, started, distiller, numbers)


@dataclass(frozen=True, slots=True)
class Status:
    """How a vault is.

    Attributes:
        pending: Entries that no dream has absorbed yet.
        last_dream: Id of the latest dream; None before the first.
        daemon: `running` or `stopped`; `mode` is how it watches, by `events` or `polling`.
        next_dream: When the daemon will dream, ISO local time; None while none runs or nothing
            will wake a dream as things are. `next_trigger` is why.
        failures_in_a_row: Dreams that failed or absorbed nothing of what was pending.
        budget: What dreams of this vault have spent this month, failed calls included; where a
            profile thinks, what all vaults have spent with it, today too, and its caps.
        sent_to: To whom entries are sent for thinking, in words; empty when to nobody.
        problems: Anything that needs a person, one sentence each.
    """

    vault: str
    daemon: str
    pending: int
    last_dream: str | None
    last_dream_words: str
    next_dream: str | None
    failures_in_a_row: int
    cards: int
    episodes_bytes: int
    cards_bytes: int
    quarantined: int
    disputed: int
    budget: Mapping[str, float]
    distiller: str
    problems: tuple[str, ...]
    sent_to: str = ""
    next_trigger: str = ""
    mode: str = ""

    def as_json(self) -> dict[str, object]:
        """The shape that scripts rely on."""
        shape = asdict(self)
        del shape["last_dream_words"]
        shape["problems"] = list(self.problems)
        return shape


def status(store: Store, settings: Settings, problems: Sequence[Problem]) -> Status:
    """How the vault is now; `problems` are those of its settings."""
    survey, reader = Survey(store.root, zones=("episodes", "dreams")), Reader(store.root)
    pulse = store.pulse(survey)
    cards = store.shelved(reader)
    notes = dream_notes(store)
    nights = health(store, settings)
    failures = max(_failures_in_a_row(notes), nights.attempts.failures)
    coming = nights.coming
    found = [one for folder in cards.values() for one in folder]
    wrong = (*problems, *reader.problems, *twins(found), *pulse.problems)
    return Status(
        vault=str(store.root),
        daemon=nights.daemon.word,
        pending=pulse.pending,
        last_dream=notes[0].id if notes else None,
        last_dream_words=listed([notes[0].id, notes[0].words], " · ")
        if notes
        else phrase("none yet"),
        next_dream=coming.at.isoformat() if coming and coming.at else None,
        failures_in_a_row=failures,
        cards=len(cards["cards"]),
        episodes_bytes=sum(survey.stamps[path][0] for path in survey.below("episodes")),
        cards_bytes=sum(one.size for one in (*cards["cards"], *cards["inbox"])),
        quarantined=len(cards["inbox"]),
        disputed=sum(one.status == CardStatus.DISPUTED for one in found),
        budget=_spent(notes, store.clock().strftime("%Y-%m")),
        distiller=settings.dream.distiller,
        problems=tuple(one.said for one in wrong) + nights.problems,
        next_trigger=coming.because if coming else "",
        mode=nights.daemon.mode if nights.daemon.running else "",
    )


def _failures_in_a_row(notes: Sequence[DreamNote]) -> int:
    count = 0
    for note in notes:
        if note.result != Result.FAILED:
            break
        count += 1
    return count


def _spent(notes: Iterable[DreamNote], month: str) -> dict[str, float]:
    this_month = [note for note in notes if note.started.startswith(month)]
    return {
        "tokens": sum(note.number("tokens-in") + note.number("tokens-out") for note in this_month),
        "cost": sum(note.number("cost") for note in this_month),
    }


@dataclass(frozen=True, slots=True)
class Stats:
    """How much was logged and what is left of it.

    Attributes:
        entries: Entries ever logged, forgotten ones included.
        raw_logged: Bytes of text ever logged: what dream reports say they absorbed, and what waits.
        raw_kept: Bytes of text still in episodes.
        card_bytes: Bytes of the card files outside the archive.
    """

    entries: int
    cards: int
    raw_logged: int
    raw_kept: int
    card_bytes: int
    by_type: Mapping[str, int]
    by_status: Mapping[str, int]

    @property
    def compression(self) -> float:
        """Bytes of cards per byte logged; 0 when nothing was logged."""
        return self.card_bytes / self.raw_logged if self.raw_logged else 0.0

    def as_json(self) -> dict[str, object]:
        """The shape that scripts rely on."""
        return {
            "entries": self.entries,
            "cards": self.cards,
            "bytes": {
                "raw_logged": self.raw_logged,
                "raw_kept": self.raw_kept,
                "cards": self.card_bytes,
            },
            "compression": round(self.compression, 4),
            "by_type": dict(self.by_type),
            "by_status": dict(self.by_status),
        }


def stats(store: Store) -> Stats:
    """Count everything in the vault, at the cost of what changed since it was last counted."""
    beats = {note_name(path): beat for path, beat in store.pulse().beats.items()}
    cards = store.shelved(Reader(store.root))["cards"]
    dreamt = sum(int(note.number("bytes-absorbed")) for note in dream_notes(store))
    forgotten = {name: len(ids) for name, ids in all_forgotten(store.disk).items()}
    for name, beat in beats.items():
        forgotten[name] = max(beat.gone, forgotten.get(name, 0))
    return Stats(
        entries=sum(beat.entries for beat in beats.values()) + sum(forgotten.values()),
        cards=len(cards),
        raw_logged=dreamt + sum(beat.waiting for beat in beats.values()),
        raw_kept=sum(beat.size for beat in beats.values()),
        card_bytes=sum(one.size for one in cards),
        by_type=_counted(one.type for one in cards),
        by_status=_counted(one.status for one in cards),
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


@dataclass(frozen=True, slots=True)
class Diff:
    """What one dream changed, as a unified diff.

    Attributes:
        changes: Each change in words, by the number under which `undo` knows it.
    """

    dream: str
    commit: str
    text: str
    changes: Mapping[int, str]


def diff(store: Store, dream: str | None) -> Diff:
    """The diff of a dream, or of the latest one that changed anything.

    Raises:
        UsageError: There is no such dream, or git has no commit of it.
    """
    known = dict(store.history.dreams())
    name = dream or next((name for name in known if name[:1].isdigit()), "")
    if name in known:
        return Diff(name, known[name], store.history.diff(name), _changes(store, name))
    if dream is None:
        why = store.history.standing().why or phrase("No dream has changed anything yet.")
        raise UsageError(phrase("There is no diff to show: {why}", why=why))
    if any(note.id == dream for note in dream_notes(store)):
        raise UsageError(
            phrase(
                "Git has no commit of dream {dream}; its report tells what it changed.", dream=dream
            )
        )
    raise UsageError(
        phrase("There is no dream {dream}; `noctuary dreams` lists them.", dream=dream)
    )


def _changes(store: Store, dream: str) -> dict[int, str]:
    path = next((note.path for note in dream_notes(store) if note.id == dream), "")
    data = Reader(store.root).bytes_of(path) if path else None
    return change_lines(data.decode("utf-8", "replace")) if data else {}


def find_card(files: Sequence[CardFile], card: str) -> CardFile:
    """The card with this id, note name, path or title.

    Raises:
        UsageError: There is none, or more than one.
    """
    wanted = card.removeprefix("[[").removesuffix("]]").split("|")[0].removesuffix(".md")
    keys = {wanted, wanted.casefold()}
    found = [file for file in files if keys & _names(file)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(
            phrase("There is no card {card!r}; find its id with `noctuary recall`.", card=card)
        )
    paths = listed(file.path for file in found)
    raise UsageError(
        phrase("{card!r} may be one of {paths}; give its path.", card=card, paths=paths)
    )


def _names(file: CardFile) -> set[str]:
    path = file.path.removesuffix(".md")
    return {file.card.id, path, note_name(file.path), file.card.title.casefold()}
