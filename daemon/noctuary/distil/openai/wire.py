"""One HTTP exchange with a server, through the `openai` package, read with suspicion.

No redirects, no proxy and no headers from the environment, no retries of its own, a bounded
reply. What comes back is either a `Reply` or one of the failures below, each a sentence.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, Any

from noctuary.distil.openai.crew import within
from noctuary.errors import DistillerError
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import openai

    from noctuary.profiles import Profile

_MODEL = re.compile(r"[\w.:/@+-]{1,120}")
"""Names of models that can stand in a report without meaning anything to Markdown."""
MAX_REPLY_BYTES = 2_000_000
_NO_KEY = "none"
_CLOSES_LATE = 2.0
"""A call's thread may go on this many seconds past the limit, to put away what came just then."""
_HEADERS = frozenset(
    [
        *("host", "accept", "accept-encoding", "connection", "user-agent", "content-type"),
        *("content-length", "transfer-encoding", "authorization", "x-stainless-raw-response"),
    ]
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server said.

    Attributes:
        tokens_in, tokens_out: As the server counts them; None if it does not say.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None


class Failed(DistillerError):
    """A call that brought nothing.

    Attributes:
        again: Whether the same call may succeed when it is made again.
        sent: Whether the server may have read the prompt, so that it may cost.
        wait: Seconds that the server asks to wait before the next call; None if it does not.
        reply: The reply that is of no use, for what it cost; None if there was none.
    """

    again = False
    sent = True

    def __init__(self, what: str, wait: float | None = None, reply: Reply | None = None) -> None:
        super().__init__(what)
        self.wait = wait
        self.reply = reply


class Unreachable(Failed):
    """Nobody answers at this address."""

    again = True
    sent = False


class Broken(Failed):
    """The server failed, or its reply broke off."""

    again = True


class Late(Failed):
    """The reply was not there in time."""

    again = True


class Refused(Failed):
    """The server will not serve: key, quota, or a redirect elsewhere."""


class BadRequest(Failed):
    """The server does not take the request as it is: perhaps the format of the reply."""


class TooLong(Failed):
    """The prompt or its reply does not fit into the model's context."""


class Withheld(Failed):
    """The model, or a filter of its server, will not answer this."""


class Format(StrEnum):
    """How a server is asked for JSON, the strictest first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    PLAIN = "plain"

    def parameters(self, name: str, schema: Mapping[str, object]) -> dict[str, Any]:
        """What goes into the request."""
        if self is Format.JSON_SCHEMA:
            named = {"name": name, "schema": _strict(schema), "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        if self is Format.JSON_OBJECT:
            return {"response_format": {"type": "json_object", "schema": schema}}
        return {}


def _strict(schema: Mapping[str, object]) -> dict[str, object]:
    """A schema without what strict servers refuse to hold a model to: the length of a text."""
    return {
        key: _strict(value) if isinstance(value, dict) else value
        for key, value in schema.items()
        if key != "maxLength"
    }


class Wire:
    """A connection to the server of a profile."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._client: openai.OpenAI | None = None
        self._lock = Lock()

    def models(self) -> list[str]:
        """Names of the models that the server offers.

        Raises:
            Failed: It does not say.
        """
        found = self._limited("GET", {}).get("data")
        if not isinstance(found, list):
            raise Broken(phrase("{host} lists no models", host=self._profile.host))
        names = [item.get("id") for item in found if isinstance(item, dict)]
        return [name for name in names if isinstance(name, str) and _MODEL.fullmatch(name)]

    def chat(
        self, model: str, messages: Sequence[Mapping[str, str]], extra: Mapping[str, object]
    ) -> Reply:
        """One completion.

        Raises:
            Failed: There is none; its class says why.
        """
        body = {"model": model, "messages": list(messages), "stream": False, **extra}
        return reply_of(self._limited("POST", body))

    def _opened(self) -> openai.OpenAI:
        with self._lock:
            if self._client is None:
                self._client = _client(self._profile)
            return self._client

    def close(self) -> None:
        """Let go of the connections; the next call opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _limited(self, method: str, body: Mapping[str, object]) -> dict[str, Any]:
        seconds = self._profile.call_seconds
        client = self._opened()
        try:
            data = within(seconds, lambda: _exchange(client, method, body, seconds))
        except TimeoutError:
            raise Late(
                phrase(
                    "{host} gave no reply within {seconds:g} s",
                    host=self._profile.host,
                    seconds=seconds,
                )
            ) from None
        return _document(data, self._profile.host)


def _client(profile: Profile) -> openai.OpenAI:
    import openai

    http = openai.DefaultHttpxClient(
        follow_redirects=False,
        trust_env=False,
        proxy=profile.proxy or None,
        timeout=profile.call_seconds + _CLOSES_LATE,
        event_hooks={"request": [_plain_headers]},
    )
    return openai.OpenAI(
        api_key=profile.key() or _NO_KEY,
        base_url=profile.base_url,
        max_retries=0,
        timeout=profile.call_seconds + _CLOSES_LATE,
        http_client=http,
    )


def _plain_headers(request: Any) -> None:  # noqa: ANN401 - httpx under either of its names
    """Leave only what a request needs: no organisation or header that the environment adds."""
    for name in [name for name in request.headers if name.lower() not in _HEADERS]:
        del request.headers[name]
    request.headers["accept-encoding"] = "identity"


def _exchange(
    client: openai.OpenAI, method: str, body: Mapping[str, object], seconds: float
) -> bytes:
    import openai

    deadline = time.monotonic() + seconds + _CLOSES_LATE
    try:
        with _opened(client, method, body) as response:
            return _read(response, deadline)
    except Failed:
        raise
    except openai.OpenAIError as error:
        raise failure_of(error) from error
    except Exception as error:
        # Whatever the packages below make of a hostile reply is the server's failure, not ours.
        raise Broken(phrase("the reply broke off ({name})", name=type(error).__name__)) from error


def _read(response: Any, deadline: float) -> bytes:  # noqa: ANN401 - of the openai package
    if 300 <= response.status_code < 400:
        raise Refused(phrase("the server redirects elsewhere, and that is not followed"))
    data = bytearray()
    for chunk in response.iter_bytes():
        data += chunk
        if len(data) > MAX_REPLY_BYTES:
            raise Broken(phrase("the reply is larger than {most:,} bytes", most=MAX_REPLY_BYTES))
        if time.monotonic() > deadline:
            raise Late(phrase("the reply was not finished in time"))
    return bytes(data)


def _opened(client: openai.OpenAI, method: str, body: Mapping[str, object]) -> Any:  # noqa: ANN401 - a context manager of the openai package
    if method == "GET":
        return client.models.with_streaming_response.list()
    return client.chat.completions.with_streaming_response.create(**body)  # type: ignore[call-overload]


def failure_of(error: openai.OpenAIError) -> Failed:
    """What an error of the `openai` package means for us, as a sentence."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return Late(phrase("the server gave no reply in time"))
    if isinstance(error, openai.APIStatusError):
        return _failure_of_status(error)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__
        name = type(cause).__name__
        if "Connect" in name or isinstance(cause, ConnectionRefusedError):
            return Unreachable(phrase("nobody answers there; is the server running?"))
        return Broken(phrase("the connection broke off ({name})", name=name))
    return Broken(phrase("the call failed ({name})", name=type(error).__name__))


_LONG = (
    *("context_length", "context length", "context window", "context size", "maximum context"),
    *("too long", "reduce the length", "too many tokens"),
)


def _failure_of_status(error: openai.APIStatusError) -> Failed:
    said = _said(error)
    status, words = error.status_code, f"HTTP {error.status_code}: {said}".rstrip(": ")
    lowered = said.lower()
    if 300 <= status < 400:
        return Refused(
            phrase("the server redirects elsewhere, and that is not followed; correct base_url")
        )
    if status in (401, 403):
        return Refused(phrase("the server refuses the key ({words}); see api_key_env", words=words))
    if status == 429 and ("insufficient_quota" in lowered or "billing" in lowered):
        return Refused(phrase("the account has no credit left ({words})", words=words))
    if any(sign in lowered for sign in _LONG):
        return TooLong(words)
    if status in (408, 409, 425, 429):
        return Broken(phrase("the server is busy ({words})", words=words), _retry_after(error))
    if status >= 500:
        return Broken(phrase("the server failed ({words})", words=words), _retry_after(error))
    return BadRequest(phrase("the server does not take the request ({words})", words=words))


def _said(error: openai.APIStatusError) -> str:
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(inner, dict):
        parts = [inner.get("code"), inner.get("type"), inner.get("message")]
        inner = " ".join(part for part in parts if isinstance(part, str))
    return " ".join(str(inner or "").split())[:200]


def _retry_after(error: openai.APIStatusError) -> float | None:
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _document(data: bytes, host: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise Broken(phrase("{host} answers with something that is not JSON", host=host)) from None
    if not isinstance(found, dict):
        raise Broken(phrase("{host} answers with JSON of another shape", host=host))
    if "choices" not in found and "data" not in found and found.get("error"):
        raise Broken(
            phrase(
                "{host} answers with an error: {error}", host=host, error=str(found["error"])[:200]
            )
        )
    return found


def reply_of(document: Mapping[str, Any]) -> Reply:
    """The text of a completion.

    Raises:
        Failed: It holds none, or one that broke off.
    """
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else {}
    choice = choice if isinstance(choice, dict) else {}
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    content = message.get("content")
    reply = Reply(content if isinstance(content, str) else "", *_counts(document.get("usage")))
    if choice.get("finish_reason") == "length":
        raise TooLong(phrase("the reply broke off at its limit of tokens"), reply=reply)
    if choice.get("finish_reason") == "content_filter" or message.get("refusal"):
        raise Withheld(phrase("the model will not answer this"), reply=reply)
    if not reply.text.strip():
        raise Broken(phrase("the reply is empty"), reply=reply)
    return reply


def _counts(usage: object) -> tuple[int | None, int | None]:
    found = usage if isinstance(usage, dict) else {}
    into, out = found.get("prompt_tokens"), found.get("completion_tokens")
    return (_count(into), _count(out))


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 100_000_000 else None
