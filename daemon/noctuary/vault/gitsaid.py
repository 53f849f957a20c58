"""What git gave back, and what it comes to in a sentence for a person."""

from __future__ import annotations

from dataclasses import dataclass

from noctuary.tongue import phrase

UNDER_WAY = {
    "MERGE_HEAD": phrase("A merge"),
    "rebase-merge": phrase("A rebase"),
    "rebase-apply": phrase("A rebase"),
    "CHERRY_PICK_HEAD": phrase("A cherry-pick"),
    "REVERT_HEAD": phrase("A revert"),
    "BISECT_LOG": phrase("A bisect"),
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a git call gave back."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Output as text, without the last line end."""
        return self.out.decode("utf-8", "replace").strip()


def no_repository(error: str) -> str:
    """Why there is no repository."""
    if "dubious ownership" in error:
        return phrase(
            "Git does not trust this folder, it belongs to somebody else: change its owner."
        )
    return phrase(
        "The vault is in no git repository, so dreams have no history; `git init` makes one."
    )


def refusal(reply: Reply, *, passing: bool) -> str:
    """Why git did not commit; `passing` when it will by itself."""
    if passing:
        return phrase("Another git holds the repository; nothing is lost, the next run commits.")
    said = reply.err.strip().splitlines()
    reason = (
        said[-1]
        if said
        else phrase("exit code {code}, perhaps from a hook of yours", code=reply.code)
    )
    return phrase(
        "Git refused to commit ({reason}); nothing is lost, the next run tries again.",
        reason=reason,
    )
