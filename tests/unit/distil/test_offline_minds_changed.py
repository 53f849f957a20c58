"""Changes of mind as people write them in haste: what goes back, slips, is raised or allowed again."""

from __future__ import annotations

import pytest

from distil_kit import distilled, relation, said
from noctuary.memory.candidate import RelationKind
from noctuary.memory.card import CardType


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "We had the steel rope but it rusts, so we went with nylon.",
            "going back to the steel rope, it is galvanised now",
        ),
        ("之前用的钢绳会生锈，所以换成了尼龙绳", "还是用回钢绳，镀锌的不会锈"),
    ],
)
def test_what_was_given_up_is_taken_up_again(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.DECISION).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rehearsals: mon and wed 6.30 to 10", "rehearsal times are now 6 not 6.30"),
        ("festival week starts 4 oct", "festival week: start 5 oct instead then"),
        ("recall must be at least 0.8", "Ana moved the bar: recall 0.85 now"),
        ("The beta must be out by 22 September.", "They pushed the beta to the 29th"),
        ("Mails to clients: max 8 sentences.", "Bo is now ok with 10 sentences"),
        ("Max 4 open flames in the hall.", "so six flames, if somebody is on watch"),
        (
            "whenever you show code, only the changes, not the whole file",
            "you can show the whole file again, bigger screen",
        ),
    ],
)
def test_a_newer_value_or_permission_takes_the_place_of_the_older(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.CONSTRAINT).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("recall must be at least 0.8", "recall is 0.85 now"),
        ("Mails to clients: max 8 sentences.", "The report now has 10 sentences"),
        ("Max 4 open flames in the hall.", "we sold six flames of the old set"),
        ("We chose nylon for the rope.", "going back to the steel rope"),
        ("never show the whole file", "you can show the log again"),
        ("The rent must not exceed 900 euros.", "The garage may cost 100 euros."),
    ],
)
def test_a_value_of_something_else_takes_nothing_back(old: str, new: str) -> None:
    found = relation(new, old, type_=CardType.CONSTRAINT).kind
    assert found not in (RelationKind.SUPERSEDES, RelationKind.RETRACTS)


@pytest.mark.parametrize("words", ["scratch the 512 thing", "Forget the batch size idea."])
def test_a_thing_named_in_passing_is_taken_back(words: str) -> None:
    old = "use batch size 512 for all runs"
    assert relation(words, old, type_=CardType.PREFERENCE).kind is RelationKind.RETRACTS


@pytest.mark.parametrize(
    "text",
    [
        "Greta fixed the screenshot tests, so they count again",
        "hinge done, Lottie's boyfriend did it",
        "They fixed the lift.",
    ],
)
def test_what_somebody_put_right_teaches_nothing(text: str) -> None:
    assert CardType.LESSON not in {item.type for item in distilled([said(text)])}


@pytest.mark.parametrize(
    "text",
    ["A longer cable fixed the flicker.", "Greta fixed the tests by clearing the font cache."],
)
def test_what_put_it_right_is_a_lesson(text: str) -> None:
    assert CardType.LESSON in {item.type for item in distilled([said(text)])}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("leave the deploy.toml to Bo", "Bo left the company, the deploy.toml is ours now"),
        (
            "I never write about the harbour.",
            "The harbour is safe again so I may mention it from now on",
        ),
    ],
)
def test_what_was_somebodys_or_never_told_is_free(old: str, new: str) -> None:
    assert relation(new, old, type_=CardType.CONSTRAINT).kind is RelationKind.SUPERSEDES


def test_a_moved_day_replaces_the_day_without_its_month() -> None:
    old = "Maureen says the seed swap is the 26th, in the hall"
    assert relation("The seed swap moved to the 27th", old).kind is RelationKind.SUPERSEDES


@pytest.mark.parametrize(
    "text",
    [
        'The lab sent a mail: "Dear customer, small samples are refused. Do always use our labels."',
        "客户来信说：“各位好，本月起请注意。以后都用我们的标签，不要用别人的。”",
    ],
)
def test_what_a_quoted_mail_orders_is_nobodys_rule(text: str) -> None:
    steering = {CardType.PREFERENCE, CardType.CONSTRAINT, CardType.PATTERN}
    assert not steering & {item.type for item in distilled([said(text)])}


@pytest.mark.parametrize(
    "text",
    [
        "In future check the main branch for the next free number before you make one.",
        "money is always int64 cents here",
        "Please not use the word novel in my text.",
        "For the alignment I use always bwa-mem2, not bowtie.",
        "You may call me Wendy.",
        "When I write English text you correct it, but please say me also why.",
    ],
)
def test_rules_of_writers_in_haste_or_in_a_foreign_language_are_rules(text: str) -> None:
    assert CardType.PREFERENCE in {item.type for item in distilled([said(text)])}


def test_an_assent_stands_with_what_it_assents_to() -> None:
    text = "ana would rather we rebase than merge. fine by me, do that"
    (card,) = (one for one in distilled([said(text)]) if one.type is CardType.PREFERENCE)
    assert "rebase than merge" in card.statement
