"""`viva tune` and `viva judges` as they are typed: killed and run again, refused in words, listed."""

from __future__ import annotations

import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, Running, viva
from model_server import ModelServer, serve
from tunable_judge import TunableJudge, write_cases

COLUMNS = ("--columns", "question=asked,reference=gold,answer=said,label=people", "--label-range", "0-100")
KEY = {"OPENAI_API_KEY": "sk-of-a-test"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(TunableJudge(), latency=0.01) as running:
        yield running


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write_cases(tmp_path / "lengths.csv", 50)


def command(labels: Path, server: ModelServer, *more: str | Path) -> list[str | Path]:
    model = ("--model", "openai:scripted", "--base-url", server.url, "--concurrency", "4")
    return ["tune", "correctness", "--data", labels, *COLUMNS, *model, *more]


def environment(folder: Path) -> dict[str, str]:
    return KEY | {"VIVA_JUDGES": str(folder / "judges"), "COLUMNS": "200"}


def rows(folder: Path) -> int:
    file = folder / "ledger.sqlite"
    if not file.is_file():
        return 0
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        return int(connection.execute("select count(*) from requests").fetchone()[0])


@pytest.mark.slow
def test_a_tuning_that_is_killed_and_then_interrupted_goes_on_and_pays_nothing_twice(
    tmp_path: Path, labels: Path, server: ModelServer
) -> None:
    out = tmp_path / "out"
    asked = command(labels, server, "--optimizer", "GEPA", "--out", out, "--json")
    running = Running(*asked, folder=tmp_path, environment=environment(tmp_path))
    assert running.wait_for(lambda: server.paid >= 15)
    running.send(signal.SIGKILL)
    running.done()
    server.settled()
    lost = server.paid - rows(out)
    assert 0 <= lost <= 4
    running = Running(*asked, folder=tmp_path, environment=environment(tmp_path))
    assert running.wait_for(lambda: server.paid >= 30)
    running.send(signal.SIGINT)
    stopped = running.done()
    assert stopped.code == 130, stopped.err
    assert "Run the same command again to go on." in stopped.err
    assert not (tmp_path / "judges").exists()
    # what was in flight when it was killed is asked again; what was in flight when it was interrupted has landed
    assert server.paid == rows(out) + lost
    done = viva(*asked, folder=tmp_path, environment=environment(tmp_path))
    assert done.code == 0, done.err
    assert done.json()["decision"]["adopted"]
    assert server.paid == rows(out) + lost


@pytest.mark.slow
def test_what_is_adopted_is_installed_and_listed_with_its_agreement(
    tmp_path: Path, labels: Path, server: ModelServer
) -> None:
    done = viva(*command(labels, server, "--name", "lengths"), folder=tmp_path, environment=environment(tmp_path))
    assert done.code == 0, done.err
    assert "Adopted. Better than the base by spearman" in done.out
    assert "Installed as lengths" in done.out
    assert (tmp_path / "judges" / "lengths.json").is_file()
    assert list((tmp_path / "viva-runs" / "tune-correctness-lengths").glob("tuning-*.html"))
    listed = viva("judges", "correctness", "--json", folder=tmp_path, environment=environment(tmp_path)).json()
    by_name = {card["name"]: card for card in listed["judges"]}
    for name, make in (("lengths", "tuned"), ("correctness", "base")):
        assert by_name[name]["make"] == make
        assert by_name[name]["model"] == "openai:scripted"
        figures = {each["statistic"]: each for each in by_name[name]["measured"]}
        assert figures["spearman"]["labels"] == 20
    shown = viva("judges", folder=tmp_path, environment=environment(tmp_path)).out
    assert "lengths" in shown
    assert "spearman" in shown


def test_the_budget_stops_it_with_its_exit_code(tmp_path: Path, labels: Path, server: ModelServer) -> None:
    done = viva(*command(labels, server, "--max-calls", "15"), folder=tmp_path, environment=environment(tmp_path))
    assert done.code == 3
    assert "--max-calls 15" in done.err
    assert server.paid == 15


def test_a_dry_run_asks_nobody(tmp_path: Path, labels: Path, server: ModelServer) -> None:
    done = viva(*command(labels, server, "--dry-run"), folder=tmp_path, environment=environment(tmp_path))
    assert done.code == 0, done.err
    assert "20 to learn from, 10 to choose by, 20 to report on" in done.out
    assert server.paid == 0
    assert not (tmp_path / "viva-runs").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tune", "wit", "--data", "LABELS"), "'wit' is not a quality"),
        (("tune", "correctness", "--data", "none.csv"), "none.csv cannot be read"),
        (("tune", "correctness", "--data", "LABELS"), "No column of"),
        (("tune", "correctness", "--data", "LABELS", *COLUMNS), "No language model is named"),
        (("tune", "correctness", "--data", "LABELS", *COLUMNS[:2], "--model", "fake:x"), "--label-range 0-100"),
        (("tune", "correctness", "--data", "LABELS", *COLUMNS, "--optimizer", "best"), "--optimizer is 'best'"),
        (("tune", "correctness", "--data", "LABELS", *COLUMNS, "--effort", "huge"), "--effort is 'huge'"),
        (("tune", "local", "correctness", "--data", "LABELS"), "Judges with trained weights are gone"),
        (("tune", "correctness", "--start=shipped", "--data", "LABELS"), "Judges with trained weights are gone"),
        (("tune", "correctness", "--data", "LABELS", *COLUMNS, "--model", "fake:x", "--name", "A b"), "--name is"),
        (("judges", "wit"), "'wit' is neither"),
        (("probe", "correctness"), "python benchmarks/judges/probe.py"),
        (("judges", "correctness-default"), "correctness-default (rules and trained weights) is gone"),
    ],
)
def test_what_cannot_be_done_is_told_in_words(
    tmp_path: Path, labels: Path, arguments: tuple[str, ...], said: str
) -> None:
    given = [str(labels) if each == "LABELS" else each for each in arguments]
    done: Done = viva(*given, folder=tmp_path, environment=environment(tmp_path))
    assert done.code == 2, done.said
    assert said in done.err
    assert "Traceback" not in done.said
