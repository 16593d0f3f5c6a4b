"""`viva tune`: a judge's prompt is tuned, or a local judge is trained, on cases that people labelled."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import (
    BaseUrl,
    CallTimeout,
    Concurrency,
    Json,
    MaxCalls,
    MaxCost,
    MaxTokens,
    Price,
    Rpm,
    Temperature,
    Tpm,
)

EPILOG = (
    "Examples: viva tune correctness --data answers.csv --label-range 0-5 --model openai:gpt-4o-mini --max-cost 2; "
    "viva tune local correctness --data answers.csv"
)


def tune(
    judge: Annotated[
        list[str],
        typer.Argument(
            help="What is judged: correctness, rubric, answerability, faithfulness, relevance, groundedness, "
            "usefulness, stand_alone or preference. Before it, local: train a judge without a language model.",
            metavar="[local] JUDGE",
        ),
    ],
    data: Annotated[
        Path,
        typer.Option(help="Labelled cases: CSV, TSV or JSONL, one to a row.", metavar="FILE", show_default=False),
    ],
    test: Annotated[
        Path | None,
        typer.Option(
            help="Labelled cases to report on (default: a part of --data). What --data shares with them is left out.",
            metavar="FILE",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Which columns hold what: question=q,reference=gold,answer=a,passages=context,other=b,label=score,"
            "group=title. Usual names are found.",
            metavar="FIELD=COLUMN,...",
        ),
    ] = None,
    label_range: Annotated[str, typer.Option(help="Lowest and highest label.", metavar="LOW-HIGH")] = "0-1",
    labels: Annotated[
        str | None,
        typer.Option(help="What labels in words mean: right=1,wrong=0.", metavar="WORD=NUMBER,..."),
    ] = None,
    optimizer: Annotated[
        str | None,
        typer.Option(
            help="DSPy's, by name: LabeledFewShot (the default), BootstrapFewShot, BootstrapFewShotWithRandomSearch, "
            "COPRO, MIPROv2, MIPROv2+LabeledFewShot, GEPA, SIMBA.",
            metavar="NAME",
        ),
    ] = None,
    effort: Annotated[
        str | None, typer.Option(help="How far the search goes: light (the default), medium, heavy.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="PROVIDER:MODEL that judges; writer=PROVIDER:MODEL words instructions, if another one is to.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="With local: the judge whose weights training starts from, by its name in viva judges, or shipped.",
            metavar="JUDGE",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="What the judge is called when it is installed (default: of quality and model)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for calls and reports (viva-runs/tune-JUDGE-DATA).", metavar="DIR"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all randomness.", min=0)] = 0,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say how the labels are read and split and what it would take; ask nobody."),
    ] = False,
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    price: Price = None,
    concurrency: Concurrency = None,
    requests_per_minute: Rpm = None,
    tokens_per_minute: Tpm = None,
    call_timeout: CallTimeout = None,
    json: Json = False,
) -> None:
    """Make a judge agree better with people, on their labels; it is adopted only if it is shown to.

    Labels are split by content and source: one part to learn from, one to choose by, one to report. An interrupted
    tuning goes on where it was: run the same command again; nothing is paid twice.
    """
    given = {**locals()}
    from viva.cli.tune.run import run_tuning

    run_tuning(given)
