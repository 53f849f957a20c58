"""The house keeps its shape: arrows point one way, pure rooms stay pure, heavy imports stay lazy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "daemon"
MODULES = sorted((SOURCE / "noctuary").rglob("*.py"))

PURE = {"memory", "dream", "window", "tongue"}
GROUND = {"errors", "config", "resources", "tongue"}
MAY_KNOW = {
    "tongue": set(),
    "errors": {"tongue"},
    "config": {"errors", "tongue"},
    "resources": {"errors", "tongue"},
    "profiles": {"errors", "resources", "tongue"},
    "memory": {"errors", "tongue"},
    "dream": {"memory", "distil.protocol", "config", "errors", "tongue"},
    "distil": {"memory", "profiles", *GROUND},
    "vault": {"memory", *GROUND},
    "recall": {"memory", *GROUND},
    "intake": {"memory", *GROUND},
    "window": {
        "memory",
        "dream.gate",
        "distil.protocol",
        "intake.text",
        "config",
        "errors",
        "tongue",
    },
    "pages": {"memory", "dream", "vault", *GROUND},
    "thinker": {"memory", "dream", "distil", "vault", "profiles", *GROUND},
    "care": {
        *("memory", "dream", "vault", "recall", "pages", "thinker", "profiles", *GROUND),
    },
    "night": {"memory", "dream", "distil", "vault", "pages", "care.attend", *GROUND},
    "service": {"dream", "vault", "care.outlook", *GROUND},
    "day": {
        *("memory", "dream", "intake", "vault", "recall", "distil", "window", "thinker"),
        *("care.overview", "api", *GROUND),
    },
    "api": {
        *("memory", "dream", "distil", "vault", "recall", "intake", "pages", "care", "night"),
        *("day", "profiles", "thinker", *GROUND),
    },
}
FREE = {"doors", "__init__", "__main__"}
DOORS_KNOW = {
    *("api", "care", "day", "doors", "memory", "recall.answer", "recall.framing", "service"),
    *("profiles", "thinker", "distil.openai.desk", "distil.openai.forecast", "window.compaction"),
    *GROUND,
}

HEAVY = {"openai", "jinja2", "watchdog", "rich", "pydantic", "tantivy", "numpy", "tokenizers"}
TOUCHES_THE_WORLD = {
    *("os", "io", "pathlib", "shutil", "tempfile", "glob", "subprocess", "socket", "time"),
    *("random", "secrets", "threading", "asyncio", "urllib", "http", "logging"),
}
READS_THE_CLOCK = {"now", "today", "utcnow"}


@dataclass(frozen=True)
class Import:
    module: str
    lazy: bool
    line: int


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE / "noctuary").with_suffix("").parts[0]


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def imports_of(path: Path) -> list[Import]:
    tree = ast.parse(path.read_text("utf-8"))
    for parent in ast.walk(tree):
        for child in ast.iter_child_nodes(parent):
            child.parent = parent  # type: ignore[attr-defined]
    return [
        Import(module, is_lazy(node), node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in modules_of(node)
    ]


def modules_of(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert node.level == 0, "imports are absolute"
    if node.module == "noctuary":
        return [f"noctuary.{alias.name}" for alias in node.names]
    return [str(node.module)]


def is_lazy(node: ast.AST) -> bool:
    while (up := getattr(node, "parent", None)) is not None:
        node = up
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return True
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return True
    return False


def allowed(room: str, target: str) -> bool:
    inside = target.split(".")[0]
    known = DOORS_KNOW if room == "doors" else MAY_KNOW[room]
    return inside == room or inside in known or target in known


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_arrows_point_one_way(path: Path) -> None:
    room = room_of(path)
    if room in {"__init__", "__main__"}:
        return
    wrong = [
        f"line {found.line}: {room} must not know {found.module}"
        for found in imports_of(path)
        if found.module.startswith("noctuary.")
        and not allowed(room, found.module.removeprefix("noctuary."))
    ]
    assert wrong == []


@pytest.mark.parametrize("path", [path for path in MODULES if room_of(path) in PURE], ids=name_of)
def test_pure_rooms_do_no_io_and_read_no_clock(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    touched = [
        found.module
        for found in imports_of(path)
        if found.module.split(".")[0] in TOUCHES_THE_WORLD
    ]
    called = [
        ast.unparse(node.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Attribute) and node.func.attr in READS_THE_CLOCK)
            or (isinstance(node.func, ast.Name) and node.func.id in {"open", "print", "input"})
        )
    ]
    assert (touched, called) == ([], [])


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_heavy_packages_are_imported_where_they_are_needed(path: Path) -> None:
    eager = [
        found.module
        for found in imports_of(path)
        if found.module.split(".")[0] in HEAVY and not found.lazy
    ]
    assert eager == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_functions_stay_small(path: Path) -> None:
    text = path.read_text("utf-8")
    long = [
        f"{node.name}: {length} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > 60
    ]
    assert long == []
    assert len(text.splitlines()) <= 400


def test_every_room_has_its_rule() -> None:
    assert {room_of(path) for path in MODULES} <= set(MAY_KNOW) | FREE


def test_daemon_is_a_source_root_and_no_package() -> None:
    assert not (SOURCE / "__init__.py").exists()


def loaded_after(code: str) -> set[str]:
    return {name.split(".")[0] for name in modules_after(code)}


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
    )
    return set(done.stdout.split())


def test_importing_noctuary_loads_nothing_heavy() -> None:
    assert loaded_after("import noctuary; noctuary.Vault") & HEAVY == set()


ASKING = {"noctuary.vault.store", "noctuary.night", "noctuary.memory.document", "subprocess"}


def test_asking_loads_nothing_that_only_writing_needs(tmp_path: Path) -> None:
    from noctuary import Vault

    vault = Vault.create(tmp_path / "vault", timezone="UTC", git=False).root
    for question in ("recall('tea')", "context()"):
        opened = f"import os, noctuary; os.environ['NOCTUARY_CACHE'] = {str(tmp_path)!r}"
        loaded = modules_after(f"{opened}; noctuary.Vault.open({str(vault)!r}).{question}")
        assert loaded & ASKING == set()


def test_a_pattern_is_compiled_when_it_is_first_used() -> None:
    from noctuary.memory.lazy import lazily

    wrong, right = lazily("("), lazily("t(.)", re.IGNORECASE)
    assert right.sub(r"\1", "Tea") == "ea"
    assert [hit[1] for hit in right.finditer("tatetI")] == ["a", "e", "I"]
    with pytest.raises(re.error):
        wrong.search("text")
