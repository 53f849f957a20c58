from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary import profiles
from noctuary.errors import NoctuaryError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOCTUARY_CONFIG", str(tmp_path / "own"))
    return tmp_path / "own" / "config.toml"


@pytest.mark.parametrize("name", profiles.KNOWN)
def test_known_servers_need_only_their_name(name: str, config: Path) -> None:
    profiles.add(profiles.known_profile(name))
    assert profiles.find(name) == profiles.KNOWN[name]
    assert config.stat().st_mode & 0o077 == 0


def test_what_is_added_is_read_back(config: Path) -> None:
    made = profiles.known_profile(
        "my.own-1",
        "ollama",
        model='qwen "x"',
        context_tokens=8192,
        tokens_per_month=0,
        fallback="wait",
    )
    profiles.add(made)
    profiles.add(profiles.known_profile("ollama", model="m", context_tokens=8192))
    found, problems = profiles.load()
    assert problems == ()
    assert found["my.own-1"] == made
    assert found["ollama"].context_tokens == 8192
    assert made.tokens_per_month == 0


def test_a_name_in_any_script_can_be_read_in_the_file(config: Path) -> None:
    made = profiles.known_profile("我的服务", "ollama")
    profiles.add(made)
    assert 'profiles."我的服务"' in config.read_text("utf-8")
    assert profiles.find("我的服务") == made


def test_what_stands_in_the_file_stays(config: Path) -> None:
    config.parent.mkdir()
    config.write_text("# mine\n[other]\na = 1", "utf-8")
    profiles.add(profiles.known_profile("vllm"))
    assert config.read_text("utf-8").startswith("# mine\n[other]\na = 1\n")
    with pytest.raises(UsageError, match="already"):
        profiles.add(profiles.known_profile("vllm"))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('base_url = "ftp://x/v1"', "base_url"),
        ('base_url = "http://user:pw@x/v1"', "no key"),
        ('base_url = "http://x.example/v1"\napi_key_env = "K"', "https"),
        ('base_url = "http://[::1/v1"', "base_url"),
        ('api_key_env = "sk-1234 5678"', "name of an environment variable"),
        ('model = 3', "model must be a text"),
        ("in_flight = 0", "from 1 to 64"),
        ("in_flight = true", "whole number"),
        ("price_in = -1", "price_in must be from 0"),
        ("price_in = nan", "price_in must be from 0"),
        ('fallback = "shrug"', "offline, wait"),
        ("modle = 1", "there is no key modle"),
        ('model = "a\\nb"', "one short line"),
    ],
)  # fmt: skip
def test_a_bad_profile_is_named_and_not_used(config: Path, text: str, what: str) -> None:
    config.parent.mkdir()
    config.write_text(f"[profiles.vllm]\n{text}\n\n[profiles.ollama]\n", "utf-8")
    found, problems = profiles.load()
    assert list(found) == ["ollama"]
    assert what in problems[0].what
    with pytest.raises(UsageError, match="no usable profile 'vllm'"):
        profiles.find("vllm")


def test_an_unknown_profile_says_how_to_make_it(config: Path) -> None:
    with pytest.raises(UsageError, match="noctuary profile add mine"):
        profiles.find("mine")
    with pytest.raises(UsageError, match="--base-url"):
        profiles.known_profile("mine")
    with pytest.raises(UsageError, match='not "offline"'):
        profiles.known_profile("offline", "ollama")


def test_a_file_that_anybody_may_change_is_not_used(config: Path) -> None:
    profiles.add(profiles.known_profile("ollama"))
    config.chmod(0o666)
    with pytest.raises(NoctuaryError, match="chmod"):
        profiles.load()


def test_a_torn_file_is_left_alone(config: Path) -> None:
    config.parent.mkdir()
    config.write_text("[profiles\nx", "utf-8")
    with pytest.raises(UsageError, match="not TOML"):
        profiles.add(profiles.known_profile("ollama"))
    assert config.read_text("utf-8") == "[profiles\nx"


def test_the_key_is_taken_from_the_named_variable_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = profiles.KNOWN["openai"]
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match=r"\$OPENAI_API_KEY"):
        profile.key()
    monkeypatch.setenv("OPENAI_API_KEY", " k ")
    assert profile.key() == "k"
    assert profiles.KNOWN["ollama"].key() == ""


def test_where_entries_go_is_told() -> None:
    assert profiles.KNOWN["ollama"].shown().endswith("localhost:11434, on this machine")
    assert profiles.KNOWN["openai"].shown().endswith("at api.openai.com")


@given(st.dictionaries(st.sampled_from([*profiles.Profile.__dataclass_fields__, "server"]),
                       st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none())),
       st.text())  # fmt: skip
def test_any_table_is_a_profile_or_a_named_error(table: dict[str, object], name: str) -> None:
    try:
        profile = profiles.profile_from(name, table)
    except ValueError:
        return
    assert profile.base_url.startswith("http")
