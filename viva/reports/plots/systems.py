"""Forest plots of the examinees and of what their abilities are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viva.core.estimates import Ability, OutsideAbility
from viva.core.records import ComponentEffect
from viva.core.wording import number, percent, percent_range, signed
from viva.reports.embed import plot_text
from viva.reports.plots.style import Figure, ForestRow, Landmark, axis, forest
from viva.reports.sections.systems import SystemRow

Z95 = 1.96
LABEL = 34


def accuracy_forest(rows: Sequence[SystemRow], chance: float | None, baselines: Mapping[str, float]) -> Figure:
    """Accuracy with its interval, and what can be had without reading."""
    ends = {"range": [-0.035, 1.035], "tickformat": ".0%", "dtick": 0.25}
    return forest(
        [_accuracy(row) for row in rows], _landmarks(chance, baselines), axis("accuracy", **ends), legend_room=True
    )


def _accuracy(row: SystemRow) -> ForestRow:
    found = row.score.accuracy
    if found is None:
        return ForestRow(_label(row), None, None, None, "", bool(row.reference))
    hover = (
        f"<b>{plot_text(row.name, 80)}</b><br>{percent(found.value, 1)} "
        f"(95% interval {percent_range(found.low, found.high)})<br>{row.score.correct} of {row.score.graded} right"
    )
    return ForestRow(_label(row), found.value, found.low, found.high, hover, bool(row.reference))


def _landmarks(chance: float | None, baselines: Mapping[str, float]) -> list[Landmark]:
    found = [] if chance is None else [Landmark(f"guessing {percent(chance)}", chance, "dash")]
    fixed = {name: share for name, share in baselines.items() if name.startswith("always")}
    if fixed:
        best = max(fixed, key=lambda name: (fixed[name], name))
        found.append(Landmark(f"{plot_text(best)} {percent(fixed[best])}", fixed[best], "dot"))
    others = [(name, share) for name, share in baselines.items() if name not in fixed]
    found += [Landmark(f"{plot_text(name)} {percent(share)}", share, "dashdot") for name, share in others]
    return found


def ability_forest(rows: Sequence[SystemRow]) -> Figure | None:
    """Ability with its 95% interval; None where no ability was estimated."""
    if not any(row.score.ability for row in rows):
        return None
    reached = [end for row in rows if (found := row.score.ability) for end in _reach(found)]
    low, high = min(reached), max(reached)
    margin = 0.08 * (high - low) or 1.0
    edges = low - margin, high + margin
    return forest([_ability(row, *edges) for row in rows], (), axis("ability \u03b8"), legend_room=True)


def _reach(found: Ability | OutsideAbility) -> tuple[float, float]:
    if isinstance(found, OutsideAbility):
        return found.bound, found.bound
    return found.theta - Z95 * found.se, found.theta + Z95 * found.se


def _ability(row: SystemRow, left: float, right: float) -> ForestRow:
    """One outside what the exam measures is an arrow at the edge, open from its bound on."""
    found = row.score.ability
    if found is None:
        return ForestRow(_label(row), None, None, None, "", bool(row.reference))
    if isinstance(found, OutsideAbility):
        hover = f"<b>{plot_text(row.name, 80)}</b><br>{found.sentence}"
        label = f"{_label(row)} ({found.side})"
        if found.side == "below":
            return ForestRow(label, left, left, found.bound, hover, muted=True, symbol="triangle-left")
        return ForestRow(label, right, found.bound, right, hover, muted=True, symbol="triangle-right")
    low, high = _reach(found)
    hover = (
        f"<b>{plot_text(row.name, 80)}</b><br>\u03b8 {number(found.theta, 1)} "
        f"(95% interval {number(low, 1)} to {number(high, 1)})<br>standard error {number(found.se, 1)}"
    )
    return ForestRow(_label(row), found.theta, low, high, hover, bool(row.reference))


def _label(row: SystemRow) -> str:
    return plot_text(row.name, LABEL)


def effect_forests(effects: Sequence[ComponentEffect]) -> dict[str, Figure]:
    """One forest per component, by component name, all on one scale; the strongest level first."""
    if not effects:
        return {}
    reach = max(abs(effect.effect) + effect.reach for effect in effects) * 1.06 or 1.0
    scale = axis("effect on ability \u03b8", range=[-reach, reach])
    components = list(dict.fromkeys(effect.component for effect in effects))
    return {name: _effects([e for e in effects if e.component == name], scale) for name in components}


def _effects(effects: Sequence[ComponentEffect], scale: Mapping[str, object]) -> Figure:
    ordered = sorted(effects, key=lambda effect: (-effect.effect, effect.level))
    return forest([_effect(effect) for effect in ordered], [Landmark("", 0.0, "solid")], scale)


def _effect(effect: ComponentEffect) -> ForestRow:
    low, high = effect.effect - effect.reach, effect.effect + effect.reach
    hover = (
        f"<b>{plot_text(effect.component, 40)}: {plot_text(effect.level, 60)}</b><br>{signed(effect.effect)} "
        f"(95% interval {signed(low)} to {signed(high)})"
    )
    return ForestRow(plot_text(effect.level, LABEL), effect.effect, low, high, hover, muted=low <= 0 <= high)
