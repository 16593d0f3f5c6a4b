"""The house stands as it was drawn: who may import whom, and what starting costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
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
    "exams": 3,
    "examinees": 4,
    "optimizers": 4,
    "graphs": 5,
    "reports": 6,
    "viewer": 7,
    "api": 8,
    "cli": 9,
}
HEAVY = (
    "torch",
    "sentence_transformers",
    "langchain_community",
    "langgraph",
    "qdrant_client",
    "plotly",
    "sqlalchemy",
    "numpy",
    "fsspec",
)
PURE = {
    "__future__",
    "collections",
    "dataclasses",
    "functools",
    "itertools",
    "json",
    "math",
    "re",
    "statistics",
    "typing",
    "unicodedata",
    "enum",
    "difflib",
}


def files(room: str) -> list[Path]:
    return sorted((ROOT / "viva" / room).rglob("*.py"))


def parsed(file: Path) -> ast.Module:
    """The file's syntax tree."""
    text = file.read_text(encoding="utf-8")
    try:
        return ast.parse(text)
    except SystemError:
        # CPython 3.11 loses count of its depth where another thread parses meanwhile (python/cpython#106905)
        return ast.parse(text)


@cache
def imports(file: Path) -> frozenset[str]:
    """Dotted names of all imports in a file, those inside functions too."""
    found = set[str]()
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


@cache
def public_classes(file: Path) -> tuple[str, ...]:
    """Names of the public classes that a file defines."""
    found = (node.name for node in parsed(file).body if isinstance(node, ast.ClassDef))
    return tuple(name for name in found if not name.startswith("_"))


def rooms_imported(file: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(file) if name.startswith("viva.")} & LEVELS.keys()


@pytest.mark.parametrize("room", LEVELS)
def test_a_room_imports_only_rooms_below_it(room: str) -> None:
    assert files(room)
    for file in files(room):
        for other in rooms_imported(file) - {room}:
            assert LEVELS[other] < LEVELS[room], f"{file} imports viva.{other}"


def test_examinees_share_nothing_with_those_who_write_exams_but_the_readers_without_a_model() -> None:
    for file in files("examinees"):
        shared = {name for name in imports(file) if name.startswith("viva.agents")}
        assert all(name.startswith("viva.agents.readers") for name in shared), f"{file} imports {shared}"


def test_a_command_imports_nothing_below_the_api() -> None:
    """A command is: options, one call of the API, its result shown."""
    allowed = {"api", "cli", "__version__"}
    for file in files("cli"):
        rooms = {name.split(".")[1] for name in imports(file) if name.startswith("viva.")}
        assert not rooms - allowed, f"{file} imports {rooms - allowed}"


def test_metrics_know_no_files_no_models_and_no_frameworks() -> None:
    for file in files("metrics"):
        roots = {name.split(".")[0] for name in imports(file)}
        assert roots <= {*PURE, "numpy", "scipy", "viva"}, f"{file} imports {roots}"


def test_nobody_imports_a_room_by_its_bare_name() -> None:
    folders = ["viva", "tests", "examples"]
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


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for room in LEVELS:
        for file in files(room):
            parts = file.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def test_no_module_is_imported_by_what_it_imports() -> None:
    """Imports for types, and inside functions, count too: in a circle nothing can be read by itself."""
    known = modules()
    uses = {name: {other for other in imports(file) if other in known} - {name} for name, file in known.items()}
    # a package's __init__ is imported with each of its modules, and is no part of a circle for it
    for name, others in uses.items():
        uses[name] = {other for other in others if not name.startswith(f"{other}.")}
    while leaves := {name for name, others in uses.items() if not others}:
        uses = {name: others - leaves for name, others in uses.items() if name not in leaves}
    assert not uses, f"in or above a circle: {sorted(uses)}"


TWO_CLAIMS = {"Claim"}
"""In two prompts the model is shown a list of claims, and the name of the class is part of the prompt."""
OF_API = {"Run", "Exam"}
"""What `import viva` calls so wraps the record of the same name: users know the two by one name."""


def test_a_public_class_name_stands_in_one_module() -> None:
    homes: dict[str, list[str]] = {}
    benchmarks = {str(file.relative_to(ROOT)): file for file in (ROOT / "benchmarks").rglob("*.py")}
    for name, file in (modules() | benchmarks).items():
        for spoken in public_classes(file):
            homes.setdefault(spoken, []).append(name)
    assert len(homes) > 600
    assert {name: where for name, where in homes.items() if len(where) > 1 and name not in TWO_CLAIMS | OF_API} == {}


PRIVATE = ("desk", "door", "chair", "room", "bench", "company", "beside", "told", "walk")
"""Metaphors of this house, which say nothing to a reader of the field."""


def test_no_file_and_no_public_class_is_named_by_a_private_metaphor() -> None:
    words = re.compile(r"[A-Z]?[a-z]+")
    for name, file in modules().items():
        for spoken in (name.rpartition(".")[2], *public_classes(file)):
            assert not {word.lower() for word in words.findall(spoken)} & set(PRIVATE), f"{file}: {spoken}"


WALK = [
    line.split("`")[1]
    for line in (ROOT / "docs/architecture.md")
    .read_text(encoding="utf-8")
    .split("## Where to change")[0]
    .splitlines()
    if line.startswith("| `") and line.split("`")[1].endswith(".py")
]


def test_a_newcomer_s_walk_from_the_command_to_a_score_passes_few_files_each_once_and_each_leads_to_the_next() -> (
    None
):
    item = WALK.index("viva/graphs/authoring/accept.py") + 1
    assert item <= 12
    assert WALK[-1] == "viva/metrics/measurement.py"
    assert len(WALK) == len(set(WALK)) <= 22
    led_to = {WALK[0]}
    for file in WALK:
        assert file in led_to, f"nothing before it imports {file}"
        led_to |= {f"{name.replace('.', '/')}.py" for name in imports(ROOT / file)}


def test_no_folder_holds_more_than_twenty_modules() -> None:
    folders = {file.parent for room in LEVELS for file in files(room)} | {ROOT / "benchmarks"}
    many = {f"{f.relative_to(ROOT)}": n for f in folders if (n := len({*f.glob("*.py")} - {f / "__init__.py"})) > 20}
    assert not many
    assert len({*(ROOT / "viva/graphs").glob("*.py")} - {ROOT / "viva/graphs/__init__.py"}) <= 8


def test_no_name_in_a_package_hides_one_of_its_modules() -> None:
    """`import viva.a.b.c` finds b as an attribute of a, so a function of that name in a/__init__.py comes first."""
    known = modules()
    for name, file in known.items():
        if file.name != "__init__.py":
            continue
        inside = {other.removeprefix(f"{name}.") for other in known if other.startswith(f"{name}.")}
        bound = {
            alias.asname or alias.name
            for node in parsed(file).body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{node.module}.{alias.name}" not in known
        } | {node.name for node in parsed(file).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        assert not bound & inside, f"{file} hides {bound & inside}"
