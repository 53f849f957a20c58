"""Cards as they were read last, kept in the user's cache folder: no note is parsed twice.

A card is known again by the stamp of its file. What stands in the archive is kept in short, since
a night asks only what it weighs, and which receipts it holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.memory.cardplain import (
    CARD_FIELDS,
    RECEIPT_FIELDS,
    from_plain,
    hollow,
    to_plain,
    told_of,
)
from noctuary.memory.tokens import content_tokens
from noctuary.vault.files import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from noctuary.memory.card import Card
    from noctuary.vault.reading import Reader

VERSION = 2
_SAMPLE = "Running get_user_name() on 2026-11-30 at 10:30, v1.2.3: 预算不超过人民币五万元。"
_FRESH = 2.0
"""Seconds in which a file may change twice without another time on it."""


@dataclass(slots=True)
class Shelved:
    """One card on the shelf.

    Attributes:
        size: Bytes of the file.
        plain: The card as plain values; of one in the archive only what `hollow` leaves.
        words: Telling words of each receipt that holds, joined by blanks; none for the archive.
        marks: Marks of its receipts; for the archive alone.
    """

    path: str
    digest: str
    size: int
    id: str
    plain: list[object]
    words: list[str]
    marks: list[str]
    _card: Card | None = field(default=None, compare=False)

    @property
    def card(self) -> Card:
        """The card, made when it is asked for."""
        if self._card is None:
            self._card = from_plain(self.plain)
        return self._card

    @property
    def status(self) -> str:
        """Where the card stands in its life."""
        return told_of(self.plain, "status")

    @property
    def type(self) -> str:
        """What kind of card it is."""
        return told_of(self.plain, "type")

    def known_words(self) -> Iterator[tuple[tuple[str, str, str], str]]:
        """Keys of the receipts that hold, each with its telling words."""
        return ((one.key, words) for one, words in zip(self.card.evidence, self.words, strict=True))


class Shelf:
    """The cards below one folder of a vault; with `whole` as they are, else in short."""

    def __init__(self, root: Path, file: Path, *, whole: bool) -> None:
        self._root = root
        self._file = file
        self._whole = whole

    def cards(self, reader: Reader, folder: str) -> list[Shelved]:
        """Every sound card below the folder; what is wrong with the others is in the reader."""
        kept, before = self._kept(), time.time() - _FRESH
        found: list[Shelved] = []
        lines: list[str] = []
        for path in reader.notes(folder):
            stamp, changed = self._stamp(path)
            line, card = kept.get((path, stamp), ("", None))
            if card is None and (card := self._read(reader, path)) is not None:
                line = _line(stamp, card) if changed < before else ""
            if card is not None:
                found.append(card)
                lines += [line] if line else []
        if lines != [line for line, _ in kept.values()]:
            self._keep(lines)
        return found

    def _stamp(self, path: str) -> tuple[str, float]:
        """By what a file is known again, and when it was changed last."""
        try:
            found = os.stat(f"{self._root}/{path}")  # noqa: PTH116 - for every card, so quickly
        except OSError:
            return "", float("inf")
        words = f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"
        return words, max(found.st_mtime, found.st_ctime)

    def _read(self, reader: Reader, path: str) -> Shelved | None:
        data = reader.bytes_of(path)
        card = None if data is None else reader.card(path, data)
        if data is None or card is None:
            return None
        words = [" ".join(content_tokens(one.quote)) for one in card.evidence]
        marks = [one.mark for one in (*card.evidence, *card.replaced)]
        if self._whole:
            marks = []
        else:
            card, words = hollow(card), []
        plain = to_plain(card)
        return Shelved(path, digest_of(data), len(data), card.id, plain, words, marks, card)

    # -- the file -----------------------------------------------------------------------------

    def _kept(self) -> dict[tuple[str, str], tuple[str, Shelved]]:
        """Lines and cards by path and stamp; none when the file is of another version."""
        try:
            head, _, text = self._file.read_text("ascii").partition("\n")
        except (OSError, ValueError):
            return {}
        lines = text.split("\n") if text and head == _head(text) else []
        rows = zip(lines, json.loads(f"[{','.join(lines)}]"), strict=True)
        return {(row[1], row[0]): (line, Shelved(*row[1:])) for line, row in rows}

    def _keep(self, lines: Iterable[str]) -> None:
        text = "\n".join(lines)
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle, fresh = tempfile.mkstemp(dir=self._file.parent, prefix=".shelf-")
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(f"{_head(text)}\n{text}")
            Path(fresh).replace(self._file)


def _line(stamp: str, one: Shelved) -> str:
    """The card as a line; empty where what a person added to it cannot be kept so."""
    values = [stamp, one.path, one.digest, one.size, one.id, one.plain, one.words, one.marks]
    try:
        line = json.dumps(values)
        again = Shelved(*json.loads(line)[1:])
        return line if again.card == one.card else ""
    except (TypeError, ValueError, KeyError):
        return ""


def _head(text: str) -> str:
    """The first line: another one whenever what was kept can no longer be used."""
    return f"{_fingerprint()} {hashlib.sha256(text.encode()).hexdigest()}"


@cache
def _fingerprint() -> str:
    basis = json.dumps([VERSION, content_tokens(_SAMPLE), CARD_FIELDS, RECEIPT_FIELDS])
    return hashlib.sha256(basis.encode()).hexdigest()[:16]
