"""The examples of docs/examinees.md run as they stand there."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from rag_server import rag_server
from specs_by_hand import STEM, asked, examinee, function_spec

from viva.core.records import PASSAGES_ALONE
from viva.core.settings import Settings
from viva.examinees.adapters import adapter_of
from viva.examinees.adapters.base import Adapter
from viva.examinees.adapters.callables import CallableCandidate
from viva.examinees.adapters.command import CommandCandidate
from viva.examinees.specs.parse import parse_specs
from viva.examinees.specs.records import CommandSpec, Spec

GUIDE = (Path(__file__).parents[3] / "docs/examinees.md").read_text(encoding="utf-8")
PYTHON = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", GUIDE, re.DOTALL))
YAML = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
NAMES = {
    "my_rag.py": "answer",
    "my_stream.py": "answer",
    "my_class.py": "Rag",
    "my_chat.py": "answer",
    "my_chain.py": "chain",
    "my_tool.py": "ask",
    "my_graph.py": "graph",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file, text in PYTHON.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def panel(folder: Path, text: str) -> list[Spec]:
    (folder / "panel.yaml").write_text(text, encoding="utf-8")
    return parse_specs("panel.yaml", Settings())


def test_every_example_is_tried() -> None:
    assert set(PYTHON) == {*NAMES, "my_program.py", "my_retriever.py"}
    assert len(YAML) == 4


@pytest.mark.parametrize("file", NAMES)
def test_a_python_example_answers_with_its_passages(folder: Path, file: str) -> None:
    answer = asked(CallableCandidate(function_spec(str(folder / file), NAMES[file])))
    assert answer.choice == 1
    assert answer.passages[0].text == "The tank holds 30 litres."


def test_the_example_retriever_returns_passages_alone(folder: Path) -> None:
    answer = asked(CallableCandidate(function_spec(str(folder / "my_retriever.py"), "find")))
    assert (answer.text, len(answer.passages), PASSAGES_ALONE in answer.meta) == ("", 2, True)


def test_the_example_program_answers(folder: Path) -> None:
    answer = asked(
        CommandCandidate(CommandSpec(examinee=examinee(), run=[sys.executable, str(folder / "my_program.py")]))
    )
    assert (answer.choice, answer.passages[0].source_id) == (1, "tank.md#2")


def test_a_grid_over_arguments_makes_several_systems_of_one_class(folder: Path) -> None:
    found = [adapter_of(spec) for spec in panel(folder, YAML[0])]  # type: ignore[arg-type]
    assert [len(asked(system).passages) for system in found if isinstance(system, Adapter)] == [1, 2]


def test_the_example_endpoint_is_asked_and_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_RAG_KEY", "a-key-of-mine")
    with rag_server() as server:
        (spec,) = panel(folder, YAML[1].replace("http://127.0.0.1:8000/v2/query", f"{server.url}/json"))
        system = adapter_of(spec)  # type: ignore[arg-type]
        assert isinstance(system, Adapter)
        assert asked(system).choice == 1
    body = server.seen[0].body
    assert (body["context"], body["settings"]) == (None, {"top_k": 5})


@pytest.mark.parametrize("text", YAML[2:])
def test_the_other_panels_can_be_plugged_in(folder: Path, text: str) -> None:
    (spec,) = panel(folder, text.replace("run: [python,", f"run: ['{sys.executable}',"))
    assert isinstance(adapter_of(spec), Adapter)  # type: ignore[arg-type]


def test_the_recorded_examples_are_read(folder: Path) -> None:
    (lines,) = re.findall(r"```jsonl\n(.*?)```", GUIDE, re.DOTALL)
    assert len([json.loads(line) for line in lines.splitlines()]) == 2
    (folder / "answers.jsonl").write_text(lines, encoding="utf-8")
    (spec,) = parse_specs("recorded:answers.jsonl", Settings())
    assert asked(adapter_of(spec), stem=STEM).choice == 1  # type: ignore[arg-type]
