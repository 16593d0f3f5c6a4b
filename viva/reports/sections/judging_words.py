"""How far the judges of a jury agree, and how steady judges are when they are asked again: in sentences and rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from viva.core.scores_open import JudgeUsed, Juror, JuryFinding, RepeatsFinding, Steadiness, VarianceShare
from viva.core.wording import counted, number, percent

_SOURCES = {
    "item": "questions",
    "system": "systems",
    "response": "what a system makes of one question",
    "judge": "judges",
    "judge x response": "judges on one answer",
    "run": "the runs of one judge on one answer",
}
_TOLD = ("item", "system", "judge", "run")
"""Sources of which it is said why they could not be told apart."""
_TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}


@dataclass(frozen=True)
class ShareRow:
    """One source of the variance of scores, in words: its share, its standard deviation, and where that may lie."""

    source: str
    share: str
    spread: str
    reach: str


def jury_sentences(used: JudgeUsed | None) -> tuple[str, ...]:
    """How far the judges agree, who is the odd one out, and what stayed without a verdict; none without a jury.

    What each judge of three or more has in common with the others is told in its row (`with_others_told`): of two it
    is one and the same figure.
    """
    jury = used.jury if used else None
    if jury is None:
        return ()
    told = [_alpha(jury)]
    if jury.answers and len(jury.judges) == 2:
        told.append(_of_two(jury.judges[0]))
    if len(jury.judges) > 2:
        told.append(
            f"The odd one out: {jury.odd_one_out}." if jury.odd_one_out else "None of them stands out as the odd one."
        )
    if jury.hung:
        told.append(
            f"{counted(jury.hung, 'answer')} without a verdict, as fewer than {jury.quorum} judges graded "
            f"{'it' if jury.hung == 1 else 'them'}: ungraded, and in no mean."
        )
    return tuple(told)


def repeats_sentences(used: JudgeUsed | None) -> tuple[str, ...]:
    """How often a score changed, and what could not be told apart; none where nobody was asked again."""
    found = used.repeats if used else None
    if found is None:
        return ()
    told = [_steadiness(each, found) for each in found.judges]
    if found.reason:
        told.append(found.reason)
    asks = any(each.asks_a_model for each in found.judges)
    untold = [
        f"{_SOURCES[name]} ({_within(found.left_out[name])})"
        for name in _TOLD
        # of judges that cannot change nobody looks for what changes
        if name in found.left_out and (asks or name != "run")
    ]
    if untold:
        told.append(f"Not told apart: {'; '.join(untold)}.")
    return tuple(told)


def _alpha(jury: JuryFinding) -> str:
    if jury.alpha is None:
        return f"Agreement among the judges is not known: {jury.alpha_reason}"
    found = jury.alpha
    return (
        f"The judges agree with each other at {number(found.value)} (Krippendorff's alpha, 95% {number(found.low)} "
        f"to {number(found.high)}; {counted(jury.answers, 'answer')}; 1 is full agreement, 0 chance)."
    )


def with_others_told(judge: Juror) -> str:
    """Spearman with the mean of the others: '0.81 (95% 0.72 to 0.88)'; or why it is not known."""
    if judge.with_others is None:
        return f"not known ({_within(judge.reason)})"
    return f"{number(judge.with_others)} ({_reach(judge)})"


def _of_two(judge: Juror) -> str:
    if judge.with_others is None:
        return f"How the two judges' scores correlate is not known: {judge.reason}"
    return f"The two judges' scores correlate at {number(judge.with_others)} (Spearman, {_reach(judge)})."


def _reach(judge: Juror) -> str:
    if judge.with_others_low is None or judge.with_others_high is None:
        return f"no interval: {_within(judge.reason)}" if judge.reason else "no interval"
    return f"95% {number(judge.with_others_low)} to {number(judge.with_others_high)}"


def _steadiness(each: Steadiness, found: RepeatsFinding) -> str:
    asked = f"asked {_TIMES.get(found.times, f'{found.times} times')} about {counted(found.answers, 'answer')}"
    lost = f" {counted(each.unjudged, 'judgement')} could not be had." if each.unjudged else ""
    if not each.compared:
        return f"Judge {each.judge} was {asked}; of none it gave two scores to compare.{lost}"
    changed = f"{each.moved} of {each.compared}"
    if not each.asks_a_model and not each.moved:
        return (
            f"Judge {each.judge} asks no model, and can only repeat itself: {asked}, it changed no score "
            f"({changed}). That says nothing of how far it is right.{lost}"
        )
    if not each.asks_a_model:
        return f"Judge {each.judge} asks no model, yet {asked} it changed its score on {changed}: a fault.{lost}"
    return f"Judge {each.judge}, {asked}, changed its score on {changed}.{lost}"


def share_rows(used: JudgeUsed | None) -> tuple[ShareRow, ...]:
    """Where the variance of repeated scores lies, source by source; none where nobody was asked again."""
    found = used.repeats if used else None
    return tuple(map(_share, found.shares)) if found else ()


def _share(part: VarianceShare) -> ShareRow:
    low, high = sqrt(max(part.variance.low, 0.0)), sqrt(max(part.variance.high, 0.0))
    # scores lie between 0 and 1: none can spread wider
    reach = f"{number(low)} to {number(high)}" if high < 1 else f"{number(low)} or more"
    spread = number(sqrt(max(part.variance.value, 0.0)))
    return ShareRow(_SOURCES.get(part.source, part.source), percent(part.share), spread, reach)


def _within(sentence: str) -> str:
    """A sentence as it stands in parentheses."""
    return f"{sentence[:1].lower()}{sentence[1:].rstrip('.')}"
