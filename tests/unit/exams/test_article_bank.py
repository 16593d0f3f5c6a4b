"""Question banks: every format gives the same questions, every bad file a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exams_by_hand import sound_exam

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode
from viva.exams.articles.bank import bank_and_notes, read_bank
from viva.exams.articles.naming import named_queries
from viva.exams.file import write_exam

DATA = Path(__file__).parents[2] / "data" / "articles"
EXAMPLES = Path(__file__).parents[3] / "examples" / "articles"


def write(folder: Path, name: str, *rows: object) -> Path:
    file = folder / name
    file.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in rows), encoding="utf-8")
    return file


def test_a_table_of_open_questions_is_gathered_by_query() -> None:
    bank = read_bank(DATA / "bank.csv")
    assert [(query.id, query.title, len(query.questions)) for query in bank.queries] == [
        ("lock", "The lock gate", 4),
        ("pier", "The pier", 2),
    ]
    assert bank.queries[0].questions[1].key == "red"
    assert bank.size == 6


def test_distractors_of_a_table_become_options_in_an_order_that_says_nothing() -> None:
    bank = read_bank(EXAMPLES / "bank.csv")
    asked = [question for query in bank.queries for question in query.questions]
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


def test_tqa_gives_the_questions_that_have_an_answer() -> None:
    (lesson,) = read_bank(DATA / "tqa.json").queries
    (question,) = lesson.questions
    assert (lesson.id, lesson.title, question.options, question.key) == (
        "L_0001",
        "Locks",
        ("water", "trains"),
        "water",
    )


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


def test_the_questions_of_an_exam_without_topics_are_put_to_each_query_that_articles_name(tmp_path: Path) -> None:
    exam = sound_exam(3)
    items = [e.model_copy(update={"item": e.item.model_copy(update={"topic": ""})}) for e in exam.items]
    write_exam(exam.of(items), tmp_path / "exam.jsonl")
    bank, (note,) = bank_and_notes(tmp_path / "exam.jsonl", lambda: ["lock", "pier"])
    assert [(query.id, [q.id for q in query.questions]) for query in bank.queries] == [
        (query, [each.item.id for each in items]) for query in ("lock", "pier")
    ]
    assert note == Note(code=NoteCode.ALL_ASKED, names=("exam.jsonl",), count=3, of=2)


def test_where_some_questions_have_topics_those_without_are_left_out_and_told(tmp_path: Path) -> None:
    exam = sound_exam(3)
    topics = ("tugs", "", "tugs")
    items = [
        e.model_copy(update={"item": e.item.model_copy(update={"topic": topic})})
        for e, topic in zip(exam.items, topics, strict=True)
    ]
    write_exam(exam.of(items), tmp_path / "exam.jsonl")
    bank, (note,) = bank_and_notes(tmp_path / "exam.jsonl", lambda: ["lock"])
    assert [(query.id, len(query.questions)) for query in bank.queries] == [("tugs", 2)]
    assert note == Note(code=NoteCode.WITHOUT_TOPIC, names=("exam.jsonl",), count=1)


def test_queries_are_named_by_folders_rows_runs_and_gradings(tmp_path: Path) -> None:
    (tmp_path / "systems" / "ada").mkdir(parents=True)
    for name in ("The lock.md", "notes.pdf", ".hidden.md"):
        (tmp_path / "systems" / "ada" / name).write_text("x", encoding="utf-8")
    rows = write(tmp_path, "a.jsonl", {"system": "bell", "query_id": "quay", "text": "x"})
    gradings = write(tmp_path, "g.jsonl", {"graded_by": {}}, {"query_id": "tide", "paragraph_id": "p"}, "torn {")
    run = write(tmp_path, "r.trec", "pier Q0 p1 1 2.0 tag", "the-lock Q0 p1 1 2.0 tag")
    assert named_queries([tmp_path / "systems", rows], [run], gradings) == ["The lock", "pier", "quay", "tide"]


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
