"""Everything that can go wrong for a person, as sentences with the next step.

A failed operation raises; a bad line or file in the vault is a `Problem`, data that is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from noctuary.tongue import Phrase


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with one file or line, found on the way; never stops the work.

    Attributes:
        where: Path relative to the vault, or the name of the file that was given.
        what: One sentence: what is wrong, and what to do.
        line: Line number from 1; 0 when it concerns the whole file.
    """

    where: str
    what: str
    line: int = 0

    def __str__(self) -> str:
        """`where:line: what`."""
        return str(self.said)

    @property
    def said(self) -> Phrase:
        """The same, to be said in another language."""
        place = f"{self.where}:{self.line}" if self.line else self.where
        return Phrase("{place}: {what}", place=place, what=self.what)


class NoctuaryError(Exception):
    """A failure to tell a person about in one sentence, with the next step."""

    exit_code = 1


class UsageError(NoctuaryError):
    """The command cannot do what was asked of it as asked."""

    exit_code = 2


class VaultNotFound(UsageError):
    """No vault where one was looked for."""


class BadInput(UsageError):
    """A file that was given cannot be taken in."""


class VaultBusy(NoctuaryError):
    """Another process is writing to this vault."""

    exit_code = 75


class ConflictError(NoctuaryError):
    """A file changed between planning and writing."""


class NoMeaningError(NoctuaryError):
    """What finds lines by their meaning cannot do its work; they are found by their words alone."""


class HistoryError(NoctuaryError):
    """Git could not record a dream; its journal entry waits."""


class Interrupted(NoctuaryError):
    """Somebody asked to stop; nothing of what was under way is kept, and nothing is lost."""


class DistillerError(NoctuaryError):
    """The distiller could not think: what was pending stays pending."""
