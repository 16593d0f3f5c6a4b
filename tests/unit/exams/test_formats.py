"""An exam goes to any format and comes back the same; another tool's file goes through viva and does too."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from drawn_exams import FILE_TEXTS, RECORDS, exams
from hypothesis import HealthCheck, example, given, settings

from viva.core import tables
from viva.core.errors import UsageError
from viva.core.records import Distractor, Exam, ExamItem, Item, ItemKind, Provenance, QuestionType, Span
from viva.exams.formats import FORMATS, export_exam, import_exam, lost

DATA = Path(__file__).parents[2] / "data" / "exams"
DRAWN = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
FILES = [
    ("viva", "exam.jsonl"),
    ("ragas", "exam.jsonl"),
    ("ragas", "exam.csv"),
    ("ragas", "exam.tsv"),
    ("deepeval", "exam.json"),
    ("deepeval", "exam.jsonl"),
    ("deepeval", "exam.csv"),
    ("csv", "exam.csv"),
    ("csv", "exam.tsv"),
    ("squad", "exam.json"),
    ("langsmith", "exam.jsonl"),
    ("langfuse", "exam.json"),
    ("giskard", "exam.jsonl"),
    ("promptfoo", "exam.yaml"),
]


def exam_item(stem: str = "How much?", key: str = "=12 litres", *wrong: str, quote: str = "It holds 12.") -> ExamItem:
    evidence = (Span(document_id="0123456789abcdef", start=3, end=3 + len(quote), quote=quote),)
    item = Item(
        id=Item.id_of(stem, key, wrong, evidence),
        stem=stem,
        key=key,
        distractors=tuple(Distractor(text=text, reason="a reserve tank's") for text in wrong),
        reference_answer=f"It is {key}.",
        evidence=evidence,
        question_type=QuestionType.QUANTITY,
        bloom=(),
        topic="tanks",
        provenance=Provenance(cast="offline", chunk_id="c", unit_id="u"),
    )
    return ExamItem(item=item, options=(*wrong, key), key_position=len(wrong))


ONE = Exam.of([exam_item("How much?", "=12 litres", "11 litres", "13 litres")])


@pytest.mark.parametrize(("kind", "name"), FILES)
@given(exam=exams())
@example(exam=Exam.of([exam_item("{}", "k", "w")]))
@DRAWN
def test_an_exam_comes_back_equal(exam: Exam, kind: str, name: str, tmp_path: Path) -> None:
    export_exam(exam, tmp_path / name, kind)
    back = import_exam(tmp_path / name)
    assert (back.format, back.problems) == (kind, ())
    assert back.exam == exam


@pytest.mark.parametrize("bad", ["12", "", " ", "a\0b"])
@pytest.mark.parametrize(("kind", "name"), [f for f in FILES if f[0] in {"csv", "deepeval", "ragas"}])
def test_what_a_file_carries_is_held_to_what_a_question_needs(kind: str, name: str, bad: str, tmp_path: Path) -> None:
    export_exam(Exam.of([exam_item("How much?", "12", bad, "13"), *ONE.items]), tmp_path / name, kind)
    back = import_exam(tmp_path / name)
    assert back.exam == ONE
    assert back.problems


@pytest.mark.parametrize(("kind", "name"), FILES)
def test_options_that_differ_in_white_space_alone_come_back(kind: str, name: str, tmp_path: Path) -> None:
    exam = Exam.of([exam_item("How much?", "12", "12\r", "13 ")])
    export_exam(exam, tmp_path / name, kind)
    assert import_exam(tmp_path / name).exam == exam


@pytest.mark.parametrize(
    "name", sorted(path.name for path in DATA.iterdir() if not path.name.startswith(("deepeval", "lm-")))
)
def test_another_tool_s_file_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    read = import_exam(DATA / name)
    assert read.problems == ()
    export_exam(read.exam, tmp_path / name, read.format)
    assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv"])
def test_goldens_come_back_as_they_were_but_for_those_without_an_answer(suffix: str, tmp_path: Path) -> None:
    read = import_exam(DATA / f"deepeval-goldens.{suffix}")
    assert [problem.reason for problem in read.problems] == ["there is no right answer"]
    export_exam(read.exam, tmp_path / f"back.{suffix}", "deepeval")
    assert goldens(tmp_path / f"back.{suffix}") == goldens(DATA / f"deepeval-goldens.{suffix}")[:2]


def goldens(path: Path) -> list[object]:
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            return list(csv.DictReader(file))
        return list(json.load(file)) if path.suffix == ".json" else [json.loads(line) for line in file]


def test_what_a_testset_says_is_in_the_item() -> None:
    first, second = import_exam(DATA / "ragas-testset.jsonl").exam.items
    assert first.item.stem == "How many passengers may the ferry Alma carry?"
    assert first.item.reference_answer == first.item.key == "The ferry Alma may carry 120 passengers."
    assert first.item.contexts == ('The ferry Alma is licensed for 120 passengers.\nShe\'s the "smaller" one.',)
    assert first.item.is_open
    assert (first.item.evidence, first.item.language) == ((), "en")
    assert first.item.provenance.cast == "imported: ragas"
    assert second.item.kind is ItemKind.MULTI_HOP


def test_jsonl_and_csv_of_a_testset_hold_the_same_exam() -> None:
    assert import_exam(DATA / "ragas-testset.csv").exam.id == import_exam(DATA / "ragas-testset.jsonl").exam.id


def test_evidence_survives_a_tool_that_drops_what_it_does_not_know(tmp_path: Path) -> None:
    export_exam(ONE, path := tmp_path / "exam.jsonl", "ragas")
    row = json.loads(path.read_text(encoding="utf-8"))
    del row["viva"]
    path.write_text(json.dumps(row), encoding="utf-8")
    assert import_exam(path).exam.items[0].item.evidence == ONE.items[0].item.evidence


def test_contexts_that_deepeval_joined_are_no_edit(tmp_path: Path) -> None:
    exam = Exam.of([exam_item("How much?", "5|6", "7", quote="It is 5|6.")])
    export_exam(exam, path := tmp_path / "exam.jsonl", "deepeval")
    row = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**row, "context": "|".join(row["context"])}), encoding="utf-8")
    assert (import_exam(path).exam, import_exam(path).problems) == (exam, ())


def test_what_was_edited_in_the_other_tool_wins_and_is_said(tmp_path: Path) -> None:
    export_exam(ONE, path := tmp_path / "exam.csv", "csv")
    path.write_text(path.read_text(encoding="utf-8").replace("How much?", "How many litres?", 1), encoding="utf-8")
    read = import_exam(path)
    (shown,) = read.exam.items
    assert [str(problem) for problem in read.problems] == [
        "line 2: edited since viva wrote it: taken as the file shows it"
    ]
    assert shown.item.stem == "How many litres?"
    assert shown.options == ONE.items[0].options
    assert shown.item.evidence == ONE.items[0].item.evidence
    assert shown.item.distractors == ONE.items[0].item.distractors
    assert shown.item.id == Item.id_of(
        "How many litres?", "=12 litres", ["11 litres", "13 litres"], shown.item.evidence
    )


def test_an_edited_item_goes_back_in_the_format_it_came_in(tmp_path: Path) -> None:
    read = import_exam(DATA / "ragas-testset.jsonl")
    edited = read.exam.items[0].model_copy(
        update={"item": read.exam.items[0].item.model_copy(update={"stem": "How many may the Alma carry?"})}
    )
    export_exam(Exam.of([edited, *read.exam.items[1:]]), path := tmp_path / "exam.jsonl", "ragas")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["user_input"] for row in rows] == [
        "How many may the Alma carry?",
        "Which ferry was built first, Alma or Bruno?",
    ]


@pytest.mark.parametrize("text", ["=1+1", "+49 30", "@cmd", "-x", "\tx", "\rx", "'=1+1", "''=x"])
def test_no_cell_is_a_formula_and_each_comes_back(text: str, tmp_path: Path) -> None:
    exam = Exam.of([exam_item(text, f"{text}2", f"{text}3")])
    export_exam(exam, path := tmp_path / "exam.csv", "csv")
    with path.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["stem"] == f"'{text}"
    assert import_exam(path).exam == exam


@pytest.mark.parametrize("number", ["-5", "+3.5", "-1,5"])
def test_a_number_in_a_cell_stays_a_number(number: str, tmp_path: Path) -> None:
    export_exam(Exam.of([exam_item("How much?", number, "7")]), path := tmp_path / "exam.csv", "csv")
    with path.open(encoding="utf-8", newline="") as file:
        assert next(csv.DictReader(file))["key"] == number


def test_keys_stand_at_all_places_where_a_table_gives_none(tmp_path: Path) -> None:
    rows = "".join(f"What is {n}?,{n},{n}1,{n}2,{n}3\n" for n in range(1, 81))
    path = tmp_path / "exam.csv"
    path.write_text(f"stem,key,distractor_1,distractor_2,distractor_3\n{rows}", encoding="utf-8")
    places = [shown.key_position for shown in import_exam(path).exam.items]
    assert all(places.count(place) > 8 for place in range(4))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.csv", "stem,key,distractor_1\n,x,y\n", "there is no question"),
        ("a.csv", "stem,key,distractor_1\nWhy?,,y\n", "there is no right answer"),
        ("a.csv", "stem,key,distractor_1\nWhy?,y,y\n", "two of its options are the same"),
        ("a.csv", "stem,key,distractor_1,position\nWhy?,x,y,3\n", "there is no option 2"),
        ("a.csv", "stem,key,distractor_1,position\nWhy?,x,y,0\n", "its position is no number from 1"),
        ("a.csv", "stem,key,type\nWhy?,x,riddle\n", "its type is 'riddle'; it can be"),
        ("a.csv", "stem,key\nWhy?,x,y\n", "3 cells, but the header names 2 columns"),
        ("a.jsonl", '{"user_input": ["a"], "reference": "b"}', "its user_input is no text"),
        ("a.jsonl", '{"user_input": 7, "reference": "b"}', "its user_input is no text"),
        ("a.jsonl", '{"user_input": "Why?", "reference": "b", "reference_contexts": "c"}', "is no list of texts"),
        ("a.jsonl", '{"user_input": "W\\u0000hy?", "reference": "b"}', "characters that are no text"),
        ("a.jsonl", '{"user_input": "W\\ud800hy?", "reference": "b"}', "characters that are no text"),
        ("a.json", '[{"input": "x", "expected_output": "y", "scenario": "z"}]', "to be simulated, without turns"),
    ],
)
def test_a_question_that_cannot_be_graded_is_named_with_the_reason(
    name: str, text: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="holds no question that can be graded") as refused:
        import_exam(tmp_path / name)
    assert reason in str(refused.value)


def test_a_repeated_question_is_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "exam.csv"
    path.write_text("stem,key,distractor_1\nWhy?,x,y\nWhen?,a,b\nWhy?,x,y\n", encoding="utf-8")
    read = import_exam(path)
    assert len(read.exam.items) == 2
    assert [str(problem) for problem in read.problems] == [
        "line 4: repeats an earlier question, that of line 2: left out"
    ]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.jsonl", b'{"user_input": "a"', "is of no format that is known"),
        ("a.jsonl", b'{"user_input": ' + b"[" * 100_000, "is of no format that is known"),
        ("a.json", b'[{"input": "a", "expected_output": NaN}]', "JSON with a number that cannot be read"),
        ("a.csv", b'stem,key\n"Why?,x\n', "line 2: is no valid row of CSV"),
        ("a.csv", b"stem,key,key\nWhy?,x,y\n", "Two of its columns have the same name"),
        ("a.txt", b"Just a letter.", "is of no format that is known"),
        ("a.txt", b"\n", "is empty"),
        ("a.csv", b"stem,key\n", "holds no question that can be graded"),
        ("a.csv", b"stem,key\n\xff\xfeWhy?,x\n", "is not text in UTF-8"),
        ("a.zip", b"PK\x05\x06" + bytes(18), "is of no format that is known"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(name: str, data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError, match=said) as refused:
        import_exam(tmp_path / name)
    assert refused.value.next_step


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is of no format that is known"):
        import_exam(tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        import_exam(tmp_path / "none.csv")
    (tmp_path / "exam.jsonl").touch()
    with pytest.raises(UsageError, match="is a run folder, and no file of questions"):
        import_exam(tmp_path)


@pytest.mark.parametrize("kind", FORMATS)
@given(text=FILE_TEXTS)
@DRAWN
def test_any_text_is_an_exam_or_is_refused_in_words(kind: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{FORMATS[kind].suffix}"
    path.write_text(text, encoding="utf-8", errors="ignore")
    try:
        assert import_exam(path, kind).exam.items
    except UsageError as refused:
        assert refused.next_step  # noqa: PT017 - either is right


@pytest.mark.parametrize("kind", ["ragas", "deepeval", "lm-eval"])
@given(record=RECORDS)
@DRAWN
def test_any_record_is_a_question_or_is_refused_in_words(kind: str, record: object, tmp_path: Path) -> None:
    (path := tmp_path / "a.jsonl").write_text(json.dumps(record), encoding="utf-8")
    try:
        exam = import_exam(path, kind).exam
    except UsageError as refused:
        assert refused.next_step  # noqa: PT017 - either is right
        return
    export_exam(exam, path, kind)
    assert import_exam(path, kind).exam.id == exam.id


def test_files_and_lines_have_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / "a.jsonl").write_text(json.dumps({"user_input": "a" * 500, "reference": "b"}))
    monkeypatch.setattr(tables, "MAX_LINE", 100)
    with pytest.raises(UsageError, match="line 1: is longer than 100 characters"):
        import_exam(path, "ragas")
    monkeypatch.setattr(tables, "MAX_BYTES", 100)
    with pytest.raises(UsageError, match="is larger than"):
        import_exam(path)


def test_utf_16_with_its_mark_is_read(tmp_path: Path) -> None:
    (path := tmp_path / "a.csv").write_bytes("stem,key\nWarum süß?,weil\n".encode("utf-16"))
    assert import_exam(path).exam.items[0].item.stem == "Warum süß?"


def test_a_format_that_does_not_exist_is_named_with_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        export_exam(ONE, tmp_path / "a", "word")
    assert all(f"{name}: " in refused.value.allowed for name in FORMATS)


@pytest.mark.parametrize("kind", ["aiken", "gift"])
def test_a_format_that_is_gone_is_refused_with_one_to_use_instead(kind: str, tmp_path: Path) -> None:
    (path := tmp_path / f"quiz.{kind}").write_text("Which?{=a ~b}", encoding="utf-8")
    with pytest.raises(UsageError, match="no longer read or written; use csv"):
        import_exam(path, kind)
    with pytest.raises(UsageError, match="no longer read or written; use csv"):
        export_exam(ONE, tmp_path / "new", kind)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_gift_is_refused_by_its_name(tmp_path: Path) -> None:
    (path := tmp_path / "quiz.gift").write_text("Which?{=a ~b}", encoding="utf-8")
    with pytest.raises(UsageError, match="no longer read or written; use csv"):
        import_exam(path)


def test_a_format_that_can_hold_none_of_the_questions_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can hold none of the exam's questions"):
        export_exam(Exam.of([exam_item("Why?", "Because.")]), tmp_path / "a.yaml", "lm-eval")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_lost_is_said_where_something_is(kind: str) -> None:
    said = lost(Exam.of([*ONE.items, exam_item("Why?", "Because.")]), kind)
    assert said == (["1 question (open, or after a conversation): left out"] if kind == "lm-eval" else [])


def test_exporting_writes_over_what_was_there_and_leaves_no_part(tmp_path: Path) -> None:
    (path := tmp_path / "exam.csv").write_text("old", encoding="utf-8")
    assert export_exam(ONE, path, "csv") == [path]
    assert list(tmp_path.iterdir()) == [path]
    assert import_exam(path).exam == ONE
