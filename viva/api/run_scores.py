"""The scores of a run in Python: leaderboard, one system, pairs, questions to read, plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from viva.api.exams import ExamSource
from viva.api.result import Column, Result, Table
from viva.core.errors import UsageError

if TYPE_CHECKING:
    from viva.api.pairs import PairResult
    from viva.core.scores import ExamineeScore, Scores

_FLAGS = (Column("question"), Column("text"), Column("kind"), Column("why"))


class ScoredRun(ExamSource, Protocol):
    """The run that scores are of."""

    def compare(self, first: str, second: str) -> PairResult: ...


@dataclass(frozen=True, repr=False)
class RunScores:
    """The scores of the systems of a run. `notes`: what this call adds to those of the scores.

    `called`: by the name that this call gave, the name of the system on the board, which has a version if it changed.
    """

    record: Scores
    run: ScoredRun
    notes: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def leaderboard(self) -> Result:
        """Give the systems, best first; place R1, M1, F1: a reference, one that viva added, one that failed much."""
        from viva.api.leaderboard import leaderboard

        return leaderboard(self.record, self.notes)

    def compare(self, first: str, second: str) -> PairResult:
        """Compare two systems: better, not told apart or worse; why; what each takes. UsageError for other names."""
        return self.run.compare(self.called.get(first, first), self.called.get(second, second))

    @cached_property
    def flags(self) -> Result:
        """Give the questions that the answers speak against, and those whose keys to read first."""
        found = self.record.measurement
        texts = {each.id: each.text for each in self.run.exam}
        rows = [(each.item_id, each.kind, each.reason) for each in found.flags] if found else []
        named = {item for item, _, _ in rows}
        rows += (
            [
                (item, "read first", "its key is among the likeliest wrong ones")
                for item in found.read_first
                if item not in named
            ]
            if found
            else []
        )
        cells = tuple((item[:8], texts.get(item, ""), kind, why) for item, kind, why in rows)
        note = () if found else ("Nothing was measured: too few systems or questions.",)
        return Result("Questions to read", (Table("Questions to read", _FLAGS, cells),), note)

    @property
    def plot(self) -> Plots:
        """The report's figures, as plotly has them."""
        return Plots(self)

    def with_notes(self, *notes: str) -> RunScores:
        """The same with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def to_pandas(self) -> Any:
        """Give the leaderboard as a DataFrame."""
        return self.leaderboard.to_pandas()

    def __getitem__(self, system: str) -> ExamineeScore:
        """Give the score of the system of this name. UsageError for another name."""
        system = self.called.get(system, system)
        names = {each.examinee.name: each for each in self.record.examinees}
        if system not in names:
            raise UsageError(f"“{system}” has no scores.", allowed=f"One of: {', '.join(names)}.")
        return names[system]

    def __iter__(self) -> Iterator[ExamineeScore]:
        return iter(self.record.examinees)

    def __len__(self) -> int:
        return len(self.record.examinees)

    def _repr_html_(self) -> str:
        return self.leaderboard.html()

    def __repr__(self) -> str:
        return self.leaderboard.text()


@dataclass(frozen=True)
class Plots:
    """Figures of scores, for a notebook."""

    scores: RunScores

    def leaderboard(self) -> Any:
        """Plot the accuracies with their intervals."""
        from viva.reports.plots.systems import accuracy_forest
        from viva.reports.sections.systems import system_rows

        return _figure(accuracy_forest(system_rows(self.scores.record), None, self.scores.record.baselines))

    def abilities(self) -> Any:
        """Plot the abilities with their intervals. UsageError where none was estimated."""
        from viva.reports.plots.systems import ability_forest
        from viva.reports.sections.systems import system_rows

        found = ability_forest(system_rows(self.scores.record))
        if found is None:
            raise UsageError("No ability was estimated.", allowed="An exam that at least two systems have taken.")
        return _figure(found)

    def pairs(self) -> Any:
        """Plot the verdicts of all pairs. UsageError for a single system."""
        from viva.core.scores_pairs import Pairs
        from viva.reports.plots.grids import pair_grid
        from viva.reports.sections.systems import system_rows

        found = pair_grid(system_rows(self.scores.record), Pairs(self.scores.record.comparisons))
        if found is None:
            raise UsageError("There is no pair to plot.", allowed="At least two systems.")
        return _figure(found)


def _figure(found: Any) -> Any:
    from plotly.graph_objects import Figure

    return Figure(data=found["data"], layout=found["layout"])
