"""Taking words out of the whole git history, by git's own export and import."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from noctuary.errors import HistoryError
from noctuary.tongue import phrase
from noctuary.vault.history import ZONES, GitState, History

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LEFT_BEHIND = ("ORIG_HEAD", "FETCH_HEAD")
_WRITTEN = (b"M ", b"D ")


@dataclass(frozen=True, slots=True)
class Rewriter:
    """Rewrites the history of a repository that is the vault's alone.

    Attributes:
        blank: The bytes of a version, or of a message, without the words.
        drop: Whether a path goes from every commit.
    """

    history: History
    blank: Callable[[bytes], bytes]
    drop: Callable[[str], bool]

    def run(self) -> None:
        """Rewrite every branch and tag, and remove what is no longer reachable.

        Raises:
            HistoryError: Git is busy, or the repository is larger than the vault.
        """
        self._require_own()
        ours = set(self._blobs_of_vault())
        export = self._start("fast-export", "--all", "--show-original-ids", "--signed-tags=strip",
                             "--tag-of-filtered-object=drop", "--reencode=no")  # fmt: skip
        import_ = self._start("fast-import", "--force", "--quiet", feed=True)
        with export, import_:
            assert export.stdout is not None  # noqa: S101
            assert import_.stdin is not None  # noqa: S101
            _Filter(export.stdout, import_.stdin, self, ours).run()
            import_.stdin.close()
            if export.wait() or import_.wait():
                raise HistoryError(
                    phrase("Git could not rewrite its history; it is as it was before.")
                )
        self._sweep()

    def _require_own(self) -> None:
        self.history.require_calm()
        if self.history.standing().state is not GitState.READY:
            raise HistoryError(phrase("There is no history to rewrite."))
        if self.history.git("rev-parse", "--show-prefix").text:
            raise HistoryError(
                phrase(
                    "The vault lies in a larger repository, whose history is yours to rewrite: "
                    "run `git filter-repo --replace-text FILE` there."
                )
            )

    def _blobs_of_vault(self) -> Iterator[str]:
        reply = self.history.git("rev-list", "--objects", "--all", "--", *ZONES)
        for line in reply.out.decode("utf-8", "surrogateescape").splitlines():
            name, _, path = line.partition(" ")
            if path:
                yield name

    def _start(self, *command: str, feed: bool = False) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["git", "-C", str(self.history.root), "-c", "core.quotepath=false", *command],
            stdin=subprocess.PIPE if feed else None,
            stdout=None if feed else subprocess.PIPE,
        )

    def _sweep(self) -> None:
        git_dir = self.history.git("rev-parse", "--absolute-git-dir").text
        for name in _LEFT_BEHIND:
            (self.history.root / git_dir / name).unlink(missing_ok=True)
        for command in (
            ("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"),
            ("gc", "--prune=now", "--quiet"),
        ):
            if self.history.git(*command).code:
                raise HistoryError(
                    phrase("Git kept old objects: run `git gc --prune=now` in the vault.")
                )


@dataclass(slots=True)
class _Filter:
    """Copies an export, changing what is to be changed."""

    source: IO[bytes]
    target: IO[bytes]
    rewriter: Rewriter
    ours: set[str]
    in_blob: bool = False
    original: str = ""

    def run(self) -> None:
        while line := self.source.readline():
            if line.startswith(b"data "):
                self._data(int(line[5:]))
            elif not (line.startswith(_WRITTEN) and self._is_dropped(line)):
                self._look_at(line)
                self.target.write(line)

    def _look_at(self, line: bytes) -> None:
        if line in {b"blob\n", b"reset\n"} or line.startswith((b"commit ", b"tag ")):
            self.in_blob, self.original = line == b"blob\n", ""
        elif line.startswith(b"original-oid "):
            self.original = line[13:].decode().strip()

    def _data(self, size: int) -> None:
        data = self.source.read(size)
        if not self.in_blob or self.original in self.ours:
            data = self.rewriter.blank(data)
        self.target.write(b"data %d\n" % len(data))
        self.target.write(data)

    def _is_dropped(self, line: bytes) -> bool:
        path = line.rstrip(b"\n").split(b" ", 3 if line.startswith(b"M ") else 1)[-1]
        return self.rewriter.drop(path.decode("utf-8", "surrogateescape").strip('"'))


def objects(history: History) -> Iterator[tuple[str, bytes]]:
    """Every object that the repository holds, reachable or not: its name and bytes."""
    found = history.git("cat-file", "--batch", "--batch-all-objects", "--unordered").out
    at = 0
    while at < len(found):
        end = found.find(b"\n", at)
        name, _, size = found[at:end].split(b" ")
        at = end + 1
        yield name.decode(), found[at : at + int(size)]
        at += int(size) + 1
