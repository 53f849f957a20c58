"""One small question to a server, to see that it answers and how it wants to be asked."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.distil.offline import OfflineDistiller
from noctuary.distil.openai.distiller import distiller_of
from noctuary.errors import DistillerError
from noctuary.memory.candidate import Anchor, Score, Scored
from noctuary.memory.entry import Entry, Role, entry_id
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.profiles import Profile

_SAID = "The budget for the garden shed is 1,250 euros, and it must be painted green."


@dataclass(frozen=True, slots=True)
class Trial:
    """What the server did with the question."""

    model: str
    format: str
    tokens: int


def trial(profile: Profile) -> Trial:
    """Have one made-up sentence distilled; counts against the caps like any question.

    Raises:
        DistillerError: The server does not answer as it should; says what is wrong.
    """
    at = datetime(2026, 1, 2, 9, 0)
    entry = Entry(entry_id(Role.USER, at, _SAID), Role.USER, at, _SAID, episode="trial")
    strict = replace(profile, fallback="wait", tries=min(profile.tries, 2))
    with tempfile.TemporaryDirectory() as folder:
        distiller = distiller_of(strict, OfflineDistiller(), Path(folder) / "cache")
        try:
            found = distiller.distil([Scored(entry, Score(5))], Anchor())
        finally:
            distiller.close()
        if not any(quote.text in entry.text for item in found for quote in item.quotes):
            raise DistillerError(
                phrase(
                    "{host} answers, but {model} quotes nothing of what it is shown; "
                    "take a larger model",
                    host=profile.host,
                    model=distiller.model,
                )
            )
        used = distiller.usage
        return Trial(distiller.model, distiller.format, used.tokens_in + used.tokens_out)
