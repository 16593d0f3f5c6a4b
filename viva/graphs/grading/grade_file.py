"""Answers of a table are graded by a judge: what its columns hold, a score for each row, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from viva.agents.judges.model.forms import FORMS
from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.core.case_cells import case_in, has_text
from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.records.base import Record
from viva.core.records.judging import Case, JudgeCard, Judgement, Make, Quality, Unjudged
from viva.core.tables import Row, as_json
from viva.graphs.grading.batch_judging import judge_cases
from viva.graphs.grading.graders import OFFLINE
from viva.graphs.grading.judge_lookup import Named, named_judge, quality_named
from viva.metrics.intervals import share_in_groups
from viva.optimizers.label_columns import text_columns, texts_read
from viva.optimizers.labelled_rows import LabelTable, read_labelled_rows, table_of

CUT = 0.5
"""The least score of an answer that counts as right."""
_WITHOUT_MODEL = (Quality.CORRECTNESS, Quality.FAITHFULNESS)
"""Qualities whose offline judge is taken where neither a judge nor a model is named: it is measured, and of use."""
_EMPTY_IS_JUDGED = ("answer", "other")


@dataclass(frozen=True)
class TableCase:
    """A row: its place, its cells, and its case, or why it cannot be judged."""

    place: str
    cells: Mapping[str, object]
    case: Case | Unjudged


@dataclass(frozen=True)
class CaseTable:
    """The rows of a table as cases of a quality. `columns`: from a field to the column that it was read from."""

    quality: Quality
    columns: Mapping[str, str]
    rows: tuple[TableCase, ...]
    not_found: tuple[str, ...] = ()
    """what the judge would read too, and no column holds"""


class GradeSummary(Record):
    """What a judge made of a table. `unjudged` and its reasons are in no mean."""

    judge: JudgeCard
    quality: Quality
    columns: dict[str, str]
    not_found: tuple[str, ...] = ()
    rows: int
    judged: int
    empty: int = 0
    """answers without a word, which are judged too"""
    mean: Estimate | None
    right: Estimate | None
    """share of the judged with a score of the cut or more"""
    cut: float = CUT
    unjudged: dict[str, int]
    reasons: dict[str, str]
    """by code of the unjudged, the first reason"""


def grading_judge(name: str | None, quality: str | None, *, model: bool) -> Named:
    """The judge by its name, or the usual one of a quality (correctness): with a model that model, else rules.

    UsageError where the two do not fit, or where no judge of the quality does without a model.
    """
    wanted = quality_named(quality) if quality else None
    if name == OFFLINE:
        name = f"{wanted or Quality.CORRECTNESS}-{Make.OFFLINE}"
    if name is None:
        usual = wanted or Quality.CORRECTNESS
        name = f"{usual}-{Make.OFFLINE}" if usual in _WITHOUT_MODEL and not model else usual.value
    named = named_judge(name)
    if wanted not in (None, named.quality):
        raise UsageError(f"The judge {named.name} judges {named.quality}, not {wanted}.", allowed=_LEAVE_OUT)
    if named.asks_a_model and not model:
        raise UsageError(
            f"The judge {named.name} asks a language model, and none is named.",
            allowed=f"Usual without a model are {' and '.join(f'{each}-{Make.OFFLINE}' for each in _WITHOUT_MODEL)}.",
            next_step="Name a model, --model PROVIDER:MODEL, or another judge, as viva judges lists them.",
        )
    return named


_LEAVE_OUT = "The quality follows from the judge: leave --quality out."


# --- reading ------------------------------------------------------------------------------------------------


def read_cases(path: Path, quality: Quality, columns: Mapping[str, str] | None = None) -> CaseTable:
    """The rows of a CSV, TSV, JSON Lines, JSON or Parquet file as cases. UsageError, by place, for a bad file."""
    return _cases(read_labelled_rows(path, quality), quality, columns or {}, path)


def cases_of(rows: Sequence[Row], quality: Quality, columns: Mapping[str, str] | None = None) -> CaseTable:
    """Rows as cases. `columns`: from a field to its column, where its name is not a usual one.

    A row that lacks a text that the quality needs is unjudged. UsageError where no column or no row has it.
    """
    placed = [(f"row {number}", as_json(row)) for number, row in enumerate(rows, start=1)]
    return _cases(table_of(placed), quality, columns or {}, "the table")


def _cases(table: LabelTable, quality: Quality, columns: Mapping[str, str], named: object) -> CaseTable:
    chosen, needs = text_columns(named, table, quality, columns), FORMS[quality].needs
    found = list[TableCase]()
    for row in table.rows:
        try:
            found.append(TableCase(row.place, row.cells, _case(case_in(row.cells, chosen), needs)))
        except ValueError as error:
            problem = f"{row.place.capitalize()} of {named}: {error}."
            raise UsageError(problem, allowed="A text for each field.") from error
    lacking = [each.case for each in found if isinstance(each.case, Unjudged)]
    if len(lacking) == len(found):
        raise UsageError(
            f"No row of {named} can be judged for {quality}: {lacking[0].reason[:1].lower()}{lacking[0].reason[1:]}",
            allowed=f"It was read from these columns: {', '.join(f'{k}={v}' for k, v in chosen.items())}.",
            next_step="Name others: --columns FIELD=COLUMN,...",
        )
    not_found = tuple(field for field in texts_read(quality) if field not in chosen)
    return CaseTable(quality, chosen, tuple(found), not_found)


def _case(case: Case, needs: Sequence[str]) -> Case | Unjudged:
    missing = next((name for name in needs if name not in _EMPTY_IS_JUDGED and not has_text(case, name)), None)
    return Unjudged(code=f"no_{missing}", reason=f"The row has no {missing}.") if missing else case


# --- grading ------------------------------------------------------------------------------------------------


async def grade(table: CaseTable, judge: Judge, progress: Progress | None = None) -> list[Judgement | Unjudged]:
    """One for each row, in their order. Equal cases are judged once; BudgetReached comes through."""
    cases = [row.case for row in table.rows if isinstance(row.case, Case)]
    said = iter(await judge_cases(judge, cases, progress))
    return [next(said) if isinstance(row.case, Case) else row.case for row in table.rows]


def summarise(table: CaseTable, card: JudgeCard, said: Sequence[Judgement | Unjudged]) -> GradeSummary:
    """The mean score and the share that is right, with intervals of 95% over questions; the unjudged by code."""
    judged = [(row.case, one) for row, one in zip(table.rows, said, strict=True) if isinstance(one, Judgement)]
    scores = [one.score for _, one in judged]
    groups = [_source(case) for case, _ in judged if isinstance(case, Case)]
    lost = [one for one in said if isinstance(one, Unjudged)]
    return GradeSummary(
        judge=card,
        quality=table.quality,
        columns=dict(table.columns),
        not_found=table.not_found,
        rows=len(table.rows),
        judged=len(judged),
        empty=sum(isinstance(row.case, Case) and not row.case.answer.strip() for row in table.rows)
        if "answer" in table.columns
        else 0,
        mean=share_in_groups(scores, groups, seed=0),
        right=share_in_groups([float(score >= CUT) for score in scores], groups, seed=0),
        unjudged=dict(sorted(Counter(one.code for one in lost).items())),
        reasons={one.code: one.reason for one in reversed(lost)},
    )


def _source(case: Case) -> str:
    """What several answers may share: their question, or else the reference or the passages."""
    return case.question or case.reference or "\n".join(case.passages)


def result_rows(table: CaseTable, said: Sequence[Judgement | Unjudged]) -> list[Row]:
    """Each row as it was read, with what the judge said of it in columns of their own."""
    return [{**row.cells, **_result(one)} for row, one in zip(table.rows, said, strict=True)]


def _result(one: Judgement | Unjudged) -> Row:
    return {
        "judge_score": None if isinstance(one, Unjudged) else one.score,
        "judge_right": None if isinstance(one, Unjudged) else int(one.score >= CUT),
        "judge_reason": one.reason,
        "judge_unjudged": one.code if isinstance(one, Unjudged) else None,
    }
