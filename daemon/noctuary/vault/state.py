"""What the program remembers about a vault between runs; all of it can be deleted and comes back.

The ledger says which bytes the program wrote last, so that a person's edits are seen as theirs.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from noctuary.vault.files import Disk

PERSON = "person"
DREAM = "dream"
SEAL = "sum"


@dataclass(frozen=True, slots=True)
class Written:
    """One file as the program wrote it last.

    Attributes:
        digest: sha256 of the bytes.
        owner: `person` from the first edit by hand on, else `dream`.
        card: Id of the card in it; empty for other notes.
        marks: Salted hashes of what the card says, to know it again if a person throws it away.
    """

    digest: str
    owner: str = DREAM
    card: str = ""
    marks: tuple[str, ...] = ()

    def as_json(self) -> list[object]:
        """The compact form in which it is stored."""
        return [self.digest, self.owner, self.card, list(self.marks)]


@dataclass(slots=True)
class Ledger:
    """Path to what was last written there, and what people threw away."""

    files: dict[str, Written] = field(default_factory=dict)
    rejected: set[str] = field(default_factory=set)
    reopened: dict[str, set[str]] = field(default_factory=dict)

    def by_person(self, path: str, digest: str) -> bool:
        """True when these bytes are not what the program itself wrote."""
        written = self.files.get(path)
        if written is None:
            return digest not in self.digests()
        return written.digest != digest or written.owner == PERSON

    def digests(self) -> set[str]:
        """Digests of all that the program wrote and still owns, wherever a person moved it to."""
        return {item.digest for item in self.files.values() if item.owner == DREAM}

    def content(self) -> dict[str, object]:
        """The stored form, as data."""
        return {
            "files": {path: item.as_json() for path, item in sorted(self.files.items())},
            "rejected": sorted(self.rejected),
            "reopened": {name: sorted(ids) for name, ids in sorted(self.reopened.items())},
        }


def read_ledger(disk: Disk) -> Ledger | None:
    """The stored ledger; None when there is none or it cannot be read."""
    data = disk.read(ledger_path(disk))
    if data is None:
        return None
    try:
        known = _decoded(data)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None
    reopened = {name: set(ids) for name, ids in known.reopened.items()}
    return Ledger(dict(known.files), set(known.rejected), reopened)


@lru_cache(maxsize=1)
def _decoded(data: bytes) -> Ledger:
    """What these bytes say, which a night asks for several times; nobody may change it."""
    return _decode(json.loads(data))


def _decode(content: Mapping[str, Mapping[str, list[object]]]) -> Ledger:
    files = {path: _written(item) for path, item in content["files"].items()}
    reopened = {name: {str(entry) for entry in ids} for name, ids in content["reopened"].items()}
    return Ledger(files, {str(mark) for mark in content["rejected"]}, reopened)


def _written(item: list[object]) -> Written:
    digest, owner, card, marks = item
    if not isinstance(marks, list):
        raise TypeError(marks)
    return Written(str(digest), str(owner), str(card), tuple(map(str, marks)))


def write_ledger(disk: Disk, ledger: Ledger) -> None:
    """Store the ledger."""
    mine = identity(disk)
    content = ledger.content() | {"vault": [mine.id, fingerprint_of(mine.salt)]}
    disk.put_state(ledger_path(disk), sealed(content))


def fingerprint_of(salt: str) -> str:
    """By which a salt is known again without telling it."""
    return hashlib.sha256(salt.encode()).hexdigest()[:8]


def ledger_path(disk: Disk) -> Path:
    """Where the ledger lies."""
    return disk.layout.state / "ledger.json"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which vault this is, and the salt of its tombstones."""

    id: str
    salt: str


def identity(disk: Disk) -> Identity:
    """The vault's own name, made on first use."""
    path = disk.layout.state / "vault-id"
    known = _identity_in(disk.read(path))
    if known is not None:
        return known
    import secrets

    fresh = Identity(secrets.token_hex(8), secrets.token_hex(16))
    data = f"{fresh.id}\n{fresh.salt}\n".encode()
    if path.exists():
        disk.put_state(path, data)
        return fresh
    return fresh if _is_first(disk, path, data) else identity(disk)


def _identity_in(data: bytes | None) -> Identity | None:
    lines = data.decode("ascii", "replace").split() if data else []
    return Identity(lines[0], lines[1]) if len(lines) == 2 else None


def _is_first(disk: Disk, path: Path, data: bytes) -> bool:
    """Put a file in place whole; False when somebody else was quicker."""
    disk.make_folder(path.parent, 0o700)
    import secrets

    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    disk.write_new(fresh, data)
    made = disk.link(fresh, path)
    disk.unlink(fresh)
    disk.sync_folder(path.parent)
    return made


def sealed(content: Mapping[str, object]) -> bytes:
    """JSON on one line, with a sum of itself by which damage is seen."""
    whole = dict(content) | {SEAL: _sum(content)}
    return json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass")


def holds_seal(content: Mapping[str, object]) -> bool:
    """True when the content is as it was written."""
    bare = {key: value for key, value in content.items() if key != SEAL}
    return content.get(SEAL) == _sum(bare)


def _sum(content: Mapping[str, object]) -> str:
    text = json.dumps(content, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def json_lines(data: bytes | None) -> Iterable[dict[str, object]]:
    """The objects of a log of the program's own; torn lines are passed over."""
    for line in (data or b"").splitlines():
        try:
            item = json.loads(line)
        except ValueError:
            continue
        if isinstance(item, dict):
            yield item
