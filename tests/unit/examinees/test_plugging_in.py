"""A system in a folder of its own: modules beside it, errors with their place, objects and signatures of others."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path

import pytest
from specs_by_hand import OPTIONS, STEM, asked, function_spec

from viva.core.errors import UsageError
from viva.core.records import Failure
from viva.examinees.adapters.callables import CallableCandidate
from viva.examinees.adapters.environment import Environment
from viva.graphs.sitting.ask_once import attempted

MODULE = "def said(): return {text!r}\n"
RAG = """
from parts import said
import parts.more as more

def answer(question):
    import late
    from parts.inner import deep
    return said() + more.said() + late.said() + deep() + threads(question)

def threads(question):
    import importlib
    return importlib.__name__[:1]
"""


def project(folder: Path, text: str) -> CallableCandidate:
    files = {
        "rag.py": RAG,
        "parts/__init__.py": MODULE.format(text=text),
        "parts/more.py": MODULE.format(text=text),
        "parts/inner.py": "def deep():\n    from . import said\n    from .more import said as s\n    return s()\n",
        "late.py": "import helper\nfrom helper import said\n",
        "helper.py": MODULE.format(text=text),
    }
    for name, source in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source)
    return CallableCandidate(function_spec(str(folder / "rag.py"), "answer"))


def test_modules_beside_a_file_are_imported_and_those_of_two_systems_do_not_mix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = type(sys)("helper")
    monkeypatch.setitem(sys.modules, "helper", other)
    before = list(sys.path)
    one, two = project(tmp_path / "one", "1"), project(tmp_path / "two", "2")

    async def both() -> list[str]:
        answers = [system.answer(STEM, None) for _ in range(4) for system in (one, two)]
        return [answer.text for answer in await asyncio.gather(*answers)]

    assert asyncio.run(both()) == ["1111i", "2222i"] * 4
    assert sys.modules["helper"] is other
    assert sys.path == before
    for name in ("parts", "parts.more", "parts.inner", "late"):
        sys.modules.pop(name, None)


def test_an_edited_module_is_loaded_anew(tmp_path: Path) -> None:
    assert asked(project(tmp_path, "1"), options=None).text == "1111i"
    assert asked(project(tmp_path, "3"), options=None).text == "3333i"
    for name in ("parts", "parts.more", "parts.inner", "late", "helper"):
        sys.modules.pop(name, None)


def test_names_of_the_standard_library_and_of_viva_are_not_taken(tmp_path: Path) -> None:
    for name in ("json", "statistics", "viva"):
        (tmp_path / f"{name}.py").write_text("raise OSError('not this one')\n")
    (tmp_path / "rag.py").write_text(
        "import json, statistics\nfrom viva.core.ids import content_hash\ndef answer(q): return json.dumps('B')\n"
    )
    assert asked(CallableCandidate(function_spec(str(tmp_path / "rag.py"), "answer"))).choice == 1


def test_an_import_in_another_thread_finds_what_it_found_before(tmp_path: Path) -> None:
    system = project(tmp_path, "1")
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(asked(system, options=None).text)) for _ in range(1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["1111i"]
    for name in ("parts", "parts.more", "parts.inner", "late", "helper"):
        sys.modules.pop(name, None)


# --- errors of their own ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rag", "core", "words"),
    [
        ("import core_of_rag", "x = 1\nraise OSError('no index')", r"OSError: no index \(core_of_rag.py, line 2\)"),
        ("import core_of_rag", "x = 1\n\ndef f(:", r"\(core_of_rag.py, line 3\)"),
        ("import no_such_thing_here", "", r"no_such_thing_here.*\(rag.py, line 1\)"),
        ("\nclass answer:\n    def __init__(self): 'a' in 7", "", r"made no system.*\(rag.py, line 3\)"),
    ],
)
def test_an_error_in_a_user_s_code_is_told_with_file_and_line(
    tmp_path: Path, rag: str, core: str, words: str
) -> None:
    (tmp_path / "rag.py").write_text(rag)
    (tmp_path / "core_of_rag.py").write_text(core)
    with pytest.raises(UsageError, match=words):
        CallableCandidate(function_spec(str(tmp_path / "rag.py"), "answer"))


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_failure_names_the_line_that_raised(tmp_path: Path, kind: str) -> None:
    (tmp_path / "rag.py").write_text(f"import json\n{kind} answer(question):\n    return json.loads('{{' * 9)\n")
    system = CallableCandidate(function_spec(str(tmp_path / "rag.py"), "answer"))
    tried = asyncio.run(attempted(lambda: system.answer(STEM, OPTIONS), 5))
    assert isinstance(tried.found, Failure)
    assert tried.found.detail.startswith("JSONDecodeError: ")
    assert tried.found.detail.endswith(" (rag.py, line 3)")


# --- objects and signatures -------------------------------------------------------------------------------

ENGINE = """
class Node:
    def __init__(self, text, name):
        self.text, self.node_id, self.metadata = text, name, {}

class WithScore:
    def __init__(self, node, score):
        self.node, self.score = node, score
    text = property(lambda self: self.node.text)
    node_id = property(lambda self: self.node.node_id)
    metadata = property(lambda self: self.node.metadata)

class Response:
    def __init__(self, response):
        self.response, self.metadata = response, {}
        self.source_nodes = [WithScore(Node("The tank holds 30 litres.", "n-1"), 0.8)]

class Engine:
    def query(self, bundle): return Response("B) it is")

class Chat:
    # it remembers, unless it is given another history
    def __init__(self): self.memory = []
    def chat(self, message, chat_history=None):
        self.memory = self.memory if chat_history is None else chat_history
        self.memory.append(message)
        return Response("B) it is" if len(self.memory) == 1 else "C) I know you")

class Invoked:
    def invoke(self, question): return "B"

class Called:
    def __call__(self, question, history): return "B" if history == [] else "C"

def two(question, chat_history): return "B" if chat_history == [] else "C"
def optional(question, history=None): return "B" if history is None else "C"
engine, chat, invoked, called = Engine(), Chat(), Invoked(), Called()
"""


@pytest.mark.parametrize("name", ["engine", "chat", "Engine", "invoked", "called", "two", "optional"])
def test_objects_of_a_module_and_functions_with_a_history_are_asked(tmp_path: Path, name: str) -> None:
    (tmp_path / "rag.py").write_text(ENGINE)
    system = CallableCandidate(function_spec(str(tmp_path / "rag.py"), name))
    asked(system)
    answer = asked(system)
    assert answer.choice == 1
    if name in {"engine", "chat", "Engine"}:
        (passage,) = answer.passages
        assert (passage.text, passage.source_id, passage.score) == ("The tank holds 30 litres.", "n-1", 0.8)


def test_a_query_engine_of_llamaindex_is_asked_with_its_nodes_as_passages(tmp_path: Path) -> None:
    pytest.importorskip("llama_index.core")
    (tmp_path / "rag.py").write_text(
        "from llama_index.core import VectorStoreIndex, MockEmbedding\n"
        "from llama_index.core.llms import MockLLM\n"
        "from llama_index.core.schema import TextNode\n"
        "nodes = [TextNode(text='The tank holds 30 litres.', id_='n-1')]\n"
        "index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))\n"
        "engine = index.as_query_engine(llm=MockLLM())\n"
    )
    answer = asked(CallableCandidate(function_spec(str(tmp_path / "rag.py"), "engine")))
    assert [(p.text, p.source_id) for p in answer.passages] == [("The tank holds 30 litres.", "n-1")]


# --- keys -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "hidden"),
    [
        ("wrong", False),
        ("Password", False),
        ("question", False),
        ("42", False),
        ("hunter2", True),
        ("abcdefghijklmnop", True),
        ("aBcDeFgHij", True),
        ("correct horse", True),
    ],
)
def test_a_key_is_hidden_unless_it_may_be_a_word_of_the_message(key: str, hidden: bool) -> None:
    environment = Environment("It", {"KEY": key})
    assert environment.filled("Bearer ${KEY}") == f"Bearer {key}"
    message = f"missing or {key} API key"
    assert environment.hidden_in(message) == ("missing or *** API key" if hidden else message)
