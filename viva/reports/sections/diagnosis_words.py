"""What a diagnosis came to, in one sentence: one way for the page and the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.estimates import Estimate
from viva.core.scores_diagnosis import Blame, BlameRow, Diagnosis, DiagnosisFinding
from viva.core.wording import counted, percent, percent_range
from viva.metrics.diagnosis import LEAST_AGREEMENT, LEAST_DECIDED, finding, share_without_evidence

MEANINGS = {
    Blame.RETRIEVAL: "the evidence was not found",
    Blame.READING: "the evidence was there and not read",
    Blame.DISTRACTION: "the evidence is read alone, not among other passages",
    Blame.KNOWLEDGE: "right without passages: they misled it",
    Blame.ITEM: "the question itself is at fault",
    Blame.UNDECIDED: "the interventions do not settle it",
}
"""The blames in the order of the page, in words."""
_NAMED = 3


def headline(found: Diagnosis) -> str:
    """What is to blame, with its interval; or that it cannot be said, and why."""
    verdict, rows = finding(found)
    match verdict:
        case DiagnosisFinding.NOTHING:
            return f"None of {counted(found.diagnosed, 'wrong answer')} diagnosed could be put down to anything."
        case DiagnosisFinding.TOO_FEW:
            decided = sum(row.answers for row in rows)
            return (
                f"Too few to say what is to blame: {decided} of {counted(found.diagnosed, 'wrong answer')} could be "
                f"put down to anything, and at least {LEAST_DECIDED} are wanted. So far: {_listed(rows, found)}."
            )
        case DiagnosisFinding.STAND_IN:
            return f"{_stand_in(found)} {_measured(found)}".strip()
        case DiagnosisFinding.LEVEL:
            return f"No one cause stands out: {_listed(rows, found)}."
        case DiagnosisFinding.LEADS:
            top = rows[0]
            return (
                f"{top.blame.value.capitalize()} is to blame most often: {_share(top, found)}, that is: "
                f"{MEANINGS[top.blame]}."
            )


def interval(share: Estimate | None) -> str:
    """A share with its interval, in percent."""
    if share is None:
        return "no share"
    return f"{percent(share.value)}, 95% interval {percent_range(share.low, share.high)}"


def _listed(rows: Sequence[BlameRow], found: Diagnosis) -> str:
    return "; ".join(f"{row.blame.value} {_share(row, found)}" for row in rows[:_NAMED])


def _share(row: BlameRow, found: Diagnosis) -> str:
    return f"{row.answers} of {found.diagnosed} ({interval(row.share)})"


def _stand_in(found: Diagnosis) -> str:
    given = interval(found.agreement) if found.agreement else "an unknown share"
    return (
        f"Too few of its own answers are given by {found.reader}, which read in its place, to say what is to blame "
        f"({given}; {percent(LEAST_AGREEMENT)} are wanted)."
    )


def _measured(found: Diagnosis) -> str:
    """What does not hang on the stand-in."""
    lost, told, share = share_without_evidence(found.answers)
    if share is None:
        return ""
    return (
        f"Measured on the system itself: the evidence was not among its passages in {lost} of "
        f"{counted(told, 'wrong answer')} ({interval(share)})."
    )
