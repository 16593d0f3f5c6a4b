"""The house stands as it was drawn: who may import whom, and what starting costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEVELS = {
    "core": 0,
    "prompts": 1,
    "metrics": 1,
    "llm": 2,
    "storage": 2,
    "agents": 3,
    "examinees": 3,
    "exams": 4,
    "graphs": 5,
    "optimizers": 5,
    "reports": 5,
    "cli": 6,
}
# rooms of one level that may know each other
NEIGHBOURS = {("agents", "examinees"), ("examinees", "agents"), ("graphs", "optimizers"), ("graphs", "reports")}
HEAVY = ("torch", "sentence_transformers", "langgraph", "qdrant_client", "plotly", "sqlalchemy", "numpy")
PURE = {
    "__future__",
    "collections",
    "dataclasses",
    "functools",
    "itertools",
    "math",
    "re",
    "statistics",
    "typing",
    "unicodedata",
}


def files(room: str) -> list[Path]:
    return sorted((ROOT / ("viva/cli" if room == "cli" else room)).rglob("*.py"))


def parsed(file: Path) -> ast.Module:
    """The file's syntax tree."""
    text = file.read_text(encoding="utf-8")
    try:
        return ast.parse(text)
    except SystemError:
        # CPython 3.11 loses count of its depth where another thread parses meanwhile (python/cpython#106905)
        return ast.parse(text)


def imports(file: Path) -> Iterator[str]:
    """Dotted names of all imports in a file, those inside functions too."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_imported(file: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(file) if name.startswith("viva.")} & LEVELS.keys()


@pytest.mark.parametrize("room", LEVELS)
def test_a_room_imports_only_rooms_below_it(room: str) -> None:
    assert files(room)
    for file in files(room):
        for other in rooms_imported(file) - {room}:
            assert LEVELS[other] < LEVELS[room] or (room, other) in NEIGHBOURS, f"{file} imports viva.{other}"


def test_metrics_know_no_files_no_models_and_no_frameworks() -> None:
    for file in files("metrics"):
        roots = {name.split(".")[0] for name in imports(file)}
        assert roots <= {*PURE, "numpy", "scipy", "rouge_score", "sacrebleu", "viva"}, f"{file} imports {roots}"


def test_nobody_imports_a_room_by_its_bare_name() -> None:
    folders = [*LEVELS.keys() - {"cli"}, "viva", "tests", "examples"]
    everybody = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    assert len(everybody) > 100
    for file in everybody:
        assert not {name.split(".")[0] for name in imports(file)} & (LEVELS.keys() - {"cli"}), file


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; sys.argv = ['viva', *sys.argv[1:]]\n"
        "from viva.cli.main import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"print('HEAVY', sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True).stdout
    assert said.rstrip().endswith("HEAVY []")
    assert "Usage" in said
