"""Words that nearly name an examinee are answered with the ones that do; nothing that is looked at is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import CallableSpec

RAG = """
from pathlib import Path
raise SystemExit("this is not to be run")
LIMIT = int("3")
def answer(question): ...
async def stream(question): ...
def _helper(): ...
class Rag: ...
graph = builder.compile()
chain = prompt | model
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_rag.py").write_text(RAG)
    (tmp_path / "broken.py").write_text("def answer(:\n")
    (tmp_path / "here.jsonl").write_text("{}\n")
    (tmp_path / "rag.sh").write_text("#!/bin/sh\n")
    return tmp_path


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        parse_spec(text, Settings())
    return str(caught.value)


@pytest.mark.parametrize("text", ["my_rag.py", "my_rag.py:", "my_rag", "mine=my_rag.py"])
def test_a_python_file_without_a_name_is_told_what_it_defines(text: str) -> None:
    said = refusal(text)
    assert "The file defines answer, stream, Rag, graph, chain." in said
    assert "my_rag.py:answer" in said
    assert ("mine=my_rag.py:answer" in said) is text.startswith("mine=")


def test_a_python_file_that_is_not_there_or_defines_nothing_is_told_so() -> None:
    assert "names the file other.py, which does not exist" in refusal("other.py")
    assert "none was found in broken.py" in refusal("broken.py")


def test_a_chat_model_is_shown_the_line_of_a_panel_file() -> None:
    said = refusal("chat:foo")
    assert "is described in a panel file" in said
    assert "chat: {base_url: http://127.0.0.1:8000/v1, model: foo}" in said


def test_a_module_called_chat_is_a_module(folder: Path) -> None:
    (folder / "chat.py").write_text("def answer(question): ...\n")
    assert isinstance(parse_spec("chat:answer", Settings()), CallableSpec)


def test_a_file_of_answers_is_named_as_recorded() -> None:
    assert "Did you mean recorded:here.jsonl?" in refusal("here.jsonl")
    assert "Did you mean a=recorded:here.jsonl?" in refusal("a=here.jsonl")
    said = refusal("r8.jsonl")
    assert "there is no file r8.jsonl" in said
    assert "recorded:FILE.jsonl" in said


@pytest.mark.parametrize(
    "text", ["localhost:8000/ask", "127.0.0.1:8000", "a.example.com:443/v1/ask", "localhost/ask"]
)
def test_an_address_without_its_beginning_is_completed(text: str) -> None:
    assert f"Did you mean http://{text}?" in refusal(text)


def test_a_program_is_named_as_a_command() -> None:
    assert "Did you mean command:./rag.sh?" in refusal("./rag.sh")


@pytest.mark.parametrize(("text", "meant"), [("hybird", "hybrid+lexical"), ("bm25+lexica", "bm25+lexical")])
def test_a_misspelt_reference_system_is_guessed(text: str, meant: str) -> None:
    assert f"Did you mean {meant}?" in refusal(text)
