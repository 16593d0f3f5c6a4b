"""Labels as files hold them: which columns are read as what, what is left out and counted, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.records.judging import Quality
from viva.optimizers.labelled import LabelledRows, read_labelled, read_pairs, read_range

CORRECT = Quality.CORRECTNESS


def table(tmp_path: Path, text: str, name: str = "labels.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(tmp_path: Path, *rows: object) -> Path:
    return table(tmp_path, "\n".join(map(json.dumps, rows)) + "\n", "labels.jsonl")


def labels(found: LabelledRows) -> dict[str, float]:
    return {each.case.answer: each.label for each in found.cases}


def test_columns_are_found_by_their_usual_names_and_labels_brought_to_the_range(tmp_path: Path) -> None:
    path = table(tmp_path, "query,gold,response,score\nq,six,6,5\nq,six,seven,0\nq,six,five,2.5\n")
    found = read_labelled(path, CORRECT, label_range=(0, 5))
    assert found.columns == {"question": "query", "answer": "response", "reference": "gold", "label": "score"}
    assert labels(found) == {"6": 1.0, "seven": 0.0, "five": 0.5}
    assert {each.case.question for each in found.cases} == {"q"}
    assert len({each.group for each in found.cases}) == 1
    assert found.name == f"{tmp_path.name}/labels"


def test_a_column_that_is_named_goes_before_a_usual_one(tmp_path: Path) -> None:
    path = table(tmp_path, "answer\tmine\treference\tlabel\tscore\nbad\tgood\tgood\t0\t1\n", "labels.tsv")
    found = read_labelled(path, CORRECT, columns={"answer": "mine", "label": "score"})
    assert labels(found) == {"good": 1.0}


def test_passages_may_be_a_text_or_a_list_and_words_may_be_labels(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"question": "a?", "context": ["one", "two"], "answerable": True},
        {"question": "b?", "context": "three", "answerable": "no"},
        {"question": "c?", "context": "four", "answerable": "Found"},
    )
    found = read_labelled(path, Quality.ANSWERABILITY, label_words={"found": 1})
    assert [(each.case.passages, each.label) for each in found.cases] == [
        (("one", "two"), 1.0),
        (("three",), 0.0),
        (("four",), 1.0),
    ]


@pytest.mark.parametrize(
    ("words", "cells"),
    [({"true": 0, "false": 1}, (True, False)), ({"1": 0, "0": 1}, (1, 0)), ({"5": 0, "2.5": 1}, (5, 2.5))],
)
def test_what_labels_mean_is_the_same_in_every_kind_of_file(
    tmp_path: Path, words: dict[str, float], cells: tuple[object, object]
) -> None:
    as_lines = lines(
        tmp_path, *({"question": f"{n}?", "context": "p", "label": each} for n, each in enumerate(cells))
    )
    text = "".join(f"{n}?,p,{json.dumps(each)}\n" for n, each in enumerate(cells))
    for path in (as_lines, table(tmp_path, f"question,context,label\n{text}")):
        found = read_labelled(path, Quality.ANSWERABILITY, label_words=words)
        assert [each.label for each in found.cases] == [0.0, 1.0]


def test_a_word_that_no_label_is_is_refused_where_other_labels_have_no_word(tmp_path: Path) -> None:
    path = lines(tmp_path, *({"reference": "r", "answer": a, "label": n} for a, n in (("a", 1.0), ("b", 0.0))))
    with pytest.raises(UsageError, match=r"names '0', and no row of .*: 0\.0, 1\.0"):
        read_labelled(path, CORRECT, label_words={"1": 0, "0": 1})
    found = read_labelled(path, CORRECT, label_words={"1.0": 0, "0.0": 1, "partial": 0.5})
    assert labels(found) == {"a": 0.0, "b": 1.0}


@pytest.mark.parametrize(("quality", "label"), [(Quality.ANSWERABILITY, 3), (Quality.PREFERENCE, 2)])
def test_a_grade_of_what_is_judged_in_classes_is_refused_by_place(
    tmp_path: Path, quality: Quality, label: float
) -> None:
    path = table(tmp_path, f"question,passages,answer,other,label\nq,p,a,b,5\nq,p,b,a,{label}\n")
    with pytest.raises(UsageError, match=r"line 3 of .* has classes, no grades"):
        read_labelled(path, quality, label_range=(1, 5))


def test_the_label_of_a_repeated_preference_is_that_of_the_majority(tmp_path: Path) -> None:
    rows = [("a", 1), ("a", 1), ("a", 0.5), ("b", 0.5), ("b", 0.5), ("b", 0), ("c", 1), ("c", 0.5)]
    path = lines(tmp_path, *({"question": "q", "answer": a, "other": "o", "label": label} for a, label in rows))
    found = read_labelled(path, Quality.PREFERENCE)
    assert labels(found) == {"a": 1.0, "b": 0.5}
    assert found.undecided == 2


def test_cases_differ_only_by_what_their_judge_reads(tmp_path: Path) -> None:
    rows = [
        {"question": "q", "context": f"p{n}", "answer": f"a{n}", "label": n / 2, "title": f"t{n}"} for n in (0, 1)
    ]
    for given in (rows, rows[::-1]):
        found = read_labelled(lines(tmp_path, *given), Quality.STAND_ALONE)
        assert found.columns == {"question": "question", "label": "label", "group": "title"}
        (only,) = found.cases
        assert (only.case.answer, only.case.passages, only.label, only.group) == ("", (), 0.25, "t0")
        assert found.repeated == 1


def test_a_json_file_is_an_array_of_rows_or_an_object_that_holds_one(tmp_path: Path) -> None:
    rows = [{"reference": "r", "answer": a, "label": 1} for a in "ab"]
    for value in (rows, {"version": 2, "rows": rows}):
        for indent in (None, 1):
            found = read_labelled(table(tmp_path, json.dumps(value, indent=indent), "labels.json"), CORRECT)
            assert labels(found) == {"a": 1.0, "b": 1.0}


def test_rows_without_label_or_text_are_left_out_and_counted(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"reference": "r", "answer": "a", "label": 1},
        {"reference": "r", "answer": "b", "label": None},
        {"reference": "r", "answer": "c", "label": "NA"},
        {"reference": "r", "answer": " ", "label": 1},
        {"reference": "r", "label": 0},
    )
    found = read_labelled(path, CORRECT)
    assert (found.rows, len(found.cases), found.unlabelled, found.lacking) == (5, 1, 2, 2)


def test_a_case_that_repeats_is_one_with_the_mean_or_the_majority_of_its_labels(tmp_path: Path) -> None:
    rows = [("a", 0.2), ("a", 0.6), ("b", 1), ("b", 1), ("b", 0), ("c", 1), ("c", 0), ("d", 0)]
    path = lines(tmp_path, *({"reference": "r", "answer": a, "label": label} for a, label in rows))
    found = read_labelled(path, CORRECT)
    # among grades, 0 and 1 are grades too
    assert labels(found) == pytest.approx({"a": 0.4, "b": 2 / 3, "c": 0.5, "d": 0.0})
    assert (found.repeated, found.undecided) == (4, 0)
    found = read_labelled(
        lines(tmp_path, *({"reference": "r", "answer": a, "label": n} for a, n in rows[2:])), CORRECT
    )
    assert labels(found) == {"b": 1.0, "d": 0.0}
    assert (found.repeated, found.undecided) == (3, 2)


def test_the_fingerprint_is_of_cases_and_labels_and_not_of_their_order(tmp_path: Path) -> None:
    rows = [{"reference": "r", "answer": a, "label": 1} for a in "abc"]
    one = read_labelled(lines(tmp_path, *rows), CORRECT).fingerprint
    assert read_labelled(lines(tmp_path, *rows[::-1]), CORRECT).fingerprint == one
    rows[0]["label"] = 0
    assert read_labelled(lines(tmp_path, *rows), CORRECT).fingerprint != one


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("labels.csv", "", "is empty"),
        ("labels.csv", "answer,reference,label\n", "holds no rows"),
        ("labels.csv", "answer,reference,label\na,b\n", "Line 2 of .* has 2 cells"),
        ("labels.csv", "answer,answer,label\na,b,1\n", "Two of its columns have the same name, “answer”"),
        ("labels.csv", 'answer,reference,label\n"a,b,1\n', "is no table"),
        ("labels.csv", "answer,label\na,1\n", "known to hold reference"),
        ("labels.csv", "answer,reference,label\na,b,meh\n", 'line 2 of .* is "meh".*meh=NUMBER'),
        ("labels.csv", "answer,reference,label\na,b,3\n", "line 2 of .* 3 lies outside 0 to 1"),
        ("labels.csv", "answer,reference,label\na,b,\n", "Of 1 row in .* none has a label and reference and answer"),
        ("labels.jsonl", '{"answer": "a"\n', "Line 1 is no JSON"),
        ("labels.jsonl", "[1]\n", "Record 1 of .* is no JSON object"),
        ("labels.json", '{"a": [{"x": 1}], "b": [{"x": 1}]}', "2 arrays of records: a, b"),
        ("labels.jsonl", '{"answer": {}, "reference": "r", "label": 1}\n', "answer is no text"),
        ("labels.xlsx", "answer,reference,label\n", "no table of labels"),
    ],
)
def test_a_bad_file_is_refused_by_place(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_labelled(table(tmp_path, text, name), CORRECT)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_labelled(tmp_path / "none.csv", CORRECT)
    (tmp_path / "bytes.csv").write_bytes(b"answer\xff\xfe")
    with pytest.raises(UsageError, match="not text in UTF-8"):
        read_labelled(tmp_path / "bytes.csv", CORRECT)


def test_a_column_or_field_that_is_not_there_is_refused_with_those_there_are(tmp_path: Path) -> None:
    path = table(tmp_path, "answer,reference,label\na,b,1\n")
    with pytest.raises(UsageError, match=r"no such column.*answer, reference, label"):
        read_labelled(path, CORRECT, columns={"answer": "reply"})
    with pytest.raises(UsageError, match=r"a field 'score'.*question, answer"):
        read_labelled(path, CORRECT, columns={"score": "label"})


def test_ranges_and_pairs_are_read_as_they_are_written_on_the_command_line() -> None:
    assert read_range("0-5") == (0, 5)
    assert read_range("-1..1") == (-1, 1)
    assert read_pairs("a=b c, d=1", "--labels") == {"a": "b c", "d": "1"}
    assert read_pairs("yes,, surely=1", "--labels") == {"yes, surely": "1"}
    for bad in ("5", "a-b", "-"):
        with pytest.raises(UsageError, match="--label-range"):
            read_range(bad)
    for bad in ("a", "a=", "a=1,a=2"):
        with pytest.raises(UsageError, match="--labels"):
            read_pairs(bad, "--labels")


def test_labels_that_are_evenly_split_over_one_case_are_said_to_be(tmp_path: Path) -> None:
    rows = "".join(f"a,b,{n % 2}\n" for n in range(40))
    with pytest.raises(UsageError, match=r"Of 40 rows in .* 40 are of cases on which people disagree evenly"):
        read_labelled(table(tmp_path, f"answer,reference,label\n{rows}"), Quality.CORRECTNESS)
