"""The leaderboard as tables and sentences: systems, kinds of questions, qualities, retrievers by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from viva.api.pairs import usage_cells
from viva.api.result import Cell, Column, Kind, Result, Table, ability_cells
from viva.core.estimates import OUTSIDE, Estimate, OutsideAbility
from viva.core.note_words import names_of, nothing_separates, scores_notes, worded
from viva.core.scores import ExamineeScore, RetrieverScore, Scores
from viva.core.scores_open import QualityScore
from viva.reports.sections.open_answers import (
    OpenRow,
    differences_told,
    judge_sentences,
    labelled,
    open_rows,
    people_sentences,
    quality_rows,
    quality_sentences,
    ungraded_sentences,
)
from viva.reports.sections.pairs import told_pairs
from viva.reports.sections.retrieval import retriever_sentences
from viva.reports.sections.sampling import pass_cells, pass_columns, sampling_sentences
from viva.reports.sections.systems import (
    SystemRow,
    detectable_sentence,
    groups_sentence,
    known_sentence,
    reliability_sentence,
    system_rows,
)

_MARKS = {
    "R": "R: a reference for the range (all evidence, or no documents); it is not ranked.",
    "M": "M: manufactured, a system that viva added for comparison; it is not ranked.",
    "F": "F: failed on more than a fifth of the questions; it is not ranked.",
}
WITHOUT_KNOWN = "accuracy without known"
_Figures = tuple[tuple[Column, Callable[[SystemRow], Cell]], ...]


def leaderboard(scores: Scores, notes: Sequence[str] = ()) -> Result:
    """Put scores into tables, systems best first, and sentences; `notes` come last."""
    tables, told = list[Table](), list[str]()
    for part in (_systems, _turns, _formats, _qualities, _retrievers):
        table, sentences = part(scores)
        tables += [table] if table.cells or part is _systems else []
        told += sentences
    told += [f"Note: {note}" for note in (*scores_notes(scores), *notes)]
    record = scores.model_dump(mode="json", context=worded(names_of(scores)))
    return Result("Leaderboard", tuple(tables), tuple(told), record)


# --- systems ----------------------------------------------------------------------------------------------


def _systems(scores: Scores) -> tuple[Table, list[str]]:
    rows = system_rows(scores)
    decided = pass_cells(scores)
    passes = [(Column(name), _pass_cell(decided, place)) for place, name in enumerate(pass_columns(scores))]
    figures = [*_FIGURES, *passes]
    found = [(column, [figure(row) for row in rows]) for column, figure in figures]
    shown = [each for each in found if each[0] in _ALWAYS or any(map(_tells, each[1]))]
    columns = tuple(column for column, _ in shown)
    cells = tuple(tuple(own[place] for _, own in shown) for place in range(len(rows)))
    return Table("Leaderboard", columns, cells), _of_systems(scores, rows)


def _of_systems(scores: Scores, rows: Sequence[SystemRow]) -> list[str]:
    marks = {row.place[:1] for row in rows}
    told = [sentence for mark, sentence in _MARKS.items() if mark in marks]
    told += filter(None, [groups_sentence(rows)])
    if any(isinstance(row.score.ability, OutsideAbility) for row in rows):
        told.append(OUTSIDE)
    if scores.baselines:
        told.append(
            f"Right without reading: {', '.join(f'{n} {share:.0%}' for n, share in scores.baselines.items())}."
        )
    if scores.known:
        told.append(f"{known_sentence(scores.known, len(scores.items))} {WITHOUT_KNOWN}: that on the others.")
    if alike := nothing_separates(scores):
        return [*told, f"{alike}.", *sampling_sentences(scores)]
    reliable = reliability_sentence(scores.measurement.reliability if scores.measurement else None)
    return [
        *told,
        *filter(None, (detectable_sentence(scores), reliable)),
        *sampling_sentences(scores),
        *told_pairs(scores),
    ]


def _pass_cell(decided: Mapping[str, Sequence[str]], place: int) -> Callable[[SystemRow], Cell]:
    return lambda row: decided[row.id][place] if row.id in decided else ""


def _tells(cell: Cell) -> bool:
    return cell not in (None, "")


def _of_answered(row: SystemRow) -> Estimate | None:
    """Shown where it differs by a point from the accuracy, in which failures are wrong."""
    return row.score.accuracy_answered if row.score.failures_tell else None


def _recall(score: ExamineeScore) -> Estimate | None:
    return score.retrieval.recall_at.get(1) if score.retrieval else None


def _usage(place: int) -> Callable[[SystemRow], Cell]:
    return lambda row: usage_cells(row.score.usage)[place]


def _ability(place: int) -> Callable[[SystemRow], Cell]:
    return lambda row: ability_cells(row.score.ability)[place]


_PLACE, _SYSTEM = Column("place"), Column("system")
_RIGHT, _OF = Column("right", Kind.NUMBER, spare=2), Column("of", Kind.NUMBER, spare=2)
_ACCURACY = Column("accuracy", Kind.SHARE)
_FIGURES: _Figures = (
    (_PLACE, lambda row: row.place if row.score.graded else "-"),
    (_SYSTEM, lambda row: row.name),
    (_RIGHT, lambda row: row.score.correct),
    (_OF, lambda row: row.score.graded),
    (_ACCURACY, lambda row: row.score.accuracy),
    (Column(WITHOUT_KNOWN, Kind.SHARE), lambda row: row.score.accuracy_not_known),
    (Column("of answered", Kind.SHARE, spare=5), _of_answered),
    (Column("ability", Kind.NUMBER, 1, spare=1), _ability(0)),
    (Column("SE", Kind.NUMBER, 1, spare=3), _ability(1)),
    (Column("ability outside", spare=2), _ability(2)),
    (Column("person fit", Kind.NUMBER, 1, spare=6), lambda row: row.score.person_fit),
    (Column("recall@1", Kind.SHARE, spare=4), lambda row: _recall(row.score)),
    (Column("no choice", Kind.NUMBER, spare=8), lambda row: row.score.no_choice),
    (Column("failed", Kind.NUMBER, spare=1), lambda row: row.failed),
    (Column("tokens", Kind.NUMBER, 0, spare=5), _usage(0)),
    (Column("cost", Kind.DOLLARS, spare=5), _usage(1)),
    (Column("first answer", Kind.SECONDS, spare=9), _usage(2)),
    (Column("p50", Kind.SECONDS, spare=7), _usage(3)),
    (Column("p95", Kind.SECONDS, spare=8), _usage(4)),
)
_ALWAYS = {_PLACE, _SYSTEM, _RIGHT, _OF, _ACCURACY}


# --- kinds of questions, qualities, retrievers --------------------------------------------------------------


def _turns(scores: Scores) -> tuple[Table, list[str]]:
    found = {(each.examinee_id, each.level): each for each in scores.by_turn}
    levels = sorted({level for _, level in found})
    asked = {level: max(each.items for each in found.values() if each.level == level) for level in levels}
    columns = (_SYSTEM, *(Column(f"turn {level} ({asked[level]})", Kind.SHARE) for level in levels))
    cells = tuple(
        (row.name, *(each.accuracy if (each := found.get((row.id, level))) else None for level in levels))
        for row in system_rows(scores)
        if levels
    )
    return Table("Accuracy by turn of the conversation (questions)", columns, cells), []


def _formats(scores: Scores) -> tuple[Table, list[str]]:
    rows = open_rows(scores)
    columns = [
        _SYSTEM,
        Column("multiple choice", Kind.SHARE, spare=2),
        Column("open: right", Kind.SHARE),
        Column("open: mean score", Kind.NUMBER, spare=3),
    ]
    by_people = labelled(rows)
    if by_people:
        columns += [Column("by people", Kind.NUMBER), Column("labels", Kind.NUMBER, spare=1)]
        columns += [Column("worth labels", Kind.NUMBER, 0, spare=1)]
    cells = tuple((*_format_cells(row), *(_people_cells(row) if by_people else ())) for row in rows)
    told = [*judge_sentences(scores), *(people_sentences(scores.people) if scores.people else ())] if rows else []
    told += [
        f"By people, {row.name}: not known. {row.people.reason}"
        for row in rows
        if row.people and row.people.labels and row.people.reason
    ]
    told += [f"By people, {sentence}" for sentence in differences_told(scores)] if rows else []
    return Table("Multiple choice and open questions", tuple(columns), cells), told


def _format_cells(row: OpenRow) -> tuple[Cell, ...]:
    closed, answered = row.closed, row.open
    return (
        row.name,
        closed.accuracy if closed else None,
        answered.accuracy if answered else None,
        answered.mean_score if answered else None,
    )


def _people_cells(row: OpenRow) -> tuple[Cell, ...]:
    found = row.people
    return (found.people_mean, found.labels, found.effective_labels) if found else (None, 0, None)


def _qualities(scores: Scores) -> tuple[Table, list[str]]:
    rows = quality_rows(scores)
    columns = [_SYSTEM]
    for found in scores.qualities:
        names = (f"{found.quality}: graded", f"{found.quality}: of")
        columns += [Column(found.quality, Kind.NUMBER), *(Column(name, Kind.NUMBER, spare=1) for name in names)]
    cells = tuple((row.name, *(cell for own in row.scores for cell in _quality_cells(own))) for row in rows)
    told = [*quality_sentences(scores), *ungraded_sentences(scores)] if rows else []
    return Table("Further qualities of open answers", tuple(columns), cells), told


def _quality_cells(found: QualityScore | None) -> tuple[Cell, ...]:
    return (found.mean_score, found.graded, found.asked) if found else (None, None, None)


_OF_RETRIEVERS = (
    _SYSTEM,
    *(Column(name, Kind.NUMBER, spare=n % 3) for n, name in enumerate(("recall@1", "recall@5", "nDCG@5", "MRR"))),
    Column("failed", Kind.NUMBER, spare=1),
    *(Column(name, Kind.SECONDS, spare=4) for name in ("first answer", "p50", "p95")),
)


def _retrievers(scores: Scores) -> tuple[Table, list[str]]:
    cells = tuple(_retriever_cells(row) for row in scores.retrievers)
    told = list(retriever_sentences(scores)) if cells else []
    return Table("Retrievers by themselves", _OF_RETRIEVERS, cells), told


def _retriever_cells(row: RetrieverScore) -> tuple[Cell, ...]:
    found = row.retrieval
    figures = (found.recall_at.get(1), found.recall_at.get(5), found.ndcg, found.mrr) if found else (None,) * 4
    return (row.examinee.name, *figures, sum(row.failures.values()), *usage_cells(row.usage)[2:])
