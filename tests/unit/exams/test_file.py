"""exam.jsonl: what is written is read back; what is not as it was written is said."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from drawn_exams import exams
from hypothesis import HealthCheck, given, settings

from viva.core.errors import UsageError
from viva.core.records import Distractor, Exam, ExamItem, Item, Provenance, QuestionType, WorkedExample
from viva.exams.file import compact, exam_lines, read_exam, read_exam_file, write_exam, write_file
from viva.exams.formats import import_exam
from viva.exams.published import Publication, published_text

Lines = list[dict[str, object]]


def exam_item(stem: str) -> ExamItem:
    item = Item(
        id=Item.id_of(stem, "two", ["one"], ()),
        stem=stem,
        key="two",
        distractors=(Distractor(text="one"),),
        reference_answer="two",
        evidence=(),
        question_type=QuestionType.QUANTITY,
        bloom=(),
        provenance=Provenance(cast="offline"),
    )
    return ExamItem(item=item, options=("one", "two"), key_position=1)


EXAM = Exam.of(
    [exam_item("How many masts?"), exam_item("How many anchors?")],
    [WorkedExample(stem="Which?", options=("a", "b"), key_position=0, context="A.")],
)


@given(exam=exams())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_is_written_is_read_back(exam: Exam, tmp_path: Path) -> None:
    write_exam(exam, tmp_path / "exam.jsonl")
    assert read_exam(tmp_path / "exam.jsonl") == exam


def test_the_first_line_says_what_the_file_is() -> None:
    header, *rest = [json.loads(line) for line in exam_lines(EXAM)]
    assert header == {"schema": "viva-exam", "version": 1, "exam": EXAM.id, "items": 2, "examples": 1}
    assert [line["kind"] for line in rest] == ["item", "item", "example"]


def test_the_id_is_of_items_options_and_examples() -> None:
    first, second = EXAM.items
    turned = first.model_copy(update={"options": ("two", "one"), "key_position": 0})
    others = (
        Exam.of([second, first], EXAM.examples),
        Exam.of([turned, second], EXAM.examples),
        Exam.of([first, second]),
        Exam.of([first], EXAM.examples),
    )
    assert len({EXAM.id, *(other.id for other in others)}) == 5
    assert Exam.of(EXAM.items, EXAM.examples).id == EXAM.id


def edited(tmp_path: Path, edit: Callable[[Lines], object]) -> Path:
    lines: Lines = [json.loads(line) for line in exam_lines(EXAM)]
    edit(lines)
    path = tmp_path / "exam.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def put(value: object, *where: str | int) -> Callable[[Lines], None]:
    def edit(lines: Lines) -> None:
        of: object = lines
        for part in where[:-1]:
            of = of[part]  # type: ignore[index]
        of[where[-1]] = value  # type: ignore[index]

    return edit


def drop(*where: str | int) -> Callable[[Lines], None]:
    def edit(lines: Lines) -> None:
        of: object = lines
        for part in where[:-1]:
            of = of[part]  # type: ignore[index]
        del of[where[-1]]  # type: ignore[attr-defined]

    return edit


@pytest.mark.parametrize(
    ("edit", "difference"),
    [
        (put("How many sails?", 1, "item", "stem"), "the question on line 2 is not the one its id"),
        (drop(2), "its first line says 2 questions and 1 examples, 1 and 1 follow"),
        (drop(3), "2 and 0 follow"),
        (put("e" * 16, 0, "exam"), "its first line says exam eeeeeeeeeeeeeeee, its content is exam"),
        (lambda lines: lines.insert(1, lines.pop(2)), "its first line says exam"),
    ],
)
def test_an_edited_file_is_an_exam_of_its_own_and_is_not_taken_for_the_old_one(
    edit: Callable[[Lines], object], difference: str, tmp_path: Path
) -> None:
    path = edited(tmp_path, edit)
    with pytest.raises(UsageError, match="was changed since it was written") as refused:
        read_exam(path)
    assert difference in refused.value.problem
    assert "viva exam import" in refused.value.next_step
    file = read_exam_file(path)
    assert file.is_edited
    assert Exam.of(file.exam.items, file.exam.examples) == file.exam
    write_exam(file.exam, path)
    assert read_exam(path) == file.exam


def test_what_no_examinee_sees_may_be_edited(tmp_path: Path) -> None:
    file = read_exam_file(edited(tmp_path, put("rigging", 1, "item", "topic")))
    assert (file.is_edited, file.exam.id, file.exam.items[0].item.topic) == (False, EXAM.id, "rigging")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (put("other", 0, "schema"), "Line 1 is not its header"),
        (put(3, 0, "version"), "is of version 3; this viva reads up to version 2"),
        (put("1", 0, "version"), "Line 1, version"),
        (drop(0, "exam"), "Line 1, exam: field required"),
        (drop(1, "item", "stem"), "Line 2, item.stem: field required"),
        (put(7, 1, "item", "stem"), "Line 2, item.stem"),
        (put("x", 1, "item", "extra"), "Line 2, item.extra"),
        (put("riddle", 1, "item", "question_type"), "Line 2, item.question_type"),
        (put(2, 1, "key_position"), "Line 2, key_position: there is no option 2"),
        (put(-1, 1, "key_position"), "Line 2, key_position: there is no option -1"),
        (put(0, 1, "key_position"), "Line 2, key_position: option 0 is not the item's key"),
        (put(["six", "two"], 1, "options"), "Line 2, options: they are not the item's key and distractors"),
        (put(5, 3, "key_position"), "Line 4, key_position: there is no option 5"),
        (put("note", 1, "kind"), "Line 2 is neither"),
        (put([], 1), "Line 2 is neither"),
        (lambda lines: lines.insert(2, lines[1]), "lines 2 and 3 hold the same question"),
        (lambda lines: lines.__delitem__(slice(1, None)), "holds no question"),
        (lambda lines: lines.clear(), "Line 1 is not its header"),
    ],
)
def test_what_is_no_exam_file_is_refused_with_its_line(
    edit: Callable[[Lines], object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as refused:
        read_exam_file(edited(tmp_path, edit))
    assert said in refused.value.problem
    assert refused.value.next_step


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Line 1 is no JSON"),
        ("[" * 200_000, "Line 1 is JSON nested too deep"),
        ('{"schema": "viva-exam", "version": NaN}', "Line 1 is JSON with a number that cannot be read"),
        ('{"schema": "viva-exam", "version": ' + "9" * 5000 + "}", "Line 1 is JSON with a number"),
        ("Question,Answer\n", "Line 1 is no JSON"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    (path := tmp_path / "exam.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        read_exam(path)


def test_the_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_exam(EXAM, path := tmp_path / "exam.jsonl")
    before = path.read_bytes()
    (tmp_path / "exam.jsonl.part").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        write_exam(Exam.of(EXAM.items[:1]), path)
    assert path.read_bytes() == before


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_exam(EXAM, tmp_path / "none" / "exam.jsonl")


@pytest.mark.parametrize("line", ["[1]", "7", '{"kind":["item"]}', '{"kind":"baseline","answers":3}', "{"])
def test_a_published_file_with_a_line_that_is_no_record_is_a_sentence(line: str, tmp_path: Path) -> None:
    first, *lines = [*published_text(EXAM, Publication(canary="c", held_back=0)).splitlines(), line]
    header = json.loads(first)
    del header["publication"]["sha256"]
    # anyone can give a file its hash
    header["publication"]["sha256"] = hashlib.sha256("\n".join((compact(header), *lines)).encode()).hexdigest()
    (tmp_path / "exam.jsonl").write_text("\n".join((compact(header), *lines)), encoding="utf-8")
    with pytest.raises(UsageError, match=r"exam\.jsonl"):
        import_exam(tmp_path / "exam.jsonl")


def test_no_folder_and_no_database_is_written_over(tmp_path: Path) -> None:
    database = tmp_path / "run.sqlite"
    with closing(sqlite3.connect(database)) as made:
        made.execute("create table answers (id)")
    content = database.read_bytes()
    for written in ("plot", b"scores", ""):
        with pytest.raises(UsageError, match="is a database: it would be lost"):
            write_file(written, database)
    assert database.read_bytes() == content
    write_file(content, database)
    for folder in (tmp_path, Path(), Path("/")):
        with pytest.raises(UsageError, match="is a folder"):
            write_exam(EXAM, folder)
    assert list(tmp_path.iterdir()) == [database]
