"""Where questions are known without documents, accuracy stands with them and without."""

from __future__ import annotations

from io import StringIO

import pytest
from by_hand import exam, response
from rich.console import Console

from viva.api.leaderboard import leaderboard
from viva.core.records import Exam, Examinee
from viva.core.scores import Scores
from viva.metrics.score import score_exam

CLOSED, OPEN = (
    Examinee(id=name, name=name, spec=name, components={"retriever": retriever, "reader": "lexical"})
    for name, retriever in (("closed-book+lexical", "closed-book"), ("mine", "bm25"))
)


def scored(known: int) -> Scores:
    """Of twenty questions the first are known; the closed book is right on six, mine on sixteen."""
    plain = exam(20)
    marked = [
        s.model_copy(update={"item": s.item.model_copy(update={"known": n < known})})
        for n, s in enumerate(plain.items)
    ]
    made = Exam.of(marked)
    said = [
        response(who.id, shown, shown.key_position if n < right else (shown.key_position + 1) % 4)
        for who, right in ((CLOSED, 6), (OPEN, 16))
        for n, shown in enumerate(made.items)
    ]
    return score_exam(made, [CLOSED, OPEN], said, seed=0)


def told(scores: Scores) -> str:
    out = StringIO()
    leaderboard(scores).print(Console(file=out, width=200, soft_wrap=True))
    return out.getvalue()


def test_accuracy_without_the_known_questions_stands_beside_that_of_all() -> None:
    found = scored(known=5)
    assert found.known == 5
    mine, closed = found.examinees
    assert mine.accuracy is not None
    assert mine.accuracy.value == pytest.approx(16 / 20)
    assert mine.accuracy_not_known is not None
    assert mine.accuracy_not_known.value == pytest.approx(11 / 15)
    assert closed.accuracy_not_known is not None
    assert closed.accuracy_not_known.value == pytest.approx(1 / 15)
    said = told(found)
    assert "without known (95%)" in said
    assert "5 of 20 questions are known without documents" in said
    (row,) = [line for line in said.splitlines() if "closed-book+lexical" in line]
    assert "30% (" in row
    assert "7% (" in row


def test_of_an_exam_of_known_questions_alone_nothing_is_left() -> None:
    found = scored(known=20)
    assert [row.accuracy_not_known for row in found.examinees] == [None, None]
    assert "20 of 20 questions are known" in told(found)


def test_an_exam_without_such_questions_says_nothing_of_them() -> None:
    found = scored(known=0)
    assert (found.known, {row.accuracy_not_known for row in found.examinees}) == (0, {None})
    assert "known" not in told(found)
    assert Scores.model_validate_json(found.model_dump_json(exclude={"known"})) == found
