"""An exam written by language models, over a real connection: what is paid is paid once, whatever happens."""

from __future__ import annotations

import re
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, Running, viva
from model_faults import Fault, Faults
from model_server import ModelServer, serve
from replay import EXAM, LEDGER, OPTIONS

from viva.core.ids import rng
from viva.exams.file import read_exam

CONCURRENCY = 8
HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
SECRET = "sk-planted-0123456789abcdef0123456789abcdef"
FAULTY = {
    Fault.RATE_LIMIT: 0.05,
    Fault.SERVER_ERROR: 0.02,
    Fault.UNAVAILABLE: 0.01,
    Fault.RESET: 0.01,
    Fault.HANG: 0.01,
    Fault.INVALID_JSON: 0.01,
    Fault.MISSING_FIELD: 0.01,
    Fault.WRONG_TYPES: 0.01,
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(latency=0.02) as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The run folder of a run without faults or kills, and how many requests it paid for."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    with serve() as server:
        done = viva(*command(corpus, folder, server), environment={"OPENAI_API_KEY": SECRET})
        assert done.code == 0, done.err
        return folder, server.paid


def command(corpus: Path, folder: Path, server: ModelServer, *more: str) -> list[str | Path]:
    model = ("--model", "openai:scripted", "--base-url", server.url)
    return ["run", corpus, "--out", folder, *OPTIONS, *model, *more]


def rows(folder: Path) -> int:
    """Requests that the ledger holds; 0 where there is none yet."""
    if not (folder / "ledger.sqlite").exists():
        return 0
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        return int(connection.execute("SELECT count(*) FROM requests").fetchone()[0])


def exam(folder: Path) -> list[dict[str, Any]]:
    return [shown.model_dump(mode="json") for shown in read_exam(folder / "exam.jsonl").items]


def standing(folder: Path) -> dict[str, Any]:
    return dict(viva("show", folder, "--json").json())


def assert_adds_up(funnel: dict[str, Any]) -> None:
    ended = sum(funnel["rejected"].values()) + sum(funnel["failed"].values())
    assert funnel["units"] == funnel["accepted"] + ended + funnel["not_asked"]


def test_the_report_and_the_json_say_what_an_accepted_item_cost(undisturbed: tuple[Path, int]) -> None:
    folder, paid = undisturbed
    stands = standing(folder)
    assert_adds_up(stands["funnel"])
    assert stands["funnel"]["failed"] == {}
    assert sum(use["requests"] for use in stands["model_use"]) == paid
    per_item = stands["per_accepted_item"]
    assert per_item["calls"] == pytest.approx(paid / stands["funnel"]["accepted"], rel=1e-6)
    assert per_item["tokens"] > 100
    assert "calls per accepted item" in (folder / "report.html").read_text().lower()


def test_the_ledger_command_shows_calls_tokens_and_hits_by_role_and_model(undisturbed: tuple[Path, int]) -> None:
    folder, paid = undisturbed
    shown = viva("ledger", folder)
    assert shown.code == 0, shown.err
    for word in ("writer", "expert", "judge.item", "distractors", "scripted"):
        assert word in shown.out
    told = viva("ledger", folder, "--json").json()
    assert sum(use["requests"] for use in told["model_use"]) == paid


def test_the_trace_of_an_item_names_its_model_calls(undisturbed: tuple[Path, int]) -> None:
    folder, _ = undisturbed
    item = exam(folder)[0]["item"]["id"]
    steps = viva("trace", folder, item, "--json").json()
    asking = [step for step in steps if step["role"] in {"question writer", "expert answerer"}]
    assert all(step["calls"] for step in asking)


@pytest.mark.slow
def test_a_budget_of_n_requests_stops_at_n_and_the_raised_one_ends_in_the_same_exam(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    finished, paid = undisturbed
    folder = tmp_path / "run"
    for most in (7, paid // 2):
        done = viva(*command(corpus, folder, server, "--max-calls", str(most), "--concurrency", "4"))
        assert done.code == 3, done.said
        assert len(server.log) == most
        assert f"--max-calls {most}" in done.err
        assert "chunks are read" in done.err
        stands = standing(folder)
        if stands["funnel"]["accepted"]:
            # what there is makes an exam, and nobody sits it by a spent budget
            assert stands["exam"]["incomplete"]
            assert "marked incomplete" in done.err
            assert 0 < stands["exam"]["items"] == len(exam(folder)) < 12
            assert not (folder / "report.html").exists()
        else:
            assert stands["exam"] is None
    assert stands["exam"]
    assert "This exam is incomplete" in viva("show", folder).out
    assert viva(*command(corpus, folder, server, "--max-calls", "100000")).code == 0
    assert not standing(folder)["exam"]["incomplete"]
    assert len(server.log) == paid
    assert (folder / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("kills", [6, pytest.param(20, marks=pytest.mark.long)])
def test_a_run_killed_at_random_moments_pays_only_for_what_was_in_flight(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path, kills: int
) -> None:
    finished, paid = undisturbed
    folder = tmp_path / "run"
    moments = sorted(rng(0, "kills").sample(range(1, paid), kills))
    lost: list[int] = []
    for moment in moments:
        running = Running(*command(corpus, folder, server))
        running.wait_for(lambda seen=moment: server.paid >= seen)
        running.send(signal.SIGKILL)
        assert running.done().code == -signal.SIGKILL
        server.settled()
        # what was sent and stands in no row was in flight, at the server or on its way back
        lost.append(len(server.log) - rows(folder) - sum(lost))
    assert viva(*command(corpus, folder, server)).code == 0
    assert len(lost) == kills
    assert max(lost) <= CONCURRENCY
    assert paid <= server.paid <= paid + sum(lost)
    assert (folder / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()


@pytest.mark.slow
def test_a_run_that_is_interrupted_pays_for_nothing_twice(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    finished, paid = undisturbed
    folder = tmp_path / "run"
    running = Running(*command(corpus, folder, server))
    running.wait_for(lambda: server.paid >= paid // 3)
    running.send(signal.SIGINT)
    assert running.done().code == 130
    assert viva(*command(corpus, folder, server)).code == 0
    assert server.paid == paid
    assert (folder / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()


@pytest.mark.slow
def test_replies_in_another_order_give_the_same_exam_for_the_same_calls(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    finished, paid = undisturbed
    server.latency = (0.0, 0.3)
    assert viva(*command(corpus, tmp_path / "run", server)).code == 0
    assert server.paid == paid
    assert (tmp_path / "run" / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()


@pytest.mark.slow
def test_under_faults_every_unit_ends_and_no_answer_is_asked_for_twice(
    corpus: Path, server: ModelServer, tmp_path: Path
) -> None:
    server.faults = Faults(FAULTY, seed=3, retry_after_s=0.05)
    folder = tmp_path / "run"
    # where the machine is busy an answer that is there may be read late: half a second would give it up
    done = viva(*command(corpus, folder, server, "--call-timeout", "3"))
    assert done.code == 0, done.err
    stands = standing(folder)
    assert_adds_up(stands["funnel"])
    assert stands["funnel"]["accepted"] > 0
    assert not [body for body, times in Counter(server.answered).items() if times > 1]
    failed = Counter[str]()
    for use in stands["model_use"]:
        failed.update(use["failures"])
    assert {"rate limited", "server error"} <= set(failed)
    # those that hang are at work still
    assert sum(use["requests"] for use in stands["model_use"]) == len(server.log) + server.in_flight


@pytest.mark.slow
def test_a_server_that_is_away_stops_the_run_and_loses_nothing(
    corpus: Path, undisturbed: tuple[Path, int], server: ModelServer, tmp_path: Path
) -> None:
    finished, _ = undisturbed
    folder = tmp_path / "run"
    for fault, says in ((Fault.QUOTA, "refuses to be asked"), (Fault.RESET, "does not answer")):
        running = Running(*command(corpus, folder, server, "--concurrency", "4"))
        seen = server.paid
        running.wait_for(lambda paid=seen + 20: server.paid >= paid)
        server.faults = Faults({fault: 1.0})
        done = running.done()
        assert done.code == 2
        assert says in done.err
        server.faults = Faults()
    server.faults = Faults()
    assert viva(*command(corpus, folder, server)).code == 0
    assert (folder / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()


def test_a_replay_of_a_recorded_ledger_writes_the_same_exam_without_a_network(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = viva(
        *("run", corpus, "--out", folder, *OPTIONS, "--model", f"replay:{LEDGER}"),
        environment={"VIVA_TEST_NO_NETWORK": "1"},
    )
    assert done.code == 0, f"{done.err}\nAfter a change of prompts: python tests/support/replay.py records anew."
    assert (folder / "exam.jsonl").read_bytes() == EXAM.read_bytes()


@pytest.mark.slow
def test_a_recording_of_a_run_is_replayed_to_the_same_exam_and_never_takes_the_place_of_its_ledger(
    corpus: Path, undisturbed: tuple[Path, int], tmp_path: Path
) -> None:
    finished, _ = undisturbed
    refused = viva("ledger", finished, "--recording", finished / "ledger.sqlite")
    assert refused.code == 2
    assert "Name a file in another folder" in refused.err
    recording = tmp_path / "recording.sqlite"
    assert viva("ledger", finished, "--recording", recording).code == 0
    folder = tmp_path / "run"
    done = viva("run", corpus, "--out", folder, *OPTIONS, "--model", f"replay:{recording}")
    assert done.code == 0, done.err
    assert (folder / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()


def test_a_replay_fails_loudly_on_a_call_it_does_not_hold(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = viva("run", corpus, "--out", folder, *OPTIONS, "--model", f"replay:{LEDGER}", "--temperature", "0.3")
    assert done.code == 2
    assert "does not hold this call" in done.err


@pytest.mark.slow
def test_no_key_and_no_credentials_are_left_anywhere(corpus: Path, server: ModelServer, tmp_path: Path) -> None:
    server.faults = Faults(FAULTY, seed=5, retry_after_s=0.05)
    folder = tmp_path / "run"
    address = server.url.replace("http://", "http://planted-user:planted-password@") + "?api-key=planted-query"
    line = ["run", corpus, "--out", folder, *OPTIONS, "--model", "openai:scripted", "--call-timeout", "0.5"]
    environment = {"OPENAI_API_KEY": SECRET, "VIVA_BASE_URL": address}
    done = viva(*line, environment=environment)
    assert done.code == 0, done.err
    with serve(key="another key") as strict:
        denied = viva(
            *("run", corpus, "--out", tmp_path / "denied", *OPTIONS, "--model", "openai:scripted"),
            environment={"OPENAI_API_KEY": SECRET, "VIVA_BASE_URL": strict.url},
        )
    assert denied.code == 2
    left = [file for place in (folder, tmp_path / "denied") for file in place.rglob("*") if file.is_file()]
    assert len(left) > 5
    planted = re.compile(b"sk-planted|planted-user|planted-password|planted-query|Bearer ")
    assert not [file.name for file in left if planted.search(file.read_bytes())]
    for end in (done, denied):
        assert not planted.search(end.said.encode())


def test_a_plan_covers_what_the_run_then_takes(corpus: Path, undisturbed: tuple[Path, int]) -> None:
    _, paid = undisturbed
    shown = viva("plan", corpus, *OPTIONS[: OPTIONS.index("--examinee")], "--model", "openai:gpt-4o-mini", "--json")
    assert shown.code == 0, shown.err
    told = shown.json()
    assert told["basis"] == "recorded"
    # the source that reaches the limit is read to its end
    assert told["calls"]["low"] <= paid <= told["calls"]["high"] + 24
    assert told["cost"]["value"] > 0
    assert told["minutes"]["low"] <= told["minutes"]["value"] <= told["minutes"]["high"]


def test_the_plan_of_the_demos_command_holds_what_its_recording_took() -> None:
    kinds = "kind.unanswerable=0.08,kind.follow-up=0.34"
    blueprint = ("--items", "60", "--worked-examples", "0", "--blueprint", kinds)
    found = viva("plan", HANDBOOK, *blueprint, "--model", "openai:gpt-4o-mini", "--json").json()
    with closing(sqlite3.connect(f"file:{HANDBOOK}.ledger.sqlite?immutable=1", uri=True)) as ledger:
        roles = [role["role"] for role in found["roles"]]
        query = f"SELECT count(*), sum(input_tokens + output_tokens) FROM requests WHERE role IN {tuple(roles)}"
        calls, tokens = ledger.execute(query).fetchone()
    accepted = 106
    for taken, name in ((calls, "calls"), (tokens, "tokens")):
        assert found[name]["low"] < taken < found[name]["high"]
        assert found[name]["value"] / found["accepted"] == pytest.approx(taken / accepted, rel=0.05)
    assert found["accepted"] == pytest.approx(accepted, rel=0.1)


def test_after_a_pilot_the_plan_is_measured(corpus: Path, undisturbed: tuple[Path, int]) -> None:
    folder, paid = undisturbed
    stored = standing(folder)["run"]["settings"]
    line = ["plan", corpus, "--out", folder, *OPTIONS[: OPTIONS.index("--examinee")], "--model", "openai:scripted"]
    told = viva(*line, "--base-url", stored["base_url"], "--json").json()
    assert told["basis"] == "measured"
    assert told["calls"]["value"] == pytest.approx(paid, rel=0.35)
    assert told["cost"] is None


def test_a_model_may_be_named_in_the_environment_and_written_in_any_order(corpus: Path, tmp_path: Path) -> None:
    line = ["ingest", corpus, "--out", tmp_path / "run"]
    assert viva(*line, environment={"VIVA_MODEL": "fake:any,judge=fake:other"}).code == 0
    assert viva(*line, "--model", "judge=fake:other", "--model", "fake:any").code == 0
    refused = viva(*line, "--model", "fake:any")
    assert refused.code == 2
    assert "model" in refused.err


@pytest.mark.slow
def test_the_model_may_be_named_when_the_exam_is_written(corpus: Path, tmp_path: Path) -> None:
    sizes = OPTIONS[: OPTIONS.index("--items-per-chunk")]
    named_first, named_last = (tmp_path / name for name in ("first", "last"))
    assert viva("ingest", corpus, "--out", named_first, "--model", "fake:any").code == 0
    assert viva("ingest", corpus, "--out", named_last).code == 0
    assert viva("write", named_first, *sizes).code == 0
    assert viva("write", named_last, *sizes, "--model", "fake:any").code == 0
    assert exam(named_first) == exam(named_last)
    assert standing(named_first)["model_use"]
    again = viva("write", named_last, *sizes, "--model", "fake:any")
    assert again.code == 0, again.err
    other = viva("write", named_last, "--model", "fake:other")
    assert other.code == 2
    assert "--model is fake:any there and fake:other here" in other.err
    assert f"viva run {corpus} --out FOLDER --model MODEL" in " ".join(other.err.split())


def test_no_other_model_goes_on_from_the_units_that_one_model_found(corpus: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert viva("ingest", corpus, "--out", run).code == 0
    assert viva("write", run, "--model", "fake:any", "--max-calls", "2").code == 3
    assert standing(run)["funnel"]["chunks"] == 0
    other = viva("write", run, "--model", "fake:other", "--max-calls", "9")
    assert other.code == 2
    assert "--model is fake:any there and fake:other here" in other.err


@pytest.mark.slow
def test_a_share_that_no_model_gives_ends_within_half_as_many_calls_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert viva("ingest", HANDBOOK, "--out", folder, "--blueprint", "bloom.create=0.5").code == 0
    done = viva("write", folder, "--items", "8", "--worked-examples", "0", "--model", "fake:any")
    assert done.code == 0, done.err
    stands = standing(folder)
    assert stands["exam"]["items"] == 8
    assert sum(use["requests"] for use in stands["model_use"]) <= 1.5 * 12 * 10
    assert any("bloom create was given up at 0 of 5" in note for note in stands["exam_notes"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--model", "gpt-4o"], "names no model"),
        (["--model", "openai:gpt-4o-mini"], "OPENAI_API_KEY"),
        (["--model", "nosuch:thing"], "no provider"),
        (["--model", "replay:nowhere.sqlite"], "no ledger"),
        (["--model", "fake:x", "--price", "fake:x=cheap"], "--price"),
        (["--model", "fake:x", "--base-url", "not a url"], "--base-url cannot be read"),
        (["--model", "openai:own", "--base-url", "http://127.0.0.1:9/v1", "--max-cost", "1"], "no price is known"),
        (["--model", "fake:x", "--temperature", "warm"], "--temperature"),
        (["--model", "fake:x", "--temperature", "-3"], "--temperature"),
    ],
)
def test_a_wrong_model_option_is_a_sentence_before_anything_is_read_or_written(
    options: list[str], says: str, corpus: Path, tmp_path: Path
) -> None:
    done: Done = viva("run", corpus, "--out", tmp_path / "run", *options, environment={"OPENAI_API_KEY": ""})
    assert done.code == 2, done.said
    assert says in done.err
    assert "Traceback" not in done.said
    assert not (tmp_path / "run" / "run.sqlite").exists()
