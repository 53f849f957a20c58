"""Vaults of a test's own, days written into them, and what can be counted afterwards."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from noctuary.api import Vault
from noctuary.memory import document
from noctuary.memory.cardtext import parse_card

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from noctuary.memory.card import Card, Status

EVENING = datetime(2026, 11, 30, 9, 0, 0)
NIGHT = datetime(2026, 12, 1, 3, 12, 0)
LINK = re.compile(r"\[\[([^\]|#]+)")


class Clock:
    def __init__(self, now: datetime = NIGHT) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def next(self, days: float = 1) -> datetime:
        self.now += timedelta(days=days)
        return self.now


def new_vault(root: Path, clock: Clock, *, git: bool = False, **settings: object) -> Vault:
    """A fresh vault; settings are keys of `noctuary.toml` with their new values."""
    Vault.create(root, timezone="Asia/Shanghai", language="en", git=git)
    config = root / "noctuary.toml"
    text = config.read_text("utf-8")
    for key, value in {"git": git, **settings}.items():
        text, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {json.dumps(value)}", text)
        assert count == 1, key
    config.write_text(text, "utf-8")
    return Vault.open(root, clock=clock)


def say(
    vault: Vault,
    *texts: str,
    at: datetime = EVENING,
    step: timedelta = timedelta(minutes=1),
    session: str = "a1b2c3",
    **more: str,
) -> None:
    """Log what the person says, one turn a step."""
    for number, text in enumerate(texts):
        vault.log(text, at=at + number * step, session=session, **more)  # type: ignore[arg-type]


def take_in(vault: Vault, rows: Iterable[dict[str, object]], name: str = "in.jsonl") -> int:
    """Import rows of `{"ts", "role", "text", …}` at once; how many were new."""
    file = vault.path.parent / name
    lines = (json.dumps(row, ensure_ascii=True) for row in rows)
    file.write_text("\n".join(lines) + "\n", "utf-8")
    done = vault.import_("jsonl", [file])
    assert done.problems == []
    assert done.unusable == []
    return done.imported


def row(text: str, at: datetime, session: str = "a1b2c3", **more: object) -> dict[str, object]:
    return {"ts": at.isoformat(), "role": "user", "text": text, "session": session, **more}


def files(root: Path, *folders: str) -> dict[str, bytes]:
    """Every file of the vault but machine state; with folders only what lies in them."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and _counts(path.relative_to(root).parts, folders)
    }


def _counts(parts: tuple[str, ...], folders: tuple[str, ...]) -> bool:
    return not {".git", ".noctuary"} & set(parts) and (not folders or parts[0] in folders)


def cards(vault: Vault, *folders: str) -> dict[str, Card]:
    """Cards by note name, in use and in the inbox (or of the folders given)."""
    found = {}
    for folder in folders or ("cards", "inbox"):
        for path in sorted((vault.path / folder).rglob("*.md")):
            found[path.stem] = parse_card(path.read_text("utf-8"), path.stem)
    return found


def with_status(vault: Vault, status: Status) -> list[Card]:
    return [card for card in cards(vault, "cards", "inbox", "archive").values()
            if card.status is status]  # fmt: skip


def quotes(vault: Vault, *folders: str) -> str:
    """All that cards hold, in one text."""
    held = cards(vault, *(folders or ("cards", "inbox", "archive"))).values()
    return "\n".join(
        text
        for card in held
        for text in (card.statement, *(r.quote for r in (*card.evidence, *card.replaced)))
    )


def size(vault: Vault, folder: str) -> int:
    return sum(map(len, files(vault.path, folder).values()))


def dead_links(vault: Vault) -> set[str]:
    """Wikilinks of the brain map that lead nowhere."""
    names = {path.stem for path in vault.path.rglob("*.md")}
    pages = [vault.path / "index.md", *(vault.path / "maps").rglob("*.md")]
    return {name for page in pages for name in LINK.findall(page.read_text("utf-8"))} - names


def report_text(vault: Vault, dream: str) -> str:
    return next((vault.path / "dreams").rglob(f"{dream}.md")).read_text("utf-8")


def report_meta(vault: Vault, dream: str) -> dict[str, object]:
    return document.read(report_text(vault, dream)).meta


def git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()
