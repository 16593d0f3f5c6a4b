"""`viva refine`: drop items with little information, add missing ones, if it helps on held-out examinees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from viva.cli.options import Database, Json, MaxCalls, MaxCost, MaxTokens, Options, Timeout, takes

if TYPE_CHECKING:
    from rich.console import Console

    from viva.core.refinement import Refinement
    from viva.graphs.refinement.refine import RefinementOutcome

EPILOG = "Example: viva refine run1 --dry-run, then viva refine run1 and viva report run1"
_LISTED = 20


@dataclass(frozen=True, kw_only=True)
class RefineOptions(Options):
    """Options of `viva refine`."""

    run: Annotated[Path, typer.Argument(help="The folder of a scored run.", metavar="RUN")]
    rounds: Annotated[int | None, typer.Option(help="The most rounds (default: 10; with --replenish 3).", min=1)] = (
        None
    )
    replenish: Annotated[
        bool,
        typer.Option(
            "--replenish",
            help="Also add items where the exam has too little information, and ask systems these items.",
        ),
    ] = False
    examinee: Annotated[
        list[str] | None,
        typer.Option(
            "--examinee",
            "-e",
            metavar="SPEC",
            help="With --replenish: a system of yours that may be asked again; repeatable (default: the systems that "
            "viva sit asked last).",
        ),
    ] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.")] = False
    max_cost: MaxCost = None
    max_tokens: MaxTokens = None
    max_calls: MaxCalls = None
    timeout: Timeout = None
    database_url: Database = None
    json: Json = False


@takes(RefineOptions)
def refine(given: RefineOptions) -> None:
    """Improve a scored exam: drop questions that say little about systems. The old exam is kept.

    With --replenish, viva also adds questions.
    """
    from viva.cli.settings import settings_given
    from viva.cli.terminal.escape import output_kept_clean
    from viva.cli.terminal.progress import shown_progress
    from viva.graphs.context import RunContext
    from viva.graphs.refinement.refine import plan_of, refine_run
    from viva.graphs.resources.casts import check_models

    plan = plan_of(given.rounds, replenish=given.replenish)
    context = RunContext(given.run, settings_given(given, given.run))
    with output_kept_clean(), shown_progress() as watch:
        context.watch = watch
        if given.examinee:
            context.candidates.check()
        if given.replenish:
            check_models(context.settings, context.models)
        outcome = refine_run(context, plan, dry_run=given.dry_run)
    _print(given.run, outcome, dry_run=given.dry_run, as_json=given.json)


def _print(run: Path, outcome: RefinementOutcome, *, dry_run: bool, as_json: bool) -> None:
    from viva.cli.terminal.console import print_json, wide_console

    if as_json:
        told = {"folder": str(run), "new": outcome.new, "dry_run": dry_run, "items": len(outcome.exam.items)}
        print_json({**told, **outcome.refinement.model_dump(mode="json")})
        return
    console = wide_console()
    if not outcome.new:
        _say(
            console,
            "This exam was refined in this way before, with the answers of the same examinees. Nothing was done.",
        )
    _print_steps(console, outcome.refinement)
    for note in outcome.refinement.notes:
        _say(console, f"Note: {note}")
    _say(console, _result(run, outcome, dry_run=dry_run))


def _say(console: Console, text: str) -> None:
    from viva.cli.terminal.escape import plain

    console.print(plain(text))


def _print_steps(console: Console, made: Refinement) -> None:
    who = f"{len(made.judged_by)} other examinees" if made.judged_by else "the same examinees"
    _say(console, f"Items chosen by the answers of {len(made.chosen_by)} examinees. Result tested on {who}.")
    for number, step in enumerate(made.steps):
        back = "" if step.accepted else "; undone"
        _say(
            console,
            f"  {number:2d}  {len(step.items)} questions, information {step.information:.2f} "
            f"({step.per_item:.4f} per question), {len(step.dropped)} dropped, {len(step.added)} added{back}",
        )
    lines = [f"- {each.stem}\n      {each.reason}" for step in made.steps for each in step.dropped if step.accepted]
    lines += [
        f"+ {each.stem}" + (f"\n      for {each.topic}" if each.topic else "")
        for step in made.steps
        for each in step.added
        if step.accepted
    ]
    for line in lines[:_LISTED]:
        _say(console, f"  {line}")
    if len(lines) > _LISTED:
        _say(console, f"  and {len(lines) - _LISTED} more (--json shows all)")


def _result(run: Path, outcome: RefinementOutcome, *, dry_run: bool) -> str:
    made, before = outcome.refinement, len(outcome.refinement.steps[0].items)
    ended = f"Ended: {made.end}."
    if not made.changed:
        return f"{ended} The exam does not change: {before} questions."
    if dry_run:
        return f"{ended} {before} questions would become {len(outcome.exam.items)}. Nothing was recorded."
    kept = run / f"exam.{made.exam_before}.jsonl"
    return (
        f"{ended} {before} questions became {len(outcome.exam.items)}, which are scored. The old exam is in {kept}; "
        f"to go back to it: viva write {run}. Next: viva report {run}"
    )
