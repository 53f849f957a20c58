"""Profiles: which servers a person's vaults may think with, at what price and within what caps.

They stand in the person's own settings folder, never in a vault, which may be shared and must not
be able to send memory elsewhere. Nothing is taken from the environment but the key that a profile
names.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import MISSING, dataclass, fields, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from noctuary.errors import Problem, UsageError
from noctuary.resources import config_folder, trusted_text
from noctuary.tongue import listed, phrase

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE_NAME = "config.toml"
SECTION = "profiles"
OFFLINE = "offline"
_NAME = re.compile(r"[\w.-]{1,64}")
_HEAD = """# Your own settings of noctuary. Keys never stand here: a profile names the environment variable
# that holds its key. Prices are per million tokens; a cap of 0 is no cap.
"""


@dataclass(frozen=True, slots=True)
class Profile:
    """One server that may think, with its limits.

    Attributes:
        base_url: Address of the API, up to and with `/v1`.
        model: Model that thinks; empty for the first one that the server lists.
        small_model: Model that scores first; empty to let `model` do it.
        api_key_env: Name of the environment variable with the key; empty for servers without.
        proxy: Address of a proxy, since none is taken from the environment.
        price_in, price_out, small_price_in, small_price_out: Money per million tokens.
        *_per_dream, *_per_day, *_per_month: Caps on tokens (in and out) and money; 0 for none.
        context_tokens: What the model can read and write at once.
        thinking_tokens: What a reasoning model may think before each answer, besides the answer.
        in_flight: Batches that are thought about at the same time.
        call_seconds, dream_minutes: Limits of wall-clock time for one call and one dream.
        tries: How often a call is made in all before it counts as failed.
        fallback: What happens at a cap or when the server fails: `offline` thinks by rules,
            `wait` leaves the entries for another night.
    """

    name: str
    base_url: str
    model: str = ""
    small_model: str = ""
    api_key_env: str = ""
    proxy: str = ""
    currency: str = "USD"
    price_in: float = 0.0
    price_out: float = 0.0
    small_price_in: float = 0.0
    small_price_out: float = 0.0
    tokens_per_dream: int = 500_000
    tokens_per_day: int = 1_000_000
    tokens_per_month: int = 10_000_000
    money_per_dream: float = 1.0
    money_per_day: float = 2.0
    money_per_month: float = 20.0
    context_tokens: int = 8192
    thinking_tokens: int = 0
    in_flight: int = 2
    call_seconds: float = 180.0
    dream_minutes: float = 60.0
    tries: int = 3
    fallback: str = OFFLINE

    @property
    def host(self) -> str:
        """Where entries are sent, as people know it: `api.example.com` or `localhost:8080`."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def local(self) -> bool:
        """True when entries stay on this machine."""
        return _is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def first_model(self) -> str:
        """The model that scores first."""
        return self.small_model or self.model

    def price(self, tokens_in: int, tokens_out: int, *, small: bool = False) -> float:
        """Money for so many tokens; the small model costs the same where it has no price."""
        apart = small and bool(self.small_model) and self.small_price_in + self.small_price_out > 0
        into = self.small_price_in if apart else self.price_in
        out = self.small_price_out if apart else self.price_out
        return (tokens_in * into + tokens_out * out) / 1_000_000

    def key(self) -> str:
        """The key, from the variable that the profile names.

        Raises:
            UsageError: The variable is not set.
        """
        if not self.api_key_env:
            return ""
        key = os.environ.get(self.api_key_env, "").strip()
        if not key:
            raise UsageError(
                phrase(
                    "Profile {name} takes its key from ${api_key_env}, which is not set; set it, for example with `export {api_key_env}=…`.",
                    name=self.name,
                    api_key_env=self.api_key_env,
                )
            )
        return key

    def shown(self) -> str:
        """Where and to whom entries go, in one line."""
        model = self.model or phrase("its first model")
        small = phrase(", {model} first", model=self.small_model) if self.small_model else ""
        stay = phrase(", on this machine") if self.local else ""
        return phrase(
            "{name}: {model}{small} at {host}{stay}",
            name=self.name,
            model=model,
            small=small,
            host=self.host,
            stay=stay,
        )


KNOWN: Mapping[str, Profile] = {
    "openai": Profile(
        "openai",
        "https://api.openai.com/v1",
        model="gpt-4.1-mini",
        small_model="gpt-4.1-nano",
        api_key_env="OPENAI_API_KEY",
        price_in=0.40,
        price_out=1.60,
        small_price_in=0.10,
        small_price_out=0.40,
        context_tokens=32_768,
        in_flight=4,
    ),
    "ollama": Profile("ollama", "http://localhost:11434/v1", context_tokens=4096),
    "llamacpp": Profile("llamacpp", "http://localhost:8080/v1", context_tokens=4096, in_flight=1),
    "vllm": Profile("vllm", "http://localhost:8000/v1", in_flight=8),
    "lmstudio": Profile("lmstudio", "http://localhost:1234/v1", context_tokens=4096, in_flight=1),
}
"""Servers that need no more than their name."""

_RANGES: Mapping[str, tuple[float, float]] = {
    "context_tokens": (1024, 10_000_000),
    "in_flight": (1, 64),
    "call_seconds": (0.1, 3600),
    "dream_minutes": (0.01, 1440),
    "tries": (1, 10),
}
_CHOICES = {"fallback": (OFFLINE, "wait")}


def file_path() -> Path:
    """The person's own configuration file, which need not exist."""
    return config_folder() / FILE_NAME


def load(path: Path | None = None) -> tuple[dict[str, Profile], tuple[Problem, ...]]:
    """All usable profiles by name, and one problem for each that is not.

    Raises:
        NoctuaryError: Anybody on this machine may change the file.
    """
    path = path or file_path()
    if not path.is_file():
        return {}, ()
    try:
        document = tomllib.loads(trusted_text(path).removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        what = phrase("it is not TOML ({error}); no profile can be used", error=error)
        return {}, (Problem(str(path), what),)
    tables = document.get(SECTION, {})
    if not isinstance(tables, dict):
        return {}, (Problem(str(path), phrase("profiles must be sections, [profiles.NAME]")),)
    found: dict[str, Profile] = {}
    problems: list[Problem] = []
    for name, table in tables.items():
        try:
            found[name] = profile_from(name, table)
        except ValueError as error:
            what = phrase("profile {name} cannot be used: {error}", name=name, error=error)
            problems.append(Problem(str(path), what))
    return found, tuple(problems)


def find(name: str, path: Path | None = None) -> Profile:
    """The profile of this name.

    Raises:
        UsageError: There is none, or it is not usable.
    """
    found, problems = load(path)
    if name in found:
        return found[name]
    told = next((problem.said for problem in problems), "")
    if told:
        raise UsageError(
            phrase("There is no usable profile {name!r}: {told}.", name=name, told=told)
        )
    known = ", ".join(KNOWN)
    raise UsageError(
        phrase(
            "There is no profile {name!r}; make it with `noctuary profile add {name}` ({known} need only their name), or set distiller = {offline}.",
            name=name,
            known=known,
            offline=json.dumps(OFFLINE),
        )
    )


def profile_from(name: str, table: object) -> Profile:
    """A profile from its table; what is left out is as for the known server it builds on.

    Raises:
        ValueError: Says which key is wrong, and what it must be.
    """
    if not _NAME.fullmatch(name) or name == OFFLINE:
        raise ValueError(phrase('a name is letters, digits, ".", "_" and "-", and not "offline"'))
    if not isinstance(table, dict):
        raise ValueError(phrase("it must be a section with keys"))  # noqa: TRY004 - bad text, no bug
    keys = dict(table)
    server = keys.pop("server", name)
    base = KNOWN.get(server, Profile(name, "")) if isinstance(server, str) else Profile(name, "")
    known = {key.name: key for key in fields(Profile) if key.name != "name"}
    if unknown := sorted(set(keys) - set(known)):
        raise ValueError(phrase("there is no key {unknown}; remove it", unknown=unknown[0]))
    values = {key: _value(known[key], value) for key, value in keys.items()}
    profile = replace(base, name=name, **values)
    _check_address(profile)
    return profile


def _value(key: Any, raw: object) -> Any:  # noqa: ANN401 - by the type of the key
    kind = type(key.default) if key.default is not MISSING else str
    if kind is float and isinstance(raw, int) and not isinstance(raw, bool):
        raw = float(raw)
    if type(raw) is not kind:
        words = {str: phrase("a text"), int: phrase("a whole number"), float: phrase("a number")}
        raise ValueError(phrase("{name} must be {kind}", name=key.name, kind=words[kind]))
    if isinstance(raw, str):
        return _text(key.name, raw)
    low, high = _RANGES.get(key.name, (0, 1_000_000_000_000))
    if not isinstance(raw, int | float) or not low <= raw <= high:
        raise ValueError(
            phrase("{name} must be from {low:g} to {high:,g}", name=key.name, low=low, high=high)
        )
    return raw


def _text(key: str, raw: str) -> str:
    choices = _CHOICES.get(key)
    if choices and raw not in choices:
        raise ValueError(phrase("{key} must be one of {words}", key=key, words=listed(choices)))
    if any(ord(char) < 32 for char in raw) or len(raw) > 500:
        raise ValueError(phrase("{key} must be one short line", key=key))
    if key == "api_key_env" and raw and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", raw):
        raise ValueError(
            phrase("api_key_env must be the name of an environment variable, not the key")
        )
    return raw.rstrip("/") if key == "base_url" else raw


def _check_address(profile: Profile) -> None:
    try:
        parts = urlsplit(profile.base_url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ValueError(phrase("base_url must be an address such as http://localhost:8080/v1"))
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            phrase("base_url must hold no key and no query; name the key by api_key_env")
        )
    if parts.scheme == "http" and profile.api_key_env and not _is_loopback(parts.hostname):
        raise ValueError(phrase("a key may only be sent by https; change base_url"))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def known_profile(name: str, server: str = "", **changes: object) -> Profile:
    """A new profile: a known server by its name, or any by its address.

    Raises:
        UsageError: Something of it cannot be; says what.
    """
    if server and server not in KNOWN:
        raise UsageError(
            phrase(
                "There is no known server {server!r}; choose one of {names}.",
                server=server,
                names=listed(KNOWN),
            )
        )
    if not server and name not in KNOWN and not changes.get("base_url"):
        raise UsageError(
            phrase(
                "{name!r} is none of the known servers ({names}): give --server or --base-url.",
                name=name,
                names=listed(KNOWN),
            )
        )
    table = {
        "server": server or name,
        **{key: value for key, value in changes.items() if value is not None},
    }
    try:
        return profile_from(name, table)
    except ValueError as error:
        raise UsageError(
            phrase("Profile {name!r} cannot be made: {error}.", name=name, error=error)
        ) from error


def add(profile: Profile, path: Path | None = None, *, dry_run: bool = False) -> str:
    """Write a new profile at the end of the person's file; gives the text that was added.

    Raises:
        UsageError: There is one of this name already, or the file is not TOML.
    """
    path = path or file_path()
    found, problems = load(path)
    if profile.name in found:
        raise UsageError(
            phrase(
                "There is a profile {name} already; change it in {path}.",
                name=profile.name,
                path=path,
            )
        )
    if problems:
        raise UsageError(phrase("Nothing was added: {problems}.", problems=problems[0]))
    text = _as_text(profile)
    if not dry_run:
        _append(path, text)
    return text


def _append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8", newline="\n") as file:
        file.write(f"{_HEAD if new else ''}\n{text}")
        file.flush()
        os.fsync(file.fileno())


def _as_text(profile: Profile) -> str:
    is_bare = re.fullmatch(r"[A-Za-z0-9_-]+", profile.name)
    lines = [f"[{SECTION}.{profile.name if is_bare else _toml(profile.name)}]"]
    lines += [
        f"{key.name} = {_toml(getattr(profile, key.name))}"
        for key in fields(Profile)
        if key.name != "name" and _worth_writing(profile, key.name)
    ]
    return "\n".join(lines) + "\n"


_ALWAYS = ("base_url", "model", "fallback", "tokens_per_dream", "tokens_per_month")


def _worth_writing(profile: Profile, key: str) -> bool:
    bare = Profile(profile.name, "")
    value = getattr(profile, key)
    priced = key.startswith(("money", "currency")) and bool(profile.price_in + profile.price_out)
    unlike = any(getattr(other, key) != value for other in (bare, KNOWN.get(profile.name, bare)))
    return key in _ALWAYS or priced or unlike


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
