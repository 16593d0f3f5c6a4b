"""Questions of the plain tier that the answers speak against are set aside, and nobody's own answers decide it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from by_hand import item, response, shown

from viva.core.notes import Note, NoteCode
from viva.core.records import CLOSING_PHRASE, Exam, Examinee, ExamItem, Passage, Response
from viva.metrics.exam import grade
from viva.metrics.score import score_exam
from viva.metrics.vetting import GUESSED, MISREAD, set_aside

EXAM = Exam(
    id="plain", items=tuple(shown(item(n, pattern=CLOSING_PHRASE if n < 20 else "value"), n % 4) for n in range(24))
)
FIRST, LAST = EXAM.items[0], EXAM.items[-1]
"""Of the plain and of the sure tier."""


def system(reader: str, n: int, retriever: str = "bm25") -> Examinee:
    name = f"{retriever}+{reader}+{n}"
    return Examinee(id=name, name=name, spec=name, components={"retriever": retriever, "reader": reader})


EIGHT = [system(reader, n) for reader in ("lexical", "embedding") for n in range(4)]
BLIND = [system(reader, n, "closed-book") for reader in ("lexical", "embedding") for n in range(3)]


def answers(who: Examinee, wrong: Collection[ExamItem] = (), *, read: str = "") -> list[Response]:
    """All questions answered, right but for these; `read`: the passage shown instead of the evidence."""
    found = []
    for each in EXAM.items:
        (span,) = each.item.evidence
        passage = (
            Passage(text=read) if read else Passage(text=span.quote, document_id=span.document_id, start=span.start)
        )
        shows = () if who.components["retriever"] == "closed-book" else (passage,)
        key = each.key_position
        found.append(response(who.id, each, (key + 1) % 4 if each in wrong else key, passages=shows))
    return found


def aside(examinees: Sequence[Examinee], responses: Sequence[Response]) -> list[tuple[str, str]]:
    shown_of = {each.item.id: each for each in EXAM.items}
    grades = [grade(shown_of[each.item_id], each, {}) for each in responses]
    return [(each.item_id, each.reason) for each in set_aside(EXAM, examinees, responses, grades)]


def together(*answered: list[Response]) -> list[Response]:
    return [each for some in answered for each in some]


def test_what_able_readers_miss_with_its_evidence_before_them_is_set_aside() -> None:
    assert aside(EIGHT, together(*(answers(who, [FIRST]) for who in EIGHT))) == [(FIRST.item.id, MISREAD)]


def test_a_question_of_the_sure_tier_stays() -> None:
    assert aside(EIGHT, together(*(answers(who, [LAST]) for who in EIGHT))) == []


def test_what_one_reader_alone_misses_stays() -> None:
    missed = (answers(who, [FIRST] if who.components["reader"] == "lexical" else []) for who in EIGHT)
    assert aside(EIGHT, together(*missed)) == []


def test_who_did_not_have_the_evidence_is_not_heard() -> None:
    assert aside(EIGHT, together(*(answers(who, [FIRST], read="Ferries sail at noon.") for who in EIGHT))) == []


def test_who_cannot_read_is_not_heard() -> None:
    assert aside(EIGHT, together(*(answers(who, EXAM.items) for who in EIGHT))) == []


@pytest.mark.parametrize(("right", "expected"), [(0, [(FIRST.item.id, MISREAD)]), (1, []), (2, [])])
def test_no_answer_of_one_system_decides(right: int, expected: list[tuple[str, str]]) -> None:
    few = [EIGHT[n] for n in (0, 1, 2, 3, 4, 5, 6, 7)]
    some = [answers(who, [] if n < right else [FIRST]) for n, who in enumerate(few)]
    assert aside(few, together(*some)) == expected


def test_what_is_right_without_reading_beyond_chance_is_set_aside() -> None:
    others = [each for each in EXAM.items if each is not FIRST]
    assert aside(BLIND, together(*(answers(who, others) for who in BLIND))) == [(FIRST.item.id, GUESSED)]


def test_two_that_read_nothing_may_both_be_lucky() -> None:
    two, others = [BLIND[0], BLIND[3]], [each for each in EXAM.items if each is not FIRST]
    assert aside(two, together(*(answers(who, others) for who in two))) == []


def test_no_figure_counts_what_was_set_aside_and_a_note_says_so() -> None:
    scores = score_exam(EXAM, EIGHT, together(*(answers(who, [FIRST]) for who in EIGHT)), seed=0)
    assert [each.item_id for each in scores.set_aside] == [FIRST.item.id]
    assert {(row.asked, row.correct) for row in scores.examinees} == {(23, 23)}
    assert FIRST.item.id not in {each.item_id for each in scores.items}
    assert scores.exam_id == EXAM.id
    assert Note(code=NoteCode.SET_ASIDE, count=1, reason=MISREAD) in scores.notes
