"""Scores entries 1 to 5 by what their sentences do, with the signals that gave the number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import clauses
from noctuary.distil.offline.cues import voiced
from noctuary.distil.offline.forms import pattern
from noctuary.distil.offline.limiting import lasts, limits, limits_a_thing
from noctuary.distil.offline.pieces import CONDITION
from noctuary.distil.offline.rules import for_the_moment, standing_rule
from noctuary.distil.offline.teaching import teaches
from noctuary.memory.candidate import Score
from noctuary.memory.entry import Priority, Role
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.distil.offline.cues import Span
    from noctuary.distil.offline.pieces import Cutter, Piece
    from noctuary.memory.candidate import Anchor
    from noctuary.memory.entry import Entry

Signal = tuple[str, float]

NOISE, SLIGHT, USEFUL, IMPORTANT, VITAL = 1, 2, 3, 4, 5


def steers(piece: Piece) -> bool:
    """Whether the words stand for themselves: no question, no supposition, nobody else's words."""
    return not piece.question and not piece.doubted and piece.kind in ("prose", "list")


def instruction_signal(piece: Piece) -> Signal | None:
    """What of an instruction, wish, limit or choice the piece is, if any."""
    if habits(piece):
        return ("wishes how to be served", VITAL if piece.has("standing") else IMPORTANT)
    if _rules_out(piece):
        return ("rules a way out", IMPORTANT)
    if not steers(piece):
        wishes = _wishes_before_asking(piece) or _asks_politely(piece)
        return _wish_signal(piece) if wishes else None
    if teaches(piece):
        return ("draws a lesson", VITAL if piece.has("standing") else IMPORTANT)
    rule = standing_rule(piece.text)
    if rule is not None and not rule.allows and not piece.has("standing"):
        return ("forbids something", VITAL)
    found = _wish_signal(piece) or _limit_signal(piece) or _decision_signal(piece)
    return ("allows something", IMPORTANT) if found is None and rule is not None else found


def _wishes_before_asking(piece: Piece) -> bool:
    """A wish in the told part of a sentence that ends with a request for help."""
    if piece.doubted or not piece.tail or piece.kind not in ("prose", "list"):
        return False
    spans = [span for kind in ("standing", "preference") for span in piece.cues.get(kind, ())]
    return any(start < piece.tail for start, _ in spans)


def _asks_politely(piece: Piece) -> bool:
    """`Could you always …?` asks for something that is to hold from now on."""
    polite = piece.has("polite") and piece.kind in ("prose", "list") and not piece.doubted
    return polite and (piece.has("standing") or (piece.has("norm") and not piece.has("moment")))


def _rules_out(piece: Piece) -> bool:
    """A way of doing it that is not wanted, also inside a request for help."""
    own = piece.kind in ("prose", "list") and not (piece.doubted or piece.has("standing", "done"))
    return piece.has("means") and own and _tells(piece)


def _wish_signal(piece: Piece) -> Signal | None:
    ruled_at = piece.first("standing", "norm")
    if piece.first("decision") < piece.first("reason") < ruled_at < len(piece.text):
        return None
    if limits_a_thing(piece) and limits(piece):
        return None
    if lasts(piece, "standing"):
        return ("gives a standing instruction", VITAL)
    ruled = _holds_on(piece) and piece.words >= MIN_RULE
    if ruled and not piece.has("done") and not piece.leads("retraction"):
        return ("says how things are done", IMPORTANT)
    likes = piece.has("preference") and not piece.has("constraint")
    if likes and not piece.leads("request") and _tells(piece):
        return ("states a preference", IMPORTANT)
    return None


def _holds_on(piece: Piece) -> bool:
    """Says how things are done, not `for now`, in a clause that does not speak of this moment."""
    moments = piece.cues.get("moment", ())
    if moments and pattern("for-now").search(piece.text):
        return False
    parts = [(part.start, part.end) for part in clauses(piece.text)]
    passing = [part for part in parts if any(part[0] <= at < part[1] for at, _ in moments)]
    to_do = [at for at, _ in piece.cues.get("chore", ())]
    seen_to = max((end for start, end in parts if any(start <= at for at in to_do)), default=0)
    return any(
        not for_the_moment(piece.text, start) and not any(a < end and start < b for a, b in passing)
        for start, end in piece.cues.get("norm", ())
        if start >= seen_to
    )


def _limit_signal(piece: Piece) -> Signal | None:
    return ("states a constraint", VITAL) if limits(piece) else None


def _decision_signal(piece: Piece) -> Signal | None:
    mended = piece.has("cure") and (piece.has("problem") or piece.leads("done"))
    if not piece.has("decision") or mended:
        return None
    if piece.first("chore") < piece.first("decision") or pattern("undecided").search(piece.text):
        return None
    if all(_inside(span, piece.cues.get("task", ())) for span in piece.cues["decision"]):
        return None
    if piece.words >= MIN_DECISION and (_tells(piece) or _names_it(piece)):
        return ("reports a decision", IMPORTANT)
    return None


def _inside(span: Span, others: Iterable[Span]) -> bool:
    """Whether it is a part of a longer one: of `得去拍` what sounds settled is still to be done."""
    return any(start < span[0] and span[1] <= end for start, end in others)


def _tells(piece: Piece) -> bool:
    """Enough to be understood alone: `I think I'll go with that` is not."""
    return piece.rare >= MIN_RARE or bool(piece.facts or piece.names)


def _names_it(piece: Piece) -> bool:
    """One word may tell enough where no pronoun points to what was said before: `SQLite it is`."""
    return bool(piece.rare) and not pattern("points").search(piece.text)


def habits(piece: Piece) -> frozenset[str]:
    """The recurring wishes that a sentence of a person voices, by name."""
    if piece.doubted or piece.kind not in ("prose", "list") or CONDITION.match(piece.text):
        return frozenset()
    return voiced(piece.text, piece.cues)


MIN_RARE = 2
MIN_DECISION = 3
MIN_RULE = 2


_CAPTION = re.compile(r"[\[［【(（].{12,}[\]］】)）]$")
_ATTRIBUTE = re.compile(
    r"的[^，。]{1,12}(?:是|为|叫|在|有)|^[^，。]{2,12}(?:是|叫|姓|属于|位于)[^，。]{2,}|^(?:The|My|Our|His|Her|Their|[A-Z]\w+) [^,]{0,60}\b(?:is|are|was|were|"
    r"costs?|has|lives|works) (?!that |great|good|nice|so |really|very)"
)


def event_signal(piece: Piece) -> Signal | None:
    """Lessons, tasks and withdrawals."""
    if not steers(piece):
        asked = piece.has("polite") and piece.has("chore") and not piece.doubted
        return ("names something to be done", IMPORTANT) if asked else None
    if piece.leads("retraction"):
        return ("takes something back", IMPORTANT)
    if piece.has("correction") and _tells(piece):
        return ("puts something right", IMPORTANT)
    if piece.has("task", "chore") and not _needs_no_doing(piece):
        return ("names something to be done", IMPORTANT)
    if piece.has("problem") and piece.has("cure") and not _DENIES.match(piece.text):
        return ("reports an error and its cure", IMPORTANT)
    return None


def _needs_no_doing(piece: Piece) -> bool:
    """Whether it is called off, done, or the condition on which something may be done."""
    done = piece.has("halt") or _IS_DONE.search(piece.text) is not None
    return done or pattern("allowed-if").search(piece.text) is not None


_IS_DONE = re.compile(
    r"\b(?:is|are|was|were|been|got|marked(?: as)?|to-?do:?)\s+(?:now |all |already )?"
    r"(?:done|finished|completed|closed|shipped|handled)\b|"
    r"(?:已经?|都|全)(?:完成|搞定|做完|办完|弄好|办好|处理好)了?[。！!]?$",
    re.IGNORECASE,
)
"""A thing to do of which the same words say that it is done."""
_DENIES = re.compile(r"(?:i|we)(?:'ve| have) never\b|我(?:们)?从来?没", re.IGNORECASE)


def fact_signal(piece: Piece) -> Signal:
    """What a sentence is worth that neither steers nor reports an outcome."""
    if piece.kind == "code":
        return ("shows code", SLIGHT)
    if piece.question:
        told = piece.facts and not _ASKS_ONLY.match(piece.text)
        return ("asks, and names facts", SLIGHT) if told else ("asks", NOISE)
    if piece.facts:
        return ("names hard facts", USEFUL)
    denies = piece.has("never") and piece.has("personal")
    if (piece.leads("aside") and not denies) or (piece.has("talk") and not piece.names):
        return ("is talk about the talk", NOISE)
    return _telling_signal(piece) or claim_signal(piece)


_ASKS_ONLY = re.compile(
    r"(?:(?:what|which|who|why|where|when)(?:['’]s| is| are| was| were| does| do| did| would| will)|how (?:many|much|far|tall|long|old)|"
    r"who (?:wrote|invented|won|made))\b(?!.*\b(?:my|our|i|i'm|i've|we)\b)",
    re.IGNORECASE,
)
"""A question about the world alone, which tells nothing of the one who asks."""


def _telling_signal(piece: Piece) -> Signal | None:
    """A sentence without hard facts that tells of people and things."""
    if _CAPTION.match(piece.text):
        return ("shows a picture", USEFUL)
    told = piece.has("event", "plan", "feeling", "never", "change")
    if piece.has("personal") and (told or piece.names):
        return ("tells a personal fact", USEFUL)
    if piece.leads("greeting", "thanks", "filler"):
        return ("is talk", NOISE)
    if piece.names and piece.words > MIN_CLAIM:
        return ("names people or things", USEFUL)
    return ("states an attribute", USEFUL) if _ATTRIBUTE.search(piece.text) else None


MIN_CLAIM = 3
YOU = ("you", "your", "you're", "you'd", "you've", "你", "您")


def claim_signal(piece: Piece) -> Signal:
    """A plain sentence: worth a line when it says something of its own."""
    about_other = piece.text.lower().startswith(YOU) and not piece.has("personal")
    thanks = piece.has("thanks") and piece.rare <= MIN_RARE
    if piece.words < MIN_CLAIM or about_other or thanks or piece.kind == "heading":
        return ("is talk", NOISE)
    return ("says something", SLIGHT)


def piece_signal(piece: Piece) -> Signal:
    """The strongest thing that a sentence of a person does."""
    return instruction_signal(piece) or event_signal(piece) or fact_signal(piece)


def outcome_signal(piece: Piece) -> Signal:
    """What a sentence of an assistant or tool is worth: outcomes only."""
    if piece.question or piece.kind == "code" or not steers(piece):
        return ("explains", NOISE)
    if piece.has("problem") and piece.has("cure"):
        return ("reports an error and its cure", USEFUL)
    if piece.leads("outcome") or (piece.has("outcome") and piece.facts):
        return ("reports an outcome", SLIGHT)
    return ("explains", NOISE)


TAUGHT = Score(IMPORTANT, (("says what cured a failure", 4.0),))
ECHOED = Score(NOISE, (("says back what was said", 1.0),))
CURED = Score(NOISE, (("shows a failure that was cured", 1.0),))


class Scorer:
    """Scores against an anchor: the person's goal and stage lift what concerns them."""

    def __init__(
        self, cutter: Cutter, anchor: Anchor, people: frozenset[str] = frozenset()
    ) -> None:
        self._cutter = cutter
        self._goal = frozenset(content_tokens(f"{anchor.goal} {anchor.stage}"))
        self._people = people

    def score(self, entry: Entry) -> Score:
        """The score of one entry, its priority mark having the last word."""
        signals = self._signals(entry)
        value = int(max((weight for _, weight in signals), default=NOISE))
        if value == SLIGHT and self._concerns_goal(entry.text):
            signals, value = [*signals, ("concerns the goal", 1.0)], USEFUL
        return _with_priority(entry, value, signals)

    def _signals(self, entry: Entry) -> list[Signal]:
        if entry.role is Role.TASK:
            return [("opens or closes a task", IMPORTANT)]
        if entry.role is Role.ASSISTANT and len(entry.text) > MAX_REPORT_CHARS:
            return [("explains", NOISE)]
        if entry.role not in (Role.USER, Role.ASSISTANT):
            return self._tool_signals(entry.text)
        pieces = self._cutter.pieces(entry.text, entry.user)
        if entry.role is Role.USER:
            found = [piece_signal(piece) for piece in pieces]
            if _repeats_itself(entry.text):
                found = [(what, weight) for what, weight in found if weight >= USEFUL]
                found.append(("says the same over and over", NOISE))
            if entry.session in self._people:
                found = [(what, min(weight, USEFUL)) for what, weight in found]
        else:
            found = _short_outcomes(pieces)
        return sorted(dict.fromkeys(found), key=lambda signal: -signal[1])[:4]

    def resolved(self, entries: Sequence[Entry]) -> frozenset[str]:
        """Outputs that report a failure which the same session cured afterwards, by entry id."""
        cured: set[str] = set()
        found = set()
        for entry in reversed(entries):
            failed = entry.role is Role.TOOL and self._cutter.failed(entry.text)
            if failed and entry.session in cured:
                found.add(entry.id)
            elif entry.session not in cured and not failed and self._succeeds(entry):
                cured.add(entry.session)
        return frozenset(found)

    def _succeeds(self, entry: Entry) -> bool:
        if entry.role is Role.ASSISTANT:
            return any(value > NOISE for _, value in self._signals(entry))
        return entry.role is Role.TOOL

    def _tool_signals(self, text: str) -> list[Signal]:
        failed = self._cutter.failed(text)
        return [("shows a failure", SLIGHT)] if failed else [("is output", NOISE)]

    def _concerns_goal(self, text: str) -> bool:
        return len(self._goal.intersection(content_tokens(text[:2000]))) >= 2


MAX_REPORT_PIECES, MAX_REPORT_CHARS = 12, 1500
"""A longer answer of an assistant is an explanation, whatever words it uses."""


def _short_outcomes(pieces: Sequence[Piece]) -> list[Signal]:
    if len(pieces) > MAX_REPORT_PIECES:
        return [("explains", NOISE)]
    return [outcome_signal(piece) for piece in pieces]


LONG, POOR = 4000, 0.2


def _repeats_itself(text: str) -> bool:
    """A long text with hardly any new words: a stuck key, a runaway list, a loop."""
    words = text[: 2 * LONG].lower().split()
    return len(text) > LONG and len(words) > LONG // 20 and len(set(words)) / len(words) < POOR


def _with_priority(entry: Entry, value: int, signals: list[Signal]) -> Score:
    if entry.priority is Priority.HIGH and value < IMPORTANT:
        return Score(IMPORTANT, (("was marked high", 4.0), *signals))
    if entry.priority is Priority.LOW and value > SLIGHT:
        return Score(SLIGHT, (("was marked low", 2.0), *signals))
    return Score(value, tuple(signals), sure=value in (NOISE, VITAL) or len(signals) == 1)


def between_people(entries: Sequence[Entry]) -> frozenset[str]:
    """Sessions in which two or more people talk to each other, without an assistant."""
    speakers: dict[str, set[str]] = {}
    for entry in entries:
        who = entry.user if entry.role is Role.USER else f"\0{entry.role}"
        speakers.setdefault(entry.session, set()).add(who)
    return frozenset(
        session
        for session, who in speakers.items()
        if len({name for name in who if name[:1] != "\0"}) > 1 and "\0assistant" not in who
    )
