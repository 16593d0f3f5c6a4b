"""Anybody's function in the chair: what it may return, and what becomes of what it may not."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from by_hand import item, shown

from viva.core.errors import UsageError
from viva.core.records import ExamItem
from viva.core.settings import Settings
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.choosing import chosen_option, posed
from viva.examinees.plugin import CallableCandidate
from viva.examinees.reading import read_answer
from viva.examinees.spec import parse_spec
from viva.examinees.specs import CallableSpec

OPTIONS = ("30 litres", "40 litres", "130 litres", "A valve is closed")
ASKED: ExamItem = shown(item(1))


def candidate(tmp_path: Path, source: str) -> CallableCandidate:
    file = tmp_path / "own.py"
    file.write_text(source)
    spec = parse_spec(f"{file}:answer", Settings())
    assert isinstance(spec, CallableSpec)
    return CallableCandidate(spec)


def asked(tmp_path: Path, source: str) -> Answer:
    return asyncio.run(candidate(tmp_path, source).answer(ASKED.item.stem, ASKED.options))


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("B", 1),
        ("b", 1),
        (" (b) ", 1),
        ("B)", 1),
        ("B.", 1),
        ("[B]", 1),
        ("B: 40 litres", 1),
        ("The answer is C.", 2),
        ("the correct option is: C", 2),
        ("Answer: C, because of the pump.", 2),
        ("**C**", 2),
        ("**Answer: C**", 2),
        ("A", 0),
        ("A) it says so", 0),
        ("A, because it says so", 0),
        ("The answer is A because it says so", 0),
        ("(a) it says so", 0),
        ("40 litres", 1),
        ("40  LITRES.", 1),
        ("It moves 40 litres per minute.", 1),
        ("It moves 130 litres per minute.", 2),
        ("A valve is closed", 3),
        ("a valve is closed.", 3),
        ("I think that a valve is closed", 3),
        ("D", 3),
        ("E", None),
        ("A pump is open", None),
        ("a pump is open", None),
        ("The answer is a pump", None),
        ("30 litres or 40 litres", None),
        ("1,130 litres", None),
        ("40 litresque", None),
        ("I do not know.", None),
        ("Because", None),
        ("", None),
    ],
)
def test_a_text_means_an_option_by_its_letter_or_by_its_words(text: str, choice: int | None) -> None:
    assert chosen_option(text, OPTIONS) == choice


def test_the_question_is_posed_with_lettered_options() -> None:
    lines = posed("How much?", ("30", "40")).splitlines()
    assert lines[:3] == ["How much?", "A) 30", "B) 40"]


@pytest.mark.parametrize(
    ("value", "text", "passages"),
    [
        ("B", "B", []),
        ({"text": "B"}, "B", []),
        ({"answer": "B", "passages": ["one", {"text": "two"}]}, "B", ["one", "two"]),
        ({"result": "B", "contexts": ("one",)}, "B", ["one"]),
        ({"text": "B", "sources": "one passage"}, "B", ["one passage"]),
        ({"text": "B", "passages": None}, "B", []),
        (SimpleNamespace(content="B"), "B", []),
        (SimpleNamespace(text="B", sources=[SimpleNamespace(page_content="one")]), "B", ["one"]),
    ],
)
def test_texts_mappings_and_objects_are_answers(value: object, text: str, passages: list[str]) -> None:
    answer = read_answer(value, OPTIONS)
    assert (answer.text, answer.choice, [p.text for p in answer.passages]) == (text, 1, passages)


@pytest.mark.parametrize(
    "value",
    [
        7,
        ["B"],
        {},
        {"text": 7},
        {"text": None},
        object(),
        b"B",
        (letter for letter in "B"),
        {"text": "B", "passages": 7},
        {"text": "B", "passages": [None]},
        {"text": "B", "passages": [7]},
    ],
)
def test_anything_else_is_a_bad_answer_and_says_what_was_expected(value: object) -> None:
    with pytest.raises(BadAnswerError, match="expected") as caught:
        read_answer(value, OPTIONS)
    assert not isinstance(caught.value, NoAnswerError)


def test_none_is_no_answer() -> None:
    with pytest.raises(NoAnswerError):
        read_answer(None, OPTIONS)


def test_a_text_without_end_is_cut() -> None:
    assert len(read_answer("x" * 1_000_000, OPTIONS).text) == 20_000


@pytest.mark.parametrize(
    "source",
    [
        "def answer(question):\n    assert question.endswith('right option.')\n    return 'A'",
        "async def answer(question):\n    return {'text': 'A'}",
        "async def later():\n    return 'A'\ndef answer(question):\n    return later()",
        "class Rag:\n    def __call__(self, question):\n        return 'A'\nanswer = Rag()",
    ],
)
def test_plain_functions_coroutines_and_objects_are_called(tmp_path: Path, source: str) -> None:
    assert asked(tmp_path, source).choice == 0


@pytest.mark.parametrize(
    ("source", "raised"),
    [
        ("def answer(question):\n    raise KeyError('index')", KeyError),
        ("def answer(question):\n    raise StopIteration('end')", RuntimeError),
        ("import sys\ndef answer(question):\n    sys.exit(3)", RuntimeError),
        ("async def answer(question):\n    raise KeyError('index')", KeyError),
    ],
)
def test_what_a_function_raises_comes_out_as_an_error(tmp_path: Path, source: str, raised: type[Exception]) -> None:
    with pytest.raises(raised):
        asked(tmp_path, source)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def reply(question): ...", "It has: reply"),
        ("answer = 7", "It has no functions"),
        ("def answer(:", "SyntaxError"),
        ("raise OSError('no index')", "OSError: no index"),
        ("import sys\nsys.exit(3)", "SystemExit"),
    ],
)
def test_a_file_that_cannot_be_used_is_said_in_words(tmp_path: Path, source: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        candidate(tmp_path, source)


def test_a_module_that_cannot_be_imported_is_said_in_words() -> None:
    spec = parse_spec("no_such_module_here:answer", Settings())
    assert isinstance(spec, CallableSpec)
    with pytest.raises(UsageError, match="no_such_module_here cannot be imported"):
        CallableCandidate(spec)


def test_a_module_of_the_working_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rag_of_this_folder.py").write_text("def answer(question): return 'A'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = parse_spec("rag_of_this_folder:answer", Settings())
    assert isinstance(spec, CallableSpec)
    assert asyncio.run(CallableCandidate(spec).answer(ASKED.item.stem, ASKED.options)).choice == 0


def test_passages_that_take_their_time_are_part_of_answering(tmp_path: Path) -> None:
    file = tmp_path / "lazy.py"
    file.write_text(
        "import time\n"
        "def slow():\n"
        "    for n in range(3):\n"
        "        time.sleep(0.2)\n"
        "        yield f'passage {n}'\n"
        "def answer(question):\n"
        "    return {'text': 'A', 'passages': slow()}\n",
        encoding="utf-8",
    )
    spec = parse_spec(f"{file}:answer", Settings())
    assert isinstance(spec, CallableSpec)
    found = asyncio.run(CallableCandidate(spec).answer("stem?", ("a", "b")))
    assert [passage.text for passage in found.passages] == ["passage 0", "passage 1", "passage 2"]
    assert found.latency_s is not None
    assert found.latency_s >= 0.5


def test_an_edited_module_is_another_examinee(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mymodule.py").write_text("def answer(question): return 'A'\n", encoding="utf-8")
    before = parse_spec("m=mymodule:answer", Settings()).examinee.id
    (tmp_path / "mymodule.py").write_text("def answer(question): return 'B'\n", encoding="utf-8")
    assert parse_spec("m=mymodule:answer", Settings()).examinee.id != before
