"""Which open answers people label, in which order, and what their labels say of the scores.

The order is a random one: each answer stands where a hash of the seed and its id puts it. So whatever is labelled
from the beginning on is a random draw, of all answers and of each system's, also when further systems sit later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Exam, Examinee, ExamItem, Response
from viva.core.records.labels import Label, standing
from viva.core.scores_open import PeopleFindings
from viva.graphs.grading.grade_open import judged, open_answers
from viva.metrics.judges.labelled_systems import LEAST
from viva.metrics.judges.people import people_findings
from viva.storage.runs import RunStore


@dataclass(frozen=True)
class Drawn:
    """An answer to be labelled. Whose it is is not for the person who labels it."""

    shown: ExamItem
    response: Response


def answers_to_label(store: RunStore, exam: Exam, examinees: Sequence[Examinee]) -> list[Drawn]:
    """The open answers of these examinees to this exam. UsageError where there is none."""
    put_openly = [shown for shown in exam.items if shown.item.is_open]
    if not put_openly:
        raise UsageError(
            "This exam has no open questions: there is nothing that people would have to judge.",
            next_step="Ask a share of them openly: viva write RUN --open 0.3, then viva sit RUN",
        )
    ids = {each.id for each in examinees}
    answers = open_answers(exam, store.responses_to(put_openly))
    found = [Drawn(shown, response) for shown, response in answers if response.examinee_id in ids]
    if not found:
        raise UsageError("Nobody has answered an open question of this exam yet.", next_step="Let them: viva sit RUN")
    return found


def in_draw_order(answers: Sequence[Drawn], seed: int, *, per_system: bool) -> list[Drawn]:
    """The answers in the random order of this seed; `per_system`: systems take turns, each in its random order."""
    ordered = sorted(answers, key=lambda each: content_hash("label", seed, each.response.id))
    if not per_system:
        return ordered
    turn: dict[str, int] = {}
    place = {}
    for each in ordered:
        turn[each.response.examinee_id] = turn.get(each.response.examinee_id, -1) + 1
        place[each.response.id] = turn[each.response.examinee_id]
    return sorted(ordered, key=lambda each: place[each.response.id])


def systems_with_figure(drawn: Sequence[Drawn], given: Mapping[str, Mapping[str, float]]) -> tuple[int, int]:
    """Of how many systems the labels `given` (by response and person) are enough for a figure, and of how many."""
    labelled = dict.fromkeys((each.response.examinee_id for each in drawn), 0)
    for each in drawn:
        labelled[each.response.examinee_id] += bool(given.get(each.response.id))
    return sum(count >= LEAST for count in labelled.values()), len(labelled)


def left_to_draw(label: Label | None) -> bool:
    """Whether the draw still brings an answer with this label up: passing over those picked by hand would bias it."""
    return label is None or label.seed is None


def labelled_by(store: RunStore, person: str) -> dict[str, Label]:
    """By response id, this person's last word."""
    return {label.response_id: label for (_, by), label in standing(store.labels()).items() if by == person}


def findings_of(store: RunStore, exam: Exam, examinees: Sequence[Examinee], *, seed: int) -> PeopleFindings | None:
    """What the labels of the run say of these examinees; None where none is of their answers to this exam."""
    labels = store.labels()
    if not labels:
        return None
    ids = {each.id for each in examinees}
    given = [r for _, r in open_answers(exam, store.responses_to(exam.items)) if r.examinee_id in ids]
    return people_findings([each.id for each in examinees], given, judged(store, given), labels, seed=seed)
