"""The checks of `viva irt` in the terminal, and how its tables and intervals look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from viva.api.terminal import plain
from viva.core.estimates import Estimate
from viva.core.wording import listed, signed
from viva.metrics.irt.checks.flags import KINDS
from viva.metrics.irt.checks.held_out import HeldOutBaseline
from viva.metrics.irt.fit.analysis import Analysis
from viva.metrics.irt.model.responses import NotJudged

SURE = 0.05


def mostly_dependent(found: Analysis) -> bool:
    """Tell whether most items depend on each other: a property of the exam, not of an item."""
    return 2 * sum(flag.kind == "dependent" for flag in found.flags) > len(found.items)


def print_checks(console: Console, found: Analysis) -> None:
    """Print what each check found, or why it could not be made."""
    console.print(plain("Checks", style="bold"))
    checks, kinds = found.checks, [flag.kind for flag in found.flags]
    # a misfit that only S-X2 finds, and no mean square, has strength 1
    loose = sum(flag.kind == "misfit" and flag.strength > 1 for flag in found.flags)
    fits = checks.score_fit
    strays = 0 if isinstance(fits, NotJudged) else int((fits.judged & (fits.adjusted <= SURE)).sum())
    pairs = f"pairs of items that depend on each other beyond ability: {len(getattr(checks.dependence, 'pairs', ()))}"
    if mostly_dependent(found):
        pairs += (
            ". These are most items: one ability does not describe the answers. Read all other figures with caution"
        )
    made: dict[str, tuple[object, str]] = {
        "infit, outfit": (checks.mean_squares, f"items that do not fit: {loose}"),
        "S-X2": (fits, f"items that do not fit: {strays}"),
        "local dependence (Q3)": (checks.dependence, pairs),
        "wrong keys, unanswerable, leaked": (checks.faults, f"items: {sum(map(kinds.count, KINDS[:3]))}"),
        "leaks to one level": (checks.leaks, f"items: {kinds.count(KINDS[3])}"),
        "differences between levels": (checks.level_differences, f"pairs of item and level: {kinds.count(KINDS[6])}"),
        "additivity": (checks.additivity, getattr(checks.additivity, "message", "").rstrip(".")),
        "second dimension": (checks.second_dimension, _second_dimension(found)),
    }
    for name, (check, told) in made.items():
        said = f"not possible: {check.reason}" if isinstance(check, NotJudged) else told
        console.print(plain(f"  {name}: {said}"))
    if isinstance(found.held_out, NotJudged):
        console.print(plain(f"  held-out cells: not possible: {found.held_out.reason}"))
    elif found.held_out:
        _held_out(console, found)


def _second_dimension(found: Analysis) -> str:
    second = found.checks.second_dimension
    if isinstance(second, NotJudged):
        return ""
    gain = f"gain in log-loss of held-out answers {_gain(second.gain)}"
    if not second.matters:
        return f"none that matters; {gain}"
    rows = found.checks.witnesses.rows.tolist()
    who = [listed([found.examinees[rows[place]] for place in side.examinees]) for side in second.sides()]
    which = [listed([found.items[place] for place in side.items]) for side in second.sides()]
    sides = f"{who[0]} better on items like {which[0]}; {who[1]} on items like {which[1]}"
    return f"examinees have different strengths: {sides}. Compare by score; {gain}"


def _held_out(console: Console, found: Analysis) -> None:
    held = found.held_out
    if held is None or isinstance(held, NotJudged):
        return
    names = ("log-loss", "gain (95%)", "Brier", "gain (95%)")
    table = figure_table(f"Prediction of {held.cells} held-out cells", ("by",), names)
    table.add_row("this model", f"{held.log_loss:.3f}", "", f"{held.brier:.3f}", "")
    for baseline in (held.item_mean, held.examinee_mean):
        table.add_row(*_baseline(baseline))
    console.print(table)


def _baseline(baseline: HeldOutBaseline) -> Sequence[str]:
    return (
        baseline.name,
        f"{baseline.log_loss:.3f}",
        _gain(baseline.log_loss_gain),
        f"{baseline.brier:.3f}",
        _gain(baseline.brier_gain),
    )


def _gain(gain: Estimate) -> str:
    return f"{signed(gain.value, 3)}{between(gain.low, gain.high, 3)}"


def figure_table(title: str, names: Sequence[str], figures: Sequence[str]) -> Table:
    """A table whose first columns are names and whose others are figures."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in names:
        # the column without a heading has the ranks
        table.add_column(name, overflow="fold", justify="left" if name else "right")
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def between(low: float, high: float, digits: int = 2) -> str:
    """' (−1.20 to +0.30)'; '' without a finite bound."""
    return f" ({signed(low, digits)} to {signed(high, digits)})" if np.isfinite([low, high]).all() else ""
