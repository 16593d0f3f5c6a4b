"""Passages exchanged: distractors never answer, a shuffle is the same everywhere, the evidence is the oracle's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pump_run import pump_context, pump_exam, question

from viva.core.records import Passage
from viva.examinees.interventions import CONTEXTS, DISTRACTORS, Context, Interventions
from viva.graphs.context import RunContext
from viva.metrics.retrieval.evidence_recall import evidence_recall_at

OWN = tuple(Passage(text=f"passage {n}") for n in range(6))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunContext]:
    found = pump_context(tmp_path_factory.mktemp("run"), "drowns")
    yield found
    found.close()


def handed(run: RunContext, seed: int = 0, own: tuple[Passage, ...] = OWN) -> Interventions:
    exam = pump_exam()
    return Interventions(run.index, {shown.item.id: own for shown in exam.items}, exam.items, seed)


@pytest.mark.parametrize("number", range(1, 9))
def test_a_distractor_holds_neither_the_evidence_nor_the_key(run: RunContext, number: int) -> None:
    shown = question(number)
    found = handed(run).distractors(shown, OWN)
    assert len(found) == DISTRACTORS
    assert len({passage.text for passage in found}) == DISTRACTORS
    for passage in found:
        assert shown.item.key not in passage.text
        assert evidence_recall_at(1, [passage], shown.item.evidence[0]) == 0.0


def test_a_passage_that_is_there_already_is_no_distractor(run: RunContext) -> None:
    shown = question(1)
    first = handed(run).distractors(shown, OWN)
    assert not {p.text for p in first} & {p.text for p in handed(run).distractors(shown, first)}


def test_a_shuffle_keeps_all_passages_and_hangs_on_the_seed_alone(run: RunContext) -> None:
    shown = question(3)
    one, same, other = (handed(run, seed).passages("shuffled", shown) for seed in (0, 0, 1))
    assert sorted(p.text for p in one) == sorted(p.text for p in OWN)
    assert one == same
    assert one != OWN
    assert one != other


def test_distractors_are_mixed_in_and_the_order_of_the_others_stays(run: RunContext) -> None:
    mixed = handed(run).passages("distracted", question(2))
    assert [p for p in mixed if p in OWN] == list(OWN)
    assert len(mixed) == len(OWN) + DISTRACTORS


def test_the_oracle_passage_holds_the_evidence(run: RunContext) -> None:
    shown = question(2)
    (passage,) = handed(run).passages("oracle", shown)
    assert evidence_recall_at(1, [passage], shown.item.evidence[0]) == 1.0
    assert passage in handed(run).passages("oracle-distracted", shown)


@pytest.mark.parametrize("context", CONTEXTS)
def test_what_cannot_be_handed_is_said(run: RunContext, context: Context) -> None:
    nothing = Interventions(run.index, {}, (), 0)
    assert nothing.can(context, question(1, evidence=False)) == (context == "none")
    assert handed(run).can(context, question(1))
