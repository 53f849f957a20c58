"""Plan to bytes: what a dream decided becomes the writes that the vault applies.

Reads nothing and writes nothing itself; whoever calls hands over the bytes that are there.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noctuary.dream.plan import Action, ActionKind, Plan
from noctuary.errors import Problem
from noctuary.memory import document
from noctuary.memory.cardtext import card_meta
from noctuary.memory.document import PatchRefused
from noctuary.memory.inbox import why_waiting
from noctuary.tongue import phrase, spoken
from noctuary.vault.files import digest_of
from noctuary.vault.store import Write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from noctuary.memory.card import Card
    from noctuary.pages import Pages
    from noctuary.tongue import Language

BEGIN = phrase(
    "<!-- noctuary:begin · drawn anew by each dream; your own text goes outside these marks -->"
)
END = "<!-- noctuary:end -->"
_BEGIN_MARK = "<!-- noctuary:begin"
_ANY_MARK, _BROKEN_MARK = "<!-- noctuary:", "<!- noctuary:"
OWNED = frozenset({
    "status", "updated", "last-referenced", "references", "seen",
    "supersedes", "superseded-by", "valid-from", "valid-until",
})  # fmt: skip
"""Keys that the daemon may patch on a card that a person has made their own."""


@dataclass(frozen=True, slots=True)
class Scribe:
    """Renders plans.

    Attributes:
        read: Bytes of a note by its path; None when there is none.
        marks: What a card says, as tombstones remember it.
    """

    pages: Pages
    read: Callable[[str], bytes | None]
    marks: Callable[[Card], tuple[str, ...]]

    def speaking(self, language: Language) -> Scribe:
        """The same in another language."""
        return replace(self, pages=self.pages.speaking(language))

    def writes(self, plan: Plan) -> tuple[list[Write], list[Problem]]:
        """One write per action; an action that cannot be carried out safely is a problem."""
        found: list[Write] = []
        problems: list[Problem] = []
        for action in plan.actions:
            try:
                found.append(self._write(action))
            except PatchRefused as refusal:
                what = phrase(
                    "left alone, since its frontmatter is hard to change: {reason}",
                    reason=refusal.reason,
                )
                problems.append(Problem(action.path, what))
        return found, problems

    def _write(self, action: Action) -> Write:
        return Write(
            path=action.path,
            data=self._bytes(action),
            base=action.base,
            moved_from=action.moved_from,
            card=action.card.id,
            marks=self.marks(action.card),
            entries=action.entries,
        )

    def _bytes(self, action: Action) -> bytes:
        if action.kind is not ActionKind.PATCH:
            return self.bytes_of(action.card, action.path)
        raw = self.read(action.path)
        if raw is None or digest_of(raw) != action.base or action.before is None:
            raise PatchRefused("it changed while the dream was thinking")
        return document.patch(raw, owned_changes(action.before, action.card))

    def bytes_of(self, card: Card, path: str) -> bytes:
        """A card's file; in the inbox with its boxes."""
        if path.startswith("inbox/"):
            return self.pages.inbox(card, why_waiting(card)).encode()
        return self.pages.card(card).encode()

    def page(self, path: str, text: str) -> Write | None:
        """A generated note; None when these very bytes are there already."""
        raw = self.read(path)
        data = text.encode()
        if raw == data:
            return None
        return Write(path, data, None if raw is None else digest_of(raw))

    def between_marks(self, path: str, block: str) -> Write | None:
        """A generated block in a note that also holds a person's text."""
        raw = self.read(path)
        text = "" if raw is None else raw.decode("utf-8", "surrogateescape")
        data = put_between(text, block, self.pages.language).encode("utf-8", "surrogateescape")
        if raw == data:
            return None
        return Write(path, data, None if raw is None else digest_of(raw))

    def diff(self, writes: Iterable[Write]) -> str:
        """The writes as one unified diff against what is there."""
        return "".join(self._diff_one(write) for write in writes)

    def _diff_one(self, write: Write) -> str:
        source = write.moved_from or write.path
        before = _lines(self.read(source) if write.base is not None else None)
        old = "/dev/null" if write.base is None else f"a/{source}"
        new = "/dev/null" if write.data is None else f"b/{write.path}"
        return "".join(difflib.unified_diff(before, _lines(write.data), old, new))


def _lines(data: bytes | None) -> Sequence[str]:
    text = (data or b"").decode("utf-8", "replace")
    if text and not text.endswith("\n"):
        text += "\n"
    return text.splitlines(keepends=True)


def owned_changes(before: Card, after: Card) -> dict[str, document.Value]:
    """What the daemon may patch of the difference between two states of a person's card."""
    old, new = card_meta(before), card_meta(after)
    changed = {key: value for key, value in new.items() if old.get(key) != value}
    gone: dict[str, object] = {
        key: [] if isinstance(old[key], list) else None for key in old if key not in new
    }
    return {key: _value(value) for key, value in (changed | gone).items() if key in OWNED}


def _value(value: object) -> document.Value:
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return str(value)


def put_between(text: str, block: str, language: str = "en") -> str:
    """The text with the generated block between its marks; without marks it comes at the end.

    Marks inside the block, as a card's title may hold them, are broken: they would end it early.
    """
    fresh = f"{spoken(BEGIN, language)}\n{block.strip().replace(_ANY_MARK, _BROKEN_MARK)}\n{END}"
    start = text.find(_BEGIN_MARK)
    end = text.find(END, start) if start >= 0 else -1
    if start >= 0 and end >= 0:
        return text[:start] + fresh + text[end + len(END) :]
    if not text.strip():
        return fresh + "\n"
    return text.rstrip("\n") + "\n\n" + fresh + "\n"
