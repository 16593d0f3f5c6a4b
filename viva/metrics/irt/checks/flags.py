"""What the checks find wrong with items, in words, the gravest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import ndtr

from viva.core.scores import ItemFlag
from viva.core.wording import p_value, signed
from viva.metrics.irt.checks.all_checks import MOST_EXAMINEES, Checks
from viva.metrics.irt.checks.discoveries import FALSE_SHARE, benjamini_hochberg
from viva.metrics.irt.checks.fault_evidence import PRIOR_SHARE, STRONG, SUFFICIENT
from viva.metrics.irt.checks.item_bias import ComponentFit, Leaks
from viva.metrics.irt.checks.item_fit import MeanSquares
from viva.metrics.irt.checks.local_dependence import Dependence, DependentPair
from viva.metrics.irt.checks.s_x2 import ScoreFit
from viva.metrics.irt.model.responses import Bools, Floats, NotJudged

KINDS = ("wrong key", "unanswerable", "leaked", "leaked to a level", "misfit", "dependent", "level difference")
# above this a mean square means more noise than a test can use (Linacre 2002: 1.5 unproductive; 1.3 for high stakes)
LOOSE = 1.3
# the able do worse: slope score at one-sided 5%
_FALLS = -1.645
# a larger mean square is the work of single answers: its size says no more
_LARGE = 10
# examinees and items up to which a wrong key needs no more evidence (docs/irt.md)
_USUAL_EXAMINEES, _USUAL_ITEMS = 40, 50
# .02 of 50 items is one
_ROUNDING = 1e-9
# a second fault that explains the answers a third as well is named too
_NEARLY_AS_WELL = float(np.log(3))


def item_flags(checks: Checks, items: Sequence[str], *, names: Sequence[str] | None = None) -> tuple[ItemFlag, ...]:
    """Flags of `items` (m), ordered by kind as in KINDS, then by strength; `names` are theirs in reasons, if others.

    Unanswerable and leaked items are flagged where the fault explains the responses ten times better than soundness,
    wrong keys by surely_wrong_key, never where nobody is right; the other kinds each hold an expected share of false
    alarms of 5%.
    """
    found = [
        *_faults(checks, items),
        *_leaked(checks.leaks, items),
        *_misfits(checks.mean_squares, checks.score_fit, items),
        *_dependent(checks.dependence, items, names or items),
        *_differences(checks.level_differences, items),
    ]
    place = {item: n for n, item in enumerate(items)}
    return tuple(sorted(found, key=lambda flag: (KINDS.index(flag.kind), -flag.strength, place[flag.item_id])))


def surely_wrong_key(evidence: Floats, slope_z: Floats, examinees: int) -> Bools:
    """Where evidence of a wrong key (m,) from so many examinees calls for a flag.

    It is sufficient, or strong and the able do worse. Beyond as many items as are expected to have the fault, those
    with most evidence, what is needed grows with the items, more of which stray by chance, and with the examinees:
    what a sound item strays from the others by counts with each of them.
    """
    scale = max(1.0, examinees / _USUAL_EXAMINEES)
    among = float(np.log(max(1.0, len(evidence) / _USUAL_ITEMS)))
    falls = slope_z <= _FALLS
    usual = (evidence >= SUFFICIENT) | ((evidence >= STRONG) & falls)
    found = (evidence >= scale * SUFFICIENT + among) | ((evidence >= scale * STRONG + among) & falls)
    order = np.argsort(-np.where(usual, evidence, -np.inf), kind="stable")
    first = order[: int(PRIOR_SHARE * len(evidence) + _ROUNDING)]
    found[first] = usual[first]
    return np.asarray(found)


def _faults(checks: Checks, items: Sequence[str]) -> Iterator[ItemFlag]:
    """Of the faults that there is enough evidence for, the one with most; no wrong key where nobody is right."""
    faults = checks.faults
    if isinstance(faults, NotJudged):
        return
    evidence = np.stack([faults.wrong_key, faults.unanswerable, faults.leaked])
    sure = evidence >= STRONG
    examinees = min(len(checks.witnesses.rows), MOST_EXAMINEES)
    keyed = evidence[0].copy()
    keyed[list(checks.nobody_right)] = -np.inf
    sure[0] = surely_wrong_key(keyed, checks.slope_z, examinees)
    words = (
        "the abler miss it as if another answer were the key",
        "right answers come as from guessing, at every ability",
        "nearly everybody is right, the weak as much as the able",
    )
    for item in np.flatnonzero(sure.any(axis=0)).tolist():
        kind = int(np.where(sure[:, item], evidence[:, item], -np.inf).argmax())
        strength = float(evidence[kind, item])
        second = int(np.argsort(evidence[:, item], kind="stable")[-2])
        also = KINDS[second] if second != kind and evidence[second, item] > strength - _NEARLY_AS_WELL else ""
        yield ItemFlag(items[item], KINDS[kind], strength, words[kind], also=also)


def _leaked(leaks: Leaks | NotJudged, items: Sequence[str]) -> Iterator[ItemFlag]:
    if isinstance(leaks, NotJudged):
        return
    for each in leaks.suspected:
        reason = f"{each.component}={each.level} knows the answer beyond its ability"
        yield ItemFlag(
            items[each.item], "leaked to a level", each.evidence, reason, component=each.component, level=each.level
        )


def _misfits(
    squares: MeanSquares | NotJudged, scores: ScoreFit | NotJudged, items: Sequence[str]
) -> Iterator[ItemFlag]:
    told: dict[int, list[str]] = {}
    strength: dict[int, float] = {}
    if not isinstance(squares, NotJudged):
        for name, mean_square, z in (
            ("infit", squares.infit, squares.infit_z),
            ("outfit", squares.outfit, squares.outfit_z),
        ):
            for item in np.flatnonzero(_loose(mean_square, z, squares.judged)).tolist():
                told.setdefault(item, []).append(f"{name} {_mean_square(float(mean_square[item]))}")
                strength[item] = max(strength.get(item, 1.0), float(mean_square[item]))
    if not isinstance(scores, NotJudged):
        for item in np.flatnonzero(scores.judged & (scores.adjusted <= FALSE_SHARE)).tolist():
            told.setdefault(item, []).append(f"S-X2 {scores.statistic[item]:.1f} on {scores.df[item]:.0f} df")
            strength.setdefault(item, 1.0)
    for item, each in told.items():
        figures = ", ".join(each)
        yield ItemFlag(
            items[item], "misfit", strength[item], f"answers stray from the item's curve ({figures})", figures
        )


def _mean_square(value: float) -> str:
    return f"{value:.1f}" if value < _LARGE else f"over {_LARGE}"


def _loose(mean_square: Floats, z: Floats, judged: Bools) -> Bools:
    adjusted = np.ones(len(mean_square))
    adjusted[judged] = benjamini_hochberg(ndtr(-z[judged]))
    return np.asarray((mean_square > LOOSE) & (adjusted <= FALSE_SHARE))


def _dependent(dependence: Dependence | NotJudged, items: Sequence[str], names: Sequence[str]) -> Iterator[ItemFlag]:
    if isinstance(dependence, NotJudged):
        return
    partners: dict[int, list[tuple[int, DependentPair]]] = {}
    for pair in dependence.pairs:
        partners.setdefault(pair.first, []).append((pair.second, pair))
        partners.setdefault(pair.second, []).append((pair.first, pair))
    for item, told in partners.items():
        other, strongest = max(told, key=lambda each: (each[1].corrected, -each[0]))
        more = f" and with {len(told) - 1} more" if len(told) > 1 else ""
        figures = f"Q3 {strongest.q3:.2f}"
        reason = f"goes with '{names[other]}'{more} beyond ability ({figures})"
        others = tuple(items[partner] for partner in sorted(partner for partner, _ in told))
        yield ItemFlag(items[item], "dependent", strongest.corrected, reason, figures, others=others)


def _differences(differences: ComponentFit | NotJudged, items: Sequence[str]) -> Iterator[ItemFlag]:
    if isinstance(differences, NotJudged):
        return
    for each in differences.differences:
        easier = "easier" if each.z > 0 else "harder"
        points = [signed(100 * part, 0) for part in (each.effect.value, each.effect.low, each.effect.high)]
        figures = f"{points[0]} points of accuracy, {points[1]} to {points[2]}; {p_value(each.adjusted)}"
        reason = f"{easier} for {each.component}={each.level} than its ability says ({figures})"
        yield ItemFlag(
            items[each.item],
            "level difference",
            abs(each.z),
            reason,
            figures,
            component=each.component,
            level=each.level,
            difference=each.effect,
        )
