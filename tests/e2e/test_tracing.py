"""A run that is traced: what a collector is told, what it must never hear, and what one that is away may cost."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, viva
from harbour import HARBOUR
from model_server import ModelServer, serve
from otlp_receiver import plain, receiving

MODEL_KEY = "sk-planted-0123456789abcdef0123456789abcdef"
# as it is, and as a login is written
PLANTED = re.compile(rb"planted|cGxhbnRlZ")
NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with serve() as server:
        yield server


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "harbour.md").write_text(HARBOUR, encoding="utf-8")
    return folder


def traced(documents: Path, model: ModelServer, collector: str) -> Done:
    """A run whose spans go to this address."""
    few = ("--items", "4", "--items-per-chunk", "4", "--worked-examples", "1", "--examinee", "bm25+lexical")
    address = model.url.replace("http://", "http://planted-user:planted-password@") + "?api-key=planted-query"
    usual = {"OPENAI_API_KEY": MODEL_KEY, "VIVA_BASE_URL": address, "NO_PROXY": "127.0.0.1"}
    return viva(
        *("run", documents, "--out", documents.parent / "run", *few, "--model", "openai:scripted"),
        environment={**usual, "OTEL_EXPORTER_OTLP_ENDPOINT": collector},
    )


def test_every_request_is_a_span_with_its_role_and_its_tokens(documents: Path, model: ModelServer) -> None:
    with receiving() as collector:
        done = traced(documents, model, collector.url)
    assert done.code == 0, done.err
    # a line for each stage, and nothing of spans
    assert all(re.fullmatch(r".+ \([\d,]+\)", line) for line in done.err.splitlines()), done.err
    asked = [of for span in collector.spans if (of := plain(span.attributes))["openinference.span.kind"] == "LLM"]
    assert len(asked) == model.paid
    assert {of["viva.role"] for of in asked} >= {"units", "writer", "expert", "judge.item", "distractors"}
    assert all(of["llm.token_count.prompt"] > 0 < of["llm.token_count.completion"] for of in asked)
    sent = [request.SerializeToString() for request in collector.requests]
    assert not [body for body in sent if PLANTED.search(body)]
    assert not [headers for headers in collector.headers if PLANTED.search(str(headers).encode())]


def test_no_key_is_in_the_span_of_a_request_that_is_refused(documents: Path) -> None:
    with receiving() as collector, serve(key="another key") as strict:
        done = traced(documents, strict, collector.url)
    assert done.code == 2
    assert [span for span in collector.spans if span.status.message]
    assert not [body for body in collector.requests if PLANTED.search(body.SerializeToString())]


def test_a_collector_that_is_away_costs_a_run_its_spans_and_seconds(documents: Path, model: ModelServer) -> None:
    started = time.monotonic()
    done = traced(documents, model, NOBODY)
    assert done.code == 0, done.err
    assert time.monotonic() - started < 40
    assert "Traceback" not in done.err


def test_where_the_packages_are_missing_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from viva.core.errors import UsageError
    from viva.graphs.resources.model_client import opened_collector

    monkeypatch.setitem(sys.modules, "viva.llm.tracing", None)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", NOBODY)
    with pytest.raises(UsageError, match="packages for OpenTelemetry are not installed"):
        opened_collector()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert opened_collector() is None
