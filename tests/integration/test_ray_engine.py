"""Spread over workers by Ray, a run ends as in one process, whatever dies on the way, and keeps its limits.

Each run starts a cluster of its own with two workers: that is what takes the time of these tests.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import shutil
import signal
import sqlite3
import sys
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Running, viva
from harbour import asked, write_corpus
from model_server import ModelServer, serve
from postgres_server import Server
from ray_runs import alive, heard_beyond_loopback, on_ray, on_record, processes_of, workers_of

from viva import __version__
from viva.core.errors import BudgetReached, DiskFull, UsageError
from viva.core.ids import content_hash, rng
from viva.core.records import Run
from viva.core.settings import Settings
from viva.graphs.engines.ray_limits import RayLimits
from viva.graphs.engines.ray_worker import SharedRun, Worker
from viva.storage.database import without_secrets
from viva.storage.runs import RunStore

pytest.importorskip("ray", reason="Ray is not installed: pip install -e '.[ray]'")
# a cluster takes its time to start; the slow ones restart workers again and again
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

_log = logging.getLogger(__name__)

ROOT = Path(__file__).parents[2]
PEPS = ROOT.parent / "shared" / "corpora" / "peps" / "docs"
CONCURRENCY = 4
LONGEST_S = 600
"""On a machine that is busy with other things."""
OPTIONS = ("--items", "12", "--items-per-chunk", "2", "--worked-examples", "1", "--concurrency", str(CONCURRENCY))
OPTIONS += tuple(asked("bm25+lexical", "dense+embedding", "bm25+openai:scripted"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "harbour")


@pytest.fixture(scope="module")
def model_server() -> Iterator[ModelServer]:
    with serve(latency=0.02) as running:
        yield running


@pytest.fixture
def models(model_server: ModelServer) -> ModelServer:
    """One address for all runs, for it is part of what they record; with an empty log."""
    model_server.settled()
    model_server.log.clear()
    return model_server


@pytest.fixture
def database_url(server: Server, tmp_path: Path) -> str:
    """A database of its own: the same documents and settings are one run, whatever folder it is in."""
    return server.make_database(f"ray_{content_hash(str(tmp_path))}")


def line(corpus: Path, folder: Path, models: ModelServer, *more: str) -> list[str | Path]:
    asked_of = ("--model", "openai:scripted", "--base-url", models.url)
    return ["run", corpus, "--out", folder, *OPTIONS, *asked_of, *more]


@pytest.fixture(scope="module")
def alone(corpus: Path, model_server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The run of one process, and how many requests it paid for."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    before = model_server.paid
    done = viva(*line(corpus, folder, model_server), seconds=LONGEST_S)
    assert done.code == 0, done.err
    return folder, model_server.paid - before


def assert_same(folder: Path, database_url: str, alone: Path) -> None:
    assert (folder / "exam.jsonl").read_bytes() == (alone / "exam.jsonl").read_bytes()
    found, wanted = on_record(folder, database_url), on_record(alone)
    assert {name: len(records) for name, records in found.items()} == {n: len(r) for n, r in wanted.items()}
    for name, records in found.items():
        assert records == wanted[name], name


def rows(folder: Path) -> int:
    """Requests that the exported ledger holds."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        return int(ledger.execute("SELECT count(*) FROM requests").fetchone()[0])


def most_within(seconds: float, models: ModelServer) -> int:
    """The most requests that came within so long."""
    came = sorted(served.begun for served in models.log)
    return max(bisect_left(came, first + seconds) - n for n, first in enumerate(came))


def _found(there: list[int], running: Running, struck: set[int]) -> bool:
    """Whether there are workers that were not struck; they are put into the list, for in a moment they are others."""
    there[:] = [worker for worker in workers_of(running) if worker not in struck]
    return bool(there)


def wait_for_the_end_of(processes: list[int]) -> None:
    """Workers end with the process that began the run."""
    end = time.monotonic() + 60
    while any(map(alive, processes)):
        assert time.monotonic() < end, f"still there: {[each for each in processes if alive(each)]}"
        time.sleep(0.1)


def answered_twice(folder: Path) -> int:
    """Calls that the exported ledger holds more than one answer to."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        query = "SELECT count(*) - count(DISTINCT key) FROM requests WHERE outcome = 'answered'"
        return int(ledger.execute(query).fetchone()[0])


def test_two_workers_send_no_more_requests_than_are_allowed_in_all_and_in_any_minute(
    corpus: Path, database_url: str, models: ModelServer, tmp_path: Path
) -> None:
    most, per_minute = 60, 1200
    more = ("--max-calls", str(most), "--requests-per-minute", str(per_minute))
    running = on_ray(database_url, *line(corpus, tmp_path / "run", models, *more))
    running.wait_for(lambda: bool(models.log), seconds=LONGEST_S)
    assert heard_beyond_loopback(processes_of(running.pid)) == []
    done = running.done(LONGEST_S)
    assert done.code == 3, done.said
    assert f"--max-calls {most}" in done.err
    assert len(models.log) == most
    assert rows(tmp_path / "run") == most
    # half a second sooner or later on the way
    assert most_within(1.0, models) <= per_minute / 60 * 1.5


@pytest.mark.parametrize(
    ("kills", "heads", "restarts"),
    [
        pytest.param(0, 0, 0, marks=pytest.mark.long, id="undisturbed"),
        pytest.param(1, 0, 1, id="one worker and the database"),
        pytest.param(10, 1, 2, marks=pytest.mark.long, id="ten workers, the head, and the database twice"),
    ],
)
def test_two_workers_end_in_the_exam_responses_and_scores_of_one_process(
    corpus: Path,
    alone: tuple[Path, int],
    server: Server,
    database_url: str,
    models: ModelServer,
    tmp_path: Path,
    kills: int,
    heads: int,
    restarts: int,
) -> None:
    """Whatever is killed meanwhile: workers, the process that began the run; and a database that goes away and comes
    back. No more is paid twice than was in flight."""
    folder = tmp_path / "run"
    deaths = ["worker"] * kills + ["head"] * heads + ["database"] * restarts
    draws = rng(0, "deaths")
    draws.shuffle(deaths)
    moments = sorted(draws.sample(range(10, alone[1] - 10), len(deaths)))
    struck: set[int] = set()
    running = on_ray(database_url, *line(corpus, folder, models))
    for moment, death in zip(moments, deaths, strict=True):
        come = running.wait_for(lambda seen=moment: models.paid >= seen, seconds=LONGEST_S)
        assert come, running.done(LONGEST_S).said
        if death == "database":
            server.stop()
            time.sleep(1)
            server.start()
        elif death == "worker":
            there: list[int] = []
            running.wait_for(partial(_found, there, running, struck), seconds=LONGEST_S)
            assert there, running.done(LONGEST_S).said
            chosen = draws.choice(there)
            struck.add(chosen)
            os.kill(chosen, signal.SIGKILL)
        else:
            workers, below = workers_of(running), processes_of(running.pid)
            running.send(signal.SIGKILL)
            assert running.done().code == -signal.SIGKILL
            wait_for_the_end_of(workers)
            for left in filter(alive, below):
                # agents of Ray's own, which take a minute to see that they are alone
                os.kill(left, signal.SIGKILL)
            running = on_ray(database_url, *line(corpus, folder, models))
    done = running.done(LONGEST_S)
    assert done.code == 0, done.err
    in_flight = (kills + 2 * heads) * CONCURRENCY // 2
    _log.info("%s at %s: %s requests paid for, %s undisturbed", deaths, moments, models.paid, alone[1])
    assert alone[1] <= models.paid <= alone[1] + in_flight
    assert answered_twice(folder) == 0
    assert_same(folder, database_url, alone[0])


@pytest.mark.long
def test_an_interrupted_run_lets_land_what_is_in_flight_and_pays_for_nothing_twice(
    corpus: Path, alone: tuple[Path, int], database_url: str, models: ModelServer, tmp_path: Path
) -> None:
    """Ctrl-C in a terminal reaches the workers too."""
    folder = tmp_path / "run"
    running = on_ray(database_url, *line(corpus, folder, models))
    assert running.wait_for(lambda: models.paid >= 40, seconds=LONGEST_S)
    os.killpg(running.pid, signal.SIGINT)
    stopped = running.done(LONGEST_S)
    assert stopped.code == 130, stopped.said
    assert "What was done is kept" in stopped.err
    assert "Traceback" not in stopped.err
    assert on_ray(database_url, *line(corpus, folder, models)).done(LONGEST_S).code == 0
    assert models.paid == alone[1]
    assert_same(folder, database_url, alone[0])


@pytest.mark.long
def test_the_handbook_and_peps_end_as_in_one_process(database_url: str, models: ModelServer, tmp_path: Path) -> None:
    if not PEPS.exists():
        pytest.skip(f"the PEPs are not in {PEPS}")
    documents = tmp_path / "documents"
    shutil.copytree(ROOT / "examples" / "handbook", documents / "handbook")
    (documents / "peps").mkdir()
    for pep in sorted(PEPS.glob("*.rst"), key=lambda path: (path.stat().st_size, path.name))[:60]:
        shutil.copy(pep, documents / "peps")
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    done = viva(*line(documents, alone, models), seconds=LONGEST_S)
    assert done.code == 0, done.err
    done = on_ray(database_url, *line(documents, spread, models)).done(LONGEST_S)
    assert done.code == 0, done.err
    assert_same(spread, database_url, alone)


@pytest.mark.long
def test_of_600_requests_a_minute_two_workers_send_at_most_600_in_any_minute(
    database_url: str, models: ModelServer, tmp_path: Path
) -> None:
    more = ("--requests-per-minute", "600", "--max-calls", "900")
    given = line(ROOT / "examples" / "handbook", tmp_path / "run", models, "--items", "100", *more)
    done = on_ray(database_url, *given).done(LONGEST_S)
    assert done.code == 3, done.said
    _log.info("%s requests, at most %s within a minute", len(models.log), most_within(60.0, models))
    assert len(models.log) == 900
    assert most_within(60.0, models) <= 600


# --- what is wrong is told -------------------------------------------------------------------------------


def test_without_a_database_that_workers_reach_nothing_is_begun(corpus: Path, tmp_path: Path) -> None:
    done = viva("run", corpus, "--out", tmp_path / "run", "--engine", "ray", "--items", "5")
    assert done.code == 2
    assert "--engine ray needs the run in PostgreSQL" in done.err
    assert not (tmp_path / "run" / "run.sqlite").exists()


@pytest.mark.parametrize(
    ("address", "elsewhere", "said"),
    [
        ("ray://127.0.0.1:9", "", "No Ray cluster answers at ray://127.0.0.1:9"),
        ("cluster:6379", "", "--ray-address is 'cluster:6379'"),
        ("auto", "127.0.0.1:9", "No Ray cluster answers at 127.0.0.1:9"),
    ],
)
def test_where_there_is_no_cluster_it_is_said_and_the_run_can_go_on(
    address: str, elsewhere: str, said: str, corpus: Path, server: Server, tmp_path: Path
) -> None:
    given = ("run", corpus, "--out", tmp_path / "run", "--database-url", server.url(), "--items", "5")
    done = viva(*given, "--engine", "ray", "--ray-address", address, environment={"RAY_ADDRESS": elsewhere})
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_worker_without_the_models_key_names_the_variable(server: Server, tmp_path: Path) -> None:
    """Nothing of a key crosses over: a worker has that of its node, or none."""
    run = Run(id=content_hash(str(tmp_path)), documents_folder="docs", corpus_fingerprint="f00d", settings={})
    with (
        RunStore.create_or_open(tmp_path, database_url=server.url(), run=run) as store,
        pytest.MonkeyPatch.context() as node,
    ):
        assert store.server is not None
        node.delenv("OPENAI_API_KEY", raising=False)
        node.setenv("VIVA_DATABASE_URL", server.url())
        place = replace(store.server, url=without_secrets(store.server.url))
        shared = SharedRun(Settings(model=("openai:gpt-4o-mini",), database_url=None), place, __version__)
        told = asyncio.run(_ready(shared, node))
        assert isinstance(told, UsageError)
        assert "OPENAI_API_KEY" in str(told)
        assert "On worker 1 (" in str(told)
        older = asyncio.run(_ready(replace(shared, version="0.0.1"), node))
        assert "0.0.1 where the run was begun" in str(older)
        node.delenv("VIVA_DATABASE_URL")
        locked_out = asyncio.run(_ready(shared, node))
        assert "no password" in str(locked_out)
        assert "VIVA_DATABASE_URL" in str(locked_out)


async def _ready(shared: SharedRun, node: pytest.MonkeyPatch) -> object:
    """What a worker says that is asked whether it is ready, in this process: without a budget that is shared."""

    async def entered(number: int) -> RayLimits:
        return RayLimits(None, number, 1)

    node.setattr("viva.graphs.engines.ray_worker.entered", entered)
    worker = Worker(shared, 1)
    try:
        return await worker.ready(writes=True)
    finally:
        await worker.close()


def test_errors_cross_over_whole() -> None:
    for error in (BudgetReached("spent", next_step="more"), DiskFull("here", "full"), UsageError("a", allowed="b")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (again.problem, again.allowed, again.next_step) == (error.problem, error.allowed, error.next_step)
        assert str(again) == str(error)
