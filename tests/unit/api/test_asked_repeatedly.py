"""Systems that are asked each question several times: what is said of them is of all occasions, or says of which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import viva

System = Callable[[str, list[str]], str]


@pytest.fixture
def exam(tmp_path: Path) -> viva.Exam:
    rows = [f"How much does pump {n} move?,{n}1 litres,{n}2 litres,{n}3 litres" for n in range(1, 9)]
    (tmp_path / "golden.csv").write_text("\n".join(["question,answer,wrong_1,wrong_2", *rows]) + "\n", "utf-8")
    return viva.Exam.read(tmp_path / "golden.csv")


def right_on(*occasions: int) -> System:
    """A system that is right on these occasions, the first one 1."""
    times = Counter[str]()

    def system(question: str, options: list[str]) -> str:
        times[question] += 1
        right = times[question] in occasions
        return next(option for option in options if option.endswith("1 litres") == right)

    return system


def test_two_systems_differ_by_the_questions_that_one_has_right_more_often(exam: viva.Exam, tmp_path: Path) -> None:
    scores = exam.examine(later=right_on(2, 3), once=right_on(1), repeats=3, out=tmp_path / "run", manufactured=False)
    found = scores.compare("later", "once")
    assert found.verdict == "better"
    assert found.rows()[0]["later right more often"] == 8
    assert [row["right more often"] for row in found.rows(len(found.tables) - 1)] == ["later"] * 8
    assert any(note.startswith("Of 8 questions that later has right more often, ") for note in found.notes)
    assert not any("that once" in note for note in found.notes)
    shown = viva.open_run(tmp_path / "run").report().read_text()
    assert "8 questions that one has right more often" in shown
    assert "that once has right" not in shown


def test_a_perfect_score_of_the_first_answers_alone_is_said_to_be_of_the_first_occasion(
    exam: viva.Exam, tmp_path: Path
) -> None:
    given = {"later": right_on(2, 3), "once": right_on(1)}
    notes = exam.examine(**given, repeats=3, out=tmp_path / "run", manufactured=False).leaderboard.notes
    on_the_first = "on the first occasion, which abilities are of"
    assert [note for note in notes if on_the_first in note] == [
        f"Note: once has a perfect score {on_the_first}: above what this exam measures.",
        f"Note: later has no right answer {on_the_first}: below what this exam measures.",
    ]


def test_two_systems_of_one_accuracy_with_other_answers_are_not_said_to_have_the_same_right(
    exam: viva.Exam, tmp_path: Path
) -> None:
    given = {"later": right_on(1, 2), "last": right_on(1, 3)}
    notes = exam.examine(**given, repeats=3, out=tmp_path / "run", manufactured=False).leaderboard.notes
    assert not any("All systems are right on the same questions" in note for note in notes)
