"""The report of a run: what it shows is collected from the run's records, and written into the run folder."""

from __future__ import annotations

from pathlib import Path

from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.core.records import Response
from viva.graphs.authoring.account import blueprint_of, coverage_of, funnel_of, model_use_of, notes_of, own_exam
from viva.graphs.authoring.editions import editions_of
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.peer_responses import diagnoses_of
from viva.graphs.grading import grade_open
from viva.graphs.oral_exam.record import examinations
from viva.graphs.resources.stage_times import times_of
from viva.graphs.results import REPORT_FILE, refinement_of, scores_of, unscored_sentences
from viva.reports.data import ReportData


def write_report(context: RunContext) -> None:
    """Write RUN/report.html. UsageError where the latest exam has no scores yet."""
    from viva.reports.html import render_report

    data = report_data(context)
    context.watch("report", 0, 1)
    write_whole(context.folder / REPORT_FILE, render_report(data))
    context.watch("report", 1, 1)


def report_data(context: RunContext) -> ReportData:
    """Collect what the report shows. UsageError where the latest exam has no scores yet."""
    from viva.storage.corpus.statistics import CorpusStatistics

    scores, exam = scores_of(context.store, context.folder), context.store.latest_exam()
    if exam is None or scores.exam_id != exam.id:
        raise UsageError("The scores are of another exam.", next_step=f"Score again: viva score {context.folder}")
    responses: dict[str, list[Response]] = {shown.item.id: [] for shown in exam.items}
    given = context.store.responses_to(exam.items, all_occasions=True)
    for response in given:
        if not response.occasion:
            responses[response.item_id].append(response)
    evidence = {span.document_id for shown in exam.items for span in shown.item.evidence}
    return ReportData(
        run=context.store.run,
        statistics=CorpusStatistics.model_validate(context.store.latest_result("statistics")),
        exclusions=tuple(context.store.exclusions()),
        funnel=funnel_of(context.store),
        exam=exam,
        scores=scores,
        unscored=unscored_sentences(context.store, Path("RUN"), exam, scores),
        documents={i: context.documents[i] for i in sorted(evidence)},
        rejections=tuple(context.store.rejections()),
        responses={item_id: tuple(found) for item_id, found in responses.items()},
        later=tuple(response for response in given if response.occasion),
        judged=grade_open.judged(context.store, given),
        times=times_of(context.store),
        model_use=model_use_of(context.models),
        blueprint=blueprint_of(context.store),
        coverage=coverage_of(context.store),
        exam_notes=notes_of(context.store),
        own=own_exam(context.store),
        refinement=refinement_of(context.store, exam),
        diagnoses=diagnoses_of(context.store, exam),
        editions=tuple(editions_of(context.store)),
        oral=examinations(context.store, {i: document.path for i, document in context.documents.items()}),
    )
