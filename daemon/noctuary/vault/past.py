"""Earlier versions of notes: from git, and where git has none, from the graveyard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.vault.deeds import Deed, Deeds
from noctuary.vault.files import digest_of
from noctuary.vault.graveyard import Graveyard
from noctuary.vault.layout import note_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from noctuary.vault.files import Disk
    from noctuary.vault.history import History

_SHORT = 16
UNKNOWN = "\0"
"""Stands for bytes that are kept nowhere."""


@dataclass(frozen=True, slots=True)
class Version:
    """One file that a dream changed, with its bytes.

    Attributes:
        was: Path before, `path` after; empty where there was, or is, none.
        before: Bytes before; None where there was no file.
        after: Bytes after; None where there is no file.
        lost: The bytes before or after are kept nowhere.
    """

    was: str
    path: str
    before: bytes | None
    after: bytes | None
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """Looks back in one vault."""

    disk: Disk
    history: History

    def of_dream(self, dream: str) -> list[Version]:
        """Every file that a dream changed; empty when neither git nor the log knows it."""
        commit = self.history.find(dream)
        deeds = Deeds(self.disk).of(dream)
        if not deeds and commit:
            deeds = tuple(self._deeds_of(commit))
        blobs = self._blobs(commit, deeds) if commit else {}
        graves = {grave.digest: grave.file for grave in Graveyard(self.disk).graves()}
        return [self._version(deed, commit, blobs, graves) for deed in deeds]

    def _version(
        self, deed: Deed, commit: str, blobs: dict[str, bytes], graves: Mapping[str, Path]
    ) -> Version:
        before = self._bytes(deed.was, deed.base, blobs.get(f"{commit}^:{deed.was}"), graves)
        after = self._bytes(deed.path, deed.digest, blobs.get(f"{commit}:{deed.path}"), graves)
        lost = (before is None and bool(deed.was)) or (after is None and bool(deed.path))
        return Version(deed.was, deed.path, before, after, lost)

    def _bytes(
        self, path: str, digest: str, blob: bytes | None, graves: Mapping[str, Path]
    ) -> bytes | None:
        """The version of this digest, wherever it is; any that git has when no digest is known."""
        if not path:
            return None
        if blob is not None and digest in {UNKNOWN, digest_of(blob)}:
            return blob
        here = self.disk.layout.absolute(path)
        for file in (here, graves.get(digest[:_SHORT])):
            data = None if file is None else self.disk.read(file)
            if data is not None and digest_of(data) == digest:
                return data
        return None

    # -- git ----------------------------------------------------------------------------------

    def _deeds_of(self, commit: str) -> Iterator[Deed]:
        """What a commit did to notes; a note that left one folder and came to another has moved."""
        marks = dict(self._marks(commit))
        gone = {note_name(path): path for path, mark in marks.items() if mark == "D"}
        for path, mark in marks.items():
            if mark == "D":
                continue
            was = gone.pop(note_name(path), "") if mark == "A" else path
            yield Deed(was, path, UNKNOWN if was else "", UNKNOWN)
        for path in gone.values():
            yield Deed(path, "", UNKNOWN, "")

    def _marks(self, commit: str) -> Iterator[tuple[str, str]]:
        reply = self.history.git(
            "diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames",
            "--relative", "--name-status", commit,
        )  # fmt: skip
        parts = reply.out.decode("utf-8", "surrogateescape").split("\0")
        yield from zip(parts[1::2], parts[::2], strict=False)

    def _blobs(self, commit: str, deeds: Iterable[Deed]) -> dict[str, bytes]:
        """Bytes by `commit:path`, as many as git has, in one call."""
        wanted = [f"{commit}^:{deed.was}" for deed in deeds if deed.was]
        wanted += [f"{commit}:{deed.path}" for deed in deeds if deed.path]
        return self.blobs(wanted)

    def blobs(self, names: list[str]) -> dict[str, bytes]:
        """Bytes by `revision:path` (relative to the vault), as many as git has."""
        lines = "".join(name.replace(":", ":./", 1) + "\n" for name in names)
        reply = self.history.git(
            "cat-file", "--batch", stdin=lines.encode("utf-8", "surrogateescape")
        )
        found: dict[str, bytes] = {}
        at = 0
        for name in names:
            end = reply.out.find(b"\n", at)
            head = reply.out[at:end].rsplit(b" ", 2)
            at = end + 1
            if len(head) == 3 and head[1] == b"blob" and head[2].isdigit():
                size = int(head[2])
                found[name] = reply.out[at : at + size]
                at += size + 1
        return found
