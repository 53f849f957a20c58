"""The search index on disk: tantivy, fed with our own tokens, in the user's cache folder.

It holds nothing that the vault does not hold: it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.recall import common
from noctuary.recall.view import Guard, IndexDamagedError, View

__all__ = ["Change", "Index", "IndexDamagedError", "View", "fingerprint"]

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Container,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    import tantivy

    from noctuary.recall.match import Match
    from noctuary.recall.packed import Row

SCHEMA_VERSION = 7
HEAP_BYTES = 100_000_000
"""Memory that a writer may fill before it writes a segment; it takes only what it needs."""
BLOCK_BYTES = 1024
"""Texts are compressed in blocks, and to show one line its whole block is read."""
_HOUSE = Path(__file__).parents[1]
_DECIDING = (
    "memory/tokens.py", "memory/words.py", "memory/numerals.py", "memory/periods.py",
    "memory/dates.py", "memory/dates_en.py", "memory/dates_zh.py", "memory/sentences.py",
    "memory/tenses.py",
    "recall/passages.py", "recall/kinds.py", "recall/packed.py", "recall/match.py", "recall/heads.py",
)  # fmt: skip
"""What decides how an index comes out: when any of it changes, an older index is worth nothing."""


@cache
def fingerprint() -> str:
    """Changes whenever an index that was built before can no longer be used."""
    sources = [_HOUSE / name for name in _DECIDING]
    basis = [source.read_bytes() for source in sources if source.is_file()]
    return hashlib.sha256(b"\0".join([str(SCHEMA_VERSION).encode(), *basis])).hexdigest()[:16]


class Index:
    """Passages on disk. Readers never wait; whoever writes must hold the lock of the cache."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index: tantivy.Index | None = None
        self._seen: View | None = None
        self._guarded = Guard(self.clear)

    def exists(self) -> bool:
        """True when something was written here before."""
        return self._meta.is_file()

    @property
    def stamp(self) -> tuple[int, int]:
        """Differs after each change, whoever made it; zeros when nothing was written."""
        try:
            found = self._meta.stat()
        except OSError:
            return 0, 0
        return found.st_mtime_ns, found.st_ino

    @property
    def _meta(self) -> Path:
        return self._folder / "meta.json"

    def clear(self) -> None:
        """Removes everything; the index can be filled again at once."""
        import shutil

        self._index = self._seen = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def refresh(self) -> None:
        """From the next question on, sees what was written meanwhile, by whomever."""
        self._seen = None

    @contextmanager
    def changing(self) -> Iterator[Change]:
        """Takes out and puts in, in one commit at the end; after a failure nothing has changed."""
        change = Change(self._writer, self._guarded)
        yield change
        if change.is_begun:
            change.commit()
            self.refresh()

    def _writer(self) -> tantivy.IndexWriter:
        return self._open().writer(HEAP_BYTES, 1)

    def __len__(self) -> int:
        """How many passages it holds."""
        with self._guarded:
            return len(self.view)

    def search(
        self, terms: Mapping[str, float], limit: int, scopes: Sequence[list[str]] = ()
    ) -> list[Match]:
        """The passages that match best, the best first; of each scope they have one term."""
        with self._guarded:
            schema = self._open().schema
            if common.by_chance(terms, self._count):
                return []
            for asked, aside in self._shorter(terms):
                found = self._found(_query(schema, asked, scopes, aside), limit)
                if len(found) == limit and found[-1].score > sum(aside.values()):
                    return found
            return self._found(_query(schema, terms, scopes), limit)

    def _shorter(
        self, terms: Mapping[str, float]
    ) -> Iterator[tuple[Mapping[str, float], Mapping[str, float]]]:
        """Quicker ways to ask, which do where they find enough: terms, and those put aside."""
        searcher = self.view.searcher
        if searcher.num_docs <= common.MANY:
            return
        asked = common.paired(terms)
        counts = {term: self._count(term) for term in asked}
        if aside := common.common(asked, counts, searcher.num_docs):
            yield asked, aside
        if len(asked) < len(terms):
            yield asked, {}

    def _count(self, term: str) -> int:
        return self.view.searcher.doc_freq("tokens", term)

    def shares(self, terms: Iterable[str]) -> dict[str, float]:
        """The part of all passages that each term stands in, 0 to 1."""
        with self._guarded:
            count = max(1, len(self.view))
            return {term: self._count(term) / count for term in terms}

    def linked(self, target: str, limit: int = 20) -> list[Match]:
        """Passages that hang together with a turn or a note; their scores mean nothing."""
        import tantivy

        known = self.view.links.get((target, limit))
        if known is None:
            with self._guarded:
                schema = self._open().schema
                query = tantivy.Query.term_query(schema, "link", _word(target), "basic")
                known = self.view.links[target, limit] = self._found(query, limit)
        return known

    @property
    def view(self) -> View:
        """What questions see, the same until the next `refresh`."""
        seen = self._seen
        if seen is None:
            with self._guarded:
                index, before = self._open(), self.stamp
                index.reload()
                stamp = before if before == self.stamp else (0, 0)
                self._seen = seen = View(index.searcher(), stamp, self._guarded)
        return seen

    def _found(self, query: tantivy.Query, limit: int) -> list[Match]:
        return self.view.found(query, limit)

    def _open(self) -> tantivy.Index:
        if self._index is None:
            import tantivy

            if not self.exists():
                self._folder.mkdir(parents=True, exist_ok=True)
                tantivy.Index(_schema(), str(self._folder))
                _set_block_size(self._meta)
            self._index = tantivy.Index(_schema(), str(self._folder))
            analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            self._index.register_tokenizer("ours", analyzer)
        return self._index


class Change:
    """What goes and what comes, written together; the writer is opened by the first of it."""

    def __init__(self, open_writer: Callable[[], tantivy.IndexWriter], guarded: Guard) -> None:
        self._open_writer = open_writer
        self._guarded = guarded
        self._opened: tantivy.IndexWriter | None = None

    @property
    def is_begun(self) -> bool:
        """True when anything went or came."""
        return self._opened is not None

    def drop(self, owner: str) -> None:
        """Take out all passages of an owner that were there before this change."""
        with self._guarded:
            self._writer.delete_documents_by_term("owner", _word(owner))

    def replace(self, owner: str, rows: Iterable[Row], known: Container[str]) -> None:
        """Put rows in, instead of those of an owner that is known."""
        if owner in known:
            self.drop(owner)
        for row in rows:
            document = _document(row)
            with self._guarded:
                self._writer.add_document(document)

    def commit(self) -> None:
        """Make it last."""
        with self._guarded:
            self._writer.commit()
            self._writer.wait_merging_threads()

    @property
    def _writer(self) -> tantivy.IndexWriter:
        if self._opened is None:
            self._opened = self._open_writer()
        return self._opened


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("owner", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("link", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("scope", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("tokens", tokenizer_name="ours", index_option="freq")
    builder.add_bytes_field("data", stored=True)
    builder.add_float_field("prior", fast=True)
    builder.add_unsigned_field("facts", fast=True)
    return builder.build()


def _set_block_size(meta: Path) -> None:
    """Small blocks; where the engine's own file is not as expected, its default does as well."""
    with suppress(ValueError, KeyError, TypeError):
        content = json.loads(meta.read_bytes())
        content["index_settings"]["docstore_blocksize"] = BLOCK_BYTES
        meta.write_text(json.dumps(content), encoding="utf-8")


def _query(
    schema: tantivy.Schema,
    terms: Mapping[str, float],
    scopes: Sequence[list[str]],
    aside: Collection[str] = (),
) -> tantivy.Query:
    """Any of the terms, and one of each scope; those put aside count only beside the others."""
    from tantivy import Occur, Query

    parts: dict[str, Query] = {}
    for term, weight in terms.items():
        match = Query.term_query(schema, "tokens", term, "freq")
        parts[term] = match if weight == 1 else Query.boost_query(match, weight)
    rare = [(Occur.Should, part) for term, part in parts.items() if term not in aside]
    found = Query.boolean_query(rare)
    for term in aside:
        found = Query.boolean_query([(Occur.Must, found), (Occur.Should, parts[term])])
    if not scopes:
        return found
    within = (Query.term_set_query(schema, "scope", scope) for scope in scopes)
    must = [(Occur.Must, Query.const_score_query(one, 0.0)) for one in within]
    return Query.boolean_query([(Occur.Must, found), *must])


def _word(name: str) -> str:
    """A name that the engine takes: those of files may hold what is no text."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode("utf-8")


def _document(row: Row) -> tantivy.Document:
    import tantivy

    document = tantivy.Document()
    document.add_text("owner", _word(row.owner))
    for link in row.links:
        document.add_text("link", _word(link))
    for term in row.scope:
        document.add_text("scope", term)
    document.add_text("tokens", row.tokens)
    document.add_bytes("data", row.data)
    document.add_float("prior", row.prior)
    document.add_unsigned("facts", row.facts)
    return document
