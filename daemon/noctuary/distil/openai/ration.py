"""How much a day's thinking may cost, in tokens, by the tokens of the entries it absorbs."""

from __future__ import annotations

from dataclasses import dataclass

SHARE = 1.5
FLOOR = 1500
"""Even the shortest day may cost this much: a prompt is longer than a greeting."""


@dataclass(slots=True)
class Ration:
    """Tokens, in and out together, that one day may cost, and what it has cost by plan."""

    entries: int
    spent: int = 0

    @property
    def whole(self) -> int:
        """All of it."""
        return max(FLOOR, int(SHARE * self.entries))

    @property
    def left(self) -> int:
        """What is not planned for yet."""
        return max(0, self.whole - self.spent)

    def spend(self, tokens: int) -> None:
        """Plan for so many tokens."""
        self.spent += tokens
