"""The Chinese of every sentence, by its English template."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from noctuary.tongue.chinese.dreams import DREAMS
from noctuary.tongue.chinese.vault import VAULT
from noctuary.tongue.chinese.words import WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

CHINESE: Mapping[str, str] = MappingProxyType({**WORDS, **VAULT, **DREAMS})
