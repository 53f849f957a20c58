"""Makes Markdown inert that Obsidian, its plugins or a viewer would run, load or hide.

For text that goes onto pages which the daemon writes; a person's own files are never touched.
Text without anything active comes back as it is, and doing it twice changes nothing more.
"""

from __future__ import annotations

import re

from noctuary.memory.lazy import lazily

PLAIN_LANGUAGES = frozenset(
    [
        "text",
        "txt",
        "plaintext",
        "plain",
        "console",
        "bash",
        "sh",
        "zsh",
        "fish",
        "shell",
        "powershell",
        "ps1",
        "bat",
        "cmd",
        "python",
        "py",
        "pycon",
        "javascript",
        "js",
        "jsx",
        "typescript",
        "ts",
        "tsx",
        "json",
        "jsonc",
        "json5",
        "jsonl",
        "yaml",
        "yml",
        "toml",
        "ini",
        "cfg",
        "conf",
        "xml",
        "html",
        "css",
        "scss",
        "less",
        "sql",
        "sqlite",
        "graphql",
        "proto",
        "c",
        "h",
        "cpp",
        "hpp",
        "cc",
        "cs",
        "csharp",
        "java",
        "kotlin",
        "kt",
        "scala",
        "swift",
        "objc",
        "go",
        "golang",
        "rust",
        "rs",
        "ruby",
        "rb",
        "php",
        "perl",
        "pl",
        "r",
        "julia",
        "lua",
        "dart",
        "elixir",
        "ex",
        "erlang",
        "haskell",
        "hs",
        "clojure",
        "clj",
        "lisp",
        "scheme",
        "ocaml",
        "ml",
        "fsharp",
        "zig",
        "nim",
        "v",
        "d",
        "nix",
        "make",
        "makefile",
        "cmake",
        "dockerfile",
        "docker",
        "diff",
        "patch",
        "log",
        "http",
        "csv",
        "tsv",
        "md",
        "markdown",
        "rst",
        "tex",
        "latex",
        "vim",
        "asm",
        "nginx",
        "terraform",
        "hcl",
        "env",
        "properties",
        "svelte",
        "vue",
        "groovy",
        "gradle",
        "solidity",
        "matlab",
    ]
)

CONTROL = lazily("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""What a terminal may obey and no text needs, and halves of characters."""
_ROUNDS = 8
_TAG_LINES = 20


def neutralise(text: str) -> str:
    """The text with everything active in it broken, still readable, its lines ended by LF alone.

    Control characters and halves of characters become U+FFFD: a bare CR would end a quotation.
    """
    if CONTROL.search(text):
        text = CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    for _ in range(_ROUNDS):
        done = _once(text)
        if done == text:
            break
        text = done
    return text


def _once(text: str) -> str:
    if not _MAYBE_ACTIVE.search(text):
        return text
    lines = text.split("\n")
    strict = "$" in text
    done: list[str] = []
    at = 0
    while at < len(lines):
        end = _fence_end(lines, at)
        if end:
            done.extend(_fence(lines[at:end], strict))
            at = end
        else:
            done.append(_line(lines, at, strict))
            at += 1
    return "\n".join(done)


_MAYBE_ACTIVE = lazily(r"[<`~!\[]|%%|\{\{")

# ---------------------------------------------------------------- code fences

_OPENING = lazily(r"([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*)(`{3,}(?=[^`]*$)|~{3,})(.*)")
_LABEL = lazily(r"(\s*)([^\s{]*)(.*)", re.DOTALL)


def _fence_end(lines: list[str], start: int) -> int:
    """The line behind a code block that surely is one; 0 if none begins here.

    Inside a quote or list each of its lines must go on with the same prefix, since a viewer ends
    the code where the prefix ends.
    """
    opening = _OPENING.fullmatch(lines[start])
    if opening is None:
        return 0
    prefix = re.sub(r"[^ \t>]", " ", opening[1])
    closing = re.compile(rf" {{0,3}}{opening[2][0]}{{{len(opening[2])},}}[ \t\r]*")
    for at in range(start + 1, len(lines)):
        if not lines[at].startswith(prefix):
            return 0
        if closing.fullmatch(lines[at], len(prefix)):
            return at + 1
    return 0


def _fence(lines: list[str], strict: bool) -> list[str]:
    opening = _OPENING.fullmatch(lines[0])
    if opening is None:
        return lines
    head = opening[1] + opening[2] + _label(opening[3])
    inner = [_code(line, strict) for line in lines[1:-1]]
    return [head, *inner, lines[-1]]


def _label(info: str) -> str:
    """The language of a fence, `text` in place of one that a plugin might run."""
    space, language, rest = _LABEL.fullmatch(info).groups()  # type: ignore[union-attr]
    if language.casefold() in PLAIN_LANGUAGES and not rest.strip().startswith("{"):
        return info
    return info if not info.strip() else f"{space}text"


def _code(text: str, strict: bool) -> str:
    """Inside code only templates run; `strict` where a viewer may see math and not code."""
    text = text.replace("<%", "< %")
    return _break_openers(text) if strict else text


# ---------------------------------------------------------------- lines

_SPAN = lazily(r"(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)")
_REFERENCE = lazily(r"^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*)(\[(?!\^)[^\]]*\]:)")
_TILDES = lazily(r"^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*)(~{3,})")


def _line(lines: list[str], at: int, strict: bool) -> str:
    line = _REFERENCE.sub(r"\1\\\2", lines[at], count=1) if "]:" in lines[at] else lines[at]
    line = _TILDES.sub(r"\1\\\2", line, count=1) if _TILDES.match(line) else line
    done, end = [], 0
    later = _rest_of_paragraph(lines, at + 1)
    for kind, start, stop in _spans(line):
        done.append(_prose(line[end:start], line[start:] + later, first=not end))
        inner = line[start:stop]
        done.append(_span(inner, strict) if kind == "code" else inner)
        end = stop
    done.append(_prose(line[end:], later, first=not end))
    return "".join(done)


def _rest_of_paragraph(lines: list[str], at: int) -> str:
    """The next lines as far as a tag could reach, each with its line feed in front."""
    found: list[str] = []
    for line in lines[at : at + _TAG_LINES]:
        if not line.strip():
            break
        found.append("\n" + line)
    return "".join(found)


def _spans(line: str) -> list[tuple[str, int, int]]:
    """Code spans and escaped backticks of a line, in order."""
    found: list[tuple[str, int, int]] = []
    at = 0
    while (tick := line.find("`", at)) >= 0:
        if _escaped(line, tick):
            found.append(("escaped", tick, tick + 1))
            at = tick + 1
            continue
        match = _SPAN.match(line, tick)
        if match is None:
            at = tick + len(line[tick:]) - len(line[tick:].lstrip("`"))
        else:
            found.append(("code", tick, match.end()))
            at = match.end()
    return found


def _escaped(line: str, at: int) -> bool:
    before = line[:at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


_QUERY = lazily(r"(`+)(\s*)(?=\$?=|(?:BUTTON|INPUT|VIEW)\[|button-)")


def _span(code: str, strict: bool) -> str:
    return _code(_QUERY.sub(r"\1\2\\", code, count=1), strict)


# ---------------------------------------------------------------- prose

_LOCAL = lazily(r"!\[[^\[\]\n]*\]\((?!/)[\w\-./ ]+\)|!\[\[(?![/\\])[^\[\]\n:\\]+\]\]")
_IMAGE = lazily(r"!(?:\[[^\[\]\n]*\]\([^()\n]*\)|\[\[[^\[\]\n]*\]\])")
_IMAGE_OPENER = lazily(r"!(?=\[)")
_LINK = lazily(
    r"(?<!!)\[([^\[\]\n]*)\]\(\s*<?((?:[A-Za-z][A-Za-z0-9+.-]*:|//|\\\\|&)[^\s()<>]*)>?[^()\n]*\)"
)
_ATTRIBUTES = (
    r"""(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*"""
    r"""(?:\s*/?>|\s+[A-Za-z_:][\w.:-]*\s*=\s*(?:"[^"]*|'[^']*)\Z)"""
)
_TAG = lazily(
    r"<(?:!--|!\[|![A-Za-z]|\?|/[A-Za-z]"
    rf"|[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTES}"
    r"|(?!(?:https?|mailto):[^\s<>]*>)[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*>)"
)
_LINE_TAG = lazily(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*<(?=[A-Za-z/!?])(?!\w+:)")


def _prose(text: str, later: str, *, first: bool) -> str:
    """Text outside code; `later` is what follows it, `first` says that it begins its line."""
    if not text:
        return text
    visible = _LINK.sub(_visible, _images(text))
    if visible != text:
        # What has just become code must be seen as code before anything else is escaped.
        return visible
    text = re.sub(r"(?<!\\)((?:\\\\)*)`", _tick, text)
    text = text.replace("<%", "< %")
    text = re.sub(r"%(?=%)", "% ", text)
    text = re.sub(r"\{(?=\{)", "{ ", text)
    return _tags(text, later, first=first)


def _tick(match: re.Match[str]) -> str:
    return f"{match[1]}\\`"


def _images(text: str) -> str:
    """Embeds of anything but a file of the vault become code, so that nothing is loaded."""
    done, at = [], 0
    for opener in _IMAGE_OPENER.finditer(text):
        if opener.start() < at:
            continue
        done.append(text[at : opener.start()])
        shown, at = _image(text, opener.start())
        done.append(shown)
    return "".join(done) + text[at:]


def _image(text: str, start: int) -> tuple[str, int]:
    local = _LOCAL.match(text, start)
    if local is not None:
        return local[0], local.end()
    whole = _IMAGE.match(text, start)
    if whole is not None and "`" not in whole[0]:
        return f"`{whole[0]}`", whole.end()
    return "! ", start + 1


def _visible(match: re.Match[str]) -> str:
    """A link as text that shows where it leads."""
    label, target = match[1].strip(), match[2]
    shown = target if re.match(r"(?:https?|mailto):", target, re.IGNORECASE) else f"`{target}`"
    return shown if not label or label == target else f"{label} ({shown})"


def _tags(text: str, later: str, *, first: bool) -> str:
    """Raw HTML with its first character escaped."""
    if "<" not in text:
        return text
    opening = _LINE_TAG.match(text) if first else None
    done = []
    for at, char in enumerate(text):
        active = char == "<" and (
            (opening is not None and at == opening.end() - 1)
            or (not _escaped(text, at) and _TAG.match(text + later, at) is not None)
        )
        done.append("\\<" if active else char)
    return "".join(done)


def _break_openers(text: str) -> str:
    return _tags(_IMAGE_OPENER.sub("! ", text), "", first=False)


def says(quote: str, text: str) -> bool:
    """True when the quote stands in the text, either of them as it was or made inert.

    A line alone may be broken where the whole text is not (inside a code fence), so in the end
    what breaking adds is left out of the comparison.
    """
    if quote in text:
        return True
    inert = neutralise(text)
    if quote in inert or neutralise(quote) in inert:
        return True
    core = _core(quote)
    return bool(core) and (core in _core(text) or core in _core(inert))


_ADDED = lazily(r"[\\\s`()\[\]]|\ufffd")


def _core(text: str) -> str:
    return _ADDED.sub("", CONTROL.sub("", text))
