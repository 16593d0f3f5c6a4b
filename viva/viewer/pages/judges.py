"""Open answers: what the judge said, what people said, where the two differ; and the next answer to label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from viva.core.errors import UsageError
from viva.core.records import Examinee, Grade
from viva.core.records.labels import Label, standing
from viva.graphs import stages
from viva.graphs.grading.grade_open import judged, reference_of
from viva.graphs.grading.labels import Drawn, answers_to_label, in_draw_order, labelled_by, left_to_draw
from viva.viewer.loaded_run import LoadedRun, RecordedRun
from viva.viewer.query import NotFound, Query, Slice

_APART = 0.5
"""Scores of judge and people that differ by more say opposite things."""


@dataclass(frozen=True)
class JudgedAnswer:
    """An answer with what judge and people make of it."""

    drawn: Drawn
    reference: str
    system: str
    judge: float | None
    why: str
    people: tuple[tuple[str, float], ...]

    @property
    def apart(self) -> bool:
        """Whether the judge and some person say opposite things."""
        return self.judge is not None and any(abs(self.judge - said) > _APART for _, said in self.people)


def draw(run: LoadedRun, state: RecordedRun) -> list[Drawn]:
    """The open answers in the order in which they are labelled; none where nothing was asked openly or answered."""
    if state.exam is None:
        return []
    asked_for = [each for each in stages.as_asked_for(run.context.store) if not each.manufactured]
    try:
        answers = answers_to_label(run.context.store, state.exam, asked_for)
    except UsageError:
        return []
    return in_draw_order(answers, seed_of(state), per_system=False)


def seed_of(state: RecordedRun) -> int:
    """Of the random draw: the run's."""
    return int(state.run.settings.get("seed") or 0)


def judges_page(run: LoadedRun, state: RecordedRun, query: Query, by: str) -> dict[str, Any]:
    """The judge with its figures, the labels, the answers on which it and people differ."""
    only = query.one_of("show", ("labelled", "apart"))
    drawn = draw(run, state)
    held = standing(run.context.store.labels())
    names = {each.id: each for each in state.examinees}
    grades = judged(run.context.store, [each.response for each in drawn])
    rows = [_row(each, names, grades, held) for each in drawn]
    shown = [row for row in rows if not only or (row.apart if only == "apart" else row.people)]
    return {
        "judge": state.scores.judge if state.scores else None,
        "people": state.scores.people if state.scores else None,
        "answers": len(rows),
        "labelled": sum(bool(row.people) for row in rows),
        "apart": sum(row.apart for row in rows),
        "mine": sum(any(person == by for person, _ in row.people) for row in rows),
        "show": only,
        "slice": Slice.of(shown, query.page, 25),
    }


def _row(each: Drawn, names: dict[str, Examinee], grades: Any, held: dict[tuple[str, str], Label]) -> JudgedAnswer:
    found = grades.get(each.response.id)
    said = tuple(
        (person, label.score)
        for (response_id, person), label in held.items()
        if response_id == each.response.id and label.score is not None
    )
    score = found.score if isinstance(found, Grade) else None
    why = getattr(found, "reason", "") or ""
    name = names[each.response.examinee_id].name if each.response.examinee_id in names else "?"
    return JudgedAnswer(each, reference_of(each.shown.item), name, score, why, said)


def label_page(run: LoadedRun, state: RecordedRun, response_id: str, by: str, last: str = "") -> dict[str, Any]:
    """One answer to be labelled, the next of the draw where none is named. Whose it is is not told.

    `last`: the answer that was labelled before it, to go back to.
    """
    drawn = draw(run, state)
    if not drawn:
        raise NotFound(
            "There is no open answer to label in this run.",
            next_step="Ask some questions openly: viva write RUN --open 0.3, then viva sit RUN",
        )
    mine = labelled_by(run.context.store, by)
    open_ = [each for each in drawn if left_to_draw(mine.get(each.response.id))]
    given = [mine[each.response.id] for each in drawn if each.response.id in mine]
    named = next((each for each in drawn if each.response.id == response_id), None)
    if response_id and named is None:
        raise NotFound(
            "This run has no such open answer.", next_step="Label the next one: the page Judges leads there."
        )
    each = named or (open_[0] if open_ else None)
    label = mine.get(each.response.id) if each else None
    return {
        "each": each,
        "reference": reference_of(each.shown.item) if each else "",
        "label": label,
        "seen": seen(label),
        "drawn": named is None,
        "last": last if any(one.response_id == last for one in given) else "",
        "labelled": sum(one.score is not None and not left_to_draw(one) for one in given),
        "answers": len(drawn),
        "left": len(open_),
    }


def seen(label: Label | None) -> str:
    """What a form remembers of a person's label, so that a later one is not overwritten."""
    return "none" if label is None else f"{label.at} {label.score}"
