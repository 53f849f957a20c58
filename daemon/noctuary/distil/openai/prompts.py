"""Prompts from templates, in the language of the entries, with data behind a fence.

What is the same for every question of a dream comes first, so that servers can cache it. The fence
is a hash that no text can hold, since it depends on that text and on a secret of this
installation; that the same data gets the same fence lets replies be kept.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import cache
from typing import TYPE_CHECKING

from noctuary.distil.openai.shown import hidden, show
from noctuary.errors import DistillerError, NoctuaryError
from noctuary.memory.entry import Role
from noctuary.memory.sentences import language
from noctuary.resources import config_folder, shelf
from noctuary.tongue import phrase

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from noctuary.distil.openai.shown import Shown
    from noctuary.memory.candidate import Anchor
    from noctuary.memory.entry import Entry

_ANCHOR_CHARS = 300
LINE_TOKENS = 8
"""About what number, role and time of an entry cost."""


class Prompts:
    """Writes what a model is asked."""

    def __init__(
        self, key: bytes, private: re.Pattern[str] | None = None, own: Path | None = None
    ) -> None:
        """`key` makes fences; `own` is the folder of the person's templates."""
        self._key = key
        self._private = private
        self._own = own if own is not None else config_folder() / "templates"

    def system(self, kind: str, lang: str, anchor: Anchor | None = None) -> str:
        """What comes first: the same for all questions of this kind."""
        return self._render(f"prompts/{kind}.{lang}.md.j2", anchor=self._about(anchor))

    def data(self, lang: str, lines: Iterable[str]) -> str:
        """The data behind its fence."""
        sent = "\n".join(lines).encode("utf-8", "replace")
        fence = hmac.new(self._key, sent, hashlib.sha256).hexdigest()
        text = sent.decode()
        return self._render(f"prompts/data.{lang}.md.j2", fence=f"=={fence[:16]}==", lines=text)

    def show(self, entry: Entry, most: int) -> Shown:
        """An entry in at most so many tokens, without secrets and private terms."""
        return show(entry, most, self._private)

    def lines(self, shown: Sequence[Shown]) -> list[str]:
        """Entries as numbered lines under the day and session that they belong to."""
        lines: list[str] = []
        under = ""
        for number, item in enumerate(shown, 1):
            head = self._head(item.entry)
            if head != under:
                lines.append(head)
                under = head
            lines.append(f"[{number}] {self._who(item.entry)}: {_below(item.text)}")
        return lines

    def _head(self, entry: Entry) -> str:
        place = self.hidden(_inline(entry.project or entry.session or entry.agent))
        return f"# {entry.at:%Y-%m-%d} {place}".rstrip()

    def _who(self, entry: Entry) -> str:
        name = self.hidden(_inline(f"{entry.user} {entry.name}"))
        parts = (str(entry.role), name, str(entry.task or ""), f"{entry.at:%H:%M}")
        return " ".join(filter(None, parts))

    def hidden(self, text: str) -> str:
        """A text without secrets and private terms."""
        return hidden(text, self._private)

    def _about(self, anchor: Anchor | None) -> str:
        if anchor is None:
            return ""
        parts = (anchor.goal, anchor.profile, anchor.stage, anchor.preferences)
        said = (" ".join(part.split())[:_ANCHOR_CHARS] for part in parts)
        return "\n".join(f"- {self.hidden(part)}" for part in said if part)

    def _render(self, name: str, **values: str) -> str:
        from jinja2 import TemplateError

        try:
            return _environment(self._own).get_template(name).render(values).strip()
        except (TemplateError, NoctuaryError) as error:
            what = phrase(
                "the prompt {name} cannot be filled in ({error}); correct or remove it",
                name=name,
                error=error,
            )
            raise DistillerError(what) from error


_environment = cache(shelf)
"""Filled with the first prompt, and the same for all that follow."""


def language_of(entries: Sequence[Entry]) -> str:
    """`zh` or `en`: the language of most of what people said, by length."""
    counts = {"zh": 0, "en": 0}
    said = [entry for entry in entries if entry.role is Role.USER] or entries
    for entry in said:
        counts[language(entry.text[:2000])] += min(len(entry.text), 500)
    return "zh" if counts["zh"] > counts["en"] else "en"


def _below(text: str) -> str:
    """Further lines stand in, so that no text can begin an entry of its own."""
    return "\n  ".join(text.splitlines()) if len(text.splitlines()) > 1 else text


def _inline(text: str) -> str:
    return " ".join(text.split())[:40]
