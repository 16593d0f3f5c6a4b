"""`viva grade` and `viva judges measure`: what is asked, paid once, written, shown and remembered."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from viva.cli.main import app
from viva.core.errors import BudgetReached, UsageError
from viva.llm.embeddings import SentenceTransformerEmbedder

ROWS = [(f"How long is pier {n}?", f"{20 + n + 5 * (n % 3 == 0)} metres", f"{20 + n} metres") for n in range(1, 16)]


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "judges"))
    path = tmp_path / "answers.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("user_input", "response", "reference"), *ROWS])
    return path


def run(*arguments: str | Path) -> str:
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False).stdout


def requests(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        return int(connection.execute("select count(*) from requests").fetchone()[0])


def test_a_language_model_grades_a_file_and_is_paid_once(answers: Path) -> None:
    asked = ("grade", answers, "--model", "fake:any", "--out", "graded.jsonl", "--json")
    with pytest.raises(BudgetReached):
        run(*asked, "--max-calls", "4")
    assert not Path("graded.jsonl").exists()
    found = json.loads(run(*asked))
    assert (found["judge"]["name"], found["rows"], found["judged"]) == ("correctness", 15, 15)
    assert found["mean"]["low"] < found["mean"]["value"] < found["mean"]["high"]
    assert [one["place"] for one in found["results"]][:2] == ["line 2", "line 3"]
    graded = [json.loads(line) for line in Path("graded.jsonl").read_text().splitlines()]
    assert [row["judge_score"] for row in graded] == [one["score"] for one in found["results"]]
    assert requests(Path("viva-runs/grade-correctness-answers")) == 15
    assert json.loads(run(*asked)) == found
    assert requests(Path("viva-runs/grade-correctness-answers")) == 15


def test_a_file_that_is_not_to_be_written_is_refused_before_anything_is_asked(answers: Path) -> None:
    refused = [
        (answers, "the file that is graded"),
        (Path("graded.xlsx"), "neither .csv nor .jsonl"),
        (Path("none/graded.csv"), "There is no folder none"),
    ]
    for out, told in refused:
        with pytest.raises(UsageError, match=told):
            run("grade", answers, "--model", "fake:any", "--out", out)
    assert not Path("viva-runs").exists()


def test_rules_grade_a_file_and_measured_on_its_labels_they_are_listed_with_the_figures(
    answers: Path, minilm: SentenceTransformerEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    # loaded once for all tests
    monkeypatch.setattr("viva.graphs.grading.judge_lookup.SentenceTransformerEmbedder", lambda *_, **__: minilm)
    told = run("grade", answers)
    assert "correctness by correctness-offline, 15 rows" in told
    assert "Right, a score of 0.5 or more: 67% (40 to 87)." in told
    assert "Agreement of this judge with people: not measured" in told
    labels = Path("labels.jsonl")
    rows = [{"question": q, "answer": a, "reference": r, "label": int(a == r)} for q, a, r in ROWS]
    labels.write_text("\n".join(map(json.dumps, rows)))
    found = json.loads(run("judges", "measure", labels, "--json"))
    assert (found["judge"]["name"], found["agreement"]["cases"]) == ("correctness-offline", 15)
    assert {"spearman", "accuracy"} <= {each["statistic"] for each in found["judge"]["measured"]}
    listed = json.loads(run("judges", "correctness-offline", "--json"))["judges"]
    assert listed[0]["measured"][0]["data"].endswith("/labels")
    assert "spearman" in run("grade", answers)
