"""Files of answers to label, and of labels to import: .csv or .jsonl."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.records.labels import LABELS, Label
from viva.core.tables import BadRow, form_of, read_text
from viva.exams.file import write_file
from viva.exams.formats.rows import read_records, write_rows
from viva.graphs.grading.grade_open import reference_of
from viva.graphs.grading.labels import Drawn

_NAMED = "Name the labelled file from viva label --export."

_COLUMNS = "A table with the columns response and label, and optionally by. A label is y, n, partial, or 0 to 1."


def rows_of(drawn: Sequence[Drawn], seed: int, scores: Mapping[str, float | None]) -> list[dict[str, object]]:
    """A row for each answer, in the form that `viva tune --data` reads too. The system is not named."""
    return [
        {
            "response": each.response.id,
            "question": each.shown.item.stem,
            "reference": reference_of(each.shown.item),
            "answer": each.response.text,
            "label": "" if (score := scores.get(each.response.id)) is None else score,
            "group": each.shown.item.id,
            "draw": str(seed),
        }
        for each in drawn
    ]


def write_answers(path: Path, rows: Sequence[dict[str, object]]) -> None:
    """Write the whole file or nothing. UsageError for another ending, and if it cannot be written."""
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".jsonl"}:
        raise UsageError(f"{path} is neither .csv nor .jsonl.", next_step="Name a .csv or .jsonl file.")
    write_file(write_rows(list(rows), "csv" if suffix == ".csv" else "jsonl"), path)


def read_labels(path: Path, known: Collection[str], by: str, at: str, words: Mapping[str, str]) -> list[Label]:
    """The labels of the file, in its order; rows without a label are skipped. UsageError names a wrong row."""
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", next_step=_NAMED)
    text = read_text(path, named=_NAMED)
    found = list[Label]()
    try:
        for where, row in read_records(text, form_of(path.suffix.lower(), text)):
            if isinstance(row, BadRow):
                raise UsageError(f"{where.capitalize()} of {path} {row.reason}.", allowed=_COLUMNS)
            label = _label(row, f"{path}, {where}", known, by, at, words)
            found += [label] if label else []
    except ValueError as error:
        raise UsageError(f"{path} is not a table of labels: {error}", allowed=_COLUMNS) from error
    if not found:
        raise UsageError(f"{path} contains no label.", allowed=_COLUMNS)
    return found


def _label(
    row: Mapping[str, object], where: str, known: Collection[str], by: str, at: str, words: Mapping[str, str]
) -> Label | None:
    said = str(row.get("label", "") if row.get("label") is not None else "").strip().casefold()
    if not said:
        return None
    response = str(row.get("response") or "").strip()
    if response not in known:
        raise UsageError(
            f"{where}: “{response}” is not an open answer to the exam of this run.",
            allowed="The values of the column response, as viva label --export wrote them.",
        )
    person = str(row.get("by") or by).strip()
    if not 1 <= len(person) <= 100:
        raise UsageError(f"{where}: the name in the column by has {len(person)} characters.", allowed="1 to 100.")
    draw = str(row.get("draw") or "").strip()
    return Label(
        response_id=response,
        by=person,
        at=at,
        score=_score(said, where, words),
        seed=int(draw) if draw.isdecimal() and draw.isascii() and len(draw) < 19 else None,
    )


def _score(said: str, where: str, words: Mapping[str, str]) -> float:
    if said in words:
        return LABELS[words[said]]
    try:
        score = float(said)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise UsageError(f"{where}: “{said}” is not a label.", allowed="y, n, partial, or a number from 0 to 1.")
    return score
