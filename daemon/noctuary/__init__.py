"""Keep what lasts, forget the noise: a Markdown memory for agents that works like sleep."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noctuary.api import Vault
    from noctuary.day.compacting import compact
    from noctuary.day.tracking import SessionTracker

__all__ = ["SessionTracker", "Vault", "compact"]

_HOMES = {"SessionTracker": "day.tracking", "Vault": "api", "compact": "day.compacting"}


def __getattr__(name: str) -> object:
    """Public names, imported when they are first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"noctuary.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Public names too, for completion in a shell."""
    return sorted({*globals(), *__all__})
