from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.secrets import finds, redact

HEX = "0123456789abcdef" * 4
MIX = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7" * 4

FOUND = [
    ("github-token", "ghp_" + MIX[:36]),
    ("github-token", "github_pat_" + MIX[:40]),
    ("gitlab-token", "glpat-" + MIX[:20]),
    ("anthropic-key", "sk-ant-api03-" + MIX[:40]),
    ("openai-key", "sk-proj-" + MIX[:40]),
    ("aws-key", "AKIA" + "ABCDEFGH12345678"),
    ("google-key", "AIza" + MIX[:35]),
    ("slack-token", "xoxb-" + "123456789012-abcdef"),
    ("stripe-key", "sk_live_" + MIX[:24]),
    ("huggingface-token", "hf_" + MIX[:34]),
    ("npm-token", "npm_" + MIX[:36]),
    ("pypi-token", "pypi-" + MIX[:60]),
    ("telegram-token", "123456789:AA" + MIX[:33]),
    ("digitalocean-token", "dop_v1_" + HEX),
    ("jwt", "eyJ" + MIX[:20] + ".eyJ" + MIX[:20] + "." + MIX[:20]),
    ("card-number", "4111 1111 1111 1111"),
    ("iban", "DE89 3704 0044 0532 0130 00"),
    ("id-number", "11010519491231002X"),
]


@pytest.mark.parametrize(("kind", "secret"), FOUND)
def test_known_tokens_are_replaced_whole(kind: str, secret: str) -> None:
    for text in (f"use {secret} now", f"用{secret}。"):
        clean = redact(text)
        assert secret not in clean
        assert re.search(rf"\[secret:{kind}:[0-9a-f]{{8}}\]", clean)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my password is hunter2xyz ok", "hunter2xyz"),
        ("the password for the wifi is Blue-42-Sky.", "Blue-42-Sky"),
        ("密码是abc123!，别说", "abc123!"),
        ("我的wifi密码：qwer1234", "qwer1234"),
        ("api_key = 'abcd1234efgh5678'", "abcd1234efgh5678"),
        ("TOKEN=a8s7d6f5g4h3", "a8s7d6f5g4h3"),
        ("postgres://ann:p4ssw0rd@db/x", "p4ssw0rd"),
        ("Authorization: Bearer abcdefghij0123456789xyz", "abcdefghij0123456789xyz"),
        ("the pin is 4829", "4829"),
    ],
)
def test_only_the_value_behind_the_word_goes(text: str, value: str) -> None:
    clean = redact(text)
    assert value not in clean
    assert clean.startswith(text[: text.index(value)])


def test_a_private_key_goes_from_head_to_foot() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----"
    assert re.fullmatch(r"a \[secret:private-key:\w{8}\] b", redact(f"a {key} b"))


@pytest.mark.parametrize(
    "text",
    [
        "The password is important and the token expires.",
        "Password reset is done; the secret is out.",
        "api_key = os.environ['API_KEY'] and token: string",
        "password=your_password_1 token=${TOKEN1}",
        "hashed_password = argon2.hash_password(password)",
        "密码是什么？密码是必填的。",
        "order 1234 5678 9012 3456 and 2024-03-15 14:00:00",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "call 13812345678 or +86 138 1234 5678",
        "see https://a.org:8080/x@y and task-123-and-more-words-here",
    ],
)
def test_prose_and_placeholders_stay(text: str) -> None:
    assert redact(text) == text


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.text(max_size=20), st.text(max_size=20))
def test_offsets_are_exact(before: str, after: str) -> None:
    text = f"{before} ghp_{MIX[:36]} {after}"
    assert all(text[secret.start : secret.end] == secret.text for secret in finds(text))
    assert finds(text)
