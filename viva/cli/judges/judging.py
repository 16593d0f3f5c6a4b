"""The work of `viva grade` and `viva judges measure`: open the judge, show progress, put cases to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.cli.judges.options import GradeOptions, JudgingOptions, MeasureOptions
from viva.cli.settings import MODEL_SETTINGS, chosen_settings, settings_of
from viva.cli.terminal.process import long_command
from viva.core.records.judging import JudgeCard, Judgement, Unjudged
from viva.core.records.tuning import JudgeMeasurement
from viva.graphs.grading.batch_judging import judge_cases
from viva.graphs.grading.grade_file import CaseTable, grade, grading_judge, read_cases
from viva.graphs.grading.judge_lookup import Named, opened_judge
from viva.graphs.resources.run_settings import calls_folder
from viva.llm import interrupts
from viva.optimizers.labelled import LabelledRows, read_pairs
from viva.storage.judges import remember, remembered

_T = TypeVar("_T")


def judged_table(given: GradeOptions) -> tuple[CaseTable, JudgeCard, list[Judgement | Unjudged]]:
    """The rows of the file, the judge with what was measured of it, and what it said of each row."""
    named = grading_judge(given.judge, given.quality, model=bool(given.model))
    table = read_cases(given.file, named.quality, read_pairs(given.columns, "--columns") if given.columns else {})

    async def work(judge: Judge, progress: Progress) -> tuple[JudgeCard, list[Judgement | Unjudged]]:
        return judge.card, await grade(table, judge, progress)

    card, said = _run(given, named, f"grade-{named.name}-{given.file.stem}", work)
    return table, remembered(card), said


def measured_judge(given: MeasureOptions) -> tuple[LabelledRows, JudgeMeasurement]:
    """The labels of the file, and how the judge agrees with them; its figures are kept for `viva judges`."""
    from viva.cli.tune.task import read_labels
    from viva.optimizers.judge_agreement import measurement_of

    named = grading_judge(given.judge, given.quality, model=bool(given.model))
    labelled = read_labels(given.file, named.quality, given)

    async def work(judge: Judge, progress: Progress) -> JudgeMeasurement:
        said = await judge_cases(judge, [each.case for each in labelled.cases], progress)
        return measurement_of(labelled, judge.card, said)

    found = _run(given, named, f"measure-{named.name}-{given.file.stem}", work)
    if found.judge.measured:
        remember(found.judge)
    return labelled, found


def _run(given: JudgingOptions, named: Named, folder: str, work: Callable[[Judge, Progress], Awaitable[_T]]) -> _T:
    settings = settings_of(chosen_settings(given, MODEL_SETTINGS))
    place = calls_folder(given.calls, folder, "--calls")

    async def opened() -> _T:
        async with opened_judge(named, settings, place) as judge:
            return await work(judge, partial(watch, "grade"))

    with long_command() as watch:
        return interrupts.run(opened())
