"""The stages of a run: their options become one call, and what it made is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import typer

from viva.cli.run.options import DocumentsOptions, PlanOptions, SitOptions, StageOptions
from viva.cli.settings import chosen_settings, option_of
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import ELSEWHERE, show

if TYPE_CHECKING:
    from viva.api.stages import Caller, ExamChoice


def walk_documents(given: DocumentsOptions, *, last: Literal["ingest", "report"]) -> None:
    """Do the stages from reading the documents to the last one that is wanted."""
    from viva.api.stages import run_from_documents

    exam, caller = _exam(given), _caller(as_json=given.json)
    with prepared_process():
        done = run_from_documents(
            given.docs, given.loader, given.out, chosen_settings(given), last, exam=exam, caller=caller
        )
    show(done, as_json=given.json, elsewhere=ELSEWHERE)


def walk_stage(given: StageOptions, stage: Literal["write", "score", "report"]) -> None:
    """Do one stage of an existing run."""
    from viva.api.stages import run_stage

    exam, caller = _exam(given), _caller(as_json=given.json)
    with prepared_process():
        done = run_stage(given.run, chosen_settings(given), stage, exam=exam, caller=caller)
    show(done, as_json=given.json, elsewhere=ELSEWHERE)


def show_plan(given: PlanOptions) -> None:
    """Predict what writing the exam needs."""
    from viva.api.planning import plan_exam
    from viva.api.stages import documents_named

    with prepared_process():
        found = plan_exam(documents_named(given.docs, given.loader), given.out, chosen_settings(given), option_of)
    show(found, as_json=given.json)


def sit_run(given: SitOptions) -> None:
    """Let systems take the whole exam, or a sample; that of a run, or one's own."""
    from viva.api.stages import ExamChoice, exam_alone, run_sample, run_stage, take_given

    folder, chosen, exam, caller = given.run, chosen_settings(given), _exam(given), _caller(as_json=given.json)
    alone = exam_alone(folder, given.out, chosen, exam)
    if given.sample is not None:
        _check_sample(given)
    with prepared_process():
        if alone is not None:
            # its evidence and its copies are settled
            folder, exam = (
                take_given(alone, given.out, chosen, caller=caller)[0],
                ExamChoice(edited=given.edited_exam),
            )
        if given.sample is not None:
            done = run_sample(folder, chosen, given.sample, exam=exam, caller=caller)
        else:
            done = run_stage(folder, chosen, "sit", exam=exam, again=given.again, caller=caller)
    show(done, as_json=given.json)
    if not given.json and alone is None and given.sample is None:
        typer.echo(f"For open questions on all of the documents: viva oral {folder} -e SPEC")


def _check_sample(given: SitOptions) -> None:
    from viva.api.failures import UsageError

    if not given.examinee:
        raise UsageError(
            "--sample is given, but no system is named.",
            next_step=f"Name a new system: viva sit {given.run} --sample {given.sample} -e my_rag.py:answer",
        )
    if given.again:
        raise UsageError("--again asks the whole exam, not a sample.", next_step="Leave out --sample or --again.")
    if given.repeats is not None:
        raise UsageError("--sample does not work with --repeats: a sample is asked once.", next_step="Leave one out.")
    if given.engine == "ray":
        raise UsageError("--sample does not work with --engine ray.", next_step="Leave --engine out.")


def _exam(given: DocumentsOptions | StageOptions) -> ExamChoice:
    from viva.api.stages import ExamChoice

    return ExamChoice(given.by_name.get("exam"), given.by_name.get("edited_exam"))


def _caller(*, as_json: bool) -> Caller:
    """Say on standard error what is about to be done; ask whoever is at the terminal."""
    from viva.api.stages import Caller

    asks = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    return Caller(option_of, _say, _asked if asks else None, brief=as_json)


def _say(sentences: Iterable[str]) -> None:
    from viva.api.terminal import harmless

    for sentence in sentences:
        typer.echo(harmless(sentence), err=True)


def _asked(changed: str) -> str:
    """Ask a person at the terminal what is done with an edited exam."""
    answer: str = typer.prompt(
        f"{changed}\nTake it as the exam of the run, restore the file from the run, or stop? (take, restore, stop)",
        default="stop",
    )
    return answer.strip().casefold()
