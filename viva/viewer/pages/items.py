"""The exam's questions, each with evidence, answers and decisions; and all knowledge units with their fates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.records import ExamItem, GradeResult, ItemParameters, Response
from viva.core.scores import ItemScore
from viva.core.wording import option_letter
from viva.exams.review import ReviewProgress, in_force
from viva.graphs.grading.grade_open import judged
from viva.reports.sections.items import in_context
from viva.viewer.loaded_run import FATES, LoadedRun, RecordedRun
from viva.viewer.pages.systems import further_told, verdict_of
from viva.viewer.query import NotFound, Query, Slice, options_of

_AROUND = 350
"""Characters of the document before and behind the evidence."""
_SORTS = ("order", "difficulty", "discrimination", "proportion right", "doubts")
_DECIDED = ("undecided", "accepted", "rejected", "edited")
_FAR = 9.9
"""Where a statistic is not known, in sorting."""


@dataclass(frozen=True)
class ItemRow:
    """A question in the list."""

    number: int
    shown: ExamItem
    decided: str
    score: ItemScore | None
    set_aside: str

    @property
    def parameters(self) -> ItemParameters | None:
        """Of the response model; None where it was not fitted."""
        return self.score.parameters if self.score else None


@dataclass(frozen=True)
class Answered:
    """What one system said to a question."""

    name: str
    examinee_id: str
    verdict: str
    """right, wrong, or why it has no grade"""
    letter: str
    text: str
    further: str
    """what it was graded for besides correctness"""


def rows_of(state: RecordedRun) -> list[ItemRow]:
    """All questions in the exam's order, as people left them."""
    scores = state.item_scores()
    aside = state.set_aside()
    asked = [shown.item.id for shown in state.exam.items] if state.exam else []
    return [
        ItemRow(n + 1, each.shown, decided(each), scores.get(asked[n]), aside.get(asked[n], ""))
        for n, each in enumerate(state.standing)
    ]


def decided(standing: ReviewProgress) -> str:
    """What people's decisions come to."""
    if standing.settled:
        return f"{standing.settled}ed"
    return "edited" if standing.is_edited else "undecided"


def items_page(state: RecordedRun, query: Query) -> dict[str, Any]:
    """The questions that fit, sorted, a page of them."""
    sort = query.one_of("sort", _SORTS) or "order"
    wanted = {name: query.value(name) for name in ("kind", "topic")}
    decision = query.one_of("decided", _DECIDED)
    searched = query.text("q").casefold()
    everything = rows_of(state)
    rows = [
        row
        for row in everything
        if (not wanted["kind"] or row.shown.item.kind.value == wanted["kind"])
        and (not wanted["topic"] or row.shown.item.topic == wanted["topic"])
        and (not decision or row.decided == decision)
        and (not searched or searched in " ".join([row.shown.item.asked, *row.shown.options]).casefold())
    ]
    rows.sort(key=lambda row: (_sorted_by(row, sort), row.number))
    return {
        "slice": Slice.of(rows, query.page),
        "sorts": _SORTS,
        "sort": sort,
        "decided": decision,
        "decisions": options_of([row.decided for row in everything]),
        "kinds": options_of([row.shown.item.kind.value for row in everything]),
        "topics": options_of([row.shown.item.topic for row in everything]),
        "wanted": wanted,
        "searched": query.text("q"),
        "first_undecided": next((row for row in everything if row.decided in {"undecided", "edited"}), None),
    }


def _sorted_by(row: ItemRow, sort: str) -> float:
    known = row.parameters
    match sort:
        case "difficulty":
            return -known.difficulty if known else _FAR
        case "discrimination":
            return known.discrimination if known else _FAR
        case "proportion right":
            share = row.score.proportion_correct if row.score else None
            return _FAR if share is None else share
        case "doubts":
            return -row.shown.item.doubts
    return row.number


def item_page(run: LoadedRun, state: RecordedRun, item_id: str, by: str) -> dict[str, Any]:
    """One question with all that is known of it, for a person. NotFound where the exam has none of that id."""
    rows = rows_of(state)
    row = row_of(rows, state, item_id)
    asked = state.exam.items[row.number - 1] if state.exam else row.shown
    responses = run.context.store.responses_to([asked])
    names = {examinee.id: examinee.name for examinee in state.examinees}
    grades = judged(run.context.store, responses)
    further = further_told(run.context.store, responses)
    answers = sorted(
        (_answered(asked, each, names, grades, further.get(each.id, "")) for each in responses),
        key=lambda each: each.name,
    )
    undecided = [other for other in rows if other.decided in {"undecided", "edited"} and other.number != row.number]
    ahead = [other for other in undecided if other.number > row.number] or undecided
    return {
        "row": row,
        "item": row.shown.item,
        "options": [
            (option_letter(n), text, n == row.shown.key_position) for n, text in enumerate(row.shown.options)
        ],
        "counts": row.score.option_counts if row.score else (),
        "evidence": [
            in_context(span, state.documents.get(span.document_id), _AROUND) for span in row.shown.item.evidence
        ],
        "answers": answers,
        "flags": state.item_flags(asked.item.id),
        "curve": curve(row.parameters) if row.parameters else None,
        "reviews": state.standing[row.number - 1].reviews,
        "seen": state.standing[row.number - 1].seen,
        "before": rows[row.number - 2] if row.number > 1 else None,
        "after": rows[row.number] if row.number < len(rows) else None,
        "last": last_decision(run, state, rows, by),
        "next_undecided": ahead[0] if ahead else None,
        "undecided": len(undecided),
    }


@dataclass(frozen=True)
class LastDecision:
    """The decision that a person made last, on whichever question."""

    row: ItemRow
    decision: str
    seen: str


def last_decision(run: LoadedRun, state: RecordedRun, rows: Sequence[ItemRow], by: str) -> LastDecision | None:
    """What `u` takes back; None where it is part of the exam already, or somebody has decided after it."""
    own = [each for each in in_force(run.reviews.read()) if each.by == by]
    if not own or state.exam is None:
        return None
    last = own[-1].review
    for row, progress, shown in zip(rows, state.standing, state.exam.items, strict=True):
        if progress.reviews[-1:] == (last,) and last not in shown.item.provenance.reviews:
            return LastDecision(row, last.decision, progress.seen)
    return None


def row_of(rows: Sequence[ItemRow], state: RecordedRun, item_id: str) -> ItemRow:
    """The question with this id, of today or of before it was edited. NotFound where there is none."""
    before = [shown.item.id for shown in state.exam.items] if state.exam else []
    for row in rows:
        if item_id in (row.shown.item.id, before[row.number - 1]):
            return row
    raise NotFound("The latest exam has no such question.", next_step="Its questions stand on the page Questions.")


def _answered(
    asked: ExamItem, response: Response, names: Mapping[str, str], grades: Mapping[str, GradeResult], further: str
) -> Answered:
    verdict, why = verdict_of(asked, response, grades)
    letter = "" if response.choice is None else option_letter(response.choice)
    name = names.get(response.examinee_id, "?")
    return Answered(name, response.examinee_id, why or verdict, letter, response.text, further)


def curve(parameters: ItemParameters) -> str:
    """Points of the item characteristic curve, for an SVG polyline of 200 by 100 over abilities from -4 to 4."""
    points = []
    for n in range(41):
        ability = -4 + n / 5
        logit = parameters.discrimination * (ability - parameters.difficulty)
        share = parameters.guessing + (1 - parameters.guessing) / (1 + math.exp(-max(-60.0, min(60.0, logit))))
        points.append(f"{5 * n},{100 - 100 * share:.1f}")
    return " ".join(points)


_FILTERS = ("fate", "code", "critic", "kind", "topic", "path")


def units_page(state: RecordedRun, query: Query) -> dict[str, Any]:
    """The units that fit, a page of them; beside each filter how many fit it and the others."""
    query.one_of("fate", FATES)
    wanted = {name: query.value(name) for name in _FILTERS}
    searched = query.text("q").casefold()
    fitting = [row for row in state.units if not searched or row.holds(searched)]

    def fits(row: object, but: str = "") -> bool:
        return all(name == but or not value or getattr(row, name) == value for name, value in wanted.items())

    choices = {name: options_of([getattr(row, name) for row in fitting if fits(row, name)]) for name in _FILTERS}
    return {
        "slice": Slice.of([row for row in fitting if fits(row)], query.page),
        "choices": choices,
        "wanted": wanted,
        "searched": query.text("q"),
    }
