"""`viva models` shows what can be used here and now: keys by their variables' names, servers by what they list."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from viva.cli.models import models
from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.llm.prices import FREE, Prices
from viva.llm.providers.endpoints import endpoint_of
from viva.llm.providers.langchain import LangChainProvider
from viva.llm.roster import ModelName
from viva.llm.secrets import Secrets

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(models)


class Ollama(ThreadingHTTPServer):
    """Lists models as Ollama's OpenAI-compatible API does, or says whatever else it is told to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.body: bytes = json.dumps(
            {"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "llama3.2:3b"}]}
        ).encode()
        self.asked: list[str] = []
        self.logins: list[str | None] = []


class _Handler(BaseHTTPRequestHandler):
    server: Ollama

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.logins.append(self.headers["authorization"])
        self.send_response(200)
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ollama]:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_PROFILE")) or name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    with Ollama() as running:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{running.server_port}")
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield running
        running.shutdown()


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def told() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown("--json"))
    return found


def test_a_server_on_this_machine_is_shown_with_its_models_and_the_command_for_each(ollama: Ollama) -> None:
    text = shown()
    assert "viva run DOCS --model ollama:qwen3:8b" in text
    assert "viva run DOCS --model ollama:llama3.2:3b" in text
    assert "OLLAMA_CONTEXT_LENGTH" in text
    assert ollama.asked == ["/v1/models"]


def test_a_key_is_shown_by_its_name_and_never_by_its_value(ollama: Ollama, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    text = shown() + shown("--json")
    assert "OPENAI_API_KEY is set" in text
    assert "viva run DOCS --model openai:" in text
    assert "planted" not in text


def test_where_nothing_answers_and_no_key_is_set_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_PROFILE")) or name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    found = told()
    assert not any(vendor["key_set"] for vendor in found["vendors"])
    assert next(each for each in found["local"] if each["provider"] == "ollama")["models"] is None
    if not any(each["models"] is not None for each in found["local"]):
        assert "ollama pull" in shown()


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b'{"data": 7}', b'{"models": []}', b"\xff" * 3_000_000, b"[" * 20_000]
)
def test_what_listens_there_and_is_no_such_server_is_not_taken_for_one(ollama: Ollama, body: bytes) -> None:
    ollama.body = body
    assert next(each for each in told()["local"] if each["provider"] == "ollama")["models"] is None


def test_names_of_models_are_shown_and_not_obeyed_by_the_terminal_or_the_shell(ollama: Ollama) -> None:
    name = "nice; rm -rf ~ \x1b[2J[bold]"
    ollama.body = json.dumps({"data": [{"id": name}, {"id": 7}, "x", {"id": " "}]}).encode()
    text = shown()
    assert "\x1b" not in text
    assert "'ollama:nice; rm -rf ~" in text


def test_a_login_in_the_address_goes_to_the_server_and_is_not_shown(
    ollama: Ollama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", f"http://somebody:planted-0123@127.0.0.1:{ollama.server_port}")
    assert "planted" not in shown()
    assert (ollama.logins[0] or "").startswith("Basic ")


def test_a_long_list_of_models_is_read_to_its_end_and_no_key_is_sent_for_it(
    ollama: Ollama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIVA_API_KEY", "planted-0123456789")
    names = [f"model-{n}-{'x' * 90}" for n in range(4000)]
    ollama.body = json.dumps({"data": [{"id": name} for name in names]}).encode()
    found = next(each for each in told()["local"] if each["provider"] == "ollama")["models"]
    assert found == names[:200]
    assert ollama.logins == [None]


@pytest.mark.parametrize(
    "host", ["http://a%3Ab:c@127.0.0.1:9", "http://%E2%82%AC:c@127.0.0.1:9", "http://x..y:11434"]
)
def test_an_address_that_nobody_can_be_asked_at_is_one_that_does_not_answer(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert next(each for each in told()["local"] if each["provider"] == "ollama")["models"] is None


# --- models of such servers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("somewhere:80", "http://somewhere:80/v1"),
        ("https://somewhere/ollama/v1/", "https://somewhere:443/ollama/v1"),
        ("http://somewhere/ollama", "http://somewhere:80/ollama/v1"),
        ("::1", "http://[::1]:11434/v1"),
        ("[::1]:80", "http://[::1]:80/v1"),
    ],
)
def test_ollama_is_asked_where_its_own_variable_says(
    host: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert endpoint_of(ModelName("ollama", "qwen3:8b"), Settings()) == address


@pytest.mark.parametrize("host", ["127.0.0.1:many", "host:99999", "ftp://x", "a b", "http://[::1"])
def test_an_address_of_ollama_that_cannot_be_read_is_said(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    with pytest.raises(UsageError, match="OLLAMA_HOST"):
        endpoint_of(ModelName("ollama", "qwen3:8b"), Settings())


@pytest.mark.parametrize("provider", ["ollama", "lmstudio", "llamacpp", "vllm"])
def test_a_model_of_ones_own_server_needs_no_package_and_no_key(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    monkeypatch.delenv("VIVA_API_KEY", raising=False)
    made = LangChainProvider.of(ModelName(provider, "small"), Settings(), Prices(()), Secrets())
    # the vendor's key is not for other servers
    assert made._chat_model({}).openai_api_key.get_secret_value() == "none"
    assert made.endpoint.startswith("http://127.0.0.1:")
    assert provider == "vllm" or Prices(()).of(provider, "small", made.endpoint) == FREE
