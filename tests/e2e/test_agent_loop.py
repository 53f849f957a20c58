"""The example runs two days against a scripted model, with a dream between them."""

from __future__ import annotations

import importlib.util
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openai import OpenAI

from model_server import Answer, Call, completion, serving
from noctuary import Vault
from noctuary.memory.report import Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from model_server import ModelServer

ROOT = Path(__file__).parents[2]
WISH = "Please always end your answers with the word Ahoy."


class Clock:
    now = datetime(2026, 11, 30, 14)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=20)
        return self.now


def obedient(call: Call) -> Answer:
    """A model that does what its memory or the conversation says, and nothing else."""
    messages = call.body["messages"]
    told = "\n".join(str(message["content"]) for message in messages)
    wish = re.search(r"always end your answers with the word (\w+)", told)
    said = "The page is live on port 8443."
    return completion(f"{said} {wish[1]}" if wish else said, call)


@pytest.fixture
def example() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("agent_loop", ROOT / "examples/agent_loop.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["agent_loop"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["agent_loop"]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(obedient) as running:
        yield running


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    Vault.create(tmp_path / "memory", timezone="UTC", git=False)
    return Vault.open(tmp_path / "memory", clock=Clock())


def agent_of(example: ModuleType, vault: Vault, server: ModelServer, **how: object) -> Any:  # noqa: ANN401
    client = OpenAI(base_url=server.url, api_key="none", max_retries=0)
    return example.Agent(vault, client, "scripted", **how)


def system_prompt(server: ModelServer) -> str:
    return str(server.calls[-1].body["messages"][0]["content"])


def test_the_second_day_obeys_what_the_first_was_told(
    example: ModuleType, vault: Vault, server: ModelServer
) -> None:
    first = agent_of(example, vault, server)
    assert not first.answer("Is the page live?").endswith("Ahoy")
    first.live([WISH, "", "Thanks!"])
    assert WISH not in system_prompt(server)
    assert first.session.last_sleep.result is Result.DONE

    second = agent_of(example, vault, server)
    assert second.answer("Is the page live today?").endswith("Ahoy")
    assert WISH in system_prompt(server)


def test_what_memory_told_is_never_learnt_again(
    example: ModuleType, vault: Vault, server: ModelServer
) -> None:
    agent_of(example, vault, server).live([WISH])
    second = agent_of(example, vault, server)
    second.answer("How should answers end, with which word?")
    asked = str(server.calls[-1].body["messages"][-1]["content"])
    assert "<noctuary-memory" in asked
    second.session.assistant(f"Memory says:\n{asked}")
    second.session.sleep()
    for page in (vault.path / "episodes").rglob("*.md"):
        assert "noctuary-memory" not in page.read_text("utf-8")
    [card] = [item for item in (vault.path / "cards").rglob("*.md") if "Ahoy" in item.read_text()]
    text = card.read_text("utf-8")
    assert "seen: 1\n" in text
    assert re.search(r"^references: [1-9]", text, re.MULTILINE)


def test_a_small_window_is_compacted_on_the_way(
    example: ModuleType, vault: Vault, server: ModelServer
) -> None:
    agent = agent_of(example, vault, server, window=1200)
    agent.answer(WISH)
    for number in range(14):
        agent.answer(
            f"Please look at part {number} of the shop, in src/shop/part_{number}.py. " * 2
        )
    sizes = [len(call.body["messages"]) for call in server.calls]
    assert max(sizes) < 2 * len(sizes)
    said = "\n".join(str(message["content"]) for message in agent.messages)
    assert "Please always end your answers with the word Ahoy." in said
    [page] = (vault.path / "episodes").rglob("*.md")
    assert page.read_text("utf-8").count("part 3 of the shop") == 2


def test_rest_waits_until_nobody_speaks(
    example: ModuleType, vault: Vault, server: ModelServer
) -> None:
    agent = agent_of(example, vault, server)
    for _ in range(8):
        agent.answer("The page needs 3 more pictures.")
    agent.rest()
    assert agent.session.sleeps == 0
    clock = vault._store.clock
    assert isinstance(clock, Clock)
    clock.now += timedelta(minutes=11)
    agent.rest()
    assert agent.session.sleeps == 1
