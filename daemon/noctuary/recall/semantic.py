"""What lines mean, beside the words that they hold: a vector of each passage of an index.

Only with an embedder; without one nothing of this is loaded. The vectors are kept beside the index
and hold nothing that the index does not: they may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from noctuary.errors import NoMeaningError
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.recall.index import View

NEAREST = 200
"""Lines that count as near: about as many as an answer is chosen from."""
ALONE = 0.5
"""Nearness from which on a line is told though no word of the question stands anywhere: in another
person's memory one question in twenty comes so near to something by chance."""
MOST = 50_000
"""Passages up to which vectors are held: each takes a kilobyte of memory."""
AT_ONCE = 1_000
_DIGEST_BYTES = 8
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


class Embedder(Protocol):
    """Gives each text a direction in one space, so that near ones mean nearly the same."""

    @property
    def name(self) -> str:
        """Another one whenever the same text would get another vector."""
        ...

    def __call__(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        """A numpy matrix with one row of length 1 for each text, of zeros if it says nothing.

        Raises:
            NoMeaningError: What it needs is damaged.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Known:
    """The vectors of all passages as they were at one moment.

    Attributes:
        stamp: That of the index at that moment.
        places, digests, vectors: Of each passage where it is, what it says, and what that means.
    """

    stamp: tuple[int, int]
    places: Any
    digests: Any
    vectors: Any


class Meaning:
    """Finds by meaning in one index; brings its vectors up to date when it is asked."""

    def __init__(self, file: Path, embedder: Embedder) -> None:
        self._file = file
        self._embedder = embedder
        self._known: _Known | None = None

    def nearest(self, question: str, view: View, *, alone: bool) -> dict[int, float]:
        """The places of the lines nearest to a question, each 0 to 1 between usual and nearest.

        `alone`: nothing else was found, so that only what is near by itself is worth telling.

        Raises:
            NoMeaningError: The embedder cannot do its work.
        """
        try:
            import numpy
        except ImportError as error:
            raise NoMeaningError(phrase("numpy cannot be used ({error})", error=error)) from error

        if not 0 < len(view) <= MOST:
            return {}
        known = self._brought_up_to_date(view)
        near = known.vectors @ self._embedder([question])[0]
        usual, most = (0.0, 1.0) if alone else (float(near.mean()), float(near.max()))
        least = ALONE if alone else max(0.0, usual)
        best = numpy.argsort(-near, kind="stable")[:NEAREST]
        return {
            int(known.places[row]): (float(near[row]) - usual) / (most - usual)
            for row in best
            if near[row] > least
        }

    def _brought_up_to_date(self, view: View) -> _Known:
        known = self._known or self._read()
        if known is None or known.stamp != view.stamp or known.stamp == (0, 0):
            known = self._built(view, known)
            self._write(known)
        self._known = known
        return known

    def _built(self, view: View, known: _Known | None) -> _Known:
        """The vectors of all passages; those of texts that were known before are taken over."""
        import numpy

        told = list(view.texts())
        digests = numpy.frombuffer(b"".join(_digest(text) for _, text in told), numpy.uint64)
        old = {digest: row for row, digest in enumerate(known.digests.tolist())} if known else {}
        rows = numpy.array([old.get(digest, -1) for digest in digests.tolist()], numpy.int64)
        (new,) = numpy.nonzero(rows < 0)
        vectors: Any = numpy.zeros((len(told), len(self._embedder([""])[0])), numpy.float32)
        if known:
            vectors[rows >= 0] = known.vectors[rows[rows >= 0]]
        for start in range(0, len(new), AT_ONCE):
            some = new[start : start + AT_ONCE]
            texts = [told[number][1].decode("utf-8", "replace") for number in some]
            vectors[some] = self._embedder(texts).astype(numpy.float16)  # as they are kept
        places = numpy.array([place for place, _ in told], numpy.int64)
        return _Known(view.stamp, places, digests, vectors)

    def _read(self) -> _Known | None:
        """What was kept; None when there is nothing, it is damaged, or of another embedder."""
        import numpy

        try:
            with self._file.open("rb") as file, numpy.load(file, allow_pickle=False) as kept:
                name, *stamp = kept["about"].tolist()
                places, digests, vectors = (kept[key] for key in ("places", "digests", "vectors"))
            first, second = map(int, stamp)
        except _DAMAGE:
            return None
        if name != self._embedder.name or not len(places) == len(digests) == len(vectors):
            return None
        return _Known((first, second), places, digests, vectors.astype(numpy.float32))

    def _write(self, known: _Known) -> None:
        """Keep the vectors, put in place in one step; where that fails they are made again."""
        import numpy

        about = numpy.array([self._embedder.name, *map(str, known.stamp)])
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=".vectors-")
            with os.fdopen(handle, "wb") as file:
                numpy.savez(
                    file,
                    about=about,
                    places=known.places,
                    digests=known.digests,
                    vectors=known.vectors.astype(numpy.float16),
                )
            Path(name).replace(self._file)


def _digest(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=_DIGEST_BYTES).digest()
