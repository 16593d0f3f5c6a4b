"""`viva exam review`: people's decisions, from the viewer or from a file, become an exam."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from rich.console import Console

from viva.api.terminal import plain, print_json, wide_console
from viva.cli.exam.source import Opened, opened
from viva.cli.settings import named_person
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.core.records import ExamItem
from viva.core.tables import Row
from viva.exams.file import write_exam
from viva.exams.formats.rows import read_table, write_table
from viva.exams.review import (
    REVIEWS_FILE,
    Decision,
    Edit,
    EditedField,
    ReviewLog,
    ReviewProgress,
    checked_text,
    reviewed_exam,
    standings,
)

_COLUMNS = "Columns: item, decision (accept, reject or empty), note, by, and the texts as they were exported."


def review_exam(
    path: Path,
    file_format: str | None,
    database_url: str | None,
    reviewer: str | None,
    *,
    export: Path | None,
    import_: Path | None,
    as_json: bool,
) -> None:
    """Write the questions to a file of decisions, or write the exam as the decisions leave it."""
    if export is not None and import_ is not None:
        raise UsageError(
            "--export and --import are both given.", next_step="First export, then import the reviewed file."
        )
    with opened(path, database_url, file_format) as found:
        log = ReviewLog(_log_path(found))
        result = None
        if export is not None:
            write_table(list(map(_row, standings(found.exam, log.read()))), export)
        else:
            if import_ is not None:
                _record(found, log, import_, named_person(reviewer, "--reviewer"))
            elif not log.read():
                raise UsageError(GONE["review in the terminal"])
            result = _made(found, log)
        summary = _summary(standings(found.exam, log.read()), log, result)
    if as_json:
        print_json(summary)
    else:
        _print_end(wide_console(), found.notes, summary)


def _log_path(found: Opened) -> Path:
    """The path of the log: in the run folder, or next to the file and named after it."""
    return found.path / REVIEWS_FILE if found.context else found.path.with_name(f"{found.path.stem}.{REVIEWS_FILE}")


# --- the file of decisions ----------------------------------------------------------------------------------


def _row(progress: ReviewProgress) -> Row:
    item = progress.shown.item
    texts = {column: text for column, _, text in _texts(progress.shown)}
    evidence = " … ".join(span.quote for span in item.evidence)
    said = {"conversation": "\n".join(turn.line for turn in item.history)} if item.history else {}
    return {"item": item.id, "decision": progress.settled or "", "note": "", **said, **texts, "evidence": evidence}


def _texts(shown: ExamItem) -> Iterator[tuple[str, EditedField, str]]:
    """(column, field, text) of what may be reworded."""
    item = shown.item
    yield "stem", "stem", item.stem
    yield "key", "key", item.key
    yield "reference", "reference", item.reference_answer
    for n, wrong in enumerate(item.distractors, start=1):
        yield f"wrong_{n}", "option", wrong.text


def _record(found: Opened, log: ReviewLog, path: Path, by: str) -> None:
    """Record all decisions of the file, or none."""
    with log.deciding():
        before = log.read()
        now = {each.shown.item.id: each for each in standings(found.exam, before)}
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
        after = [each.shown.item.id for each in standings(found.exam, [*before, *made])]
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


# --- the result -------------------------------------------------------------------------------------------


def _made(found: Opened, log: ReviewLog) -> Path:
    """Write the reviewed exam: as the latest exam of the run, or as a new file next to the old one."""
    if found.context is None:
        path = found.path.with_name(f"{found.path.stem}.reviewed.jsonl")
        write_exam(reviewed_exam(found.exam, standings(found.exam, log.read())), path)
        return path
    from viva.graphs.assembly.own_questions import EXAM_FILE
    from viva.graphs.stages import review
    from viva.storage.lock import run_lock

    with run_lock(found.path), found.context.store.server_lock():
        review(found.context, log.read())
    return found.path / EXAM_FILE


def _summary(standing: Sequence[ReviewProgress], log: ReviewLog, result: Path | None) -> dict[str, object]:
    ended = Counter(each.settled for each in standing)
    return {
        "questions": len(standing),
        "accepted": ended["accept"],
        "edited": sum(each.is_edited and each.settled == "accept" for each in standing),
        "rejected": ended["reject"],
        "undecided": ended[None],
        "log": str(log.path),
        "exam": str(result) if result else None,
    }


def _print_end(console: Console, notes: Sequence[str], summary: Mapping[str, object]) -> None:
    for note in notes:
        console.print(plain(f"Note: {note}"))
    console.print(
        plain(
            f"{summary['accepted']} accepted ({summary['edited']} of them edited), {summary['rejected']} rejected, "
            f"{summary['undecided']} undecided. Decisions: {summary['log']}"
        )
    )
    if summary["exam"]:
        console.print(plain(f"The reviewed exam: {summary['exam']}"))
