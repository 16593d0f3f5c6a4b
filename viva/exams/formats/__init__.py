"""Exams in other tools' formats: what is read from them, what is written to them, and what is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.records import Exam, ExamItem
from viva.core.tables import BadRow, Form, form_of, is_parquet, likely_delimiter, parse_json, read_text
from viva.core.wording import counted
from viva.exams.file import check_free, exam_lines, parse_exam, write_file
from viva.exams.formats import exports, judged_sets, lm_eval, shapes
from viva.exams.formats.base import FormatProblem, Read
from viva.exams.formats.columns import QA, see
from viva.exams.formats.conversations import UNREVIEWED, Turns, TurnStyle
from viva.exams.formats.deepeval import DEEPEVAL, DEEPEVAL_TURNS
from viva.exams.formats.dialogues import dialogue_rows
from viva.exams.formats.ragas import RAGAS, RAGAS_TURNS
from viva.exams.formats.recognition import NO_TAGS, YAML, format_of, rows_of
from viva.exams.formats.rows import Placed, RowFormat, plain_yaml, read_records
from viva.exams.formats.table import TABLE
from viva.exams.published import Publication, read_publication

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
    publication: Publication | None = None
    """of a published exam"""

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
    if format is None and path.is_dir() and (path / "exam.jsonl").is_file():
        raise UsageError(
            f"{path} is a run folder, and no file of questions.",
            next_step=f"Name the run without --exam (in Python: viva.open_run), or its file {path}/exam.jsonl",
        )
    is_text = not path.is_dir() and not is_parquet(path)
    text = read_text(path) if is_text else ""
    if is_text and not text.strip():
        raise UsageError(f"{path} is empty.", next_step="Name a file of questions and answers (docs/exam-file.md).")
    name = format_of(path, text, list(FORMATS)) if format is None else _known(format)
    try:
        found = FORMATS[name].read(path, text)
    except (ValueError, OSError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read as {name}: {error}", next_step=_NAME_ANOTHER) from error
    if not found.items:
        first = "; ".join(str(problem) for problem in found.problems[:3]) or "it is empty"
        raise UsageError(f"{path} holds no question that can be graded ({first}).", next_step=_NAME_ANOTHER)
    return Imported(Exam.of(found.items, found.examples), name, tuple(found.problems), found.publication)


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
        if target in file.parents and target.parent.is_dir():
            file.parent.mkdir(parents=True, exist_ok=True)
        write_file(text, file)
    return list(files)


def _known(format: str) -> str:  # noqa: A002
    if format not in FORMATS:
        gone = replacement(f"--format {format}")
        allowed = "; ".join(f"{name}: {known.title}" for name, known in FORMATS.items())
        raise UsageError(gone or f"There is no format {format!r}.", allowed="" if gone else allowed)
    return format


def _read_own(path: Path, text: str) -> Read:
    publication = read_publication(text, str(path))
    file = parse_exam(text, str(path))
    problems = (
        [FormatProblem("the file", f"changed since it was written: {file.difference}")] if file.is_edited else []
    )
    return Read(list(file.exam.items), file.exam.examples, problems, publication)


def _write_own(exam: Exam, path: Path) -> dict[Path, str]:
    return {path: "".join(f"{line}\n" for line in exam_lines(exam))}


def _turn_by_turn(kind: RowFormat, rows: Turns, form: Form = "json") -> Read:
    """The questions of rows and of the turns of conversations; whose right answers nobody stated, is said."""
    found = kind.take(rows, form)
    if rows.unreviewed:
        found.problems.append(FormatProblem(counted(rows.unreviewed, "question"), UNREVIEWED))
    return found


def _records(
    format: RowFormat,  # noqa: A002
    title: str,
    suffix: str,
    style: TurnStyle,
) -> Format:
    def read(path: Path, text: str) -> Read:
        form = form_of(path.suffix.casefold(), text)
        rows = read_records(text, form, likely_delimiter(text) if form == "csv" else ",")
        return _turn_by_turn(format, Turns(rows, style), form)

    def write(exam: Exam, path: Path) -> dict[Path, str]:
        return {path: format.write(exam, _FORMS.get(path.suffix.casefold(), "jsonl"))}

    return Format(title, suffix, read, write)


def _by_columns(
    kind: RowFormat,
    title: str,
    suffix: str,
    rows: Callable[[Path, str], Placed] = rows_of,
    write: exports.Writer | None = None,
) -> Format:
    """A format that is read by the usual names of columns, once its rows are found."""
    return Format(
        title,
        suffix,
        lambda path, text: _turn_by_turn(kind, Turns(rows(path, text))),
        write or exports.write_records(kind),
    )


def _read_alone(name: str, title: str, rows: Callable[[Path, str], Placed] = rows_of) -> Format:
    """The same, of a format that is not written."""
    kind = RowFormat(name, see, QA.show, QA.carrier)
    return Format(title, "", lambda path, text: _turn_by_turn(kind, Turns(rows(path, text))))


def _of_documents(name: str, title: str, rows: Callable[[Path], Placed]) -> Format:
    kind = judged_sets.judged_format(name)
    return Format(title, "", lambda path, _: kind.take(rows(path), "json"))


def _dialogues(path: Path, text: str) -> Placed:
    return dialogue_rows(rows_of(path, text))


def _expected(path: Path, text: str) -> Placed:
    if path.suffix.casefold() in YAML:
        yield from shapes.promptfoo_rows(path, plain_yaml(text, str(path), NO_TAGS))
        return
    for where, row in rows_of(path, text):
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
    "ragas": _records(RAGAS, "ragas testset (.jsonl, .csv, .tsv)", ".jsonl", RAGAS_TURNS),
    "deepeval": _records(
        DEEPEVAL,
        "deepeval goldens and conversations (.json, .jsonl, .csv, .tsv)",
        ".json",
        DEEPEVAL_TURNS,
    ),
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
        lambda path, text: _turn_by_turn(QA, Turns(rows_of(path, text))),
        lambda exam, path: {path: QA.write(exam, _FORMS.get(path.suffix.casefold(), "jsonl"))},
    ),
    "chat": _read_alone("chat", "conversations, messages in each row (.jsonl, .json, .parquet)"),
    "coqa": _read_alone("coqa", "CoQA (.json)", _dialogues),
    "quac": _read_alone("quac", "QuAC (.json)", _dialogues),
    "squad": _by_columns(
        exports.SQUAD,
        "SQuAD (.json)",
        ".json",
        lambda _, text: shapes.squad_rows(parse_json(text)),
        exports.write_squad,
    ),
    "langsmith": _by_columns(exports.LANGSMITH, "LangSmith data set (.jsonl, .json, .csv)", ".jsonl"),
    "langfuse": _by_columns(exports.LANGFUSE, "Langfuse data set (.jsonl, .json, .csv)", ".jsonl"),
    "giskard": _by_columns(exports.GISKARD, "Giskard QATestset (.jsonl)", ".jsonl"),
    "promptfoo": _by_columns(
        exports.PROMPTFOO, "promptfoo tests (.yaml, .csv)", ".yaml", _expected, exports.write_promptfoo
    ),
    "openinference": Format("OpenInference spans (.jsonl)", "", _read_spans),
    "autorag": _of_documents("autorag", "AutoRAG qa.parquet", judged_sets.autorag_rows),
    "beir": Format(
        "BEIR folder (corpus, queries, qrels)",
        "",
        lambda path, _: exports.BEIR.take(judged_sets.beir_rows(path), "json"),
        exports.write_beir,
        exports.has_contexts,
    ),
    "trec": _of_documents("trec", "TREC folder (topics, qrels)", judged_sets.trec_rows),
}
"""name -> format"""

_FORMS: dict[str, Form] = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json"}
_NAME_ANOTHER = f"Name its format with --format: {', '.join(FORMATS)}."


def lost(exam: Exam, format: str) -> list[str]:  # noqa: A002
    """A phrase for each thing that stays behind; [] where reading the file back gives an equal exam."""
    kind = FORMATS[_known(format)]
    left_out = sum(not kind.holds(shown) for shown in exam.items)
    reason = "without a context" if format == "beir" else "open, or after a conversation"
    return [f"{counted(left_out, 'question')} ({reason}): left out"] if left_out else []
