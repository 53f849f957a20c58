"""The search index on disk: tantivy, fed with our own tokens, in the user's cache folder.

It holds nothing that the vault does not hold: it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from contextlib import contextmanager
from dataclasses import fields
from datetime import date, datetime
from typing import TYPE_CHECKING

from noctuary.errors import NoctuaryError
from noctuary.memory.tokens import tokens
from noctuary.recall.match import Match, numbers
from noctuary.recall.passages import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import tantivy

    from noctuary.recall.passages import Indexed

SCHEMA_VERSION = 4
HEAP_BYTES = 30_000_000
_SAMPLE = "Running get_user_name() on 2026-11-30 at 10:30, v1.2.3: 预算不超过人民币五万元。"
_NAMES = tuple(one.name for one in fields(Passage))
_AT = _NAMES.index("at")
_NUMBERS = ("prior", "day", "speaker", "successor")
_DAYS = tuple(_NAMES.index(name) for name in ("referenced", "since", "until"))


class IndexDamagedError(NoctuaryError):
    """The index could not be read; it has been removed and the next sync builds it anew."""

    def __init__(self) -> None:
        super().__init__("The search index was damaged and has been removed: ask again.")


def fingerprint() -> str:
    """Changes whenever an index that was built before can no longer be used."""
    basis = json.dumps([SCHEMA_VERSION, tokens(_SAMPLE), _NAMES])
    return hashlib.sha256(basis.encode()).hexdigest()[:16]


class Index:
    """Passages on disk. Readers never wait; whoever writes must hold the lock of the cache."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index: tantivy.Index | None = None
        self._searcher: tantivy.Searcher | None = None

    def exists(self) -> bool:
        """True when something was written here before."""
        return (self._folder / "meta.json").is_file()

    def clear(self) -> None:
        """Removes everything; the index can be filled again at once."""
        self._index = self._searcher = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def refresh(self) -> None:
        """Sees what other processes have written meanwhile."""
        with self._guarded():
            index = self._open()
            index.reload()
            self._searcher = index.searcher()

    def replace(self, gone: Iterable[str], added: Iterable[list[Indexed]]) -> None:
        """Takes out whole owners and puts passages in, in one commit."""
        with self._guarded():
            writer = self._open().writer(HEAP_BYTES, 1)
            for owner in gone:
                writer.delete_documents_by_term("owner", owner)
            for passages in added:
                for passage in passages:
                    writer.add_document(_document(passage))
            writer.commit()
            writer.wait_merging_threads()
        self.refresh()

    def __len__(self) -> int:
        """How many passages it holds."""
        with self._guarded():
            return self._seen().num_docs

    def search(self, terms: Mapping[str, float], limit: int) -> list[Match]:
        """The passages that match best; the best first."""
        with self._guarded():
            return self._found(_query(self._open().schema, terms), limit)

    def shares(self, terms: Iterable[str]) -> dict[str, float]:
        """The part of all passages that each term stands in, 0 to 1."""
        with self._guarded():
            searcher = self._seen()
            count = max(1, searcher.num_docs)
            return {term: searcher.doc_freq("tokens", term) / count for term in terms}

    def linked(self, target: str, limit: int = 20) -> list[Match]:
        """Passages that hang together with a turn or a note; their scores mean nothing."""
        import tantivy

        with self._guarded():
            query = tantivy.Query.term_query(self._open().schema, "link", target, "basic")
            return self._found(query, limit)

    def _found(self, query: tantivy.Query, limit: int) -> list[Match]:
        searcher = self._seen()
        hits = searcher.search(query, limit, count=False).hits
        places = [place for _, place in hits]
        columns = [searcher.fast_field_values(name, places) for name in _NUMBERS]
        rows = zip(hits, *columns, strict=True)
        return [
            Match((place.segment_ord, place.doc), score, _numbers(row), self._loader(place))
            for (score, place), *row in rows
        ]

    def _loader(self, place: tantivy.DocAddress) -> Callable[[], Passage]:
        searcher = self._seen()

        def load() -> Passage:
            # The guard is entered only when needed: this runs for every line that is shown.
            try:
                return decode(searcher.doc(place)["data"][0])
            except BaseException:
                with self._guarded():
                    raise

        return load

    def _seen(self) -> tantivy.Searcher:
        if self._searcher is None:
            self._searcher = self._open().searcher()
        return self._searcher

    def _open(self) -> tantivy.Index:
        if self._index is None:
            import tantivy

            self._folder.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(_schema(), str(self._folder))
            analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            self._index.register_tokenizer("ours", analyzer)
        return self._index

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        # A damaged file shows as ValueError, OSError or a panic of the engine, which is a bare
        # BaseException; whichever it is, the index is worth nothing and is rebuilt.
        try:
            yield
        except (ValueError, OSError, KeyError) as error:
            self.clear()
            raise IndexDamagedError from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            self.clear()
            raise IndexDamagedError from None


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("owner", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("link", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("tokens", tokenizer_name="ours", index_option="freq")
    builder.add_bytes_field("data", stored=True)
    builder.add_float_field("prior", fast=True)
    for name in _NUMBERS[1:]:
        builder.add_unsigned_field(name, fast=True)
    return builder.build()


def _query(schema: tantivy.Schema, terms: Mapping[str, float]) -> tantivy.Query:
    from tantivy import Occur, Query

    parts: list[tuple[Occur, Query]] = []
    for term, weight in terms.items():
        match = Query.term_query(schema, "tokens", term, "freq")
        # Without a boost the engine may skip whole blocks of passages that cannot come near the top.
        parts.append((Occur.Should, match if weight == 1 else Query.boost_query(match, weight)))
    return Query.boolean_query(parts)


def _document(one: Indexed) -> tantivy.Document:
    import tantivy

    document = tantivy.Document()
    document.add_text("owner", one.passage.owner)
    for link in one.links:
        document.add_text("link", link)
    document.add_text("tokens", " ".join(one.tokens))
    document.add_bytes("data", encode(one.passage))
    prior, *rest = numbers(one.passage)
    document.add_float("prior", prior)
    for name, value in zip(_NUMBERS[1:], rest, strict=True):
        document.add_unsigned(name, int(value))
    return document


def _numbers(row: Sequence[int | float | bool | None]) -> tuple[float, int, int, bool]:
    prior, day, speaker, successor = row
    return float(prior or 0), int(day or 0), int(speaker or 0), bool(successor)


def encode(passage: Passage) -> bytes:
    """A passage as it is stored."""
    values = [getattr(passage, name) for name in _NAMES]
    return _ENCODER.encode(values).encode("ascii")


def _iso(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(type(value).__name__)


_ENCODER = json.JSONEncoder(default=_iso, separators=(",", ":"))


def decode(data: bytes) -> Passage:
    """The passage that was stored."""
    values = json.loads(data.decode("ascii"))
    values[_AT] = datetime.fromisoformat(values[_AT])
    for place in _DAYS:
        values[place] = values[place] and date.fromisoformat(values[place])
    return Passage(*values)
