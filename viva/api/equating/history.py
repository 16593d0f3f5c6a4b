"""Scores of systems over runs and dates: on one scale where shared questions connect the exams."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viva.api.equating.forms import EquatedForms, ExamForm, PlacedAbility, form_of_answers, placed
from viva.api.result import Cell, Column, Kind, Result, Table
from viva.api.runs import Run
from viva.core.errors import UsageError
from viva.core.estimates import OUTSIDE, Estimate
from viva.core.wording import counted, listed

if TYPE_CHECKING:
    from viva.core.scores import ExamineeScore
    from viva.graphs.results import SatExam
    from viva.metrics.irt.linking.link import Link

_VERSION = re.compile(r" \(version \d+\)$")
_ACCURACY, _SHARED, _EXPECTED = "accuracy", "accuracy on shared questions", "expected on the first exam"
_COLUMNS = (
    Column("run"),
    Column("date"),
    Column("system"),
    Column("right", Kind.NUMBER, spare=3),
    Column("of", Kind.NUMBER, spare=3),
    Column(_ACCURACY, Kind.SHARE),
    Column(_SHARED, Kind.SHARE),
    Column("ability", Kind.NUMBER, 1, spare=2),
    Column(_EXPECTED, Kind.SHARE),
    Column("ability outside", spare=2),
)
_ALWAYS = 6
"""So many columns from the left are shown even where they are empty; the next one compares runs."""


@dataclass(frozen=True, repr=False)
class HistoryResult(Result):
    """Scores over runs and dates. `measure`: the column in which all runs can be compared, and that is plotted."""

    measure: str = _ACCURACY

    def plot(self) -> Any:
        """Plot the measure over dates, or over runs where a date is missing, a line for each pipeline."""
        from plotly.graph_objects import Figure

        from viva.reports.plots.history import history_lines

        found = history_lines(self.rows(), self.measure, _pipeline)
        return Figure(data=found["data"], layout=found["layout"])

    def write_plot(self, path: str | Path) -> Path:
        """Write the plot as one HTML file that needs no network."""
        from viva.exams.file import write_file

        write_file(self.plot().to_html(include_plotlyjs=True), path)
        return Path(path)


@dataclass(frozen=True, eq=False)
class _SatRun:
    """A run with its scores, the answers to its exam, when each system was last asked, and its fit, if any."""

    name: str
    scores: Sequence[ExamineeScore]
    answers: SatExam
    dates: dict[str, str]
    form: ExamForm | None
    why: str = ""


def history(runs: Sequence[str | Path | Run] | str | Path | Run) -> HistoryResult:
    """Give the scores of your systems over runs, versions and dates (docs/equating.md).

    Abilities are on the scale of the first run, where shared questions link the exams, directly or through a run in
    between; else accuracy on the questions that all runs share. Without systems of your own the references are
    shown. UsageError for a run without scores.
    """
    given = [runs] if isinstance(runs, str | Path | Run) else list(runs)
    if not given:
        raise UsageError("A history needs a run.", allowed="One or more run folders.")
    read = list[_SatRun]()
    for each in given:
        read.append(_read(each if isinstance(each, Run) else Run(Path(each)), read))
    links, notes = _links(read)
    shared = frozenset.intersection(*(frozenset(_ids(each)) for each in read))
    rows = [row for place, each in enumerate(read) for row in _rows(each, read[0], links.get(place), shared, place)]
    rows.sort(key=lambda row: (_pipeline(str(row[2])), str(row[1])))
    measure = _measure(read, links, len(shared))
    notes = [*_on_measure(read, measure, len(shared)), *notes, *([OUTSIDE] if any(row[-1] for row in rows) else [])]
    shown = [place for place in range(len(_COLUMNS)) if place < _ALWAYS or any(row[place] for row in rows)]
    shown = [place for place in shown if len(read) > 1 or place != _ALWAYS]
    cells = tuple(tuple(row[place] for place in shown) for row in rows)
    title = f"Scores over {counted(len(read), 'run')}"
    table = Table(title, tuple(_COLUMNS[place] for place in shown), cells)
    record = {"runs": [each.name for each in read], "measure": measure, "scores": table.rows(), "notes": notes}
    return HistoryResult(title, (table,), tuple(notes), record, measure=measure)


def _pipeline(system: str) -> str:
    return _VERSION.sub("", system)


def _read(run: Run, before: Sequence[_SatRun]) -> _SatRun:
    from viva.graphs.results import graded_answers, scores_of
    from viva.graphs.sitting.kept_answers import last_asked

    with run.opened() as context:
        answers, scores = graded_answers(context), scores_of(context.store, run.folder)
        dates = {each.id: last_asked(context.store, each.id) for each in answers.examinees}
    name = str(run.folder)
    like = next((each.form.fit for each in before if each.form), None)
    try:
        return _SatRun(name, scores.examinees, answers, dates, form_of_answers(name, answers, like))
    except UsageError as error:
        return _SatRun(name, scores.examinees, answers, dates, None, str(error))


def _ids(run: _SatRun) -> list[str]:
    return [each.item.id for each in run.answers.exam.items]


# --- one scale ----------------------------------------------------------------------------------------------


def _links(read: Sequence[_SatRun]) -> tuple[dict[int, Link | None], list[str]]:
    """Give, by the place of a run, its link to the scale of the first (None: its own); and why there is none."""
    links: dict[int, Link | None] = {}
    notes = list[str]()
    for place, run in enumerate(read):
        if run.form is None:
            notes.append(f"{run.name} has no abilities: {run.why}")
        elif not links:
            if place == 0:
                links[place] = None
        else:
            notes += _linked(read, place, links)
    return links, notes


def _linked(read: Sequence[_SatRun], place: int, links: dict[int, Link | None]) -> list[str]:
    """Link a run to the first, or to the latest one that is linked; what drifted, or why there is no link."""
    run, why = read[place], ""
    for other in sorted(links, key=lambda each: (each > 0, -each)):
        old = read[other].form
        if old is None or run.form is None:
            continue
        pair = EquatedForms(old, run.form)
        try:
            found = pair.link
        except UsageError as error:
            why = why or error.problem
            continue
        earlier = links[other]
        links[place] = found if earlier is None else found.after(earlier)
        drifted = [run.form.texts[pair.places[1][each]] for each in pair.named(found.drifted)]
        linked = f"{run.name} is linked to {old.name} by {counted(int(found.kept.sum()), 'shared question')}"
        return [f"{linked}; left out as drifted: {listed(drifted)}." if drifted else f"{linked}."]
    return [f"{run.name} is not on the scale of {read[0].name}: {why}"]


def _measure(read: Sequence[_SatRun], links: dict[int, Link | None], shared: int) -> str:
    if len(read) == 1:
        return _ACCURACY
    if len(links) == len(read):
        return _EXPECTED
    return _SHARED if shared else _ACCURACY


def _on_measure(read: Sequence[_SatRun], measure: str, shared: int) -> list[str]:
    if len(read) == 1:
        return []
    if measure == _EXPECTED:
        return [f"All runs are on the scale of {read[0].name}; the errors of the links are part of the intervals."]
    if measure == _SHARED:
        of_all = counted(shared, "question")
        return [f"Not all runs are on one scale: compare the accuracy on the {of_all} that all of them have."]
    return ["Nothing connects all of these runs: no question is in all of them, so their accuracies do not compare."]


# --- rows ---------------------------------------------------------------------------------------------------


def _rows(
    run: _SatRun, first: _SatRun, link: Link | None, shared: frozenset[str], place: int
) -> list[tuple[Cell, ...]]:
    from viva.metrics.panel import is_own

    own = [each for each in run.scores if is_own(each.examinee)] or run.scores
    on_scale = first.form is not None and run.form is not None and (place == 0 or link is not None)
    abilities = dict(zip(run.form.examinees, run.form.fit.abilities, strict=True)) if run.form and on_scale else {}
    found = list[tuple[Cell, ...]]()
    for each in own:
        who = each.examinee
        at = PlacedAbility(None, None)
        if first.form is not None and who.name in abilities:
            at = placed(abilities[who.name], link, first.form.fit)
        on_shared = _on_shared(run, who.id, shared)
        dated = run.dates.get(who.id, "")[:19]
        figures = (each.correct, each.graded, each.accuracy, on_shared, at.ability, at.expected, at.outside)
        found.append((run.name, dated, who.name, *figures))
    return found


def _on_shared(run: _SatRun, examinee_id: str, shared: frozenset[str]) -> Estimate | None:
    """Estimate the share of right answers to the questions that all runs have; failures are wrong."""
    from viva.core.records import Grade
    from viva.metrics.exam import failures_wrong
    from viva.metrics.intervals import wilson

    pairs = zip(run.answers.asked, run.answers.grades, strict=True)
    own = [each for each in pairs if each[0].examinee_id == examinee_id and each[0].item_id in shared]
    scores = [each.score for each in failures_wrong(own) if isinstance(each, Grade)]
    return wilson(sum(scores), len(scores))
