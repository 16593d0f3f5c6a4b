"""Which columns of a table are items: examinees whose names are 0 and 1 are not taken for one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.exams.response_matrix import read_matrix


def table(folder: Path, text: str) -> Path:
    path = folder / "matrix.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("heading", ["id", "Examinee", "student_id", "system name", "Unnamed: 0", "userId", "model"])
def test_names_that_are_0_and_1_are_names_where_the_heading_says_so(heading: str, tmp_path: Path) -> None:
    found = read_matrix(table(tmp_path, f"{heading},q1,q2\n0,1,0\n1,0,1\n"))
    assert found.examinees == ("0", "1")
    assert found.items == ("q1", "q2")
    assert "read as names, by its heading" in found.assumed
    assert "--no-names" in found.assumed


def test_numeric_names_are_no_item(tmp_path: Path) -> None:
    rows = "".join(f"{n},1,0\n" for n in range(5))
    found = read_matrix(table(tmp_path, f"person,q1,q2\n{rows}"))
    assert found.examinees == tuple("01234")
    assert found.assumed == ""


@pytest.mark.parametrize("heading", ["q1", "item 1", "item_1", "question1", "model2"])
def test_a_first_item_is_one_and_the_output_says_so(heading: str, tmp_path: Path) -> None:
    found = read_matrix(table(tmp_path, f"{heading},q2,q3\n0,1,0\n1,0,1\n"))
    assert found.items == (heading, "q2", "q3")
    assert found.examinees == ("1", "2")
    assert "is read as responses" in found.assumed
    assert "--names" in found.assumed


def test_what_is_headed_as_names_and_holds_responses_is_asked_for(tmp_path: Path) -> None:
    path = table(tmp_path, "id,q1,q2\n0,1,0\n1,0,1\n1,0,0\n")
    with pytest.raises(UsageError, match="'id' but only cells with 1, 0 or nothing") as refused:
        read_matrix(path)
    assert "--names or --no-names" in str(refused.value.next_step)
    np.testing.assert_array_equal(read_matrix(path, names=False).responses[:, 0], [0, 1, 1])
    with pytest.raises(UsageError, match="'1' occurs twice"):
        read_matrix(path, names=True)


def test_the_readers_word_goes_before_heading_and_cells(tmp_path: Path) -> None:
    path = table(tmp_path, "q1,q2,q3\n0,1,0\n1,0,1\n")
    assert read_matrix(path, names=True).examinees == ("0", "1")
    assert read_matrix(path, names=True).assumed == ""
    with pytest.raises(UsageError, match="'a'"):
        read_matrix(table(tmp_path, "q1,q2\na,1\nb,0\n"), names=False)
