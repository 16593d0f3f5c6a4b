"""Anybody's function in the chair: what it may return, and what becomes of what it may not."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest
from by_hand import item, shown
from specs_by_hand import asked as asked_system
from specs_by_hand import examinee, timed_out

from viva.core.errors import UsageError
from viva.core.records import ExamItem
from viva.core.settings import Settings
from viva.examinees.adapters.callables import CallableCandidate
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import CallableSpec

NONE = "class answer:\n  def answer(self, question): return 'None'"
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
    "source",
    [
        "def answer(question):\n    assert question.endswith('right option.')\n    return 'A'",
        "async def answer(question):\n    return {'text': 'A'}",
        "async def later():\n    return 'A'\ndef answer(question):\n    return later()",
        "class Rag:\n    def __call__(self, question):\n        return 'A'\nanswer = Rag()",
        "class Rag:\n    def invoke(self, question):\n        return 'A'\nanswer = Rag()",
        "class answer:\n    async def answer(self, question):\n        return {'answer': 'A'}",
        "def answer(question):\n    yield 'A'\n    yield ') it says'\n    yield ' so'",
        "async def answer(question):\n    for piece in ('A', ') it says so'):\n        yield piece",
        "def answer(question):\n    return iter(['', 'A'])",
        "async def answer(question):\n    return (piece for piece in 'A')",
        "def answer(question, options):\n    return {'choice': options.index(options[0])}",
        "def answer(question, *, k=3, **more):\n    return 'A'",
        "import functools\ndef f(k, question):\n    return 'A'\nanswer = functools.partial(f, 3)",
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


def made(tmp_path: Path, source: str, **arguments: str | int) -> CallableCandidate:
    file = tmp_path / "own.py"
    file.write_text(source)
    return CallableCandidate(CallableSpec(examinee=examinee(), target=f"{file}:answer", arguments=arguments))


@pytest.mark.parametrize(
    "source",
    [
        "class answer:\n  def __init__(self, k, name): self.n = f'{name}{k}'\n  def answer(self, q): return self.n",
        "def answer(k, name):\n    return lambda question: f'{name}{k}'",
        "import asyncio\nasync def answer(k, name):\n  await asyncio.sleep(0)\n  return lambda q: f'{name}{k}'",
        "import asyncio\ndef answer(k, name):\n  asyncio.run(asyncio.sleep(0))\n  return lambda q: f'{name}{k}'",
    ],
)
def test_classes_and_factories_make_the_system_of_their_arguments(tmp_path: Path, source: str) -> None:
    async def while_a_loop_runs() -> CallableCandidate:
        return made(tmp_path, source, k=5, name="bm")

    assert asked_system(asyncio.run(while_a_loop_runs())).text == "bm5"


@pytest.mark.parametrize(
    ("source", "arguments", "words"),
    [
        (
            "class answer:\n    def __init__(self, k): ...\n    def answer(self, q): ...",
            {},
            "missing a required argument",
        ),
        ("def answer(k):\n    return str", {"depth": 3}, "cannot be called with the arguments depth"),
        (
            "def answer(k):\n    raise OSError('no index')",
            {"k": 3},
            "made no system of its arguments: OSError: no index",
        ),
        ("import sys\ndef answer(k):\n    sys.exit(3)", {"k": 3}, "SystemExit"),
        ("def answer(k):\n    return 7", {"k": 3}, "made a int, which cannot be asked"),
        ("class R:\n    def answer(self, q): ...\nanswer = R()", {"k": 3}, "makes no system"),
    ],
)
def test_what_makes_no_system_is_said_in_words(
    tmp_path: Path, source: str, arguments: dict[str, int], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        made(tmp_path, source, **arguments)


def test_a_function_with_options_gets_the_bare_question_and_the_list(tmp_path: Path) -> None:
    system = made(tmp_path, "def answer(question, options=None):\n    return f'{question}|{options}'")
    assert asked_system(system, stem="How?", options=["x", "y"]).text == "How?|['x', 'y']"
    assert asked_system(system, stem="How?", options=None).text == "How?|None"


@pytest.mark.parametrize(
    "source",
    [
        "def answer(question, passages=None):\n    return str(passages)",
        "async def answer(question, *, contexts=None):\n    return str(contexts)",
        f"{NONE}\n  def generate(self, question, documents): return str(documents)",
        f"{NONE}\n  async def answer_from(self, question, options, passages): return str(passages)",
    ],
)
def test_a_system_with_a_place_for_passages_is_handed_them(tmp_path: Path, source: str) -> None:
    system = made(tmp_path, source)
    assert system.takes_passages
    assert asked_system(system).text == "None"
    assert asked_system(system, passages=["one", "two"]).text == "['one', 'two']"
    assert asked_system(system, passages=[]).text == "[]"


def test_a_system_without_a_place_for_passages_says_so(tmp_path: Path) -> None:
    source = (
        "class answer:\n    def answer(self, q):\n        return 'A'\n    def generate(self, prompt, stop=None): ..."
    )
    system = made(tmp_path, source)
    assert not system.takes_passages
    with pytest.raises(UsageError, match="retrieves its own"):
        asked_system(system, passages=["one"])


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_the_last_thing_yielded_may_tell_the_passages(tmp_path: Path, kind: str) -> None:
    source = f"{kind} answer(question):\n    yield 'The '\n    yield 'tank'\n    yield {{'passages': ['one']}}"
    answer = asked_system(made(tmp_path, source))
    assert answer.text == "The tank"
    assert [passage.text for passage in answer.passages] == ["one"]


@pytest.mark.parametrize(
    ("source", "raised"),
    [
        ("def answer(question):\n    yield from ()", NoAnswerError),
        ("def answer(question):\n    yield b'A'", BadAnswerError),
        ("def answer(question):\n    yield None", BadAnswerError),
        ("def answer(question):\n    yield 'A'\n    raise KeyError('index')", KeyError),
        ("async def answer(question):\n    yield 'A'\n    raise KeyError('index')", KeyError),
        ("import asyncio\nasync def answer(question):\n    raise asyncio.CancelledError", RuntimeError),
        ("async def answer(question):\n    raise SystemExit(3)", RuntimeError),
    ],
)
def test_generators_and_coroutines_that_break_are_failures(
    tmp_path: Path, source: str, raised: type[Exception]
) -> None:
    with pytest.raises(raised):
        asked_system(made(tmp_path, source))


@pytest.mark.parametrize(
    "source",
    [
        "def answer(question):\n    while True:\n        yield 'on and on '",
        "async def answer(question):\n    while True:\n        yield 'on and on ' * 1000",
        "def answer(question):\n    while True:\n        yield ''",
    ],
)
def test_a_system_that_rambles_on_is_stopped(tmp_path: Path, source: str) -> None:
    assert len(asked_system(made(tmp_path, source)).text) in {0, 20_000}


@pytest.mark.parametrize(
    "source",
    [
        "import time\ndef answer(question):\n    time.sleep(3600)",
        "import time\nasync def answer(question):\n    time.sleep(3600)",
        "import asyncio\nasync def answer(question):\n    await asyncio.sleep(3600)",
        "import asyncio, time\nasync def answer(question):\n    await asyncio.to_thread(time.sleep, 3600)",
        "import time\ndef answer(question):\n    yield 'A'\n    time.sleep(3600)",
    ],
)
def test_one_that_hangs_is_left_behind(tmp_path: Path, source: str) -> None:
    started = time.perf_counter()
    assert timed_out(made(tmp_path, source), 0.1)
    assert time.perf_counter() - started < 2


def test_a_system_made_here_is_closed_here(tmp_path: Path) -> None:
    source = (
        "closed = []\nclass answer:\n    def answer(self, question):\n        return 'A'\n"
        "    async def aclose(self):\n        closed.append(self)"
    )
    system = made(tmp_path, source)
    closed = sys.modules[type(system._target).__module__].closed
    asked_system(system)
    assert closed == [system._target]
