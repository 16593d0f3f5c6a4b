"""One folder over time: two at once, interrupted, sat by others later, grown, run again."""

from __future__ import annotations

import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Running, viva
from harbour import CHOICES, OWN, PANEL, asked, begun
from standing import FACTS, count, facts, latest

from viva.exams.file import read_exam


@pytest.mark.parametrize("command", ["run", "sit", "score"])
def test_a_second_process_is_told_and_the_first_goes_on_unharmed(command: str, corpus: Path, copied: Path) -> None:
    release, before = copied.parent / "release", count(copied, "responses")
    first = Running("sit", copied, *asked(f"again={OWN}:held"), environment={"VIVA_TEST_RELEASE": str(release)})
    first.wait_for(release.with_name("begun").exists)
    second = viva("run", corpus, "--out", copied, *CHOICES) if command == "run" else viva(command, copied)
    assert second.code == 2
    assert f"Process {first.pid} works on the run folder {copied}" in second.err
    assert "Wait for it, or stop it" in second.err
    assert first.alive
    assert viva("show", copied).code == 0
    release.touch()
    done = first.done()
    assert done.code == 0, done.err
    questions = len(read_exam(copied / "exam.jsonl").items)
    assert count(copied, "responses") == before + questions


def test_an_interrupted_run_says_how_to_go_on_and_does(corpus: Path, copied: Path) -> None:
    line = ["sit", copied, *asked(f"again={OWN}:slow")]
    before = count(copied, "responses")
    running = Running(*line)
    running.wait_for(lambda: count(copied, "responses") > before)
    running.send(signal.SIGINT)
    done = running.done()
    assert done.code == 130
    assert "Stopped" in done.err
    assert "Run the same command again" in done.err
    assert "Traceback" not in done.said
    kept = count(copied, "responses")
    assert kept > before
    done = viva(*line)
    assert done.code == 0, done.err
    assert count(copied, "responses") == before + len(read_exam(copied / "exam.jsonl").items)


def test_an_interrupt_does_not_wait_for_a_system_that_hangs(copied: Path) -> None:
    running = Running("sit", copied, *asked("bm25+lexical,k=2", f"{OWN}:hangs"), "--timeout", "60")
    before = count(copied, "responses")
    running.wait_for(lambda: count(copied, "responses") > before)
    running.send(signal.SIGINT)
    started = time.monotonic()
    assert running.done().code == 130
    assert time.monotonic() - started < 5


def test_a_system_that_comes_later_is_the_only_one_asked(copied: Path, corpus: Path) -> None:
    before, scores = facts(copied), latest(copied, "scores")
    done = viva("sit", copied, *asked("bm25+embedding", "bm25+lexical"))
    assert done.code == 0, done.err
    after = facts(copied)
    questions = len(read_exam(copied / "exam.jsonl").items)
    new = after["responses"] - before["responses"]
    assert not before["responses"] - after["responses"]
    assert new.total() == questions
    assert all('"bm25+embedding"' in body for body in after["examinees"] - before["examinees"])
    assert viva("score", copied).code == 0
    assert len(latest(copied, "scores")["examinees"]) == len(scores["examinees"]) + 1


@pytest.mark.slow
def test_a_larger_exam_keeps_the_answers_that_are_there(corpus: Path, tmp_path: Path, finished: Path) -> None:
    begun(tmp_path / "run", finished)
    line = ["run", corpus, "--out", tmp_path / "run", "--items-per-chunk", "8", "--worked-examples", "0"]
    assert viva(*line, "--items", "8", *asked("bm25+lexical", "closed-book+lexical")).code == 0
    small = facts(tmp_path / "run")
    done = viva(*line, "--items", "12", *asked("bm25+lexical", "closed-book+lexical"), "--json")
    assert done.code == 0, done.err
    assert done.json()["exam"]["items"] == 12
    large = facts(tmp_path / "run")
    for table in FACTS:
        assert not small[table] - large[table], table
    # the options may stand in another order in another exam: then the question is asked again
    assert 0 < (large["responses"] - small["responses"]).total() <= 2 * 12
    (sizes,) = ({row["asked"] for row in latest(tmp_path / "run", "scores")["examinees"]},)
    assert sizes == {12}


def test_a_finished_run_run_again_changes_nothing(corpus: Path, copied: Path) -> None:
    # as when it was made, save that its scores are in
    with sqlite3.connect(copied / "run.sqlite") as connection:
        results = connection.execute("SELECT kind, body FROM results WHERE kind != 'times'").fetchall()
    exam, before = (copied / "exam.jsonl").read_bytes(), facts(copied)
    started = time.monotonic()
    done = viva("run", corpus, "--out", copied, *CHOICES, *asked(*PANEL))
    assert done.code == 0, done.err
    assert time.monotonic() - started < 10
    assert (copied / "exam.jsonl").read_bytes() == exam
    assert facts(copied) == before
    with sqlite3.connect(copied / "run.sqlite") as connection:
        again = connection.execute("SELECT kind, body FROM results WHERE kind != 'times'").fetchall()
    assert again == results
