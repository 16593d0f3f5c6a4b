"""What `viva tune` is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import BaseUrl, BudgetOptions, CallTimeout, Json, PaceOptions, Temperature


@dataclass(frozen=True, kw_only=True)
class TuneOptions(BudgetOptions, PaceOptions):
    """Of `viva tune`."""

    judge: Annotated[
        list[str],
        typer.Argument(
            help="What is judged: correctness, rubric, answerability, faithfulness, relevance, groundedness, "
            "usefulness, stand_alone or preference. Before it, local: train a judge without a language model.",
            metavar="[local] JUDGE",
        ),
    ]
    data: Annotated[
        Path,
        typer.Option(help="Labelled cases: CSV, TSV or JSONL, one to a row.", metavar="FILE", show_default=False),
    ]
    test: Annotated[
        Path | None,
        typer.Option(
            help="Labelled cases to report on (default: a part of --data). What --data shares with them is left out.",
            metavar="FILE",
        ),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            help="Which columns hold what: question=q,reference=gold,answer=a,passages=context,other=b,label=score,"
            "group=title. Usual names are found.",
            metavar="FIELD=COLUMN,...",
        ),
    ] = None
    label_range: Annotated[str, typer.Option(help="Lowest and highest label.", metavar="LOW-HIGH")] = "0-1"
    labels: Annotated[
        str | None,
        typer.Option(help="What labels in words mean: right=1,wrong=0.", metavar="WORD=NUMBER,..."),
    ] = None
    optimizer: Annotated[
        str | None,
        typer.Option(
            help="DSPy's, by name: LabeledFewShot (the default), BootstrapFewShot, BootstrapFewShotWithRandomSearch, "
            "COPRO, MIPROv2, MIPROv2+LabeledFewShot, GEPA, SIMBA.",
            metavar="NAME",
        ),
    ] = None
    effort: Annotated[
        str | None, typer.Option(help="How far the search goes: light (the default), medium, heavy.")
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="PROVIDER:MODEL that judges; writer=PROVIDER:MODEL words instructions, if another one is to.",
        ),
    ] = None
    start: Annotated[
        str | None,
        typer.Option(
            help="With local: the judge whose weights training starts from, by its name in viva judges, or shipped.",
            metavar="JUDGE",
        ),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(help="What the judge is called when it is installed (default: of quality and model)."),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for calls and reports (viva-runs/tune-JUDGE-DATA).", metavar="DIR"),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of all randomness.", min=0)] = 0
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say how the labels are read and split and what it would take; ask nobody."),
    ] = False
    base_url: BaseUrl = None
    temperature: Temperature = None
    call_timeout: CallTimeout = None
    json: Json = False
