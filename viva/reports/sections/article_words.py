"""What EXAM mode found, in sentences: for the terminal and the report alike."""

from __future__ import annotations

from itertools import count

from viva.core.records.articles import Verification
from viva.core.scores_articles import ArticleScores, RankAgreement, SystemDifference
from viva.core.wording import counted
from viva.metrics.articles.exam import least_p
from viva.reports.sections.open_answers import SHOWN_FIGURES, measured

SURE = 0.05
N_EXAM = "n-EXAM"

_HOW = {
    Verification.KEY: "an answer is right where it is the bank's",
    Verification.JUDGE: "answers are compared with the bank's by {judge}",
    Verification.RATING: "texts are rated from 0 to 5",
}


def headline(scores: ArticleScores) -> str:
    """Who was judged by what."""
    systems = counted(len(scores.systems), "system")
    how = _HOW[scores.verification].format(judge=f"the judge {scores.judge.name}" if scores.judge else "a judge")
    if scores.verification is Verification.RATING:
        how += f", and answer from {scores.at_least} on"
    asked = f"{counted(scores.questions, 'question')} about {counted(scores.queries, 'query', 'queries')}"
    normalised = "" if N_EXAM in scores.not_made else f" n-EXAM counts {scores.normalised_by}."
    return (
        f"{systems}, {asked}; {how}.{normalised} Scores are means over queries with their standard error (none where "
        "all queries have the same score); a query that a system skipped counts 0."
    )


def told_judge(scores: ArticleScores) -> str:
    """What was measured of the judge that verified; '' where none did."""
    card = scores.judge
    if card is None:
        return ""
    figures = "; ".join(map(measured, card.measured[:SHOWN_FIGURES])) or "not measured"
    more = f" More: viva judges {card.name}." if len(card.measured) > SHOWN_FIGURES else ""
    return f"Agreement of the judge {card.name} with people: {figures}.{more}"


def told_unanswered(scores: ArticleScores) -> str:
    """How many questions nobody answers, and of these how many some text at hand answers."""
    missed = [outcome for outcome in scores.outcomes if not outcome.answered_by]
    if not missed:
        return "Every question is answered by the article of some system."
    anywhere = sum(outcome.pooled for outcome in missed)
    verb = "is" if anywhere == 1 else "are"
    beside = f"; {anywhere} of these {verb} answered by another text that was graded" if anywhere else ""
    return f"No system's article answers {len(missed)} of {counted(scores.questions, 'question')}{beside}."


def told_best(scores: ArticleScores) -> str:
    """Whose articles answer most, and of how many others that can be said."""
    best = next((row for row in scores.systems if row.exam), None)
    if best is None or best.exam is None:
        return "No system could be scored."
    if best.exam.value == 0:
        return "No system's articles answer any question."
    level = [row for row in scores.systems if row.exam and row.exam.value == best.exam.value]
    others = len(scores.systems) - len(level)
    if len(level) > 1:
        return f"{best.system} and {counted(len(level) - 1, 'other')} answer most: EXAM {best.exam.value:.3f} each."
    if not others:
        return f"{best.system} reaches EXAM {best.exam.value:.3f}."
    head = f"{best.system} answers most: EXAM {best.exam.value:.3f}"
    beaten = sum(best.system in (each.first, each.second) for each in differing(scores))
    if not beaten:
        return f"{head}, but this exam cannot tell it from any other."
    if beaten < others:
        return f"{head}, ahead of {beaten} of {others} others."
    return f"{head}, ahead of {'the other' if others == 1 else f'all {others} others'}."


def differing(scores: ArticleScores) -> list[SystemDifference]:
    """The pairs that the exam tells apart."""
    return [each for each in scores.differences if each.adjusted < SURE]


def told_pairs(scores: ArticleScores) -> str:
    """How many pairs of systems differ, and whether any could have; '' where there is one system."""
    pairs = len(scores.differences)
    if not pairs:
        return "No two systems share two queries." if len(scores.systems) > 1 else ""
    clear = len(differing(scores))
    said = f"{clear} of {pairs} pairs of systems {'differs' if clear == 1 else 'differ'}"
    least = queries_to_differ(pairs)
    most = max(each.queries for each in scores.differences)
    none_could = ""
    if most < least:
        adjusted = f" ({min(1.0, pairs * least_p(most)):.3f} after Holm over {pairs})" if pairs > 1 else ""
        none_could = (
            f" So few queries can show none: with {most} no p-value lies under 2/2^{most} = {least_p(most):.3f}"
            f"{adjusted}; it takes {least} at least, and there are {most}."
        )
    return f"{said} (p < {SURE} after Holm).{none_could}"


def queries_to_differ(pairs: int) -> int:
    """The fewest queries with which one of so many pairs could differ."""
    return next(n for n in count(2) if pairs * least_p(n) < SURE)


def agreed(found: RankAgreement) -> list[str]:
    """Two leaderboards, in sentences."""
    head = f"{found.first} and {found.second}, {counted(found.systems, 'system')}"
    if found.spearman is None:
        return [f"{head}: no correlation. {found.why_not}"]
    rho = f"Spearman {found.spearman:.3f}{_bounds(found.spearman_low, found.spearman_high)}"
    said = [f"{head}: {rho}, Kendall {_number(found.kendall)}{_bounds(found.kendall_low, found.kendall_high)}."]
    if found.spearman_bootstrap and found.kendall_bootstrap:
        (low, high), (tau_low, tau_high) = found.spearman_bootstrap, found.kendall_bootstrap
        said.append(
            f"  Systems drawn anew: Spearman {low:.3f} to {high:.3f}, Kendall {tau_low:.3f} to {tau_high:.3f}."
        )
    said += [f"  {sentence}" for sentence in _no_interval(found)]
    if found.broken_spearman and found.broken_kendall and any(found.tied):
        one, other = found.broken_spearman, found.broken_kendall
        said.append(
            f"  {found.tied[0]} and {found.tied[1]} systems are within a standard error of another; in "
            f"{found.breaks} random orders of these: Spearman {one[0]:.3f} ({one[1]:.3f} to {one[2]:.3f}), Kendall "
            f"{other[0]:.3f} ({other[1]:.3f} to {other[2]:.3f})."
        )
    if found.only_first or found.only_second:
        said.append(f"  Only in the first: {len(found.only_first)}; only in the second: {len(found.only_second)}.")
    return said


def _no_interval(found: RankAgreement) -> list[str]:
    """Why there is no interval where there is none."""
    reasons = {"Spearman": found.spearman_unbounded, "Kendall": found.kendall_unbounded}
    told = [f"{name}: no interval. {reason}" for name, reason in reasons.items() if reason]
    if len(told) == len(reasons) and found.spearman_unbounded == found.kendall_unbounded:
        told = [f"No intervals. {found.spearman_unbounded}"]
    return told + ([f"Systems drawn anew: no intervals. {found.not_drawn}"] if found.not_drawn else [])


def _bounds(low: float | None, high: float | None) -> str:
    return f" (95%: {low:.3f} to {high:.3f})" if low is not None and high is not None else ""


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
