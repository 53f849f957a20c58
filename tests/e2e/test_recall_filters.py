"""What `recall` can be restricted to, from the command line and in Python, in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from noctuary import Vault
from noctuary.doors.cli import run
from noctuary.errors import UsageError

SAID = [
    ("2026-11-30T09:00:00", "The website budget is 5,000 euros.", "s-one", "website", "ana"),
    ("2026-11-30T10:00:00", "The kitchen budget is 9,000 euros.", "s-two", "kitchen", "ben"),
    ("2026-11-30T11:00:00", "I always pay every budget by invoice.", "s-three", "", ""),
    ("2026-11-30T12:00:00", "网站的预算是人民币五万元。", "s-one", "website", "ana"),
    ("2026-11-30T13:00:00", "厨房的预算是人民币九万元。", "s-two", "kitchen", "ben"),
]
ENGLISH, CHINESE = "What is the budget?", "预算是多少？"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    folder = tmp_path_factory.mktemp("filters")
    found = Vault.init(folder / "v", timezone="UTC")
    for at, text, session, project, user in SAID:
        found.log(text, at=at, session=session, project=project, user=user)
    found.dream(now="2026-12-01T03:00:00")
    found.log("The budget of the garden is open.", at="2026-12-01T09:00:00", session="s-four")
    found.log("花园的预算还没有定。", at="2026-12-01T09:01:00", session="s-four")
    return found


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path_factory.getbasetemp() / "filters-cache"))


def told(vault: Vault, query: str, **only: Any) -> str:  # noqa: ANN401 - any filter
    return "\n".join(hit.text for hit in vault.recall(query, **only).hits)


@pytest.mark.parametrize(
    ("query", "own", "other"),
    [(ENGLISH, "5,000", "9,000"), (CHINESE, "五万", "九万")],
)
@pytest.mark.parametrize("only", [{"project": "website"}, {"user": "ana"}, {"session": "s-one"}])
def test_only_what_belongs_there_is_told(
    vault: Vault, query: str, own: str, other: str, only: dict[str, str]
) -> None:
    assert own in told(vault, query)
    assert other in told(vault, query)
    assert own in told(vault, query, **only)
    assert other not in told(vault, query, **only)


def test_what_belongs_to_no_project_is_told_to_all_but_not_to_another_session(
    vault: Vault,
) -> None:
    assert "invoice" in told(vault, ENGLISH, project="website")
    assert "invoice" not in told(vault, ENGLISH, session="s-one")


@pytest.mark.parametrize(
    ("query", "kind", "words"),
    [
        (ENGLISH, "constraint", "kitchen"),
        (CHINESE, "constraint", "厨房"),
        (ENGLISH, "entry", "garden"),
        (CHINESE, "entry", "花园"),
    ],
)
def test_types_and_what_no_dream_has_read(vault: Vault, query: str, kind: str, words: str) -> None:
    assert len({hit.type for hit in vault.recall(query).hits}) > 1
    hits = vault.recall(query, types=[kind]).hits
    assert {hit.type for hit in hits} == {kind}
    assert any(words in hit.text for hit in hits)


def test_an_unknown_type_is_said_in_words(vault: Vault) -> None:
    with pytest.raises(UsageError, match="choose some of preference"):
        vault.recall("tea", types=["tea"])


@pytest.mark.parametrize(
    ("query", "own", "other"),
    [(ENGLISH, "5,000", "9,000"), (CHINESE, "五万", "九万")],
)
def test_the_command_line_takes_every_filter(
    vault: Vault, query: str, own: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    only = ["--project", "website", "--user", "ana", "--session", "s-one"]
    kinds = ["--type", "fact", "--type", "constraint", "--type", "preference"]
    until = ["--as-of", "2026-12-01", "--explain", "--json"]
    assert run(["recall", query, "--vault", str(vault.path), *only, *kinds, *until]) == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    text = "\n".join(hit["text"] for hit in hits)
    assert own in text
    assert other not in text
    assert all(hit["explain"]["importance"] > 0 for hit in hits)


def test_before_anything_was_said_nothing_held(vault: Vault) -> None:
    assert told(vault, ENGLISH, as_of="2026-11-29") == ""
    assert told(vault, CHINESE, as_of="2026-11-29") == ""


def test_waking_leaves_out_another_project(
    vault: Vault, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["context", "--vault", str(vault.path), "--project", "website", "--user", "ana"]
    assert run(arguments) == 0
    shown = capsys.readouterr().out
    assert "5,000" in shown
    assert "9,000" not in shown
