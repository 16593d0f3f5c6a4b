"""The options of `viva grade` and `viva judges measure`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import BaseUrl, BudgetOptions, CallTimeout, Json, Options, PaceOptions, Temperature
from viva.cli.tune.options import Columns, LabelOptions


@dataclass(frozen=True, kw_only=True)
class JudgingOptions(Options):
    """Which judge judges, with which language model if it asks one."""

    judge: Annotated[
        str | None,
        typer.Option(
            help="The judge, as viva judges lists it (default: the language model of --model; without one "
            "correctness-offline, or faithfulness-offline for faithfulness).",
            metavar="NAME",
        ),
    ] = None
    quality: Annotated[
        str | None,
        typer.Option(
            help="What is judged, if no judge is named: correctness (the default), faithfulness, relevance, rubric, "
            "answerability, groundedness, usefulness, stand_alone or preference.",
            metavar="QUALITY",
        ),
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="MODEL", help="The language model that judges: PROVIDER:MODEL."),
    ] = None
    calls: Annotated[
        Path | None,
        typer.Option(
            help="Folder that keeps the calls of the language model (default: in viva-runs, named after judge and "
            "file). Nothing is paid twice.",
            metavar="DIR",
        ),
    ] = None
    base_url: BaseUrl = None
    temperature: Temperature = None
    call_timeout: CallTimeout = None


@dataclass(frozen=True, kw_only=True)
class GradeOptions(JudgingOptions, BudgetOptions, PaceOptions):
    """Options of `viva grade`."""

    file: Annotated[
        Path,
        typer.Argument(help="A CSV, TSV, JSON Lines, JSON or Parquet file with an answer per row.", metavar="FILE"),
    ]
    columns: Columns = None
    out: Annotated[
        Path | None,
        typer.Option(help="Write the rows with score, verdict and reason to this .csv or .jsonl.", metavar="FILE"),
    ] = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class MeasureOptions(LabelOptions, JudgingOptions, BudgetOptions, PaceOptions):
    """Options of `viva judges measure`."""

    file: Annotated[
        Path,
        typer.Argument(
            help="A CSV, TSV, JSON Lines, JSON or Parquet file with a labelled case per row.", metavar="FILE"
        ),
    ]
    json: Json = False
