"""Item response theory in Python: a matrix of right and wrong answers, fitted and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from viva.api.result import Column, Kind, Result, Table, ability_cells

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from viva.metrics.irt.fit.analysis import Analysis
    from viva.metrics.irt.model.design import Component

_EXAMINEES = (
    Column("examinee"),
    *(Column(name, Kind.NUMBER) for name in ("right", "of")),
    Column("expected score", Kind.SHARE),
    Column("ability", Kind.NUMBER, 1),
    Column("SE", Kind.NUMBER, 1),
    Column("beyond"),
    Column("person fit", Kind.NUMBER, 1),
)
_ITEMS = (
    Column("item"),
    *(Column(name, Kind.NUMBER) for name in ("right", "of")),
    *(Column(name, Kind.NUMBER) for name in ("discrimination", "difficulty", "guessing")),
)
_FLAGS = (Column("item"), Column("kind"), Column("why"))


def fit(
    responses: ArrayLike,
    *,
    examinees: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    components: Mapping[str, Component] | None = None,
    **options: Any,
) -> FittedMatrix:
    """Fit responses (n, m) of 1, 0 and nan, and make every check that they allow (docs/irt.md).

    `responses` may be a pandas DataFrame, whose index and columns name examinees and items. `components`: name ->
    the level of each examinee. `options`: those of viva.metrics.irt.fit.analysis.analyse, such as model="2pl", or
    options=0 for questions without options. UsageError for what is no such matrix.
    """
    from threadpoolctl import threadpool_limits

    from viva.metrics.irt.fit.analysis import analyse

    index, columns = getattr(responses, "index", None), getattr(responses, "columns", None)
    if index is not None and columns is not None:
        examinees = [str(each) for each in index] if examinees is None else examinees
        items = [str(each) for each in columns] if items is None else items
    # one thread: more make small matrices slower, and sums differ between machines
    with threadpool_limits(limits=1, user_api="blas"):
        return FittedMatrix(analyse(responses, examinees=examinees, items=items, components=components, **options))


@dataclass(frozen=True, repr=False)
class FittedMatrix:
    """A fitted matrix: `analysis` holds the arrays; abilities, items and flags as tables."""

    analysis: Analysis

    @property
    def abilities(self) -> Result:
        """The examinees: right answers, expected share, ability with standard error, person fit."""
        found, fitted = self.analysis, self.analysis.fit
        columns = zip(
            found.examinees,
            found.right.tolist(),
            found.graded.tolist(),
            found.expected_scores,
            *zip(*map(ability_cells, fitted.abilities), strict=True),
            found.person_fit.tolist(),
            strict=True,
        )
        return _result("Examinees", _EXAMINEES, tuple(columns), fitted.message)

    @property
    def items(self) -> Result:
        """The items: right answers, discrimination, difficulty, guessing."""
        found, fitted = self.analysis, self.analysis.fit
        columns = zip(
            found.items,
            found.item_right.tolist(),
            found.item_graded.tolist(),
            *(each.tolist() for each in (fitted.a, fitted.b, fitted.c)),
            strict=True,
        )
        return _result("Items", _ITEMS, tuple(columns), fitted.message)

    @property
    def flags(self) -> Result:
        """What the checks find wrong with items, the gravest first."""
        cells = tuple((each.item_id, each.kind, each.reason) for each in self.analysis.flags)
        return _result("Flags", _FLAGS, cells, "")

    def _repr_html_(self) -> str:
        return self.abilities.html()

    def __repr__(self) -> str:
        return self.abilities.text()


def _result(title: str, columns: tuple[Column, ...], cells: tuple[tuple[Any, ...], ...], note: str) -> Result:
    return Result(title, (Table(title, columns, cells),), (note,) if note else ())
