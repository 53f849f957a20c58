"""A vault that is open: asked at once, and written to through a store that is made when needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noctuary.config import Settings
    from noctuary.errors import Problem
    from noctuary.vault.ground import Ground
    from noctuary.vault.store import Store


class Opened:
    """What everything that can be done with a vault starts from.

    Attributes:
        settings: What stands in `noctuary.toml`.
        problems: What is wrong in there; defaults stand in for it.
    """

    def __init__(
        self, ground: Ground, settings: Settings, problems: tuple[Problem, ...] = ()
    ) -> None:
        self._ground = ground
        self.settings = settings
        self.problems = problems

    @cached_property
    def _store(self) -> Store:
        from noctuary.vault.store import Store

        return Store.on(
            self._ground,
            history=self.settings.history,
            graveyard_days=self.settings.retention.graveyard_days,
        )
