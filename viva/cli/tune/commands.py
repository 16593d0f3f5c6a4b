"""`viva tune`: tune the prompt of a judge on cases that people labelled."""

from __future__ import annotations

from viva.cli.options import takes
from viva.cli.tune.options import TuneOptions

EPILOG = "Example: viva tune correctness --data answers.csv --label-range 0-5 --model openai:gpt-4o-mini --max-cost 2"


@takes(TuneOptions)
def tune(given: TuneOptions) -> None:
    """Make a judge agree better with people, by their labels. The new judge is installed only if it does.

    The labels are split by content and source into three parts: to learn from, to choose by, and to report on. If
    it is interrupted, run the same command again: it continues where it stopped, and nothing is paid twice.
    """
    from viva.cli.tune.run import run_tuning

    run_tuning(given)
