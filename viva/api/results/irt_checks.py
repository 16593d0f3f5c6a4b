"""What the checks of a fit found, as sentences and a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viva.api.result import Cell, Column, Kind, Result, Table
from viva.core.wording import listed, signed
from viva.metrics.irt.checks.flags import KINDS
from viva.metrics.irt.fit.analysis import Analysis
from viva.metrics.irt.model.responses import NotJudged

SURE = 0.05


def result_of(title: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], *notes: str) -> Result:
    """Make a result of one table and its notes."""
    cells = tuple(tuple(row) for row in rows)
    return Result(title, (Table(title, tuple(columns), cells),), tuple(note for note in notes if note))


def mostly_dependent(found: Analysis) -> bool:
    """Tell whether most items depend on each other: a property of the exam, not of an item."""
    return 2 * sum(flag.kind == "dependent" for flag in found.flags) > len(found.items)


def checks(found: Analysis) -> Result:
    """Give what each check found, or why it could not be made."""
    made, kinds = found.checks, [flag.kind for flag in found.flags]
    # a misfit that only S-X2 finds, and no mean square, has strength 1
    loose = sum(flag.kind == "misfit" and flag.strength > 1 for flag in found.flags)
    fits = made.score_fit
    strays = 0 if isinstance(fits, NotJudged) else int((fits.judged & (fits.adjusted <= SURE)).sum())
    pairs = f"pairs of items that depend on each other beyond ability: {len(getattr(made.dependence, 'pairs', ()))}"
    if mostly_dependent(found):
        pairs += (
            ". These are most items: one ability does not describe the answers. Read all other figures with caution"
        )
    told: dict[str, tuple[object, str]] = {
        "infit, outfit": (made.mean_squares, f"items that do not fit: {loose}"),
        "S-X2": (fits, f"items that do not fit: {strays}"),
        "local dependence (Q3)": (made.dependence, pairs),
        "wrong keys, unanswerable, leaked": (made.faults, f"items: {sum(map(kinds.count, KINDS[:3]))}"),
        "leaks to one level": (made.leaks, f"items: {kinds.count(KINDS[3])}"),
        "differences between levels": (made.level_differences, f"pairs of item and level: {kinds.count(KINDS[6])}"),
        "additivity": (made.additivity, getattr(made.additivity, "message", "").rstrip(".")),
        "second dimension": (made.second_dimension, _second_dimension(found)),
    }
    if isinstance(found.held_out, NotJudged):
        told["held-out cells"] = (found.held_out, "")
    lines = (f"  {name}: {_not_possible(check) or result}" for name, (check, result) in told.items())
    return Result("Checks", (), tuple(lines))


def _not_possible(check: object) -> str:
    return f"not possible: {check.reason}" if isinstance(check, NotJudged) else ""


def _second_dimension(found: Analysis) -> str:
    second = found.checks.second_dimension
    if isinstance(second, NotJudged):
        return ""
    low, high = signed(second.gain.low, 3), signed(second.gain.high, 3)
    gain = f"gain in log-loss of held-out answers {signed(second.gain.value, 3)} ({low} to {high})"
    if not second.matters:
        return f"none that matters; {gain}"
    rows = found.checks.witnesses.rows.tolist()
    who = [listed([found.examinees[rows[place]] for place in side.examinees]) for side in second.sides()]
    which = [listed([found.items[place] for place in side.items]) for side in second.sides()]
    sides = f"{who[0]} better on items like {which[0]}; {who[1]} on items like {which[1]}"
    return f"examinees have different strengths: {sides}. Compare by score; {gain}"


def held_out(found: Analysis) -> Result:
    """Give how well held-out cells are predicted, where that was asked for."""
    held = found.held_out
    if held is None or isinstance(held, NotJudged):
        return Result("", ())
    names = ("log-loss", "gain in log-loss", "Brier score", "gain in Brier score")
    others = (held.item_mean, held.examinee_mean)
    rows: list[tuple[Cell, ...]] = [("this model", held.log_loss, None, held.brier, None)]
    rows += [(each.name, each.log_loss, each.log_loss_gain, each.brier, each.brier_gain) for each in others]
    columns = (Column("by"), *(Column(name, Kind.NUMBER, 3) for name in names))
    return result_of(f"Prediction of {held.cells} held-out cells", columns, rows)
