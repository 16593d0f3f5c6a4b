"""Anthropic, Google, Bedrock and Ollama, where LangChain's packages for them are installed (viva[anthropic] ...).

Each vendor's protocol is spoken by a server on loopback, as far as a conversation needs it.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from viva.core.calls import Call, Message, Outcome, Reply, Usage
from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.llm.calls import ProviderError
from viva.llm.prices import Prices
from viva.llm.providers.langchain import LangChainProvider
from viva.llm.roster import ModelName
from viva.llm.secrets import Secrets

CONVERSATION = (
    Message(role="system", text="Be brief."),
    Message(role="user", text="When does the gate close?"),
    Message(role="assistant", text="At noon."),
    Message(role="user", text="Are you sure?"),
)


class Server(ThreadingHTTPServer):
    """Answers every request alike, and keeps what was sent."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body: Any = {}
        self.latency = 0.0
        self.sent: list[dict[str, Any]] = []
        self.logins: list[str | None] = []


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.server
        server.logins.append(self.headers["authorization"])
        server.sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        time.sleep(server.latency)
        body = server.body if isinstance(server.body, bytes) else json.dumps(server.body).encode()
        self.send_response(server.status)
        for name, value in {"content-type": "application/json", **server.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


# --- the vendors -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Vendor:
    """How one vendor is reached, what it says, and what it calls the parameters that all runs send."""

    provider: str
    package: str
    model: str
    address: str
    """the environment variable of its server's address"""
    keys: dict[str, str]
    reply: Callable[[str, str], dict[str, Any]]
    """text and finish reason -> body"""
    refusal: Callable[[int], dict[str, Any]]
    """status -> body"""
    parameters: Callable[[dict[str, Any]], tuple[Any, Any]]
    """body sent -> temperature, longest reply"""
    finishes: dict[str, Outcome] = field(default_factory=dict)
    cached: int | None = 5


def anthropic_says(text: str, finish: str) -> dict[str, Any]:
    usage = {"input_tokens": 11, "output_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 0}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_sequence": None}
    return {**head, "content": [{"type": "text", "text": text}], "stop_reason": finish, "usage": usage}


def google_says(text: str, finish: str) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": finish, "index": 0}
    usage = {"promptTokenCount": 16, "candidatesTokenCount": 3, "totalTokenCount": 19, "cachedContentTokenCount": 5}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini"}


def bedrock_says(text: str, finish: str) -> dict[str, Any]:
    usage = {"inputTokens": 11, "outputTokens": 3, "totalTokens": 19, "cacheReadInputTokens": 5}
    said = {"message": {"role": "assistant", "content": [{"text": text}]}}
    return {"output": said, "stopReason": finish, "usage": usage, "metrics": {"latencyMs": 1}}


ANTHROPIC = Vendor(
    "anthropic",
    "langchain_anthropic",
    "claude-sonnet-4-5",
    "ANTHROPIC_BASE_URL",
    {"ANTHROPIC_API_KEY": "sk-ant-planted-0123"},
    anthropic_says,
    lambda status: {"type": "error", "error": {"type": "some_error", "message": f"said {status}"}},
    lambda body: (body.get("temperature"), body.get("max_tokens")),
    {"end_turn": Outcome.ANSWERED, "max_tokens": Outcome.TRUNCATED, "refusal": Outcome.REFUSED},
)
GOOGLE = Vendor(
    "google_genai",
    "langchain_google_genai",
    "gemini-2.5-flash",
    "GOOGLE_GEMINI_BASE_URL",
    {"GOOGLE_API_KEY": "AIzaplanted0123456789"},
    google_says,
    lambda status: {"error": {"code": status, "message": f"said {status}", "status": "SOME_STATUS"}},
    lambda body: (body["generationConfig"].get("temperature"), body["generationConfig"].get("maxOutputTokens")),
    {"STOP": Outcome.ANSWERED, "MAX_TOKENS": Outcome.TRUNCATED, "SAFETY": Outcome.FILTERED},
)
BEDROCK = Vendor(
    "bedrock_converse",
    "langchain_aws",
    "amazon.nova-lite-v1:0",
    "AWS_ENDPOINT_URL",
    {"AWS_ACCESS_KEY_ID": "AKIAPLANTED012345678", "AWS_SECRET_ACCESS_KEY": "planted-0123", "AWS_REGION": "us-east-1"},
    bedrock_says,
    lambda status: {"__type": "SomeException", "message": f"said {status}"},
    lambda body: (body["inferenceConfig"].get("temperature"), body["inferenceConfig"].get("maxTokens")),
    {
        "end_turn": Outcome.ANSWERED,
        "max_tokens": Outcome.TRUNCATED,
        "guardrail_intervened": Outcome.FILTERED,
        "content_filtered": Outcome.FILTERED,
    },
)
VENDORS = [ANTHROPIC, GOOGLE, BEDROCK]
FINISHES = [(vendor, finish) for vendor in VENDORS for finish in vendor.finishes]


def name_of(value: object) -> str | None:
    return value.provider if isinstance(value, Vendor) else None


of_each_vendor = pytest.mark.parametrize("vendor", VENDORS, ids=name_of)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    ours = ("ANTHROPIC_", "AWS_", "GEMINI_", "GOOGLE_", "LANGSMITH_", "LANGCHAIN_", "OLLAMA_")
    for name in [name for name in os.environ if name.startswith(ours)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    # nobody is asked for credentials over the network
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with Server() as running:
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture
def at(server: Server, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Do something with a vendor's model at the server, and close it."""

    def done(vendor: Vendor, work: Callable[[LangChainProvider], Awaitable[Any]], **settings: Any) -> Any:
        pytest.importorskip(vendor.package)
        for name, value in {vendor.address: server.url, **vendor.keys}.items():
            monkeypatch.setenv(name, value)
        if server.body == {}:
            server.body = vendor.reply("No.", next(iter(vendor.finishes)))
        name = ModelName(vendor.provider, vendor.model)

        async def all_of_it() -> Any:
            provider = LangChainProvider.of(name, Settings(**settings), Prices(()), Secrets())
            try:
                return await work(provider)
            finally:
                await provider.aclose()

        return asyncio.run(all_of_it())

    return done


async def ask(provider: LangChainProvider, **parameters: Any) -> Reply:
    chosen = parameters or {"temperature": 0.0, "max_tokens": 77}
    return await provider.complete(Call(provider.name, provider.model, provider.endpoint, CONVERSATION, chosen))


async def fail(provider: LangChainProvider, **parameters: Any) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        await ask(provider, **parameters)
    return failed.value


# --- what is said and heard ------------------------------------------------------------------------------


@of_each_vendor
def test_the_conversation_and_its_parameters_arrive_and_the_answer_comes_back(
    vendor: Vendor, server: Server, at: Callable[..., Any]
) -> None:
    reply = at(vendor, ask)
    assert (reply.text, reply.outcome) == ("No.", Outcome.ANSWERED)
    assert reply.usage == Usage(16, 3, vendor.cached)
    [body] = server.sent
    assert vendor.parameters(body) == (0.0, 77)
    sent = json.dumps(body)
    assert all(sent.count(message.text) == 1 for message in CONVERSATION)


@of_each_vendor
def test_no_temperature_is_sent_where_none_was_chosen(vendor: Vendor, server: Server, at: Callable[..., Any]) -> None:
    at(vendor, lambda provider: ask(provider, max_tokens=77, stop=["END"]))
    [body] = server.sent
    assert vendor.parameters(body) == (None, 77)
    assert "END" in json.dumps(body)


@pytest.mark.parametrize(("vendor", "finish"), FINISHES, ids=name_of)
def test_how_a_reply_ended_is_understood(vendor: Vendor, finish: str, server: Server, at: Callable[..., Any]) -> None:
    server.body = vendor.reply("As far as", finish)
    reply = at(vendor, ask)
    assert reply.outcome is vendor.finishes[finish]
    assert (reply.text, reply.finish_reason) == ("As far as", finish)


def test_a_prompt_that_google_blocks_is_filtered(server: Server, at: Callable[..., Any]) -> None:
    server.body = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    reply = at(GOOGLE, ask)
    assert (reply.outcome, reply.text) == (Outcome.FILTERED, "")


@of_each_vendor
@pytest.mark.parametrize("more", [{"made_up": 1}, {"logprobs": True}, {"response_format": {"type": "json_object"}}])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_parameter_that_a_vendor_does_not_know_is_no_crash(
    vendor: Vendor, more: dict[str, Any], at: Callable[..., Any]
) -> None:
    async def end(provider: LangChainProvider) -> Outcome:
        try:
            return (await ask(provider, max_tokens=77, **more)).outcome
        except ProviderError as error:
            return error.outcome

    assert at(vendor, end) in {Outcome.ANSWERED, Outcome.INVALID, Outcome.GARBLED}


# --- what goes wrong -------------------------------------------------------------------------------------


@of_each_vendor
@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (400, Outcome.INVALID),
        (401, Outcome.DENIED),
        (404, Outcome.DENIED),
        (429, Outcome.RATE_LIMITED),
        (500, Outcome.SERVER_ERROR),
        (503, Outcome.SERVER_ERROR),
        (529, Outcome.SERVER_ERROR),
    ],
)
def test_a_failure_is_told_apart_and_the_sdk_asks_once(
    vendor: Vendor, status: int, outcome: Outcome, server: Server, at: Callable[..., Any]
) -> None:
    server.status, server.body, server.headers = status, vendor.refusal(status), {"retry-after": "7"}
    failure = at(vendor, fail)
    assert failure.outcome is outcome
    assert f"said {status}" in failure.detail
    assert failure.retry_after_s == 7.0
    assert len(server.sent) == 1


@of_each_vendor
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_body_that_is_no_json_is_a_typed_failure(vendor: Vendor, server: Server, at: Callable[..., Any]) -> None:
    server.body = b"<html>Bad gateway</html>"
    # Bedrock's SDK makes an empty reply of it, and LangChain's package takes offence at that
    assert at(vendor, fail).outcome is (Outcome.INVALID if vendor is BEDROCK else Outcome.GARBLED)
    assert len(server.sent) == 1


@of_each_vendor
def test_a_server_that_is_not_there_is_a_lost_connection(
    vendor: Vendor, server: Server, at: Callable[..., Any]
) -> None:
    server.server_close()
    assert at(vendor, fail).outcome is Outcome.CONNECTION_LOST


@of_each_vendor
def test_a_reply_that_does_not_come_holds_up_nobody(vendor: Vendor, server: Server, at: Callable[..., Any]) -> None:
    async def twice(provider: LangChainProvider) -> Reply:
        server.latency = 0.6
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await ask(provider)
        server.latency = 0.0
        return await ask(provider)

    assert at(vendor, twice).outcome is Outcome.ANSWERED


def test_bedrock_gives_up_when_the_call_is_given_up(server: Server, at: Callable[..., Any]) -> None:
    server.latency = 1.5
    started = time.monotonic()
    assert at(BEDROCK, fail, call_timeout_s=0.5).outcome is Outcome.TIMED_OUT
    assert time.monotonic() - started < 5
    assert len(server.sent) == 1


def test_bedrock_keeps_as_many_requests_in_flight_as_are_allowed(
    server: Server, at: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    server.latency = 0.5

    async def together(provider: LangChainProvider) -> float:
        await asyncio.gather(*(ask(provider, max_tokens=77) for _ in range(24)))
        started = time.monotonic()
        await asyncio.gather(*(ask(provider, max_tokens=77) for _ in range(24)))
        return time.monotonic() - started

    assert at(BEDROCK, together, concurrency=24) < 1.5
    assert "pool is full" not in caplog.text


# --- keys ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vendor", "missing"),
    [
        (ANTHROPIC, "ANTHROPIC_API_KEY"),
        (GOOGLE, "GOOGLE_API_KEY"),
        (BEDROCK, "AWS_ACCESS_KEY_ID"),
        (BEDROCK, "AWS_REGION"),
    ],
    ids=name_of,
)
def test_a_missing_key_is_one_sentence_with_its_variable(
    vendor: Vendor, missing: str, server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    pytest.importorskip(vendor.package)
    for name, value in vendor.keys.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv(missing)
    # no keys of whoever runs the tests
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    with pytest.raises(UsageError) as told:
        LangChainProvider.of(ModelName(vendor.provider, vendor.model), Settings(), Prices(()), Secrets())
    assert missing in told.value.next_step
    assert "\n" not in str(told.value)
    assert "planted" not in str(told.value)
