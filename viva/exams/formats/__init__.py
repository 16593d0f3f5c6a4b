"""Exams in other tools' formats: what is read from them, what is written to them, and what is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from viva.core.case_cells import cell_of, object_in, opened
from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.records import Exam, ExamItem
from viva.core.tables import (
    BadRow,
    Form,
    Row,
    csv_lines,
    form_of,
    is_parquet,
    likely_delimiter,
    parquet_rows,
    parse_json,
    read_text,
)
from viva.core.wording import counted
from viva.exams.file import check_free, exam_lines, parse_exam, write_file
from viva.exams.formats import judged_sets, lm_eval, shapes
from viva.exams.formats.base import FormatProblem, Read
from viva.exams.formats.columns import QA, see
from viva.exams.formats.deepeval import DEEPEVAL
from viva.exams.formats.ragas import RAGAS
from viva.exams.formats.rows import TABLES, Placed, RowFormat, read_records
from viva.exams.formats.table import TABLE

__all__ = ["FORMATS", "Format", "FormatProblem", "Imported", "export_exam", "import_exam", "lost"]


@dataclass(frozen=True)
class Format:
    """A format of exams: what it is, the suffix of its files, how it is read and, where it can be, written."""

    title: str
    suffix: str
    read: Callable[[Path, str], Read]
    """of a path and its text, which is '' of a folder and of Parquet"""
    write: Callable[[Exam, Path], dict[Path, str]] | None = None
    holds: Callable[[ExamItem], bool] = lambda _: True
    """whether a file of it can hold the question"""


@dataclass(frozen=True)
class Imported:
    """An exam of another tool's file, and what of the file was left out or changed."""

    exam: Exam
    format: str
    problems: tuple[FormatProblem, ...]

    @property
    def reasons(self) -> dict[str, int]:
        """How many rows were left out or changed, by the reason, the most frequent first."""
        return dict(Counter(problem.kind for problem in self.problems).most_common())

    @property
    def title(self) -> str:
        """What the format is."""
        return FORMATS[self.format].title


def import_exam(path: Path | str, format: str | None = None) -> Imported:  # noqa: A002
    """The exam of a file or a folder of files; its format is found by content where none is named.

    UsageError: it cannot be read, is of no known format, or holds no question that can be graded.
    """
    path = Path(path)
    text = "" if path.is_dir() or is_parquet(path) else read_text(path)
    name = _sniff(path, text) if format is None else _known(format)
    try:
        found = FORMATS[name].read(path, text)
    except (ValueError, OSError, RecursionError) as error:
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
    if kind.write is None:
        raise UsageError(
            f"The format {format} is read, and not written.",
            allowed=f"Written are {', '.join(name for name, each in FORMATS.items() if each.write)}.",
        )
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


def _rows(path: Path, text: str) -> Placed:
    """The rows of a table or of records, those of Hugging Face's viewer too."""
    if is_parquet(path):
        return iter(parquet_rows(path))
    form = form_of(path.suffix.casefold(), text)
    if form == "json" and (rows := shapes.viewer_rows(parse_json(text))) is not None:
        return (
            (f"row {n}", row if isinstance(row, dict) else BadRow("is no JSON object"))
            for n, row in enumerate(rows, 1)
        )
    return read_records(text, form, likely_delimiter(text) if form == "csv" else ",")


def _by_columns(name: str, title: str, rows: Callable[[Path, str], Placed] = _rows) -> Format:
    """A format that is read by the usual names of columns, once its rows are found."""
    kind = RowFormat(name, see, QA.show, QA.carrier)
    return Format(title, "", lambda path, text: kind.take(rows(path, text), "json"))


def _of_documents(name: str, title: str, rows: Callable[[Path], Placed]) -> Format:
    kind = judged_sets.judged_format(name)
    return Format(title, "", lambda path, _: kind.take(rows(path), "json"))


def _expected(path: Path, text: str) -> Placed:
    if path.suffix.casefold() in _YAML:
        yield from shapes.promptfoo_rows(path, shapes.plain_yaml(text, str(path)))
        return
    for where, row in _rows(path, text):
        yield where, row if isinstance(row, BadRow) else shapes.expected_row(row)


def _read_spans(path: Path, text: str) -> Read:  # noqa: ARG001 - as all are read
    found = RowFormat("openinference", see, QA.show, QA.carrier).take(shapes.span_rows(text), "json")
    own = [shown for shown in found.items if '"reference":' not in shown.item.provenance.original]
    if own:
        told = "no reference is recorded: the traced answer is taken as the right one; review it"
        found.problems.append(FormatProblem(counted(len(own), "question"), told))
    return found


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
    "qa": Format(
        "questions with answers (.csv, .tsv, .jsonl, .json, .parquet)",
        ".csv",
        lambda path, text: QA.take(_rows(path, text), "json"),
        lambda exam, path: {path: QA.write(exam, _FORMS.get(path.suffix.casefold(), "jsonl"))},
    ),
    "squad": _by_columns("squad", "SQuAD (.json)", lambda _, text: shapes.squad_rows(parse_json(text))),
    "langsmith": _by_columns("langsmith", "LangSmith data set (.jsonl, .json, .csv)"),
    "langfuse": _by_columns("langfuse", "Langfuse data set (.jsonl, .json, .csv)"),
    "giskard": _by_columns("giskard", "Giskard QATestset (.jsonl)"),
    "promptfoo": _by_columns("promptfoo", "promptfoo tests (.yaml, .csv)", _expected),
    "openinference": Format("OpenInference spans (.jsonl)", "", _read_spans),
    "autorag": _of_documents("autorag", "AutoRAG qa.parquet", judged_sets.autorag_rows),
    "beir": _of_documents("beir", "BEIR folder (corpus, queries, qrels)", judged_sets.beir_rows),
    "trec": _of_documents("trec", "TREC folder (topics, qrels)", judged_sets.trec_rows),
}
"""name -> format"""

_FORMS: dict[str, Form] = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json"}
_JSON = (".json", ".jsonl", ".ndjson")
_YAML = (".yaml", ".yml")
# fields that only one format has, the surest first
_SIGNS = (
    ("viva", {"schema"}),
    ("ragas", {"user_input"}),
    ("ragas", {"question", "ground_truth"}),
    ("ragas", {"evolution_type"}),
    ("giskard", {"question", "reference_answer", "reference_context"}),
    ("langfuse", {"input", "expectedOutput"}),
    ("langfuse", {"input", "datasetId"}),
    ("langsmith", {"inputs", "outputs"}),
    ("langsmith", {"inputs", "reference_outputs"}),
    ("deepeval", {"input", "expected_output"}),
    ("deepeval", {"input", "actual_output"}),
    ("autorag", {"query", "generation_gt"}),
    ("csv", {"stem", "key"}),
)
_CHOICES = frozenset({"choices", "options", "endings"})
_NAME_ANOTHER = f"Name its format with --format: {', '.join(FORMATS)}."


def lost(exam: Exam, format: str) -> list[str]:  # noqa: A002
    """A phrase for each thing that stays behind; [] where reading the file back gives an equal exam."""
    left_out = len(exam.items) - sum(map(FORMATS[_known(format)].holds, exam.items))
    return [f"{counted(left_out, 'open question')} (without options): left out"] if left_out else []


def _sniff(path: Path, text: str) -> str:
    """The name of the format, by content: names of files say little. UsageError where it is none that is known."""
    suffix = path.suffix.casefold()
    if path.is_dir():
        return judged_sets.folder_format(path) or _unknown(path, _FOLDERS)
    if suffix in _YAML:
        return "promptfoo" if shapes.is_promptfoo(shapes.plain_yaml(text, str(path))) else "lm-eval"
    if suffix == ".gift" and (gone := replacement("--format gift")):
        raise UsageError(gone)
    first = _first_row(path, suffix, text)
    if isinstance(first, str):
        return first
    fields = set(first)
    named = next((name for name, signs in _SIGNS if signs <= fields), "")
    if named == "deepeval" and isinstance(object_in(first.get("input")), dict | list):
        return "langfuse"
    if not named and form_of(suffix, text) == "jsonl" and _all_have_choices(path, text):
        named = "lm-eval"
    if not named and any(name.startswith("__expected") for name in fields):
        named = "promptfoo"
    if not named and shapes.is_span(first):
        named = "openinference"
    if named:
        return named
    cells = opened({name: first[name] or "-" for name in first if name})
    asked = cell_of(cells, "question")
    if asked and cell_of({name: value for name, value in cells.items() if name != asked}, "answer"):
        return "qa"
    return _unknown(path, f"Columns or fields: {', '.join(sorted(fields)[:12]) or 'none'}.")


def _first_sound(path: Path, text: str) -> Row:
    return next((row for _, row in _rows(path, text) if not isinstance(row, BadRow)), {})


def _all_have_choices(path: Path, text: str) -> bool:
    """Whether all records have options, as documents of a task have; among open questions they are of a table."""
    found = [row for _, row in _rows(path, text) if not isinstance(row, BadRow)]
    return bool(found) and all(not _CHOICES.isdisjoint(row) for row in found)


def _unknown(path: Path, found: str) -> str:
    raise UsageError(
        f"{path} is of no format that is known by its content. {found}",
        allowed=f"Known are {', '.join(FORMATS)}.",
        next_step="Name it with --format, if it is one of them. A table needs a column for the question and one for "
        "the answer, such as question and answer (docs/exam-file.md).",
    )


_FOLDERS = "A folder holds queries.jsonl and qrels (BEIR), topics and qrels (TREC), or qa.parquet (AutoRAG)."


def _first_row(path: Path, suffix: str, text: str) -> Row | str:
    """The first record; {} where there is none. A data set that is one JSON object is told by its format's name."""
    if is_parquet(path):
        return next((row for _, row in parquet_rows(path)), {})
    try:
        if form_of(suffix, text) == "json":
            value = parse_json(text)
            if shapes.is_squad(value):
                return "squad"
            if shapes.is_promptfoo(value):
                return "promptfoo"
        if form_of(suffix, text) in TABLES:
            delimiter = likely_delimiter(text) if form_of(suffix, text) == "csv" else "\t"
            _, header = next(csv_lines(text.lstrip(), delimiter), (1, []))
            names = [] if isinstance(header, BadRow) else [cell.strip() for cell in header]
            # the columns of a table that is wrong in other ways tell its format
            row = _first_sound(path, text) if len(set(names)) == len(names) else {}
            return {**dict.fromkeys(names), **row}
        return _first_sound(path, text)
    except (ValueError, RecursionError) as error:
        if suffix in _JSON:
            raise UsageError(f"{path}: {error}", next_step="Mend the file, or write it anew.") from error
        return {}
