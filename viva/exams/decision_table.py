"""Decisions about an exam's questions in a table that people fill in: written, and read into the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from viva.core.errors import UsageError
from viva.core.records import Exam, ExamItem
from viva.core.tables import Row
from viva.exams.formats.rows import read_table, write_table
from viva.exams.review import Decision, Edit, EditedField, ReviewLog, ReviewProgress, checked_text, standings

_COLUMNS = "Columns: item, decision (accept, reject or empty), note, by, and the texts as they were exported."


def write_decision_table(standing: Sequence[ReviewProgress], path: Path) -> None:
    """Write a row for each question: its id, what was decided, its texts, its evidence."""
    rows = list[Row]()
    for each in standing:
        item = each.shown.item
        texts = {column: text for column, _, text in _texts(each.shown)}
        evidence = " … ".join(span.quote for span in item.evidence)
        said = {"conversation": "\n".join(turn.line for turn in item.history)} if item.history else {}
        decided: Row = {"item": item.id, "decision": each.settled or "", "note": ""}
        rows.append({**decided, **said, **texts, "evidence": evidence})
    write_table(rows, path)


def _texts(shown: ExamItem) -> Iterator[tuple[str, EditedField, str]]:
    """(column, field, text) of what may be reworded."""
    item = shown.item
    yield "stem", "stem", item.stem
    yield "key", "key", item.key
    yield "reference", "reference", item.reference_answer
    for n, wrong in enumerate(item.distractors, start=1):
        yield f"wrong_{n}", "option", wrong.text


def record_decision_table(exam: Exam, log: ReviewLog, path: Path, by: str) -> None:
    """Record all decisions of the table, or none. UsageError for a row that decides nothing of this exam."""
    with log.deciding():
        before = log.read()
        now = {each.shown.item.id: each for each in standings(exam, before)}
        # a question that was rejected or reworded since the export is no longer in the exam under this id
        earlier = {decision.item for decision in before}
        made = list[Decision]()
        for where, row in read_table(path, "viva exam review --export", _COLUMNS):
            identity = str(row.get("item") or "").strip()
            if identity not in now and identity not in earlier:
                raise UsageError(f"{where}: “{identity}” is not a question of this exam.", allowed=_COLUMNS)
            if identity in now:
                try:
                    made += _decisions(now[identity], row, by)
                except UsageError as error:
                    raise UsageError(f"{where}: {error.problem}", allowed=error.allowed) from error
        after = [each.shown.item.id for each in standings(exam, [*before, *made])]
        if len(set(after)) < len(after):
            raise UsageError(f"{path} gives two questions the same wording.", next_step="Choose another wording.")
        for decision in made:
            log.append(decision)


def _decisions(progress: ReviewProgress, row: Mapping[str, object], by: str) -> Iterator[Decision]:
    """The edits of a row, then its decision; nothing that holds already."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    by = checked_text(str(row.get("by") or by), "The name in the column by")
    note = str(row.get("note") or "").strip()

    def decision(made: Literal["accept", "edit", "reject"], edit: Edit | None = None) -> Decision:
        item = progress.shown.item
        kept = checked_text(note, "The note") if note and not edit else ""
        return Decision(item=item.id, unit=item.provenance.unit_id, decision=made, by=by, at=at, note=kept, edit=edit)

    for column, field, before in list(_texts(progress.shown)):
        after = str(row.get(column) or "").strip()
        if after not in {"", before.strip()}:
            edited = decision("edit", Edit(field=field, before=before, after=after))
            progress = progress.after(edited)
            yield edited
    match str(row.get("decision") or "").strip().casefold():
        case "accept" | "reject" as made:
            if made != progress.settled:
                yield decision(made)
        case "":
            pass
        case other:
            raise UsageError(f"“{other}” is not a decision.", allowed="accept, reject, or empty.")
