"""The rules of blame, each on the case that it is for; shares whose intervals are never too sure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viva.core.records import Passage, Span
from viva.core.scores_diagnosis import Blame, Condition, EvidenceCounts, WrongAnswer
from viva.metrics.diagnosis import (
    BY_CHANCE,
    FAILED,
    NEITHER,
    NO_EVIDENCE,
    READS_NOW,
    STAND_IN_FAILS,
    STAND_IN_LUCKY,
    UNKNOWN_PASSAGES,
    DiagnosisCase,
    blame_rows,
    blamed,
    condition_rows,
    evidence_among,
    only_evidence,
    share_of,
    undecided_reasons,
)

CLOSED, OWN, ORACLE, MIXED = Condition
THERE, AWAY = EvidenceCounts(held=True, share=1.0, rank=2), EvidenceCounts(held=False, share=0.0)
NOTHING_HELPS = dict.fromkeys(Condition, False)
ORACLE_HELPS = {**NOTHING_HELPS, ORACLE: True, MIXED: True}
LOST, FOUND = DiagnosisCase(AWAY, ORACLE_HELPS, own_reader=True), DiagnosisCase(THERE, ORACLE_HELPS, own_reader=True)


@pytest.mark.parametrize(
    ("case", "blame"),
    [
        (LOST, Blame.RETRIEVAL),
        (replace(LOST, known=True), Blame.KNOWLEDGE),
        (replace(LOST, known=True, own_reader=False), Blame.RETRIEVAL),
        (FOUND, Blame.DISTRACTION),
        (replace(FOUND, right={**ORACLE_HELPS, MIXED: False}), Blame.DISTRACTION),
        (replace(FOUND, only_evidence=True), Blame.READING),
        (replace(FOUND, right=NOTHING_HELPS), Blame.READING),
        (replace(FOUND, right={**ORACLE_HELPS, OWN: True}, own_reader=False), Blame.READING),
        (replace(FOUND, right=NOTHING_HELPS, others=(0, 2)), Blame.ITEM),
        (replace(LOST, right=NOTHING_HELPS, flags=("wrong key",)), Blame.ITEM),
        # what is known without passages is known with the evidence too: then the passages drowned it
        (replace(FOUND, known=True), Blame.DISTRACTION),
    ],
)
def test_each_fault_is_blamed_on_what_changes_the_answer(case: DiagnosisCase, blame: Blame) -> None:
    assert blamed(case)[0] is blame


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (replace(LOST, right=NOTHING_HELPS), NEITHER),
        (replace(LOST, has_evidence=False), NO_EVIDENCE),
        (replace(LOST, changed=True), BY_CHANCE),
        (replace(LOST, evidence=None), UNKNOWN_PASSAGES),
        (replace(LOST, right={CLOSED: False, OWN: False}), FAILED),
        (replace(FOUND, right={CLOSED: False, ORACLE: True}), FAILED),
        (replace(FOUND, right={**ORACLE_HELPS, OWN: True}), READS_NOW),
        (replace(LOST, right={**ORACLE_HELPS, OWN: True}, own_reader=False), STAND_IN_LUCKY),
        (replace(FOUND, right=NOTHING_HELPS, own_reader=False), STAND_IN_FAILS),
    ],
)
def test_what_the_interventions_do_not_settle_is_undecided_with_the_reason(case: DiagnosisCase, reason: str) -> None:
    assert blamed(case) == (Blame.UNDECIDED, reason)


@pytest.mark.parametrize(
    "case",
    [
        # one witness alone, a witness who is right, a suspicion that the oracle passage refutes, another suspicion
        replace(FOUND, right=NOTHING_HELPS, others=(0, 1)),
        replace(FOUND, right=NOTHING_HELPS, others=(1, 5)),
        replace(FOUND, flags=("wrong key",), others=(0, 9)),
        replace(FOUND, right=NOTHING_HELPS, flags=("misfit", "leaked")),
    ],
)
def test_a_question_is_not_blamed_lightly(case: DiagnosisCase) -> None:
    assert blamed(case)[0] is not Blame.ITEM


def span(text: str, document: str = "d", start: int = 0) -> Span:
    return Span(document_id=document, start=start, end=start + len(text), quote=text)


def test_evidence_in_two_places_is_there_only_if_both_are() -> None:
    first, second = span("The tank holds 30 litres."), span("The lamp is green.", start=100)
    passages = [Passage(text="Nothing."), Passage(text="The tank holds 30 litres.")]
    both = [*passages, Passage(text="The lamp is green.")]
    assert evidence_among(passages, [first, second]) == EvidenceCounts(held=False, share=0.0, rank=2)
    assert evidence_among(both, [first, second]) == EvidenceCounts(held=True, share=1.0, rank=2)
    assert evidence_among([], [first]) is None
    assert evidence_among(both, []) is None


def test_passages_are_only_evidence_if_each_holds_some() -> None:
    evidence = [span("The tank holds 30 litres.")]
    assert only_evidence([Passage(text="The tank holds 30 litres.")], evidence)
    assert not only_evidence([Passage(text="The tank holds 30 litres."), Passage(text="Nothing.")], evidence)


def answer(number: int, blame: Blame, document: str = "", **more: object) -> WrongAnswer:
    values = {"choice": 1, "why": "because", **more}
    return WrongAnswer(item_id=f"i{number}", document_id=document or f"d{number}", blame=blame, **values)  # type: ignore[arg-type]


def test_blames_add_up_to_all_answers() -> None:
    answers = [answer(n, list(Blame)[n % len(Blame)]) for n in range(20)]
    rows = blame_rows(answers, seed=0)
    assert [row.blame for row in rows] == list(Blame)
    assert sum(row.answers for row in rows) == 20
    assert sum(row.share.value for row in rows if row.share) == pytest.approx(1)


def test_no_share_is_sure_only_because_all_agree() -> None:
    found = share_of([1.0] * 6, [f"d{n}" for n in range(6)], seed=0)
    assert found is not None
    assert found.value == found.high == 1.0
    assert found.low < 0.7


def test_answers_of_one_document_make_an_interval_wider() -> None:
    hits = [1.0] * 10 + [0.0] * 10
    apart = share_of(hits, [f"d{n}" for n in range(20)], seed=0)
    together = share_of(hits, ["a"] * 10 + ["b"] * 10, seed=0)
    assert apart is not None
    assert together is not None
    assert together.high - together.low > apart.high - apart.low


def test_nothing_diagnosed_has_no_share() -> None:
    assert share_of([], [], seed=0) is None
    assert all(row.share is None and row.answers == 0 for row in blame_rows([], seed=0))
    assert condition_rows([], seed=0) == ()


def test_failures_of_a_condition_stand_beside_its_right_answers() -> None:
    answers = [
        answer(1, Blame.RETRIEVAL, right={ORACLE: True}),
        answer(2, Blame.UNDECIDED, failed={ORACLE: "raised"}),
    ]
    (row,) = condition_rows(answers, seed=0)
    assert (row.condition, row.asked, row.right, row.failed) == (ORACLE, 2, 1, 1)
    assert row.share is not None
    assert row.share.value == 1.0


def test_reasons_are_counted_most_frequent_first() -> None:
    answers = [answer(n, Blame.UNDECIDED, why="rare" if n == 0 else "often") for n in range(3)]
    assert list(undecided_reasons([*answers, answer(9, Blame.ITEM)]).items()) == [("often", 2), ("rare", 1)]
