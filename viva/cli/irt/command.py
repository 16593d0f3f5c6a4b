"""`viva irt`: item response theory for any table of right and wrong answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from viva.cli.irt.options import IrtOptions
from viva.cli.options import takes

EPILOG = "Example: viva irt matrix.csv --components systems.csv --reference retriever=bm25 --csv results"


@takes(IrtOptions)
def irt(given: IrtOptions) -> None:
    """Estimate abilities, component effects and item parameters of any 0/1 matrix, and check the fit.

    It needs no run.
    """
    written: list[Path] = []
    try:
        from viva.cli.irt.run import run_irt

        run_irt(given, written)
    except KeyboardInterrupt:
        _stopped(written)


def _stopped(written: Sequence[Path]) -> NoReturn:
    """Say which files were written: unlike other commands, this one has no run folder that keeps its work."""
    from viva.api.terminal import harmless
    from viva.llm.interrupts import exit_code

    kept = f"These files were written: {', '.join(map(str, written))}." if written else "No file was written."
    again = "run the same command again" + (" with --force" if written else "")
    sys.stderr.write(harmless(f"Stopped: {kept}\n  To start from the beginning, {again}.\n"))
    sys.stderr.flush()
    os._exit(exit_code())
