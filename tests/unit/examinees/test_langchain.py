"""LangChain and LangGraph in the chair: real chains, graphs and tools, by their names in a user's file."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from specs_by_hand import OPTIONS, STEM, asked, examinee, function_spec, timed_out

from viva.core.errors import UsageError
from viva.core.records import PASSAGES_ALONE
from viva.examinees.adapters.callables import CallableCandidate
from viva.examinees.adapters.langchain import as_tool
from viva.examinees.answering import Answer, BadAnswerError

SYSTEMS = Path(__file__).parents[2] / "support/own_chains.py"


def system(name: str) -> CallableCandidate:
    return CallableCandidate(function_spec(str(SYSTEMS), name))


@pytest.mark.parametrize(
    "name",
    [
        "text_chain",
        "question_chain",
        "query_chain",
        "get_chain",
        "assign_chain",
        "retrieval_chain",
        "sources_chain",
        "chat_model",
        "untyped",
        "single_field",
        "pydantic_input",
        "with_history",
        "messages_graph",
        "question_graph",
        "entrypoint_graph",
        "remembering_graph",
        "plain_tool",
        "query_tool",
        "artifact_tool",
        "blocking_tool",
    ],
)
def test_every_kind_is_asked_with_the_options_and_answers(name: str) -> None:
    # each of them says B where it was shown the options, and C where it was not
    answer = asked(system(name))
    assert answer.choice == 1, answer
    assert answer.latency_s is not None
    assert asked(system(name), options=None).choice is None


@pytest.mark.parametrize(
    "name", ["retrieval_chain", "sources_chain", "artifact_tool", "question_graph", "agent_graph"]
)
def test_documents_become_passages_with_their_ids(name: str) -> None:
    answer = asked(system(name))
    assert [(p.text, p.source_id) for p in answer.passages] == [("The tank holds 30 litres.", "t-1"), ("Red.", "t-2")]


def test_a_retriever_by_itself_returns_passages_and_no_answer() -> None:
    answer = asked(system("retriever"))
    assert (answer.text, answer.choice, [p.source_id for p in answer.passages]) == ("", None, ["t-1", "t-2"])
    assert PASSAGES_ALONE in answer.meta


def test_tokens_are_counted_over_all_messages() -> None:
    answer = asked(system("agent_graph"))
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (30, 7)


@pytest.mark.parametrize(
    ("name", "found", "tokens"),
    [
        ("tutorial_chain", ["t-1", "t-2"], 40),
        ("reranked_chain", ["t-2", "t-1"], 40),
        ("fused_chain", ["t-2"], 40),
        ("lambda_chain", ["t-1", "t-2"], 80),
    ],
)
def test_passages_and_tokens_of_a_chain_that_returns_a_text_are_those_that_its_steps_report(
    name: str, found: list[str], tokens: int
) -> None:
    answer = asked(system(name))
    assert [passage.source_id for passage in answer.passages] == found
    assert answer.usage is not None
    assert answer.usage.input_tokens == tokens


def test_each_question_is_a_conversation_of_its_own() -> None:
    graph = system("remembering_graph")

    async def two() -> list[Answer]:
        return [await graph.answer(STEM, OPTIONS) for _ in range(2)]

    assert [answer.choice for answer in asyncio.run(two())] == [1, 1]
    graph.close()


@pytest.mark.parametrize(
    ("name", "takes"),
    [("question_graph", False), ("handed_graph", True), ("handed_chain", True), ("text_chain", False)],
)
def test_passages_are_handed_over_where_the_input_has_a_place_for_them(name: str, takes: bool) -> None:
    own = system(name)
    assert own.takes_passages is takes
    if takes:
        assert asked(own, passages=["from outside"]).text == "read: from outside"
    else:
        with pytest.raises(UsageError):
            asked(own, passages=["from outside"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("silent_graph", "last message is of “human”"),
        ("interrupted_graph", "waits for a person"),
        ("failing_tool", "The tool says that it failed: “no index”"),
    ],
)
def test_what_is_no_answer_is_told_in_words(name: str, words: str) -> None:
    with pytest.raises(BadAnswerError, match=words):
        asked(system(name))


def test_a_number_that_a_chain_gives_is_its_text() -> None:
    assert asked(system("counting")).text.isdecimal()


@pytest.mark.parametrize("name", ["raising_chain", "raising_tool", "raising_graph"])
def test_what_they_raise_comes_out(name: str) -> None:
    with pytest.raises(ValueError, match="no index"):
        asked(system(name))


def test_an_error_of_a_chains_own_is_not_taken_for_a_wish_for_another_input() -> None:
    with pytest.raises(KeyError, match="nothing"):
        asked(system("strict_chain"))


@pytest.mark.parametrize("name", ["hanging_chain", "blocking_chain"])
def test_one_that_hangs_is_left(name: str) -> None:
    started = time.perf_counter()
    own = system(name)
    assert timed_out(own)
    own.close()
    assert time.perf_counter() - started < 9


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("needs_context", "needs context in its input, besides the question"),
        ("odd_fields", "no field for the question in its input; it has height, width"),
        ("uncompiled", "uncompiled.compile()"),
    ],
)
def test_an_input_that_has_no_place_for_the_question_is_said(name: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        system(name)
    assert words in str(caught.value)


def called(tool: BaseTool, **arguments: object) -> ToolMessage:
    message = asyncio.run(tool.ainvoke({"type": "tool_call", "id": "7", "name": tool.name, "args": arguments}))
    assert isinstance(message, ToolMessage)
    return message


def test_any_system_can_be_called_as_a_tool() -> None:
    own = system("retrieval_chain")
    own.examinee = examinee("My RAG, v2 (é)")
    tool = as_tool(own)
    assert tool.name == "My_RAG_v2"
    message = called(tool, question=STEM, options=list(OPTIONS))
    assert isinstance(message.artifact, Answer)
    assert (message.content, message.tool_call_id, message.artifact.choice) == ("B", "7", 1)
    assert len(message.artifact.passages) == 2
    assert called(tool, question=STEM).content == "C"
    own.close()


def test_a_tool_raises_what_the_system_raises() -> None:
    own = system("raising_chain")
    with pytest.raises(ValueError, match="no index"):
        called(as_tool(own), question=STEM)
    with pytest.raises(ValueError, match="no index"):
        as_tool(own).invoke({"question": STEM})
    own.close()


def test_a_tool_node_can_be_invoked_without_a_loop_and_with_one() -> None:
    own = system("retrieval_chain")
    tool = as_tool(own)
    call = {"type": "tool_call", "id": "7", "name": tool.name, "args": {"question": STEM, "options": list(OPTIONS)}}
    graph = StateGraph(MessagesState).add_node("tools", ToolNode([tool])).add_edge(START, "tools").compile()
    asking = {"messages": [AIMessage("", tool_calls=[call])]}
    for found in (graph.invoke(asking), asyncio.run(graph.ainvoke(asking)), graph.invoke(asking)):
        assert found["messages"][-1].content == "B"
    own.close()


def test_a_system_made_a_tool_and_examined_again_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "again.py"
    file.write_text(
        "from viva.examinees.adapters.callables import CallableCandidate\n"
        "from viva.examinees.adapters.langchain import as_tool\n"
        "from specs_by_hand import function_spec\n"
        f"tool = as_tool(CallableCandidate(function_spec({str(SYSTEMS)!r}, 'retrieval_chain')))\n"
    )
    answer = asked(CallableCandidate(function_spec(str(file), "tool")))
    assert answer.choice == 1
    assert [passage.source_id for passage in answer.passages] == ["t-1", "t-2"]
