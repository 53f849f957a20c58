"""The path through a Claude Code transcript that led to its end.

Each record names its parent; a rewind leaves a dead branch behind, a compaction breaks the chain
and names the record before it in `logicalParentUuid`. Only numbers are kept per record, so that
a long transcript can be read twice instead of being held.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CHAT = frozenset({"user", "assistant"})


class Kind(IntEnum):
    """What a record is to the path."""

    LOOSE = 0
    LINK = 1
    SIDE = 2
    REPEATED = 3
    ASIDE = 4


_CHAIN = frozenset({Kind.LINK, Kind.ASIDE})


class Tree:
    """Records by number, in the order in which they were added."""

    def __init__(self) -> None:
        self.kinds = bytearray()
        self._parents = array("q")
        self._messages = array("q")
        self._numbers: dict[str, int] = {}
        self._message_numbers: dict[str, int] = {}
        self._named_later: dict[int, str] = {}
        self._previous: dict[str, int] = {}
        self._leaves: dict[str, int] = {}

    def add(self, record: Mapping[str, object]) -> None:
        """Take the next record in."""
        number, kind = len(self.kinds), self._kind(record)
        self.kinds.append(kind)
        self._parents.append(self._parent(number, record) if kind is not Kind.LOOSE else -1)
        self._messages.append(self._message(record) if kind is Kind.LINK else -1)
        if kind is not Kind.REPEATED and (uuid := _string(record, "uuid")):
            self._numbers[uuid] = number
        if kind in _CHAIN:
            session = _string(record, "sessionId")
            self._previous[session] = number
            if record.get("type") in CHAT:
                self._leaves[session] = number

    def live(self) -> bytearray:
        """1 for every record on the way from the last leaf of a session up to its start.

        One message of the model may be spread over several records that are no chain; where one
        of them is alive, all are.
        """
        for number, uuid in self._named_later.items():
            self._parents[number] = self._numbers.get(uuid, self._parents[number])
        alive = bytearray(len(self.kinds))
        for leaf in self._leaves.values():
            number = leaf
            while number >= 0 and not alive[number]:
                alive[number] = 1
                number = self._parents[number]
        spoken = {message for number, message in enumerate(self._messages) if alive[number]}
        for number, message in enumerate(self._messages):
            if (message in spoken and message >= 0) or self._hangs_on(number, alive):
                alive[number] = 1
        return alive

    def _hangs_on(self, number: int, alive: bytearray) -> bool:
        """True for something said aside, which may hang beside the chain, on a living record."""
        parent = self._parents[number]
        return self.kinds[number] == Kind.ASIDE and parent >= 0 and bool(alive[parent])

    def _kind(self, record: Mapping[str, object]) -> Kind:
        uuid = _string(record, "uuid")
        if uuid in self._numbers:
            return Kind.REPEATED
        if record.get("isSidechain") is True:
            return Kind.SIDE
        if uuid and record.get("type") == "attachment":
            return Kind.ASIDE
        return Kind.LINK if uuid or record.get("type") in CHAT else Kind.LOOSE

    def _parent(self, number: int, record: Mapping[str, object]) -> int:
        """Number of the parent; where it is not to be found, the record before in the session."""
        before = self._previous.get(_string(record, "sessionId"), -1)
        uuid = _string(record, "parentUuid") or _string(record, "logicalParentUuid")
        if not uuid:
            return -1 if _starts_anew(record) else before
        if uuid not in self._numbers:
            self._named_later[number] = uuid
        return self._numbers.get(uuid, before)

    def _message(self, record: Mapping[str, object]) -> int:
        message = record.get("message")
        name = _string(message, "id") if isinstance(message, dict) else ""
        return self._message_numbers.setdefault(name, len(self._message_numbers)) if name else -1


def _starts_anew(record: Mapping[str, object]) -> bool:
    """True for a prompt that says that nothing comes before it: a rewind to the very start."""
    said_so = "parentUuid" in record and record["parentUuid"] is None
    own = record.get("isMeta") is not True and record.get("isCompactSummary") is not True
    return said_so and own and record.get("type") == "user"


def _string(record: Mapping[str, object], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
