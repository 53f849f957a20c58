"""Compaction: when a window is nearly full, its older messages become one summary."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from noctuary.config import ContextSettings
from noctuary.intake.text import label
from noctuary.memory.facts import fact_keys
from noctuary.memory.tokens import content_tokens, estimate
from noctuary.window.cutting import cut
from noctuary.window.heard import heard
from noctuary.window.ledger import ASKED, MOST_ASKED, wanted_facts, with_exact
from noctuary.window.messages import cost, plain, text_of, total
from noctuary.window.statements import statements
from noctuary.window.summary import Summary, read, to_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from noctuary.distil.protocol import Distiller
    from noctuary.window.heard import Heard
    from noctuary.window.messages import Message
    from noctuary.window.statements import Book

SUMMARY_SHARE = 0.25
"""Share of the tokens at the threshold that a summary may take."""
STATED_SHARE = 0.6
"""Share of the summary that statements may take."""
FRAME = 150
"""Tokens that the frame of a summary and the names of its fields take besides."""
LEAST_ROOM = 400
"""Tokens that a summary may take in the smallest window."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """What became of a list of messages.

    Attributes:
        messages: What to go on with; the very list that was given where nothing was dropped.
        dropped: The messages that the summary stands for, as they were.
        session: Name of the conversation.
        before: Tokens that the given messages take, by estimate.
        after: Tokens that `messages` take.
        facts_kept: Hard facts of the dropped messages that the summary holds.
        facts_lost: Those that it does not hold, as they were written.
        logged: How many of the dropped messages were written to a vault.
        problem: What went wrong without stopping it; empty if nothing did.
    """

    messages: list[Any]
    dropped: tuple[Message, ...] = ()
    session: str = ""
    before: int = 0
    after: int = 0
    facts_kept: int = 0
    facts_lost: tuple[str, ...] = ()
    logged: int = 0
    problem: str = ""

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary compact --json` prints."""
        return {
            "messages": [dict(plain(message)) for message in self.messages],
            "dropped": len(self.dropped),
            "session": self.session,
            "tokens": {"before": self.before, "after": self.after},
            "facts": {"kept": self.facts_kept, "lost": len(self.facts_lost)},
            "logged": self.logged,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True)
class Request:
    """How to compact.

    Attributes:
        window: Tokens that the model takes.
        at: Now; what relative dates are resolved against.
        session: Name of the conversation; by default made from its first words.
        used: Tokens in use as the server counted them, where that is known; else an estimate.
        always: Compact whatever the size.
    """

    window: int
    at: datetime
    session: str = ""
    used: int = 0
    always: bool = False
    settings: ContextSettings = field(default_factory=ContextSettings)

    @property
    def limit(self) -> int:
        """Tokens from which it is time to compact."""
        return int(self.window * self.settings.trigger_threshold)

    @property
    def room(self) -> int:
        """Tokens that the summary may take."""
        return max(LEAST_ROOM, int(self.limit * SUMMARY_SHARE))


def compacted(
    messages: Sequence[Any], distiller: Distiller, request: Request, rules: Distiller | None = None
) -> Compacted:
    """The messages with a summary in the place of the older ones, where it is time for that.

    Kept messages are the very objects that were given. Where the distiller is a model, `rules`
    add what it missed.

    Raises:
        BadInput: A message is none.
    """
    read_as = [plain(message) for message in messages]
    before = total(read_as)
    unchanged = Compacted(list(messages), before=before, after=before)
    used = max(request.used, before)
    if used < request.limit and not request.always:
        return unchanged
    limit = request.limit * before // max(1, used)
    keep = request.settings.keep_last_n_turns
    found = cut(read_as, keep, limit, request.room + FRAME)
    if found is None:
        return unchanged
    earlier = [told for at in found.earlier if (told := read(read_as[at]))]
    dropped = tuple(read_as[at] for at in found.dropped)
    name = request.session or _session(earlier, read_as)
    summary, items = _summarised(dropped, earlier, name, (distiller, rules or distiller), request)
    written = to_message(summary, request.settings.summary_categories)
    kept = [messages[at] for at in (*found.standing, *found.kept)]
    split = len(found.standing)
    wanted = wanted_facts(items)
    lost = _lost(wanted, summary.text)
    after = cost(written) + total(map(plain, kept))
    if after >= before and not request.always:
        return unchanged
    return Compacted(
        [*kept[:split], written, *kept[split:]],
        dropped,
        name,
        before,
        after,
        len(wanted) - len(lost),
        lost,
    )


def _session(earlier: Sequence[Summary], messages: Sequence[Message]) -> str:
    """The name that an earlier summary carries, else one made from the first words."""
    for summary in earlier:
        if summary.session:
            return summary.session
    first = next((text_of(item) for item in messages if item["role"] == "user"), "")
    return "chat-" + hashlib.sha256(first.encode("utf-8", "replace")).hexdigest()[:8]


def _summarised(
    dropped: Sequence[Message],
    earlier: Sequence[Summary],
    name: str,
    thinkers: tuple[Distiller, Distiller],
    request: Request,
) -> tuple[Summary, list[Heard]]:
    items = heard(dropped, request.at)
    old = joined(earlier)
    entries, (distiller, rules) = [item.entry for item in items], thinkers
    book = statements(entries, distiller, old.told, old.void, request.at, rules)
    told = {kind: tuple(book.told.get(kind, ())) for kind in request.settings.summary_categories}
    told, void = bounded(told, book.void, int(request.room * STATED_SHARE))
    summary = replace(
        old,
        session=label(name).translate(_NO_MARKUP),
        count=old.count + len(dropped),
        told=told,
        void=void,
        asked=_asked((*old.asked, *_requests(items, book))),
    )
    return with_exact(summary, items, request.room), items


def bounded(
    told: Mapping[str, Sequence[str]], void: Sequence[str], tokens: int
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Statements within `tokens`; what is void goes first, limits and wishes last, oldest first."""
    kept: dict[str, tuple[str, ...]] = {}
    for name in reversed(_GO_FIRST):
        texts = void if name == "" else told.get(name, ())
        fitting: list[str] = []
        for text in reversed(texts):
            tokens -= estimate(text) + 2
            if tokens < 0:
                break
            fitting.append(text)
        kept[name] = tuple(reversed(fitting))
    gone = kept.pop("")
    return {name: kept[name] for name in told if name in kept}, gone


_GO_FIRST = ("", "decisions_made", "tasks_pending", "user_preferences", "constraints_active")
_NO_MARKUP = str.maketrans("", "", '<>"')


def joined(summaries: Sequence[Summary]) -> Summary:
    """Several summaries as one, each thing once."""
    if len(summaries) == 1:
        return summaries[0]
    return Summary(
        count=sum(one.count for one in summaries),
        told=_merged(one.told for one in summaries),
        asked=_once(text for one in summaries for text in one.asked),
        void=_once(text for one in summaries for text in one.void),
        lines=_once(text for one in summaries for text in one.lines),
        commands=_once(text for one in summaries for text in one.commands),
        facts=_merged(one.facts for one in summaries),
    )


def _merged(tables: Iterable[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for name, texts in table.items():
            found[name] = _once((*found.get(name, ()), *texts))
    return found


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _requests(items: Sequence[Heard], book: Book) -> list[str]:
    """The first line of what the person asked for, shortened; not what stands elsewhere."""
    stated = "\n".join((*(text for _, text in book.holds()), *book.void))
    found = []
    for item in items:
        line = item.entry.text.strip().split("\n", 1)[0]
        nod = item.entry.id in book.noise and len(content_tokens(line)) < LEAST_ASKED
        if item.entry.role == "user" and line and not nod and line not in stated:
            found.append(line if len(line) <= ASKED else line[: ASKED - 1].rstrip() + "…")
    return found


LEAST_ASKED = 4
"""Words that say something, below which what a distiller calls noise is a nod."""


def _asked(lines: Sequence[str]) -> tuple[str, ...]:
    """The first request, and the latest as far as they fit."""
    kept: list[str] = []
    room = MOST_ASKED - len(lines[0]) if lines else 0
    for line in reversed(lines[1:]):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return _once([*lines[:1], *reversed(kept)])


def _lost(wanted: Iterable[Any], text: str) -> tuple[str, ...]:
    known = fact_keys(text)
    return tuple(fact.text for fact in wanted if fact.key not in known and fact.text not in text)
