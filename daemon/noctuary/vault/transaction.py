"""One dream on disk, from plan to purge, through crashes: IDLE, PLANNED, APPLIED, COMMITTED, IDLE."""

from __future__ import annotations

import time
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING

from noctuary.vault.deeds import Deeds
from noctuary.vault.files import Disk, digest_of, look
from noctuary.vault.forgotten import note_forgotten, spent_digest
from noctuary.vault.journal import Journal, Stage, Step, clear_journal, write_journal
from noctuary.vault.lock import episode_lock
from noctuary.vault.state import DREAM, PERSON, Ledger, Written, write_ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from noctuary.vault.history import History
    from noctuary.vault.references import References
    from noctuary.vault.steps import Worker

_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Write:
    """One change to a file of the vault.

    Attributes:
        path: Relative to the vault, with `/`.
        data: The new bytes; None sends the file to the graveyard.
        base: Digest of the bytes it was planned on; None when the file must not exist.
        moved_from: For a move, where the file stands now; `base` is then the digest there.
        card: Id of the card in it; empty for other notes.
        marks: What the card says, from `Store.marks`, so that a rejection can be remembered.
        entries: Pairs of episode and entry id whose memory rests on this change: if it is
            dropped, they are dreamt again.
        by_person: The person decided this: from now on the note counts as theirs.
    """

    path: str
    data: bytes | None
    base: str | None = None
    moved_from: str = ""
    card: str = ""
    marks: tuple[str, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a dream's writes.

    Attributes:
        done: Paths as planned.
        dropped: Paths that a person changed meanwhile; nothing was written there.
        commit: Hash of the git commit; None without git or when nothing changed.
        purged: Names of the episodes whose forgotten entries are gone.
    """

    done: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    commit: str | None = None
    purged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Transaction:
    """Carries a journal through its stages."""

    disk: Disk
    worker: Worker
    history: History
    references: References
    ledger: Ledger
    seams: Callable[[], Mapping[str, set[str]]]
    settle: float = 0.0
    graveyard_days: int = 30

    # -- planning -----------------------------------------------------------------------------

    def plan(
        self,
        dream: str,
        writes: Iterable[Write],
        message: str,
        purge: Mapping[str, Iterable[str]],
        reject: Iterable[str] = (),
    ) -> Journal:
        """Put all new bytes on stage and make the plan durable."""
        kept: list[Step] = []
        lost: list[Step] = []
        for number, write in enumerate(writes):
            step = self._step(f"{dream}-{number}-{token_hex(4)}", write)
            if self._is_done(step):
                continue
            if self._is_stale(step):
                lost.append(step)
                continue
            self._put_on_stage(step, write)
            kept.append(step)
        if kept and self.worker.stage.is_dir():
            self.disk.sync_folder(self.worker.stage)
        wanted = {name: sorted(ids) for name, ids in purge.items()}
        journal = Journal(dream, Stage.PLANNED, message, tuple(kept), wanted, lost=tuple(lost))
        journal.rejected = tuple(sorted(reject))
        write_journal(self.disk, journal)
        return journal

    def _step(self, staged: str, write: Write) -> Step:
        source = write.moved_from or write.path
        by_hand = write.base is not None and self.ledger.by_person(source, write.base)
        return Step(
            path=write.path,
            base=write.base,
            digest=None if write.data is None else digest_of(write.data),
            staged="" if write.data is None else staged,
            moved_from=write.moved_from,
            owner=PERSON if by_hand or write.by_person else DREAM,
            card=write.card,
            marks=write.marks,
            entries=write.entries,
        )

    def _is_done(self, step: Step) -> bool:
        """True when the vault is as the step wants it already: a second run changes nothing."""
        there = self.disk.digest(self.disk.guard(step.path))
        gone = not step.moved_from or not self.disk.guard(step.moved_from).exists()
        return there == step.digest and gone

    def _is_stale(self, step: Step) -> bool:
        target = self.disk.guard(step.path)
        source = self.disk.guard(step.moved_from) if step.moved_from else target
        if self.disk.digest(source) != step.base:
            return True
        if step.moved_from and target.exists():
            return True
        by_hand = step.base is not None and self.ledger.by_person(
            step.moved_from or step.path, step.base
        )
        return by_hand and not self._is_quiet(source)

    def _is_quiet(self, file: Path) -> bool:
        found = look(file)
        return found is not None and time.time() - found.st_mtime >= self.settle

    def _put_on_stage(self, step: Step, write: Write) -> None:
        if write.data is None:
            return
        source = look(self.disk.layout.absolute(step.moved_from or step.path))
        mode = source.st_mode & 0o777 if source and step.base is not None else 0o666
        self.worker.put_on_stage(step.staged, write.data, mode, exact=step.base is not None)

    @property
    def deeds(self) -> Deeds:
        """The log of what each dream did to which file."""
        return Deeds(self.disk, self.graveyard_days)

    # -- the way through ----------------------------------------------------------------------

    def run(self, journal: Journal) -> Applied:
        """Carry the journal on from wherever it stands to its end.

        Raises:
            HistoryError: Git cannot commit now; the journal waits in APPLIED.
        """
        if journal.stage is Stage.PLANNED:
            self._apply(journal)
        if journal.stage is Stage.APPLIED:
            self._commit(journal)
        purged = self._purge(journal)
        if journal.steps:
            self.references.settle()
        self.deeds.note(journal, self.worker.clock())
        self._clear_stage(journal)
        clear_journal(self.disk)
        return Applied(journal.done, journal.dropped, journal.commit or None, purged)

    def _apply(self, journal: Journal) -> None:
        done: list[str] = []
        lost = list(journal.lost)
        for step in journal.steps:
            if self.worker.run(step):
                done.extend(step.paths)
                self._enter(step)
            else:
                lost.append(step)
        for step in lost:
            self._reopen(step)
        self.ledger.rejected.update(journal.rejected)
        write_ledger(self.disk, self.ledger)
        journal.done, journal.lost = tuple(done), tuple(lost)
        journal.stage = Stage.APPLIED
        write_journal(self.disk, journal)

    def _enter(self, step: Step) -> None:
        self.ledger.files.pop(step.moved_from, None)
        if step.digest is None:
            self.ledger.files.pop(step.path, None)
        else:
            written = Written(step.digest, step.owner, step.card, step.marks)
            self.ledger.files[step.path] = written
        for episode, entry in step.entries:
            self.ledger.reopened.get(episode, set()).discard(entry)

    def _reopen(self, step: Step) -> None:
        for episode, entry in step.entries:
            self.ledger.reopened.setdefault(episode, set()).add(entry)

    def _commit(self, journal: Journal) -> None:
        """Commit what the dream wrote as the dream's, and what a person has changed since as theirs."""
        if journal.done and self.history.require_calm():
            edited = self._edited_since(journal)
            ours = [path for path in journal.done if path not in edited]
            journal.commit = self.history.commit(ours, journal.message, journal.dream)
            if edited and self.history.settings.commit_hand_edits:
                self.history.commit_hand_edits(
                    f"Edits by hand during dream {journal.dream}", edited
                )
        journal.stage = Stage.COMMITTED
        write_journal(self.disk, journal)

    def _edited_since(self, journal: Journal) -> set[str]:
        planned = {step.path: step.digest for step in journal.steps}
        there = {path: self.disk.digest(self.disk.guard(path)) for path in journal.done}
        return {path for path, digest in there.items() if digest != planned.get(path)}

    # -- forgetting ---------------------------------------------------------------------------

    def _purge(self, journal: Journal) -> tuple[str, ...]:
        """Forget entries; what is appended or edited meanwhile makes for another round."""
        self._carry_out(journal.purging)
        if not self._may_purge(journal):
            return ()
        seams = self.seams()
        for _ in range(_ROUNDS):
            journal.purging = self._plan_purge(journal, seams)
            if not journal.purging:
                break
            write_journal(self.disk, journal)
            self._carry_out(journal.purging)
        return tuple(journal.purge)

    def _may_purge(self, journal: Journal) -> bool:
        """False when a change was dropped that does not say which entries rest on it."""
        return bool(journal.purge) and all(step.entries for step in journal.lost)

    def _carry_out(self, steps: Iterable[Step]) -> None:
        for step in steps:
            with episode_lock(self.disk.layout.state, step.path):
                self.worker.run(step)

    def _plan_purge(self, journal: Journal, seams: Mapping[str, set[str]]) -> tuple[Step, ...]:
        steps = []
        for name, ids in sorted(journal.purge.items()):
            wanted = set(ids) - self.ledger.reopened.get(name, set())
            step = (
                self._forget(journal.dream, name, wanted, seams.get(name, set()))
                if ids
                else self._leave(name)
            )
            if step is not None:
                steps.append(step)
        return tuple(steps)

    def _forget(self, dream: str, name: str, ids: set[str], seams: set[str]) -> Step | None:
        from noctuary.memory.episode import forget_entries

        path = self.disk.layout.episode_path(name)
        data = self.disk.read(self.disk.guard(path))
        if data is None or not ids:
            return None
        text = data.decode("utf-8", "surrogatepass")
        fresh = forget_entries(text, ids - _edited(name, text), seams)
        encoded = fresh.encode("utf-8", "surrogatepass")
        if encoded == data:
            return None
        note_forgotten(self.disk, name, ids)
        step = Step(path, digest_of(data), digest_of(encoded), f"{dream}-{token_hex(4)}")
        self._put_on_stage(step, Write(path, encoded, step.base))
        return step

    def _leave(self, name: str) -> Step | None:
        """The file goes in which nothing is left but where something was."""
        digest = spent_digest(self.disk, name)
        return Step(self.disk.layout.episode_path(name), digest, None) if digest else None

    # -- clearing up --------------------------------------------------------------------------

    def _clear_stage(self, journal: Journal) -> None:
        """Remove staged bytes that found no place; anything that is not ours gets a grave."""
        if not self.worker.stage.is_dir():
            return
        ours = {step.digest for step in journal.all_steps}
        paths = {step.staged: step.path for step in journal.all_steps}
        for file in sorted(self.worker.stage.iterdir()):
            digest = self.disk.digest(file)
            if digest is None or digest in ours:
                self.disk.unlink(file)
            else:
                path = paths.get(file.name.removesuffix(".old"), f"cards/{file.name}.md")
                self.worker.graveyard.bury(file, path, digest, self.worker.clock())


def _edited(name: str, text: str) -> set[str]:
    """Entries that a person changed in the file: they are not the program's to forget."""
    from noctuary.memory.episode import parse_episode

    return {entry.id for entry in parse_episode(name, text).entries if not entry.intact}
