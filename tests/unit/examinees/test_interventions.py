"""Passages exchanged: distractors never answer, a shuffle is the same everywhere, the evidence is the oracle's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pump_run import pump_desk, pump_exam, question

from viva.core.records import Passage
from viva.examinees.interventions import CONTEXTS, DISTRACTORS, Context, Interventions
from viva.graphs.context import Desk
from viva.metrics.retrieval import evidence_recall_at

OWN = tuple(Passage(text=f"passage {n}") for n in range(6))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    found = pump_desk(tmp_path_factory.mktemp("run"), "drowns")
    yield found
    found.close()


def handed(desk: Desk, seed: int = 0, own: tuple[Passage, ...] = OWN) -> Interventions:
    exam = pump_exam()
    return Interventions(desk.index, {shown.item.id: own for shown in exam.items}, exam.items, seed)


@pytest.mark.parametrize("number", range(1, 9))
def test_a_distractor_holds_neither_the_evidence_nor_the_key(desk: Desk, number: int) -> None:
    shown = question(number)
    found = handed(desk).distractors(shown, OWN)
    assert len(found) == DISTRACTORS
    assert len({passage.text for passage in found}) == DISTRACTORS
    for passage in found:
        assert shown.item.key not in passage.text
        assert evidence_recall_at(1, [passage], shown.item.evidence[0]) == 0.0


def test_a_passage_that_is_there_already_is_no_distractor(desk: Desk) -> None:
    shown = question(1)
    first = handed(desk).distractors(shown, OWN)
    assert not {p.text for p in first} & {p.text for p in handed(desk).distractors(shown, first)}


def test_a_shuffle_keeps_all_passages_and_hangs_on_the_seed_alone(desk: Desk) -> None:
    shown = question(3)
    one, same, other = (handed(desk, seed).passages("shuffled", shown) for seed in (0, 0, 1))
    assert sorted(p.text for p in one) == sorted(p.text for p in OWN)
    assert one == same
    assert one != OWN
    assert one != other


def test_distractors_are_mixed_in_and_the_order_of_the_others_stays(desk: Desk) -> None:
    mixed = handed(desk).passages("distracted", question(2))
    assert [p for p in mixed if p in OWN] == list(OWN)
    assert len(mixed) == len(OWN) + DISTRACTORS


def test_the_oracle_passage_holds_the_evidence(desk: Desk) -> None:
    shown = question(2)
    (passage,) = handed(desk).passages("oracle", shown)
    assert evidence_recall_at(1, [passage], shown.item.evidence[0]) == 1.0
    assert passage in handed(desk).passages("oracle-distracted", shown)


@pytest.mark.parametrize("context", CONTEXTS)
def test_what_cannot_be_handed_is_said(desk: Desk, context: Context) -> None:
    nothing = Interventions(desk.index, {}, (), 0)
    assert nothing.can(context, question(1, evidence=False)) == (context == "none")
    assert handed(desk).can(context, question(1))
