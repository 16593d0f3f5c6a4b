"""The results of `viva irt` in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console, RenderableType

from viva.api.terminal import plain, wide_console
from viva.cli.irt.output import notes_told, places_in_groups
from viva.cli.irt.screen_checks import SURE, between, figure_table, mostly_dependent, print_checks
from viva.core.estimates import OUTSIDE, Ability, Estimate, OutsideAbility
from viva.core.scores import TIED_DIGITS, ItemFlag, LevelContrast
from viva.core.wording import number, signed
from viva.metrics.intervals import Z
from viva.metrics.irt.checks.flags import KINDS
from viva.metrics.irt.checks.person_fit import strays as person_strays
from viva.metrics.irt.fit.analysis import Analysis
from viva.metrics.irt.model.responses import NotJudged
from viva.metrics.irt.model.result import Effect
from viva.reports.sections.systems import reliability_sentence

# the most rows that are shown; the JSON and CSV files have all of them
_BEST, _LAST = 20, 3
_FLAGGED = 20
_READ = 10
_CONTRASTS = 12
_LEVELS = 30
_REASONS = 2
_NAMED = 3
_MORE = "--csv or --json"


def print_analysis(found: Analysis, source: Path, assumed: Sequence[str] = ()) -> None:
    """Print the whole result, the most important first; `assumed`: notes on an ambiguous input."""
    console = wide_console()
    _shape(console, found, source)
    if alike := _alike(found):
        for line in (f"{alike}.", *(f"Note: {note}" for note in assumed)):
            console.print(plain(line))
        return
    _method(console, found)
    _abilities(console, found)
    console.print(plain(reliability_sentence(found.reliability, "examinees")))
    _effects(console, found)
    _contrasts(console, found)
    _items(console, found)
    _flagged(console, found)
    _read_first(console, found)
    print_checks(console, found)
    for note in (*assumed, *notes_told(found, _NAMED)):
        console.print(plain(f"Note: {note}"))


def _shape(console: Console, found: Analysis, source: Path) -> None:
    examinees, items, graded = len(found.examinees), len(found.items), int(found.graded.sum())
    missing = examinees * items - graded
    shape = f"{examinees} examinees, {items} items, {graded} responses"
    share = f"{found.right.sum() / graded:.0%} right{f', {missing} missing' if missing else ''}"
    console.print(plain(f"{source}: {shape}, {share}.", style="bold"))


def _alike(found: Analysis) -> str:
    """What there is to say where no item tells two examinees apart."""
    right, graded = int(found.right.sum()), int(found.graded.sum())
    if right == graded:
        return "Every examinee is right on all items: they tell none apart"
    if not right:
        return "No examinee is right on any item"
    alike = ((found.item_right == 0) | (found.item_right == found.item_graded)).all()
    return "All examinees are right on the same items: no item tells them apart" if alike else ""


def _method(console: Console, found: Analysis) -> None:
    console.print(plain(f"Method: {found.fit.message}."))
    median = float(np.median(found.fit.a))
    step = f"on it, a step of 1 turns even odds (beyond guessing) into {np.exp(median):.1f} to 1"
    scale = "Scale: item difficulties have mean 0, discriminations a geometric mean of 1."
    console.print(plain(f"{scale} The median item here has discrimination {median:.1f}: {step}."))


def _abilities(console: Console, found: Analysis) -> None:
    strays = person_strays(found.person_fit)
    names = ("right", "expected score (95%)", "ability (95%)", "person fit")
    table = figure_table("Examinees, by expected score", ("", "examinee"), names)
    standing = -np.round([each.value for each in found.expected_scores], TIED_DIGITS)
    groups = found.fit.groups[0]
    # examinees without a graded response (group -1) come last
    order = np.lexsort((np.arange(len(standing)), standing, groups, groups < 0)).tolist()
    places = places_in_groups(standing, groups)
    for n in _ends(order, _BEST, _LAST):
        if n is None:
            table.add_row("", plain(f"... {len(order) - _BEST - _LAST} more: {_MORE}"), "", "", "", "")
            continue
        ability = _ability(found.fit.abilities[n])
        right = f"{found.right[n]}/{found.graded[n]}"
        fit = (
            f"{signed(found.person_fit[n], 1)}{' *' if strays[n] else ''}"
            if np.isfinite(found.person_fit[n])
            else "-"
        )
        table.add_row(places[n], plain(found.examinees[n]), right, _percent(found.expected_scores[n]), ability, fit)
    console.print(table)
    if any(isinstance(each, OutsideAbility) for each in found.fit.abilities):
        console.print(plain(OUTSIDE))
    if strays.any():
        console.print(
            plain(
                f"*: the answers of {int(strays.sum())} do not follow the model (easy items wrong, hard ones right). "
                "An ability says little about them."
            )
        )


def _ability(found: Ability | OutsideAbility | None) -> str:
    if not isinstance(found, Ability):
        return found.words if found else "-"
    return f"{signed(found.theta, 1)}{between(found.theta - Z * found.se, found.theta + Z * found.se, 1)}"


def _ends(order: Sequence[int], first: int, last: int) -> list[int | None]:
    """The first and the last places, with one None for those between."""
    if len(order) <= first + last + 1:
        return list(order)
    return [*order[:first], None, *order[-last:]]


def _effects(console: Console, found: Analysis) -> None:
    if not found.fit.effects:
        return
    table = figure_table("Component effects on ability", ("component", "level"), ("effect (95%)",))
    for component, levels in found.fit.effects.items():
        # steps of a line stay in their order; levels start from the best
        steps = "linear" in levels
        ranked = list(levels.items()) if steps else sorted(levels.items(), key=lambda level: -level[1].estimate)
        for place, (level, effect) in enumerate(ranked[:_LEVELS]):
            table.add_row(plain(component if place == 0 else ""), plain(level), _effect(effect))
        if len(ranked) > _LEVELS:
            table.add_row("", plain(f"... {len(ranked) - _LEVELS} more: {_MORE}"), "")
        table.add_section()
    console.print(table)


def _effect(effect: Effect) -> str:
    return f"{signed(effect.estimate)}{between(effect.estimate - effect.reach, effect.estimate + effect.reach)}"


def _contrasts(console: Console, found: Analysis) -> None:
    if isinstance(found.contrasts, NotJudged):
        if found.fit.effects or found.fit.used_up:
            console.print(plain(f"No contrasts: {found.contrasts.reason}."))
        return
    pairs = found.contrasts.pairs
    sure = tuple(pair for pair in pairs if pair.p_value <= SURE)
    # the surest first; if there are many, only those that differ
    few = len(pairs) <= _CONTRASTS
    listed = sorted(pairs if few else sure, key=lambda pair: -abs(pair.difference) / max(pair.se, 1e-12))[:_CONTRASTS]
    if listed:
        columns = ("ability difference", "p", "score difference")
        title = f"Contrasts (95%; abilities adjusted by {found.contrasts.adjustment}; scores not adjusted)"
        table = figure_table(title, ("component", "better", "than"), columns)
        for pair in listed:
            table.add_row(*_contrast(pair.better_first()))
        console.print(table)
    more = f"; the surest {len(listed)} are shown" if len(listed) < len(sure) else ""
    console.print(plain(f"{len(sure)} of {len(pairs)} pairs of levels differ significantly{more}."))


def _contrast(pair: LevelContrast) -> Sequence[RenderableType]:
    score = pair.score
    return (
        plain(pair.component),
        plain(pair.level),
        plain(pair.reference),
        f"{signed(pair.difference)}{between(pair.low, pair.high)}",
        f"{pair.p_value:.2g}" if pair.p_value >= 0.001 else "< .001",
        f"{signed(100 * score.value, 0)}{between(100 * score.low, 100 * score.high, 0)} points",
    )


def _items(console: Console, found: Analysis) -> None:
    fit, information = found.fit, found.information
    console.print(plain("Items", style="bold"))
    for name, values, digits in (("difficulty", fit.b, 1), ("discrimination", fit.a, 1), ("guessing", fit.c, 2)):
        quantiles = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
        lowest, lower, middle, upper, highest = (number(each, digits) for each in quantiles)
        spread = f"median {middle}, half of them {lower} to {upper}, all {lowest} to {highest}"
        console.print(plain(f"  {name}: {spread}"))
    best = f"at ability {signed(information.best, 1)}, with a standard error of {information.best_se:.1f}"
    ranges = ", ".join(f"{signed(each.low, 1)} to {signed(each.high, 1)}" for each in information.ranges)
    there = f"{information.inside} of {len(found.examinees)} examinees are there"
    console.print(plain(f"  most precise {best}"))
    console.print(
        plain(f"  standard error below {information.se_below:.1f} at abilities {ranges or 'nowhere'}: {there}")
    )
    least = information.detectable
    shown = f"differences from {least.theta:.1f} ({100 * least.score:.0f} points of score)"
    told = f"{shown if least.detectable else 'no difference'} with 80% power"
    console.print(plain(f"  around the mean ability {signed(information.middle, 1)} the exam detects {told}"))


def _flagged(console: Console, found: Analysis) -> None:
    by_item: dict[str, list[ItemFlag]] = {}
    many = mostly_dependent(found)
    for flag in found.flags:
        # if most items depend on each other, that is a property of the exam, not of an item
        if not (many and flag.kind == "dependent"):
            by_item.setdefault(flag.item_id, []).append(flag)
    if not by_item:
        return
    counts = {kind: sum(any(f.kind == kind for f in flags) for flags in by_item.values()) for kind in KINDS}
    table = figure_table(
        "Items to look at, the most serious first", ("item",), ("right", "difficulty", "discrimination")
    )
    table.add_column("reason", overflow="fold")
    for name, flags in list(by_item.items())[:_FLAGGED]:
        item = found.items.index(name)
        reasons = [f"{flag.kind}: {flag.reason}" for flag in flags[:_REASONS]]
        if len(flags) > _REASONS:
            reasons.append(f"and {len(flags) - _REASONS} more")
        right = f"{found.item_right[item]}/{found.item_graded[item]}"
        fit = found.fit
        figures = (right, _with_error(fit.b[item], fit.b_se[item]), _with_error(fit.a[item], fit.a_se[item]))
        table.add_row(plain(name), *figures, plain("\n".join(reasons)))
    console.print(table)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    more = f" ({len(by_item) - _FLAGGED} not shown: {_MORE})" if len(by_item) > _FLAGGED else ""
    console.print(plain(f"{len(by_item)} of {len(found.items)} items are flagged{more}: {told}."))


def _with_error(value: float, error: float) -> str:
    return f"{number(value, 1)} ± {number(error, 1)}" if np.isfinite(error) else number(value, 1)


def _read_first(console: Console, found: Analysis) -> None:
    for places, words in (
        (found.checks.read_first, "Keys to read first (most are right)"),
        (found.checks.nobody_right, "No examinee is right (a wrong key, or hard): read them"),
    ):
        if places:
            names = "; ".join(" ".join(found.items[item].split()) for item in places[:_READ])
            more = f" and {len(places) - _READ} more" if len(places) > _READ else ""
            console.print(plain(f"{words}: {names}{more}."))


def _percent(score: Estimate) -> str:
    return f"{score.value:.0%} ({100 * score.low:.0f} to {100 * score.high:.0f})"
