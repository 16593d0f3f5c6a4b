"""Answers in others' tables: columns are known by name, bad files get a sentence, scores come to a summary."""

from __future__ import annotations

import asyncio
import csv
import json
from datetime import date
from pathlib import Path

import pytest
from judges_by_hand import Says, overlap

from viva.core.errors import UsageError
from viva.core.records.judging import Case, Judgement, Quality, Unjudged
from viva.graphs.grading.grade_file import (
    CaseTable,
    cases_of,
    grade,
    grading_judge,
    read_cases,
    result_rows,
    summarise,
)

QUESTION, ANSWER, REFERENCE = "How long is it?", "It is 21 m.", "21 metres"
PASSAGES = ("It is 21 m long.", "It is old.")
FULL = Case(question=QUESTION, answer=ANSWER, reference=REFERENCE, passages=PASSAGES)
TOOLS: dict[str, list[dict[str, object]]] = {
    "ragas": [
        {"user_input": QUESTION, "response": ANSWER, "reference": REFERENCE, "retrieved_contexts": [*PASSAGES]},
        {"question": QUESTION, "answer": ANSWER, "ground_truth": REFERENCE, "contexts": [*PASSAGES]},
        {"question": QUESTION, "answer": ANSWER, "ground_truths": [REFERENCE], "contexts": [*PASSAGES]},
    ],
    "deepeval": [
        {
            "input": QUESTION,
            "actual_output": ANSWER,
            "expected_output": REFERENCE,
            "retrieval_context": [*PASSAGES],
            "context": ["what should have been found"],
            "name": None,
        },
        {
            "input": QUESTION,
            "actualOutput": ANSWER,
            "expectedOutput": REFERENCE,
            "retrievalContext": [*PASSAGES],
            "metricsData": [{"name": "Faithfulness", "score": 0.1}],
        },
    ],
    "trulens": [
        {
            "app_id": "a",
            "record_id": "r1",
            "input": QUESTION,
            "output": ANSWER,
            "ground_truth": REFERENCE,
            "contexts": [*PASSAGES],
            "Answer Relevance": 0.2,
            "record_json": "{}",
        },
        {"prompt": QUESTION, "response": ANSWER, "expected_response": REFERENCE, "context": [*PASSAGES]},
    ],
    "langsmith": [
        {
            "id": "1",
            "inputs": {"question": QUESTION},
            "outputs": {"answer": ANSWER, "contexts": [*PASSAGES]},
            "reference_outputs": {"answer": REFERENCE},
            "feedback": {"correctness": 0.5},
        },
        {
            "inputs.question": QUESTION,
            "outputs.answer": ANSWER,
            "outputs.documents": [{"page_content": text, "metadata": {"n": 1}} for text in PASSAGES],
            "reference.answer": REFERENCE,
            "error": None,
        },
        {
            "run": {"inputs": {"q": QUESTION}, "outputs": {"output": ANSWER, "context": [*PASSAGES]}},
            "example": {"inputs": {"q": QUESTION}, "outputs": {"a": REFERENCE}},
        },
    ],
    "langfuse": [
        {
            "id": "1",
            "input": {"question": QUESTION},
            "output": ANSWER,
            "expectedOutput": {"answer": REFERENCE},
            "metadata": {"contexts": [*PASSAGES], "source": "a"},
        },
        {
            "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}],
            "output": {"role": "assistant", "content": ANSWER},
            "expectedOutput": REFERENCE,
            "metadata": {"contexts": [*PASSAGES]},
        },
    ],
}


def written(folder: Path, rows: list[dict[str, object]], suffix: str) -> Path:
    path = folder / f"answers{suffix}"
    if suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            for row in rows:
                cells = {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()}
                writer.writerow(cells)
    elif suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pytest.importorskip("pyarrow").Table.from_pylist(rows), path)
    else:
        path.write_text(json.dumps(rows) if suffix == ".json" else "\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def whole(table: CaseTable) -> list[Case]:
    return [row.case for row in table.rows if isinstance(row.case, Case)]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json", ".parquet"])
@pytest.mark.parametrize(("tool", "number"), [(name, n) for name, rows in TOOLS.items() for n in range(len(rows))])
def test_columns_of_other_tools_are_known_by_name_in_every_kind_of_file(
    tmp_path: Path, tool: str, number: int, suffix: str
) -> None:
    path = written(tmp_path, [TOOLS[tool][number]] * 2, suffix)
    for quality in (Quality.CORRECTNESS, Quality.FAITHFULNESS):
        table = read_cases(path, quality)
        kept = {"passages": ()} if quality is Quality.CORRECTNESS else {"reference": ""}
        assert whole(table) == [FULL.model_copy(update=kept)] * 2, table.columns


def test_rows_in_memory_are_read_like_those_of_a_file() -> None:
    table = cases_of(TOOLS["langfuse"][:1], Quality.FAITHFULNESS)
    assert whole(table) == [FULL.model_copy(update={"reference": ""})]
    assert table.rows[0].place == "row 1"
    dated: dict[str, object] = {"answer": date(2026, 1, 2), "passages": ("one", "two")}
    assert whole(cases_of([dated], Quality.FAITHFULNESS)) == [Case(answer="2026-01-02", passages=("one", "two"))]
    with pytest.raises(UsageError, match="Row 1 of the table: output is no text, but an object"):
        cases_of([TOOLS["langfuse"][1], TOOLS["langfuse"][0]], Quality.RELEVANCE)


def test_lists_in_cells_may_be_as_python_or_deepeval_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("input;actual_output;retrieval_context\nq;a;one|two\nq;b;\"['one', 'two']\"\n")
    assert {case.passages for case in whole(read_cases(path, Quality.FAITHFULNESS))} == {("one", "two")}


def test_several_wordings_of_a_reference_are_one_text_and_a_list_of_numbers_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('answer,reference\na,"[""six"", ""6""]"\na,"[1, 2]"\n')
    assert [case.reference for case in whole(read_cases(path, Quality.CORRECTNESS))] == ["six / 6", "[1, 2]"]


def test_a_text_that_looks_like_json_stays_a_text_where_others_are_plain(tmp_path: Path) -> None:
    answers = ['{"answer": "B"}', "B"]
    path = written(tmp_path, [{"output": answer, "reference": "B"} for answer in answers], ".csv")
    assert [case.answer for case in whole(read_cases(path, Quality.CORRECTNESS))] == answers


BAD = [
    ("a.csv", "question,answer\nq,a\n", "known to hold reference.* question, answer.*reference: .*ground_truth"),
    ("a.csv", "question,answer,reference\nq,a,r\n", "known to hold passages"),
    ("a.csv", "", "is empty"),
    ("a.csv", "answer,reference,passages\n", "holds no rows"),
    ("a.csv", "answer,passages\na\n", "Line 2 .*1 cell"),
    ("a.csv", 'answer,passages\n"a,p\n', "Line 2 is no valid row"),
    ("a.csv", "answer,answer,passages\na,a,p\n", "same name"),
    ("a.csv", "answer,reference,passages\na,,\n", "No row .* the row has no (reference|passages)"),
    ("a.xlsx", "answer,reference,passages\n", "no table that can be read"),
    ("a.jsonl", '{"answer": "a", "reference": "r", "passages": "p"}\n{"answer"\n', "Line 2 is no JSON"),
    ("a.jsonl", "[1]\n", "Record 1 .* no JSON object"),
    ("a.json", '[{"answer": "a"},\n{"answer"', "is no JSON .*line 2"),
    ("a.jsonl", '{"answer": ["a", "b"], "reference": "r", "passages": "p"}', "Line 1 .*list of 2.*a row for each"),
    ("a.jsonl", '{"answer": {"a": 1, "b": 2}, "reference": "r", "passages": "p"}', "answer.*answer.a, answer.b"),
    ("a.jsonl", '{"answer": "a", "reference": "r", "passages": [1]}', "passages holds what is no text"),
    (
        "a.jsonl",
        '{"answer": "a", "reference": "r", "passages": "p"}\n{"answer": {"x": 1}, "reference": "r", "passages": "p"}',
        "Line 2 .*answer is no text, but an object with answer.x",
    ),
    (
        "a.jsonl",
        json.dumps({"question": [{"role": "user", "content": "a"}] * 2, "answer": "a", "passages": "p"}),
        "conversation of 2 turns",
    ),
    ("a.csv", f"answer,reference,passages\n{'a ' * 60_000},r,p\n", "answer has 119,999 characters"),
]


@pytest.mark.parametrize(("name", "text", "told"), BAD)
def test_a_file_that_cannot_be_graded_gets_a_sentence(tmp_path: Path, name: str, text: str, told: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    quality = Quality.CORRECTNESS if "reference" in told else Quality.FAITHFULNESS
    with pytest.raises(UsageError, match=told):
        read_cases(path, quality)


def test_a_column_that_is_named_goes_before_a_usual_one_and_what_is_not_found_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("answer,mine,reference\nbad,good,r\n")
    table = read_cases(path, Quality.CORRECTNESS, {"answer": "mine"})
    assert whole(table) == [Case(answer="good", reference="r")]
    assert table.not_found == ("question",)
    with pytest.raises(UsageError, match="no such column"):
        read_cases(path, Quality.CORRECTNESS, {"answer": "theirs"})


def test_what_cannot_be_judged_is_counted_by_reason_and_is_in_no_mean(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("question,answer,reference\nq1,a b,a b\nq2,a,a b c d\nq3,x,\nq4,,r\nq5,odd,r\n")
    table = read_cases(path, Quality.CORRECTNESS)
    odd = Unjudged(code="model_unreadable", reason="The reply is no score.")
    judge = Says(Quality.CORRECTNESS, lambda case: odd if case.answer == "odd" else overlap(case))
    said = asyncio.run(grade(table, judge))
    found = summarise(table, judge.card, said)
    assert (found.rows, found.judged, found.empty) == (5, 3, 1)
    assert found.unjudged == {"model_unreadable": 1, "no_reference": 1}
    assert found.reasons["no_reference"] == "The row has no reference."
    scores = [one.score for one in said if isinstance(one, Judgement)]
    assert found.mean is not None
    assert found.mean.value == pytest.approx(sum(scores) / 3)
    assert found.mean.low < found.mean.value < found.mean.high
    assert found.right is not None
    assert found.right.value == pytest.approx(sum(score >= 0.5 for score in scores) / 3)
    rows = result_rows(table, said)
    assert [row["judge_unjudged"] for row in rows] == [None, None, "no_reference", None, "model_unreadable"]
    assert rows[0] == {
        "question": "q1",
        "answer": "a b",
        "reference": "a b",
        "judge_score": scores[0],
        "judge_right": 1,
        "judge_reason": "by-hand",
        "judge_unjudged": None,
    }


@pytest.mark.parametrize(
    ("name", "quality", "model", "found"),
    [
        (None, None, False, "correctness-offline"),
        (None, None, True, "correctness"),
        (None, "faithfulness", False, "faithfulness-offline"),
        (None, "stand-alone", True, "stand_alone"),
        ("offline", "relevance", False, "relevance-offline"),
        ("offline", None, True, "correctness-offline"),
    ],
)
def test_the_quality_follows_from_the_judge_or_the_judge_from_the_quality(
    name: str | None, quality: str | None, model: bool, found: str
) -> None:
    assert grading_judge(name, quality, model=model).name == found


@pytest.mark.parametrize(
    ("name", "quality", "told"),
    [
        (None, "relevance", "asks a language model, and none is named"),
        (None, "answerability", "asks a language model, and none is named"),
        (None, "wit", "is not a quality"),
        ("corectness", None, "no judge called"),
        ("correctness-offline", "faithfulness", "judges correctness, not faithfulness"),
    ],
)
def test_a_judge_that_is_not_there_or_does_not_fit_is_refused(name: str | None, quality: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        grading_judge(name, quality, model=False)
