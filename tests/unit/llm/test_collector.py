"""Spans go where the environment says; a collector that is away costs a run nothing but its spans."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from call_entries import answered
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from otlp_receiver import Receiver, receiving

from viva.core.errors import UsageError
from viva.llm.tracing import collector as collecting
from viva.llm.tracing.spans import open_spans

SUPPORT = Path(__file__).parents[2] / "support"


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    for name in [name for name in os.environ if name.startswith(("OTEL_", "OPENINFERENCE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with receiving() as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        yield server


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code that may import from tests/support in a process of its own."""
    code = f"import sys; sys.path.insert(0, {str(SUPPORT)!r})\n{code}"
    usual = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    environment = {**usual, "NO_PROXY": "127.0.0.1", **environment}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended


def send_one() -> None:
    log = open_spans("run1")
    assert log is not None
    log.heard(answered())
    log.close()


# --- where spans go --------------------------------------------------------------------------------------


def test_without_a_collector_nothing_is_traced_and_nothing_loaded() -> None:
    run_python(
        "from viva.llm.tracing.spans import open_spans; assert open_spans('run1') is None\n"
        "assert not {'opentelemetry', 'openinference', 'requests'} & set(sys.modules)"
    )


@pytest.mark.parametrize(("variable", "value"), [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none")])
def test_tracing_that_is_switched_off_is_off(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert open_spans("run1") is None


def test_the_address_for_traces_alone_is_taken_as_it_is(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{receiver.url}/team/traces")
    send_one()
    assert receiver.paths == ["/team/traces"]


def test_an_application_that_traces_gets_the_spans_into_its_own() -> None:
    code = (
        "from opentelemetry import trace; from opentelemetry.sdk.trace import TracerProvider\n"
        "from opentelemetry.sdk.trace.export import SimpleSpanProcessor\n"
        "from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter\n"
        "from call_entries import answered; from viva.llm.tracing.spans import open_spans\n"
        "kept = InMemorySpanExporter(); provider = TracerProvider()\n"
        "provider.add_span_processor(SimpleSpanProcessor(kept)); trace.set_tracer_provider(provider)\n"
        "log = open_spans('run1')\n"
        "with trace.get_tracer('mine').start_as_current_span('outer') as outer: log.heard(answered())\n"
        "log.close(); inner, _ = kept.get_finished_spans()\n"
        "assert inner.parent.span_id == outer.get_span_context().span_id and inner.name == 'writer'\n"
        "with trace.get_tracer('mine').start_as_current_span('after'): pass\n"
        "assert len(kept.get_finished_spans()) == 3"
    )
    run_python(code, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")


def test_the_global_provider_is_left_alone(receiver: Receiver) -> None:
    send_one()
    assert not isinstance(trace.get_tracer_provider(), TracerProvider)


# --- what goes wrong -------------------------------------------------------------------------------------


def test_a_collector_that_is_away_costs_seconds_and_one_sentence() -> None:
    code = (
        "import time\n"
        "from call_entries import answered; from viva.llm.tracing import collector\n"
        "from viva.llm.tracing.spans import open_spans\n"
        "collector.CLOSING_S /= 3; log = open_spans('run1'); started = time.monotonic()\n"
        "for _ in range(200): log.heard(answered())\n"
        "assert time.monotonic() - started < 1; log.close(); assert time.monotonic() - started < 3"
    )
    ended = run_python(code, OTEL_EXPORTER_OTLP_ENDPOINT="http://user:hunter2@127.0.0.1:9/?key=hunter2")
    assert ended.stderr == "The collector at http://127.0.0.1:9/ did not take 200 of 200 spans.\n"
    assert ended.stdout == ""


@pytest.mark.parametrize("fault", ["hangs", "refuses", "is overrun"])
def test_a_collector_that_fails_holds_up_nothing(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    monkeypatch.setattr(collecting, "CLOSING_S", 0.3)
    if fault == "refuses":
        receiver.status = 400
    else:
        receiver.hangs = True
    if fault == "is overrun":
        monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "8")
        monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4")
    log = open_spans("run1")
    assert log is not None
    started = time.monotonic()
    with caplog.at_level(logging.WARNING):
        for _ in range(20):
            log.heard(answered())
        log.close()
    assert time.monotonic() - started < 2
    assert [record.getMessage() for record in caplog.records] == [
        f"The collector at {receiver.url} did not take 20 of 20 spans."
    ]


def test_the_end_leaves_no_thread_that_goes_on_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(collecting, "CLOSING_S", 0.2)
    earlier = set(threading.enumerate())
    sent_nowhere = open_spans("run1")
    assert sent_nowhere is not None
    sent_nowhere.heard(answered())
    ours = set(threading.enumerate()) - earlier
    assert ours
    sent_nowhere.close()
    for thread in ours:
        thread.join(2)
        assert not thread.is_alive()


def test_the_sdk_is_heard_as_before_where_an_application_uses_it(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    send_one()
    with caplog.at_level(logging.WARNING):
        logging.getLogger("opentelemetry.sdk._shared_internal").warning("theirs")
    assert [record.getMessage() for record in caplog.records] == ["theirs"]


def test_an_address_that_cannot_be_is_told_without_repeating_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318/hunter2")
    with pytest.raises(UsageError, match="variable OTEL_EXPORTER_OTLP_ENDPOINT cannot be read") as caught:
        open_spans("run1")
    assert "hunter2" not in str(caught.value)


def test_a_protocol_that_is_not_spoken_is_told(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(UsageError, match="http/protobuf"):
        open_spans("run1")


def test_a_setting_the_sdk_refuses_is_told(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "-1")
    with pytest.raises(UsageError, match="OpenTelemetry cannot be set up: max_queue_size must be"):
        open_spans("run1")


def test_a_package_that_is_missing_is_told_with_the_command_that_mends_it(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "viva.llm.tracing.collector")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(UsageError, match=r"pip install -e '\.\[otel\]'"):
        open_spans("run1")
