"""What `viva irt` is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import Options


@dataclass(frozen=True, kw_only=True)
class IrtOptions(Options):
    """Of `viva irt`."""

    matrix: Annotated[
        Path,
        typer.Argument(
            help="CSV or TSV: examinees in rows, items in columns, names at the top and in the first column; "
            "1, 0, or empty for not graded.",
            metavar="MATRIX",
        ),
    ]
    items_in_rows: Annotated[bool, typer.Option("--items-in-rows", help="Items are in rows of MATRIX.")] = False
    names: Annotated[
        bool | None,
        typer.Option(
            "--names/--no-names",
            help="The first column holds names (default: by its heading and cells).",
            show_default=False,
        ),
    ] = None
    components: Annotated[
        Path | None,
        typer.Option(
            help="What the examinees are made of (CSV, TSV, YAML or JSON): a row each, a column per component.",
            metavar="FILE",
        ),
    ] = None
    continuous: Annotated[
        list[str] | None,
        typer.Option(help="A component that is a number, repeatable; :2 for a parabola.", metavar="NAME[:DEGREE]"),
    ] = None
    reference: Annotated[
        list[str] | None,
        typer.Option(help="Effects are differences from this level, repeatable.", metavar="COMPONENT=LEVEL"),
    ] = None
    interaction: Annotated[
        list[str] | None, typer.Option(help="What two components do together, repeatable.", metavar="A:B")
    ] = None
    model: Annotated[
        str, typer.Option(help="1pl, 2pl or 3pl; auto takes the one under which the responses are likeliest.")
    ] = "auto"
    method: Annotated[str, typer.Option(help="auto, mml-items, map, mml-persons or guinet2024 (docs/irt.md).")] = (
        "auto"
    )
    guessing: Annotated[
        float | None, typer.Option(help="Fix the guessing of all items: 0 for open questions (default: estimated).")
    ] = None
    options: Annotated[
        int,
        typer.Option(
            help="Options per question: guessing is near 1/N or below. 0: answered in words, without guessing.",
            min=0,
            max=1000,
        ),
    ] = 4
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Fit once more without a fifth of the cells, and predict them.")
    ] = False
    seed: Annotated[int, typer.Option(help="Seed of all randomness.", min=0)] = 0
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")] = False
    json_file: Annotated[Path | None, typer.Option(help="Write the JSON to a file.", metavar="FILE")] = None
    csv: Annotated[
        Path | None,
        typer.Option(
            help="Write abilities.csv, items.csv, effects.csv, contrasts.csv and flags.csv there.", metavar="DIR"
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite result files that are there.")] = False
