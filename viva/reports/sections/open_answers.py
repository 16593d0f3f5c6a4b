"""Open answers in words and rows: who graded them and how far that judge can be trusted, and what people say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.estimates import Estimate
from viva.core.note_words import names_of, note_sentence
from viva.core.records import JudgeCard, Measured
from viva.core.scores import ExamineeScore, Scores
from viva.core.scores_open import FormatScore, PeopleFindings, PeopleScore, QualityScore
from viva.core.wording import counted, listed, number, signed
from viva.metrics.exam import MULTIPLE_CHOICE, NOT_GRADED, OPEN

SHOWN_FIGURES = 3
"""Of a judge's measured figures; the others stand with the judge."""
_REASONS = {
    "no_passages": "the system returned no passages",
    "no_claims": "the answer claims nothing",
    NOT_GRADED: "no judge has graded it yet",
}
"""Codes of what is not graded, in words; other codes are words."""


@dataclass(frozen=True)
class OpenRow:
    """One examinee on each format, and its mean score as people would give it."""

    score: ExamineeScore
    closed: FormatScore | None
    open: FormatScore | None
    people: PeopleScore | None

    @property
    def name(self) -> str:
        """The examinee's name."""
        return self.score.examinee.name


def open_rows(scores: Scores) -> tuple[OpenRow, ...]:
    """In the order of the leaderboard, manufactured examinees last; empty where no question is open."""
    people = {each.examinee_id: each for each in scores.people.systems} if scores.people else {}
    rows = []
    for score in sorted(scores.examinees, key=lambda each: bool(each.examinee.manufactured)):
        by = {each.format: each for each in score.formats}
        rows.append(OpenRow(score, by.get(MULTIPLE_CHOICE), by.get(OPEN), people.get(score.examinee.id)))
    return tuple(row for row in rows if row.open)


def judge_sentences(scores: Scores) -> tuple[str, ...]:
    """Who graded, how much, and its measured agreement with people, on other data and on this run's labels."""
    used = scores.judge
    if used is None:
        return ()
    told = [*_graded_by(used.card, used.graded, used.graded + used.ungraded)]
    own = scores.people.judge_agreement if scores.people else ()
    if own:
        told.append(f"On this run's own labels: {'; '.join(map(measured, own))}.")
    return tuple(told)


def _graded_by(card: JudgeCard, graded: int, answers: int, of_quality: str = "") -> tuple[str, str]:
    """How much a judge graded, and how far it agrees with people."""
    return (
        f"Judge {card.name} graded {graded} of {counted(answers, 'open answer')}{of_quality}.",
        f"Its agreement with people: {'; '.join(_figures(card))}.",
    )


def _figures(card: JudgeCard) -> tuple[str, ...]:
    """What was measured of the judge on other labels than this run's, figure by figure."""
    figures = card.measured
    if not figures:
        return ("not measured",)
    more = len(figures) - SHOWN_FIGURES
    rest = (f"{counted(more, 'further figure')} with the judge",) if more > 0 else ()
    return (*map(measured, figures[:SHOWN_FIGURES]), *rest)


def measured(figure: Measured) -> str:
    """'Spearman .62 (95% .58 to .66; 1,200 labels of saf/test)'."""
    missing = f", {figure.unjudged} not judged" if figure.unjudged else ""
    people = f"; people among themselves {number(figure.people)}" if figure.people is not None else ""
    return (
        f"{_named(figure.statistic)} {number(figure.estimate)} "
        f"(95% {number(figure.low)} to {number(figure.high)}; {counted(figure.labels, 'label')} of {figure.data}"
        f"{missing}{people})"
    )


def people_sentences(found: PeopleFindings) -> tuple[str, ...]:
    """Who labelled how much, whether people agree with each other, and what was left out."""
    who = listed([f"{name} {count}" for name, count in sorted(found.by.items())], 8)
    told = [f"{counted(found.labels, 'answer')} labelled by people{f' ({who})' if who else ''}."]
    if found.agreement is not None:
        told.append(f"They agree with each other at {number(found.agreement)} (Krippendorff's alpha).")
    elif len(found.by) > 1:
        told.append(f"Their agreement: {found.agreement_reason}")
    if found.not_drawn:
        told.append(f"{counted(found.not_drawn, 'further answer')} labelled without being drawn: in no figure.")
    return (*told, *map(note_sentence, found.notes))


def score_told(estimate: Estimate | None) -> str:
    """A mean score with its interval: '.62 (.55 to .69)'; a dash for none."""
    if estimate is None:
        return "–"
    return f"{number(estimate.value)} ({number(estimate.low)} to {number(estimate.high)})"


def labelled(rows: Sequence[OpenRow]) -> bool:
    """Whether people's labels are to be shown beside the judge's scores."""
    return any(row.people and row.people.labels for row in rows)


def differences_told(scores: Scores) -> tuple[str, ...]:
    """'bm25 less hybrid: +.12 (.03 to .21), on 14 questions with 9 labels', pair by pair."""
    names = names_of(scores)
    return tuple(
        f"{names.get(each.first_id, each.first_id)} less {names.get(each.second_id, each.second_id)}: "
        f"{signed(each.difference.value)} ({signed(each.difference.low)} to {signed(each.difference.high)}), "
        f"{counted(each.questions, 'question')}, {counted(each.labels, 'label')}"
        for each in (scores.people.differences if scores.people else ())
    )


@dataclass(frozen=True)
class QualityRow:
    """One examinee on the further qualities, each with its score; None where it has none."""

    examinee_id: str
    name: str
    scores: tuple[QualityScore | None, ...]


def quality_rows(scores: Scores) -> tuple[QualityRow, ...]:
    """In the order of the leaderboard; empty where open answers were graded for correctness alone."""
    by = [{each.examinee_id: each for each in found.systems} for found in scores.qualities]
    names = names_of(scores)
    return tuple(
        QualityRow(id_, name, tuple(own.get(id_) for own in by))
        for id_, name in names.items()
        if any(id_ in own for own in by)
    )


def quality_sentences(scores: Scores) -> tuple[str, ...]:
    """Who graded the further qualities, how much, and its measured agreement with people."""
    told = list[str]()
    for found in scores.qualities:
        graded, asked = (sum(getattr(each, name) for each in found.systems) for name in ("graded", "asked"))
        told += _graded_by(found.card, graded, asked, f" for {found.quality}")
    return tuple(told)


def ungraded_sentences(scores: Scores) -> tuple[str, ...]:
    """What could not be graded for the further qualities, system by system, with the reasons."""
    names = names_of(scores)
    return tuple(
        f"Not graded for {found.quality}, {names.get(each.examinee_id, each.examinee_id)}: "
        f"{ungraded_told(each.ungraded)}."
        for found in scores.qualities
        for each in found.systems
        if each.ungraded
    )


def ungraded_told(ungraded: Mapping[str, int]) -> str:
    """'12 (the system returned no passages), 1 (timed out)', the most frequent reason first."""
    ordered = sorted(ungraded.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{count} ({ungraded_reason(code)})" for code, count in ordered)


def ungraded_reason(code: str) -> str:
    """The reason that the code of an ungraded answer stands for, in words."""
    return _REASONS.get(code) or code.replace("_", " ")


def open_context(scores: Scores) -> dict[str, Any]:
    """What the page shows of it."""
    rows = open_rows(scores)
    return {
        "open_rows": rows,
        "open_sentences": judge_sentences(scores),
        "by_people": labelled(rows),
        "people_told": people_sentences(scores.people) if scores.people else (),
        "people_pairs": differences_told(scores),
        "qualities": [found.quality.value for found in scores.qualities],
        "quality_rows": quality_rows(scores),
        "quality_sentences": quality_sentences(scores),
        "ungraded_told": ungraded_told,
    }


def _named(statistic: str) -> str:
    return "MCC" if statistic == "mcc" else f"{statistic[:1].upper()}{statistic[1:]}"
