"""Exams in other tools' formats: what is read from them, what is written to them, and what is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.records import Exam, ExamItem
from viva.core.tables import BadRow, Form, csv_lines, form_of, read_text, table_rows
from viva.core.wording import counted
from viva.exams.file import check_free, exam_lines, parse_exam, write_file
from viva.exams.formats import lm_eval
from viva.exams.formats.base import FormatProblem, Read
from viva.exams.formats.deepeval import DEEPEVAL
from viva.exams.formats.ragas import RAGAS
from viva.exams.formats.rows import TABLES, RowFormat
from viva.exams.formats.table import TABLE

__all__ = ["FORMATS", "Format", "FormatProblem", "Imported", "export_exam", "import_exam", "lost"]


@dataclass(frozen=True)
class Format:
    """A format of exams: what it is, the suffix of its files, how it is read and written."""

    title: str
    suffix: str
    read: Callable[[Path, str], Read]
    write: Callable[[Exam, Path], dict[Path, str]]
    holds: Callable[[ExamItem], bool] = lambda _: True
    """whether a file of it can hold the question"""


@dataclass(frozen=True)
class Imported:
    """An exam of another tool's file, and what of the file was left out or changed."""

    exam: Exam
    format: str
    problems: tuple[FormatProblem, ...]


def import_exam(path: Path | str, format: str | None = None) -> Imported:  # noqa: A002
    """The exam of a file; its format is found by name and content where none is named.

    UsageError: it cannot be read, is of no known format, or holds no question that can be graded.
    """
    text = read_text(path)
    name = _sniff(Path(path), text) if format is None else _known(format)
    try:
        found = FORMATS[name].read(Path(path), text)
    except ValueError as error:
        raise UsageError(f"{path} cannot be read as {name}: {error}", next_step=_NAME_ANOTHER) from error
    if not found.items:
        first = "; ".join(str(problem) for problem in found.problems[:3]) or "it is empty"
        raise UsageError(f"{path} holds no question that can be graded ({first}).", next_step=_NAME_ANOTHER)
    return Imported(Exam.of(found.items, found.examples), name, tuple(found.problems))


def export_exam(exam: Exam, path: Path | str, format: str, *, over: bool = True) -> list[Path]:  # noqa: A002
    """Writes the exam in a format, `over` what was there; returns the files written, each whole or not at all.

    UsageError: there is no such format, it can hold none of the questions, or a file cannot be written, or is there
    already and may not be written over.
    """
    target = Path(path)
    kind = FORMATS[_known(format)]
    if not any(map(kind.holds, exam.items)):
        raise UsageError(f"{kind.title} can hold none of the exam's questions.", next_step="Choose another format.")
    files = kind.write(exam, target)
    if not over:
        check_free(*files)
    for file, text in files.items():
        write_file(text, file)
    return list(files)


def _known(format: str) -> str:  # noqa: A002
    if format not in FORMATS:
        gone = replacement(f"--format {format}")
        allowed = "; ".join(f"{name}: {known.title}" for name, known in FORMATS.items())
        raise UsageError(gone or f"There is no format {format!r}.", allowed="" if gone else allowed)
    return format


def _read_own(path: Path, text: str) -> Read:
    file = parse_exam(text, str(path))
    problems = (
        [FormatProblem("the file", f"changed since it was written: {file.difference}")] if file.is_edited else []
    )
    return Read(list(file.exam.items), file.exam.examples, problems)


def _write_own(exam: Exam, path: Path) -> dict[Path, str]:
    return {path: "".join(f"{line}\n" for line in exam_lines(exam))}


def _records(format: RowFormat, title: str, suffix: str) -> Format:  # noqa: A002
    def write(exam: Exam, path: Path) -> dict[Path, str]:
        return {path: format.write(exam, _FORMS.get(path.suffix.casefold(), "jsonl"))}

    return Format(title, suffix, lambda path, text: format.read(text, form_of(path.suffix.casefold(), text)), write)


FORMATS = {
    "viva": Format("exam.jsonl, viva's own", ".jsonl", _read_own, _write_own),
    "ragas": _records(RAGAS, "ragas testset (.jsonl, .csv, .tsv)", ".jsonl"),
    "deepeval": _records(DEEPEVAL, "deepeval goldens (.json, .jsonl, .csv, .tsv)", ".json"),
    "lm-eval": Format(
        "lm-evaluation-harness task (.yaml and .jsonl)", ".yaml", lm_eval.read, lm_eval.write, lm_eval.can_hold
    ),
    "csv": Format(
        "table with a row per question (.csv, .tsv)",
        ".csv",
        lambda path, text: TABLE.read(text, form_of(path.suffix.casefold(), "")),
        lambda exam, path: {path: TABLE.write(exam, form_of(path.suffix.casefold(), ""))},
    ),
}
"""name -> format"""

_FORMS: dict[str, Form] = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json"}
_JSON = (".json", ".jsonl", ".ndjson")
# fields that only one format has, the surest first
_SIGNS = (
    ("viva", {"schema"}),
    ("ragas", {"user_input"}),
    ("ragas", {"question", "ground_truth"}),
    ("ragas", {"evolution_type"}),
    ("deepeval", {"input", "expected_output"}),
    ("deepeval", {"input", "actual_output"}),
    ("lm-eval", {"choices"}),
    ("lm-eval", {"options"}),
    ("lm-eval", {"endings"}),
    ("csv", {"stem", "key"}),
)
_NAME_ANOTHER = f"Name its format with --format: {', '.join(FORMATS)}."


def lost(exam: Exam, format: str) -> list[str]:  # noqa: A002
    """A phrase for each thing that stays behind; [] where reading the file back gives an equal exam."""
    left_out = len(exam.items) - sum(map(FORMATS[_known(format)].holds, exam.items))
    return [f"{counted(left_out, 'open question')} (without options): left out"] if left_out else []


def _sniff(path: Path, text: str) -> str:
    """The name of the format, by content: names of files say little. UsageError where it is none that is known."""
    suffix = path.suffix.casefold()
    if suffix in (".yaml", ".yml"):
        return "lm-eval"
    if suffix == ".gift" and (gone := replacement("--format gift")):
        raise UsageError(gone)
    fields = _fields(path, suffix, text)
    named = next((name for name, signs in _SIGNS if signs <= fields), "")
    if named:
        return named
    raise UsageError(
        f"{path} is of no format that is known by its content.",
        allowed=f"Known are {', '.join(FORMATS)}.",
        next_step="Name it with --format, if it is one of them. A table needs the columns stem, key and distractor_1,"
        " distractor_2 and so on (docs/exam-file.md).",
    )


def _fields(path: Path, suffix: str, text: str) -> set[str]:
    """Names of the first record's fields; empty where there is no record."""
    try:
        form = form_of(suffix, text)
        if form in TABLES:
            _, header = next(csv_lines(text.lstrip(), "\t" if form == "tsv" else ","), (1, []))
            return set() if isinstance(header, BadRow) else {cell.strip() for cell in header}
        _, first = next(table_rows(text, form), ("", BadRow("is empty")))
    except ValueError as error:
        if suffix in _JSON:
            raise UsageError(f"{path}: {error}", next_step="Mend the file, or write it anew.") from error
        return set()
    return set() if isinstance(first, BadRow) else {str(name) for name in first}
