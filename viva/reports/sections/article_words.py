"""What EXAM mode found, in sentences: for the terminal and the report alike."""

from __future__ import annotations

from itertools import count

from viva.core.records.articles import Verification
from viva.core.scores_articles import ArticleScores, RankAgreement, SystemDifference
from viva.core.wording import counted
from viva.metrics.articles.exam import least_p

SURE = 0.05


def headline(scores: ArticleScores) -> str:
    """Who was judged by what."""
    systems = counted(len(scores.systems), "system")
    how = (
        f"texts are rated from 0 to 5, and answer from {scores.at_least} on"
        if scores.verification is Verification.RATING
        else "an answer is right where it is the bank's"
    )
    asked = f"{counted(scores.questions, 'question')} about {counted(scores.queries, 'query', 'queries')}"
    normalised = f" n-EXAM counts {scores.normalised_by}." if any(row.n_exam for row in scores.systems) else ""
    return (
        f"{systems}, {asked}; {how}.{normalised} Scores are means over queries with their standard error (none where "
        "all queries have the same score); a query that a system skipped counts 0."
    )


def told_unanswered(scores: ArticleScores) -> str:
    """How many questions no system answers, and of these how many some text at hand answers."""
    missed = [outcome for outcome in scores.outcomes if not outcome.answered_by]
    if not missed:
        return "Every question is answered by the article of some system."
    anywhere = sum(outcome.pooled for outcome in missed)
    verb = "is" if anywhere == 1 else "are"
    others = f"; {anywhere} of these {verb} answered by another text that was graded" if anywhere else ""
    return f"No system's article answers {len(missed)} of {counted(scores.questions, 'question')}{others}."


def told_best(scores: ArticleScores) -> str:
    """Whose articles answer most, and of how many others that can be said."""
    best = next(iter(scores.systems), None)
    if best is None or best.exam is None or not best.exam.value:
        return "No system's articles answer any question."
    head, others = f"{best.system} answers most: EXAM {best.exam.value:.3f}", len(scores.systems) - 1
    beaten = sum(best.system in (each.first, each.second) for each in differing(scores))
    if others and not beaten:
        return f"{head}, but this exam cannot tell it from any other."
    return f"{head}, ahead of {beaten} of {counted(others, 'other')}." if others else f"{head}."


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
    none_could = f" {most} queries can show none: it takes {least} at least." if most < least else ""
    return f"{said} (p < {SURE} after Holm).{none_could}"


def queries_to_differ(pairs: int) -> int:
    """The fewest queries with which one of so many pairs could differ."""
    return next(n for n in count(2) if pairs * least_p(n) < SURE)


def agreed(found: RankAgreement) -> list[str]:
    """Two leaderboards, in sentences."""
    head = f"{found.first} and {found.second}, {counted(found.systems, 'system')}"
    if found.spearman is None:
        said = [f"{head}: no correlation."]
    else:
        rho = f"Spearman {found.spearman:.3f}{_bounds(found.spearman_low, found.spearman_high)}"
        tau = "undefined" if found.kendall is None else f"{found.kendall:.3f}"
        said = [f"{head}: {rho}, Kendall {tau}{_bounds(found.kendall_low, found.kendall_high)}."]
    said += [f"  {reason}" for reason in found.reasons]
    if found.only_first or found.only_second:
        said.append(f"  Only in the first: {len(found.only_first)}; only in the second: {len(found.only_second)}.")
    return said


def _bounds(low: float | None, high: float | None) -> str:
    return f" (95%: {low:.3f} to {high:.3f})" if low is not None and high is not None else ""
