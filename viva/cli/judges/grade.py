"""`viva grade`: have a judge grade the answers of a file."""

from __future__ import annotations

from viva.cli.judges.options import GradeOptions
from viva.cli.options import takes
from viva.cli.settings import MODEL_SETTINGS, chosen_settings, settings_of
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import show

EPILOG = "Example: viva grade answers.csv, or viva grade answers.jsonl --judge faithfulness-offline --out graded.csv"


@takes(GradeOptions)
def grade(given: GradeOptions) -> None:
    """Grade the answers of a file, with a mean, its interval, and a score for each row.

    It needs no run. Columns of ragas, deepeval, TruLens, LangSmith and Langfuse are known by name. An interrupted
    command continues if it is run again: what a language model said is kept.
    """
    from viva.api.judges.grading import judge_of

    settings = settings_of(chosen_settings(given, MODEL_SETTINGS))
    with prepared_process():
        judge = judge_of(given.judge, given.quality, settings, given.calls)
        found = judge.grade(given.file, given.columns, given.out)
    show(found.summary, as_json=given.json)
