"""What an oral examination found, in words: one way for the page and the terminal."""

from __future__ import annotations

from viva.core.estimates import Estimate
from viva.core.scores_oral import OralScore


def headline(score: OralScore) -> str:
    """How much was examined, and how much of it is known."""
    share = f"Examined {score.examined / score.units:.0%} of {score.units:,} units"
    if score.known is None:
        if not score.asked_in_vain:
            return f"{share}; nothing can be said of what is known."
        return f"{share}: {score.asked_in_vain:,} were asked for, and no answer told anything of them."
    known = f"{share}; {_with_interval(score.known)} known"
    if not score.open:
        return f"{known}."
    vain = f" {score.asked_in_vain:,} more were asked for in vain." if score.asked_in_vain else ""
    return (
        f"{known} of those.{vain} They were not drawn at random: of all units {score.known_low:.0%} to "
        f"{score.known_high:.0%} are known, whatever the rest would show."
    )


def types_in_words(score: OralScore) -> str:
    """The units by the type of question that they are asked by, and how many of each are known."""
    told = (f"{row.units} {row.level} ({row.correct} known)" for row in sorted(score.by_type, key=lambda r: -r.units))
    return f"Question types: {', '.join(told)}."


def _with_interval(share: Estimate) -> str:
    """With ± only where both sides are as long, to a point."""
    value, low, high = (100 * each for each in (share.value, share.low, share.high))
    if abs((high - value) - (value - low)) <= 1:
        return f"{value:.0f}% ± {(high - low) / 2:.0f}"
    return f"{value:.0f}% (95% interval {low:.0f} to {high:.0f})"


FORMS = {
    "broad": "several units at once; the examinee is invited to tell more",
    "narrow": "fewer, of those that earlier answers missed",
    "single": "one unit alone",
}
"""Forms of question in the order of the page, in words."""
FLAGS = {
    "capped": "cut where no answer is read on",
    "long": "longer than what was asked for takes: its first words count",
    "pasted": "mostly copied from the documents at length: it counts for nothing, or asked for one unit by its "
    "first words",
    "empty": "without a word",
    "does not know": "only says that it does not know",
    "no question": "never asked: the examiner could not word the question",
}
"""What is odd about an answer, in words."""
