"""The Chinese of every sentence, by its English template: one module per part of the house."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS = (
    "words",
    "vault",
    "dreams",
    "doors",
    "care",
    "ground",
    "intake",
    "models",
    "helps",
    "setup",
)
"""In the order in which they are looked through; each is loaded when those before it fail."""


def in_chinese(template: str) -> str:
    """The Chinese template; the given one where there is none."""
    return next((said for part in PARTS if (said := sentences(part).get(template))), template)


def sentences(part: str) -> Mapping[str, str]:
    """All sentences of one part."""
    told: Mapping[str, str] = import_module(f"{__name__}.{part}").SENTENCES
    return told
