"""What holds for every test: folders of its own, and no deadline that a busy machine could miss.

Examples are drawn anew at each run, and are the same ones in CI, so that a change is not held up
by what it did not touch.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

settings.register_profile("noctuary", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("noctuary")


@pytest.fixture(autouse=True, scope="session")
def _folders_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Caches, settings, state and language of the person who runs the tests stay out of reach."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CACHE", "CONFIG", "STATE"):
            patch.setenv(f"NOCTUARY_{name}", str(home / name.lower()))
        patch.delenv("NOCTUARY_VAULT", raising=False)
        patch.setenv("NOCTUARY_LANG", "en")
        yield home
