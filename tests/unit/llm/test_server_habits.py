"""Servers that refuse a part of what is asked, send streams alone, or answer nothing of use."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, serve
from opened_gateway import Opened, at
from wires import plain

from viva.core.calls import Message, Outcome, Reply
from viva.core.errors import UsageError
from viva.llm.calls import CallFailed
from viva.llm.gateway import REFUSALS, Retries

ONCE = Retries(attempts=1)
Body = dict[str, Any]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(lambda messages, parameters: f"answer to {messages[-1].text}") as running:
        yield running


class Refusing:
    """Refuses what a rule says, in the words of some server, and keeps every body."""

    def __init__(self, rule: Callable[[Body], bool], error: Body, status: int = 400) -> None:
        self.bodies: list[Body] = []
        self._rule = rule
        self._said = (status, error)

    def __call__(self, body: Body) -> tuple[int, Body] | None:
        self.bodies.append(body)
        return self._said if self._rule(body) else None


def openai(message: str, param: str | None = None) -> Body:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": None}}


def forbidden(name: str) -> Body:
    return {"detail": [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}]}


PARAMETERS: dict[str, tuple[str, Body, int]] = {
    "OpenAI, its param": (
        "temperature",
        openai("Unsupported value: 'temperature' does not support 0 with this model.", "temperature"),
        400,
    ),
    "OpenAI, in its message": ("seed", openai("Unrecognized request argument supplied: seed"), 400),
    "FastAPI": ("response_format", forbidden("response_format"), 422),
    "vLLM": ("stop", {"object": "error", "message": "`stop` is not supported by this model", "code": 400}, 400),
    "Anthropic": ("temperature", openai("`temperature` is deprecated for this model."), 400),
}
ASKED = {"temperature": 0.5, "seed": 7, "stop": ["END"], "response_format": {"type": "json_object"}}


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("retries", [ONCE, Retries(attempts=4, first_s=10)], ids=["one attempt", "long pauses"])
def test_a_parameter_that_is_refused_is_left_out_at_once_and_for_good(
    server: ModelServer, tmp_path: Path, name: str, retries: Retries, caplog: pytest.LogCaptureFixture
) -> None:
    parameter, error, status = PARAMETERS[name]
    server.refuses = refusing = Refusing(lambda body: parameter in body, error, status)

    async def work(opened: Opened) -> list[Outcome]:
        replies = [await opened.ask(f"what is {n}?", **ASKED) for n in range(3)]
        assert [reply.text for reply in replies] == [f"answer to what is {n}?" for n in range(3)]
        return [entry.outcome for entry in opened.ledger.entries()]

    with caplog.at_level(logging.WARNING, "viva"):
        outcomes = at(server, tmp_path, work, retries=retries)
    assert outcomes == [Outcome.UNSUPPORTED, *[Outcome.ANSWERED] * 3]
    assert [parameter in body for body in refusing.bodies] == [True, False, False, False]
    assert all(other in body for body in refusing.bodies for other in ASKED if other != parameter)
    assert len(caplog.messages) == 1
    assert f"openai:first takes no {parameter}: it is left out." in caplog.messages[0]


def test_calls_under_way_while_a_parameter_is_refused_are_all_answered(server: ModelServer, tmp_path: Path) -> None:
    server.latency = 0.05
    server.refuses = refusing = Refusing(lambda body: "temperature" in body, openai("temperature is not supported"))

    async def work(opened: Opened) -> list[Reply]:
        return await asyncio.gather(*(opened.ask(f"what is {n}?") for n in range(8)))

    assert len(at(server, tmp_path, work, retries=ONCE)) == 8
    assert sum("temperature" in body for body in refusing.bodies) <= 8


def test_several_parameters_are_left_out_one_after_the_other(server: ModelServer, tmp_path: Path) -> None:
    def refuse(body: Body) -> tuple[int, Body] | None:
        named = next((name for name in ASKED if name in body), None)
        return (400, openai(f"Unsupported parameter: '{named}'", named)) if named else None

    server.refuses = refuse

    async def work(opened: Opened) -> Reply:
        return await opened.ask("what?", **ASKED)

    assert at(server, tmp_path, work, retries=ONCE).text == "answer to what?"


def test_the_limit_of_a_reply_is_sent_under_its_other_name_and_then_left_out(
    server: ModelServer, tmp_path: Path
) -> None:
    newer = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    )
    server.refuses = refusing = Refusing(lambda body: "max_tokens" in body, openai(newer, "max_tokens"))

    async def work(opened: Opened) -> None:
        await opened.ask("what?")

    at(server, tmp_path / "a", work)
    assert [body.get("max_completion_tokens") for body in refusing.bodies] == [None, 100]

    def refuse(body: Body) -> tuple[int, Body] | None:
        named = next((name for name in body if name.startswith("max_")), None)
        return (422, forbidden(named)) if named else None

    server.refuses = refuse
    at(server, tmp_path / "b", work)


def test_a_limit_that_is_too_large_is_no_parameter_that_is_refused(server: ModelServer, tmp_path: Path) -> None:
    too_large = openai("max_tokens is too large: 100. This model supports at most 50 completion tokens.")
    server.refuses = refusing = Refusing(lambda _: True, too_large)

    async def work(opened: Opened) -> None:
        with pytest.raises(CallFailed, match="too large") as caught:
            await opened.ask("what?")
        assert caught.value.outcome is Outcome.INVALID

    at(server, tmp_path, work)
    assert len(refusing.bodies) == 1


SYSTEM = {
    "vLLM": {"object": "error", "message": "System role not supported", "type": "BadRequestError", "code": 400},
    "a template": openai("Conversation roles must alternate user/assistant/user/assistant/..."),
    "OpenAI": openai("Unsupported value: 'messages[0].role' does not support 'system' with this model."),
    "Google": openai("Developer instruction is not enabled for models/gemma-3-4b-it"),
}


@pytest.mark.parametrize("name", SYSTEM)
def test_a_system_message_that_is_refused_is_put_before_the_first_question(
    server: ModelServer, tmp_path: Path, name: str
) -> None:
    server.refuses = refusing = Refusing(
        lambda body: any(turn["role"] == "system" for turn in body["messages"]), SYSTEM[name]
    )
    asked = [("system", "Be brief."), ("user", "First?"), ("assistant", "Yes."), ("user", "Second?")]

    async def work(opened: Opened) -> Reply:
        return await opened.gateway.ask("writer", [Message(role=role, text=text) for role, text in asked])

    assert at(server, tmp_path, work, retries=ONCE).text == "answer to Second?"
    sent = [(turn["role"], turn["content"]) for turn in refusing.bodies[-1]["messages"]]
    assert sent == [("user", "Be brief.\n\nFirst?"), *asked[2:]]


STREAM_ALONE = [
    "This model only support stream mode, please enable the stream parameter to access the model.",
    "Non-streaming requests are not supported by this endpoint.",
    "Parameter stream must be true.",
    "parameter.enable_thinking must be set to false for non-streaming calls",
]


@pytest.mark.parametrize("words", STREAM_ALONE)
def test_a_server_that_only_streams_is_asked_for_streams(server: ModelServer, tmp_path: Path, words: str) -> None:
    server.refuses = refusing = Refusing(lambda body: not body.get("stream"), openai(words))

    async def work(opened: Opened) -> list[Reply]:
        return [await opened.ask(f"what is {n}?") for n in range(2)]

    first, second = at(server, tmp_path, work, retries=ONCE)
    assert (first.text, second.text) == ("answer to what is 0?", "answer to what is 1?")
    assert first.finish_reason == "stop"
    assert first.usage.output_tokens
    assert [body.get("stream", False) for body in refusing.bodies] == [False, True, True]


def test_a_stream_without_counts_is_asked_for_where_they_are_refused(server: ModelServer, tmp_path: Path) -> None:
    def refuse(body: Body) -> tuple[int, Body] | None:
        if not body.get("stream"):
            return 400, openai(STREAM_ALONE[0])
        return (
            (400, openai("Unknown parameter: stream_options", "stream_options")) if "stream_options" in body else None
        )

    server.refuses = refuse

    async def work(opened: Opened) -> Reply:
        return await opened.ask("what?")

    reply = at(server, tmp_path, work, retries=ONCE)
    assert (reply.text, reply.usage.output_tokens) == ("answer to what?", None)


def events(*data: Any, end: str = "data: [DONE]\n\n") -> Callable[[Body], bytes]:
    lines = "".join(f"data: {json.dumps(each)}\n\n" for each in data)
    return lambda _: (lines + end).encode()


def delta(finish: str | None = None, **piece: Any) -> Body:
    return {"id": "x", "choices": [{"index": 0, "delta": piece, "finish_reason": finish}]}


HALVES = (delta(role="assistant", content="an "), delta(content="answer"), delta("stop"))


@pytest.mark.parametrize(
    ("wire", "text", "outcome"),
    [
        (events(*HALVES), "an answer", Outcome.ANSWERED),
        (events(*HALVES, end=""), "an answer", Outcome.ANSWERED),
        (events(*HALVES[:2]), "an answer", Outcome.ANSWERED),
        (lambda body: b": a comment\r\n\r\nevent: m\r\n" + events(*HALVES)(body), "an answer", Outcome.ANSWERED),
        (events(delta("length", content="an ans")), "an ans", Outcome.TRUNCATED),
        (events(delta("stop", content="")), "", Outcome.EMPTY),
        (events(delta("stop", refusal="I will not.")), "I will not.", Outcome.REFUSED),
    ],
)
def test_a_stream_that_nobody_asked_for_is_read_as_the_reply_that_it_makes_up(
    server: ModelServer, tmp_path: Path, wire: Callable[[Body], bytes], text: str, outcome: Outcome
) -> None:
    server.wire = wire

    async def work(opened: Opened) -> tuple[str, Outcome]:
        ended = (await asyncio.gather(opened.ask("what?"), return_exceptions=True))[0]
        reply = ended.reply if isinstance(ended, CallFailed) else ended
        assert isinstance(reply, Reply)
        return reply.text, reply.outcome

    assert at(server, tmp_path, work, retries=ONCE) == (text, outcome)


@pytest.mark.parametrize(
    ("wire", "outcome"),
    [
        (events(*HALVES[:2], end=""), Outcome.SERVER_ERROR),
        (events({"error": {"code": 429, "message": "slow down"}}), Outcome.RATE_LIMITED),
        (lambda _: b"data: {nothing\n\n", Outcome.GARBLED),
        (lambda _: b"data: [1]\n\n", Outcome.GARBLED),
    ],
)
def test_a_stream_that_is_cut_or_broken_is_a_passing_failure(
    server: ModelServer, tmp_path: Path, wire: Callable[[Body], bytes], outcome: Outcome
) -> None:
    server.wire = wire

    async def work(opened: Opened) -> Outcome:
        with pytest.raises(CallFailed) as caught:
            await opened.ask("what?")
        return caught.value.outcome

    assert at(server, tmp_path, work, retries=ONCE) is outcome


# --- replies without an answer ----------------------------------------------------------------------------------


def saying(finish: str, **message: Any) -> Callable[[Body], bytes]:
    def wire(completion: Body) -> bytes:
        choice = {**completion["choices"][0], "finish_reason": finish, "message": {"role": "assistant", **message}}
        return plain({**completion, "choices": [choice]})

    return wire


CALL = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"text": "locks"}'}}
BROKEN_CALL = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"text"'}}
USELESS: dict[str, tuple[Callable[[Body], bytes], str]] = {
    "tool calls": (saying("tool_calls", content=None, tool_calls=[CALL]), "look_up({text: locks})"),
    "broken tool calls": (saying("tool_calls", content=None, tool_calls=[BROKEN_CALL]), "a tool call"),
    "streamed tool calls": (
        events(delta(tool_calls=[{**CALL, "index": 0}]), delta("tool_calls")),
        "look_up({text: locks})",
    ),
    "refusals": (saying("stop", content=None, refusal="I will not."), "I will not."),
    "refusals as answers": (
        saying("stop", content="I'm sorry, but I can't assist with that request."),
        "I'm sorry, but I can't assist with that request.",
    ),
    "cut off": (saying("length", content="It begins with"), "It begins with"),
    "cut off amid thoughts": (saying("length", content="", reasoning_content="Hm."), "limit of its length"),
    "empty": (saying("stop", content=""), "empty"),
}


async def _ends(opened: Opened, count: int, **parameters: Any) -> list[Any]:
    asked = (opened.ask(f"what is {n}?", **parameters) for n in range(count))
    return [(await asyncio.gather(each, return_exceptions=True))[0] for each in asked]


@pytest.mark.parametrize("name", USELESS)
def test_replies_of_one_useless_kind_in_a_row_end_the_run_with_the_words_of_the_last(
    server: ModelServer, tmp_path: Path, name: str
) -> None:
    server.wire, words = USELESS[name]
    *before, last = at(server, tmp_path, lambda opened: _ends(opened, REFUSALS))
    assert not any(isinstance(end, UsageError) for end in before)
    assert isinstance(last, UsageError)
    assert f"openai:first at {server.url} gave {REFUSALS} replies in a row without an answer" in last.problem
    assert words in last.problem.replace('"', "")
    assert last.next_step


def test_an_answer_or_another_kind_between_them_begins_the_row_anew(server: ModelServer, tmp_path: Path) -> None:
    refusal, empty = USELESS["refusals"][0], USELESS["empty"][0]
    wires = iter([*[refusal] * 7, plain, *[refusal] * 7, *[empty] * 7, *[refusal] * 7])
    server.wire = lambda completion: next(wires)(completion)
    ends = at(server, tmp_path, lambda opened: _ends(opened, 29))
    assert not any(isinstance(end, UsageError) for end in ends)


def test_replies_cut_off_together_are_asked_for_with_more_room_before_the_run_ends(
    server: ModelServer, tmp_path: Path
) -> None:
    server.latency = 0.1
    server.wire = USELESS["cut off"][0]

    async def work(opened: Opened) -> list[Any]:
        together = [opened.ask(f"what is {n}?") for n in range(20)]
        first = await asyncio.gather(*together, return_exceptions=True)
        longer = [opened.ask(f"what is {n}?", max_tokens=200) for n in range(20)]
        return [first, await asyncio.gather(*longer, return_exceptions=True)]

    first, longer = at(server, tmp_path, work)
    assert not any(isinstance(end, UsageError) for end in first)
    assert any(isinstance(end, UsageError) for end in longer)


def test_an_answer_that_says_what_the_passages_lack_is_no_refusal(server: ModelServer, tmp_path: Path) -> None:
    server.wire = saying("stop", content="I'm sorry, but I cannot answer this from the passages.")
    ends = at(server, tmp_path, lambda opened: _ends(opened, 20))
    assert all(isinstance(end, Reply) for end in ends)
