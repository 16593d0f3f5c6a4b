"""Forms of an exam on one scale, and scores over runs and dates: what connects them is said, and what does not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from hashlib import md5
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pump_rags import fact
from pump_run import pump_context, question
from typer.testing import CliRunner

import viva
from viva.cli.main import app
from viva.core.records import Exam


def matrix(path: Path, names: range, *, harder: tuple[int, ...] = (), ability: float = 0.0, seed: int = 0) -> Path:
    """Answers of 120 systems to questions of these names, of which some are harder by 3."""
    rng = np.random.default_rng(seed)
    difficulty = np.random.default_rng(9).normal(0, 1, 60)[list(names)]
    difficulty[[names.index(each) for each in harder]] += 3
    chances = 1 / (1 + np.exp(difficulty - rng.normal(ability, 1, (120, 1))))
    rows = (rng.random(chances.shape) < chances).astype(int)
    lines = [",".join(["system", *(f"q{each}" for each in names)])]
    lines += [",".join([f"s{n}", *map(str, row)]) for n, row in enumerate(rows.tolist())]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A form of questions 0 to 29, and one of 18 to 47 in which two of the shared ones are harder."""
    folder = tmp_path_factory.mktemp("tables")
    later = matrix(folder / "june.csv", range(18, 48), harder=(20, 27), ability=1, seed=1)
    return matrix(folder / "march.csv", range(30)), later


def test_tables_are_put_on_one_scale_and_drifted_questions_named(tables: tuple[Path, Path]) -> None:
    found = viva.irt.equate(*tables, options=0)
    assert {"q20", "q27"} <= set(found.record["drifted"])
    assert len(found.record["drifted"]) <= 4
    assert "Left out as drifted: q2" in " ".join(found.notes)
    rows = found.to_pandas()
    means = rows.groupby("form")["ability"].mean()
    assert means[str(tables[1])] - means[str(tables[0])] == pytest.approx(1, abs=0.35)
    assert (rows["expected on the old form low"].dropna() >= 0).all()
    shared = {row["question"]: row for row in found.rows(1)}
    assert len(shared) == 12
    assert shared["q20"]["new less old high"] < 0


def test_the_command_gives_the_same_record(tables: tuple[Path, Path]) -> None:
    told = CliRunner().invoke(app, ["equate", *map(str, tables), "--options", "0", "--json"])
    assert json.loads(told.output)["drifted"] == viva.irt.equate(*tables, options=0).record["drifted"]


def test_what_cannot_be_equated_is_refused_in_a_sentence(tmp_path: Path) -> None:
    old = matrix(tmp_path / "old.csv", range(20))
    for names, told in (
        (range(30, 50), "0 shared questions: too few"),
        (range(19, 39), "1 shared question: too few"),
    ):
        with pytest.raises(viva.UsageError, match=told):
            viva.irt.equate(old, matrix(tmp_path / "new.csv", names), model="1pl")
    right = tmp_path / "right.csv"
    right.write_text(re.sub(",0", ",1", old.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(viva.UsageError, match="0 shared questions that some systems have right"):
        viva.irt.equate(old, right, model="1pl")
    with pytest.raises(viva.UsageError, match="no form of an exam"):
        viva.irt.equate(old, 7)
    frame = pd.read_csv(old)
    with pytest.raises(viva.UsageError, match="not a table of numbers: could not convert string"):
        viva.irt.equate(frame, old)
    with pytest.raises(viva.UsageError, match="A question of the old form is there twice"):
        viva.irt.equate(frame.set_index("system").rename(columns={"q1": "q2"}), old)


# --- runs ---------------------------------------------------------------------------------------------------


def rag(skill: float) -> Callable[[str, list[str] | None], str]:
    """A system that is right on about this share of the questions, always the same ones."""

    def answer(question: str, options: list[str] | None = None) -> str:
        number = int(re.findall(r"pump (\d+)", question)[0])
        right = re.findall(r"\d+ litres", fact(number))[0]
        drawn = md5(f"{skill}{number}".encode(), usedforsecurity=False).digest()[0] / 256
        return right if drawn < skill - 0.15 * (number % 5 - 2) else next(o for o in options or [] if o != right)

    return answer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs: of the questions 1 to 29, 10 to 39 and 40 to 49, taken by the same six systems."""
    made = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(made)
        for name, numbers in (("march", range(1, 30)), ("june", range(10, 40)), ("july", range(40, 50))):
            exam = Exam.of([question(number) for number in numbers])
            with closing(pump_context(made / name, exam=exam)):
                pass
            systems = {f"s{n}": rag(0.25 + 0.12 * n) for n in range(6)}
            viva.open_run(made / name).examine(**systems, manufactured=False)
    return made


def test_runs_that_share_questions_have_one_history(folder: Path) -> None:
    found = viva.history([folder / "march", folder / "june"])
    assert found.measure == "expected on the first exam"
    assert "is linked to" in " ".join(found.notes)
    rows = [row for row in found.rows() if row["system"] == "s5"]
    assert [Path(str(row["run"])).name for row in rows] == ["march", "june"]
    assert all(row["ability low"] < row["ability"] < row["ability high"] for row in rows)
    assert str(rows[0]["date"]) <= str(rows[1]["date"])
    assert rows[0]["accuracy on shared questions"] == rows[1]["accuracy on shared questions"]
    traces = found.plot().data
    assert [len(each.x) for each in traces] == [2] * 6


def test_where_nothing_connects_runs_a_history_says_so(folder: Path) -> None:
    found = viva.history([folder / "march", folder / "june", folder / "july"])
    assert found.measure == "accuracy"
    assert "Nothing connects all of these runs" in found.notes[0]
    assert any("july is not on the scale of" in note for note in found.notes)
    assert any("june is linked to" in note for note in found.notes)


def test_a_run_of_few_systems_is_compared_on_the_shared_questions(folder: Path, tmp_path: Path) -> None:
    with closing(pump_context(tmp_path / "one", exam=Exam.of([question(number) for number in range(20, 40)]))):
        pass
    viva.open_run(tmp_path / "one").examine(s1=rag(0.37), manufactured=False)
    found = viva.history([folder / "march", tmp_path / "one"])
    assert found.measure == "accuracy on shared questions"
    assert "compare the accuracy on the 10 questions" in found.notes[0]
    shared = {
        Path(str(r["run"])).name: r["accuracy on shared questions"] for r in found.rows() if r["system"] == "s1"
    }
    assert shared["march"] == shared["one"]


def test_a_plot_is_one_file_and_runs_are_equated_by_the_command(folder: Path, tmp_path: Path) -> None:
    pages = tmp_path / "history.html"
    told = CliRunner().invoke(app, ["history", str(folder / "march"), str(folder / "june"), "--plot", str(pages)])
    assert told.exit_code == 0
    assert "Scores over 2 runs" in told.output
    assert "plotly" in pages.read_text(encoding="utf-8")
    told = CliRunner().invoke(app, ["equate", str(folder / "march"), str(folder / "june"), "--json"])
    record = json.loads(told.output)
    assert record["anchors"] >= 10
    assert len(record["systems"]) == 12


def test_a_history_without_scores_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(viva.UsageError, match="needs a run"):
        viva.history([])
    with closing(pump_context(tmp_path / "run")):
        pass
    with pytest.raises(viva.UsageError, match="no scores yet"):
        viva.history(tmp_path / "run")
