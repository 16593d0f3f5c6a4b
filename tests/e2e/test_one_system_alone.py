"""One system of somebody's own and nobody else: an ability, a diagnosis, and company that is named as made for it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from bs4 import BeautifulSoup
from command import Done, viva
from harbour import CHOICES, asked, begun
from standing import count, facts

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples/my_rag.py"
SPEC = f"{EXAMPLE}:answer"


@pytest.fixture(scope="module")
def environment(corpus: Path) -> dict[str, str]:
    return {"MY_RAG_DOCS": str(corpus), "VIVA_MANUFACTURED": "true"}


@pytest.fixture(scope="module")
def alone(
    corpus: Path, finished: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Done]:
    folder = begun(tmp_path_factory.mktemp("alone") / "run", finished)
    done = viva("run", corpus, "--out", folder, *CHOICES, *asked(SPEC), environment=environment)
    assert done.code == 0, done.err
    return folder, done


@pytest.fixture(scope="module")
def standing(alone: tuple[Path, Done]) -> Any:
    return viva("show", alone[0], "--json").json()


def test_it_gets_an_ability_with_a_standard_error(standing: Any) -> None:
    (own,) = [row for row in standing["scores"]["examinees"] if not row["examinee"]["manufactured"]]
    assert own["examinee"]["spec"] == SPEC
    assert own["ability"]["se"] > 0
    assert own["expected_score"]["low"] < own["expected_score"]["high"]


def test_its_company_is_named_and_each_says_why_it_is_there(standing: Any, alone: tuple[Path, Done]) -> None:
    folder, done = alone
    company = [row["examinee"] for row in standing["scores"]["examinees"] if row["examinee"]["manufactured"]]
    assert len(company) == 24
    told = {each["manufactured"] for each in company}
    assert "a reference system" in told
    assert sum("an ablation of my_rag:answer" in each for each in told) == 4
    assert json.loads((folder / "scores.json").read_text())["examinees"] == standing["scores"]["examinees"]
    assert "M: manufactured" in done.out
    assert "20 reference systems" in done.err
    board = BeautifulSoup((folder / "report.html").read_text("utf-8"), "html.parser").find(id="leaderboard")
    assert board is not None
    assert board.select_one("td.place").get_text() == "1"  # type: ignore[union-attr]
    assert len([cell for cell in board.select("td.place") if cell.get_text().startswith("M")]) == 24


def test_its_wrong_answers_are_diagnosed_and_the_stand_in_is_named(standing: Any, alone: tuple[Path, Done]) -> None:
    folder, done = alone
    (found,) = standing["diagnoses"]
    (own,) = [row for row in standing["scores"]["examinees"] if not row["examinee"]["manufactured"]]
    assert found["wrong"] == found["diagnosed"] == own["graded"] - own["correct"] > 3
    assert sum(row["answers"] for row in found["rows"]) == found["diagnosed"]
    assert all(row["share"]["low"] <= row["share"]["value"] <= row["share"]["high"] for row in found["rows"])
    assert not found["own_reader"]
    assert "reference reader" in found["reader"]
    # it never reads the hospital's page nor the tables: some evidence is not found
    assert {row["blame"]: row["answers"] for row in found["rows"]}["retrieval"] > 0
    assert "Why " in done.out
    page = BeautifulSoup((folder / "report.html").read_text("utf-8"), "html.parser")
    section = page.find(id="diagnosis")
    assert section is not None
    assert "stand-in" in section.get_text()


def test_run_again_it_asks_nobody_and_changes_nothing(
    alone: tuple[Path, Done], corpus: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(alone[0], folder)
    before = facts(folder)
    trials = count(folder, "results", "kind LIKE 'diagnosis trials%'")
    done = viva("run", corpus, "--out", folder, *CHOICES, *asked(SPEC), environment=environment)
    assert done.code == 0, done.err
    assert facts(folder) == before
    assert count(folder, "results", "kind LIKE 'diagnosis trials%'") == trials > 0


def test_without_company_it_is_alone_and_no_ability_is_claimed(
    alone: tuple[Path, Done], corpus: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    folder = begun(tmp_path / "run", alone[0])
    arguments = ("--items", "8", "--items-per-chunk", "2", "--worked-examples", "0", "--no-manufactured")
    done = viva("run", corpus, "--out", folder, *arguments, *asked(SPEC), environment=environment)
    assert done.code == 0, done.err
    scores = json.loads((folder / "scores.json").read_text())
    assert [row["examinee"]["spec"] for row in scores["examinees"]] == [SPEC]
    assert scores["examinees"][0]["ability"] is None
    assert any("No abilities were estimated" in note["sentence"] for note in scores["notes"])
    assert "reference systems" not in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "No system is named"),
        (asked("bm25+lexical,k=7"), "no answer to this exam"),
        (asked("nothing.py:answer"), "nothing.py"),
        ((*asked(SPEC), "--ablation-questions", "-1"), "ablation-questions"),
    ],
)
def test_what_cannot_be_diagnosed_is_told(alone: tuple[Path, Done], arguments: tuple[str, ...], said: str) -> None:
    done = viva("diagnose", alone[0], *arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.said


def test_a_diagnosis_comes_as_json_too(
    alone: tuple[Path, Done], environment: dict[str, str], standing: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(alone[0], folder)
    found = viva("diagnose", folder, *asked(SPEC), "--json", environment=environment).json()
    assert found["diagnoses"] == standing["diagnoses"]
