"""A scripted model on loopback, with the standard library alone: plays any fault of any server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from noctuary.distil.offline import OfflineDistiller
from noctuary.distil.openai.budget import Purse, UsageBook
from noctuary.distil.openai.desk import Beat, Desk
from noctuary.distil.openai.distiller import OpenAIDistiller
from noctuary.distil.openai.keep import KeptReplies, Learned
from noctuary.distil.openai.prompts import Prompts
from noctuary.distil.openai.transport import Transport
from noctuary.distil.openai.wire import Wire
from noctuary.memory.secrets import private_pattern
from noctuary.memory.tokens import estimate
from noctuary.profiles import Profile

if TYPE_CHECKING:
    from pathlib import Path

LINE = re.compile(r"^\[(\d+)\] (\w+)[^:]*?\d\d:\d\d: (.*(?:\n  .*)*)", re.MULTILINE)
DOUBT = re.compile(r"^\[(\d+)\] ([\d-]+): (.*)((?:\n  [a-h] [\d-]+: .*)+)", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """A request as the server got it."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def data(self) -> str:
        return str(self.body["messages"][1]["content"])

    @property
    def kind(self) -> str:
        for kind, word in (("score", '"scores"'), ("distil", '"cards"'), ("relate", '"relations"')):
            if word in self.system:
                return kind
        return ""

    @property
    def format(self) -> str:
        wanted = self.body.get("response_format")
        return str(wanted["type"]) if wanted else "plain"

    @property
    def entries(self) -> list[tuple[int, str, str]]:
        """Number, role and text of every entry that was shown."""
        return [
            (int(n), role, text.replace("\n  ", "\n")) for n, role, text in LINE.findall(self.data)
        ]

    @property
    def tokens(self) -> int:
        return estimate(self.system) + estimate(self.data)


@dataclass
class Answer:
    """What the server does: a status and a body, or something rude to the connection."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    rude: Callable[[BaseHTTPRequestHandler], None] | None = None


Script = Callable[[Call], Answer]


def completion(text: str | None, call: Call | None = None, **more: object) -> Answer:
    """A well-formed completion with this text."""
    choice = {
        "index": 0,
        "finish_reason": more.pop("finish_reason", "stop"),
        "message": more.pop("message", {"role": "assistant", "content": text}),
    }
    usage = {
        "prompt_tokens": call.tokens if call else 100,
        "completion_tokens": estimate(text or ""),
    }
    whole: dict[str, object] = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    whole |= {"choices": [choice], "usage": usage} | more
    return Answer(json.dumps(whole).encode())


def error(status: int, message: str, code: str = "", **headers: str) -> Answer:
    body = {"error": {"message": message, "code": code, "type": "error"}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(json.dumps(body).encode(), status, named)


def says(value: object, call: Call | None = None) -> Answer:
    return completion(json.dumps(value, ensure_ascii=False), call)


def sentence(text: str) -> str:
    return re.split(r"(?<=[.!?。！？])", text.strip(), maxsplit=1)[0].strip()


def sensible(call: Call) -> dict[str, object]:
    """What an honest, rather simple model would answer."""
    if call.kind == "score":
        return {"scores": [_scored(n, text) for n, _, text in call.entries]}
    if call.kind == "distil":
        return {
            "cards": [_card(n, role, text) for n, role, text in call.entries if _tells(role, text)]
        }
    return {"relations": [_related(*found) for found in DOUBT.findall(call.data)]}


def _scored(n: int, text: str) -> dict[str, object]:
    tells = any(char.isdigit() for char in text) or len(text) > 30
    return {
        "n": n,
        "why": "tells" if tells else "chatter",
        "score": 4 if tells else 1,
        "sure": True,
    }


def _tells(role: str, text: str) -> bool:
    return role == "user" and "?" not in text


def _card(n: int, role: str, text: str) -> dict[str, object]:
    said = sentence(text)
    kinds = (("prefer", "preference"), ("以后", "preference"), ("must", "constraint"))
    more = (("不超过", "constraint"), ("decided", "decision"), ("决定", "decision"))
    kind = next((kind for cue, kind in (*kinds, *more) if cue in text), "fact")
    quotes = [{"n": n, "text": said}]
    return {"why": "said", "type": kind, "title": said[:40], "statement": said, "quotes": quotes,
            "importance": 4, "topics": ["work"], "done": False}  # fmt: skip


def _related(n: str, _day: str, new: str, old: str) -> dict[str, object]:
    kind = "supersedes" if "now" in new or "改" in new else "distinct"
    return {"n": int(n), "why": "compared", "old": "a" if kind != "distinct" else "", "kind": kind}


def honest(call: Call) -> Answer:
    return says(sensible(call), call)


class ModelServer:
    """Serves a script; `calls` are all chat requests that came."""

    def __init__(self, script: Script = honest) -> None:
        self.script = script
        self.calls: list[Call] = []
        self.models = ["tiny-model"]
        self.closing = Event()
        self._lock = Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def of(self, kind: str) -> list[Call]:
        return [call for call in self.calls if call.kind == kind]

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def answer(self, call: Call) -> Answer:
        if call.path.endswith("/models"):
            data = [{"id": name, "object": "model"} for name in self.models]
            return Answer(json.dumps({"object": "list", "data": data}).encode())
        with self._lock:
            self.calls.append(call)
        return self.script(call)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                self._send(server.answer(Call(self.path, dict(self.headers), {})))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self._send(server.answer(Call(self.path, dict(self.headers), body)))

            def _send(self, answer: Answer) -> None:
                if answer.rude is not None:
                    self.close_connection = True
                    answer.rude(self)
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:
                pass

            def handle(self) -> None:
                with suppress(OSError):
                    super().handle()

        return Handler


@contextmanager
def serving(script: Script = honest) -> Iterator[ModelServer]:
    server = ModelServer(script)
    try:
        yield server
    finally:
        server.close()


def profile_for(server: ModelServer | str, **keys: object) -> Profile:
    """A profile with limits that suit a test."""
    url = server if isinstance(server, str) else server.url
    base: dict[str, Any] = {
        "model": "big-model",
        "price_in": 1.0,
        "price_out": 2.0,
        "call_seconds": 10.0,
        "tries": 2,
        "fallback": "wait",
    }
    return Profile("test", url, **{**base, **keys})


def distiller_for(
    profile: Profile,
    folder: Path,
    *,
    private: tuple[str, ...] = (),
    on_beat: Callable[[Beat], None] | None = None,
    slept: list[float] | None = None,
) -> OpenAIDistiller:
    """The distiller of a profile whose state lies in this folder and that never really waits."""
    from datetime import date

    kept = KeptReplies(folder / "replies")
    purse = Purse(profile, UsageBook(folder / "usage", profile.name), lambda: date(2026, 12, 1))
    pauses = slept if slept is not None else []
    transport = Transport(
        profile, Wire(profile), purse, kept, Learned(folder / "servers.json"), sleep=pauses.append
    )
    prompts = Prompts(b"key", private_pattern(private), folder / "own")
    return OpenAIDistiller(Desk(profile, transport, prompts, on_beat), OfflineDistiller(), kept)
