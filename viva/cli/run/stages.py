"""`viva run`, `ingest`, `write`, `sit`, `score`, `report`: settings, progress, and a summary at the end."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import typer
from rich.console import Console

from viva.api.terminal import plain
from viva.cli.diagnose import print_budget
from viva.cli.run.documents import documents_of
from viva.cli.run.options import DocumentsOptions, StageOptions
from viva.cli.settings import settings_given
from viva.cli.sit.oral import announce_oral
from viva.cli.terminal.process import long_command
from viva.core.accounts import OwnExam
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.exams.formats import import_exam
from viva.graphs.assembly.own_questions import EDITED, EditedExam, GivenExam, settled_edits
from viva.graphs.context import RunContext
from viva.graphs.grading.graders import check_judge
from viva.graphs.resources.casts import check_models
from viva.graphs.resources.run_settings import run_folder
from viva.graphs.results import check_pairs
from viva.graphs.run import Stage
from viva.graphs.runner import run_stages, take_own_exam
from viva.graphs.sitting.reference_examinees import check_repeats
from viva.reports.write import write_report
from viva.storage.run_place import found_place


def walk_documents(given: DocumentsOptions, *, last: Stage) -> None:
    """The stages from reading the documents to the last one that is wanted."""
    settings = settings_given(given)
    if given.by_name.get("oral_questions") and not settings.model:
        raise UsageError(GONE["oral examination by rules"])
    own, repeated = given_exam(given.by_name.get("exam")), bool(given.by_name.get("repeats"))
    if own and given.docs is None and given.loader is None:
        folder = exam_folder(Path(own.file), given.out)
        _walk(RunContext(folder, settings), "sit", last, as_json=given.json, own=own, repeated=repeated)
        return
    documents = documents_of(given)
    folder = run_folder(documents, given.out)
    if last == "report" and not own and found_place(folder, settings.database_url) is not None:
        with closing(RunContext(folder, settings)) as before:
            own = edited_of(before, given.by_name.get("edited_exam"), as_json=given.json)
    context = RunContext(folder, settings, documents_folder=documents)
    _walk(context, "ingest", last, as_json=given.json, own=own, repeated=repeated)


def walk_stage(given: StageOptions, stage: Stage) -> None:
    """One stage of an existing run."""
    settings = settings_given(given, given.run)
    with closing(RunContext(given.run, settings)) as before:
        own = given_exam(given.by_name.get("exam")) or edited_of(before, given.edited_exam, as_json=given.json)
    context = RunContext(given.run, settings, again=bool(given.by_name.get("again")))
    if any(given.by_name.get(option) for option in ("judge", "qualities")):
        # the run keeps the names for its next stages
        check_judge(context)
    if stage == "score" and not own:
        # before the names are kept for later scores
        check_pairs(context)
    _walk(context, stage, stage, as_json=given.json, own=own, repeated=bool(given.by_name.get("repeats")))


def given_exam(file: Path | None) -> GivenExam | None:
    """The exam of --exam. UsageError where it is none."""
    return None if file is None else GivenExam(import_exam(file), str(file))


def exam_folder(file: Path, out: Path | None) -> Path:
    """The run folder of an exam without documents: --out, or a folder named after the file."""
    return run_folder(file if file.is_dir() else file.with_suffix(""), out)


def edited_of(context: RunContext, choice: str | None, *, as_json: bool) -> GivenExam | None:
    """The edited copy of the run's exam, if it is to be taken. UsageError where it is edited and nobody says."""
    if choice is not None and choice not in EDITED:
        raise UsageError(f"--edited-exam is {choice!r}.", allowed="take, or restore.")
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    return settled_edits(context, EDITED[choice] if choice else None, _asked if asks else None)


def _asked(changed: str) -> EditedExam | None:
    """What a person at the terminal chooses; None to stop."""
    answer = typer.prompt(
        f"{changed}\nTake it as the exam of the run, restore the file from the run, or stop? (take, restore, stop)",
        default="stop",
    )
    return EDITED.get(answer.strip().casefold())


def _walk(
    context: RunContext, first: Stage, last: Stage, *, as_json: bool, repeated: bool, own: GivenExam | None = None
) -> None:
    from viva.cli.inspect.look import print_summary

    with long_command() as watch:
        context.watch, context.write_report = watch, write_report
        if last in {"sit", "score", "report"} and first in {"ingest", "sit"}:
            # a mistyped examinee is reported before the exam is written, not after
            context.candidates.check()
        if own:
            taken = take_own_exam(context, own)
            context, first = context.anew(), "sit" if first == "ingest" else first
            context.documents_folder = None
            if last not in {"score", "report"}:
                # their summary tells of it
                print_taken(taken)
        if last in {"sit", "score", "report"} and first in {"ingest", "sit"}:
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
    sat = context.candidates.specs if last != "write" and first in {"ingest", "sit"} and last != "ingest" else ()
    print_summary(context, last, sat, as_json=as_json)


def print_taken(taken: OwnExam) -> None:
    """Print on standard error what was taken of an exam that was given."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    for sentence in taken.sentences:
        console.print(plain(sentence))
