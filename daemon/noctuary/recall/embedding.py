"""The embedder of the extra `semantic`: word vectors that lie inside the wheel of wordllama.

Only its files are used: its own loader fetches a tokenizer from the network, and changes the log
of the whole program. English only: of Chinese its tokenizer knows single bytes.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noctuary.errors import NoMeaningError
from noctuary.memory.lazy import lazily
from noctuary.memory.sentences import language
from noctuary.memory.words import STOP_EN
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noctuary.recall.semantic import Embedder

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
NEEDED = ("numpy", "tokenizers")
LONGEST = 2_000
"""Characters of a text beyond which its meaning does not change much."""
RECIPE = 1
"""To be counted up whenever the same text would get another vector."""
_WORD = lazily(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def embedder() -> Embedder | None:
    """The embedder that is installed; None when there is none, or not all of it."""
    folder = _package()
    return StaticVectors(folder) if folder and not _missing(folder) else None


def trouble() -> str:
    """Why the embedder that is installed cannot be used; empty when it can, or there is none."""
    folder = _package()
    if folder is None:
        return ""
    if missing := _missing(folder):
        return phrase("{name} is missing", name=missing[0])
    try:
        StaticVectors(folder)(["word"])
    except NoMeaningError as error:
        return str(error)
    return ""


@cache
def _package() -> Path | None:
    """Where the package lies; found without running a line of it."""
    found = find_spec("wordllama")
    places = found.submodule_search_locations if found else None
    return Path(next(iter(places))) if places else None


def _missing(folder: Path) -> list[str]:
    files = [name for name in (WEIGHTS, TOKENIZER) if not (folder / name).is_file()]
    return files + [name for name in NEEDED if find_spec(name) is None]


class StaticVectors:
    """Each text as the sum of the vectors of its words, those that tell nothing left out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: tuple[Any, Any] | None = None

    @property
    def name(self) -> str:
        """The weights by their file, and how they are used."""
        with _readable(WEIGHTS):
            found = (self._folder / WEIGHTS).stat()
        return f"wordllama 256 {RECIPE} {found.st_size} {found.st_mtime_ns}"

    def __call__(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        """A row of length 1 for each text; zeros for one in Chinese."""
        weights, tokenizer = self._load()
        import numpy

        rows = numpy.zeros((len(texts), weights.shape[1]), numpy.float32)
        for row, text in zip(rows, texts, strict=True):
            told = telling(text[:LONGEST])
            if told:
                words = tokenizer.encode(told, add_special_tokens=False).ids
                row += weights[words].sum(axis=0, dtype=numpy.float32)
        lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
        if not numpy.isfinite(lengths).all():
            raise NoMeaningError(phrase("{name} is damaged", name=WEIGHTS))
        return rows / numpy.maximum(lengths, 1e-9)

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            with _readable(TOKENIZER):
                from tokenizers import Tokenizer

                tokenizer = Tokenizer.from_file(str(self._folder / TOKENIZER))
                tokenizer.no_padding()
                tokenizer.no_truncation()
            with _readable(WEIGHTS):
                weights = _matrix(self._folder / WEIGHTS)
                if len(weights) < tokenizer.get_vocab_size():
                    raise ValueError(phrase("too few rows"))
            self._loaded = weights, tokenizer
        return self._loaded


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # the tokenizer raises bare ones
        raise NoMeaningError(
            phrase("{name} is damaged ({error})", name=name, error=error)
        ) from error


def telling(text: str) -> str:
    """A text without the words that stand in any; all of it when it has no others."""
    if language(text) == "zh":
        return ""
    bare = _WORD.sub(lambda word: "" if word[0].casefold() in STOP_EN else word[0], text)
    return " ".join((bare if any(map(str.isalnum, bare)) else text).split())


def _matrix(file: Path) -> Any:  # noqa: ANN401
    """The one tensor of a safetensors file, read where it is needed."""
    import numpy

    with file.open("rb") as opened:
        size = int.from_bytes(opened.read(8), "little")
        head = json.loads(opened.read(size))
    (told,) = (tensor for name, tensor in head.items() if not name.startswith("__"))
    kind = {"F16": "<f2", "F32": "<f4"}[told["dtype"]]
    start = 8 + size + told["data_offsets"][0]
    return numpy.memmap(file, kind, "r", start, tuple(told["shape"]))
