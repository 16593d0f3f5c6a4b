"""The options of `viva irt`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import Json, Options


@dataclass(frozen=True, kw_only=True)
class IrtOptions(Options):
    """Options of `viva irt`."""

    matrix: Annotated[
        Path,
        typer.Argument(
            help="A CSV or TSV table with examinees in rows and items in columns. The first row and the first column "
            "hold names. A cell is 1 (right), 0 (wrong) or empty (not graded).",
            metavar="MATRIX",
        ),
    ]
    items_in_rows: Annotated[
        bool, typer.Option("--items-in-rows", help="The rows of MATRIX are items, the columns are examinees.")
    ] = False
    names: Annotated[
        bool | None,
        typer.Option(
            "--names/--no-names",
            help="Whether the first column holds names (default: found by its heading and cells).",
            show_default=False,
        ),
    ] = None
    components: Annotated[
        Path | None,
        typer.Option(
            help="The components of the examinees: a CSV, TSV, YAML or JSON file with a row for each examinee and a "
            "column for each component.",
            metavar="FILE",
        ),
    ] = None
    continuous: Annotated[
        list[str] | None,
        typer.Option(
            help="A component whose levels are numbers; repeatable. Its effect is a line, or a parabola with :2. "
            "Example: k:2",
            metavar="NAME[:DEGREE]",
        ),
    ] = None
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="Give the effects of a component as differences from this level; repeatable. Example: "
            "retriever=bm25",
            metavar="COMPONENT=LEVEL",
        ),
    ] = None
    interaction: Annotated[
        list[str] | None,
        typer.Option(
            help="Estimate the interaction of two components; repeatable. Example: retriever:reader", metavar="A:B"
        ),
    ] = None
    model: Annotated[
        str,
        typer.Option(
            help="The item response model: 1pl, 2pl or 3pl; auto chooses the one under which the responses are most "
            "likely."
        ),
    ] = "auto"
    method: Annotated[
        str,
        typer.Option(help="The estimation method: auto, mml-items or map (docs/irt.md)."),
    ] = "auto"
    guessing: Annotated[
        float | None,
        typer.Option(
            help="Fix the guessing of all items at this value, such as 0 for open questions (default: estimated)."
        ),
    ] = None
    options: Annotated[
        int,
        typer.Option(
            help="Options per question. With N options, guessing is expected near 1/N or below; 0: open questions, "
            "without guessing.",
            min=0,
            max=1000,
        ),
    ] = 4
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Also fit without a fifth of the cells, and predict these cells.")
    ] = False
    seed: Annotated[int, typer.Option(help="Seed of all random draws.", min=0)] = 0
    json: Json = False
    json_file: Annotated[Path | None, typer.Option(help="Write the result as JSON to this file.", metavar="FILE")] = (
        None
    )
    csv: Annotated[
        Path | None,
        typer.Option(
            help="Write abilities.csv, items.csv, effects.csv, contrasts.csv and flags.csv to this folder.",
            metavar="DIR",
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing result files.")] = False
