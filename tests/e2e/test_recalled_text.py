"""What memory told an agent comes back on every way in, and is never taken for something new."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from noctuary import Vault
from noctuary.doors.cli import run
from transcript_shapes import Transcript, use

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Way = Callable[[Vault, Path, str], None]

AT = "2026-12-02T10:00:00"
TOLD = [
    "The kitchen budget is 9,000 euros and Helena pays it.",
    "I always want the release notes in British English.",
    "厨房的预算是人民币九万元，由海伦支付。",
    "我总是要求发布说明用简体中文写。",
]
ASKED = ["What about the kitchen budget and the release notes?", "厨房预算和发布说明是怎么定的？"]
NEW = "The cellar door is painted green."


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    found = Vault.init(tmp_path / "v", timezone="UTC")
    for hour, text in enumerate(TOLD, 9):
        found.log(text, at=f"2026-12-01T{hour:02d}:00:00", session="first")
    found.dream(now="2026-12-01T20:00:00")
    return found


def as_lines(vault: Vault, folder: Path, told: str) -> None:
    roles = ("user", "assistant", "tool", "system", "web", "file")
    rows = [
        {"ts": AT, "role": role, "session": "again", "text": f"{told}\n{NEW}" if one else told}
        for role in roles
        for one in (False, True)
    ]
    file = folder / "again.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    assert vault.import_("jsonl", [file]).failed == 0


def as_transcript(vault: Vault, folder: Path, told: str) -> None:
    talk = Transcript("again")
    talk.user(f"{told}\n{NEW}")
    talk.agent("Let me look.", use("t1", "Bash", command="noctuary recall budget"))
    talk.result("t1", told)
    talk.agent(told)
    assert vault.import_("claude-code", [talk.write(folder / "again.jsonl")]).failed == 0


def as_log(vault: Vault, _: Path, told: str) -> None:
    vault.log(f"{told}\n{NEW}", at=AT, session="again")
    vault.log(f"$ noctuary recall\n{told}", role="tool", at=AT, session="again", name="bash")


def as_session(vault: Vault, _: Path, told: str) -> None:
    with vault.session(agent="an-agent") as session:
        session.user(f"{NEW}\n{told}")
        session.assistant(told)
        session.tool("recall", told)
        session.web("page", told)
        session.file("notes.txt", told)


def as_summaries(vault: Vault, folder: Path, told: str) -> None:
    file = folder / "again.json"
    records = [{"date": AT, "summary": told}, {"date": AT, "summary": f"{told}\n{NEW}"}]
    file.write_text(json.dumps(records), "utf-8")
    vault.import_("summaries", [file], trust_user=True)


def as_memory_md(vault: Vault, folder: Path, told: str) -> None:
    file = folder / "MEMORY.md"
    file.write_text(f"# Memory\n\n- {NEW}\n\n## Recalled\n\n{told}\n\n- The end.\n", "utf-8")
    vault.import_("memory-md", [file], trust_user=True)


def as_notes(vault: Vault, folder: Path, told: str) -> None:
    file = folder / "note.md"
    file.write_text(f"# A day\n\n{NEW}\n\n{told}\n\n## Later\n\nThe end.\n", "utf-8")
    vault.import_("notes", [file], trust_user=True)


def as_stdin(vault: Vault, folder: Path, told: str) -> None:
    assert run(["log", f"{told}\n{NEW}", "--vault", str(vault.path), "--at", AT]) == 0
    as_lines(vault, folder, told)


def by_hand(vault: Vault, _: Path, told: str) -> None:
    vault.log("Hello there.", at=AT, session="again")
    [page] = (vault.path / "episodes").rglob("*again.md")
    page.write_text(page.read_text("utf-8") + f"\n{NEW}\n\n{told}\n", "utf-8")


def recalled(vault: Vault) -> str:
    return "\n".join(vault.recall(question).framed() for question in ASKED)


def recalled_in_a_pipe(vault: Vault, capsys: pytest.CaptureFixture[str]) -> str:
    for question in ASKED:
        assert run(["recall", question, "--vault", str(vault.path)]) == 0
    assert run(["context", "--vault", str(vault.path)]) == 0
    return capsys.readouterr().out


WAYS: list[Way] = [
    as_lines, as_transcript, as_log, as_session, as_summaries, as_memory_md, as_notes, as_stdin,
    by_hand,
]  # fmt: skip


def receipts(vault: Vault) -> dict[str, tuple[int, int]]:
    """Title of each card that holds what was told: how often it was seen, and its receipts."""
    files, _ = vault._store.read_cards()
    return {file.card.title: (file.card.seen, len(file.card.evidence)) for file in files}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("door", ["python", "shell"])
def test_it_is_not_learnt_again(
    vault: Vault, tmp_path: Path, way: Way, door: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = receipts(vault)
    told = recalled(vault) if door == "python" else recalled_in_a_pipe(vault, capsys)
    assert all(words in told for words in ("9,000", "British", "九万", "简体中文"))
    way(vault, tmp_path, told)
    assert "cellar" in " ".join(hit.text for hit in vault.recall("cellar door").hits)
    vault.dream(now="2026-12-03T03:00:00")
    after = receipts(vault)
    assert {title: after.get(title) for title in before} == before
    for title in after.keys() - before.keys():
        assert not any(words in title for words in ("9,000", "British", "九万", "简体中文"))


def test_what_is_told_is_counted_and_keeps_a_card_from_going_stale(vault: Vault) -> None:
    titles = receipts(vault)
    asked = {hit.id for question in ASKED for hit in vault.recall(question).hits}
    vault.log(NEW, at="2026-12-02T10:00:00", session="again")
    vault.dream(now="2026-12-02T20:00:00")
    files, _ = vault._store.read_cards()
    counted = {file.card.id for file in files if file.card.references}
    assert len(titles) >= len(asked) > 0
    assert counted == asked


STEERING = "\x1b]52;c;aGk=\x07 \x1b[31m \x9b2J \x7f"


@pytest.mark.parametrize("role", ["user", "web", "tool"])
def test_what_is_told_steers_no_terminal(
    vault: Vault, role: str, capsys: pytest.CaptureFixture[str]
) -> None:
    vault.log(f"The wharf costs {STEERING} 700 euros. 码头{STEERING}很贵。", role=role, at=AT)
    for question in ("What does the wharf cost?", "码头贵吗？"):
        answer = vault.recall(question)
        assert answer.hits
        for way in ((), ("--json",), ("--explain",)):
            assert run(["recall", question, "--vault", str(vault.path), *way]) == 0
        told = [capsys.readouterr().out, answer.framed(), str(answer.to_json()["hits"])]
        assert not set("\x1b\x07\x9b\x7f") & set("".join(told))
