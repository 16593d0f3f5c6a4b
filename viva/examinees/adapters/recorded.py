"""Answers that were given before: JSON Lines, a table or a JSON array by the usual names of columns, spans, or a run.

A run in TREC's format has no answers: it holds what was retrieved for the queries of an exam from a collection.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from viva.core.case_cells import USUAL
from viva.core.errors import UsageError
from viva.core.records import ExamItem, Turn
from viva.core.tables import (
    BadRow,
    form_of,
    json_lines,
    likely_delimiter,
    parquet_rows,
    parse_python_json,
    read_text,
    table_rows,
)
from viva.core.text.overlap import caseless
from viva.examinees.adapters.replies import parsed
from viva.examinees.answering import Answer, NoAnswerError
from viva.examinees.readers.choosing import posed
from viva.examinees.readers.reading import MOST_PASSAGES, finite, first_words, read_answer
from viva.examinees.specs.records import RecordedSpec
from viva.exams.formats.columns import passages_in
from viva.exams.formats.conversations import turns_in
from viva.exams.formats.judged_sets import RUN_LINE, corpus_texts, documents_of, original_record, run_rankings
from viva.exams.formats.shapes import is_span, span_rows

RETRIEVAL_ALONE = "(No answer: a run holds what was retrieved.)"
_NAMES = {
    "question": USUAL["question"],
    "answer": (*USUAL["answer"], "text"),
    "history": ("history", "chat_history", "conversation_history"),
    "passages": ("retrieved_contexts", "retrieval_context", *USUAL["passages"]),
}
_MOST_TOLD = 5
_LONGEST_LINE = 2_000_000


class RecordedCandidate:
    """Looks an answer up: by the item's id, else by the question's words, in any spacing and case.

    A question that follows on a conversation is looked up with it first, then by itself.

    A letter means the option that stands there in this exam: record the option's words where the order may differ.
    """

    takes_history = True
    """what its system was asked is not known"""

    def __init__(self, spec: RecordedSpec) -> None:
        self.examinee = spec.examinee
        self._by_id: dict[str, Mapping[str, Any]] = {}
        self._by_question: dict[str, Mapping[str, Any]] = {}
        self._rankings: dict[str, list[str]] = {}
        path = Path(spec.path)
        if _is_run(path):
            self._rankings = run_rankings(read_text(path).splitlines())
            self._texts = corpus_texts(path.parent, {name for each in self._rankings.values() for name in each})
        else:
            self._load(path)

    async def answer(
        self, question: str, options: Sequence[str] | None = None, history: Sequence[Turn] = ()
    ) -> Answer:
        """What was said to this question. NoAnswerError where nothing is recorded."""
        return self._said(None, question, options, history)

    async def answer_item(self, shown: ExamItem) -> Answer:
        """What was said to this item, or to its question."""
        if self._rankings:
            return self._retrieved(shown)
        return self._said(shown.item.id, shown.item.stem, shown.offered, shown.item.history)

    def _retrieved(self, shown: ExamItem) -> Answer:
        """The passages that a run has for the query, with the texts that its collection or the exam has."""
        record = original_record(shown)
        ranked = self._rankings.get(str(record.get("id")))
        if ranked is None:
            raise NoAnswerError("The run has no documents for this query.")
        held = shown.item.contexts or [span.quote for span in shown.item.evidence]
        named = documents_of(shown)
        known = {**self._texts, **(dict(zip(named, held, strict=True)) if len(named) == len(held) else {})}
        passages = [{"text": known.get(each) or each, "id": each} for each in ranked[:MOST_PASSAGES]]
        return read_answer({"text": RETRIEVAL_ALONE, "passages": passages}, None)

    def _said(self, item_id: str | None, stem: str, options: Sequence[str] | None, history: Sequence[Turn]) -> Answer:
        found = self._by_id.get(item_id) if item_id else None
        texts = [stem, posed(stem, options)]
        for text in ([_after(history, text) for text in texts] if history else []) + texts:
            found = found if found is not None else self._by_question.get(_folded(text))
        if found is None:
            raise NoAnswerError("There is no recorded answer to this question.")
        said = found["answer"]
        if said is None:
            raise NoAnswerError("The recorded answer is null.")
        answer = read_answer({**found, "text": said}, options)
        # the time that the lookup takes says nothing of the system
        return replace(answer, latency_s=_seconds(found.get("latency_s")) or 0.0)

    def _load(self, path: Path) -> None:
        bad: list[str] = []
        lines: dict[tuple[str, str], int] = {}
        for number, value in recorded_rows(path):
            row, fault = _row(value)
            bad += [f"line {number} {fault}"] if fault else []
            for field, kept in (("item_id", self._by_id), ("question", self._by_question)):
                if fault or row.get(field) is None:
                    continue
                key = row[field] if field == "item_id" else _folded(_after(row["history"], row[field]))
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


def recorded_rows(path: Path) -> Iterator[tuple[int, object]]:
    """Yield each row's number and value, with question, answer and passages by these names; or a BadRow.

    Of JSON Lines, a table, a JSON array, Parquet or spans. UsageError for a file that is none of them.
    """
    for number, row in _rows(path):
        yield number, _named(row) if isinstance(row, dict) else row


def _rows(path: Path) -> Iterator[tuple[int, object]]:
    suffix = path.suffix.casefold()
    if suffix not in {".csv", ".tsv", ".tab", ".json", ".parquet"}:
        spans = _spans(path)
        yield from enumerate((row for _, row in spans), start=1) if spans else recorded_lines(path)
        return
    try:
        if suffix == ".parquet":
            yield from enumerate((row for _, row in parquet_rows(path)), start=1)
            return
        text = read_text(path)
        delimiter = likely_delimiter(text) if suffix == ".csv" else ","
        rows = table_rows(text, form_of(suffix, text), delimiter=delimiter, strict=False, parse=parse_python_json)
        for where, row in rows:
            yield int(where.rpartition(" ")[2]), row
    except ValueError as error:
        raise UsageError(f"The recorded answers in {path} cannot be used: {error}") from error


def _spans(path: Path) -> list[tuple[str, object]]:
    """The answers of traces; [] of a file that holds none."""
    first = next((value for _, value in recorded_lines(path)), None)
    return list(span_rows(read_text(path))) if isinstance(first, dict) and is_span(first) else []


def _is_run(path: Path) -> bool:
    """Tell whether its first line is that of a run in TREC's format."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return RUN_LINE.fullmatch(file.readline(10_000).rstrip("\n")) is not None
    except (OSError, ValueError):
        return False


def _row(row: Any) -> tuple[dict[str, Any], str]:
    """The line's object with question, answer and passages by these names, and what is wrong with it."""
    if isinstance(row, BadRow):
        return {}, row.reason
    asked = [row[field] for field in ("item_id", "question") if row.get(field) is not None]
    if not asked or not all(isinstance(each, str) and each.strip() for each in asked):
        return {}, "names no question and no item_id as a text"
    if "answer" not in row:
        return {}, "holds no answer"
    told = row.get("history")
    try:
        row = {**row, "history": turns_in(told) if told and isinstance(told, str | list) else ()}
    except ValueError as error:
        return {}, f"cannot be read: {error}"
    said = row["answer"]
    if said is None or isinstance(said, str) or _is_number(said):
        return row, ""
    return row, "holds an answer that is neither a text nor a finite number"


def _named(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the usual names of its columns made ours; what is a list in a cell of a table is one."""
    found = dict(row)
    for field, names in _NAMES.items():
        if field not in found and (name := next((name for name in names if name in row), None)):
            found[field] = row[name]
    if isinstance(found.get("passages"), str):
        found["passages"] = passages_in(found["passages"])
    if found.get("item_id") == "":
        del found["item_id"]
    return found


def _after(history: Sequence[Turn], question: str) -> str:
    return "\n".join([*(turn.line for turn in history), question])


def _folded(question: str) -> str:
    return caseless(unicodedata.normalize("NFKC", question))


def _seconds(told: Any) -> float | None:
    seconds = finite(told)
    return seconds if seconds is not None and seconds >= 0 else None


def _is_number(value: Any) -> bool:
    return finite(value) is not None or (isinstance(value, int) and not isinstance(value, bool))
