"""Every request becomes a span, named by OpenInference, at a real collector."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator

import pytest
from call_entries import QUESTION, SYSTEM, a_call, answered, failed
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from otlp_receiver import Receiver, plain, receiving

from viva.core.calls import Entry, Message
from viva.llm.tracing.spans import open_spans


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    for name in [name for name in os.environ if name.startswith(("OTEL_", "OPENINFERENCE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with receiving() as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        yield server


def sent(receiver: Receiver, *entries: Entry) -> list[Span]:
    log = open_spans("run1")
    assert log is not None
    for entry in entries:
        log.heard(entry)
    log.close()
    return receiver.spans


def test_a_request_is_a_span_with_the_names_of_openinference(receiver: Receiver) -> None:
    before = time.time_ns()
    (span,) = sent(receiver, answered())
    assert receiver.paths == ["/v1/traces"]
    assert receiver.headers[0]["content-type"] == "application/x-protobuf"
    assert span.name == "writer"
    assert span.status.code == Status.STATUS_CODE_OK
    assert span.end_time_unix_nano - span.start_time_unix_nano == 750_000_000
    assert before <= span.end_time_unix_nano <= time.time_ns()
    attributes = plain(span.attributes)
    metadata = json.loads(attributes.pop("metadata"))
    assert json.loads(attributes.pop("input.value")) == {
        "messages": [{"role": "system", "content": SYSTEM.text}, {"role": "user", "content": QUESTION.text}]
    }
    ours = {
        "viva.run": "run1",
        "viva.role": "writer",
        "viva.chunk": "c1",
        "viva.unit": "u1",
        "viva.key": a_call().key,
        "viva.repeat": 0,
        "viva.attempt": 0,
        "viva.outcome": "answered",
        "viva.endpoint": "https://models.example/v1",
    }
    assert metadata == ours
    assert attributes == ours | {
        "openinference.span.kind": "LLM",
        "session.id": "run1",
        "llm.model_name": "gpt-4o-mini",
        "llm.provider": "openai",
        "llm.system": "openai",
        "llm.invocation_parameters": '{"max_tokens": 64, "temperature": 0.0}',
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": SYSTEM.text,
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.content": QUESTION.text,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "The red one.",
        "input.mime_type": "application/json",
        "output.value": "The red one.",
        "output.mime_type": "text/plain",
        "llm.token_count.prompt": 120,
        "llm.token_count.completion": 30,
        "llm.token_count.total": 150,
        "llm.token_count.prompt_details.cache_read": 100,
        "llm.cost.total": 0.0025,
        "llm.finish_reason": "stop",
    }


def test_a_failed_request_says_its_outcome_and_no_credential(receiver: Receiver) -> None:
    (span,) = sent(receiver, failed("429: no more for sk-abcdefgh12345678"))
    assert span.status.code == Status.STATUS_CODE_ERROR
    assert span.status.message == "rate limited: 429: no more for ***"
    attributes = plain(span.attributes)
    assert attributes["viva.attempt"] == 2
    assert "output.value" not in attributes
    assert "viva.unit" not in attributes


def test_a_call_served_from_the_ledger_is_no_request(receiver: Receiver) -> None:
    assert len(sent(receiver, answered(), answered(cached=True))) == 1


@pytest.mark.parametrize(
    ("provider", "called"),
    [
        ("google_genai", ("google", "vertexai")),
        ("bedrock_converse", ("aws", "bedrock")),
        ("vllm", ("vllm", "openai")),
        ("anthropic", ("anthropic", "anthropic")),
    ],
)
def test_providers_have_the_names_of_openinference(
    receiver: Receiver, provider: str, called: tuple[str, str]
) -> None:
    (span,) = sent(receiver, answered(call=a_call(provider=provider)))
    attributes = plain(span.attributes)
    assert (attributes["llm.provider"], attributes["llm.system"]) == called


def test_half_a_character_does_not_cost_a_batch(receiver: Receiver) -> None:
    spans = sent(receiver, answered("half \ud800 a pair"), answered())
    assert [plain(span.attributes)["output.value"] for span in spans] == ["half ? a pair", "The red one."]


def test_a_long_conversation_loses_turns_and_nothing_else(receiver: Receiver) -> None:
    turns = tuple(Message(role="user", text=f"turn {number}") for number in range(100))
    (span,) = sent(receiver, answered(call=a_call(messages=turns)))
    attributes = plain(span.attributes)
    assert attributes["openinference.span.kind"] == "LLM"
    assert attributes["output.value"] == "The red one."
    assert attributes["llm.input_messages.99.message.content"] == "turn 99"


@pytest.mark.parametrize(
    ("variable", "absent", "present"),
    [
        ("OPENINFERENCE_HIDE_INPUTS", [SYSTEM.text, QUESTION.text], ["The red one."]),
        ("OPENINFERENCE_HIDE_INPUT_MESSAGES", [SYSTEM.text, QUESTION.text], ["The red one."]),
        ("OPENINFERENCE_HIDE_INPUT_TEXT", [SYSTEM.text, QUESTION.text], ["message.role", "The red one."]),
        ("OPENINFERENCE_HIDE_OUTPUTS", ["The red one."], [QUESTION.text]),
        ("OPENINFERENCE_HIDE_OUTPUT_TEXT", ["The red one."], [QUESTION.text, "assistant"]),
        ("OPENINFERENCE_HIDE_LLM_INVOCATION_PARAMETERS", ["temperature"], [QUESTION.text]),
    ],
)
def test_what_is_to_be_hidden_never_leaves(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, variable: str, absent: list[str], present: list[str]
) -> None:
    monkeypatch.setenv(variable, "true")
    (span,) = sent(receiver, answered())
    everything = str(span)
    assert not [text for text in absent if text in everything]
    assert not [text for text in present if text not in everything]


def test_the_service_is_viva_unless_it_is_named(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    sent(receiver, answered())
    assert receiver.resource["service.name"] == "viva"
    receiver.requests.clear()
    monkeypatch.setenv("OTEL_SERVICE_NAME", "exams")
    sent(receiver, answered())
    assert receiver.resource["service.name"] == "exams"


def test_headers_of_the_environment_reach_the_collector_and_nothing_else(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20team-secret-1")
    (span,) = sent(
        receiver,
        answered(),
    )
    assert receiver.headers[0]["authorization"] == "Bearer team-secret-1"
    assert "team-secret-1" not in str(span)
