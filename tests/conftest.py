"""What holds for every test: folders of its own, and no deadline that a busy machine could miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

settings.register_profile("noctuary", deadline=None)
settings.load_profile("noctuary")


@pytest.fixture(autouse=True, scope="session")
def _folders_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Caches, settings and state of the person who runs the tests stay out of reach."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CACHE", "CONFIG", "STATE"):
            patch.setenv(f"NOCTUARY_{name}", str(home / name.lower()))
        patch.delenv("NOCTUARY_VAULT", raising=False)
        yield home
