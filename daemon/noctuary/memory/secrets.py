"""Finds secrets in text and replaces them by a name and a short hash."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret at `text[start:end]`; `kind` names it without showing it."""

    kind: str
    start: int
    end: int
    text: str

    @property
    def mask(self) -> str:
        """What stands in its place, `[secret:github-token:ab12cd34]`."""
        digest = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return f"[secret:{self.kind}:{digest}]"


_WORDISH = r"[A-Za-z0-9_-]"
_BARE = r"(?<![A-Za-z0-9_-])"
_VALUE = r"(?P<value>[^\s\"'`,;，。；、（）()<>\[\]]{6,200}+)(?!\()"
_NAMED = r"(?:(?:api|secret|access)[_-]?key|secret|passwd|password|passphrase|pwd|token)"
_UNNAMED = r"(?<![A-Za-z0-9])"
_BEGIN, _END = (rf"-----{word} [A-Z ]{{0,30}}PRIVATE KEY-----" for word in ("BEGIN", "END"))
_PASSWORD_WORDS = ("password", "passphrase", "pwd")
_NAMES = (*_PASSWORD_WORDS, "key", "secret", "token", "passwd")

_RULES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private-key",
        ("-----begin",),
        rf"{_BEGIN}(?:(?!-----END)[\s\S]){{0,10000}}(?:{_END})?",
    ),
    ("github-token", ("gh",), rf"{_BARE}gh[pousr]_[A-Za-z0-9]{{30,255}}"),
    ("github-token", ("github_pat",), rf"{_BARE}github_pat_[A-Za-z0-9_]{{22,255}}"),
    ("gitlab-token", ("gl",), rf"{_BARE}gl(?:pat|dt|rt|ptt)-{_WORDISH}{{20,64}}"),
    ("anthropic-key", ("sk-ant-",), rf"{_BARE}sk-ant-{_WORDISH}{{20,200}}"),
    ("openai-key", ("sk-",), rf"{_BARE}sk-(?:proj-|svcacct-|admin-)?{_WORDISH}{{20,200}}"),
    (
        "aws-key",
        ("akia", "asia", "agpa", "aida"),
        rf"{_UNNAMED}(?:AKIA|ASIA|AGPA|AIDA)[A-Z0-9]{{16}}(?![A-Za-z0-9])",
    ),
    ("google-key", ("aiza",), rf"{_BARE}AIza{_WORDISH}{{35}}"),
    ("google-token", ("ya29.",), rf"{_UNNAMED}ya29\.[A-Za-z0-9_-]{{20,400}}"),
    ("slack-token", ("xox",), rf"{_UNNAMED}xox[abeoprs]-[A-Za-z0-9-]{{10,200}}"),
    ("slack-webhook", ("slack",), r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,100}"),
    (
        "stripe-key",
        ("sk_", "rk_", "pk_", "whsec_"),
        rf"{_BARE}(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{{16,120}}",
    ),
    ("huggingface-token", ("hf_",), rf"{_BARE}hf_[A-Za-z0-9]{{30,60}}"),
    ("npm-token", ("npm_",), rf"{_BARE}npm_[A-Za-z0-9]{{36}}"),
    ("pypi-token", ("pypi-",), rf"{_BARE}pypi-{_WORDISH}{{50,250}}"),
    ("sendgrid-key", ("sg.",), rf"{_BARE}SG\.{_WORDISH}{{16,32}}\.{_WORDISH}{{30,64}}"),
    ("telegram-token", (":aa",), r"(?<![A-Za-z0-9:])\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("digitalocean-token", ("_v1_",), rf"{_BARE}do[opr]_v1_[a-f0-9]{{64}}"),
    (
        "jwt",
        ("eyj",),
        rf"{_BARE}eyJ{_WORDISH}{{8,2000}}\.eyJ{_WORDISH}{{8,4000}}\.{_WORDISH}{{10,1000}}",
    ),
    (
        "url-password",
        ("://",),
        r"[a-z][a-z0-9+.]{1,20}://[^\s:/@]{0,64}:(?P<value>[^\s@/]{3,128})@",
    ),
    ("bearer-token", ("bearer",), r"(?i:\bbearer)[ ]+(?P<value>[A-Za-z0-9._~+/=-]{20,2000})"),
    ("secret", _NAMES, rf"(?i:{_NAMED})[\"']?[ ]?(?:=|:|=>|：)[ ]?[\"'`]?{_VALUE}"),
    (
        "password",
        _PASSWORD_WORDS,
        (
            r"(?i:\b(?:password|passphrase|pwd)\b[^.\n:=]{0,30}?[ ](?:is|was|to)[ ])"
            rf"[\"'`“]?{_VALUE}"
        ),
    ),
    (
        "password",
        ("密码", "口令", "密钥", "令牌"),
        (
            r"(?:密码|口令|密钥|令牌)[^。，\n:：]{0,10}?(?:是|为|：|:|改成|设为|设成)[ ]?[\"'`“「]?"
            r"(?P<value>[!-~]{4,200})"
        ),
    ),
    (
        "pin",
        ("pin", "passcode"),
        (
            r"(?i:\b(?:pin|passcode)(?:[ ]code)?\b)[^.\n:=]{0,30}?(?:[ ]is|:|=)[ ]?"
            r"(?P<value>\d{4,8})(?!\d)"
        ),
    ),
    ("card-number", (), r"(?<![\d.-])(?P<value>\d(?:[ -]?\d){12,18})(?![\d.-])"),
    (
        "iban",
        (),
        rf"{_UNNAMED}[A-Z]{{2}}\d{{2}}(?:[ ]?[A-Z0-9]{{4}}){{3,7}}(?:[ ]?[A-Z0-9]{{1,3}})?\b",
    ),
    (
        "id-number",
        (),
        r"(?<!\d)[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dXx](?!\d)",
    ),
)
"""Kind, signs of which one stands (in lower case) in any
text with such a secret (none for bare numbers), pattern."""
_NUMBERS = tuple(place for place, (_, signs, _rule) in enumerate(_RULES) if not signs)
_BY_SIGN = tuple(
    (sign, tuple(place for place, (_, signs, _rule) in enumerate(_RULES) if sign in signs))
    for sign in dict.fromkeys(sign for _, signs, _rule in _RULES for sign in signs)
)
_MASK = lazily(r"\[secret:[a-z-]{2,30}:[0-9a-f]{8}\]")
"""What stands for a secret already is none, so that redacting twice changes nothing more."""
_DIGITS = lazily(r"\D")
_PLACEHOLDER = lazily(
    r"[{}$%*]|^(?:x{3,}|\.{3,}|your|my|the|some|example|changeme|none|null|true|false|str|string"
    r"|os\.|env|process\.|self\.|request|config|settings|\[secret:)",
    re.IGNORECASE,
)
_DIGIT = lazily(r"\d")
_LONG_NUMBER = lazily(r"\d(?:[ -]?\d){11}|[A-Z]{2}\d{2}[ ]?[A-Z0-9]{4}")


def finds(text: str) -> list[Secret]:
    """Secrets in order of place, never overlapping."""
    found: list[Secret] = []
    masked = [(mask.start(), mask.end()) for mask in _MASK.finditer(text)]
    for kind, rule in _rules_for(text):
        group = "value" if "value" in rule.groupindex else 0
        for hit in rule.finditer(text):
            secret = Secret(kind, hit.start(group), hit.end(group), hit[group])
            inside = any(start < secret.end and secret.start < end for start, end in masked)
            if not inside and _plausible(secret) and not _taken(secret, found):
                found.append(secret)
    return sorted(found, key=lambda secret: secret.start)


def _rules_for(text: str) -> list[tuple[str, re.Pattern[str]]]:
    """Those rules that can find something, by cheap signs; most text passes none."""
    lowered = text.lower()
    places = {place for sign, there in _BY_SIGN if sign in lowered for place in there}
    if _DIGIT.search(text) and _LONG_NUMBER.search(text):
        places.update(_NUMBERS)
    return [_compiled(place) for place in sorted(places)]


@cache
def _compiled(place: int) -> tuple[str, re.Pattern[str]]:
    kind, _, rule = _RULES[place]
    return kind, re.compile(rule)


def redact(text: str) -> str:
    """The text with every secret replaced; text without any comes back as it is."""
    out, at = [], 0
    for secret in finds(text):
        out += [text[at : secret.start], secret.mask]
        at = secret.end
    return "".join(out) + text[at:] if out else text


PRIVATE = "[private]"


def private_pattern(terms: Iterable[str]) -> re.Pattern[str] | None:
    """What finds a person's private terms, the longest first; None where there are none."""
    words = [_whole(term) for term in sorted(terms, key=len, reverse=True) if term.strip()]
    return re.compile("|".join(words), re.IGNORECASE) if words else None


def _whole(term: str) -> str:
    """A pattern for the term; Latin letters around it make it part of another word."""
    before = r"(?<![A-Za-z0-9])" if term[0].isascii() and term[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if term[-1].isascii() and term[-1].isalnum() else ""
    return before + re.escape(term) + after


def _taken(secret: Secret, found: list[Secret]) -> bool:
    return any(secret.start < other.end and other.start < secret.end for other in found)


def _plausible(secret: Secret) -> bool:
    """Whether what a rule caught is a secret rather than a word of prose or a placeholder."""
    said = secret.text
    match secret.kind:
        case "card-number":
            return _luhn(_DIGITS.sub("", said))
        case "iban":
            return _iban(said.replace(" ", ""))
        case "id-number":
            return _id_number(said)
        case "openai-key" | "stripe-key" | "bearer-token":
            return any(char.isdigit() for char in said) and not _PLACEHOLDER.search(said)
        case "slack-token":
            return "your" not in said.lower()
        case "secret" | "password" | "url-password":
            return not _PLACEHOLDER.search(said) and _mixed(said)
    return True


def _mixed(said: str) -> bool:
    """Passwords mix kinds of characters; words of prose do not."""
    said = said.rstrip(".!?:")
    if not said or said.startswith("["):
        return False
    digit, letter, sign = (any(map(kind, said)) for kind in (str.isdigit, str.isalpha, _is_sign))
    mixed = digit + letter + sign > 1 and not said.replace("-", "").replace("'", "").isalpha()
    return mixed if not digit else len(said) >= 6 or mixed


def _is_sign(char: str) -> bool:
    return char.isascii() and not char.isalnum() and char not in "._/()"


def _luhn(digits: str) -> bool:
    """The check digit of payment cards, and their first digit."""
    if digits[0] not in "23456" or len(set(digits)) < 2:
        return False
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _iban(said: str) -> bool:
    digits = "".join(str(int(char, 36)) for char in said[4:] + said[:4])
    return int(digits) % 97 == 1


_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _id_number(said: str) -> bool:
    """The check digit of a Chinese resident identity number."""
    total = sum(int(char) * weight for char, weight in zip(said, _ID_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == said[-1].upper()
