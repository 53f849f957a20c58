from __future__ import annotations

import re
import tomllib
from datetime import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.config import Settings, initial, keys, parse

TEMPLATE = (Path(__file__).parents[2] / "templates" / "config.toml.j2").read_text("utf-8")


def value(settings: Settings, section: str, key: str) -> object:
    return getattr(getattr(settings, section), key)


def test_file_of_init_holds_the_defaults() -> None:
    assert parse(initial(TEMPLATE, "UTC")) == (Settings(), ())


def test_file_of_init_holds_every_key_once_with_a_comment() -> None:
    document = tomllib.loads(initial(TEMPLATE, "UTC"))
    assert [(section, key) for section in document for key in document[section]] == list(keys())
    lines = initial(TEMPLATE, "UTC").splitlines()
    for number, line in enumerate(lines):
        if "=" in line and not line.startswith("#"):
            assert lines[number - 1].startswith("#"), line


def test_zone_of_the_machine() -> None:
    settings, problems = parse(initial(TEMPLATE, "Asia/Shanghai"))
    assert (settings.vault.zone.key, problems) == ("Asia/Shanghai", ())


def test_empty_file_is_all_defaults() -> None:
    assert parse("") == (Settings(), ())


def test_good_values_are_taken() -> None:
    text = (
        '[dream]\ndistiller = "home"\nmax_lost_facts = 0\n[privacy]\nprivate_terms = ["Zephyr"]\n'
    )
    settings, problems = parse(text)
    assert problems == ()
    assert settings.dream.distiller == "home"
    assert settings.dream.max_lost_facts == 0.0
    assert settings.privacy.private_terms == ("Zephyr",)


def test_night_window() -> None:
    settings, _ = parse('[triggers]\nnight_window = "23:30-4:05"')
    assert settings.triggers.night == (time(23, 30), time(4, 5))
    settings, problems = parse('[triggers]\nnight_window = ""')
    assert (settings.triggers.night, problems) == (None, ())


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("vault", 'timezone = "Mars/Olympus"'),
        ("vault", "timezone = 8"),
        ("vault", 'timezone = "../../etc/passwd"'),
        ("vault", 'language = "fr"'),
        ("triggers", "idle_minutes = 0"),
        ("triggers", "idle_minutes = true"),
        ("triggers", 'idle_minutes = "ten"'),
        ("triggers", 'night_window = "25:00-26:00"'),
        ("triggers", "on_task_done = 1"),
        ("dream", 'distiller = "http://evil.example"'),
        ("dream", "max_lost_facts = 1.5"),
        ("dream", "max_lost_facts = nan"),
        ("recall", "budget = 1e3"),
        ("context_management", 'summary_categories = ["gossip"]'),
        ("privacy", "private_terms = [1]"),
    ],
)
def test_bad_value_is_named_by_line_and_the_default_used(section: str, line: str) -> None:
    settings, problems = parse(f"# top\n[{section}]\n{line}\n")
    key = line.split(" =")[0]
    assert value(settings, section, key) == value(Settings(), section, key)
    assert [(problem.where, problem.line) for problem in problems] == [("noctuary.toml", 3)]
    assert key in problems[0].what


def test_unknown_key_and_section_are_named() -> None:
    settings, problems = parse("colour = 1\n[dream]\nbatsch = 3\n[sleep]\nbatch = 3\n")
    assert settings == Settings()
    assert [(problem.line, problem.what.split(";")[0]) for problem in problems] == [
        (3, "there is no key batsch in [dream]"),
        (1, "there is no section or key colour"),
        (4, "there is no section or key sleep"),
    ]


def test_a_bad_purge_never_destroys() -> None:
    settings, problems = parse('[retention]\npurge = "nevr"\nentry_days = -1\n')
    assert (settings.retention.purge, settings.retention.entry_days) == ("never", 36_500)
    assert "never" in problems[0].what


def test_a_line_that_is_no_toml_costs_only_itself_and_stops_purging() -> None:
    settings, problems = parse("[triggers]\nidle_minutes = 20\n[retention]\npurge = nevr\n")
    assert settings.triggers.idle_minutes == 20
    assert settings.retention.purge == "never"
    assert [problem.line for problem in problems] == [4]


def test_section_that_is_no_section() -> None:
    settings, problems = parse("retention = 3\n")
    assert settings.retention.purge == "never"
    assert len(problems) == 1


def test_a_single_private_term_counts_as_a_list() -> None:
    settings, problems = parse('[privacy]\nprivate_terms = "Zephyr"\n')
    assert (settings.privacy.private_terms, problems) == (("Zephyr",), ())


@pytest.mark.parametrize("bracket", ["[", "[\n"])
def test_a_bomb_of_brackets_gives_cautious_defaults(bracket: str) -> None:
    settings, problems = parse("[dream]\nbatch = " + bracket * 100_000)
    assert (settings.dream.batch, settings.retention.purge) == (25, "never")
    assert ["nested too deep" in problem.what for problem in problems] == [True]


PIECES = st.sampled_from(
    [
        *"[]{}=\"'#,.\\ \n",
        '"""',
        "'''",
        "[dream]\n",
        "batch = 3\n",
        "purge",
        "\r\n",
        "\r",
        "\x00",
        "\x1c",
        "预算",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=60))
def test_no_text_at_all_raises(text: str) -> None:
    settings, _ = parse(text)
    assert isinstance(settings, Settings)


def test_no_setting_is_without_effect() -> None:
    """`compression_strategy` names the only one that there is."""
    package = Path(__file__).parents[2] / "daemon" / "noctuary"
    text = "\n".join(file.read_text("utf-8") for file in package.rglob("*.py"))
    unread = {key for _, key in keys() if not re.search(rf"\.{key}\b", text)}
    assert unread == {"compression_strategy"}


def test_a_key_that_says_nothing_is_passed_over() -> None:
    assert parse("[dream]\ncompression = 10\n") == (Settings(), ())
