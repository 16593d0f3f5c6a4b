"""A run that is traced: what tracers are told, what they must never hear, and what a tracer that is away may cost."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, viva
from harbour import HARBOUR
from model_server import ModelServer, serve
from otlp_receiver import plain, receiving

MODEL_KEY = "sk-planted-0123456789abcdef0123456789abcdef"
LANGSMITH_KEY = "lsv2_pt_planted0123456789abcdef_0123456789"
# as it is, and as a login is written
PLANTED = re.compile(rb"planted|cGxhbnRlZ")
NOBODY = "http://127.0.0.1:9"


class LangSmithServer(ThreadingHTTPServer):
    """Takes runs as LangSmith does, in batches of JSON, and keeps them; may refuse or hang."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.bodies: list[bytes] = []
        self.keys: set[str | None] = set()
        self.status = 202
        self.hangs = False

    @property
    def runs(self) -> list[dict[str, Any]]:
        """Every run, put together: its end may come later than its beginning."""
        whole: dict[str, dict[str, Any]] = {}
        for body in map(json.loads, self.bodies):
            for part in [*body.get("post", []), *body.get("patch", [])]:
                known = whole.setdefault(part["id"], {})
                known |= {name: value for name, value in part.items() if value is not None}
        return list(whole.values())


class _Handler(BaseHTTPRequestHandler):
    server: LangSmithServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        limits = {"size_limit": 100, "scale_up_nthreads_limit": 4, "scale_up_qsize_trigger": 1000}
        more = {"size_limit_bytes": 2**24, "scale_down_nempty_trigger": 4, "use_multipart_endpoint": False}
        self._answer(200, {"version": "0.10.0", "batch_ingest_config": {**limits, **more}})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.server.hangs:
            time.sleep(60)
        self.server.keys.add(self.headers["x-api-key"])
        self.server.bodies.append(body)
        self._answer(self.server.status, {})

    def _answer(self, status: int, body: object) -> None:
        said = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def langsmith() -> Iterator[LangSmithServer]:
    with LangSmithServer() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


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


def traced(documents: Path, model: ModelServer, environment: dict[str, str]) -> tuple[Done, Path, float]:
    """A run under these variables, its folder, and the seconds it took."""
    folder = documents.parent / "run"
    few = ("--items", "4", "--items-per-chunk", "4", "--worked-examples", "1", "--examinee", "bm25+lexical")
    address = model.url.replace("http://", "http://planted-user:planted-password@") + "?api-key=planted-query"
    usual = {"OPENAI_API_KEY": MODEL_KEY, "VIVA_BASE_URL": address, "NO_PROXY": "127.0.0.1"}
    started = time.monotonic()
    done = viva(
        *("run", documents, "--out", folder, *few, "--model", "openai:scripted"), environment={**usual, **environment}
    )
    return done, folder, time.monotonic() - started


def to_langsmith(url: str) -> dict[str, str]:
    return {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": url, "LANGSMITH_API_KEY": LANGSMITH_KEY}


def assert_nothing_planted_is_left(done: Done, folder: Path) -> None:
    left = [file for file in folder.rglob("*") if file.is_file()]
    assert len(left) > 5
    assert not [file.name for file in left if PLANTED.search(file.read_bytes())]
    assert not PLANTED.search(done.said.encode())


# --- OpenTelemetry ---------------------------------------------------------------------------------------


def test_every_request_is_a_span_with_its_role_its_run_and_its_tokens(documents: Path, model: ModelServer) -> None:
    with receiving() as collector:
        done, folder, _ = traced(documents, model, {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    assert done.code == 0, done.err
    assert done.err == ""
    spans = [(span.name, plain(span.attributes)) for span in collector.spans]
    assert len(spans) == model.paid
    told = json.loads((folder / "events.jsonl").read_text().splitlines()[0])
    assert {attributes["viva.run"] for _, attributes in spans} == {told["run"]}
    assert {name for name, _ in spans} >= {"units", "writer", "expert", "judge.faithfulness", "distractors"}
    assert all(name == attributes["viva.role"] for name, attributes in spans)
    assert all(attributes["llm.token_count.prompt"] > 0 for _, attributes in spans)
    assert all(attributes["llm.token_count.completion"] > 0 for _, attributes in spans)
    sent = [request.SerializeToString() for request in collector.requests]
    assert not [body for body in sent if PLANTED.search(body)]
    assert not [headers for headers in collector.headers if PLANTED.search(str(headers).encode())]
    assert_nothing_planted_is_left(done, folder)


def test_a_collector_that_is_away_costs_a_run_seconds_and_one_sentence(documents: Path, model: ModelServer) -> None:
    done, folder, seconds = traced(documents, model, {"OTEL_EXPORTER_OTLP_ENDPOINT": NOBODY})
    assert done.code == 0, done.err
    assert done.err == f"The collector at {NOBODY} did not take {model.paid} of {model.paid} spans.\n"
    assert seconds < 30
    assert_nothing_planted_is_left(done, folder)


# --- LangSmith -------------------------------------------------------------------------------------------


def test_langsmith_is_told_of_every_request_and_of_no_key(
    documents: Path, model: ModelServer, langsmith: LangSmithServer
) -> None:
    done, folder, _ = traced(documents, model, {**to_langsmith(langsmith.url), "LANGSMITH_PROJECT": "harbour"})
    assert done.code == 0, done.err
    assert done.err == ""
    asked = [run for run in langsmith.runs if run["run_type"] == "llm"]
    assert len(asked) == model.paid
    assert {run["session_name"] for run in langsmith.runs} == {"harbour"}
    assert "lock gate" in json.dumps(asked[0]["inputs"])
    assert all(run["outputs"]["generations"] for run in asked)
    assert langsmith.keys == {LANGSMITH_KEY}
    assert not [body for body in langsmith.bodies if PLANTED.search(body)]
    assert_nothing_planted_is_left(done, folder)


def test_a_langsmith_that_refuses_costs_a_run_one_line(
    documents: Path, model: ModelServer, langsmith: LangSmithServer
) -> None:
    langsmith.status = 401
    done, folder, _ = traced(documents, model, to_langsmith(langsmith.url))
    assert done.code == 0, done.err
    assert re.fullmatch(r"Failed to batch ingest runs: .*Authentication failed.*\n", done.err)
    assert len(langsmith.bodies) > 1
    assert_nothing_planted_is_left(done, folder)


def test_a_langsmith_that_hangs_costs_a_run_seconds_and_one_sentence(
    documents: Path, model: ModelServer, langsmith: LangSmithServer
) -> None:
    langsmith.hangs = True
    done, folder, seconds = traced(documents, model, to_langsmith(langsmith.url))
    assert done.code == 0, done.err
    assert re.fullmatch(rf"LangSmith at {langsmith.url} did not take \d+ records\.\n", done.err)
    assert seconds < 30
    assert_nothing_planted_is_left(done, folder)


def test_a_langsmith_that_hangs_holds_up_a_run_without_models_no_longer(
    documents: Path, langsmith: LangSmithServer
) -> None:
    langsmith.hangs = True
    line = ("run", documents, "--out", documents.parent / "run", "--items", "4", "--examinee", "bm25+lexical")
    started = time.monotonic()
    done = viva(*line, environment=to_langsmith(langsmith.url))
    assert done.code == 0, done.err
    assert re.fullmatch(rf"LangSmith at {langsmith.url} did not take \d+ records\.\n", done.err)
    assert time.monotonic() - started < 30
