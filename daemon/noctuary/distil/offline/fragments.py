"""Scraps without a verb, which only say something beside the sentence before them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.distil.offline.pieces import beside, together
from noctuary.distil.offline.score import event_signal, instruction_signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.pieces import Piece

LONGEST, LONGEST_ZH, FEW_WORDS = 70, 24, 5
_CJK = re.compile(r"[\u3400-\u9fff]")
_SENTENCE = re.compile(
    r"\b(?:i|you|we|they|he|she|it|this|that|these|those|there|who|what|which|where|when|how|"
    r"am|is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|"
    r"please|let|the|a|an|my|our|your|his|her|their|to|not|never|always)\b|n['’]t\b|['’](?:m|re|ve|ll|d|s)\b|"
    r"\b[a-z]{2,}(?:ed|ing)\b",
    re.IGNORECASE,
)
"""Words of which nearly every English sentence with a verb has one."""
_SENTENCE_ZH = re.compile(
    r"[我你您他她它咱这那谁是在有要会能去来买说做叫住让把被得了过着请别吗呢吧]"
)


def with_fragments(text: str, pieces: Sequence[Piece], place: int) -> Piece:
    """The piece at this place of a text, with the fragments that follow it."""
    last = place
    while last + 1 < len(pieces) and _is_fragment(pieces[last + 1]):
        if not beside(text, pieces[last], pieces[last + 1]):
            break
        last += 1
    return together(text, pieces[place], pieces[last]) if last > place else pieces[place]


def _is_fragment(piece: Piece) -> bool:
    """Values or a few words: `Timeout 5 seconds, 3 retries.`, `超时5秒，重试3次。`."""
    if piece.question or piece.kind != "prose" or piece.leads("greeting", "thanks", "talk"):
        return False
    if instruction_signal(piece) or event_signal(piece):
        return False
    if not piece.facts and (piece.words > FEW_WORDS or not piece.rare):
        return False
    if _CJK.search(piece.text):
        return len(piece.text) <= LONGEST_ZH and not _SENTENCE_ZH.search(piece.text)
    return len(piece.text) <= LONGEST and not _SENTENCE.search(piece.text)
