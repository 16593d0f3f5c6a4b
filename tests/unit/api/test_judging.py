"""Judges and item response theory from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import viva

ROWS = [
    {"question": "How long is it?", "answer": "It is 21 m.", "reference": "21 metres"},
    {"question": "How long is it?", "answer": "It is 30 m.", "reference": "21 metres"},
    {"question": "When was it built?", "answer": "In 1987.", "reference": "1987"},
    {"question": "When was it built?", "answer": "In 1988.", "reference": "1987"},
]


def test_rows_are_graded_by_the_usual_judge_of_a_quality() -> None:
    found = viva.grade(ROWS)
    assert [row["judge_right"] for row in found.rows()] == [1, 0, 1, 0]
    assert found.rows(1)[0]["right"] == 0.5
    assert found.record["judge"]["name"] == "correctness-offline"


def test_a_judge_is_measured_on_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS)
    frame["label"] = [1, 0, 1, 0]
    frame.to_csv(tmp_path / "labels.csv", index=False)
    found = viva.judge("correctness-offline").measure(tmp_path / "labels.csv")
    assert found.agreement["accuracy"] == 1.0
    assert found.rows()[0]["statistic"]


@pytest.mark.parametrize(("name", "said"), [("nonsense", "nonsense"), ("relevance", "asks a language model")])
def test_a_judge_that_is_not_to_be_had_is_said_in_words(name: str, said: str) -> None:
    with pytest.raises(viva.UsageError, match=said):
        viva.judge(name)


def test_a_matrix_or_a_data_frame_is_fitted_with_its_names() -> None:
    drawn = np.random.default_rng(0)
    ability, difficulty = drawn.normal(size=(12, 1)), drawn.normal(size=(1, 40))
    right = (drawn.random((12, 40)) < 1 / (1 + np.exp(difficulty - ability))).astype(float)
    frame = pd.DataFrame(right, index=[f"system {n}" for n in range(12)], columns=[f"q{n}" for n in range(40)])
    found = viva.irt.fit(frame, model="1pl")
    abilities = {row["examinee"]: float(row["ability"] or 0) for row in found.abilities.rows()}
    assert abilities.keys() == {*frame.index}
    assert [row["item"] for row in found.items.rows()] == [*frame.columns]
    assert np.corrcoef([abilities[name] for name in frame.index], ability[:, 0])[0, 1] > 0.8
    assert (
        found.abilities.rows()
        == viva.irt.fit(right, examinees=[*frame.index], items=[*frame.columns], model="1pl").abilities.rows()
    )


def test_a_file_is_fitted_with_its_components_as_the_command_does(tmp_path: Path) -> None:
    drawn = np.random.default_rng(2)
    rows = [f"s{n},{','.join(map(str, drawn.integers(0, 2, 20)))}" for n in range(12)]
    (tmp_path / "matrix.csv").write_text("\n".join([f"system,{','.join(f'q{n}' for n in range(20))}", *rows]))
    sizes = [f"s{n},{('small', 'large')[n % 2]},{n}" for n in range(12)]
    (tmp_path / "systems.csv").write_text("\n".join(["system,size,k", *sizes]))
    given = tmp_path / "systems.csv"
    found = viva.irt.fit(tmp_path / "matrix.csv", components=given, continuous=["k:2"], references=["size=small"])
    levels = {row["level"]: row["effect"] for row in found.effects.rows() if row["component"] == "size"}
    assert levels["small"] == 0
    assert found.tables["abilities"].rows()[1]["graded"] == 20
    assert found.summary.record["schema"] == "viva-irt"
    with pytest.raises(viva.UsageError, match="need components"):
        viva.irt.fit(tmp_path / "matrix.csv", references=["size=small"])


def test_a_matrix_with_gaps_is_neither_misread_nor_changed_whatever_its_order_in_memory() -> None:
    drawn = np.random.default_rng(1)
    right = (drawn.random((12, 20)) < 0.6) * 1.0
    right[drawn.random(right.shape) < 0.1] = np.nan
    by_columns = np.asfortranarray(right)
    assert viva.irt.fit(by_columns, model="1pl").abilities.rows() == viva.irt.fit(right, model="1pl").abilities.rows()
    np.testing.assert_array_equal(by_columns, right)
    assert viva.irt.fit(pd.DataFrame(right), model="1pl").items.rows()[0]["of"] == int((~np.isnan(right[:, 0])).sum())


def test_a_data_frame_is_graded_and_measured_and_what_is_no_table_is_said(tmp_path: Path) -> None:
    frame = pd.DataFrame([*ROWS, {"question": "What else?", "answer": None, "reference": "nothing"}])
    assert viva.grade(frame).rows()[-1]["answer"] is None
    labelled = pd.DataFrame(ROWS).assign(label=[1, 0, 1, 0])
    assert viva.judge("correctness").measure(labelled).agreement["accuracy"] == 1.0
    with pytest.raises(viva.UsageError, match="A int is no table"):
        viva.grade(3)
