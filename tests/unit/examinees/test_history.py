"""Systems get the conversation that a question follows on, in the form in which they take messages."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from by_hand import item, shown
from model_server import serve
from pydantic import JsonValue
from rag_server import rag_server
from specs_by_hand import examinee

from viva.core.calls import Message
from viva.core.records import WITHOUT_HISTORY, ExamItem, Turn
from viva.core.settings import Settings
from viva.examinees.adapters.callables import CallableCandidate
from viva.examinees.adapters.chat import ChatCandidate
from viva.examinees.adapters.command import CommandCandidate
from viva.examinees.adapters.http import HttpCandidate
from viva.examinees.adapters.recorded import RecordedCandidate
from viva.examinees.answering import Answer, TakesHistory, takes_history
from viva.examinees.readers.likelihood import prompt_of
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import CallableSpec, ChatSpec, CommandSpec, HttpSpec, RecordedSpec
from viva.graphs.sitting.administer import ask

FIRST, SAID, STEM = "How large is the tank?", "30 litres.", "And its colour?"
HISTORY = (Turn(role="user", text=FIRST), Turn(role="assistant", text=SAID))
DICTS = [{"role": "user", "content": FIRST}, {"role": "assistant", "content": SAID}]
ASKED = {"role": "user", "content": STEM}


def candidate(folder: Path, source: str) -> CallableCandidate:
    (folder / "own.py").write_text(f"import json\n{source}")
    spec = parse_spec(f"{folder / 'own.py'}:answer", Settings())
    assert isinstance(spec, CallableSpec)
    return CallableCandidate(spec)


def answered(system: TakesHistory, history: Sequence[Turn] = HISTORY) -> str:
    try:
        return asyncio.run(system.answer(STEM, None, history)).text
    finally:
        close = getattr(system, "close", None)
        if close:
            close()


@pytest.mark.parametrize(
    ("parameters", "given"),
    [
        ("question, history", DICTS),
        ("question, chat_history=None", DICTS),
        ("question, *, messages=()", DICTS),
        ("question, history: list[dict[str, str]]", DICTS),
        ("question, history: 'list[tuple[str, str]]'", [[FIRST, SAID]]),
        ("question, history: list[list[str]]", [[FIRST, SAID]]),
        ("question, history: list[str]", [FIRST, SAID]),
        ("question, history: str", f"User: {FIRST}\nAssistant: {SAID}"),
        ("question, history: unknown.Kind if False else list = ()", DICTS),
        ("messages, history=None", [*DICTS, ASKED]),
        ("messages: list[dict]", [*DICTS, ASKED]),
    ],
)
def test_a_function_gets_the_messages_as_its_parameter_takes_them(
    parameters: str, given: object, tmp_path: Path
) -> None:
    name = "messages" if parameters.startswith("messages") else parameters.partition(", ")[2].lstrip("*, ")
    name = name.partition(":")[0].partition("=")[0]
    system = candidate(tmp_path, f"def answer({parameters}): return json.dumps({name})")
    assert takes_history(system)
    assert json.loads(answered(system)) == given


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def answer(question, history): return f'{history}'", "[]"),
        ("def answer(question, history=None): return f'{history}'", "None"),
        ("def answer(messages): return json.dumps(messages)", json.dumps([ASKED])),
        ("def answer(messages: str): return messages", STEM),
    ],
)
def test_without_a_conversation_a_function_is_asked_as_ever(source: str, said: str, tmp_path: Path) -> None:
    assert answered(candidate(tmp_path, source), ()) == said


LANGCHAIN = """
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from typing import TypedDict

told = lambda messages: " | ".join(f"{each.type}: {each.content}" for each in messages)
"""


@pytest.mark.parametrize(
    "source",
    [
        "def answer(question, history: list[BaseMessage]): return told([*history, HumanMessage(question)])",
        "def answer(messages: 'list[BaseMessage]'): return told(messages)",
        """prompt = ChatPromptTemplate([MessagesPlaceholder("chat_history"), ("human", "{question}")])
answer = prompt | RunnableLambda(lambda value: told(value.messages))""",
        """prompt = ChatPromptTemplate([MessagesPlaceholder("spoken", optional=True), ("human", "{input}")])
answer = prompt | RunnableLambda(lambda value: told(value.messages))""",
        """prompt = ChatPromptTemplate([MessagesPlaceholder("messages")])
answer = prompt | RunnableLambda(lambda value: told(value.messages))""",
        """graph = StateGraph(MessagesState)
graph.add_node("a", lambda state: {"messages": [AIMessage(told(state["messages"]))]})
graph.add_edge(START, "a")
graph.add_edge("a", END)
answer = graph.compile()""",
        """class State(TypedDict):
    question: str
    chat_history: list[BaseMessage]
    generation: str
graph = StateGraph(State)
graph.add_node("a", lambda s: {"generation": told([*s.get("chat_history", []), HumanMessage(s["question"])])})
graph.add_edge(START, "a")
graph.add_edge("a", END)
answer = graph.compile()""",
        """class Model(FakeListChatModel):
    def _call(self, messages, *more, **others): return told(messages)
answer = Model(responses=[""])""",
    ],
)
def test_langchain_gets_its_own_messages(source: str, tmp_path: Path) -> None:
    system = candidate(tmp_path, LANGCHAIN + source)
    assert takes_history(system)
    assert answered(system) == f"human: {FIRST} | ai: {SAID} | human: {STEM}"
    assert answered(candidate(tmp_path, LANGCHAIN + source), ()) == f"human: {STEM}"


def test_a_tool_and_a_template_with_a_text_for_the_history_get_a_text(tmp_path: Path) -> None:
    tool = "@tool\ndef answer(question: str, history: str = '') -> str:\n    'Answers.'\n    return history"
    assert answered(candidate(tmp_path, LANGCHAIN + tool)) == f"User: {FIRST}\nAssistant: {SAID}"


def test_a_chat_engine_of_llamaindex_gets_its_own_messages(tmp_path: Path) -> None:
    pytest.importorskip("llama_index.core")
    source = """
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import CustomLLM, CompletionResponse, LLMMetadata

class Echo(CustomLLM):
    @property
    def metadata(self): return LLMMetadata()
    def complete(self, prompt, formatted=False, **more): return CompletionResponse(text=prompt)
    def stream_complete(self, prompt, formatted=False, **more): yield self.complete(prompt)

answer = SimpleChatEngine.from_defaults(llm=Echo())
"""
    told = answered(candidate(tmp_path, source))
    assert [told.find(text) for text in (FIRST, SAID, STEM)] == sorted(told.find(t) for t in (FIRST, SAID, STEM))
    assert told.find(FIRST) >= 0


def test_a_chat_endpoint_gets_the_messages_before_the_question() -> None:
    seen: list[Sequence[Message]] = []

    def brain(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        seen.append(messages)
        return "Red."

    with serve(brain) as server:
        answered(
            ChatCandidate(
                ChatSpec(examinee=examinee(), base_url=server.url, model="m", system="Be brief.", key_from="")
            )
        )
    roles = [(message.role, message.text) for message in seen[0]]
    assert roles == [("system", "Be brief."), ("user", FIRST), ("assistant", SAID), ("user", STEM)]


def test_a_request_has_places_for_the_history_and_for_all_messages() -> None:
    with rag_server() as server:
        server.reply = {"a": "Red."}
        bodies: list[dict[str, Any]] = [
            {"q": "{question}", "history": "{history}", "text": "Before:\n{history}"},
            {"messages": "{messages}"},
            {"q": "{question}"},
        ]
        taken = []
        for body in bodies:
            spec = HttpSpec(examinee=examinee(), url=f"{server.url}/reply", body=body, answer="$.a")
            system = HttpCandidate(spec)
            taken.append(takes_history(system))
            answered(system)
    text = f"Before:\nUser: {FIRST}\nAssistant: {SAID}"
    assert [seen.body for seen in server.seen] == [
        {"q": STEM, "history": DICTS, "text": text},
        {"messages": [*DICTS, ASKED]},
        {"q": STEM},
    ]
    assert taken == [True, True, False]


def test_a_program_gets_a_field_history(tmp_path: Path) -> None:
    source = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "answer": json.dumps(asked["history"])}), flush=True)
"""
    (tmp_path / "own.py").write_text(source)
    run = [sys.executable, str(tmp_path / "own.py")]
    assert json.loads(answered(CommandCandidate(CommandSpec(examinee=examinee(), run=run)))) == DICTS


def test_a_recorded_answer_is_that_after_the_same_conversation(tmp_path: Path) -> None:
    rows = [
        {"question": STEM, "answer": "Red.", "history": DICTS},
        {"question": STEM, "answer": "Blue.", "history": [[FIRST, "40 litres."]]},
        {"question": STEM, "answer": "Which?"},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    system = RecordedCandidate(RecordedSpec(examinee=examinee(), path=str(path)))
    assert [answered(system, h) for h in (HISTORY, HISTORY[:1], ())] == ["Red.", "Which?", "Which?"]


def test_a_model_that_is_asked_for_likelihoods_reads_the_conversation() -> None:
    asked = prompt_of(STEM, ["The tank is red."], [], HISTORY)
    assert asked == f"Passage: The tank is red.\n\nQuestion: {FIRST}\nAnswer: {SAID}\n\nQuestion: {STEM}\nAnswer:"


def following() -> ExamItem:
    put = shown(item(1))
    return put.model_copy(update={"item": put.item.model_copy(update={"history": HISTORY})})


@pytest.mark.parametrize(("parameters", "is_bare"), [("question", True), ("question, history", False)])
def test_who_takes_no_history_is_asked_the_bare_question_and_marked(
    parameters: str, is_bare: bool, tmp_path: Path
) -> None:
    system = candidate(tmp_path, f"def answer({parameters}): return question")
    found = asyncio.run(ask(system, following(), 5.0))
    assert (WITHOUT_HISTORY in found.meta) == is_bare
    assert FIRST not in found.text
    assert WITHOUT_HISTORY not in asyncio.run(ask(system, shown(item(1)), 5.0)).meta
    system.close()


class Old:
    """A candidate of before there were histories."""

    examinee = examinee()

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:
        return Answer(text=question)


def test_a_candidate_without_histories_sits_as_ever() -> None:
    found = asyncio.run(ask(Old(), following(), 5.0))
    assert found.failure is None
    assert found.meta[WITHOUT_HISTORY]
