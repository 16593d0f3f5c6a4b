"""What accuracies depend on besides the systems, in words: documents, occasions, and the mark to pass."""

from __future__ import annotations

from viva.core.estimates import DesignEffect, Stability
from viva.core.notes import NoteCode
from viva.core.scores import Scores
from viva.core.scores_pairs import ALL_BUT_SURE
from viva.core.wording import counted, percent, percent_range
from viva.core.wording import number as fixed
from viva.metrics.clusters import ALIKE


def sampling_sentences(scores: Scores) -> tuple[str, ...]:
    """All of it, a sentence each."""
    told = (documents_sentence(scores), *stability_sentences(scores), pass_sentence(scores))
    return tuple(each for each in told if each)


def documents_sentence(scores: Scores) -> str:
    """Tell whether questions of one document go together, and what allows for it; '' where it is not known."""
    if scores.documents is None:
        return ""
    found = scores.documents.accuracy
    if found.effect is None:
        return (
            "" if found.reason == ALIKE else "Not enough questions share a document to see whether they go together."
        )
    pairs = [each for each in (scores.documents.own_pairs, scores.documents.other_pairs) if each and each.used > 1]
    told = f"(design effect {fixed(found.effect, 1)}, {counted(found.documents, 'document')})"
    if found.used == 1 and not pairs:
        return f"No sign that questions of one document go together {told}; they are taken as independent."
    parts = [f"tests of pairs allow for a design effect of {_range(pairs)}"] if pairs else []
    if found.used > 1:
        worth = round(found.questions / found.used)
        parts.insert(0, f"intervals are those of {worth} independent questions, not {found.questions}")
    return f"Questions of one document go together {told}: {'; '.join(parts)}."


def _range(pairs: list[DesignEffect]) -> str:
    """'1.20', or '1.20 (your systems) and 1.15 (all)' where there are two."""
    own, *every = dict.fromkeys(fixed(each.used) for each in pairs)
    return own + "".join(f" (your systems) and {each} (all)" for each in every)


def stability_sentences(scores: Scores) -> tuple[str, ...]:
    """How far each system that was asked several times answers alike."""
    return tuple(_stable(row.examinee.name, row.stability) for row in scores.examinees if row.stability)


def _stable(name: str, found: Stability) -> str:
    asked = f"{name} was asked {counted(found.questions, 'question')} {found.occasions} times"
    if found.changed.value == 0:
        return f"{asked}. None changed an answer from right to wrong or back."
    changed = f"{percent(found.changed.value)} changed (95%: {percent_range(found.changed.low, found.changed.high)})"
    if found.accuracy_sd is None:
        return f"{asked}: {changed}."
    return f"{asked}: {changed}; accuracy varies by {fixed(100 * found.accuracy_sd, 1)} points (standard deviation)."


def pass_columns(scores: Scores) -> tuple[str, ...]:
    """What the cells of `pass_cells` are called; none where no mark is set."""
    return ("pass", f"P(above {percent(scores.pass_mark.mark)})", "same result again") if scores.pass_mark else ()


def pass_cells(scores: Scores) -> dict[str, tuple[str, ...]]:
    """By examinee id, a cell for each of `pass_columns`: 'pass', '98%', '95%'; empty where no mark is set."""
    if scores.pass_mark is None:
        return {}
    return {
        each.examinee_id: (each.decision.value, _sure(each.above), _sure(each.consistency))
        for each in scores.pass_mark.systems
    }


def _sure(probability: float) -> str:
    """No probability is rounded to 0 or 1."""
    if probability > ALL_BUT_SURE:
        return f">{percent(ALL_BUT_SURE)}"
    return percent(probability) if probability >= 1 - ALL_BUT_SURE else f"<{percent(1 - ALL_BUT_SURE)}"


def pass_sentence(scores: Scores) -> str:
    """What the cells mean, and how exact an accuracy at the mark is; '' where no mark is set."""
    found = scores.pass_mark
    if found is None:
        return ""
    return (
        f"Pass mark {percent(found.mark)}: pass or fail where the 95% interval lies on one side of it. "
        f"P(above {percent(found.mark)}): of the true share of right answers; same result again: on another such "
        f"exam. Standard error of an accuracy at the mark: {fixed(100 * found.se, 1)} points.{_undecided(scores)}"
    )


def _undecided(scores: Scores) -> str:
    stopped = any(note.code is NoteCode.SITTING_UNFINISHED for note in scores.notes)
    return " A system whose sitting is not finished is not decided on (not sure)." if stopped else ""
