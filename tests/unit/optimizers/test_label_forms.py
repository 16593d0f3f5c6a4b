"""Labels in the forms that people and tools write: decimal commas, words, nested rows, several annotators."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.records.judging import Case, LabelledCase, Quality
from viva.metrics.judges.agreement import spearman_of
from viva.metrics.judges.pairs import paired_rows
from viva.optimizers.judge_agreement import ALPHA, people_agreement
from viva.optimizers.labelled import LabelledRows, read_labelled

CORRECT = Quality.CORRECTNESS
BASE = {"question": "q", "reference": "r"}


def read(
    folder: Path, text: str, name: str = "labels.csv", quality: Quality = CORRECT, **more: object
) -> LabelledRows:
    (folder / name).write_text(text, encoding="utf-8")
    return read_labelled(folder / name, quality, **more)  # type: ignore[arg-type]


def table(labels: list[str], sign: str = ",", heading: str = "label") -> str:
    rows = [sign.join([f"a{n}", "r", *([label] if label else [""])]) for n, label in enumerate(labels)]
    return "\n".join([sign.join(["answer", "reference", heading]), *rows]) + "\n"


def nested(folder: Path, *rows: object) -> LabelledRows:
    return read(folder, json.dumps(rows), "labels.json")


def labels(found: LabelledRows) -> list[float]:
    return [round(each.label, 4) for each in found.cases]


# --- numbers and words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "sign", "found"),
    [
        (["0,75", "1", "0,5"], ";", [0.75, 1, 0.5]),
        (["1,0", "0,0"], ";", [1, 0]),
        (['"0,75"', "1"], ",", [0.75, 1]),
        (['"0,750"', '"1,000"'], ",", [0.75, 1]),
        (["1,000", "0"], ";", [1, 0]),
        (["100%", "12.5 %", '"0,5"'], ",", None),
        (["100%", '"12,5 %"', "0\u00a0%"], ",", [1, 0.125, 0]),
        (["0.75", ".5", "1.0"], ",", [0.75, 0.5, 1]),
        (["PASS", "FAIL", ""], ",", [1, 0]),
        (["👍", "👎🏽", "👍️"], ",", [1, 0, 1]),
        (["Correct", "partially correct", "Not correct"], ",", [1, 0.5, 0]),
        (["richtig", "falsch", "n/a"], ",", [1, 0]),
    ],
)
def test_numbers_percentages_and_words_are_read_by_the_whole_column(
    tmp_path: Path, cells: list[str], sign: str, found: list[float] | None
) -> None:
    if found is None:
        with pytest.raises(UsageError, match=r"has a decimal comma, and “12\.5” in line 3 a decimal point"):
            read(tmp_path, table(cells, sign))
    else:
        assert labels(read(tmp_path, table(cells, sign))) == found


def test_decimal_commas_and_thousands_are_those_of_the_range(tmp_path: Path) -> None:
    assert labels(read(tmp_path, table(['"3,5"', "1"]), label_range=(1, 5))) == [0.625, 0]
    assert labels(read(tmp_path, table(['"1,000"', "0.5"]), label_range=(0, 1000))) == [1, 0.0005]


def test_a_comma_that_no_other_label_explains_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"line 2 .*“1,000” may be 1000 or 1.000.*--labels \"1,,000=1\""):
        read(tmp_path, table(['"1,000"', '"2,000"']))
    assert labels(read(tmp_path, table(['"1,000"', "0"]), label_words={"1,000": 1})) == [1, 0]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["2", "5"], "--label-range 1-5 if 1 is the lowest grade, --label-range 0-5 if 0 is"),
        (["0", "4"], "--label-range 0-4"),
        (["-1", "1"], r"--label-range -1\.\.1"),
        (["0", "87"], "--label-range 0-100"),
        (["0", "1e300"], r"--label-range 0-1e\+300"),
        (["150%", "1"], "the label 150% lies outside 0% to 100%"),
    ],
)
def test_a_label_outside_the_range_is_answered_with_the_ranges_that_fit(
    tmp_path: Path, cells: list[str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        read(tmp_path, table(cells))


def test_a_label_that_is_a_whole_text_is_not_repeated_in_the_message(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match='--labels "splendid=NUMBER"') as raised:
        read(tmp_path, table(["so " * 200, "splendid"]))
    assert "so " * 30 not in str(raised.value)


def test_a_first_line_that_names_the_delimiter_is_no_heading(tmp_path: Path) -> None:
    assert labels(read(tmp_path, "sep=;\n" + table(["0,5", "1"], ";"))) == [0.5, 1]


# --- nested rows ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        (
            {"input": {"question": "q"}, "output": {"answer": "a"}, "expectedOutput": "r", "label": 1},
            {
                "question": "input.question",
                "answer": "output.answer",
                "reference": "expectedOutput",
                "label": "label",
            },
        ),
        (
            {
                "inputs": {"question": "q"},
                "outputs": {"answer": "a"},
                "reference_outputs": {"answer": "r"},
                "scores": [{"name": "bleu", "value": 0.1}, {"name": "human", "value": 1}],
            },
            {
                "question": "inputs.question",
                "answer": "outputs.answer",
                "reference": "reference_outputs.answer",
                "label": "scores.human",
            },
        ),
        (
            {"case": {"query": "q", "response": "a", "gold": "r"}, "label": {"value": True, "comment": "so"}},
            {"question": "case.query", "answer": "case.response", "reference": "case.gold", "label": "label.value"},
        ),
        (
            {**BASE, "answer": "a", "correctness": 1, "feedback": {"relevance": 0}},
            {"question": "question", "answer": "answer", "reference": "reference", "label": "correctness"},
        ),
    ],
)
def test_nested_values_are_columns_with_dots(tmp_path: Path, row: object, columns: dict[str, str]) -> None:
    found = nested(tmp_path, row)
    assert found.columns == columns
    assert [(each.case, each.label) for each in found.cases] == [(Case(question="q", answer="a", reference="r"), 1.0)]


def test_the_rows_of_an_object_are_those_named_as_the_quality_or_its_columns(tmp_path: Path) -> None:
    one = {"answer": "a", "reference": "r", "label": 1}
    several = {"relevance": [{**one, "label": 0}], "correctness": [one]}
    columns = {"answer": ["a"], "reference": ["r"], "label": [1]}
    by_number = {name: {"0": cells[0]} for name, cells in columns.items()}
    for value in (several, columns, by_number, {"data": {"rows": [one]}}):
        assert labels(read(tmp_path, json.dumps(value), "labels.json")) == [1.0]


def test_a_metric_that_people_accepted_or_not_is_a_label(tmp_path: Path) -> None:
    def row(n: int, output: float, accepted: bool, **more: object) -> object:
        return {
            "metric_input": {"user_input": "q", "response": f"a{n}", "reference": "r"},
            "metric_output": output,
            "is_accepted": accepted,
            **more,
        }

    found = nested(tmp_path, row(0, 1, True), row(1, 1, False), row(2, 0.4, False), row(3, 0.4, False, target=0.8))
    assert labels(found) == [1, 0, 0.8]
    assert found.unlabelled == 1


def test_columns_that_are_named_alike_are_refused_with_all_columns(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"may hold answer: x.answer, y.answer. Columns .*--columns answer=x.answer"):
        nested(tmp_path, {"x": {"answer": "a"}, "y": {"answer": "b"}, "reference": "r", "label": 1})
    with pytest.raises(UsageError, match=r"known to hold reference, answer and label. Columns of .*: foo, bar.baz"):
        nested(tmp_path, {"foo": 1, "bar": {"baz": 2}})


# --- annotators -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    ["label_ada,label_bo", "annotator_1,annotator_2", "rater a,rater b", "Ada's rating,Bo's rating", "humanA,humanB"],
)
def test_columns_of_annotators_are_found_and_their_mean_is_the_label(tmp_path: Path, names: str) -> None:
    found = read(tmp_path, table(["1,0", "1,", ",", "0,0"], heading=names))
    assert found.columns["label"] == names.replace(",", "+")
    assert labels(found) == [0.5, 1, 0]
    assert list(found.annotators.values()) == [3, 2]
    assert found.unlabelled == 1


@pytest.mark.parametrize(
    "row",
    [
        {"label": {"ada": 1, "bo": 0}},
        {"labels": [1, 0]},
        {"annotations": [{"annotator": "ada", "label": "yes"}, {"annotator": "bo", "label": "no"}]},
        {"scores": [{"name": "correctness", "value": 1}, {"name": "correctness", "value": 0}]},
        {"score": 0.9, "rater_1": 1, "rater_2": 0},
        {"annotator_1": "ada", "label_1": 1, "annotator_2": "bo", "label_2": 0},
        {"annotators": {"ada": {"label": 1}, "bo": {"label": 0}}},
        {
            "annotations": [
                {"rater": "ada", "correctness": 1, "tone": 0},
                {"rater": "bo", "correctness": 0, "tone": 1},
            ]
        },
        {
            "annotations": [
                {"completed_by": n, "result": [{"from_name": "ok", "value": {"choices": [choice]}}]}
                for n, choice in enumerate(["Correct", "Incorrect"])
            ]
        },
        {"ada_correct": "yes", "bo_correct": "no", "ada_relevant": "yes"},
    ],
)
def test_annotators_are_found_in_nested_rows_and_before_a_score(tmp_path: Path, row: dict[str, object]) -> None:
    found = nested(tmp_path, {**BASE, "answer": "a", **row})
    assert labels(found) == [0.5]
    assert len(found.annotators) == 2


def test_measures_are_no_annotators_and_columns_may_be_named(tmp_path: Path) -> None:
    for heading in ("score_bleu,score_rouge", "score_harmlessness,score_tone", "rating_a,id_of_it"):
        with pytest.raises(UsageError, match=r"label=COLUMN\+COLUMN"):
            read(tmp_path, table(["1,0"], heading=heading))
    found = read(tmp_path, table(["1,0"], heading="Ada,Bo"), columns={"label": "Ada+Bo"})
    assert (labels(found), dict(found.annotators)) == ([0.5], {"Ada": 1, "Bo": 1})
    agreed = read(tmp_path, table(["1,1,0"], heading="label,label_ada,label_bo"))
    assert (labels(agreed), dict(agreed.annotators)) == ([1.0], {"label_ada": 1, "label_bo": 1})


def test_rows_of_several_annotators_are_one_case_and_no_contradiction(tmp_path: Path) -> None:
    rows = "a,r,1,ada\na,r,0,bo\nb,r,1,ada\nb,r,1,bo\nb,r,1,bo\n"
    found = read(tmp_path, f"answer,reference,label,annotator\n{rows}")
    assert labels(found) == [0.5, 1]
    assert [dict(each.by) for each in found.cases] == [{"ada": 1, "bo": 0}, {"ada": 1, "bo": 1}]
    assert (found.repeated, found.contradicted, found.undecided) == (1, 0, 0)


def test_who_labelled_besides_columns_of_annotators_makes_no_difference(tmp_path: Path) -> None:
    found = read(tmp_path, table(["1,0,eve"], heading="label_ada,label_bo,reviewer"))
    assert (labels(found), found.repeated, list(found.annotators)) == ([0.5], 0, ["label_ada", "label_bo"])


def test_classes_have_the_label_of_most_annotators(tmp_path: Path) -> None:
    text = "question,context,rater_1,rater_2,rater_3\nq,p,1,1,0\nw,p,1,0,\n"
    found = read(tmp_path, text, quality=Quality.ANSWERABILITY)
    assert (labels(found), found.undecided) == ([1.0], 1)


def test_different_labels_without_annotators_are_counted(tmp_path: Path) -> None:
    rows = [("a", 1), ("a", 0), ("b", 1), ("b", 1), ("b", 0), ("c", 1), ("c", 1)]
    found = nested(tmp_path, *({**BASE, "answer": a, "label": label} for a, label in rows))
    assert labels(found) == [1, 1]
    assert (found.contradicted, found.undecided) == (2, 2)


# --- their agreement --------------------------------------------------------------------------------------


def by(*labels: dict[str, float]) -> list[LabelledCase]:
    return [
        LabelledCase(case=Case(answer=str(n)), label=sum(each.values()) / len(each), group=str(n), by=each)
        for n, each in enumerate(labels)
    ]


def test_each_annotator_is_compared_with_the_mean_of_the_others() -> None:
    own = [(0.1, 0.2, 0.9), (0.4, 0.3, 0.5), (0.6, 0.9, 0.2), (0.8, 0.5, 0.7), (1.0, 0.7, 0.6)] * 3
    found = people_agreement(
        by(*(dict(zip("abc", each, strict=True)) for each in own)), in_classes=False, seed=0, resamples=50
    )
    assert found is not None
    columns = list(zip(*own, strict=True))
    expected = [
        spearman_of(
            paired_rows(judge=columns[n], people=[sum(row[m] for m in range(3) if m != n) / 2 for row in own]).rows
        )
        for n in range(3)
    ]
    assert found.estimate("spearman") == pytest.approx(sum(map(float, expected)) / 3)  # type: ignore[arg-type]
    figure = found.figure("spearman")
    assert figure is not None
    assert figure.low is not None
    assert found.estimate(ALPHA) is not None


def test_agreement_is_of_cases_that_two_labelled_and_of_yes_and_no_by_class_too() -> None:
    cases = by(*({"a": n % 2, "b": n % 2} for n in range(12)), {"a": 1.0}, {"b": 0.0})
    found = people_agreement(cases, in_classes=False, seed=0, resamples=50)
    assert found is not None
    assert found.cases == 12
    assert (found.estimate("mcc"), found.estimate("mean absolute error")) == (pytest.approx(1), 0)
    assert people_agreement(by({"a": 1.0}, {"a": 0.0}), in_classes=False, seed=0, resamples=50) is None
    alone = people_agreement(by({"a": 1.0}, {"b": 0.0}), in_classes=True, seed=0, resamples=50)
    assert alone is not None
    assert (alone.cases, alone.estimate("mcc")) == (0, None)
