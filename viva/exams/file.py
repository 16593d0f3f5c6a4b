"""exam.jsonl: an exam as one file (docs/exam-file.md). A header line, a line per item, a line per worked example."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.core.records import Exam, ExamItem, Item, Record, WorkedExample
from viva.core.tables import json_lines, read_text, sound

SCHEMA = "viva-exam"
VERSION, PUBLISHED_VERSION = 1, 2
"""Of an exam, and of a published one (`viva.exams.published`)."""
_DATABASE = b"SQLite format 3\0"
"""The first bytes of a SQLite file."""
R = TypeVar("R", bound=Record)

_HELP = "docs/exam-file.md describes the file; viva exam import reads other formats."


class Header(Record):
    """The first line: what the file is and what it holds."""

    schema_: Literal["viva-exam"] = Field(alias="schema")
    version: Literal[1, 2]
    exam: str = Field(description="Exam.id: the content hash of what follows")
    items: int = Field(ge=0)
    examples: int = Field(ge=0)
    publication: dict[str, Any] | None = Field(default=None, description="of version 2, which is a published exam")


@dataclass(frozen=True)
class ExamFile:
    """What a file holds, and what its first line says of it."""

    exam: Exam
    """with the ids that its content gives it"""
    difference: str
    """in words, how the content differs from what the first line says; '' where it does not"""

    @property
    def is_edited(self) -> bool:
        """Whether the file was changed since it was written: it is an exam of its own then."""
        return bool(self.difference)


def exam_lines(exam: Exam) -> Iterator[str]:
    """The lines of the file, without line ends. The same exam gives the same lines everywhere."""
    counts = {"items": len(exam.items), "examples": len(exam.examples)}
    yield compact({"schema": SCHEMA, "version": VERSION, "exam": exam.id, **counts})
    for shown in exam.items:
        yield compact({"kind": "item", **shown.model_dump(mode="json")})
    for example in exam.examples:
        yield compact({"kind": "example", **example.model_dump(mode="json")})


def write_exam(exam: Exam, path: Path | str) -> None:
    """Writes the file whole or not at all. UsageError where it cannot be written."""
    write_file("".join(f"{line}\n" for line in exam_lines(exam)), path)


def write_file(content: str | bytes, path: Path | str) -> None:
    """A file (a text in UTF-8, line ends as they are) written whole or not at all. UsageError where it cannot be.

    A database, such as that of a run, is written over by nothing but another one.
    """
    check_place(path)
    start = content[: len(_DATABASE)]
    if (start.encode() if isinstance(start, str) else start) != _DATABASE and _is_database(Path(path)):
        raise UsageError(f"{path} is a database: it would be lost.", next_step="Name another file.")
    try:
        write_whole(Path(path), content)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror or error}.", next_step="Name a file in a folder that exists."
        ) from error


def check_place(path: Path | str) -> None:
    """Raise UsageError where no file can be written at this path: it is a folder, or its folder is not there."""
    if Path(path).is_dir():
        raise UsageError(f"{path} is a folder.", next_step="Name a file.")
    if not Path(path).parent.is_dir():
        raise UsageError(
            f"{path} cannot be written: its folder is not there.", next_step="Name a file in a folder that exists."
        )


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def check_free(*paths: Path) -> None:
    """UsageError where one of these files is there: it would be overwritten."""
    for path in paths:
        if path.exists():
            raise UsageError(
                f"The file {path} exists already.", next_step="Name another file with --out, or move this one away."
            )


def read_exam(path: Path | str) -> Exam:
    """The exam of a file as viva wrote it. UsageError: it is no exam file, or was changed since it was written."""
    file = read_exam_file(path)
    if file.is_edited:
        raise UsageError(
            f"{path} was changed since it was written: {file.difference}.",
            next_step=f"It is an exam of its own now. Take it as such: viva exam import {path} --out another.jsonl",
        )
    return file.exam


def read_exam_file(path: Path | str) -> ExamFile:
    """The exam of a file, edited or not, with the ids that its content gives it. UsageError: it is no exam file."""
    return parse_exam(read_text(path), str(path))


def parse_exam(text: str, name: str) -> ExamFile:
    """The same of a text; `name` is what errors call it."""
    try:
        header, shown, examples = _records(text, name)
    except ValueError as error:
        raise UsageError(f"{name} is no exam file: {error}", next_step=_HELP) from error
    if not shown:
        raise UsageError(f"{name} holds no question.", next_step="Write one: viva write DOCS --out RUN")
    exam = Exam.of([identified for _, identified in shown], examples)
    _refuse_repeats(shown, exam, name)
    return ExamFile(exam, _difference(header, [as_read for as_read, _ in shown], exam))


def compact(value: object) -> str:
    """JSON in one line, the fields in their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_Numbered = tuple[int, ExamItem]


def _records(text: str, name: str) -> tuple[Header, list[tuple[_Numbered, ExamItem]], list[WorkedExample]]:
    lines = sound(json_lines(text))
    number, first = next(lines, (1, None))
    header = _header(number, first, name)
    shown: list[tuple[_Numbered, ExamItem]] = []
    examples: list[WorkedExample] = []
    for number, value in lines:
        kind = value.get("kind") if isinstance(value, dict) else None
        if header.version == PUBLISHED_VERSION and kind in ("parameters", "baseline"):
            continue
        if not isinstance(value, dict) or kind not in ("item", "example"):
            raise ValueError(f'Line {number} is neither of "kind": "item" nor "example".')
        fields = {key: field for key, field in value.items() if key != "kind"}
        if kind == "item":
            as_read = _checked(ExamItem, check_shown, fields, number)
            shown.append(((number, as_read), with_id(as_read)))
        else:
            examples.append(_checked(WorkedExample, check_example, fields, number))
    return header, shown, examples


def _header(number: int, value: object, name: str) -> Header:
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise ValueError(f'Line {number} is not its header ({{"schema": "{SCHEMA}", "version": {VERSION}, ...}}).')
    version = value.get("version")
    if isinstance(version, int) and version > PUBLISHED_VERSION:
        raise UsageError(
            f"{name} is of version {version}; this viva reads up to version {PUBLISHED_VERSION}.",
            next_step="Take a newer viva.",
        )
    if (version == PUBLISHED_VERSION) != ("publication" in value):
        raise ValueError(f"Line {number}: version {PUBLISHED_VERSION}, and no other, has a publication.")
    return _validated(Header, value, number)


def _validated(kind: type[R], value: dict[str, object], number: int) -> R:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"Line {number}, {where}: {first['msg'].lower()}.") from error


def _checked(kind: type[R], check: Callable[[R], None], fields: dict[str, object], number: int) -> R:
    found = _validated(kind, fields, number)
    try:
        check(found)
    except ValueError as error:
        raise ValueError(f"Line {number}, {error}.") from error
    return found


def check_example(example: WorkedExample) -> None:
    """ValueError unless its key is one of its options."""
    if not 0 <= example.key_position < len(example.options):
        raise ValueError(f"key_position: there is no option {example.key_position}")


def check_shown(shown: ExamItem) -> None:
    """ValueError unless the options are the item's key and distractors, the key where it is said to be."""
    options, item = shown.options, shown.item
    if not 0 <= shown.key_position < len(options):
        raise ValueError(f"key_position: there is no option {shown.key_position}")
    if options[shown.key_position] != item.key:
        raise ValueError(f"key_position: option {shown.key_position} is not the item's key")
    if sorted(options) != sorted([item.key, *(wrong.text for wrong in item.distractors)]):
        raise ValueError("options: they are not the item's key and distractors")


def with_id(shown: ExamItem) -> ExamItem:
    """The same with the id that the item's content gives it."""
    item = shown.item
    wrong = [each.text for each in item.distractors]
    identity = Item.id_of(item.stem, item.key, wrong, item.evidence, item.history, item.first_quotes)
    return shown.model_copy(update={"item": item.model_copy(update={"id": identity})})


def _refuse_repeats(shown: list[tuple[_Numbered, ExamItem]], exam: Exam, name: str) -> None:
    first: dict[str, int] = {}
    for ((number, _), _), identified in zip(shown, exam.items, strict=True):
        before = first.setdefault(identified.item.id, number)
        if before != number:
            raise UsageError(
                f"{name}: lines {before} and {number} hold the same question.", next_step=f"Remove line {number}."
            )


def _difference(header: Header, as_read: list[_Numbered], exam: Exam) -> str:
    if (header.items, header.examples) != (len(exam.items), len(exam.examples)):
        said = f"{header.items} questions and {header.examples} examples"
        return f"its first line says {said}, {len(exam.items)} and {len(exam.examples)} follow"
    for (number, shown), identified in zip(as_read, exam.items, strict=True):
        if shown.item.id != identified.item.id:
            return f"the question on line {number} is not the one its id {shown.item.id} stands for"
    if header.exam != exam.id:
        return f"its first line says exam {header.exam}, its content is exam {exam.id}"
    return ""
