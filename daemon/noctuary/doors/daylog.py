"""Where the daemon's log goes: stderr, and a rotating file in each vault it keeps."""

from __future__ import annotations

import json
import logging
import warnings
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from noctuary.service import LOG

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

BYTES = 1_000_000
FILES = 4


class _Plain(logging.Formatter):
    """Time, level where it is not plain, and the words; the vault is named on stderr alone."""

    def format(self, record: logging.LogRecord) -> str:
        level = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        return f"{_stamp(record)} {level}{record.getMessage()}"


class _Json(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": _stamp(record),
            "level": record.levelname.lower(),
            "vault": getattr(record, "vault", ""),
            "message": record.getMessage(),
        }
        return json.dumps(line, ensure_ascii=False)


def _stamp(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).astimezone().isoformat(timespec="seconds")


def begin(roots: Iterable[Path], *, as_json: bool, chatty: bool = False) -> None:
    """Log from now on; each vault's file, `.noctuary/log/daemon.log`, has that vault's lines."""
    logger = logging.getLogger(LOG)
    logger.setLevel(logging.DEBUG if chatty else logging.INFO)
    logger.propagate = False
    _hush_watchdog()
    formatter = _Json() if as_json else _Plain()
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    handlers += [_of_vault(root) for root in roots if (root / ".noctuary").is_dir()]
    for handler in handlers:
        handler.setFormatter(formatter)
        logger.addHandler(handler)


def _hush_watchdog() -> None:
    """What it says while threads stop is of no use to a person; what it loses, scans find.

    It also warns of a folder that is born while it registers folders, since it then registers it twice.
    """
    warnings.filterwarnings("ignore", module=r"watchdog\.")
    watchdog = logging.getLogger("watchdog")
    watchdog.addHandler(logging.NullHandler())
    watchdog.propagate = False


def _of_vault(root: Path) -> logging.Handler:
    folder = root / ".noctuary" / "log"
    folder.mkdir(mode=0o700, exist_ok=True)
    handler = RotatingFileHandler(
        folder / "daemon.log", maxBytes=BYTES, backupCount=FILES, encoding="utf-8", delay=True
    )
    handler.addFilter(lambda record: getattr(record, "vault", str(root)) == str(root))
    return handler


def end() -> None:
    """Close every file."""
    logger = logging.getLogger(LOG)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
