"""The headline names a cause only where it can be told from chance, and says of a stand-in what it is worth."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from specs_by_hand import examinee

from viva.core.estimates import Estimate
from viva.core.scores_diagnosis import Blame, Diagnosis, EvidenceCounts, WrongAnswer
from viva.metrics.diagnosis import LEAST_DECIDED, blame_rows
from viva.reports.sections.diagnosis_words import headline

SURE = Estimate(value=0.9, low=0.8, high=0.97)
POOR = Estimate(value=0.33, low=0.13, high=0.53)


def diagnosis(
    counts: Mapping[Blame, int], *, own_reader: bool = True, agreement: Estimate | None = None
) -> Diagnosis:
    blames = [blame for blame, count in counts.items() for _ in range(count)]
    answers = tuple(
        WrongAnswer(
            item_id=f"i{n}",
            document_id=f"d{n}",
            choice=0,
            evidence=EvidenceCounts(held=blame is not Blame.RETRIEVAL, share=0.0),
            blame=blame,
            why="because",
        )
        for n, blame in enumerate(blames)
    )
    return Diagnosis(
        examinee=examinee("mine"),
        exam_id="e",
        reader="mine" if own_reader else "the lexical reference reader",
        own_reader=own_reader,
        agreement=agreement,
        graded=60,
        failures=0,
        wrong=len(answers),
        diagnosed=len(answers),
        beyond=0,
        rows=blame_rows(answers, 0),
        conditions=(),
        undecided={},
        asked_again=0,
        changed=0,
        modes={},
        by_luck=0.25,
        notes=(),
        answers=answers,
    )


@pytest.mark.parametrize("count", [1, LEAST_DECIDED - 1])
def test_below_the_least_number_no_cause_is_named_and_the_interval_stands(count: int) -> None:
    said = headline(diagnosis({Blame.RETRIEVAL: count}))
    assert said.startswith(f"Too few to say what is to blame: {count} of {count} wrong answer")
    assert f"at least {LEAST_DECIDED} are wanted" in said
    assert f"retrieval {count} of {count} (100%, 95% interval" in said
    assert "most often" not in said


def test_undecided_answers_do_not_count_towards_the_least_number() -> None:
    assert headline(diagnosis({Blame.UNDECIDED: 30, Blame.READING: 2})).startswith("Too few to say")
    assert headline(diagnosis({Blame.UNDECIDED: 30})).startswith("None of 30 wrong answers")


def test_a_cause_that_is_ahead_by_more_than_chance_is_named_with_its_interval() -> None:
    said = headline(diagnosis({Blame.RETRIEVAL: 15, Blame.UNDECIDED: 3}))
    assert said.startswith("Retrieval is to blame most often: 15 of 18 (83%, 95% interval")


def test_a_cause_that_is_level_with_the_next_is_not_named_first() -> None:
    said = headline(diagnosis({Blame.RETRIEVAL: 6, Blame.READING: 5, Blame.UNDECIDED: 3}))
    assert said.startswith("No one cause stands out: retrieval 6 of 14 (43%, 95% interval")
    assert "reading 5 of 14 (36%" in said


def test_a_stand_in_that_answers_otherwise_names_no_cause_and_what_was_measured_stands() -> None:
    said = headline(diagnosis({Blame.RETRIEVAL: 15, Blame.READING: 3}, own_reader=False, agreement=POOR))
    assert "lexical reference reader, which read in its place" in said
    assert "33%, 95% interval 13–53%; 60% are wanted" in said
    assert "to blame most often" not in said
    assert "the evidence was not among its passages in 15 of 18 wrong answers (83%, 95% interval" in said


def test_a_stand_in_that_answers_as_the_system_does_is_believed() -> None:
    said = headline(diagnosis({Blame.RETRIEVAL: 15}, own_reader=False, agreement=SURE))
    assert said.startswith("Retrieval is to blame most often: 15 of 15")
