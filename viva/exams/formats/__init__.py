"""Exams in other tools' formats: what is read from them, what is written to them, and what is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.core.tables import Form, form_of, read_text
from viva.core.wording import counted
from viva.exams.file import check_free, exam_lines, parse_exam, write_file
from viva.exams.formats import aiken, gift, lm_eval
from viva.exams.formats.base import FormatProblem, Read
from viva.exams.formats.deepeval import DEEPEVAL
from viva.exams.formats.ragas import RAGAS
from viva.exams.formats.recognition import sniff
from viva.exams.formats.rows import RowFormat
from viva.exams.formats.table import TABLE

__all__ = ["FORMATS", "Format", "FormatProblem", "Imported", "export_exam", "import_exam", "lost", "sniff"]


@dataclass(frozen=True)
class Format:
    """A format of exams: what it is, the suffix of its files, how it is read and written."""

    title: str
    suffix: str
    read: Callable[[Path, str], Read]
    write: Callable[[Exam, Path], dict[Path, str]]


@dataclass(frozen=True)
class Imported:
    """An exam of another tool's file, and what of the file did not become part of it, or not as it stood."""

    exam: Exam
    format: str
    problems: tuple[FormatProblem, ...]


def import_exam(path: Path | str, format: str | None = None) -> Imported:  # noqa: A002
    """The exam of a file; its format is told by name and content where none is named.

    UsageError: it cannot be read, is of no known format, or holds no question that can be graded.
    """
    text = read_text(path)
    name = sniff(Path(path), text) if format is None else _known(format)
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
    if not any(holds(shown) for shown in exam.items) if (holds := _HOLDS.get(format)) else not exam.items:
        raise UsageError(f"{kind.title} can hold none of the exam's questions.", next_step="Choose another format.")
    files = kind.write(exam, target)
    if not over:
        check_free(*files)
    for file, text in files.items():
        write_file(text, file)
    return list(files)


def _known(format: str) -> str:  # noqa: A002
    if format not in FORMATS:
        raise UsageError(f"There is no format {format!r}.", allowed=f"There are {', '.join(FORMATS)}.")
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
        named = path.suffix.casefold()
        form: Form = "csv" if named == ".csv" else "json" if named == ".json" else "jsonl"
        return {path: format.write(exam, form)}

    return Format(title, suffix, lambda path, text: format.read(text, form_of(path.suffix.casefold(), text)), write)


FORMATS = {
    "viva": Format("exam.jsonl, viva's own", ".jsonl", _read_own, _write_own),
    "ragas": _records(RAGAS, "ragas testset (.jsonl, .csv)", ".jsonl"),
    "deepeval": _records(DEEPEVAL, "deepeval goldens (.json, .jsonl, .csv)", ".json"),
    "lm-eval": Format("lm-evaluation-harness task (.yaml and .jsonl)", ".yaml", lm_eval.read, lm_eval.write),
    "gift": Format(
        "Moodle GIFT (.gift, .txt)", ".gift", lambda _, text: gift.read(text), lambda e, p: {p: gift.write(e)}
    ),
    "aiken": Format("Aiken (.txt)", ".txt", lambda _, text: aiken.read(text), lambda e, p: {p: aiken.write(e)}),
    "csv": Format(
        "table with a row per question (.csv)",
        ".csv",
        lambda _, text: TABLE.read(text, "csv"),
        lambda e, p: {p: TABLE.write(e, "csv")},
    ),
}
"""name -> format"""

_HOLDS = {"aiken": aiken.can_hold, "lm-eval": lm_eval.can_hold}
_NAME_ANOTHER = f"Name its format with --format: {', '.join(FORMATS)}."


# --- what is lost -----------------------------------------------------------------------------------------


def lost(exam: Exam, format: str) -> list[str]:  # noqa: A002
    """A phrase for each thing that stays behind; [] where reading the file back gives an equal exam."""
    if format == "aiken":
        return list(_by_aiken(exam))
    if format == "lm-eval":
        return list(_open(exam))
    if format == "gift":
        return list(_refused_by_moodle(exam))
    return []


def _by_aiken(exam: Exam) -> Iterator[str]:
    yield from _open(exam)
    refused = sum(not shown.item.is_open and not aiken.can_hold(shown) for shown in exam.items)
    if refused:
        named = counted(refused, "question")
        yield f"{named} with over {aiken.MOST_OPTIONS} options or two alike but for spaces: left out"
    held = [shown for shown in exam.items if aiken.can_hold(shown)]
    spaced = sum(any(aiken.as_held(text) != text for text in (s.item.stem, *s.options)) for s in held)
    if spaced:
        yield f"line breaks and repeated spaces of {counted(spaced, 'question')}"
    items = [shown.item for shown in held]
    kept_back = {
        "reference answers": any(item.reference_answer not in ("", item.key) for item in items),
        "evidence and contexts": any(item.evidence or item.contexts for item in items),
        "why each wrong option is wrong": any(w.reason or w.mistake for item in items for w in item.distractors),
        "topics": any(item.topic for item in items),
        "trials, reviews and provenance": any(item.provenance.chunk_id or item.trials for item in items),
        "worked examples": bool(exam.examples),
    }
    yield from (name for name, is_there in kept_back.items() if is_there)


def _open(exam: Exam) -> Iterator[str]:
    count = sum(shown.item.is_open for shown in exam.items)
    if count:
        yield f"{counted(count, 'open question')} (without options): left out"


def _refused_by_moodle(exam: Exam) -> Iterator[str]:
    arrows = sum(shown.item.is_open and "->" in shown.item.key for shown in exam.items)
    if arrows:
        yield f"{counted(arrows, 'open question')} whose answer holds '->': viva reads them back, Moodle refuses them"
