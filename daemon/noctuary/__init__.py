"""Keep what lasts, forget the noise: a Markdown memory for agents that works like sleep."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noctuary.api import Vault

__all__ = ["Vault"]


def __getattr__(name: str) -> object:
    """Public names, imported when they are first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from noctuary import api

    return getattr(api, name)
