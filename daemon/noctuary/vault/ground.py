"""What a vault is to those who only ask it: its files, its clock, and what was recalled."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from noctuary.errors import VaultNotFound
from noctuary.tongue import phrase
from noctuary.vault.files import Disk, digest_of
from noctuary.vault.layout import CONFIG_FILE, Layout
from noctuary.vault.references import References
from noctuary.vault.state import identity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from noctuary.vault.files import Hook


@dataclass(frozen=True, slots=True)
class Ground:
    """One vault on disk, as far as asking goes.

    Attributes:
        clock: Local time of the vault's zone, without offset.
    """

    disk: Disk
    clock: Callable[[], datetime]

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.disk.root

    @property
    def layout(self) -> Layout:
        """The vault's paths."""
        return self.disk.layout

    @property
    def references(self) -> References:
        """The side log of what was recalled."""
        return References(self.disk)

    @property
    def vault_id(self) -> str:
        """The vault's own name, for caches outside it; one made from its place where it has none to read."""
        try:
            return identity(self.disk).id
        except OSError:
            return digest_of(str(self.root).encode("utf-8", "surrogateescape"))[:16]


def ground_at(
    root: Path, clock: Callable[[], datetime] | None = None, hook: Hook | None = None
) -> Ground:
    """The vault at `root`; it can be asked also where nothing may be written.

    Raises:
        VaultNotFound: There is no `noctuary.toml` in it.
    """
    root = root.expanduser().resolve()
    if not (root / CONFIG_FILE).is_file():
        raise VaultNotFound(
            phrase("{root} is no vault; make one with `noctuary init {root}`.", root=root)
        )
    disk = Disk(root, hook) if hook else Disk(root)
    with suppress(OSError):
        disk.make_folder(disk.layout.state, 0o700)
    return Ground(disk, clock or _local_now)


def _local_now() -> datetime:
    return datetime.now(tz=UTC).astimezone().replace(tzinfo=None)
