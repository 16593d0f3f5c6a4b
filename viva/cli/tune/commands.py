"""`viva tune`: tune the prompt of a judge on cases that people labelled."""

from __future__ import annotations

from viva.cli.options import takes
from viva.cli.settings import MODEL_SETTINGS, chosen_settings, settings_of
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import show
from viva.cli.tune.options import TuneOptions

EPILOG = "Example: viva tune correctness --data answers.csv --label-range 0-5 --model openai:gpt-4o-mini --max-cost 2"


@takes(TuneOptions)
def tune(given: TuneOptions) -> None:
    """Make a judge agree better with people, by their labels. The new judge is installed only if it does.

    The labels are split by content and source into three parts: to learn from, to choose by, and to report on. If
    it is interrupted, run the same command again: it continues where it stopped, and nothing is paid twice.
    """
    from viva.api.judges.tuning import tune as tuned

    with prepared_process():
        found = tuned(
            given.judge,
            given.data,
            test=given.test,
            columns=given.columns,
            label_range=given.label_range,
            label_words=given.labels,
            optimizer=given.optimizer or "LabeledFewShot",
            effort=given.effort or "light",
            name=given.name,
            out=given.out,
            seed=given.seed,
            dry_run=given.dry_run,
            settings=settings_of({**chosen_settings(given, MODEL_SETTINGS), "seed": given.seed}),
        )
    show(found, as_json=given.json)
