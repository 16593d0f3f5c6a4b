"""An edited system is another examinee: its file, what it imports of its own folder, a cell, a declared version."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from viva.core.settings import Settings
from viva.examinees.specs.kinds import identity_is_known
from viva.examinees.specs.parse import parse_spec, parse_specs
from viva.examinees.specs.versions import NOTEBOOK, file_version, own_files, program_version

FILES = {
    "rag.py": "import json\nfrom parts import split\nfrom lib.deep import reader\ndef answer(q):\n    return 'B'\n",
    "parts/__init__.py": "from .inner import cut\n",
    "parts/split.py": "import helper\n",
    "parts/inner.py": "def cut(): ...\n",
    "lib/deep/reader.py": "def late():\n    import lazy\n",
    "lazy.py": "K = 3\n",
    "helper.py": "import helper\n",
    "unused.py": "X = 1\n",
    "json/__init__.py": "",
    "notes.txt": "import unused",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def id_of(text: str) -> str:
    return parse_spec(text, Settings()).examinee.id


def test_what_a_file_imports_of_its_own_folder_is_part_of_its_version(folder: Path) -> None:
    rag = folder / "rag.py"
    own = {file.relative_to(folder).as_posix() for file in own_files(rag)}
    assert own == set(FILES) - {"unused.py", "notes.txt"}
    before = id_of(f"{rag}:answer")
    for name in ("parts/inner.py", "lazy.py", "helper.py"):
        (folder / name).write_text(FILES[name] + "# edited\n")
        assert id_of(f"{rag}:answer") != before
        (folder / name).write_text(FILES[name])
    (folder / "unused.py").write_text("X = 2\n")
    assert id_of(f"{rag}:answer") == before


def test_a_file_without_imports_of_its_own_has_the_version_that_earlier_runs_know(tmp_path: Path) -> None:
    file = tmp_path / "alone.py"
    file.write_text("import os\nfrom langchain_core import tools\n\ndef answer(q): return 'B'\n")
    assert program_version(file) == file_version(file)


def test_a_module_of_a_package_is_hashed_with_its_package_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "pack").mkdir()
    (folder / "pack/__init__.py").write_text("")
    (folder / "pack/engine.py").write_text(
        "import helper\nfrom pack import part\nfrom . import near\ndef answer(q): ...\n"
    )
    for name in ("part", "near"):
        (folder / f"pack/{name}.py").write_text("")
    own = {file.as_posix() for file in own_files(Path("pack/engine.py"), "pack.engine")}
    assert own == {"pack/__init__.py", "pack/engine.py", "pack/near.py", "pack/part.py"}
    before = id_of("pack.engine:answer")
    (folder / "pack/near.py").write_text("A = 1\n")
    assert id_of("pack.engine:answer") != before


def test_a_file_with_faults_has_a_version_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    for text in ("def answer(:\n", "\0", "from ..... import x\nfrom . import y\nimport .\n"):
        file.write_text(text)
        assert program_version(file) == file_version(file)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, object]]:
    """A namespace as a notebook has one."""
    module = type(sys)(NOTEBOOK)
    monkeypatch.setitem(sys.modules, NOTEBOOK, module)
    yield vars(module)
    for name in [name for name in linecache.cache if name.startswith("<cell")]:
        del linecache.cache[name]


def run_cell(notebook: dict[str, object], number: int, source: str, *, kept: bool) -> None:
    name = f"<cell {number}>"
    if kept:
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), notebook)


@pytest.mark.parametrize("kept", [True, False])
def test_an_edited_cell_is_another_system_and_one_run_again_is_the_same(
    notebook: dict[str, object], kept: bool
) -> None:
    cells = [
        "K = 3\n",
        "def split(text):\n    return text.split()[:K]\n",
        "class Rag:\n    k = 2\n    def answer(self, question):\n        return split(question)\n",
        "def answer(question):\n    return [Rag().answer(each) for each in split(question)]\n\nmine = Rag()\n",
    ]
    for number, cell in enumerate(cells):
        run_cell(notebook, number, cell, kept=kept)
    before = {name: id_of(f"{NOTEBOOK}:{name}") for name in ("answer", "Rag", "mine", "split")}
    run_cell(notebook, 10, cells[3], kept=kept)
    assert id_of(f"{NOTEBOOK}:answer") == before["answer"]
    run_cell(notebook, 11, cells[0].replace("3", "4"), kept=kept)
    assert all(id_of(f"{NOTEBOOK}:{name}") != was for name, was in before.items())
    run_cell(notebook, 12, cells[0], kept=kept)
    run_cell(notebook, 13, cells[2].replace("split(question)", "split(question)[::-1]"), kept=kept)
    after = {name: id_of(f"{NOTEBOOK}:{name}") for name in before}
    assert [name for name in before if after[name] == before[name]] == ["mine", "split"] or after["mine"] != before[
        "mine"
    ]
    assert after["split"] == before["split"]
    assert after["answer"] != before["answer"] != after["Rag"] != before["Rag"]


def test_whether_an_edit_is_noticed_is_known(notebook: dict[str, object], folder: Path) -> None:
    from functools import partial

    notebook["chain"] = partial(str)
    run_cell(notebook, 1, "def answer(question):\n    return 'B'\n", kept=True)
    panel = folder / "panel.yaml"
    panel.write_text(
        "examinees:\n- name: a\n  http: {url: 'http://x/y'}\n- name: b\n  http: {url: 'http://x/y', version: 7}\n"
        "- name: c\n  chat: {base_url: 'http://x/y', model: m, key_from: '', version: '2024-05-01'}\n"
        "- name: d\n  command: {run: [python, rag.py]}\n- name: e\n  command: {run: [rag]}\n"
    )
    known = {spec.examinee.name: identity_is_known(spec) for spec in parse_specs(str(panel), Settings())}
    assert known == {"a": False, "b": True, "c": True, "d": True, "e": False}
    for text, is_known in (
        (f"{folder}/rag.py:answer", True),
        (f"{NOTEBOOK}:chain", False),
        (f"{NOTEBOOK}:answer", True),
    ):
        assert identity_is_known(parse_spec(text, Settings())) is is_known
    assert identity_is_known(parse_spec("http://x/y", Settings())) is False


def test_a_declared_version_tells_endpoints_apart(tmp_path: Path) -> None:
    panel = tmp_path / "panel.yaml"
    ids = set()
    for version in ("", ", version: 1", ", version: 2"):
        panel.write_text(f"examinees:\n- name: a\n  http: {{url: 'http://x/y'{version}}}\n")
        (spec,) = parse_specs(str(panel), Settings())
        ids.add(spec.examinee.id)
    assert len(ids) == 3
