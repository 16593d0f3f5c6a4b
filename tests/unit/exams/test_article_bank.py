"""Question banks: every format gives the same questions, every bad file a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exams_by_hand import sound_exam

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode
from viva.core.records.articles import QuestionBank
from viva.exams.articles import bank
from viva.exams.file import write_exam

DATA = Path(__file__).parents[2] / "data" / "articles"
EXAMPLES = Path(__file__).parents[3] / "examples" / "articles"


def read_bank(path: Path) -> QuestionBank:
    return bank.read_bank(path)[0]


def write(folder: Path, name: str, *rows: object) -> Path:
    file = folder / name
    file.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in rows), encoding="utf-8")
    return file


def test_a_table_of_open_questions_is_gathered_by_query() -> None:
    found = read_bank(DATA / "bank.csv")
    assert [(query.id, query.title, len(query.questions)) for query in found.queries] == [
        ("lock", "The lock gate", 4),
        ("pier", "The pier", 2),
    ]
    assert found.queries[0].questions[1].key == "red"
    assert found.size == 6


def test_distractors_of_a_table_become_options_in_an_order_that_says_nothing() -> None:
    asked = [question for query in read_bank(EXAMPLES / "bank.csv").queries for question in query.questions]
    assert all(question.key in question.options for question in asked)
    assert len({question.options.index(question.key) for question in asked}) > 1


def test_jsonl_with_options_and_the_place_of_the_key(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "bank.jsonl",
        {"doc_id": "d", "doc_title": "Locks", "id": "1", "question": "What?", "options": ["a", "b"], "answer": 1},
        {"doc_id": "d", "doc_title": "Locks", "id": "2", "question": "Why?", "reference": "Because."},
    )
    (query,) = read_bank(file).queries
    assert (query.title, query.questions[0].key, query.questions[1].key) == ("Locks", "b", "Because.")


def test_a_query_may_list_questions_without_keys(tmp_path: Path) -> None:
    file = write(tmp_path, "bank.jsonl", {"query_id": "q", "query": "Locks", "questions": [["1", "What?"]]})
    assert read_bank(file).queries[0].questions[0].key == ""


def test_an_exam_of_viva_is_a_bank_by_topic(tmp_path: Path) -> None:
    exam = sound_exam(3)
    items = [e.model_copy(update={"item": e.item.model_copy(update={"topic": "tugs"})}) for e in exam.items]
    write_exam(exam.of(items), tmp_path / "exam.jsonl")
    (query,) = read_bank(tmp_path / "exam.jsonl").queries
    assert query.title == "tugs"
    assert query.questions[0].options == items[0].options
    write_exam(
        exam.of([e.model_copy(update={"item": e.item.model_copy(update={"topic": ""})}) for e in items]),
        tmp_path / "without.jsonl",
    )
    with pytest.raises(UsageError, match="have no topic"):
        read_bank(tmp_path / "without.jsonl")


def test_where_some_questions_have_topics_those_without_are_left_out_and_told(tmp_path: Path) -> None:
    exam = sound_exam(3)
    topics = ("tugs", "", "tugs")
    items = [
        e.model_copy(update={"item": e.item.model_copy(update={"topic": topic})})
        for e, topic in zip(exam.items, topics, strict=True)
    ]
    write_exam(exam.of(items), tmp_path / "exam.jsonl")
    found, (note,) = bank.read_bank(tmp_path / "exam.jsonl")
    assert [(query.id, len(query.questions)) for query in found.queries] == [("tugs", 2)]
    assert note == Note(code=NoteCode.WITHOUT_TOPIC, names=("exam.jsonl",), count=1)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"query_id": "q"}, "no question"),
        ({"query_id": "", "question": "What?"}, "names no query"),
        ({"query_id": "q", "question": "What?", "options": ["a", "b"], "answer": 2}, "no option 2"),
        ({"query_id": "q", "question": "What?", "options": ["a", "b"], "key": "c"}, "none of its options"),
        ({"query_id": "q", "question": "What?", "options": ["a", "a"], "key": "a"}, "the same"),
        ({"query_id": "q", "question": ["What?"]}, "is no text"),
        ({"query_id": "q", "questions": [["1"]]}, "no pair"),
        ({"query_id": "q", "question": "What?", "distractor_1": "a"}, "no key"),
    ],
)
def test_a_row_that_is_no_question_is_named_with_its_line(row: dict[str, object], said: str, tmp_path: Path) -> None:
    file = write(tmp_path, "bank.jsonl", {"query_id": "q", "question": "Fine?", "key": "yes"}, row)
    with pytest.raises(UsageError, match=f"line 2.*{said}"):
        read_bank(file)


def test_what_is_no_bank_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folder"):
        read_bank(tmp_path)
    with pytest.raises(UsageError, match="twice"):
        read_bank(write(tmp_path, "b.jsonl", *[{"query_id": "q", "id": "1", "question": "What?"}] * 2))
    with pytest.raises(UsageError, match="unpacked"):
        read_bank(write(tmp_path, "b.jsonl.gz", "no gzip"))
    with pytest.raises(UsageError, match="no JSON"):
        read_bank(write(tmp_path, "b.json", "{"))
