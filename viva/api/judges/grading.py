"""Judges in Python: list them, grade answers, measure agreement with people."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from viva.api.calling import in_thread, outside_loop
from viva.api.judges.agreement import (
    FIGURE,
    MeasuredJudge,
    Pairs,
    read_columns,
    read_labels,
)
from viva.api.result import Cell, Column, Kind, Result, Table
from viva.api.terminal import shown_progress
from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.records.judging import JudgeCard, Judgement, Unjudged
from viva.core.records.tuning import JudgeMeasurement
from viva.core.settings import Settings
from viva.core.wording import counted, listed, number
from viva.graphs.grading.grade_file import (
    CaseTable,
    GradeSummary,
    cases_of,
    grading_judge,
    read_cases,
    result_rows,
    summarise,
)
from viva.graphs.grading.judge_lookup import Named, opened_judge, quality_named
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
    try:
        return judge_of(None, quality_named(name).value, chosen)
    except UsageError:
        return judge_of(name, None, chosen)


def judge_of(name: str | None, quality: str | None, settings: Settings, calls: Path | None = None) -> AnswerJudge:
    """Choose a judge by its name, else the usual one of a quality, with these settings.

    `calls`: the folder that keeps what a language model says.
    """
    return AnswerJudge(grading_judge(name, quality, model=bool(settings.model)), settings, calls)


def grade(answers: Answers, judge_name: str = "correctness", *, model: str | None = None, **settings: Any) -> Result:
    """Grade answers of a file or of rows, as `judge(judge_name).grade(answers)` does."""
    return judge(judge_name, model=model, **settings).grade(answers)


@dataclass(frozen=True, repr=False)
class AnswerJudge:
    """A judge of answers. What a language model said of an answer is kept, and not paid for twice."""

    named: Named
    settings: Settings = field(default_factory=Settings)
    calls: Path | None = None

    @property
    def name(self) -> str:
        """Its name, as `viva judges` lists it."""
        return self.named.name

    def grade(self, answers: Answers, columns: Pairs = None, out: str | Path | None = None) -> GradedAnswers:
        """Give a score from 0 to 1 and a reason for each answer, with the mean and its interval.

        Columns of ragas, deepeval, TruLens, LangSmith and Langfuse are known by name; `columns` maps a field, such as
        answer, to another column. `out`: a .csv or .jsonl file for the rows with score, verdict and reason.
        UsageError where no column holds what is judged.
        """
        return outside_loop(partial(self._graded, answers, columns, Path(out) if out else None))

    async def grade_async(
        self, answers: Answers, columns: Pairs = None, out: str | Path | None = None
    ) -> GradedAnswers:
        """Grade as `grade` does, while this event loop goes on."""
        return await in_thread(partial(self._graded, answers, columns, Path(out) if out else None))

    def _graded(self, answers: Answers, columns: Pairs, out: Path | None) -> GradedAnswers:
        from viva.exams.formats.rows import write_table
        from viva.graphs.grading.grade_file import grade as grade_table
        from viva.storage.judges import remembered

        quality, file = self.named.quality, Path(answers) if isinstance(answers, str | Path) else None
        if out is not None:
            _check_out(out, file)
        chosen = read_columns(columns)
        table = cases_of(_rows(answers), quality, chosen) if file is None else read_cases(file, quality, chosen)

        async def work(opened: Any, progress: Any) -> tuple[JudgeCard, list[Judgement | Unjudged]]:
            return opened.card, await grade_table(table, opened, progress)

        card, said = self._run("grade", file, work)
        if out is not None:
            write_table(result_rows(table, said), out)
        return GradedAnswers.of(table, remembered(card), said, file, out)

    def measure(
        self,
        answers: Answers,
        columns: Pairs = None,
        label_range: tuple[float, float] | str = (0.0, 1.0),
        label_words: Pairs = None,
    ) -> MeasuredJudge:
        """Measure how far the judge agrees with people's labels; `viva judges` shows it from then on.

        `label_range`: the lowest and the highest label; `label_words`: numbers of labels in words. UsageError where
        no column holds labels.
        """
        if isinstance(answers, str | Path):
            return outside_loop(partial(self._measured, Path(answers), columns, label_range, label_words))
        with TemporaryDirectory(prefix="viva-labels-") as folder:
            file = Path(folder) / "labels.jsonl"
            file.write_text("".join(f"{json.dumps(row, default=str)}\n" for row in _rows(answers)), encoding="utf-8")
            return outside_loop(partial(self._measured, file, columns, label_range, label_words))

    def _measured(
        self, file: Path, columns: Pairs, label_range: tuple[float, float] | str, words: Pairs
    ) -> MeasuredJudge:
        from viva.graphs.grading.batch_judging import judge_cases
        from viva.optimizers.judge_agreement import measurement_of
        from viva.storage.judges import remember

        labelled = read_labels(file, self.named.quality, columns, label_range, words)

        async def work(opened: Any, progress: Any) -> JudgeMeasurement:
            said = await judge_cases(opened, [each.case for each in labelled.cases], progress)
            return measurement_of(labelled, opened.card, said)

        found = self._run("measure", file, work)
        if found.judge.measured:
            remember(found.judge)
        return MeasuredJudge.of(labelled, found, file)

    def _run(self, what: str, file: Path | None, work: Callable[[Any, Any], Awaitable[_T]]) -> _T:
        name = "-".join([what, self.name, *([file.stem] if file else [])])
        folder = calls_folder(self.calls, name, "--calls")

        async def opened() -> _T:
            async with opened_judge(self.named, self.settings, folder) as found:
                return await work(found, partial(watch, "grade"))

        with shown_progress() as watch:
            return interrupts.run(opened())

    def __repr__(self) -> str:
        return f"AnswerJudge({self.name!r})"


def _check_out(out: Path, file: Path | None) -> None:
    """UsageError for a file that cannot be written, before anything is asked."""
    from viva.exams.formats.rows import check_table

    check_table(out)
    if file is not None and out.resolve() == file.resolve():
        raise UsageError(f"{out} is the file that is graded.", next_step="Name another --out.")
    if not out.parent.is_dir():
        raise UsageError(f"There is no folder {out.parent}.", next_step="Make it, or name another --out.")


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


@dataclass(frozen=True, repr=False)
class GradedAnswers(Result):
    """Answers with their scores; `summary` has the mean with its interval, in sentences."""

    summary: Result = field(default_factory=lambda: Result("", ()))

    @classmethod
    def of(
        cls,
        table: CaseTable,
        card: JudgeCard,
        said: Sequence[Judgement | Unjudged],
        file: Path | None,
        out: Path | None,
    ) -> GradedAnswers:
        """Put the scores into a table, and their summary into another."""
        found = summarise(table, card, said)
        rows = [{name: _cell(value) for name, value in row.items()} for row in result_rows(table, said)]
        answers = Table.of(f"{found.quality} by {card.name}", rows, judge_score=Kind.NUMBER, judge_right=Kind.NUMBER)
        summary = Table("Summary", _GRADED, ((card.name, found.rows, found.judged, found.mean, found.right),))
        results = [
            {"place": row.place, **one.model_dump(mode="json")} for row, one in zip(table.rows, said, strict=True)
        ]
        record = {"file": str(file) if file else None, **found.model_dump(mode="json"), "results": results}
        title = f"{file or 'Answers'}: {found.quality} by {card.name}, {counted(found.rows, 'row')}"
        told = Result(title, (), tuple(_sentences(found, out)), record)
        return cls(answers.title, (answers, summary), tuple(_unjudged(found)), record, summary=told)


_GRADED = (
    Column("judge"),
    Column("answers", Kind.NUMBER),
    Column("judged", Kind.NUMBER),
    Column("mean score", Kind.NUMBER),
    Column("right", Kind.SHARE),
)


def _sentences(found: GradeSummary, out: Path | None) -> Iterator[str]:
    from viva.graphs.grading.judge_list import figures_shown

    yield f"  Columns: {', '.join(f'{field}={column}' for field, column in found.columns.items())}."
    if found.not_found:
        yield f"  Judged without {listed(found.not_found)}: no column is known to hold it (--columns)."
    if found.mean is None or found.right is None:
        yield "  No row was judged."
    else:
        low, high = number(found.mean.low, 2), number(found.mean.high, 2)
        yield f"  Mean score: {number(found.mean.value, 2)} (95% interval {low} to {high}), {found.judged} judged."
        yield f"  Right, a score of {found.cut:g} or more: {_GRADED[-1].show(found.right)}."
    if found.empty:
        yield f"  Empty answers: {found.empty}."
    yield from (f"  {each}" for each in _unjudged(found))
    figures = "; ".join(
        f"{each.statistic} {FIGURE.show(Estimate(each.estimate, each.low, each.high))}, {each.data}, "
        f"{each.labels} labels"
        for each in figures_shown(found.judge)
    )
    unknown = "not measured, so that its scores are on no known scale"
    yield f"  Agreement of this judge with people: {figures or unknown}."
    if out is not None:
        yield f"  Scores and reasons of all rows: {out}"


def _unjudged(found: GradeSummary) -> list[str]:
    return [
        f"Not judged, and in no figure: {count} ({code}: {found.reasons[code]})"
        for code, count in found.unjudged.items()
    ]


def _cell(value: object) -> Cell:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
