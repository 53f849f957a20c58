"""Founds a vault: settings, the person's page, what Obsidian and git want, and a repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.config import FILE_NAME, initial, parse
from noctuary.errors import UsageError
from noctuary.memory.lazy import lazily
from noctuary.resources import person_language, templates
from noctuary.tongue import phrase, spoken
from noctuary.vault.create import create, ignore_files, machine_zone
from noctuary.vault.history import GitState, History, Standing

if TYPE_CHECKING:
    import re
    from pathlib import Path

OBSIDIAN = (
    "types.json",
    "daily-notes.json",
    "graph.json",
    "appearance.json",
    "snippets/noctuary.css",
)
READ = lazily(r"(?m)(?P<key>^ *(?:- )?(?:displayN|n)ame: )(?P<name>.+)\n|(?:^# .*\n)+")
"""What a person reads of a file of settings."""
SNIPPET_OFF = phrase(
    "Obsidian has its own appearance settings here: switch the CSS snippet noctuary on there."
)


@dataclass(frozen=True, slots=True)
class Created:
    """What making a vault added.

    Attributes:
        made: Files and folders that were added, relative to the root.
        kept: Files that were there already and were left as they are.
        already: The folder was a vault before; nothing was done.
        notes: What else was done or is worth knowing, one sentence each.
    """

    root: Path
    made: tuple[str, ...]
    kept: tuple[str, ...]
    already: bool
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary init --json` prints."""
        return {
            "vault": str(self.root),
            "already": self.already,
            "made": list(self.made),
            "kept": list(self.kept),
            "notes": list(self.notes),
        }


def found(
    path: Path, language: str | None, timezone: str | None, *, git: bool, dry_run: bool
) -> Created:
    """Make a folder into a vault; only adds files, and says which.

    Raises:
        UsageError: The path is a file or may not be written to, or there is no such time zone.
    """
    spoken_in = language or person_language()
    files = first_files(path, timezone or machine_zone(), spoken_in)
    done = create(path, files, dry_run=dry_run)
    notes: tuple[str, ...] = ()
    if not done.already:
        snippet = (SNIPPET_OFF,) if ".obsidian/appearance.json" in done.kept else ()
        begun = _begin_history(done.root, done.made, spoken_in) if git and not dry_run else ()
        notes = (*snippet, *begun)
    return Created(done.root, done.made, done.kept, done.already, notes)


def first_files(root: Path, zone: str, language: str) -> dict[str, str]:
    """What a new vault holds, path to text.

    Raises:
        UsageError: There is no such time zone.
    """
    shelf = templates()
    template = in_words((shelf / "config.toml.j2").read_text("utf-8"), language)
    config = initial(template, zone)
    if parse(config)[1]:
        raise UsageError(
            phrase("There is no time zone {zone!r}; give a name such as Europe/Berlin.", zone=zone)
        )
    files = {"preferences.md": (shelf / f"preferences.{language}.md").read_text("utf-8")}
    files |= ignore_files(root, (shelf / "gitignore").read_text("utf-8"))
    files[".gitattributes"] = (shelf / "gitattributes").read_text("utf-8")
    for name in OBSIDIAN:
        text = shelf.joinpath("obsidian", *name.split("/")).read_text("utf-8")
        files[f".obsidian/{name}"] = text
    views = (shelf / "obsidian" / "memory.base").read_text("utf-8")
    files["memory.base"] = in_words(views, language)
    return files | {FILE_NAME: config}


def in_words(text: str, language: str) -> str:
    """A file of settings with what a person reads of it in their language: comments, and names."""
    return READ.sub(lambda read: _said(read, language), text) if language != "en" else text


def _said(read: re.Match[str], language: str) -> str:
    if read["name"]:
        return f"{read['key']}{spoken(phrase(read['name']), language)}\n"
    return f"# {spoken(phrase(comment_of(read[0])), language)}\n"


def comment_of(block: str) -> str:
    """The text of the lines of one comment."""
    return " ".join(line.removeprefix("# ") for line in block.splitlines())


def _begin_history(root: Path, made: tuple[str, ...], language: str) -> tuple[str, ...]:
    """A new repository begins with our files; in one that is there nothing is committed."""
    history = History(root)
    if not history.init():
        return (_history_note(history.standing()),)
    history.commit(
        [name for name in made if not name.endswith("/")],
        spoken(phrase("A vault begins"), language),
    )
    return (phrase("Began a git repository here; each dream becomes one commit."),)


def _history_note(standing: Standing) -> str:
    if standing.state is GitState.READY:
        return phrase("Each dream becomes one commit in the git repository that is here already.")
    return standing.why
