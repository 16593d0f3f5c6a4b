"""What comes of a run: its scores and its report."""

from __future__ import annotations

from pathlib import Path

from viva.core.blueprint import LevelFill
from viva.core.coverage import Coverage
from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.core.records import Exam, Response
from viva.core.refinement import REFINEMENT, Refinement
from viva.core.scores import Scores
from viva.graphs.authoring.account import funnel_of, model_use_of
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.record import diagnoses_of
from viva.graphs.grading import grade_open, labels
from viva.graphs.oral_exam.record import examinations, findings, kept_scores
from viva.graphs.resources.stage_times import times_of
from viva.graphs.sitting import adaptive_record
from viva.graphs.stages import as_asked_for, exam_of
from viva.reports.note_words import names_of, worded
from viva.storage.runs import RunStore

REPORT_FILE = "report.html"


SCORES_FILE = "scores.json"


def score(context: RunContext) -> None:
    """Grade, fit and compare everybody who sat this exam."""
    from viva.metrics.score import score_exam

    exam = exam_of(context.store, context.folder)
    responses = context.store.responses_to(exam.items)
    if not responses:
        raise UsageError("Nobody has sat this exam yet.", next_step=f"Let them: viva sit {context.folder}")
    in_part = adaptive_record.in_part(context.store, exam, responses)
    whole = [response for response in responses if response.examinee_id not in in_part]
    if not whole:
        raise UsageError(
            "Nobody has sat the whole of this exam yet, only parts, adaptively.",
            next_step=f"Let them sit the rest: viva sit {context.folder}",
        )
    sat = {response.examinee_id for response in whole}
    examinees = [examinee for examinee in as_asked_for(context.store) if examinee.id in sat]
    context.watch("score", 0, 1)
    graded = grade_open.judged(context.store, whole)
    scores = score_exam(
        exam, examinees, whole, seed=context.settings.seed, judged=graded, judge=grade_open.judge_card(context.store)
    )
    names = {examinee.id: examinee.name for examinee in context.store.examinees()}
    scores = adaptive_record.beside(scores, exam, in_part, names)
    asked_for = [row.examinee for row in scores.examinees if not row.examinee.manufactured]
    people = labels.findings_of(context.store, exam, asked_for, seed=context.settings.seed)
    scores = scores.model_copy(update={"oral": findings(kept_scores(context.store)), "people": people})
    context.store.add_result("scores", scores.model_dump(mode="json"))
    told = scores.model_dump_json(indent=2, context=worded(names_of(scores)))
    write_whole(context.folder / SCORES_FILE, told + "\n")
    context.watch("score", 1, 1)


def scores_of(store: RunStore, folder: Path) -> Scores:
    """The latest scores of the run in this folder. UsageError where nothing was scored yet."""
    found = store.latest_result("scores")
    if found is None:
        raise UsageError("This run has no scores yet.", next_step=f"Make them: viva score {folder}")
    return Scores.model_validate(found)


def report(context: RunContext) -> None:
    """Write RUN/report.html."""
    from viva.reports.data import ReportData
    from viva.reports.html import render_report
    from viva.storage.corpus import CorpusStatistics

    scores, exam = scores_of(context.store, context.folder), context.store.latest_exam()
    if exam is None or scores.exam_id != exam.id:
        raise UsageError("The scores are of another exam.", next_step=f"Score again: viva score {context.folder}")
    responses: dict[str, list[Response]] = {shown.item.id: [] for shown in exam.items}
    given = context.store.responses_to(exam.items)
    for response in given:
        responses[response.item_id].append(response)
    evidence = {span.document_id for shown in exam.items for span in shown.item.evidence}
    data = ReportData(
        run=context.store.run,
        statistics=CorpusStatistics.model_validate(context.store.latest_result("statistics")),
        exclusions=tuple(context.store.exclusions()),
        funnel=funnel_of(context.store),
        exam=exam,
        scores=scores,
        documents={i: context.documents[i] for i in sorted(evidence)},
        rejections=tuple(context.store.rejections()),
        responses={item_id: tuple(found) for item_id, found in responses.items()},
        judged=grade_open.judged(context.store, given),
        times=times_of(context.store),
        model_use=model_use_of(context.models),
        blueprint=tuple(LevelFill.model_validate(row) for row in context.store.latest_result("blueprint") or ()),
        coverage=tuple(Coverage.model_validate(row) for row in context.store.latest_result("coverage") or ()),
        exam_notes=tuple(context.store.latest_result("exam_notes") or ()),
        refinement=refinement_of(context.store, exam),
        diagnoses=diagnoses_of(context.store, exam),
        oral=examinations(context.store, {i: document.path for i, document in context.documents.items()}),
    )
    context.watch("report", 0, 1)
    write_whole(context.folder / REPORT_FILE, render_report(data))
    context.watch("report", 1, 1)


def refinement_of(store: RunStore, exam: Exam) -> Refinement | None:
    """The refinement that this exam came of; None where it was written so."""
    found = store.latest_result(REFINEMENT)
    refinement = None if found is None else Refinement.model_validate(found)
    return refinement if refinement and refinement.exam_after == exam.id else None
