"""Sentences that teach: what was learnt, what went wrong and why, what a practice brought."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.distil.offline.changes import moved
from noctuary.distil.offline.forms import forms, listed, pattern
from noctuary.memory.facts import hard_facts

if TYPE_CHECKING:
    from noctuary.distil.offline.pieces import Piece

MIN_LESSON = 3
_ASKING = ("norm", "standing", "constraint", "chore")
_LEFT_OPEN = re.compile(r"\bshould(?:n['’]t| not)?(?:['’]ve| have| of)\W*$", re.IGNORECASE)
"""A regret that does not say what should have been done."""


def teaches(piece: Piece) -> bool:
    """It says outright what was learnt, begins like a lesson, or tells of one and asks for nothing."""
    if not (piece.rare or piece.facts or piece.names):
        return False  # `that did it` says nothing of what did
    if piece.has("correction") or _only_moves(piece) or _tells_who_did(piece):
        return False
    if piece.has("taught") or (piece.leads("lesson") and not piece.leads("norm", "chore")):
        return True
    spans = piece.cues.get("lesson", ())
    settles = piece.first("decision") < piece.first("lesson", "harm", "gain")
    if settles or (piece.has("decision") and piece.leads("reason")):
        return False
    told = _learns(piece) or any(
        not _LEFT_OPEN.search(piece.text[start : end + 2]) for start, end in spans
    )
    return told and piece.words >= MIN_LESSON and not piece.has(*_ASKING)


def _tells_who_did(piece: Piece) -> bool:
    """`Greta fixed the tests` tells of a deed; how she did it, or why they failed, would teach."""
    if piece.has("reason", "harm") or pattern("how-it-went").search(piece.text):
        return False
    return any(_is_somebody(hit["who"]) for hit in forms("somebody-did").find(piece.text))


def _is_somebody(who: str) -> bool:
    """Whether a word is a person: a pronoun, a name, or somebody's own."""
    low = who.lower()
    if low in listed("doer") | listed("self-or-other"):
        return True
    return who[0].isupper() and low not in listed("no-name") and not low.endswith("ing")


def _only_moves(piece: Piece) -> bool:
    """Whether it gives something another value, and tells of nothing that came of it."""
    if piece.has("taught", "problem", "cure", "gain", "practice"):
        return False
    return any(hard_facts(value) for _, _, value in moved(piece.text))


def _learns(piece: Piece) -> bool:
    """It tells of harm with what was left undone or the reason, or of a practice and its gain."""
    if piece.has("plan", "task"):
        return False
    hurt = piece.has("harm") and piece.has("neglect", "reason", "remedy")
    return hurt or (piece.has("gain") and piece.has("practice"))
