"""What questions see of an index: all passages as they were at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.errors import NoctuaryError
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    import tantivy

    from noctuary.recall.match import Match
    from noctuary.recall.passages import Passage

KEPT = 4096
"""Passages that are remembered as they were read."""
_DOC_BITS = 32


class IndexDamagedError(NoctuaryError):
    """The index could not be read; it has been removed and the next sync builds it anew."""

    def __init__(self) -> None:
        super().__init__(phrase("The search index was damaged and has been removed: ask again."))


class View:
    """All passages as they were at one moment, whatever is written meanwhile.

    Attributes:
        stamp: That of the index; zeros when it was being changed at that moment.
        links: What was asked for by a link, as often as it is named.
    """

    def __init__(self, searcher: tantivy.Searcher, stamp: tuple[int, int], guarded: Guard) -> None:
        from noctuary.recall.match import Match
        from noctuary.recall.packed import decode, unpack

        self.searcher = searcher
        self.stamp = stamp
        self._guarded = guarded
        self._match, self._unpack, self._decode = Match, unpack, decode
        self.links: dict[tuple[str, int], list[Match]] = {}
        self._read: dict[int, Passage] = {}

    def __len__(self) -> int:
        """How many passages there are."""
        return self.searcher.num_docs

    def found(self, query: tantivy.Query, limit: int) -> list[Match]:
        """The best matches, the best first."""
        return self._matches(self.searcher.search(query, limit, count=False).hits)

    def texts(self) -> Iterator[tuple[int, bytes]]:
        """The place and the text of every passage."""
        import tantivy

        from noctuary.recall.packed import text_of

        with self._guarded:
            everything = tantivy.Query.all_query()
            hits = self.searcher.search(everything, max(1, len(self)), count=False).hits
            for _, place in hits:
                yield _number(place), text_of(self.searcher.doc(place)["data"][0])

    def at(self, scores: Mapping[int, float]) -> list[Match]:
        """The passages at these places, each with its score."""
        import tantivy

        with self._guarded:
            places = (tantivy.DocAddress(*divmod(number, 1 << _DOC_BITS)) for number in scores)
            return self._matches(list(zip(scores.values(), places, strict=True)))

    def _matches(self, hits: Sequence[tuple[float, tantivy.DocAddress]]) -> list[Match]:
        column, places = self.searcher.fast_field_values, [place for _, place in hits]
        numbers = self._unpack(column("prior", places), column("facts", places))
        match, load = self._match, self._load
        return [
            match(number := _number(place), score, known, load, (number, place))
            for (score, place), known in zip(hits, numbers, strict=True)
        ]

    def _load(self, where: tuple[int, tantivy.DocAddress]) -> Passage:
        """The passage at a place; one question after another is answered by the same."""
        number, place = where
        known = self._read.get(number)
        if known is None:
            try:
                known = self._decode(self.searcher.doc(place)["data"][0])
            except BaseException:
                with self._guarded:
                    raise
            if len(self._read) >= KEPT:
                self._read.clear()
            self._read[number] = known
        return known


def _number(place: tantivy.DocAddress) -> int:
    return place.segment_ord << _DOC_BITS | place.doc


class Guard:
    """Around all that touches the files: when they are damaged, removes them and says so.

    A damaged file shows as one of these or as a panic of the engine, which is a bare
    BaseException; whichever it is, the index is worth nothing and is rebuilt.
    """

    def __init__(self, clear: Callable[[], None]) -> None:
        self._clear = clear

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            return
        if (
            issubclass(kind, (ValueError, TypeError, KeyError, OSError))
            or kind.__name__ == "PanicException"
        ):
            self._clear()
            raise IndexDamagedError from error
