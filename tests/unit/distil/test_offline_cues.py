from __future__ import annotations

from pathlib import Path

import pytest

from noctuary.distil.offline import OfflineDistiller
from noctuary.distil.offline.cues import Cues, load_cues
from noctuary.distil.offline.phrases import Reader, parse
from noctuary.errors import UsageError
from noctuary.memory.candidate import Anchor


def hits(phrase: str, text: str, **classes: tuple[str, ...]) -> list[tuple[int, int]]:
    return Cues(parse("kind", phrase, Reader(classes))).hits(text).get("kind", [])


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


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("drop|leave_out the", "please leave out the rest", True),
        ("drop|leave_out the", "leave the rest", False),
        ("@fruit first", "Quince first, then bread", True),
        ("^@fruit", "a bowl of quince", False),
        ("two? @fruit juice", "quince juice", True),
        ("never !been|had", "never been there", False),
        ("never !been|had", "never bake it", True),
        ("@fruit$", "a bowl of quince.", True),
        ("@fruit$", "quince in a bowl", False),
        ("# jars", "I filled seven jars", True),
        ("take .. jars", "take the red ones and jars", False),
        ("*ing first", "boiling first", True),
        ("no * please", "no sugar please", True),
        ("^boil", "Could you boil it?", True),
        ("^boil", "You boil it", False),
        ("^别 @果", "请别榅桲", True),
        ("@果 .. 先", "榅桲要先洗", True),
        ("@果 .. 先", "榅桲洗干净以后再先", False),
        ("@果$", "别放榅桲了。", True),
        ("用 !的 @果", "用的榅桲", False),
        ("# 个 @果", "买了三个榅桲", True),
        ("# 个 @果", "买了 12 个榅桲", True),
        ("洗 了 ， 吃", "榅桲洗了，吃吧", True),
        ("洗 了 ， 吃", "榅桲洗了吃吧", False),
        ("洗 了|过|$", "榅桲都洗", True),
        ("洗 了|过|$", "榅桲洗了两遍", True),
        ("洗 了|过|$", "榅桲洗净", False),
        ("boil it|$", "now boil.", True),
        ("boil it|$", "boil the rest", False),
        ("don't boil", "dont boil", True),
        ("^please boil", "pls boil", True),
        ("let's boil", "ok lets boil", True),
        ("let's boil", "it lets boil over", False),
    ],
)
def test_what_a_phrase_can_say(phrase: str, text: str, found: bool) -> None:
    classes = {"fruit": ("quince", "medlar"), "果": ("榅桲", "梨")}
    assert bool(hits(phrase, text, **classes)) is found


def test_a_latin_word_takes_the_room_of_one_character() -> None:
    assert hits("这个 .. 别", "这个 generated-by-hand 文件别")


def test_an_unknown_class_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('norm = ["^@nowhere"]\n', "utf-8")
    with pytest.raises(UsageError, match="word-nowhere"):
        load_cues(tmp_path)


@pytest.mark.parametrize("words", ['["newsletters"]', '"podcasts newsletters"'])
def test_a_person_adds_words_to_a_class(tmp_path: Path, words: str) -> None:
    text = "Newsletters should never name prices."
    assert "norm" not in load_cues().hits(text)
    (tmp_path / "mine.toml").write_text(f"word-works = {words}\n", "utf-8")
    assert "norm" in load_cues(tmp_path).hits(text)


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


@pytest.mark.parametrize("name", ["dev_en.tsv", "dev_zh.tsv"])
def test_looking_only_where_a_phrase_can_stand_misses_none(name: str) -> None:
    quick, slow = load_cues(), Cues([])
    nothing: frozenset[str] = frozenset()
    slow._words = {key: [(nothing, cue) for _, cue in of] for key, of in quick._words.items()}
    slow._pairs = {key: [(nothing, cue) for _, cue in of] for key, of in quick._pairs.items()}
    slow._chars = {key: [((), nothing, cue) for *_, cue in of] for key, of in quick._chars.items()}
    slow._open = {key: [(nothing, cue) for _, cue in of] for key, of in quick._open.items()}
    lines = (Path(__file__).parents[2] / "kinds" / name).read_text("utf-8").splitlines()
    for line in lines[::5]:
        said = line.split("\t")[2]
        assert quick.hits(said) == slow.hits(said)
