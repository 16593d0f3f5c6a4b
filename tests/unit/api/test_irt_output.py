"""What is written to a terminal or a file for others: JSON and CSV that hold every name and obey none."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from viva.api.irt import fit
from viva.api.terminal import json_document, print_json
from viva.cli.irt.command import irt
from viva.core.estimates import Ability, OutsideAbility

CONTROLS = "\x1b[31mred\x07 \x9b2J\u202etxt \ud800"


def cells(name: str) -> list[str]:
    """The first column of abilities.csv where an examinee has this name."""
    found = fit([[1, 0, 1], [0, 1, 1], [1, 1, 0]], examinees=[name, "b", "c"])
    rows = csv.reader(StringIO(found.tables["abilities"].csv(), newline=""))
    return [row[0] for row in rows][1:]


def test_json_holds_the_text_and_no_character_that_a_terminal_obeys() -> None:
    document = json_document({CONTROLS: ["Zürich", CONTROLS]})
    assert json.loads(document) == {CONTROLS: ["Zürich", CONTROLS]}
    assert "Zürich" in document
    assert not any(char in document for char in "\x1b\x07\x9b\u202e\ud800")


def test_json_without_unicode_is_the_same_document(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": "Zürich"})
    assert json.loads(capsys.readouterr().out) == {"name": "Zürich"}


def test_a_number_that_is_none_is_no_json() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        json_document({"theta": float("nan")})


def test_control_characters_are_written_out_in_csv_cells() -> None:
    assert cells(CONTROLS)[0] == "\\x1b[31mred\\x07 \\x9b2J\\u202etxt \\ud800"


@pytest.mark.parametrize(
    "name",
    ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", " =1", "'=1", "\t=1", "＝1", "-", "-1=1", "+1e", "\n=1"],
)
def test_a_cell_that_a_spreadsheet_would_run_is_a_text(name: str) -> None:
    assert cells(name)[0] == f"'{name}"


@pytest.mark.parametrize("name", ["-1", "+3.5", "-2,5", "-1e-5", "+.5", "-3.", "plain", "a=b", "1-2", "x@y"])
def test_numbers_and_plain_names_stay_as_they_are(name: str) -> None:
    assert cells(name)[0] == name


def test_figures_stay_figures() -> None:
    found = fit([[1, 0, 1], [0, 1, 0], [0, 0, 0]], examinees=["a", "b", "c"], options=0)
    rows = list(csv.DictReader(StringIO(found.tables["abilities"].csv(), newline="")))
    a, b, c = found.analysis.fit.abilities
    assert isinstance(a, Ability)
    assert isinstance(b, Ability)
    assert [float(row["theta"]) for row in rows[:2]] == pytest.approx([a.theta, b.theta], abs=1e-5)
    assert float(rows[1]["theta"]) < 0
    # what no item measures is no number, but a bound
    assert isinstance(c, OutsideAbility)
    assert (rows[2]["theta"], rows[2]["se"], rows[2]["low"], rows[2]["outside"]) == ("", "", "", "below")
    assert float(rows[2]["high"]) == pytest.approx(c.bound, abs=1e-5)


def test_an_examinee_without_a_response_has_no_place_and_comes_last() -> None:
    nan = float("nan")
    found = fit([[nan] * 3, [0, 0, 1], [1, 1, 0]], examinees=["absent", "low", "high"])
    rows = [(row["place"], row["examinee"]) for row in found.abilities.rows()]
    assert rows == [("1", "high"), ("2", "low"), ("-", "absent")]


def test_who_interrupts_between_two_files_is_told_which_are_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def leave(code: int) -> None:
        raise SystemExit(code)

    def interrupted(self: object, files: object, written: list[Path]) -> None:
        written.append(Path("out/abilities.csv"))
        raise KeyboardInterrupt

    monkeypatch.setattr("os._exit", leave)
    monkeypatch.setattr("viva.api.irt.FittedMatrix.write", interrupted)
    (tmp_path / "matrix.csv").write_text("name,q1,q2\na,1,0\nb,0,1\n")
    with pytest.raises(SystemExit) as left:
        irt(matrix=tmp_path / "matrix.csv")
    assert left.value.code == 130
    said = capsys.readouterr().err
    assert "These files were written: out/abilities.csv." in said
    assert "with --force" in said


@pytest.mark.parametrize(
    ("grades", "told"),
    [
        ([[1] * 20] * 5, "Every examinee is right on all items: they tell none apart."),
        ([[0] * 6] * 4, "No examinee is right on any item."),
    ],
)
def test_where_no_item_tells_examinees_apart_only_that_is_shown(grades: list[list[int]], told: str) -> None:
    _, *lines = fit(grades).summary.text().splitlines()
    assert lines == [told]


@pytest.mark.parametrize(
    "grades",
    [[[1, 0, 1], [0, 1, 0], [0, 0, 0]], [[float("nan")] * 3, [0, 0, 1], [1, 1, 0]], [[1] * 20] * 5],
)
def test_each_table_of_a_small_matrix_goes_into_every_form(grades: list[list[float]]) -> None:
    found = fit(grades, options=0)
    for each in (found.summary, found.abilities, found.items, found.effects, found.flags, *found.tables.values()):
        assert json.loads(each.json())["notes"] == list(each.notes)
        assert each.html()
        assert each.markdown()
        assert each.text(60)
