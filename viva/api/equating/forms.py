"""Two forms of an exam on one scale: abilities, expected scores, and the shared questions that drifted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viva.api.result import Cell, Column, Kind, Result, Table
from viva.api.runs import Run
from viva.core.errors import UsageError
from viva.core.estimates import OUTSIDE, Ability, Estimate, OutsideAbility
from viva.core.wording import MINUS, counted, listed, number, points

if TYPE_CHECKING:
    from viva.graphs.results import SatExam
    from viva.metrics.irt import Fit
    from viva.metrics.irt.linking.link import Link

Z95 = 1.96
_NAMED = 10
_OLD, _NEW, _DRIFT = "old difficulty", "new difficulty", "new less old"
_SYSTEMS = (
    Column("form"),
    Column("system"),
    Column("right", Kind.NUMBER, spare=2),
    Column("of", Kind.NUMBER, spare=2),
    Column("ability", Kind.NUMBER, 1),
    Column("expected on the old form", Kind.SHARE),
    Column("ability outside"),
)
_ANCHORS = (
    Column("question"),
    Column(_OLD, Kind.NUMBER, 1, spare=1),
    Column(_NEW, Kind.NUMBER, 1, spare=1),
    Column(_DRIFT, Kind.POINTS),
    Column("p (adjusted)", Kind.P_VALUE, spare=2),
    Column("use"),
    Column("text", spare=3),
)


@dataclass(frozen=True, eq=False)
class ExamForm:
    """A form of an exam with the fit to those who took it; `texts` of its items, where they are known."""

    name: str
    examinees: tuple[str, ...]
    items: tuple[str, ...]
    fit: Fit
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlacedAbility:
    """An ability on a scale, with its 95% interval, and what it is in expected right answers on that scale's form.

    Where the exam does not measure it there are words alone.
    """

    ability: Estimate | None
    expected: Estimate | None
    outside: str = ""


def equate(old: Any, new: Any, *, options: int = 4, model: str = "auto") -> Result:
    """Put the abilities of two forms of an exam on one scale, that of `old`, through the questions they share.

    Each form is a run (viva.open_run), its folder, a matrix as CSV or TSV file or as pandas DataFrame, or a
    FittedMatrix. Questions are the same where their ids (columns) are. `options` and `model` are those of irt.fit,
    for matrices. Shared questions that drifted are left out, by name. The error of the link is part of every
    interval of the new form. UsageError where fewer than five shared questions are left.
    """
    first = read_form(old, "old form", options=options, model=model)
    second = read_form(new, "new form", like=first.fit, options=options, model=model)
    return equated_result(EquatedForms(first, second))


def read_form(given: Any, name: str, *, like: Fit | None = None, options: int = 4, model: str = "auto") -> ExamForm:
    """Read a form and fit it; with `like` by the model of that fit: only fits of one model can be linked.

    `name` is that of a form without a file.
    """
    path = Path(given) if isinstance(given, str | Path) else None
    if isinstance(given, Run) or (path is not None and path.is_dir()):
        return _form_of_run(given if isinstance(given, Run) else Run(Path(given)), like)
    if path is not None:
        from viva.exams.response_matrix import read_matrix

        matrix = read_matrix(path)
        return _form_of_matrix(str(path), matrix.examinees, matrix.items, matrix.responses, like, options, model)
    if hasattr(given, "index") and hasattr(given, "columns"):
        rows, columns = ([str(each) for each in names] for names in (given.index, given.columns))
        return _form_of_matrix(name, rows, columns, given, like, options, model)
    if (found := getattr(given, "analysis", None)) is not None:
        if like is None:
            return ExamForm(name, found.examinees, found.items, found.fit)
        return _form_of_matrix(name, found.examinees, found.items, found.fit.responses, like, options, model)
    raise UsageError(
        "This is no form of an exam with answers to it.",
        allowed="A run or its folder, a CSV or TSV file, a DataFrame whose columns name the questions.",
    )


def _form_of_run(run: Run, like: Fit | None) -> ExamForm:
    from viva.graphs.results import graded_answers

    with run.opened() as context:
        return form_of_answers(str(run.folder), graded_answers(context), like)


def form_of_answers(name: str, answers: SatExam, like: Fit | None) -> ExamForm:
    """Fit the answers of a run. UsageError where they are too few."""
    from viva.graphs.results import calibrated

    found = calibrated(answers, like)
    shown = [each.item for each in found.exam.items]
    names = tuple(each.name for each in found.examinees)
    ids, texts = tuple(each.id for each in shown), tuple(each.stem for each in shown)
    return ExamForm(name, names, ids, found.fit, texts)


def _form_of_matrix(
    name: str,
    examinees: Sequence[str],
    items: Sequence[str],
    responses: Any,
    like: Fit | None,
    options: int,
    model: str,
) -> ExamForm:
    from threadpoolctl import threadpool_limits

    from viva.metrics.irt.fit.estimation import fit

    if len(set(items)) < len(items):
        raise UsageError(f"A question of the {name} is there twice.", allowed="Each name of a question once.")
    open_questions = options == 0
    with threadpool_limits(limits=1, user_api="blas"):
        found = fit(
            responses,
            model=model if like is None else like.formats.models[0],
            guessing=0.0 if open_questions else None,
            options=[4.0 if open_questions else options / (like.formats.share_of_chance if like else 1)] * len(items),
            examinees=examinees,
        )
    return ExamForm(name, tuple(examinees), tuple(items), found)


@dataclass(frozen=True, eq=False)
class EquatedForms:
    """Two forms, and the link of the new one's scale to that of the old one."""

    old: ExamForm
    new: ExamForm

    @cached_property
    def places(self) -> Any:
        """Places of the shared items in either form."""
        from viva.metrics.irt import common_items

        return common_items(self.old.items, self.new.items)

    @cached_property
    def link(self) -> Link:
        """The link through the shared items. UsageError where they are too few."""
        from viva.metrics.irt import link

        return link(self.old.fit, self.new.fit, self.places)

    def named(self, chosen: Any) -> list[int]:
        """Places, among the shared items, of those that are `chosen`."""
        return [place for place, own in enumerate(chosen.tolist()) if own]


def placed(ability: Ability | OutsideAbility | None, link: Link | None, scale: Fit) -> PlacedAbility:
    """Put an ability on the scale of a fit; without a link it is on it already."""
    if ability is None:
        return PlacedAbility(None, None)
    if isinstance(ability, OutsideAbility):
        bound = ability.bound if link is None else link.slope * ability.bound + link.shift
        return PlacedAbility(None, None, OutsideAbility(ability.side, bound).words)
    theta, se = ability.theta, ability.se
    if link is not None:
        theta, se = (float(each[0]) for each in link.abilities([theta], [se]))
    ends = (theta, theta - Z95 * se, theta + Z95 * se)
    return PlacedAbility(Estimate(*ends), Estimate(*(float(each) for each in scale.expected_score(ends))))


def equated_result(found: EquatedForms) -> Result:
    """Show the systems of both forms on one scale, the shared questions, and what the link is worth."""
    systems, anchors = _systems(found), _anchors(found)
    link = found.link
    record = {
        "old": found.old.name,
        "new": found.new.name,
        "link": {"slope": link.slope, "shift": link.shift, "covariance": link.cov.tolist()},
        "anchors": int(link.kept.sum()),
        "drifted": [found.old.items[found.places[0][each]] for each in found.named(link.drifted)],
        "systems": systems.rows(),
        "questions": anchors.rows(),
    }
    title = f"{found.new.name} on the scale of {found.old.name}"
    return Result(title, (systems, anchors), tuple(_notes(found, systems, anchors)), record)


def _systems(found: EquatedForms) -> Table:
    rows = [
        (
            form.name,
            name,
            int((own == 1).sum()),
            int((own == own).sum()),
            place.ability,
            place.expected,
            place.outside,
        )
        for form, link in ((found.old, None), (found.new, found.link))
        for name, own, ability in zip(form.examinees, form.fit.responses, form.fit.abilities, strict=True)
        for place in (placed(ability, link, found.old.fit),)
    ]
    kept = len(_SYSTEMS) if any(row[-1] for row in rows) else len(_SYSTEMS) - 1
    return Table("Systems on one scale", _SYSTEMS[:kept], tuple(row[:kept] for row in rows))


def _anchors(found: EquatedForms) -> Table:
    from viva.metrics.irt.linking.drift import drift_in_points

    link, (old, new) = found.link, found.places
    usable = (old[link.usable], new[link.usable])
    sizes = iter(drift_in_points(found.old.fit, found.new.fit, usable, link.slope, link.shift))
    rows = list[tuple[Cell, ...]]()
    for place, (first, second) in enumerate(zip(old.tolist(), new.tolist(), strict=True)):
        name, text = found.old.items[first], found.old.texts[first] if found.old.texts else ""
        if not link.usable[place]:
            rows.append((name, None, None, None, None, "none: all right or all wrong", text))
            continue
        later = float(link.slope * found.new.fit.b[second] + link.shift)
        use = "left out: drifted" if link.drifted[place] else "anchor"
        p_value = float(link.p_values[place])
        rows.append((name, float(found.old.fit.b[first]), later, next(sizes), p_value, use, text))
    rows.sort(key=lambda row: (row[4] is None, row[4]))
    kept = len(_ANCHORS) if found.old.texts else len(_ANCHORS) - 1
    return Table("Shared questions, those that drifted first", _ANCHORS[:kept], tuple(row[:kept] for row in rows))


def _notes(found: EquatedForms, systems: Table, anchors: Table) -> list[str]:
    link, notes = found.link, []
    error = float(link.abilities([float(found.new.fit.theta.mean())], [0.0])[1][0])
    sign = "+" if link.shift >= 0 else MINUS
    notes.append(
        f"Linked by {counted(int(link.kept.sum()), 'anchor')} of {counted(len(link.usable), 'shared question')}: "
        f"ability on the old scale = {number(link.slope)} × ability {sign} {number(abs(link.shift))}. The error of "
        f"the link, {number(error)} at the mean ability of the new form, is part of every interval of the new form "
        "and common to its systems."
    )
    drifted = [row for row in anchors.rows() if row["use"] == "left out: drifted"]
    if drifted:
        names = [f"{row['question']} ({points(float(row[_DRIFT] or 0))} points)" for row in drifted]
        notes.append(
            f"Left out as drifted: {listed(names, _NAMED)}. These were answered right more (+) or less often than "
            "the abilities of the new form's systems let expect; a few such are false alarms (docs/equating.md)."
        )
    else:
        notes.append("No drift of a shared question was found.")
    if len(systems.columns) == len(_SYSTEMS):
        notes.append(OUTSIDE)
    return notes
