from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from noctuary.distil.offline import OfflineDistiller
from noctuary.distil.offline.cues import Cues, load_cues, parse_phrase
from noctuary.errors import UsageError
from noctuary.memory.candidate import Anchor

if TYPE_CHECKING:
    from pathlib import Path


def hits(phrase: str, text: str) -> list[tuple[int, int]]:
    return Cues([parse_phrase("kind", phrase)]).hits(text).get("kind", [])


def test_a_phrase_matches_whole_words_in_any_case() -> None:
    assert hits("no longer", "It is No Longer true") == [(6, 15)]
    assert not hits("no longer", "a piano longer than mine")


def test_the_start_of_a_clause_is_a_start() -> None:
    assert hits("^always", "Always first")
    assert hits("^always", "So, always first")
    assert not hits("^always", "we always win")


def test_gaps_are_short() -> None:
    assert hits("when ... please", "When you write, please be brief")
    assert not hits("when ... please", "When one two three four five six seven please")


def test_curly_apostrophes_are_apostrophes() -> None:
    assert hits("don't", "I don’t know")


def test_chinese_phrases_and_gaps() -> None:
    assert hits("以后都", "请以后都用中文") == [(1, 4)]
    assert hits("每次 ... 都要", "每次提交都要写说明")
    assert not hits("^算了", "我算了一下")


def test_stems() -> None:
    assert hits("colleague*", "two colleagues came")


def test_the_shipped_files_load() -> None:
    found = load_cues().hits("From now on I prefer tea")
    assert {"standing", "preference"} <= set(found)


def test_a_persons_own_phrases_are_added(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('preference = ["ich mag"]\n', "utf-8")
    from distil_kit import said

    own = OfflineDistiller(tmp_path)
    assert own.score([said("ich mag Tee sehr gern")], Anchor())[0].value == 4


@pytest.mark.parametrize("text", ["preference = [", 'preference = "tea"'])
def test_a_bad_cue_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.toml").write_text(text, "utf-8")
    with pytest.raises(UsageError, match="cue file"):
        load_cues(tmp_path)
