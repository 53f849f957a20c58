"""Cards that a person threw away, remembered as salted hashes: the same is not learnt again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noctuary.memory.card import Card

_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Rejected:
    """Answers whether a person threw this away before."""

    marks: frozenset[str] = frozenset()
    salt: str = ""

    def card(self, card: Card) -> bool:
        """True for a card that says the same as a rejected one."""
        if not self.marks:
            return False
        quotes = [receipt.quote for receipt in card.evidence]
        said = bool(card.statement) and self.text(card.statement)
        return said or (bool(quotes) and all(self.text(quote) for quote in quotes))

    def text(self, text: str) -> bool:
        """True for a statement, or a line of a digest, that stood on a rejected card."""
        return bool(self.marks) and mark_of(text, self.salt) in self.marks


def mark_of(text: str, salt: str) -> str:
    """Salted hash of a text, blind to white space and case."""
    plain = " ".join(text.split()).casefold()
    return hashlib.sha256(f"{salt}\n{plain}".encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def card_marks(card: Card, salt: str) -> tuple[str, ...]:
    """What a card says: its statement and its quotes, each as a mark."""
    texts = [card.statement] if card.statement else []
    texts += [receipt.quote for receipt in (*card.evidence, *card.replaced)]
    return tuple(dict.fromkeys(mark_of(text, salt) for text in texts))
