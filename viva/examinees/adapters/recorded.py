"""Answers that were given before, in the chair: one JSON object per line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from viva.core.errors import UsageError
from viva.core.records import ExamItem
from viva.core.tables import BadRow, json_lines
from viva.examinees.adapters.replies import parsed
from viva.examinees.answering import Answer, NoAnswerError
from viva.examinees.readers.choosing import posed
from viva.examinees.readers.reading import finite, first_words, read_answer
from viva.examinees.specs.records import RecordedSpec

_MOST_TOLD = 5
_LONGEST_LINE = 2_000_000


class RecordedCandidate:
    """Looks an answer up: by the item's id, else by the question's words, in any spacing and case.

    A letter means the option that stands there in this exam: record the option's words where the order may differ.
    """

    def __init__(self, spec: RecordedSpec) -> None:
        self.examinee = spec.examinee
        self._by_id: dict[str, Mapping[str, Any]] = {}
        self._by_question: dict[str, Mapping[str, Any]] = {}
        self._load(Path(spec.path))

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:
        """What was said to this question. NoAnswerError where nothing is recorded."""
        return self._said(None, question, options)

    async def answer_item(self, shown: ExamItem) -> Answer:
        """What was said to this item, or to its question."""
        return self._said(shown.item.id, shown.item.stem, shown.offered)

    def _said(self, item_id: str | None, stem: str, options: Sequence[str] | None) -> Answer:
        found = self._by_id.get(item_id) if item_id else None
        for text in (stem, posed(stem, options)):
            found = found if found is not None else self._by_question.get(_folded(text))
        if found is None:
            raise NoAnswerError("There is no recorded answer to this question.")
        said = found["answer"] if "answer" in found else found["text"]
        if said is None:
            raise NoAnswerError("The recorded answer is null.")
        answer = read_answer({**found, "text": said}, options)
        # the time that the lookup takes says nothing of the system
        return replace(answer, latency_s=_seconds(found.get("latency_s")) or 0.0)

    def _load(self, path: Path) -> None:
        bad: list[str] = []
        lines: dict[tuple[str, str], int] = {}
        for number, value in recorded_lines(path):
            row, fault = _row(value)
            bad += [f"line {number} {fault}"] if fault else []
            for field, kept in (("item_id", self._by_id), ("question", self._by_question)):
                if fault or row.get(field) is None:
                    continue
                key = row[field] if field == "item_id" else _folded(row[field])
                if key in kept:
                    bad.append(f"line {number} answers the {field} of line {lines[field, key]} again")
                else:
                    kept[key], lines[field, key] = row, number
        if bad:
            more = f"; and {len(bad) - _MOST_TOLD} more" if len(bad) > _MOST_TOLD else ""
            raise UsageError(
                f"The recorded answers in {path} cannot be used: {'; '.join(bad[:_MOST_TOLD])}{more}.",
                allowed='A line holds {"question": ..., "answer": ...} or {"item_id": ..., "answer": ...}, once.',
            )
        if not lines:
            raise UsageError(f"There are no recorded answers in {path}.")


def recorded_lines(path: Path) -> Iterator[tuple[int, object]]:
    """Yield each line's number and value, or a BadRow; the file is read line by line. UsageError for no text."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            yield from json_lines(file, parse=_parsed, longest=_LONGEST_LINE)
    except UnicodeDecodeError as error:
        raise UsageError(f"The recorded answers in {path} are no UTF-8 text.") from error
    except OSError as error:
        raise UsageError(
            f"The recorded answers in {path} cannot be read: {error.strerror or type(error).__name__}.",
            next_step="Give the path as seen from this folder.",
        ) from error


def _parsed(line: str) -> object:
    try:
        value = parsed(line)
    except ValueError:
        raise ValueError(f"no JSON: {first_words(line, 40)}") from None
    if not isinstance(value, dict):
        raise ValueError(f"no JSON object: {first_words(line, 40)}")  # noqa: TRY004 - of the file, not of our call
    return value


def _row(row: Any) -> tuple[dict[str, Any], str]:
    """The line's object, and what is wrong with it."""
    if isinstance(row, BadRow):
        return {}, row.reason
    asked = [row[field] for field in ("item_id", "question") if row.get(field) is not None]
    if not asked or not all(isinstance(each, str) and each.strip() for each in asked):
        return {}, "names no question and no item_id as a text"
    if "answer" not in row and "text" not in row:
        return {}, "holds no answer"
    said = row["answer"] if "answer" in row else row["text"]
    if said is None or isinstance(said, str) or _is_number(said):
        return row, ""
    return row, "holds an answer that is neither a text nor a finite number"


def _folded(question: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", question).casefold().split())


def _seconds(told: Any) -> float | None:
    seconds = finite(told)
    return seconds if seconds is not None and seconds >= 0 else None


def _is_number(value: Any) -> bool:
    return finite(value) is not None or (isinstance(value, int) and not isinstance(value, bool))
