"""Who thinks for a vault: the distiller that its settings name, and what it costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from noctuary import profiles
from noctuary.dream.anchor import parse_anchor
from noctuary.dream.collect import pending
from noctuary.errors import NoctuaryError, UsageError
from noctuary.resources import cache_folder, config_folder
from noctuary.tongue import phrase
from noctuary.vault.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from noctuary.config import Settings
    from noctuary.distil.offline import OfflineDistiller
    from noctuary.distil.openai.desk import Beat
    from noctuary.distil.openai.distiller import OpenAIDistiller
    from noctuary.distil.openai.forecast import Forecast
    from noctuary.distil.protocol import Distiller
    from noctuary.profiles import Profile
    from noctuary.vault.store import Store


@dataclass(frozen=True, slots=True)
class Standing:
    """Where entries are sent for thinking, and what the profile has spent.

    Attributes:
        sent_to: In words; empty when nothing leaves the program.
        budget: Tokens and money of this month and today, and the caps on them (0 for none).
        problems: Why the profile cannot be used, if so.
    """

    sent_to: str = ""
    budget: Mapping[str, float] = field(default_factory=dict)
    currency: str = ""
    problems: tuple[str, ...] = ()


class Pulse:
    """Joins the two ways in which a dream tells how far it is.

    Every question to a model is also a step of the dream, so that whoever wants to stop it can.
    """

    def __init__(
        self,
        progress: Callable[[int, int], None] | None,
        watch: Callable[[Beat], None] | None,
    ) -> None:
        self._progress = progress
        self._watch = watch
        self._at = (0, 0)

    @property
    def watched(self) -> bool:
        """Whether anybody looks at each question."""
        return self._watch is not None

    def moved(self, done: int, total: int) -> None:
        """So many entries are done."""
        self._at = (done, total)
        if self._progress is not None:
            self._progress(done, total)

    def beat(self, beat: Beat) -> None:
        """A question was answered."""
        if self._watch is not None:
            self._watch(beat)
        if self._progress is not None:
            self._progress(*self._at)


def offline() -> OfflineDistiller:
    """The rules, with the person's own cue words."""
    from noctuary.distil.offline import OfflineDistiller

    own = config_folder() / "cues"
    return OfflineDistiller(own if own.is_dir() else None)


def distiller_for(store: Store, settings: Settings, pulse: Pulse | None = None) -> Distiller:
    """The distiller that the settings name; where it is watched, it knows how much is to come.

    Raises:
        UsageError: There is no such profile, or its key is missing.
    """
    model = model_distiller(store, settings, pulse.beat if pulse else None)
    if model is None:
        return offline()
    if pulse and pulse.watched:
        plan(store, model)
    return model


def model_distiller(
    store: Store, settings: Settings, on_beat: Callable[[Beat], None] | None = None
) -> OpenAIDistiller | None:
    """The model that the settings name; None when rules think.

    Raises:
        UsageError: There is no such profile, or its key is missing.
    """
    name = settings.dream.distiller
    if name == profiles.OFFLINE:
        return None
    from noctuary.distil.openai.distiller import distiller_of

    return distiller_of(
        profiles.find(name),
        offline(),
        cache_folder(store.vault_id),
        private_terms=settings.privacy.private_terms,
        batch=settings.dream.batch,
        on_beat=on_beat,
    )


def plan(store: Store, distiller: OpenAIDistiller) -> Forecast:
    """What a dream over all that is pending would cost; asks nobody anything."""
    snapshot = store.snapshot()
    page = Notes(store.disk).read("preferences.md") or b""
    days = [day for _, day in pending(snapshot.episodes, snapshot.absorbed).by_day()]
    return distiller.forecast(days, parse_anchor(page.decode("utf-8", "replace")))


def standing(settings: Settings) -> Standing:
    """Where entries are sent, and what was spent; problems instead of errors."""
    name = settings.dream.distiller
    if name == profiles.OFFLINE:
        return Standing()
    try:
        profile = profiles.find(name)
    except NoctuaryError as error:
        return Standing(problems=(error.args[0],))
    try:
        profile.key()
        problems: tuple[str, ...] = ()
    except UsageError as error:
        problems = (error.args[0],)
    return Standing(profile.shown(), spent(profile), profile.currency, problems)


def spent(profile: Profile) -> dict[str, float]:
    """What a profile has spent this month and today, for all vaults, with its caps."""
    from noctuary.distil.openai.distiller import usage_book

    today, month = usage_book(profile).totals(datetime.now().astimezone().date())
    return {
        "tokens": month.tokens,
        "cost": round(month.money, 6),
        "tokens_today": today.tokens,
        "cost_today": round(today.money, 6),
        "tokens_per_month": profile.tokens_per_month,
        "money_per_month": profile.money_per_month,
    }


@dataclass(frozen=True, slots=True)
class Tried:
    """How a test of a profile went.

    Attributes:
        said: One sentence: that it works and how, or what is wrong.
        format: How the server wants to be asked for JSON; empty if it did not answer.
    """

    name: str
    ok: bool
    said: str
    model: str = ""
    format: str = ""
    tokens: int = 0

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary profile test --json` prints."""
        return asdict(self)


def try_profile(name: str) -> Tried:
    """Ask the server of a profile one small question, and say in one sentence how it went.

    Raises:
        UsageError: There is no such profile.
    """
    from noctuary.distil.openai.trial import trial

    profile = profiles.find(name)
    try:
        found = trial(profile)
    except NoctuaryError as error:
        return Tried(name, False, error.args[0], profile.model)
    words = phrase(
        "{host} answers as it should with {model} ({format})",
        host=profile.host,
        model=found.model,
        format=found.format,
    )
    return Tried(
        name, True, f"{words}; {found.tokens} tokens", found.model, found.format, found.tokens
    )
