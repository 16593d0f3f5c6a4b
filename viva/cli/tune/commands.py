"""`viva tune`: a judge's prompt is tuned, or a local judge is trained, on cases that people labelled."""

from __future__ import annotations

from viva.cli.options import takes
from viva.cli.tune.options import TuneOptions

EPILOG = (
    "Examples: viva tune correctness --data answers.csv --label-range 0-5 --model openai:gpt-4o-mini --max-cost 2; "
    "viva tune local correctness --data answers.csv"
)


@takes(TuneOptions)
def tune(given: TuneOptions) -> None:
    """Make a judge agree better with people, on their labels; it is adopted only if it is shown to.

    Labels are split by content and source: one part to learn from, one to choose by, one to report. An interrupted
    tuning goes on where it was: run the same command again; nothing is paid twice.
    """
    from viva.cli.tune.run import run_tuning

    run_tuning(given)
