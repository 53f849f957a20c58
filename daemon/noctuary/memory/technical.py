"""The patterns of what machines read: URLs, addresses, identifiers, paths, versions, commands."""

from __future__ import annotations

import re
from functools import cache

from noctuary.memory.lazy import lazily

_EXTENSIONS = (
    "py|pyi|ipynb|js|mjs|ts|tsx|jsx|vue|md|txt|rst|json|jsonl|ya?ml|toml|ini|cfg|conf|csv|tsv|sql"
    "|sh|bash|ps1|bat|go|rs|java|kt|c|h|cpp|hpp|cs|rb|php|html?|css|scss|svelte|xml|log|lock|env"
    "|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|webp|mp[34]|wav|zip|tar|gz|tgz|db|sqlite3?|parquet"
    "|pkl|pt|onnx|gguf|exe|dll|so|jar|tf|proto|service|mako|j2"
)
_TOOLS = (
    "git|pip3?|uv|npm|npx|yarn|pnpm|python3?|pytest|docker|kubectl|helm|cargo|go|make|cd|ls|cp|mv"
    "|rm|mkdir|curl|wget|ssh|scp|brew|apt|apt-get|sudo|flask|django-admin|alembic|gunicorn|uvicorn"
    "|node|conda|poetry|terraform|ansible|psql|mysql|sqlite3|redis-cli|systemctl|tar|grep|find"
    "|chmod|chown|export|source|echo|cat|ruff|mypy|black|heroku|aws|gcloud|az|bash|sh|noctuary"
)
_SEGMENT = r"[A-Za-z0-9_.@+%~-]"
_URL = r"\b(?:https?|ftp|ssh|postgres(?:ql)?|redis|mysql|sqlite)://[^\s<>\"'`）)，。；、\]]+"
_EMAIL = (
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}"
)
_ID = (
    r"(?<![\w-])(?=[0-9a-fA-F#+A-Z])(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,64}|[A-Z]{2,10}-\d{1,8}|\#\d{1,8}"
    r"|(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?"
    r"|\+\d{1,3}[ -]?(?:\d{2,5}[ -]?){2,4}\d{2,4}|\d{3}-\d{3,4}-\d{4})(?![\w-])"
)
_PATH = (
    rf"(?<![A-Za-z0-9_.:/\\~@+%<-])(?:(?:~|\.{{1,2}})?/{_SEGMENT}+(?:/{_SEGMENT}+)*/?"
    rf"|[A-Za-z]:\\[^\s\"'<>|*?]+"
    rf"|{_SEGMENT}+(?:/{_SEGMENT}+)*\.(?:{_EXTENSIONS})(?![A-Za-z0-9_]))"
)
_VERSION = (
    r"(?<![A-Za-z0-9_.])(?:v\d{1,6}(?:\.\d{1,6}){0,4}|\d{1,6}(?:\.\d{1,6}){2,4})"
    r"(?:-?(?:rc|alpha|beta|b|a)\.?\d{1,3})?(?![A-Za-z0-9_]|\.\d)"
    r"|\bversion[ ](?P<en>\d{1,6}(?:\.\d{1,6}){0,4})(?![\w]|\.\d)"
    r"|第(?P<zh>\d{1,4}|[一二三四五六七八九十百]{1,5})版|(?P<zv>\d{1,4}(?:\.\d{1,4}){1,3})版本?"
    r"|版本(?:号)?(?:是|为|：|:)?[ ]?v?(?P<zw>\d{1,4}(?:\.\d{1,4}){0,3})"
)
_RULES = {"url": _URL, "email": _EMAIL, "id": _ID, "path": _PATH, "version": _VERSION}
_NUMBERED = lazily(r"\d|第")
_DOTTED = lazily(r"[/\\]|\.[A-Za-z]")

COMMAND = lazily(rf"(?:\$ )?(?:{_TOOLS})(?: |$)")
"""Inline code that begins like this is a command."""


def pattern(text: str) -> re.Pattern[str] | None:
    """The expression for the kinds that `text` can hold at all, by cheap signs; None for none."""
    numbered = _NUMBERED.search(text) is not None
    return _compiled("://" in text, "@" in text, numbered, _DOTTED.search(text) is not None)


@cache
def _compiled(url: bool, email: bool, numbered: bool, dotted: bool) -> re.Pattern[str] | None:
    wanted = {"url": url, "email": email, "id": numbered, "path": dotted, "version": numbered}
    rules = [f"(?P<{name}>{_RULES[name]})" for name, there in wanted.items() if there]
    return re.compile("|".join(rules)) if rules else None


def kind(hit: re.Match[str]) -> str:
    """Which of the kinds a hit of `pattern` is."""
    found = hit.groupdict()
    return next(name for name in _RULES if found.get(name))
