"""What is kept between tries: replies that were paid for, and how a server wants to be asked.

All of it can be thrown away. Replies hold what people said, so they lie in the vault's own cache
folder, readable by its owner alone, and go once the dream that asked for them is written.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from noctuary.distil.openai.wire import Format

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

KEPT_DAYS = 7
LEARNED_DAYS = 30
_DAY = 86_400


def reply_key(model: str, messages: Sequence[Mapping[str, str]], name: str) -> str:
    """What makes two questions the same one."""
    asked = json.dumps([model, list(messages), name], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


class KeptReplies:
    """Replies by the hash of their question; never fails, since all of it can be asked again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> str | None:
        """The reply to this question, if it was paid for before."""
        try:
            return (self._folder / key).read_text("utf-8")
        except (OSError, ValueError):
            return None

    def put(self, key: str, text: str) -> None:
        """Keep a reply for the next try."""
        with suppress(OSError, ValueError):
            write_private(self._folder / key, text)

    def clear(self) -> None:
        """Forget all replies: their dream is written."""
        self._sweep(0)

    def sweep(self) -> None:
        """Forget replies that no next try has come for."""
        self._sweep(KEPT_DAYS * _DAY)

    def _sweep(self, age: float) -> None:
        limit = time.time() - age
        with suppress(OSError):
            for path in self._folder.iterdir():
                if not age or path.stat().st_mtime < limit:
                    path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Manner:
    """How an endpoint wants to be asked.

    Attributes:
        proven: False as long as no good reply has come in this manner.
        limit: Name of the parameter that bounds the reply.
        temperature: Whether it may be set.
    """

    format: Format = Format.JSON_SCHEMA
    limit: str = "max_tokens"
    temperature: bool = True
    proven: bool = False


class Learned:
    """Manners by endpoint, in a small file in the user's cache folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def manner(self, endpoint: str) -> Manner:
        """How to ask this endpoint; the strictest manner if it was not asked lately."""
        found = self._read().get(endpoint)
        try:
            if found is None or time.time() - float(found["at"]) > LEARNED_DAYS * _DAY:
                return Manner()
            return Manner(
                Format(found["format"]), str(found["limit"]), bool(found["temperature"]), True
            )
        except (KeyError, TypeError, ValueError):
            return Manner()

    def learn(self, endpoint: str, manner: Manner) -> None:
        """Remember a manner that brought a good reply."""
        known = self._read()
        known[endpoint] = {**asdict(manner), "at": int(time.time())}
        with suppress(OSError):
            write_private(self._path, json.dumps(known, indent=1))

    def forget(self, endpoint: str) -> None:
        """Begin from the strictest manner again."""
        known = self._read()
        if known.pop(endpoint, None) is not None:
            with suppress(OSError):
                write_private(self._path, json.dumps(known, indent=1))

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def write_private(path: Path, text: str) -> None:
    """Write a file for its owner alone, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = path.with_name(f".{path.name}.{os.getpid()}.{token_hex(4)}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    partial.replace(path)


def fence_key(path: Path) -> bytes:
    """The secret of this installation from which fences are made; a passing one if it cannot last."""
    try:
        if not path.is_file():
            write_private(path, token_hex(32))
        return path.read_bytes()
    except OSError:
        return token_hex(32).encode()
