"""Questions that the answers speak against: wrong keys, no answer, given away, alike, out of line; and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from viva.core.scores import ItemFlag
from viva.core.wording import counted, option_letter, plain
from viva.reports.data import ReportData
from viva.reports.sections.items import ItemView
from viva.reports.sections.psychometrics import MeasurementView

# beyond this the evidence is overwhelming, and the figure says nothing more
MOST_TIMES = 1000
MOST_GROUPS = 10
OUT_OF_LINE = "out of line"
_KINDS = {
    "wrong key": "wrong key",
    "unanswerable": "no answer",
    "leaked": "given away",
    "leaked to a level": "known to some",
    "misfit": OUT_OF_LINE,
    "level difference": "depends on a part",
    "dependent": "answered alike",
}
_FIRM = ("misfit", "level difference", "dependent")
"""Kinds that hold an error rate, in the order of the list."""
_SEARCHES = {
    "faults": "for wrong keys and questions without an answer",
    "mean_squares": "whether answers follow the curves",
    "level_differences": "for questions that are easier or harder for some systems",
    "dependence": "for questions that are answered alike",
}
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


def suspects(data: ReportData, found: MeasurementView) -> Suspects:
    """What the checks of the questions found. Systems that gave the same answers throughout count once."""
    told, checks, names = found.measured, found.measured.checks, {row.id: row.name for row in found.rows}
    views = {view.shown.item.id: view for view in found.views}
    # earlier versions named some of these among those to read first
    none_right = set(told.nobody_right)
    flags = [each for each in told.flags if {each.item_id, *each.others} <= views.keys()]
    hints = sorted((each for each in flags if each.kind not in _FIRM), key=lambda each: -each.strength)
    rows = [
        *(_misfit(views, each) for each in flags if each.kind == "misfit"),
        *_by_component(views, [each for each in flags if each.kind == "level difference"]),
        *_alike(views, [each for each in flags if each.kind == "dependent"]),
        *(_hint(data, found, views[each.item_id], each) for each in hints),
    ]
    reasons = [(what, told.not_made[check]) for check, what in _SEARCHES.items() if check in told.not_made]
    return Suspects(
        tuple(rows),
        tuple(f"It could not be checked {what}: {reason}." for what, reason in reasons),
        checks.witnesses if checks else len(found.rows),
        tuple((names.get(copy, copy), names.get(first, first)) for copy, first in (checks.copies if checks else ())),
        tuple(views[item_id] for item_id in told.read_first if item_id in views and item_id not in none_right),
        tuple(views[item_id] for item_id in told.nobody_right if item_id in views),
    )


def _hint(data: ReportData, found: MeasurementView, view: ItemView, flag: ItemFlag) -> Suspect:
    reason = _reason(data, found, view, flag)
    if flag.also:
        reason += f" It might also be: {_KINDS[flag.also]}."
    times = float(np.exp(min(flag.strength, np.log(MOST_TIMES))))
    told = f"more than {MOST_TIMES:,}" if times >= MOST_TIMES else f"{times:,.0f}"
    strength = f"the answers fit this {told} times better than a sound question"
    return Suspect((view,), _KINDS[flag.kind], reason, strength, firm=False)


def _reason(data: ReportData, found: MeasurementView, view: ItemView, flag: ItemFlag) -> str:
    place, copies = found.views.index(view), {copy for copy, _ in _copies(found)}
    kept = np.array([row.id not in copies for row in found.rows])
    values, theta = found.responses[kept, place], found.theta[kept]
    graded = ~np.isnan(values)
    if flag.kind == "leaked to a level":
        if not flag.level:
            # of an earlier version
            return f"{flag.reason}."
        return _LEVEL_WORDS.get(
            flag.level,
            f"Systems with {plain(flag.component)} {flag.level} are right here beyond what their ability explains: "
            "they may have seen the answer.",
        )
    if flag.kind == "leaked":
        return (
            f"{int(np.nansum(values))} of {int(graded.sum())} are right, those included who know little elsewhere: "
            "the answer is common knowledge, or the wording gives it away."
        )
    able = graded & (theta >= np.quantile(theta[graded], 2 / 3))
    ids = [row.id for row, own in zip(found.rows, kept, strict=True) if own]
    told = _chosen(data, view, {ids[row] for row in np.flatnonzero(able)}, int(values[able].sum()))
    if flag.kind == "wrong key" and view.shown.item.is_open:
        return f"{told} The abler are right no more often than the rest: another answer may be the right one."
    if flag.kind == "wrong key":
        return f"{told} The abler choose the key no more often than the rest: another option may be the right one."
    return f"{told} Answers look like guesses whatever the ability: the documents may not answer it."


def _copies(found: MeasurementView) -> tuple[tuple[str, str], ...]:
    return found.measured.checks.copies if found.measured.checks else ()


def _chosen(data: ReportData, view: ItemView, able: set[str], right: int) -> str:
    """How many of the ablest were right, and which other option most of the rest chose."""
    shown = view.shown
    told = f"Of the {len(able)} ablest, {right} {'were right' if shown.item.is_open else 'chose the key'}"
    given = data.responses.get(shown.item.id, ())
    picks = [each.choice for each in given if each.examinee_id in able and each.choice is not None]
    others = np.bincount([pick for pick in picks if pick != shown.key_position], minlength=1)
    return told + (f" and {int(others.max())} option {option_letter(int(others.argmax()))}." if others.max() else ".")


def _misfit(views: dict[str, ItemView], flag: ItemFlag) -> Suspect:
    reason = (
        "Systems that should be right are wrong and the other way round, more than chance allows (misfit): it may be "
        "ambiguous, or ask for something else than the other questions do."
    )
    return Suspect((views[flag.item_id],), OUT_OF_LINE, reason, flag.figures or flag.reason, firm=True)


def _by_component(views: dict[str, ItemView], flags: Sequence[ItemFlag]) -> list[Suspect]:
    rows, seen = list[Suspect](), set[tuple[str, str]]()
    # of a component with two levels each tells the other's story: that of the level at an advantage is told
    for each in sorted(flags, key=lambda one: (-round(one.strength, 6), one.item_id, one.reason)):
        if each.component and (each.item_id, each.component) in seen:
            continue
        seen.add((each.item_id, each.component))
        told = each.reason.rpartition(" (")[0]
        told = f"{told[:1].upper()}{told[1:]} (differential item functioning)"
        reason = f"{told}: it measures that part rather than the whole."
        kind = _KINDS["level difference"]
        rows.append(Suspect((views[each.item_id],), kind, reason, each.figures or each.reason, firm=True))
    return rows


def _alike(views: dict[str, ItemView], flags: Sequence[ItemFlag]) -> list[Suspect]:
    rows = list[Suspect]()
    for group in _groups((flag.item_id, other) for flag in flags for other in flag.others)[:MOST_GROUPS]:
        strongest = next(flag for flag in flags if flag.item_id in group)
        reason = (
            f"The same systems get these {counted(len(group), 'question')} right or wrong, beyond what ability "
            "explains (local dependence): they may ask the same thing, rest on one passage, or give each other away."
        )
        own = tuple(sorted((views[item] for item in group), key=lambda view: view.number))
        rows.append(Suspect(own, _KINDS["dependent"], reason, f"{strongest.figures} or less", firm=True))
    return rows


def _groups(pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Items that hang together through pairs, in order of the first pair that names them."""
    groups = list[set[str]]()
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        merged = set(pair).union(*touched)
        if touched:
            groups = [merged if group is touched[0] else group for group in groups if group not in touched[1:]]
        else:
            groups.append(merged)
    return groups


def copies_sentence(copies: Sequence[tuple[str, str]], limit: int = 3) -> str:
    """Who gave the answers of another, but for a few at most; '' where nobody did."""
    if not copies:
        return ""
    told = "; ".join(f"{copy} as {original}" for copy, original in copies[:limit])
    more = f"; and {len(copies) - limit} more" if len(copies) > limit else ""
    who = counted(len(copies), "examinee")
    return f"Left out here: {who} with the answers of another examinee, or nearly all of them ({told}{more})."
