"""Exams that are given to a run: taken from a file, with the evidence of their contexts; the exam before is kept.

RUN/exam.jsonl is a copy of the run's latest exam. Where a person has edited it, that is noticed, and nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from viva.core.accounts import OwnExam
from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.core.tables import read_text
from viva.core.wording import counted
from viva.exams.contexts import find_contexts, without_documents
from viva.exams.file import ExamFile, exam_lines, parse_exam, write_exam, write_file
from viva.exams.formats import Imported
from viva.graphs.authoring.account import OWN_EXAM
from viva.graphs.context import RunContext
from viva.storage.runs import RunStore

EXAM_FILE = "exam.jsonl"
"""The latest exam in the run folder, for other tools."""
EditedExam = Literal["take", "restore"]
"""What is done with a copy of the exam that was edited: it becomes the run's exam, or is written anew."""
EDITED: dict[str, EditedExam] = {"take": "take", "restore": "restore"}
_LOST_KEPT = 200
"""Contexts that are kept by name where they are not found."""


@dataclass(frozen=True)
class GivenExam:
    """An exam, and the file that it is from."""

    found: Imported
    file: str


def take_exam(context: RunContext, given: GivenExam) -> OwnExam:
    """Make it the run's exam, with evidence in the run's documents where its contexts are found again.

    The exam before is kept, with all answers to it: in the run, and as exam.ID.jsonl in its folder.
    """
    found, store, documents = given.found, context.store, context.has_documents
    written = _written_before(store, found.exam)
    if written is not None:
        before = keep_exam(context, written)
        keep_edits(context)
        store.add_exam(written)
        store.add_result(OWN_EXAM, None)
        write_exam(written, context.folder / EXAM_FILE)
        evidence = sum(len(shown.item.evidence) for shown in written.items)
        update = {"contexts": {"exact": evidence}, "replaced": before}
        return _told(written, given, documents=documents).model_copy(update=update)
    told: dict[str, object] = {}
    if documents:
        search = find_contexts(found.exam, context.documents.values())
        lost = tuple((each.stem, each.context) for each in search.lost[:_LOST_KEPT])
        exam = search.exam
        told = {"contexts": dict(search.found), "lost": lost, "several": search.several}
    else:
        exam = without_documents(found.exam)
    own = _told(exam, given, documents=documents).model_copy(update=told)
    own = own.model_copy(update={"replaced": keep_exam(context, exam)})
    adopt_own(context, exam, own)
    return own


def _written_before(store: RunStore, exam: Exam) -> Exam | None:
    """The exam that the run wrote last, if it is this one."""
    given = {each["exam_id"] for each in store.results(OWN_EXAM) if each}
    found = next((each for each in store.exams() if each == exam and each.id not in given), None)
    if found is None:
        return None
    accepted = sum(counts["items"] for counts in store.walk_counts().values())
    left_out = sum((store.latest_result("left_out") or {}).values())
    return found if accepted == len(found.items) + len(found.examples) + left_out else None


def _told(exam: Exam, given: GivenExam, *, documents: bool) -> OwnExam:
    published = given.found.publication
    return OwnExam(
        exam_id=exam.id,
        file=given.file,
        format=given.found.format,
        title=given.found.title.partition(" (")[0],
        items=len(exam.items),
        multiple_choice=sum(not shown.item.is_open for shown in exam.items),
        problems=tuple(map(str, given.found.problems)),
        reasons=given.found.reasons,
        documents=documents,
        canary=published.canary if published else "",
    )


def adopt_own(context: RunContext, exam: Exam, own: OwnExam) -> None:
    """Make an exam that was given the run's exam; done again it changes nothing."""
    keep_edits(context)
    context.store.add_exam(exam)
    choices = sum(not shown.item.is_open for shown in exam.items)
    told = own.model_copy(update={"exam_id": exam.id, "items": len(exam.items), "multiple_choice": choices})
    context.store.add_result(OWN_EXAM, told.model_dump(mode="json"))
    write_exam(exam, context.folder / EXAM_FILE)


def keep_exam(context: RunContext, other: Exam | None = None) -> str:
    """Write the latest exam under its own name, before the other one takes its place; "" if it is that, or its id."""
    latest = context.store.latest_exam()
    if latest is None or (other is not None and latest.id == other.id):
        return ""
    write_exam(latest, context.folder / f"exam.{latest.id}.jsonl")
    return latest.id


# --- an edited copy -----------------------------------------------------------------------------------------


def edited_exam(context: RunContext) -> ExamFile | None:
    """The copy of the exam in the run folder, if it is not the run's latest exam. UsageError if it cannot be read."""
    path, latest = context.folder / EXAM_FILE, context.store.latest_exam()
    if not path.is_file():
        return None
    text = read_text(path)
    if latest is not None and (text == _lines(latest) or _asks_the_same(text, latest)):
        return None
    try:
        found = parse_exam(text, str(path))
    except UsageError as error:
        raise UsageError(
            f"{path} was edited, and is no exam any more: {error.problem}",
            next_step=f"Mend it, or write it anew from the run: --edited-exam restore. {error.next_step}",
        ) from error
    known = latest is not None and (found.exam == latest or _is_older_copy(context, found))
    return None if known else found


def settled_edits(
    context: RunContext, choice: EditedExam | None, ask: Callable[[str], EditedExam | None] | None = None
) -> GivenExam | None:
    """An edited copy of the exam that is to be taken. UsageError where nobody has chosen what is done with it.

    "restore" writes the file anew. A run that has no exam yet takes the copy. `ask` puts the question to a person;
    None: there is nobody.
    """
    path, latest = context.folder / EXAM_FILE, context.store.latest_exam()
    if choice == "restore" and latest is not None:
        _restore(context)
        return None
    found = edited_exam(context)
    if found is None:
        return None
    if latest is not None and choice is None:
        changed = f"{path} was edited: {_difference(found.exam, latest)}."
        choice = ask(changed) if ask else None
        if choice is None:
            raise UsageError(
                changed,
                next_step="Take it as the exam of the run: --edited-exam take. Or write the file anew from the run: "
                f"--edited-exam restore (the edited one is kept as {_free(context.folder).name}).",
            )
        if choice == "restore":
            _restore(context)
            return None
    return GivenExam(Imported(found.exam, "viva", ()), str(path))


def keep_edits(context: RunContext) -> None:
    """Move an edited copy of the exam aside before it is written over."""
    path, latest = context.folder / EXAM_FILE, context.store.latest_exam()
    if latest is None or not path.is_file():
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    if text != _lines(latest) and not _asks_the_same(text, latest):
        path.replace(_free(context.folder))


def _restore(context: RunContext) -> None:
    keep_edits(context)
    latest = context.store.latest_exam()
    if latest is not None:
        write_file(_lines(latest), context.folder / EXAM_FILE)


def _free(folder: Path) -> Path:
    """A name for an edited copy that no file has."""
    names = (f"exam.edited{f'-{n}' if n > 1 else ''}.jsonl" for n in range(1, 10_000))
    return next(path for name in names if not (path := folder / name).exists())


def _lines(exam: Exam) -> str:
    return "".join(f"{line}\n" for line in exam_lines(exam))


def _asks_the_same(text: str, exam: Exam) -> bool:
    """Whether it is a copy that another version wrote: with other fields, but the same questions in this order."""
    try:
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        if lines[0].get("exam") != exam.id:
            return False
        shown = [(each["item"]["id"], tuple(each["options"])) for each in lines[1:] if each["kind"] == "item"]
        known = {field for each in exam.items for field in each.item.model_dump()}
        other = any(each["item"].keys() - known for each in lines[1:] if each["kind"] == "item")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return False
    return other and shown == [(each.item.id, each.options) for each in exam.items]


def _is_older_copy(context: RunContext, found: ExamFile) -> bool:
    """Tell whether it is an earlier exam of a run that other machines go on with."""
    return context.on_server and not found.is_edited and found.exam.id in {exam.id for exam in context.store.exams()}


def _difference(found: Exam, latest: Exam) -> str:
    there, here = ({shown.item.id for shown in exam.items} for exam in (found, latest))
    if there == here:
        return "topics, options or other parts of its questions are not those of the run's exam"
    new, gone = counted(len(there - here), "question"), counted(len(here - there), "question")
    return f"it has {new} that the run's exam has not, and lacks {gone} of it"
