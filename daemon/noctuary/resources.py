"""Finds the files that come with the program, and a person's own versions of them."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.errors import NoctuaryError
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from tempfile import TemporaryDirectory

    from jinja2 import Environment

    from noctuary.tongue import Language

WRITABLE_BY_ALL = 0o002


def templates() -> Traversable:
    """The folder of templates, in an installed package or in a checkout.

    Raises:
        NoctuaryError: It is missing: the installation is damaged.
    """
    from importlib.resources import files

    packaged = files("noctuary") / "templates"
    if packaged.is_dir():
        return packaged
    root = Path(__file__).resolve().parents[2]
    if (root / "pyproject.toml").is_file() and (root / "templates").is_dir():
        return root / "templates"
    raise NoctuaryError(phrase("The templates of noctuary are missing; install it again."))


def config_folder() -> Path:
    """The person's own folder for settings, which need not exist; `$NOCTUARY_CONFIG` moves it."""
    if chosen := os.environ.get("NOCTUARY_CONFIG"):
        return Path(chosen)
    from platformdirs import user_config_path

    return user_config_path("noctuary", appauthor=False)


def state_folder() -> Path:
    """The person's own folder for what must last, such as spending; `$NOCTUARY_STATE` moves it."""
    if chosen := os.environ.get("NOCTUARY_STATE"):
        return Path(chosen)
    from platformdirs import user_state_path

    return user_state_path("noctuary", appauthor=False)


def person_language() -> Language:
    """The language in which a person is spoken to: `$NOCTUARY_LANG`, else that of their locale."""
    names = (
        os.environ.get(name, "") for name in ("NOCTUARY_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    )
    first = next((name for name in names if name), "") or _language_of_menus()
    return "zh" if first.lower().startswith("zh") else "en"


def _language_of_menus() -> str:
    """On Windows, which names no locale to programs by a variable, the language of its own menus."""
    if sys.platform == "win32":
        import ctypes

        primary = ctypes.windll.kernel32.GetUserDefaultUILanguage() & _PRIMARY
        return "zh" if primary == _CHINESE else ""
    return ""


_PRIMARY, _CHINESE = 0x3FF, 0x04
"""The part of a language identifier of Windows that names the language, and what it is for Chinese."""


def cache_folder(vault_id: str) -> Path:
    """Where what can be rebuilt for a vault lies: under `$NOCTUARY_CACHE`, else in the user's cache folder.

    Where neither may be written to, a folder that lasts as long as this process.
    """
    folder = lasting_cache(vault_id)
    return folder if may_be_made(folder) else Path(_fleeting_cache().name) / vault_id


def lasting_cache(vault_id: str) -> Path:
    """The cache folder of a vault, whether or not it may be written to."""
    chosen = os.environ.get("NOCTUARY_CACHE")
    if chosen:
        return Path(chosen) / vault_id
    from platformdirs import user_cache_path

    return user_cache_path("noctuary", appauthor=False) / vault_id


def may_be_made(folder: Path) -> bool:
    """Whether this process may write in a folder, or make it where it is not there yet."""
    looked = (folder, *folder.parents)
    there = next(path for path in looked if os.path.exists(path))  # noqa: PTH110 - `exists` raises
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


@cache
def _fleeting_cache() -> TemporaryDirectory[str]:
    from tempfile import TemporaryDirectory

    return TemporaryDirectory(prefix="noctuary-")


def template(name: str, own: Path | None = None) -> str:
    """Text of a template by its path below `templates/`; one of the same path in `own` goes first.

    Raises:
        NoctuaryError: There is none, or anybody on this machine could have written it.
    """
    mine = own / name if own is not None else None
    if mine is not None and mine.is_file():
        return trusted_text(mine)
    shipped = templates().joinpath(*name.split("/"))
    if not shipped.is_file():
        raise NoctuaryError(
            phrase("There is no template {name}; install noctuary again.", name=name)
        )
    return shipped.read_text(encoding="utf-8")


def shelf(own: Path | None = None) -> Environment:
    """All templates in a sandbox that cannot call out, the person's own in `own` first.

    By default `own` is the folder of the person's settings. A name that a template does not get
    is an error, never an empty place.
    """
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    mine = own if own is not None else config_folder() / "templates"
    return ImmutableSandboxedEnvironment(
        loader=FunctionLoader(lambda name: template(name, mine)),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        newline_sequence="\n",
        keep_trailing_newline=True,
    )


def trusted_text(path: Path) -> str:
    """Text of a file of the person's own.

    Raises:
        NoctuaryError: Anybody on this machine could have written it.
    """
    if path.stat().st_mode & WRITABLE_BY_ALL:
        raise NoctuaryError(
            phrase("Anybody may change {path}; run `chmod o-w` on it first.", path=path)
        )
    return path.read_text(encoding="utf-8")
