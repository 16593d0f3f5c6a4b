"""Every request leaves one line, without texts and without keys; a log that cannot be written stops nothing."""

from __future__ import annotations

import json
import logging
import resource
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import structlog
from call_entries import QUESTION, a_call, answered, failed

from viva.core.errors import UsageError
from viva.llm.events import open_events


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_request_is_one_line_bound_to_run_role_chunk_and_unit(tmp_path: Path) -> None:
    log = open_events(tmp_path, "run1")
    log.heard(answered())
    log.close()
    (event,) = events(tmp_path)
    said_at = datetime.fromisoformat(event.pop("timestamp"))
    assert abs((datetime.now(UTC) - said_at).total_seconds()) < 60
    assert event == {
        "event": "call",
        "level": "info",
        "run": "run1",
        "role": "writer",
        "chunk": "c1",
        "unit": "u1",
        "provider": "openai",
        "model": "gpt-4o-mini",
        "endpoint": "https://models.example/v1",
        "key": a_call().key,
        "attempt": 0,
        "outcome": "answered",
        "finish_reason": "stop",
        "input_tokens": 120,
        "output_tokens": 30,
        "cached_tokens": 100,
        "cost": 0.0025,
        "latency_s": 0.75,
        "cached": False,
        "error": None,
    }


def test_a_failed_request_is_a_warning_and_what_is_not_known_is_null(tmp_path: Path) -> None:
    log = open_events(tmp_path, "run1")
    log.heard(failed("429: slow down"))
    log.close()
    (event,) = events(tmp_path)
    assert (event["level"], event["outcome"], event["error"]) == ("warning", "rate limited", "429: slow down")
    assert (event["attempt"], event["unit"], event["cost"], event["input_tokens"]) == (2, None, None, None)


def test_a_call_served_from_the_ledger_is_marked(tmp_path: Path) -> None:
    log = open_events(tmp_path, "run1")
    log.heard(answered(cached=True))
    log.close()
    assert events(tmp_path)[0]["cached"] is True


def test_neither_texts_nor_credentials_are_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "a-key-of-no-form")
    log = open_events(tmp_path, "run1")
    log.heard(answered("The secret of the red pump."))
    log.heard(failed("401: a-key-of-no-form and sk-abcdefgh12345678 at https://user:hunter2@host/v1"))
    log.close()
    text = (tmp_path / "events.jsonl").read_text(encoding="utf-8")
    for absent in (QUESTION.text, "red pump", "a-key-of-no-form", "sk-abcdefgh12345678", "hunter2"):
        assert absent not in text
    assert events(tmp_path)[1]["error"] == "401: *** and *** at https://***@host/v1"


def test_keys_are_in_one_order_and_the_file_is_ascii(tmp_path: Path) -> None:
    log = open_events(tmp_path, "run1")
    log.heard(answered(call=a_call(model="modèle\ud800\n")))
    log.close()
    data = (tmp_path / "events.jsonl").read_bytes()
    assert data.isascii()
    assert data.count(b"\n") == 1
    assert list(json.loads(data)) == sorted(json.loads(data))


def test_a_resumed_run_goes_on_in_the_same_file(tmp_path: Path) -> None:
    for role in ("first", "second"):
        log = open_events(tmp_path, role)
        log.heard(answered())
        log.close()
    assert [event["run"] for event in events(tmp_path)] == ["first", "second"]


def test_half_a_line_of_an_earlier_process_spoils_no_other(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text('{"whole": 1}\n{"ha', encoding="utf-8")
    log = open_events(tmp_path, "run1")
    log.heard(answered())
    log.close()
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ['{"whole": 1}', '{"ha']
    assert json.loads(lines[2])["run"] == "run1"


def test_a_killed_process_leaves_whole_lines(tmp_path: Path) -> None:
    code = (
        "import os, sys, signal; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from call_entries import answered; from viva.llm.events import open_events\n"
        "log = open_events(Path(sys.argv[2]), 'run1')\n"
        "for _ in range(7): log.heard(answered())\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    support = str(Path(__file__).parents[2] / "support")
    ended = subprocess.run([sys.executable, "-c", code, support, str(tmp_path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [event["event"] for event in events(tmp_path)] == ["call"] * 7


def test_a_full_disk_stops_nothing_and_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = open_events(tmp_path, "run1")
    log.heard(answered())
    size = (tmp_path / "events.jsonl").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # room for half an event more
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + size // 2, hard))
    try:
        for _ in range(3):
            log.heard(answered())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    log.heard(failed())
    with caplog.at_level(logging.WARNING):
        log.close()
        log.close()
    assert log.lost == 3
    assert [record.getMessage() for record in caplog.records] == [
        f"Events missing from {tmp_path / 'events.jsonl'}: 3. The ledger has the calls."
    ]
    first, torn, last = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert (json.loads(first)["level"], json.loads(last)["level"]) == ("info", "warning")
    with pytest.raises(json.JSONDecodeError):
        json.loads(torn)


def test_an_event_after_the_end_is_no_error(tmp_path: Path) -> None:
    log = open_events(tmp_path, "run1")
    log.close()
    log.heard(answered())
    assert log.lost == 1
    assert events(tmp_path) == []


def test_a_place_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").mkdir()
    with pytest.raises(UsageError, match=r"events\.jsonl cannot be written: Is a directory\."):
        open_events(tmp_path, "run1")


def test_what_an_application_configured_for_itself_changes_no_event(tmp_path: Path) -> None:
    structlog.configure(
        processors=[structlog.processors.KeyValueRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
    )
    try:
        log = open_events(tmp_path, "run1")
        log.heard(answered())
        log.close()
    finally:
        structlog.reset_defaults()
    assert events(tmp_path)[0]["run"] == "run1"


def test_an_event_costs_less_than_a_tenth_of_a_millisecond(tmp_path: Path) -> None:
    log = open_events(tmp_path, "run1")
    entry = answered()
    rounds = []
    for _ in range(5):
        started = time.process_time()
        for _ in range(200):
            log.heard(entry)
        rounds.append((time.process_time() - started) / 200)
    log.close()
    assert min(rounds) < 1e-4
