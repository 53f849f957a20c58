"""Whose words stand in a Claude Code record: the person's, the machine's, or a summary's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.intake.text import without_blocks
from noctuary.intake.times import RecordError
from noctuary.memory.entry import Role
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Mapping

    Block = Mapping[str, object]

MACHINE_TAGS = (
    "system-reminder",
    "command-name",
    "command-message",
    "command-contents",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "user-prompt-submit-hook",
    "task-notification",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "new-diagnostics",
)
"""Blocks that Claude Code puts among the person's words."""

_ARGUMENTS = re.compile(r"<command-args>([^<]*)</command-args>")
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]{0,40}\]")
_CONTINUED = "This session is being continued from a previous conversation"
_FILLERS = frozenset({"(no content)", "No response requested."})


def blocks(record: Mapping[str, object]) -> list[Block]:
    """The content of a record's message as blocks, a plain string as one text block.

    Raises:
        RecordError: There is no message, or its content is neither text nor blocks.
    """
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise RecordError(
            phrase('the {kind} record has no "message" with content', kind=record.get("type"))
        )
    return [block for block in content if isinstance(block, dict)]


def texts(content: object) -> list[str]:
    """The texts in a string or in a list of blocks, pictures and the like left out."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    found = (block.get("text") for block in content if isinstance(block, dict))
    return [text for text in found if isinstance(text, str)]


def human(text: str) -> str:
    """What the person typed: without what Claude Code put around it, slash commands' words kept."""
    said = _ARGUMENTS.sub(_sentence, text)
    said = without_blocks(said, MACHINE_TAGS)
    return _INTERRUPTED.sub("", said).strip() if "[Request int" in said else said


def _sentence(arguments: re.Match[str]) -> str:
    """Arguments of several words are words of the person; a single one is a switch."""
    return arguments[1] if " " in arguments[1].strip() or not arguments[1].isascii() else ""


def speaker(record: Mapping[str, object], text: str) -> Role:
    """The person, unless the record says that the words came from elsewhere."""
    origin = record.get("origin")
    kind = origin.get("kind", "human") if isinstance(origin, dict) else "human"
    summary = record.get("isCompactSummary") is True or text.startswith(_CONTINUED)
    return Role.SYSTEM if summary or kind != "human" else Role.USER


def queued(record: Mapping[str, object]) -> str:
    """What the person typed while the agent was at work; empty when the attachment is another."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return ""
    by_machine = attachment.get("isMeta") is True or speaker(attachment, "") is not Role.USER
    if by_machine or attachment.get("commandMode", "prompt") != "prompt":
        return ""
    return human("\n\n".join(texts(attachment.get("prompt"))))


def agent_text(block: Block) -> str:
    """What the agent said in a text block; empty for other blocks and for fillers."""
    text = block.get("text") if block.get("type") == "text" else None
    return text if isinstance(text, str) and text.strip() not in _FILLERS else ""


def project_of(folder: str) -> str:
    """Name of the project that a working folder belongs to, on any platform."""
    parts = re.split(r"[/\\]+", folder.split("/.claude/", 1)[0].rstrip("/\\"))
    return parts[-1].removesuffix(":")
