"""How far the judges of a jury agree, and how steady judges are when they are asked again: in sentences."""

from __future__ import annotations

from math import sqrt

from viva.core.scores_open import JudgeUsed, Juror, JuryFinding, RepeatsFinding, Steadiness, VarianceShare
from viva.core.wording import counted
from viva.reports.words import number, percent

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


def jury_sentences(used: JudgeUsed | None) -> tuple[str, ...]:
    """How far the judges agree, who is the odd one out, and what stayed without a verdict; none without a jury."""
    jury = used.jury if used else None
    if jury is None:
        return ()
    told = [_alpha(jury)]
    if jury.answers:
        told.append(
            f"Each judge with the mean of the others (Spearman): {'; '.join(map(_with_others, jury.judges))}."
        )
    if len(jury.judges) > 2:
        told.append(
            f"The odd one out: {jury.odd_one_out}." if jury.odd_one_out else "None of them stands out as the odd one."
        )
    lost = [f"{each.card.name} {each.ungraded}" for each in jury.judges if each.ungraded]
    if lost:
        told.append(f"Answers that a judge did not grade, of {jury.answers:,}: {', '.join(lost)}.")
    if jury.hung:
        told.append(
            f"{counted(jury.hung, 'answer')} without a verdict, as fewer than {jury.quorum} judges graded "
            f"{'it' if jury.hung == 1 else 'them'}: ungraded, and in no mean."
        )
    return tuple(told)


def repeats_sentences(used: JudgeUsed | None) -> tuple[str, ...]:
    """How often a score changed, and where the variance of scores lies; none where nobody was asked again."""
    found = used.repeats if used else None
    if found is None:
        return ()
    told = [_steadiness(each, found) for each in found.judges]
    if found.shares:
        told.append(f"The variance of these scores lies between {', '.join(map(_share, found.shares))}.")
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


def _with_others(judge: Juror) -> str:
    if judge.with_others is None:
        return f"{judge.card.name} not known ({_within(judge.reason)})"
    return f"{judge.card.name} {number(judge.with_others)}"


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


def _share(part: VarianceShare) -> str:
    low, high = sqrt(max(part.variance.low, 0.0)), sqrt(max(part.variance.high, 0.0))
    # scores lie between 0 and 1: none can spread wider
    reach = f"{number(low)} to {number(high)}" if high < 1 else f"{number(low)} or more"
    spread = f"standard deviation {number(sqrt(max(part.variance.value, 0.0)))}, 95% {reach}"
    return f"{_SOURCES.get(part.source, part.source)} {percent(part.share)} ({spread})"


def _within(sentence: str) -> str:
    """A sentence as it stands in parentheses."""
    return f"{sentence[:1].lower()}{sentence[1:].rstrip('.')}"
