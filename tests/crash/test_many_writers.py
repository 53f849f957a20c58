"""Several processes write to one vault at once: every line is kept, and one dreams at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from vault_kit import DREAM, dream_commits, empty_vault, git, open_store, tell, visible

TESTS = Path(__file__).parents[1]
WRITERS = 4

APPEND = """
import sys
from vault_kit import open_store, said, session
root, writer, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
store = open_store(root, use_git=False)
for number in range(count):
    meta = session("aa1111" if number % 2 else f"bb{writer}{writer}22")
    store.append_entries(meta, [said(f"writer {writer} number {number}", number % 60)])
"""

DREAM_ON = """
import json, sys
from noctuary.errors import VaultBusy
from noctuary.vault.store import Write
from vault_kit import open_store
root, dreamer, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = open_store(root)
done = busy = 0
for number in range(count):
    name = f"{dreamer}-{number}"
    path = f"cards/facts/{name}.md"
    try:
        applied = store.apply(name, [Write(path, f"card {name}\\n".encode(), None)], f"Dream {name}")
        done += bool(applied.commit)
    except VaultBusy:
        busy += 1
print(json.dumps([done, busy]))
"""


def start(program: str, *arguments: object) -> subprocess.Popen[bytes]:
    paths = [str(TESTS), str(TESTS.parent / "daemon")]
    head = f"import sys\nfrom pathlib import Path\nsys.path[:0] = {paths!r}\n"
    command = [sys.executable, "-c", head + program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> bytes:
    out, err = process.communicate()
    assert process.returncode == 0, err.decode()
    return out


def write_at_once(root: Path, appends: int, dreams: int) -> tuple[int, int]:
    """Writers and two dreamers side by side; how many dreams were done, how many found it busy."""
    writers = [start(APPEND, root, number, appends) for number in range(WRITERS)]
    dreamers = [start(DREAM_ON, root, f"night-{letter}", dreams) for letter in "ab"]
    for process in writers:
        finish(process)
    told = [json.loads(finish(process)) for process in dreamers]
    return sum(done for done, _ in told), sum(busy for _, busy in told)


def assert_all_kept(root: Path, appends: int, dreams: int) -> None:
    done, busy = write_at_once(root, appends, dreams)
    tell(f"{WRITERS} x {appends} lines, {done} dreams done, {busy} found the vault busy")
    assert done + busy == 2 * dreams
    store = open_store(root)
    episodes, problems = store.read_episodes()
    texts = [entry.text for episode in episodes for entry in episode.entries]
    wanted = {f"writer {w} number {n}" for w in range(WRITERS) for n in range(appends)}
    assert problems == ()
    assert set(texts) == wanted
    assert len(texts) == len(wanted)
    assert all(entry.intact for episode in episodes for entry in episode.entries)
    recorded = [name for name, _ in store.history.dreams()]
    assert len(recorded) == len(set(recorded)) == done
    for name, commit in store.history.dreams():
        assert git(root, "show", "--format=", "--name-only", commit).split() == [
            f"cards/facts/{name}.md"
        ]
    assert not list((root / ".git").rglob("*.lock"))


def test_writers_and_dreamers_side_by_side(tmp_path: Path) -> None:
    assert_all_kept(empty_vault(tmp_path / "vault"), 25, 4)


@pytest.mark.slow
def test_a_thousand_lines_from_four_processes(tmp_path: Path) -> None:
    assert_all_kept(empty_vault(tmp_path / "vault"), 250, 20)


def test_of_two_dreams_with_one_name_one_is_written(tmp_path: Path) -> None:
    root = empty_vault(tmp_path / "vault")
    program = DREAM_ON.replace('f"{dreamer}-{number}"', f'"{DREAM}"')
    for process in [start(program, root, letter, 1) for letter in "ab"]:
        finish(process)
    assert len(dream_commits(root)) == 1
    assert [path for path in visible(root) if path.startswith("cards")] == [
        f"cards/facts/{DREAM}.md"
    ]
