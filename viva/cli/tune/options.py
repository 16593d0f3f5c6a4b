"""The options of `viva tune`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import BaseUrl, BudgetOptions, CallTimeout, Json, PaceOptions, Temperature


@dataclass(frozen=True, kw_only=True)
class TuneOptions(BudgetOptions, PaceOptions):
    """Options of `viva tune`."""

    judge: Annotated[
        str,
        typer.Argument(
            help="The quality to judge: correctness, rubric, answerability, faithfulness, relevance, groundedness, "
            "usefulness, stand_alone or preference.",
            metavar="JUDGE",
        ),
    ]
    data: Annotated[
        Path,
        typer.Option(
            help="A CSV, TSV, JSONL or JSON file with one labelled case per row.", metavar="FILE", show_default=False
        ),
    ]
    test: Annotated[
        Path | None,
        typer.Option(
            help="A file of labelled cases to report on (default: a part of --data). Cases of --data that are in it "
            "are not learned from.",
            metavar="FILE",
        ),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            help="The columns of the file, if they have unusual names: question=q,reference=gold,answer=a,"
            "passages=context,other=b,label=score,group=title,annotator=by. Of several annotators: label=anna+ben",
            metavar="FIELD=COLUMN,...",
        ),
    ] = None
    label_range: Annotated[
        str, typer.Option(help="The lowest and the highest label, such as 1-5.", metavar="LOW-HIGH")
    ] = "0-1"
    labels: Annotated[
        str | None,
        typer.Option(help="The numbers that labels in words stand for: right=1,wrong=0", metavar="WORD=NUMBER,..."),
    ] = None
    optimizer: Annotated[
        str | None,
        typer.Option(
            help="The optimizer of DSPy: LabeledFewShot (the default), BootstrapFewShot, "
            "BootstrapFewShotWithRandomSearch, COPRO, MIPROv2, MIPROv2+LabeledFewShot, GEPA, SIMBA.",
            metavar="NAME",
        ),
    ] = None
    effort: Annotated[
        str | None, typer.Option(help="The length of the search: light (the default), medium or heavy.")
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="PROVIDER:MODEL is the model that judges. writer=PROVIDER:MODEL names another model that writes the "
            "instructions (default: the same model).",
        ),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(help="Name of the judge if it is installed (default: made from quality and model)."),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for calls and reports (default: viva-runs/tune-JUDGE-DATA).", metavar="DIR"),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of all random draws.", min=0)] = 0
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show how the labels are read and split and how many calls it needs; ask no model."
        ),
    ] = False
    base_url: BaseUrl = None
    temperature: Temperature = None
    call_timeout: CallTimeout = None
    json: Json = False
