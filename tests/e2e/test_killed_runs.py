"""kill -9 at any moment: the same command goes on, and ends as if nothing had happened."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Running, viva
from harbour import CHOICES, PANEL, asked, begun
from standing import count, facts, latest

from viva.exams.file import read_exam

pytestmark = pytest.mark.slow

Moment = Callable[[Path], bool]
QUESTIONS = 20


def at_least(table: str, rows: int, where: str = "1") -> Moment:
    return lambda folder: count(folder, table, where) >= rows


MOMENTS: dict[str, Moment] = {
    "the lock is taken": lambda folder: (folder / "run.lock.pid").exists(),
    "the run is made": at_least("run", 1),
    "one chunk has walked": at_least("chunk_walks", 1),
    "half the chunks have walked": at_least("chunk_walks", 7),
    "the exam is written": at_least("exams", 1),
    "the examinees are called": at_least("examinees", len(PANEL)),
    "ten answers are in": at_least("responses", 10),
    "half the answers are in": at_least("responses", 2 * QUESTIONS),
    "all answers but a few are in": at_least("responses", 4 * QUESTIONS - 12),
    "the scores are made": at_least("results", 1, "kind = 'scores'"),
}


def command(corpus: Path, folder: Path) -> list[str | Path]:
    return ["run", corpus, "--out", folder, *CHOICES, *asked(*PANEL)]


def kill_at(moment: Moment, corpus: Path, folder: Path) -> bool:
    """Whether the run was still at work when it was struck."""
    running = Running(*command(corpus, folder))
    running.wait_for(lambda: moment(folder))
    if running.alive:
        running.send(signal.SIGKILL)
    return running.done().code == -signal.SIGKILL


@pytest.fixture
def warm(finished: Path, tmp_path: Path) -> Path:
    """A new run folder that knows the vectors already: a run in it is quick."""
    return begun(tmp_path / "run", finished)


def assert_same_end(folder: Path, finished: Path) -> None:
    assert (folder / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()
    assert facts(folder) == facts(finished)
    assert latest(folder, "scores") == latest(finished, "scores")
    assert count(folder, "exams") == count(finished, "exams") == 1
    assert (folder / "report.html").is_file()
    assert not list(folder.glob("*.part"))


def test_a_run_killed_at_ten_moments_ends_as_an_undisturbed_one(corpus: Path, finished: Path, warm: Path) -> None:
    struck = []
    for name, moment in MOMENTS.items():
        before = facts(warm)
        if kill_at(moment, corpus, warm):
            struck.append(name)
        after = facts(warm)
        for table, rows in before.items():
            assert not rows - after[table], f"{table} lost rows when killed: {name}"
    # the last stages are short: on a quick machine one kill may come too late
    assert len(struck) >= len(MOMENTS) - 1, struck
    assert viva(*command(corpus, warm)).code == 0
    assert_same_end(warm, finished)


@pytest.mark.parametrize("name", ["half the chunks have walked", "the exam is written", "half the answers are in"])
def test_a_run_killed_once_ends_as_an_undisturbed_one(name: str, corpus: Path, finished: Path, warm: Path) -> None:
    assert kill_at(MOMENTS[name], corpus, warm)
    done = viva(*command(corpus, warm))
    assert done.code == 0, done.err
    assert_same_end(warm, finished)


def test_a_killed_run_goes_on_stage_by_stage(corpus: Path, finished: Path, warm: Path) -> None:
    assert kill_at(MOMENTS["one chunk has walked"], corpus, warm)
    for stage in (["write"], ["sit", *asked(*PANEL)], ["score"], ["report"]):
        done = viva(stage[0], warm, *stage[1:])
        assert done.code == 0, done.err
    assert_same_end(warm, finished)


def test_a_system_edited_after_a_kill_sits_as_another_one(corpus: Path, finished: Path, warm: Path) -> None:
    system = warm.with_name("mine.py")
    system.write_text("import time\n\n\ndef answer(question):\n    time.sleep(0.02)\n    return 'A'\n")
    line = ["run", corpus, "--out", warm, *CHOICES, *asked(f"{system}:answer")]
    running = Running(*line)
    running.wait_for(lambda: count(warm, "responses") >= 10)
    running.send(signal.SIGKILL)
    assert running.done().code == -signal.SIGKILL
    system.write_text("def answer(question):\n    return 'B'\n")
    done = viva(*line)
    assert done.code == 0, done.err
    rows = latest(warm, "scores")["examinees"]
    asked_of = {r["examinee"]["name"]: r["asked"] for r in rows if r["examinee"]["name"].startswith("mine:answer")}
    questions = len(read_exam(finished / "exam.jsonl").items)
    assert asked_of.keys() == {"mine:answer", "mine:answer (version 2)"}
    assert asked_of["mine:answer"] < asked_of["mine:answer (version 2)"] == questions
