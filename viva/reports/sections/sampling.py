"""What accuracies depend on besides the systems, in words: documents, occasions, and the mark to pass."""

from __future__ import annotations

from viva.core.estimates import DesignEffect, Stability
from viva.core.scores import Scores
from viva.core.wording import counted, p_value, percent, percent_range
from viva.core.wording import number as fixed


def sampling_sentences(scores: Scores) -> tuple[str, ...]:
    """All of it, a sentence each."""
    told = (documents_sentence(scores), *stability_sentences(scores), pass_sentence(scores))
    return tuple(each for each in told if each)


def documents_sentence(scores: Scores) -> str:
    """Whether questions of one document hang together, and what allows for it; '' where it is not known."""
    if scores.documents is None:
        return ""
    found = scores.documents.accuracy
    if found.effect is None:
        return f"Whether questions of one document hang together was not estimated: {found.reason}."
    pairs = [each for each in (scores.documents.own_pairs, scores.documents.other_pairs) if each and each.used > 1]
    measured = f"design effect {fixed(found.effect)}, {p_value(found.p_value or 0)}"
    told = f"({measured}, {counted(found.documents, 'document')})"
    if found.used == 1 and not pairs:
        return f"Questions of one document hang together no more than by chance {told}."
    parts = [f"tests of pairs allow for a design effect of {_range(pairs)}"] if pairs else []
    if found.used > 1:
        worth = round(found.questions / found.used)
        parts.insert(0, f"intervals are those of {worth} independent questions, not {found.questions}")
    return f"Questions of one document hang together {told}: {'; '.join(parts)}."


def _range(pairs: list[DesignEffect]) -> str:
    """'1.20', or '1.20 (your systems) and 1.15 (all)' where there are two."""
    own, *every = dict.fromkeys(fixed(each.used) for each in pairs)
    return own + "".join(f" (your systems) and {each} (all)" for each in every)


def stability_sentences(scores: Scores) -> tuple[str, ...]:
    """How far each system that was asked several times answers alike."""
    return tuple(_stable(row.examinee.name, row.stability) for row in scores.examinees if row.stability)


def _stable(name: str, found: Stability) -> str:
    told = (
        f"{name} was asked {found.occasions} times: {percent(found.changed.value)} of "
        f"{counted(found.questions, 'question')} are right on one occasion and wrong on another (95% interval "
        f"{percent_range(found.changed.low, found.changed.high)})"
    )
    if found.accuracy_sd is None:
        return f"{told}."
    spread = fixed(100 * found.accuracy_sd, 1)
    return f"{told}; its accuracy on one occasion has a standard deviation of {spread} points."


def pass_cells(scores: Scores) -> dict[str, str]:
    """By examinee id: 'pass 98% (95%)'; empty where no mark is set."""
    if scores.pass_mark is None:
        return {}
    return {
        each.examinee_id: f"{each.decision.value} {percent(each.above)} ({percent(each.consistency)})"
        for each in scores.pass_mark.systems
    }


def pass_sentence(scores: Scores) -> str:
    """What the cells mean, and how exact an accuracy at the mark is; '' where no mark is set."""
    found = scores.pass_mark
    if found is None:
        return ""
    return (
        f"Pass mark {percent(found.mark)}: pass or fail where the 95% interval lies on one side of the mark; then "
        "the probability that the true share of right answers is above it; in parentheses the probability that a "
        "parallel exam puts the accuracy on the same side. At the mark an accuracy has a standard error of "
        f"{fixed(100 * found.se, 1)} points."
    )
