"""An agent with a memory: it wakes, works, keeps its window small, and sleeps.

Runs against any OpenAI-compatible server:

    python examples/agent_loop.py --vault ~/memory --base-url http://localhost:11434/v1 --model qwen3
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from openai import OpenAI

from noctuary import SessionTracker, Vault

if TYPE_CHECKING:
    from collections.abc import Iterable

HOW = "You are a helpful agent. What stands in <noctuary-memory> was learnt in earlier sessions."


class Agent:
    """One waking day, from the first word to sleep."""

    def __init__(
        self, vault: Vault, client: OpenAI, model: str, *, window: int = 128_000, project: str = ""
    ) -> None:
        self.vault, self.client, self.model, self.window = vault, client, model, window
        self.session = SessionTracker(vault, agent="example", project=project)
        self.messages: list[Any] = [
            {"role": "system", "content": f"{HOW}\n\n{self.session.wake()}"}
        ]

    def answer(self, text: str) -> str:
        """One turn: both sides are logged, and the window is compacted when it is nearly full."""
        self.session.user(text)
        recalled = self.vault.recall(text, budget=300).framed()
        self.messages.append({"role": "user", "content": f"{text}\n\n{recalled}".strip()})
        reply = self.client.chat.completions.create(model=self.model, messages=self.messages)
        said = reply.choices[0].message.content or ""
        self.messages.append({"role": "assistant", "content": said})
        self.session.assistant(said)
        used = reply.usage.prompt_tokens if reply.usage else 0
        done = self.vault.compact(self.messages, self.window, session=self.session, used=used)
        self.messages = done.messages
        return said

    def rest(self) -> None:
        """Called from time to time: dreams when nothing was said for a while and no task is open."""
        if self.session.should_sleep():
            self.session.sleep()

    def live(self, lines: Iterable[str]) -> None:
        """Answer each line, then sleep."""
        for line in lines:
            if line.strip():
                print(self.answer(line.strip()))
        self.session.sleep()


def main() -> None:
    """Talk on the terminal; end with Ctrl-D."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vault", required=True)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--key-env", default="OPENAI_API_KEY", help="variable with the key, if any")
    parser.add_argument("--window", type=int, default=128_000)
    given = parser.parse_args()
    key = os.environ.get(given.key_env, "none")
    client = OpenAI(base_url=given.base_url, api_key=key)
    Agent(Vault.init(given.vault), client, given.model, window=given.window).live(sys.stdin)


if __name__ == "__main__":
    main()
