"""`viva refine`: drop items that tell nothing about systems, and write others in their place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from viva.cli.options import Database, Json, MaxCalls, MaxCost, MaxTokens, Options, Timeout, takes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from viva.core.records.refinement import Refinement

EPILOG = "Example: viva refine run1 --replenish, then viva report run1"


@dataclass(frozen=True, kw_only=True)
class RefineOptions(Options):
    """Options of `viva refine`."""

    run: Annotated[Path, typer.Argument(help="The folder of a scored run.", metavar="RUN")]
    rounds: Annotated[int, typer.Option(help="The most rounds; each drops at most a tenth of the exam.", min=1)] = 3
    replenish: Annotated[
        bool,
        typer.Option("--replenish", help="Also write as many items as are dropped, and ask systems these items."),
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
    max_cost: MaxCost = None
    max_tokens: MaxTokens = None
    max_calls: MaxCalls = None
    timeout: Timeout = None
    database_url: Database = None
    json: Json = False


@takes(RefineOptions)
def refine(given: RefineOptions) -> None:
    """Improve a scored exam: drop questions that tell little about systems. The old exam is kept.

    With --replenish, viva also writes questions in their place.
    """
    from viva.api.terminal import plain, print_json, wide_console
    from viva.cli.settings import settings_given
    from viva.cli.terminal.process import long_command
    from viva.graphs.context import RunContext
    from viva.graphs.refinement.refine import refine_run
    from viva.graphs.resources.casts import check_models

    context = RunContext(given.run, settings_given(given, given.run))
    with long_command() as watch:
        context.watch = watch
        if given.replenish:
            check_models(context.settings, context.models)
        made = refine_run(context, given.rounds, replenish=given.replenish)
    if given.json:
        print_json({"folder": str(given.run), **made.model_dump(mode="json")})
        return
    for line in _lines(given.run, made):
        wide_console().print(plain(line))


def _lines(run: Path, made: Refinement) -> Iterator[str]:
    for number, step in enumerate(made.steps, start=1):
        yield f"Round {number}: {len(step.dropped)} dropped, {len(step.added)} added"
        for each in step.dropped:
            yield f"  - {each.stem}\n      {each.reason}"
        for each in step.added:
            yield f"  + {each.stem}"
    for note in made.notes:
        yield f"Note: {note}"
    yield f"Ended: {made.end}."
    if made.steps:
        kept = run / f"exam.{made.exam_before}.jsonl"
        yield f"The refined exam is scored. The old one is in {kept}; to go back to it: viva write {run}."
        yield f"Next: viva report {run}"
    else:
        yield "The exam does not change."
