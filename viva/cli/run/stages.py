"""`viva run`, `ingest`, `write`, `sit`, `score`, `report`: settings, progress, and a summary at the end."""

from __future__ import annotations

from viva.cli.diagnose import print_budget
from viva.cli.run.documents import documents_of
from viva.cli.run.options import DocumentsOptions, StageOptions
from viva.cli.settings import run_folder, settings_given
from viva.cli.sit.oral import announce_oral
from viva.cli.terminal.console import output_kept_clean, shown_progress
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.graphs.context import RunContext
from viva.graphs.grading.graders import check_judge
from viva.graphs.resources.casts import check_models
from viva.graphs.results import check_pairs
from viva.graphs.run import Stage
from viva.graphs.runner import run_stages
from viva.graphs.sitting.reference_examinees import check_repeats
from viva.reports.write import write_report


def walk_documents(given: DocumentsOptions, *, last: Stage) -> None:
    """The stages from reading the documents to the last one that is wanted."""
    documents = documents_of(given)
    settings = settings_given(given)
    if given.by_name.get("oral_questions") and not settings.model:
        raise UsageError(GONE["oral examination by rules"])
    context = RunContext(run_folder(documents, given.out), settings, documents_folder=documents)
    _walk(context, "ingest", last, as_json=given.json, repeated=bool(given.by_name.get("repeats")))


def walk_stage(given: StageOptions, stage: Stage) -> None:
    """One stage of an existing run."""
    context = RunContext(given.run, settings_given(given, given.run))
    if any(given.by_name.get(option) for option in ("judge", "qualities")):
        # the run keeps the names for its next stages
        check_judge(context)
    if stage == "score":
        # before the names are kept for later scores
        check_pairs(context)
    _walk(context, stage, stage, as_json=given.json, repeated=bool(given.by_name.get("repeats")))


def _walk(context: RunContext, first: Stage, last: Stage, *, as_json: bool, repeated: bool) -> None:
    from viva.cli.inspect.look import print_summary

    with output_kept_clean(), shown_progress() as watch:
        context.watch, context.write_report = watch, write_report
        if last in {"sit", "score", "report"} and first in {"ingest", "sit"}:
            # a mistyped examinee is reported before the exam is written, not after
            context.candidates.check()
            if repeated:
                check_repeats(context)
            if not as_json:
                print_budget(context, diagnosis=last == "report")
            if last != "sit":
                check_judge(context)
                announce_oral(context)
        if first in {"ingest", "write"} and last != "ingest":
            check_models(context.settings, context.models)
        run_stages(context, first, last)
    print_summary(context.folder, context.settings.database_url, last, as_json=as_json)
