"""Systems that have sat an exam and are not in its scores: show and report name them and the next command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from viva.cli.main import app

SYSTEMS = """
def first(question):
    return "A"

def second(question):
    return "B"
"""


def said(*arguments: object) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run in which one system has sat, and which is not scored."""
    monkeypatch.setenv("VIVA_MANUFACTURED", "false")
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(SYSTEMS)
    rows = [[f"How much does pump {n} hold?", f"{n} litres", f"{n + 1} litres", f"{n + 2} litres"] for n in range(8)]
    with Path("exam.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["question", "answer", "wrong_1", "wrong_2"], *rows])
    said("sit", "exam.csv", "-e", "first=own.py:first", "--out", "run")
    return Path("run")


def test_a_system_that_has_sat_and_is_not_scored_is_named_until_it_is(run: Path) -> None:
    assert "first has sat and is not scored: viva score run" in said("show", run)
    said("score", run)
    assert "not scored" not in said("show", run)
    said("sit", run, "-e", "second=own.py:second")
    told = "second has sat and is not scored: viva score run"
    assert told in said("show", run)
    assert told in said("report", run)
    assert json.loads(said("show", run, "--json"))["unscored"] == [told]
    assert "second has sat and is not scored" in (run / "report.html").read_text(encoding="utf-8")
    said("score", run)
    assert "not scored" not in said("show", run)


@pytest.mark.parametrize(
    ("sitting", "sentence"),
    [
        (("first=own.py:first", "--repeats", "2"), "first was asked more since it was scored: viva score run"),
        (("second=own.py:second", "--sample", "3"), "second has sat and is not scored: viva score run"),
    ],
)
def test_a_system_that_was_asked_more_or_a_sample_is_named_until_the_scores_have_it(
    sitting: tuple[str, ...], sentence: str, run: Path
) -> None:
    said("score", run)
    said("sit", run, "-e", *sitting)
    assert sentence in said("show", run)
    said("score", run)
    assert sentence not in said("show", run)
