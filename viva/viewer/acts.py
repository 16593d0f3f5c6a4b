"""What people do in the viewer: review questions, label answers, make the reviewed exam. Each is recorded at once.

A form holds what its page showed (`seen`). Where somebody has decided otherwise meanwhile, nothing is recorded, and
the second person is told (Overtaken).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from viva.core.errors import UsageError
from viva.core.records import Exam, Review
from viva.core.records.labels import LABELS, Label
from viva.exams.file import exam_lines
from viva.exams.review import Decision, Edit, Overtaken, ReviewProgress, checked_text, reviewed_exam, standings
from viva.graphs import stages
from viva.graphs.grading.labels import labelled_by, left_to_draw
from viva.storage.lock import run_lock
from viva.viewer.loaded_run import LoadedRun
from viva.viewer.pages.items import row_of, rows_of
from viva.viewer.pages.judges import draw, seed_of, seen
from viva.viewer.query import NotFound

_SKIPPED = "skip"
_TAKEN_BACK = "undo"
_LONGEST_NOTE = 2000


def review(run: LoadedRun, item_id: str, form: Mapping[str, str], by: str) -> str:
    """Record one decision about a question; the id of the question as it stands then.

    UsageError for a decision that cannot be, Overtaken where the page is older than the last decision.
    """
    with run.reviews.deciding():
        run.forget()
        state = run.state()
        row = row_of(rows_of(state), state, item_id)
        progress = state.standing[row.number - 1]
        progress.check_seen(form.get("seen", ""))
        decision = _decision(progress, form, by)
        if decision.decision != "undo":
            # an edit that cannot be is refused before it is on the disk
            progress.after(decision)
        elif state.exam is None or _after(state.exam, run, decision, row.number) == progress.reviews:
            raise UsageError(
                "There is no decision about this question that could be taken back.",
                allowed="Those since the exam was made: what is part of it already is decided anew.",
            )
        run.reviews.append(decision)
        run.forget()
    return run.state().standing[row.number - 1].shown.item.id


def _after(exam: Exam, run: LoadedRun, decision: Decision, number: int) -> tuple[Review, ...]:
    return standings(exam, [*run.reviews.read(), decision])[number - 1].reviews


def _decision(progress: ReviewProgress, form: Mapping[str, str], by: str) -> Decision:
    item, said = progress.shown.item, form.get("decision", "")
    note = form.get("note", "").strip()
    if note:
        note = checked_text(note[:_LONGEST_NOTE], "The note")
    edit = None
    match said:
        case "edit":
            field, before = form.get("field", ""), form.get("before", "")
            if field not in ("stem", "key", "option", "reference"):
                raise UsageError(f"{field!r} cannot be reworded.", allowed="stem, key, option, reference.")
            after = form.get("after", "")
            if before == after:
                raise UsageError("The wording is as it was: nothing was recorded.")
            edit = Edit.model_validate({"field": field, "before": before, "after": after})
        case "accept" | "reject" | "undo":
            pass
        case _:
            raise UsageError(f"The decision is {said!r}.", allowed="accept, edit, reject, undo.")
    last = progress.reviews[-1] if progress.reviews else None
    stood = last.before if said == "undo" and last and last.before else item.id
    fields = {"item": stood, "unit": item.provenance.unit_id, "decision": said, "by": by, "at": _now()}
    return Decision.model_validate({**fields, "note": note, "edit": edit})


def finish(run: LoadedRun) -> int:
    """Make the exam as its questions stand the run's latest; how many questions it has.

    UsageError where none is left, RunLocked while another process works on the run.
    """
    with run_lock(run.folder), run.context.store.server_lock():
        stages.review(run.context, run.reviews.read())
    run.forget()
    exam = run.state().exam
    return len(exam.items) if exam else 0


def exam_file(run: LoadedRun) -> str:
    """The exam as its questions stand, in viva's format. UsageError where there is none."""
    state = run.state()
    if state.exam is None:
        raise NotFound("There is no exam in this run yet.", next_step=f"Write one: viva write {run.folder}")
    return "".join(exam_lines(reviewed_exam(state.exam, state.standing)))


def label(run: LoadedRun, response_id: str, form: Mapping[str, str], by: str) -> None:
    """Record what a person says of an open answer, or that it is skipped or taken back.

    UsageError for another word, NotFound for an unknown answer, Overtaken where this person labelled it elsewhere.
    """
    said = form.get("score", "")
    if said not in LABELS and said not in {_SKIPPED, _TAKEN_BACK}:
        raise UsageError(f"The label is {said!r}.", allowed=f"{', '.join([*LABELS, _SKIPPED, _TAKEN_BACK])}.")
    with run.reviews.deciding():
        state = run.state()
        drawn = draw(run, state)
        if not any(each.response.id == response_id for each in drawn):
            raise NotFound("This run has no such open answer.", next_step="The page Judges leads to the next one.")
        mine = labelled_by(run.context.store, by)
        before = mine.get(response_id)
        if form.get("seen", "") != seen(before):
            raise Overtaken(
                "Meanwhile this answer got another label under your name: nothing was recorded.",
                next_step="Look at it again, then label it.",
            )
        # an answer that somebody picked is no random draw, and counts in no figure (docs/labels.md); it may be the
        # next of the draw all the same, so the form says which of the two it was
        turn = next((own for each in drawn if left_to_draw(mine.get(own := each.response.id))), "")
        seed = before.seed if before else None
        if seed is None and "drawn" in form and response_id == turn and said != _TAKEN_BACK:
            seed = seed_of(state)
        given = Label(response_id=response_id, by=by, at=_now(), score=LABELS.get(said), seed=seed)
        run.context.store.add_labels([given])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
