"""The scores of EXAM mode, all of them, from graded passages and who returned them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from viva.core.notes import Note, NoteCode
from viva.core.records.articles import QuestionBank, Verification
from viva.core.scores_articles import ArticleScores, Leak, QuestionOutcome, RankAgreement, SystemScore
from viva.core.wording import counted
from viva.metrics.articles.cover import PassageGrades, Runs, cover, first_answers, pooled, returned
from viva.metrics.articles.exam import Bools, Gradebook, PerQuery, compare_systems, exam, normalised_exam
from viva.metrics.articles.leaderboards import Leaderboard, agreement


@dataclass(frozen=True, eq=False)
class Graded:
    """What was graded, how it is to be read, and what is known besides."""

    bank: QuestionBank
    passages: Sequence[str]
    grades: PassageGrades
    runs: Runs
    at_least: int
    reader: str
    verification: Verification
    gold: Bools | None = None
    """passages (p,) of gold articles; None: there are none"""
    quotes: Mapping[str, str] = field(default_factory=dict)
    empty: Mapping[str, int] = field(default_factory=dict)
    leaks: Sequence[Leak] = ()
    unknown: Sequence[str] = ()
    failures: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[Note] = ()


def article_scores(
    graded: Graded, depths: Sequence[int] = (), boards: Mapping[str, Leaderboard] | None = None
) -> ArticleScores:
    """All scores: EXAM-Cover of the first `depths` passages, and agreement with `boards`, which have names."""
    grades, least = graded.grades, graded.at_least
    book = cover(graded.runs, grades, at_least=least)
    scores = exam(book)
    alone = _measured_by_itself(graded)
    normalised = None if alone else normalised_exam(book, pooled(grades, at_least=least, only=graded.gold))
    rows = _rows(graded, depths, book, scores, normalised)
    agreements, incomparable = _agreements(scores, boards or {})
    return ArticleScores(
        bank_id=graded.bank.id,
        queries=len(graded.bank.queries),
        questions=graded.bank.size,
        reader=graded.reader,
        verification=graded.verification,
        at_least=least,
        normalised_by="what any paragraph that was graded answers"
        if graded.gold is None
        else "what the gold articles answer",
        systems=tuple(sorted(rows, key=lambda row: (-(row.exam.value if row.exam else -1.0), row.system))),
        differences=tuple(compare_systems(scores)),
        outcomes=_outcomes(graded, book),
        quotes=dict(graded.quotes),
        agreements=tuple(agreements),
        leaks=tuple(graded.leaks),
        unknown=(*graded.unknown, *incomparable),
        failures=dict(graded.failures),
        notes=(*graded.notes, *([Note(code=NoteCode.MEASURED_BY_ITSELF)] if alone else [])),
    )


def board_of(scores: PerQuery) -> dict[str, float]:
    """The leaderboard of systems that have a score."""
    rows = zip(scores.systems, scores.means.tolist(), strict=True)
    return {name: mean for name, mean in rows if not np.isnan(mean)}


def _measured_by_itself(graded: Graded) -> bool:
    """Whether nothing but one system's own paragraphs says what can be answered."""
    runs = graded.runs
    others = len(np.unique(runs.system[runs.passage >= 0])) > 1 or not returned(runs, graded.grades).all()
    return graded.gold is None and not others


def _rows(
    graded: Graded, depths: Sequence[int], book: Gradebook, scores: PerQuery, normalised: PerQuery | None
) -> list[SystemScore]:
    runs, grades = graded.runs, graded.grades
    first = {depth: exam(cover(runs, grades, at_least=graded.at_least, depth=depth)) for depth in depths}
    not_graded = (np.isnan(book.right) & ~book.skipped[:, book.query_of]).sum(axis=1)
    # an empty article stands in no run
    ungraded, skipped = runs.ungraded(), runs.skipped(len(grades.queries)).sum(axis=1)
    return [
        SystemScore(
            system=system,
            exam=scores.mean(place),
            n_exam=normalised.mean(place) if normalised else None,
            cover={depth: mean for depth, each in first.items() if (mean := each.mean(place))},
            skipped=int(skipped[place]) - graded.empty.get(system, 0),
            empty=graded.empty.get(system, 0),
            not_graded=int(not_graded[place]),
            passages_ungraded=int(ungraded[place]),
        )
        for place, system in enumerate(book.systems)
    ]


def _outcomes(graded: Graded, book: Gradebook) -> tuple[QuestionOutcome, ...]:
    first = first_answers(graded.runs, graded.grades, at_least=graded.at_least)
    anywhere = pooled(graded.grades, at_least=graded.at_least)
    asked = [(query.id, question) for query in graded.bank.queries for question in query.questions]
    # built unchecked: there may be a great many, of our own making
    return tuple(
        QuestionOutcome.model_construct(
            query_id=query,
            question_id=question.id,
            stem=question.stem,
            key=question.key,
            answered_by={
                book.systems[s]: graded.passages[first[s, n]] for s in np.flatnonzero(book.right[:, n] == 1).tolist()
            },
            pooled=bool(anywhere[n]),
        )
        for n, (query, question) in enumerate(asked)
    )


def _agreements(scores: PerQuery, boards: Mapping[str, Leaderboard]) -> tuple[list[RankAgreement], list[str]]:
    """With each leaderboard; and those that share too few systems, in words."""
    own, found, few = board_of(scores), list[RankAgreement](), list[str]()
    for name, board in boards.items():
        shared = len(own.keys() & board.keys())
        if shared < 2:
            few.append(f"the leaderboard {name}: it shares {counted(shared, 'system')} with this one")
        else:
            found.append(agreement("EXAM", own, name, board))
    return found, few
