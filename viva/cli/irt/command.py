"""`viva irt`: item response theory for any table of right and wrong answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from viva.cli.irt.options import IrtOptions
from viva.cli.options import takes
from viva.cli.terminal.show import show

EPILOG = "Example: viva irt matrix.csv --components systems.csv --reference retriever=bm25 --csv results"
_ROWS = 25
"""The most rows of a table that are shown; the JSON and CSV files have all of them."""


@takes(IrtOptions)
def irt(given: IrtOptions) -> None:
    """Estimate abilities, component effects and item parameters of any 0/1 matrix, and check the fit.

    It needs no run.
    """
    from viva.api.irt import fit, result_files

    written: list[Path] = []
    try:
        files = result_files(given.csv, given.json_file, force=given.force)
        fitted = fit(
            given.matrix,
            items_in_rows=given.items_in_rows,
            names=given.names,
            components=given.components,
            continuous=given.continuous or (),
            references=given.reference or (),
            interactions=given.interaction or (),
            model=given.model.lower(),
            method=given.method,
            guessing=given.guessing,
            options=given.options,
            seed=given.seed,
            hold_out=given.held_out,
        )
        show(fitted.write(files, written), as_json=given.json, elsewhere="--csv or --json", most=_ROWS)
    except KeyboardInterrupt:
        _stopped(written)


def _stopped(written: Sequence[Path]) -> NoReturn:
    """Say which files were written: unlike other commands, this one has no run folder that keeps its work."""
    from viva.api.calling import exit_code
    from viva.api.terminal import harmless

    kept = f"These files were written: {', '.join(map(str, written))}." if written else "No file was written."
    again = "run the same command again" + (" with --force" if written else "")
    sys.stderr.write(harmless(f"Stopped: {kept}\n  To start from the beginning, {again}.\n"))
    sys.stderr.flush()
    os._exit(exit_code())
