"""A large vault, all of it dreamt: what the benchmarks of the daemon and of asking look at."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "daemon"))

from noctuary.api import Vault
from noctuary.memory import document
from noctuary.memory.card import Card, CardType, Receipt, Status
from noctuary.memory.cardtext import card_meta, evidence_block, history_block
from noctuary.memory.entry import Entry, Role, Trust, entry_id
from noctuary.memory.episode import EpisodeMeta, episode_name, render_entry, render_head
from noctuary.vault.files import Disk, digest_of
from noctuary.vault.state import Ledger, Written, write_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGIN = datetime(2024, 1, 1, 9, 0)
PER_EPISODE = 6


def furnish(root: Path, cards: int, episodes: int) -> Path:
    """Make the vault; everything in it is dreamt, and written by the program as far as it knows."""
    Vault.create(root, timezone="UTC", git=False)
    config = root / "noctuary.toml"
    config.write_text(config.read_text("utf-8").replace("git = true", "git = false"), "utf-8")
    ranges = [line for number in range(episodes) if (line := _episode(root, number))]
    for start in range(0, len(ranges), 50):
        _report(root, start // 50, ranges[start : start + 50])
    files = {path: Written(digest, card=id_) for path, digest, id_ in _cards(root, cards)}
    write_ledger(Disk(root), Ledger(files))
    return root


def _entries(number: int) -> list[Entry]:
    day = BEGIN + timedelta(hours=4 * number)
    texts = (f"In week {number} part {part} cost {part * 7} euros." for part in range(PER_EPISODE))
    moments = ((day + timedelta(minutes=part), text) for part, text in enumerate(texts))
    return [Entry(entry_id(Role.USER, at, text), Role.USER, at, text) for at, text in moments]


def _episode(root: Path, number: int) -> str:
    entries = _entries(number)
    meta = EpisodeMeta(f"s{number}", "agent", "", "", entries[0].at)
    name = episode_name(meta)
    file = root / "episodes" / f"{entries[0].at:%Y/%m}" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    blocks = [render_entry(entry, entries[0].at.date()) for entry in entries]
    file.write_text(render_head(meta) + "".join(blocks), "utf-8")
    return f"{name} {entries[0].id}..{entries[-1].id} {len(entries)}"


def _report(root: Path, number: int, ranges: list[str]) -> None:
    at = datetime.now() - timedelta(days=1, hours=number)  # noqa: DTZ005 - the vault is in UTC here
    meta: dict[str, object] = {
        "type": "dream", "dream": f"{at:%Y-%m-%dT%H%M}", "trigger": "night, deep",
        "result": "done", "started": at.isoformat(timespec="seconds"), "absorbed": ranges,
    }  # fmt: skip
    file = root / "dreams" / f"{at:%Y}" / f"{at:%Y-%m-%dT%H%M}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(document.header(meta) + "A dream.\n", "utf-8")


def _cards(root: Path, count: int) -> Iterator[tuple[str, str, str]]:
    types = [CardType.FACT, CardType.DECISION, CardType.LESSON, CardType.PREFERENCE]
    for number in range(count):
        [entry, *_] = _entries(number % 5000)
        text = f"Statement {number}: {entry.text}"
        receipt = Receipt("2024-01-01-agent-s0", entry.id, Role.USER, entry.at, entry.text)
        card = Card(
            f"c{number:05d}", types[number % 4], f"Title {number}", text, 3, 0.9, Status.ACTIVE,
            Trust.USER, entry.at, entry.at, entry.at.date(), evidence=(receipt,),
            source=(receipt.link,),
        )  # fmt: skip
        parts = [document.header(card_meta(card)), f"# {card.title}\n\n{text}\n\n"]
        data = "".join([*parts, evidence_block(card), history_block(card)]).encode()
        path = f"cards/{card.type.folder}/title-{number}.md"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
        yield path, digest_of(data), card.id
