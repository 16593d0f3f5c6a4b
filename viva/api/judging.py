"""Judges in Python: grade answers, measure agreement with people."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from viva.api.calling import in_thread, outside_loop
from viva.api.result import Cell, Column, Kind, Result, Table
from viva.api.terminal import shown_progress
from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.records.judging import JudgeCard, Judgement, Unjudged
from viva.core.records.tuning import JudgeMeasurement
from viva.core.settings import Settings
from viva.graphs.grading.grade_file import CaseTable, cases_of, grading_judge, read_cases, result_rows, summarise
from viva.graphs.grading.judge_lookup import Named, opened_judge
from viva.graphs.resources.run_settings import calls_folder, read_settings
from viva.llm import interrupts

_T = TypeVar("_T")
Answers = Any
"""A file, a DataFrame, or rows: mappings from column to cell."""


def judge(name: str = "correctness", *, model: str | None = None, **settings: Any) -> AnswerJudge:
    """Choose a judge by its name, or by what it judges: correctness, faithfulness, relevance ...

    With `model` a language model judges, else rules. `settings`: such as max_cost. UsageError for an unknown
    name, and for a judge that asks a model where none is named.
    """
    chosen = read_settings(
        {**settings, **({"model": (model,)} if model else {})}, lambda named: f"The argument {named}"
    )
    from viva.graphs.grading.judge_lookup import quality_named

    try:
        named = grading_judge(None, quality_named(name).value, model=bool(model))
    except UsageError:
        named = grading_judge(name, None, model=bool(model))
    return AnswerJudge(named, chosen)


def grade(answers: Answers, judge_name: str = "correctness", *, model: str | None = None, **settings: Any) -> Result:
    """Grade answers of a file or of rows, as `judge(judge_name).grade(answers)` does."""
    return judge(judge_name, model=model, **settings).grade(answers)


@dataclass(frozen=True, repr=False)
class AnswerJudge:
    """A judge of answers. What a language model said of an answer is kept, and not paid for twice."""

    named: Named
    settings: Settings = field(default_factory=Settings)

    @property
    def name(self) -> str:
        """Its name, as `viva judges` lists it."""
        return self.named.name

    def grade(self, answers: Answers, columns: Mapping[str, str] | None = None) -> Result:
        """Give a score from 0 to 1 and a reason for each answer, with the mean and its interval.

        Columns of ragas, deepeval, TruLens, LangSmith and Langfuse are known by name; `columns` maps a field, such as
        answer, to another column. UsageError where no column holds what is judged.
        """
        return outside_loop(partial(self._graded, answers, columns))

    async def grade_async(self, answers: Answers, columns: Mapping[str, str] | None = None) -> Result:
        """Grade as `grade` does, while this event loop goes on."""
        return await in_thread(partial(self._graded, answers, columns))

    def _graded(self, answers: Answers, columns: Mapping[str, str] | None) -> Result:
        from viva.graphs.grading.grade_file import grade as grade_table

        quality = self.named.quality
        if isinstance(answers, str | Path):
            table = read_cases(Path(answers), quality, columns)
        else:
            table = cases_of(_rows(answers), quality, columns)

        async def work(opened: Any, progress: Any) -> tuple[JudgeCard, list[Judgement | Unjudged]]:
            return opened.card, await grade_table(table, opened, progress)

        card, said = self._run(f"grade-{self.name}", work)
        return _graded_result(table, card, said)

    def measure(self, labels: Answers, columns: Mapping[str, str] | None = None) -> MeasuredJudge:
        """Measure how far the judge agrees with people's labels; `viva judges` shows it from then on.

        UsageError where no column holds labels.
        """
        if isinstance(labels, str | Path):
            return outside_loop(partial(self._measured, Path(labels), columns))
        with TemporaryDirectory(prefix="viva-labels-") as folder:
            file = Path(folder) / "labels.jsonl"
            file.write_text("".join(f"{json.dumps(row, default=str)}\n" for row in _rows(labels)), encoding="utf-8")
            return outside_loop(partial(self._measured, file, columns))

    def _measured(self, labels: Path, columns: Mapping[str, str] | None) -> MeasuredJudge:
        from viva.graphs.grading.batch_judging import judge_cases
        from viva.optimizers.judge_agreement import measurement_of
        from viva.optimizers.labelled import read_labelled
        from viva.storage.judges import remember

        labelled = read_labelled(labels, self.named.quality, columns=columns or {})

        async def work(opened: Any, progress: Any) -> JudgeMeasurement:
            said = await judge_cases(opened, [each.case for each in labelled.cases], progress)
            return measurement_of(labelled, opened.card, said)

        found = self._run(f"measure-{self.name}-{labels.stem}", work)
        if found.judge.measured:
            remember(found.judge)
        return MeasuredJudge.of(found)

    def _run(self, folder: str, work: Callable[[Any, Any], Awaitable[_T]]) -> _T:
        async def opened() -> _T:
            async with opened_judge(self.named, self.settings, calls_folder(None, folder)) as found:
                return await work(found, partial(watch, "grade"))

        with shown_progress() as watch:
            return interrupts.run(opened())

    def __repr__(self) -> str:
        return f"AnswerJudge({self.name!r})"


def _rows(given: Answers) -> list[dict[str, object]]:
    """Rows of a DataFrame, or those given, with what is missing as None. UsageError for anything else."""
    rows = given.to_dict("records") if hasattr(given, "to_dict") and hasattr(given, "columns") else given
    try:
        # a number that is not one is how pandas writes a missing cell
        return [{name: None if cell != cell else cell for name, cell in dict(row).items()} for row in rows]
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"A {type(given).__name__} is no table of answers.",
            allowed="A file, a DataFrame, or a list of mappings from column to cell.",
        ) from error


def _graded_result(table: CaseTable, card: JudgeCard, said: Sequence[Judgement | Unjudged]) -> Result:
    found = summarise(table, card, said)
    rows = [{name: _cell(value) for name, value in row.items()} for row in result_rows(table, said)]
    answers = Table.of(f"{found.quality} by {card.name}", rows, judge_score=Kind.NUMBER, judge_right=Kind.NUMBER)
    columns = (
        Column("judge"),
        Column("answers", Kind.NUMBER),
        Column("judged", Kind.NUMBER),
        Column("mean score", Kind.NUMBER),
        Column("right", Kind.SHARE),
    )
    summary = Table("Summary", columns, ((card.name, found.rows, found.judged, found.mean, found.right),))
    notes = tuple(f"Not judged: {count} ({code}: {found.reasons[code]})" for code, count in found.unjudged.items())
    return Result(answers.title, (answers, summary), notes, found.model_dump(mode="json"))


@dataclass(frozen=True, repr=False)
class MeasuredJudge(Result):
    """The agreement of a judge with people."""

    found: JudgeMeasurement | None = None

    @classmethod
    def of(cls, found: JudgeMeasurement) -> MeasuredJudge:
        """Put the figures into a table."""
        figures = found.agreement.figures
        cells = tuple((each.name, _estimate(each.estimate, each.low, each.high), each.undefined) for each in figures)
        columns = (Column("statistic"), Column("value", Kind.NUMBER, 3), Column("undefined because"))
        title = f"Agreement of {found.judge.name} with people on {found.agreement.cases} cases"
        return cls(title, (Table(title, columns, cells),), (), found.model_dump(mode="json"), found)

    @property
    def agreement(self) -> dict[str, float | None]:
        """The figures without their intervals: spearman, mcc, accuracy ...; None where one is undefined."""
        return {each.name: each.estimate for each in self.found.agreement.figures} if self.found else {}


def _estimate(value: float | None, low: float | None, high: float | None) -> Cell:
    return value if value is None or low is None or high is None else Estimate(value, low, high)


def _cell(value: object) -> Cell:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
