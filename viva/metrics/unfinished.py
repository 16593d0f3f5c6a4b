"""Sittings that are not finished: whom the exam has still to be put to, and what that leaves to say of questions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set

import numpy as np

from viva.core.notes import Note, NoteCode
from viva.core.records import Exam, Examinee, Response
from viva.metrics.irt.model.responses import response_notes
from viva.metrics.panel import Panel

_OF_ITEMS = {NoteCode.ITEMS_ALL_RIGHT, NoteCode.ITEMS_NONE_RIGHT}


def unfinished(exam: Exam, examinees: Sequence[Examinee], given: Sequence[Response]) -> dict[str, frozenset[str]]:
    """Find the questions still to be asked, by id of each system that was asked some of the exam.

    A failure is an answer here. Of a system that was asked no open question these are not looked at, as they have a
    note of their own; nor is a system that viva added, which is asked what serves.
    """
    asked: dict[str, set[str]] = {each.id: set() for each in examinees if not each.manufactured}
    for response in given:
        if response.examinee_id in asked:
            asked[response.examinee_id].add(response.item_id)
    every = {shown.item.id for shown in exam.items}
    open_ids = {shown.item.id for shown in exam.items if shown.item.is_open}
    left = {i: every - own - (set() if own & open_ids else open_ids) for i, own in asked.items() if own}
    return {i: frozenset(items) for i, items in left.items() if items}


def unfinished_notes(exam: Exam, left: Mapping[str, Collection[str]], given: Sequence[Response]) -> Iterator[Note]:
    """Note how many questions systems were asked; one note for all that were asked as many."""
    by_count: dict[int, list[str]] = {}
    for examinee_id in left:
        count = len({each.item_id for each in given if each.examinee_id == examinee_id})
        by_count.setdefault(count, []).append(examinee_id)
    for count, who in sorted(by_count.items()):
        yield Note(code=NoteCode.SITTING_UNFINISHED, examinees=tuple(sorted(who)), count=count, of=len(exam.items))


def fit_notes(panel: Panel, left: Set[str]) -> tuple[Note, ...]:
    """The notes of the fit; what all have right or wrong is counted over the questions not `left`."""
    if not left:
        return panel.fit.notes
    reached = np.array([shown.item.id not in left for shown in panel.exam.items])
    of_all = response_notes(panel.fit.responses[:, reached], tuple(each.id for each in panel.examinees))
    again = {note.code: note.model_copy(update={"of": len(reached)}) for note in of_all}
    kept = (again.get(note.code) if note.code in _OF_ITEMS else note for note in panel.fit.notes)
    return tuple(note for note in kept if note is not None)
