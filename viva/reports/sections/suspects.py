"""Questions that the answers speak against: wrong keys, no answer, given away, alike, out of line; and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.core.wording import counted, number, option_letter, p_value, plain
from viva.metrics.irt.checks.all_checks import Checks
from viva.metrics.irt.checks.competing_keys import NOT_CHOSEN
from viva.metrics.irt.checks.fault_evidence import STRONG
from viva.metrics.irt.checks.item_bias import Leaks
from viva.metrics.irt.model.responses import NotJudged
from viva.metrics.measurement import choices_of, panel_checks
from viva.reports.data import ReportData
from viva.reports.sections.items import ItemView
from viva.reports.sections.misfit import ItemFit
from viva.reports.sections.psychometrics import MeasurementView

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# beyond this the evidence is overwhelming, and the figure says nothing more
MOST_TIMES = 1000
MOST_GROUPS = 10
_WRONG, _NONE, _LEAKED, _LEVEL = range(4)
_KINDS = ("wrong key", "no answer", "given away", "known to some")
_LEVEL_WORDS = {
    "oracle": "Right wherever the evidence is handed over, beyond what ability explains: the passage is hard to "
    "find, or the question cannot be understood without it.",
    "closed-book": "Right without any document, beyond what ability explains: general knowledge, or the wording, "
    "gives the answer.",
}


@dataclass(frozen=True)
class Suspect:
    """One or more questions, what is suspected (`kind`), why, and how sure that is; `firm` holds the error rate."""

    views: tuple[ItemView, ...]
    kind: str
    reason: str
    strength: str
    firm: bool


@dataclass(frozen=True)
class Suspects:
    """What was found, the firm ones first; which checks could not be made, and why; whose keys to `read_first`."""

    found: tuple[Suspect, ...]
    unmade: tuple[str, ...]
    witnesses: int
    copies: tuple[tuple[str, str], ...]
    read_first: tuple[ItemView, ...] = ()
    nobody_right: tuple[ItemView, ...] = ()


NO_SUSPECTS = Suspects((), (), 0, ())


def suspects(data: ReportData, found: MeasurementView, fits: ItemFit | NotJudged) -> Suspects:
    """All checks of the questions against the answers. Systems that gave the same answers throughout count once."""
    choices = choices_of(found.panel, [response for own in data.responses.values() for response in own])
    checks = panel_checks(found.panel, choices)
    if isinstance(checks, NotJudged):
        return Suspects((), (f"{checks.reason} within a report.",), len(found.rows), ())
    copies = tuple((found.rows[copy].name, found.rows[original].name) for copy, original in checks.witnesses.copies)
    rows, unmade = list[Suspect](), list[str]()
    for what, result in (
        ("for wrong keys and questions without an answer", _faults(found, checks, choices.chosen)),
        ("whether answers follow the curves", _misfits(found, fits)),
        ("for questions that are easier or harder for some systems", _by_component(found, checks)),
        ("for questions that are answered alike", _alike(found, checks)),
    ):
        if isinstance(result, NotJudged):
            unmade.append(f"It could not be checked {what}: {result.reason}.")
        else:
            rows += result
    rows.sort(key=lambda row: not row.firm)
    read_first, nobody_right = (
        tuple(found.views[place] for place in places) for places in (checks.read_first, checks.nobody_right)
    )
    return Suspects(tuple(rows), tuple(unmade), len(checks.witnesses.rows), copies, read_first, nobody_right)


def _faults(found: MeasurementView, checks: Checks, chosen: Ints) -> list[Suspect] | NotJudged:
    """Wrong keys, questions without an answer, answers given away: where there is strong evidence of one."""
    faults, known, kept = checks.faults, checks.leaks, checks.witnesses.rows
    if isinstance(faults, NotJudged):
        return faults
    leaked, level = np.full(len(found.views), -np.inf), dict[int, tuple[str, str]]()
    if isinstance(known, Leaks):
        for each in known.suspected:
            leaked[each.item], level[each.item] = known.any_level[each.item], (each.component, each.level)
    evidence = np.stack([faults.wrong_key, faults.unanswerable, faults.leaked, leaked])
    evidence[0, list(checks.nobody_right)] = -np.inf
    strongest = np.round(evidence.max(axis=0), 6)
    return [
        _fault(found, chosen, kept, place, evidence[:, place], level.get(place))
        for place in np.argsort(-strongest, kind="stable").tolist()
        if strongest[place] >= STRONG
    ]


def _fault(
    found: MeasurementView, chosen: Ints, kept: Ints, place: int, evidence: Floats, level: tuple[str, str] | None
) -> Suspect:
    second, kind = np.argsort(evidence, kind="stable")[-2:].tolist()
    reason = _reason(found, chosen[kept, place], kept, place, kind, level)
    if evidence[second] > evidence[kind] - np.log(3):
        reason += f" It might also be: {_KINDS[second]}."
    times = float(np.exp(min(evidence[kind], np.log(MOST_TIMES))))
    told = f"more than {MOST_TIMES:,}" if times >= MOST_TIMES else f"{times:,.0f}"
    strength = f"the answers fit this {told} times better than a sound question"
    return Suspect((found.views[place],), _KINDS[kind], reason, strength, firm=False)


def _reason(
    found: MeasurementView, picks: Ints, kept: Ints, place: int, kind: int, level: tuple[str, str] | None
) -> str:
    values, theta = found.responses[kept, place], found.fit.theta[kept]
    graded = ~np.isnan(values)
    if kind == _LEVEL and level is not None:
        return _LEVEL_WORDS.get(
            level[1],
            f"Systems with {plain(level[0])} {level[1]} are right here beyond what their ability explains: they may "
            "have seen the answer.",
        )
    if kind == _LEAKED:
        return (
            f"{int(np.nansum(values))} of {int(graded.sum())} are right, those included who know little elsewhere: "
            "the answer is common knowledge, or the wording gives it away."
        )
    able = graded & (theta >= np.quantile(theta[graded], 2 / 3))
    shown = found.views[place].shown
    chose = "were right" if shown.item.is_open else "chose the key"
    told = f"Of the {int(able.sum())} ablest, {int(values[able].sum())} {chose}"
    key, wrong = shown.key_position, picks[able]
    others = np.bincount(wrong[(wrong != key) & (wrong != NOT_CHOSEN)], minlength=1)
    told += f" and {int(others.max())} option {option_letter(int(others.argmax()))}." if others.max() else "."
    if kind == _WRONG and shown.item.is_open:
        return f"{told} The abler are right no more often than the rest: another answer may be the right one."
    if kind == _WRONG:
        return f"{told} The abler choose the key no more often than the rest: another option may be the right one."
    return f"{told} Answers look like guesses whatever the ability: the documents may not answer it."


def _misfits(found: MeasurementView, fits: ItemFit | NotJudged) -> list[Suspect] | NotJudged:
    if isinstance(fits, NotJudged):
        return fits
    return [
        Suspect(
            (found.views[place],),
            "out of line",
            "Systems that should be right are wrong and the other way round, more than chance allows (misfit): it "
            "may be ambiguous, or ask for something else than the other questions do.",
            f"infit {number(float(fits.squares.infit[place]))}, outfit {number(float(fits.squares.outfit[place]))}, "
            f"adjusted {p_value(float(fits.adjusted[place]))}",
            firm=True,
        )
        for place in fits.flagged
    ]


def _by_component(found: MeasurementView, checks: Checks) -> list[Suspect] | NotJudged:
    if not found.components:
        return NotJudged("the systems have no parts in which they differ")
    result = checks.level_differences
    if isinstance(result, NotJudged):
        return result
    rows, seen = list[Suspect](), set[tuple[int, str]]()
    # of a component with two levels each tells the other's story: that of the level at an advantage is told
    for each in sorted(result.differences, key=lambda one: (-round(abs(one.z), 6), one.item, -one.z)):
        if (each.item, each.component) in seen:
            continue
        seen.add((each.item, each.component))
        easier = "Easier" if each.z > 0 else "Harder"
        reason = (
            f"{easier} than their ability says for systems with {plain(each.component)} {each.level} (differential "
            "item functioning): it measures that part rather than the whole."
        )
        strength = f"z {number(each.z, 1)}, adjusted {p_value(each.adjusted)}"
        rows.append(Suspect((found.views[each.item],), "depends on a part", reason, strength, firm=True))
    return rows


def _alike(found: MeasurementView, checks: Checks) -> list[Suspect] | NotJudged:
    result = checks.dependence
    if isinstance(result, NotJudged):
        return result
    groups = _groups((pair.first, pair.second) for pair in result.pairs)
    rows = list[Suspect]()
    for group in groups[:MOST_GROUPS]:
        inside = [pair for pair in result.pairs if pair.first in group]
        strongest = max(pair.corrected for pair in inside)
        reason = (
            f"The same systems get these {counted(len(group), 'question')} right or wrong, beyond what ability "
            "explains (local dependence): they may ask the same thing, rest on one passage, or give each other away."
        )
        strength = f"Q3 up to {number(strongest)}, adjusted {p_value(max(pair.adjusted for pair in inside))} or less"
        rows.append(Suspect(tuple(found.views[j] for j in group), "answered alike", reason, strength, firm=True))
    return rows


def _groups(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Items that hang together through pairs, in order of the first pair that names them."""
    groups = list[set[int]]()
    for first, second in pairs:
        touched = [group for group in groups if group & {first, second}]
        merged = {first, second}.union(*touched)
        groups = (
            [merged if group is touched[0] else group for group in groups if group not in touched[1:]]
            if (touched)
            else [*groups, merged]
        )
    return [tuple(sorted(group)) for group in groups]


def copies_sentence(copies: Sequence[tuple[str, str]], limit: int = 3) -> str:
    """Who gave the answers of another, but for a few at most; '' where nobody did."""
    if not copies:
        return ""
    told = "; ".join(f"{copy} as {original}" for copy, original in copies[:limit])
    more = f"; and {len(copies) - limit} more" if len(copies) > limit else ""
    who = counted(len(copies), "examinee")
    return f"Left out here: {who} with the answers of another examinee, or nearly all of them ({told}{more})."
