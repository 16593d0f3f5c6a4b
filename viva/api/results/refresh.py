"""What a refresh found of documents and questions, as tables and sentences."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from viva.api.result import Column, Result, Table
from viva.core.records.refresh import Refresh
from viva.core.wording import counted

_DOCUMENTS = ("changed", "moved", "new", "gone")
_SHOWN = 240
"""Characters of a passage in the tables; the record has all."""


def refresh_result(run: Path, found: Refresh, *, check: bool) -> Result:
    """Say what became of documents and questions, which questions are set aside and why, and which came."""
    states = Counter[str](each.state for each in found.documents)
    names = [f"{states[name]} {name}" for name in _DOCUMENTS if states[name]]
    ends = Counter[str](each.state for each in found.items)
    again = sum(each.renewed and each.state == "valid" for each in found.items)
    counts = f"{ends['valid']} valid ({again} of them in another document or wording), {ends['changed']} changed"
    questions = f"Questions: {counts}, {counted(ends['orphan'], 'orphan')}."
    notes = [
        f"Documents: {', '.join([f'{found.unchanged} unchanged', *names])}.",
        questions,
    ]
    if ends["no evidence"]:
        notes.append(f"{counted(ends['no evidence'], 'question')} without evidence cannot be checked, and stay.")
    if found.items and not ends["valid"]:
        notes.append("Nothing of the evidence is in these documents: they seem to be others.")
    notes += [*found.notes, *(_checked_only(run, found) if check else _done(run, found))]
    tables = tuple(table for table in (_documents(found), _set_aside(found), _added(found)) if table.cells)
    record = {"folder": str(run), "check": check, **found.model_dump(mode="json")}
    return Result(f"{run} and {found.documents_folder}", tables, tuple(notes), record)


def _checked_only(run: Path, found: Refresh) -> list[str]:
    if not found.documents and not found.set_aside:
        return ["Nothing is to be done."]
    if not any(each.state == "valid" for each in found.items):
        return ["Nothing was changed, and without --check nothing would be."]
    again = f"viva refresh {run} {found.documents_folder}"
    return [f"Nothing was changed. To set questions aside and write others: {again}"]


def _done(run: Path, found: Refresh) -> list[str]:
    if found.exam_before == found.exam_after and not found.set_aside:
        return ["All questions are valid; the exam has the same questions and answers."]
    came = f"; {counted(len(found.added), 'question')} came in their place" if found.added else ""
    return [
        f"{counted(len(found.set_aside), 'question')} set aside{came}. Answers to valid questions stay.",
        f"The exam before is in {run / f'exam.{found.exam_before}.jsonl'}; the answers to it are in the run.",
        f"Next: viva sit {run} -e SPEC asks what is new, then viva score {run}",
    ]


def _documents(found: Refresh) -> Table:
    rows = tuple((each.path, each.state, each.before) for each in found.documents)
    return Table("Documents", (Column("document"), Column("state"), Column("path before")), rows)


def _set_aside(found: Refresh) -> Table:
    columns = ("id", "question", "state", "document", "reason", "before", "after")
    rows = tuple(
        (each.item_id[:8], each.stem, each.state, each.path, each.reason, _short(each.before), _short(each.after))
        for each in found.set_aside
    )
    return Table("Questions set aside", tuple(Column(name) for name in columns), rows)


def _added(found: Refresh) -> Table:
    rows = tuple((each.item_id[:8], each.stem) for each in found.added)
    return Table("New questions", (Column("id"), Column("question")), rows)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]} ..."
