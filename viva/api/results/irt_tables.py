"""What an analysis by item response theory found, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from viva.api.result import Cell, Column, Kind, Result
from viva.api.results.irt_checks import SURE, checks, held_out, mostly_dependent, result_of
from viva.core.estimates import OUTSIDE, Ability, Estimate, OutsideAbility
from viva.core.scores import TIED_DIGITS, ItemFlag
from viva.core.wording import listed, option_letter, signed
from viva.metrics.intervals import Z
from viva.metrics.irt.checks.flags import KINDS
from viva.metrics.irt.checks.person_fit import strays as person_strays
from viva.metrics.irt.fit.analysis import Analysis
from viva.metrics.irt.model.responses import Floats, Ints, NotJudged
from viva.metrics.irt.records import notes_told
from viva.reports.sections.systems import reliability_sentence

_READ = 10
_NAMED = 3
"""The most items, and the most examinees, that a sentence names."""
_RIGHT = (Column("right", Kind.NUMBER), Column("of", Kind.NUMBER))
_EXAMINEES = (
    Column("place"),
    Column("examinee"),
    *_RIGHT,
    Column("expected score", Kind.SHARE),
    Column("ability", Kind.NUMBER, 1),
    Column("person fit", Kind.NUMBER, 1),
)
_DIFFICULTY, _DISCRIMINATION = Column("difficulty", Kind.NUMBER, 1), Column("discrimination", Kind.NUMBER, 1)
_GUESSING = Column("guessing", Kind.NUMBER)


def summary(found: Analysis, source: str, assumed: Sequence[str], record: dict[str, object]) -> Result:
    """Join the whole result, the most important first. `source` names it, `assumed` are notes on an unclear input."""
    examinees, items, graded = len(found.examinees), len(found.items), int(found.graded.sum())
    missing = examinees * items - graded
    share = f"{found.right.sum() / graded:.0%} right{f', {missing} missing' if missing else ''}"
    title = f"{source}: {examinees} examinees, {items} items, {graded} responses, {share}."
    if alike := _alike(found):
        head = Result(title, (), (f"{alike}.", *(f"Note: {note}" for note in assumed)))
        return Result.joined(title, (head,), record)
    parts = [
        Result(title, (), tuple(_method(found))),
        abilities(found),
        effects(found),
        contrasts(found),
        _exam(found),
        flags(found),
        checks(found),
        held_out(found),
        Result("", (), tuple(f"Note: {note}" for note in (*assumed, *notes_told(found, _NAMED)))),
    ]
    return Result.joined(title, [_without_empty_tables(part) for part in parts], record)


def _without_empty_tables(part: Result) -> Result:
    return Result("", (), part.notes) if part.tables and not part.tables[0].cells else part


def _alike(found: Analysis) -> str:
    """What there is to say where no item tells two examinees apart."""
    right, graded = int(found.right.sum()), int(found.graded.sum())
    if right == graded:
        return "Every examinee is right on all items: they tell none apart"
    if not right:
        return "No examinee is right on any item"
    alike = ((found.item_right == 0) | (found.item_right == found.item_graded)).all()
    return "All examinees are right on the same items: no item tells them apart" if alike else ""


def _method(found: Analysis) -> Iterator[str]:
    yield f"Method: {found.fit.message}."
    median = float(np.median(found.fit.a))
    step = f"on it, a step of 1 turns even odds (beyond guessing) into {np.exp(median):.1f} to 1"
    scale = "Scale: item difficulties have mean 0, discriminations a geometric mean of 1."
    yield f"{scale} The median item here has discrimination {median:.1f}: {step}."


# --- examinees ----------------------------------------------------------------------------------------------


def abilities(found: Analysis) -> Result:
    """Give the examinees by expected score: right answers, ability, person fit; those without responses last."""
    standing = -np.round([each.value for each in found.expected_scores], TIED_DIGITS)
    groups = found.fit.groups[0]
    places = _places_in_groups(standing, groups)
    outside = [each.words if isinstance(each, OutsideAbility) else "" for each in found.fit.abilities]
    rows: list[tuple[Cell, ...]] = [
        (
            places[n],
            found.examinees[n],
            int(found.right[n]),
            int(found.graded[n]),
            found.expected_scores[n] if np.isfinite(found.expected_scores[n].value) else None,
            _ability(found.fit.abilities[n]),
            _finite(found.person_fit[n]),
            *([outside[n]] if any(outside) else []),
        )
        for n in np.lexsort((np.arange(len(standing)), standing, groups, groups < 0)).tolist()
    ]
    columns = (*_EXAMINEES, *([Column("ability is")] if any(outside) else []))
    strays = [name for name, stray in zip(found.examinees, person_strays(found.person_fit), strict=True) if stray]
    notes = [OUTSIDE] if any(outside) else []
    if strays:
        who = f"{listed(strays, _NAMED)}: the answers do not follow the model (easy items wrong, hard ones right)."
        notes.append(f"{who} An ability says little about them.")
    notes.append(reliability_sentence(found.reliability, "examinees"))
    return result_of("Examinees, by expected score", columns, rows, *notes)


def _places_in_groups(standing: Floats, groups: Ints) -> list[str]:
    """Places by standing; where no item connects the groups, within each, with a letter for the group.

    '-' without a graded response (group -1).
    """
    from scipy.stats import rankdata

    places = ["-"] * len(standing)
    for group in range(groups.max(initial=-1) + 1):
        own = np.flatnonzero(groups == group)
        letter = option_letter(group) if groups.max() > 0 else ""
        for n, place in zip(own.tolist(), rankdata(standing[own], method="min").astype(int).tolist(), strict=True):
            places[n] = f"{letter}{place}"
    return places


def _ability(found: Ability | OutsideAbility | None) -> Cell:
    return _with_error(found.theta, found.se) if isinstance(found, Ability) else None


def effects(found: Analysis) -> Result:
    """Give the effects of components on ability: levels from the best, steps of a line in their order."""
    rows: list[tuple[Cell, ...]] = []
    for component, levels in found.fit.effects.items():
        listed_levels = list(levels.items())
        ranked = listed_levels if "linear" in levels else sorted(listed_levels, key=lambda each: -each[1].estimate)
        rows += [(component, level, _bounded(each.estimate, each.reach)) for level, each in ranked]
    columns = (Column("component"), Column("level"), Column("effect", Kind.NUMBER))
    return result_of("Component effects on ability", columns, rows)


def contrasts(found: Analysis) -> Result:
    """Give the pairs of levels, the surest first."""
    if isinstance(found.contrasts, NotJudged):
        why = f"No contrasts: {found.contrasts.reason}."
        return Result("", (), (why,) if found.fit.effects or found.fit.used_up else ())
    pairs = sorted(found.contrasts.pairs, key=lambda pair: -abs(pair.difference) / max(pair.se, 1e-12))
    rows: list[tuple[Cell, ...]] = [
        (
            pair.component,
            pair.level,
            pair.reference,
            _between(pair.difference, pair.low, pair.high),
            pair.p_value,
            _between(pair.score.value, pair.score.low, pair.score.high),
        )
        for pair in (each.better_first() for each in pairs)
    ]
    columns = (
        *map(Column, ("component", "better", "than")),
        Column("ability difference", Kind.NUMBER),
        Column("p", Kind.P_VALUE),
        Column("score difference", Kind.POINTS),
    )
    sure = sum(pair.p_value <= SURE for pair in pairs)
    return result_of(
        f"Contrasts (abilities adjusted by {found.contrasts.adjustment}; scores not adjusted)",
        columns,
        rows,
        f"{sure} of {len(pairs)} pairs of levels differ significantly.",
    )


# --- items --------------------------------------------------------------------------------------------------


def items(found: Analysis) -> Result:
    """Give the items: right answers, discrimination, difficulty, guessing."""
    fit = found.fit
    rows = [
        (name, *_counts(found, n), _a(found, n), _b(found, n), _with_error(fit.c[n], fit.c_se[n]))
        for n, name in enumerate(found.items)
    ]
    return result_of("Items", (Column("item"), *_RIGHT, _DISCRIMINATION, _DIFFICULTY, _GUESSING), rows, fit.message)


def _exam(found: Analysis) -> Result:
    """Give how the items are spread, and where the exam measures."""
    fit, information = found.fit, found.information
    ends = ("median", "lower quartile", "upper quartile", "lowest", "highest")
    columns = (Column("parameter"), *(Column(name, Kind.NUMBER) for name in ends))
    spread = (("difficulty", fit.b), ("discrimination", fit.a), ("guessing", fit.c))
    rows = [(name, *np.quantile(values, (0.5, 0.25, 0.75, 0, 1)).tolist()) for name, values in spread]
    ranges = ", ".join(f"{signed(each.low, 1)} to {signed(each.high, 1)}" for each in information.ranges)
    least = information.detectable
    difference = f"differences from {least.theta:.1f} ({100 * least.score:.0f} points of score)"
    return result_of(
        "Parameters of the items",
        columns,
        rows,
        f"Most precise at ability {signed(information.best, 1)}: a standard error of {information.best_se:.1f}.",
        f"Standard error below {information.se_below:.1f} at abilities {ranges or 'nowhere'}: "
        f"{information.inside} of {len(found.examinees)} examinees are there.",
        f"Around the mean ability {signed(information.middle, 1)} the exam detects "
        f"{difference if least.detectable else 'no difference'} with 80% power.",
    )


def flags(found: Analysis) -> Result:
    """Give what the checks find wrong with items, the gravest first; which keys to read first.

    If most items depend on each other, that is a property of the exam, and not of an item.
    """
    many = mostly_dependent(found)
    listed_flags = [flag for flag in found.flags if not (many and flag.kind == "dependent")]
    place = {name: n for n, name in enumerate(found.items)}
    rows = [_flag(found, place[flag.item_id], flag) for flag in listed_flags]
    flagged = {flag.item_id for flag in listed_flags}
    counts = {kind: len({flag.item_id for flag in listed_flags if flag.kind == kind}) for kind in KINDS}
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    notes = [f"{len(flagged)} of {len(found.items)} items are flagged: {kinds}."] if rows else []
    columns = (Column("item"), *_RIGHT, _DIFFICULTY, _DISCRIMINATION, Column("kind"), Column("why"))
    return result_of("Items to look at, the most serious first", columns, rows, *notes, *_keys(found))


def _flag(found: Analysis, n: int, flag: ItemFlag) -> tuple[Cell, ...]:
    return flag.item_id, *_counts(found, n), _b(found, n), _a(found, n), flag.kind, flag.reason


def _keys(found: Analysis) -> Iterator[str]:
    for places, words in (
        (found.checks.read_first, "Keys to read first (most are right)"),
        (found.checks.nobody_right, "No examinee is right (a wrong key, or hard): read them"),
    ):
        if places:
            names = "; ".join(" ".join(found.items[item].split()) for item in places[:_READ])
            more = f" and {len(places) - _READ} more" if len(places) > _READ else ""
            yield f"{words}: {names}{more}."


# --- cells --------------------------------------------------------------------------------------------------


def _counts(found: Analysis, item: int) -> tuple[int, int]:
    return int(found.item_right[item]), int(found.item_graded[item])


def _a(found: Analysis, item: int) -> Cell:
    return _with_error(found.fit.a[item], found.fit.a_se[item])


def _b(found: Analysis, item: int) -> Cell:
    return _with_error(found.fit.b[item], found.fit.b_se[item])


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _with_error(value: float, error: float) -> Cell:
    """An estimate with its interval; the value alone where it has no error, as what is fixed."""
    return _bounded(value, Z * error) if error else _finite(value)


def _bounded(value: float, reach: float) -> Cell:
    return _between(value, value - reach, value + reach)


def _between(value: float, low: float, high: float) -> Cell:
    return Estimate(value, low, high) if np.isfinite([value, low, high]).all() else _finite(value)
