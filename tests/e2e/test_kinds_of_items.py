"""A blueprint that asks for multi-hop and unanswerable items gets them from a language model too."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import viva

from viva.core.records import Exam, ItemKind
from viva.exams.file import read_exam

pytestmark = pytest.mark.slow

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
SPANS = {ItemKind.SINGLE_HOP: 1, ItemKind.MULTI_HOP: 2, ItemKind.UNANSWERABLE: 0}
PROMPTS = {
    ItemKind.SINGLE_HOP: "question_writer",
    ItemKind.MULTI_HOP: "multi_hop_writer",
    ItemKind.UNANSWERABLE: "unanswerable_writer",
}
SHARES = "kind.multi-hop=0.2,kind.unanswerable=0.2"


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    """Written by the fake model, sat by one examinee."""
    folder = tmp_path_factory.mktemp("kinds") / "run"
    model = ("--model", "fake:any", "--blueprint", SHARES)
    done = viva("run", HANDBOOK, "--out", folder, "--items", "20", *model, "--examinee", "oracle+lexical")
    assert done.code == 0, done.err
    return read_exam(folder / "exam.jsonl")


def test_each_kind_has_its_share(exam: Exam) -> None:
    kinds = Counter(shown.item.kind for shown in exam.items)
    assert kinds == {ItemKind.SINGLE_HOP: 12, ItemKind.MULTI_HOP: 4, ItemKind.UNANSWERABLE: 4}


def test_an_item_has_the_evidence_of_its_kind(exam: Exam) -> None:
    for item in (shown.item for shown in exam.items):
        assert len(item.evidence) == SPANS[item.kind]
        assert len(set(item.evidence)) == len(item.evidence)
        assert (item.key == "The documents do not say.") == (item.kind is ItemKind.UNANSWERABLE)
        assert item.provenance.pattern.split()[0] == PROMPTS[item.kind]


def test_whoever_reads_both_passages_was_let_try_and_nobody_guessed_at_what_is_not_said(exam: Exam) -> None:
    decoy = "The documents do not say."
    for item in (shown.item for shown in exam.items if decoy not in [wrong.text for wrong in shown.item.distractors]):
        tried = {trial.with_evidence for trial in item.trials}
        # without documents only where the reviewer sees something that leads to the key
        assert True in tried
        assert item.kind is not ItemKind.UNANSWERABLE or tried == {True}
