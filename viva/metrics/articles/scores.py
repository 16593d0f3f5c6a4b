"""The scores of EXAM mode, all of them, from graded passages and who returned them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.notes import Note, NoteCode
from viva.core.records.articles import QuestionBank, Verification
from viva.core.records.judging import JudgeCard
from viva.core.scores_articles import (
    ArticleAbility,
    ArticleScores,
    Leakage,
    Mean,
    QuestionOutcome,
    RankAgreement,
    SystemDifference,
    SystemScore,
)
from viva.metrics.articles.cover import (
    PassageGrades,
    Runs,
    cover,
    exam_qrels,
    first_answers,
    pooled,
    returned,
    surest,
)
from viva.metrics.articles.exam import (
    Bools,
    Gradebook,
    PerQuery,
    compare_systems,
    exam,
    normalised_exam,
    question_rates,
    responses,
)
from viva.metrics.articles.leaderboards import LeaderboardRow, agreement, told
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.model.result import Fit
from viva.metrics.judges.pairs import Floats

MOST_CELLS = 100_000
"""Systems x questions beyond which abilities are not estimated unless asked for: it takes longer than all else."""
INTEGRATED_CELLS = 4_000
"""Systems x questions up to which items are integrated over: a second or two; beyond, the joint mode is taken."""


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
    judge: JudgeCard | None = None
    """who verified, where a judge did"""
    surest: Floats | None = None
    """confidences in the shape of the grades, where an article's answer is that of its surest paragraph; None: it
    answers what any of its paragraphs answers"""
    gold: Bools | None = None
    """passages (p,) of gold articles; None: there are none"""
    rouge: PerQuery | None = None
    quotes: Mapping[str, str] = field(default_factory=dict)
    empty: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    """by system: queries for which it was asked and wrote nothing"""
    leaks: Sequence[Leakage] = ()
    unknown: Sequence[str] = ()
    failures: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[Note] = ()


@dataclass(frozen=True)
class Wanted:
    """What is to be worked out."""

    depths: tuple[int, ...] = (1, 5, 10, 20)
    k: int = 20
    normalised_by: str = "pool"
    """gold, systems (whatever any system found) or pool (whatever any graded passage answers)"""
    differences: bool = True
    abilities: bool | None = None
    """None: where there are at most MOST_CELLS answers"""
    boards: Mapping[str, Mapping[str, LeaderboardRow]] = field(default_factory=dict)
    """leaderboards to compare with, by name"""
    seed: int = 0


def article_scores(graded: Graded, wanted: Wanted) -> ArticleScores:
    """All scores. Raises UsageError where n-EXAM is to be normalised by gold articles and there are none."""
    book = _book(graded)
    answerable, words = _answerable(graded, wanted.normalised_by)
    scores = exam(book)
    not_made: dict[str, Note] = {}
    placed = _placed(book, graded.failed, not_made)
    fitted = _fitted(book, placed, wanted, not_made)
    abilities = _abilities(fitted, [book.systems[place] for place in placed]) if fitted else {}
    normalised = None if _by_itself(graded, wanted.normalised_by, not_made) else normalised_exam(book, answerable)
    rows = _rows(graded, wanted, book, scores, normalised, abilities)
    differences = compare_systems(scores, seed=wanted.seed) if wanted.differences else []
    return ArticleScores(
        bank_id=graded.bank.id,
        queries=len(graded.bank.queries),
        questions=graded.bank.size,
        reader=graded.reader,
        verification=graded.verification,
        judge=graded.judge,
        at_least=graded.at_least,
        normalised_by=words,
        k=wanted.k,
        systems=tuple(sorted(rows, key=lambda row: (-(row.exam.value if row.exam else -1.0), row.system))),
        differences=tuple(
            SystemDifference(
                first=each.first,
                second=each.second,
                queries=each.queries,
                difference=each.difference,
                low=each.interval.low if each.interval else None,
                high=each.interval.high if each.interval else None,
                p_value=each.p_value,
                adjusted=each.adjusted,
            )
            for each in differences
        ),
        outcomes=_outcomes(graded, book, fitted),
        quotes=dict(graded.quotes),
        agreements=tuple(_agreements(graded, wanted, scores)),
        leaks=tuple(graded.leaks),
        unknown=tuple(graded.unknown),
        failures=dict(graded.failures),
        not_made=not_made,
        notes=tuple(graded.notes),
    )


def board_of(scores: PerQuery) -> dict[str, LeaderboardRow]:
    """The leaderboard of systems that have a score."""
    rows = zip(scores.systems, scores.means.tolist(), scores.errors.tolist(), strict=True)
    return {name: LeaderboardRow(mean, 0.0 if np.isnan(se) else se) for name, mean, se in rows if not np.isnan(mean)}


# --- inside -------------------------------------------------------------------------------------------------


def _by_itself(graded: Graded, by: str, not_made: dict[str, Note]) -> bool:
    """Whether n-EXAM would measure a system by nothing but its own paragraphs; the reason goes to `not_made`."""
    runs, grades = graded.runs, graded.grades
    whose = np.unique(runs.system[runs.passage >= 0])
    if by == "gold" or len(whose) > 1 or (by == "pool" and not returned(runs, grades).all()):
        return False
    not_made["n-EXAM"] = Note(code=NoteCode.MEASURED_BY_ITSELF)
    return True


def _book(graded: Graded) -> Gradebook:
    if graded.surest is None:
        return cover(graded.runs, graded.grades, at_least=graded.at_least)
    return surest(graded.runs, graded.grades, graded.surest, at_least=graded.at_least)


def _answerable(graded: Graded, by: str) -> tuple[Bools, str]:
    grades, least = graded.grades, graded.at_least
    match by:
        case "gold":
            if graded.gold is None:
                raise UsageError(
                    "n-EXAM is to be normalised by gold articles, and none are given.",
                    next_step="Give them with --gold, or normalise by what any system found: --normalise systems",
                )
            return pooled(grades, at_least=least, only=graded.gold), "what the gold articles answer"
        case "systems":
            found = returned(graded.runs, grades)
            return pooled(grades, at_least=least, only=found), "what anything that a system returned answers"
        case "pool":
            return pooled(grades, at_least=least), "what any paragraph that was graded answers"
        case _:
            raise UsageError(f"n-EXAM cannot be normalised by “{by}”.", allowed="gold, systems or pool.")


def _rows(
    graded: Graded,
    wanted: Wanted,
    book: Gradebook,
    scores: PerQuery,
    normalised: PerQuery | None,
    abilities: Mapping[str, ArticleAbility],
) -> list[SystemScore]:
    runs, grades = graded.runs, graded.grades
    depths = {depth: exam(cover(runs, grades, at_least=graded.at_least, depth=depth)) for depth in wanted.depths}
    ranked = exam_qrels(runs, grades, at_least=graded.at_least, k=wanted.k)
    not_graded = (np.isnan(book.right) & ~book.skipped[:, book.query_of]).sum(axis=1)
    # an empty article stands in no run
    ungraded, skipped = runs.ungraded(), runs.skipped(len(grades.queries)).sum(axis=1)
    return [
        SystemScore(
            system=system,
            exam=_mean(scores, place),
            n_exam=_mean(normalised, place) if normalised else None,
            cover={depth: mean for depth, each in depths.items() if (mean := _mean(each, place))},
            qrels={name: mean for name, each in ranked.items() if (mean := _mean(each, place))},
            rouge=_mean(graded.rouge, place) if graded.rouge else None,
            ability=abilities.get(system),
            skipped=int(skipped[place]) - graded.empty.get(system, 0),
            failed=graded.failed.get(system, 0),
            empty=graded.empty.get(system, 0),
            not_graded=int(not_graded[place]),
            passages_ungraded=int(ungraded[place]),
        )
        for place, system in enumerate(book.systems)
    ]


def _abilities(fitted: Fit, systems: Sequence[str]) -> dict[str, ArticleAbility]:
    rows = zip(systems, fitted.theta.tolist(), fitted.theta_se.tolist(), strict=True)
    return {system: ArticleAbility(theta=theta, se=se) for system, theta, se in rows}


def _placed(book: Gradebook, failed: Mapping[str, int], not_made: dict[str, Note]) -> list[int]:
    """The systems whose ability can be told: not those that failed to write for every query."""
    silent = [system for system in book.systems if failed.get(system, 0) >= len(book.queries)]
    for system in silent:
        not_made[f"ability of {system}"] = Note(code=NoteCode.FAILED_THROUGHOUT)
    return [place for place, system in enumerate(book.systems) if system not in silent]


def _mean(scores: PerQuery, place: int) -> Mean | None:
    if not scores.counted[place]:
        return None
    found, se = scores.interval(place), float(scores.errors[place])
    bounds = found if isinstance(found, Estimate) else None
    return Mean(
        value=float(scores.means[place]),
        # scores that are all the same are no sign that others would be
        se=se if bounds else None,
        low=bounds.low if bounds else None,
        high=bounds.high if bounds else None,
        queries=int(scores.counted[place]),
    )


def _fitted(book: Gradebook, placed: Sequence[int], wanted: Wanted, not_made: dict[str, Note]) -> Fit | None:
    """Systems (their places) and questions on one scale: a text either answers or not, nobody guesses (2PL)."""
    cells = book.right.size
    if wanted.abilities is False or (wanted.abilities is None and cells > MOST_CELLS):
        if wanted.abilities is None:
            not_made["abilities"] = Note(code=NoteCode.MANY_ANSWERS, count=cells, of=MOST_CELLS)
        return None
    method = "auto" if cells <= INTEGRATED_CELLS else "map"
    names = [book.systems[place] for place in placed]
    try:
        return fit(responses(book)[list(placed)], model="2pl", method=method, examinees=names)
    except UsageError as error:
        not_made["abilities"] = Note(code=NoteCode.NOT_FITTED, reason=str(error))
        return None


def _outcomes(graded: Graded, book: Gradebook, fitted: Fit | None) -> tuple[QuestionOutcome, ...]:
    first, rates = first_answers(graded.runs, graded.grades, at_least=graded.at_least), question_rates(book)
    anywhere = pooled(graded.grades, at_least=graded.at_least)
    asked = [(query.id, question) for query in graded.bank.queries for question in query.questions]
    found: list[QuestionOutcome] = []
    for n, (query, question) in enumerate(asked):
        by = np.flatnonzero(book.right[:, n] == 1).tolist()
        where = first[:, n].tolist()
        # built unchecked: there may be a great many, of our own making
        found.append(
            QuestionOutcome.model_construct(
                query_id=query,
                question_id=question.id,
                stem=question.stem,
                key=question.key,
                rate=None if np.isnan(rates[n]) else float(rates[n]),
                answered_by={book.systems[s]: graded.passages[where[s]] if where[s] >= 0 else "" for s in by},
                pooled=bool(anywhere[n]),
                difficulty=float(fitted.b[n]) if fitted else None,
            )
        )
    return tuple(found)


def _agreements(graded: Graded, wanted: Wanted, scores: PerQuery) -> list[RankAgreement]:
    boards: dict[str, Mapping[str, LeaderboardRow]] = dict(wanted.boards)
    if graded.rouge is not None:
        boards["ROUGE-1 F1"] = board_of(graded.rouge)
    own = board_of(scores)
    return [
        told("EXAM", name, agreement(own, board, seed=wanted.seed))
        for name, board in boards.items()
        if len(own.keys() & board.keys()) >= 2
    ]
