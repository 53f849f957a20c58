from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

import pytest

from noctuary import Vault
from noctuary.recall import embedding
from noctuary.recall.ranking import Filters
from noctuary.recall.recall import Recall
from recall_samples import NOW, card, entry, on_disk, receipt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from noctuary.recall.answer import Answer

DOG = on_disk("rex", card("Rex", receipt("We adopted a dog called Rex.")))
TEA = on_disk("tea", card("Tea", receipt("I drink green tea every morning.")))
CAR = on_disk("car", card("Car", receipt("My car needs new tyres.")))
ALL = [DOG, TEA, CAR]
QUOTES = [one.quote for file in ALL if file.holds for one in file.holds.evidence]
FIELDS = ({"dog", "pet", "adopted", "rex"}, {"tea", "drink", "beverage"}, {"car", "tyres"})


class ByField:
    """Knows three fields of life, and counts what it was given."""

    def __init__(self, name: str = "fields") -> None:
        self.name = name
        self.given: list[str] = []

    def __call__(self, texts: Sequence[str]) -> object:
        numpy = pytest.importorskip("numpy")
        self.given += filter(None, texts)
        rows = [[sum(word.strip(".?") in field for word in text.casefold().split())
                 for field in FIELDS] for text in texts]  # fmt: skip
        matrix = numpy.array(rows, numpy.float32).reshape(len(texts), len(FIELDS))
        return matrix / numpy.maximum(numpy.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def opened(folder: Path, embedder: ByField | None, cards: list[Any] | None = None) -> Recall:
    recall = Recall.open(folder, embedder)
    recall.sync(ALL if cards is None else cards)
    return recall


def asked(recall: Recall, query: str, filters: Filters | None = None) -> Answer:
    return recall.search(query, now=NOW, filters=filters or Filters())


def told(recall: Recall, query: str, filters: Filters | None = None) -> list[str]:
    return [hit.title for hit in asked(recall, query, filters).hits]


@pytest.fixture
def fields() -> ByField:
    pytest.importorskip("numpy")
    return ByField()


def test_a_line_is_found_that_shares_no_word(tmp_path: Path, fields: ByField) -> None:
    assert told(opened(tmp_path, None), "What pet is there?") == []
    found = asked(opened(tmp_path, fields), "What pet is there?").hits
    assert [hit.title for hit in found] == ["Rex"]
    assert found[0].explain["text"] == 0
    assert found[0].explain["semantic"] > 0


def test_meaning_adds_to_words(tmp_path: Path, fields: ByField) -> None:
    cards = [*ALL, on_disk("walk", card("Walk", receipt("Rex walks for an hour.")))]
    plain = asked(opened(tmp_path / "a", None, cards), "Which dog is Rex?").hits
    found = asked(opened(tmp_path / "b", fields, cards), "Which dog is Rex?").hits
    assert [hit.title for hit in found] == [hit.title for hit in plain] == ["Rex", "Walk"]
    for hit in found:
        assert hit.explain["text"] == pytest.approx(plain[found.index(hit)].explain["text"])
    assert "semantic" not in plain[0].explain
    assert found[0].explain["semantic"] > 0


def test_what_nobody_asked_for_stays_untold(tmp_path: Path, fields: ByField) -> None:
    recall = opened(tmp_path, fields)
    assert told(recall, "quantum physics") == told(recall, "量子物理") == told(recall, "?") == []
    assert told(opened(tmp_path / "none", fields, []), "pet") == []


def test_filters_hold_for_what_is_near(tmp_path: Path, fields: ByField) -> None:
    other = on_disk("mia", card("Mia", receipt("Another dog is called Mia."), project="farm"))
    recall = opened(tmp_path, fields, [*ALL, other])
    assert set(told(recall, "pet")) == {"Rex", "Mia"}
    assert told(recall, "pet", Filters(project="city")) == ["Rex"]
    assert told(recall, "pet", Filters(types=frozenset({"task"}))) == []


def test_only_new_texts_are_embedded(tmp_path: Path, fields: ByField) -> None:
    recall = opened(tmp_path, fields)
    assert told(recall, "pet") == ["Rex"]
    assert sorted(fields.given) == sorted(["pet", *QUOTES])
    fields.given.clear()
    recall.sync(ALL, [entry("A cat is no dog.")])
    assert len(told(recall, "pet")) == 2
    assert fields.given == ["A cat is no dog.", "pet"]
    fields.given.clear()
    again = opened(tmp_path, fields, ALL)
    assert told(again, "pet") == ["Rex"]
    assert fields.given == ["pet"]


@pytest.mark.parametrize("size", [0, 100, -40])
def test_damaged_vectors_are_made_again(tmp_path: Path, fields: ByField, size: int) -> None:
    want = asked(opened(tmp_path, fields), "pet")
    (file,) = tmp_path.glob("vectors*")
    file.write_bytes(file.read_bytes()[:size])
    fields.given.clear()
    assert asked(opened(tmp_path, fields), "pet") == want
    assert len(fields.given) == 4
    fields.given.clear()
    assert asked(opened(tmp_path, fields), "pet") == want
    assert fields.given == ["pet"]


def test_vectors_of_another_embedder_are_made_again(tmp_path: Path, fields: ByField) -> None:
    told(opened(tmp_path, fields), "pet")
    other = ByField("others")
    assert told(opened(tmp_path, other), "pet") == ["Rex"]
    assert len(other.given) == 4


def test_a_memory_that_is_too_large_is_found_by_words(
    tmp_path: Path, fields: ByField, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noctuary.recall.semantic.MOST", 2)
    recall = opened(tmp_path, fields)
    assert told(recall, "pet") == []
    assert told(recall, "tea") == ["Tea"]
    assert not list(tmp_path.glob("vectors*"))


def test_without_the_extra_nothing_is_different(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_package", lambda: None)
    before = set(sys.modules)
    assert embedding.embedder() is None
    assert told(opened(tmp_path, None), "green tea") == ["Tea"]
    assert not list(tmp_path.glob("vectors*"))
    assert not {"noctuary.recall.semantic", "numpy"} & (set(sys.modules) - before)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    root = Vault.create(tmp_path / "vault", timezone="UTC", git=False).root
    vault = Vault.open(root)
    vault.log("We adopted a dog called Rex.")
    return vault


def pets(vault: Vault) -> list[str]:
    return [hit.text for hit in Vault.open(vault.path).recall("Any pet?").hits]


def finding(vault: Vault) -> str:
    return next(item.said for item in Vault.open(vault.path).doctor() if item.check == "finding")


def test_a_vault_uses_what_is_installed_until_it_is_switched_off(
    vault: Vault, fields: ByField, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "embedder", lambda: fields)
    assert "Rex" in pets(vault)[0]
    assert "by meaning" in finding(vault)
    settings = vault.path / "noctuary.toml"
    text = settings.read_text("utf-8").replace("semantic = true", "semantic = false")
    settings.write_text(text, "utf-8")
    assert pets(vault) == []
    assert "semantic = false" in finding(vault)
    monkeypatch.setattr(embedding, "embedder", lambda: None)
    assert "with the extra" in finding(vault)


def _half_installed(folder: Path, weights: bytes, tokenizer: bytes) -> None:
    for name, content in ((embedding.WEIGHTS, weights), (embedding.TOKENIZER, tokenizer)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("damage", ["tokenizer", "weights", "no weights", "no numpy"])
def test_a_damaged_extra_leaves_finding_by_words_and_is_told(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    folder = tmp_path / "extra"
    _half_installed(
        folder, b"\x08" + b"\0" * 7 + b"{not js}", b"{" if damage == "tokenizer" else b"{}"
    )
    if damage == "no weights":
        (folder / embedding.WEIGHTS).unlink()
    needs = ("numpy", "no_such_package") if damage == "no numpy" else ("numpy",)
    monkeypatch.setattr(embedding, "NEEDED", needs)
    monkeypatch.setattr(embedding, "_package", lambda: folder)
    assert "Rex" in Vault.open(vault.path).recall("What dog is there?").hits[0].text
    assert "by words alone" in finding(vault)
    monkeypatch.setattr(embedding, "_package", lambda: None)
    assert "by words alone" not in finding(vault)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What is the pet that I have?", "pet ?"),
        ("Who are you", "Who are you"),
        ("我的猫叫花花", ""),
        ("", ""),
    ],
)
def test_words_that_tell_nothing_are_left_out(text: str, left: str) -> None:
    assert embedding.telling(text) == left


def test_the_real_vectors(tmp_path: Path) -> None:
    real = embedding.embedder()
    if real is None:
        pytest.skip("the extra `semantic` is not installed")
    level = logging.getLogger().level
    dog, tea, car, pet, nothing = real([*QUOTES, "Which pet?", "猫叫什么"])
    assert dog @ pet > max(tea @ pet, car @ pet) + 0.2
    assert pet @ pet == pytest.approx(1, abs=1e-3)
    assert not nothing.any()
    assert logging.getLogger().level == level
    assert "wordllama" not in sys.modules
    assert told(opened(tmp_path, real), "我有什么宠物") == []  # type: ignore[arg-type]
