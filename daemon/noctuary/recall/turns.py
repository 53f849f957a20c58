"""Short-term entries between those that were said just before and after them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from noctuary.memory.entry import Entry


class Turn(NamedTuple):
    """An entry between its neighbours of the same session; None at the ends."""

    entry: Entry
    before: Entry | None
    after: Entry | None

    @property
    def is_monologue(self) -> bool:
        """True when nobody else speaks just before or after."""
        return not (self._is_of_another(self.before) or self._is_of_another(self.after))

    def _is_of_another(self, other: Entry | None) -> bool:
        mine = self.entry
        return other is not None and (other.role is not mine.role or other.user != mine.user)

    @property
    def digest(self) -> str:
        """Changes when a neighbour does, since neighbours are part of how a turn is found."""
        return f"{self.before.id if self.before else ''}>{self.after.id if self.after else ''}"


def turns(entries: Iterable[Entry]) -> Iterator[Turn]:
    """Entries with their neighbours; those of one session must come in order.

    Of each session no more than two entries are held at a time.
    """
    open_ones: dict[str, tuple[Entry | None, Entry]] = {}
    for entry in entries:
        session = entry.session or entry.episode
        before, last = open_ones.get(session, (None, None))
        if last is not None:
            yield Turn(last, before, entry)
        open_ones[session] = (last, entry)
    for before, last in open_ones.values():
        yield Turn(last, before, None)
