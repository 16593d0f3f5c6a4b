"""`viva irt`: the engine of item response theory for anybody's table of right and wrong."""

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
    """Abilities, component effects and item parameters of any 0/1 matrix, with the checks that tell what to trust."""
    written: list[Path] = []
    try:
        from viva.cli.irt.run import run_irt

        run_irt(given, written)
    except KeyboardInterrupt:
        _stopped(written)


def _stopped(written: Sequence[Path]) -> NoReturn:
    """There is no run folder that keeps what was done, as there is for the other commands: say what there is."""
    from viva.cli.terminal.escape import harmless
    from viva.llm.interrupts import exit_code

    kept = f"Written until then: {', '.join(map(str, written))}." if written else "Nothing was written."
    again = "Run the same command again" + (", with --force" if written else "")
    sys.stderr.write(harmless(f"Stopped: {kept}\n  {again}: it begins anew.\n"))
    sys.stderr.flush()
    os._exit(exit_code())
