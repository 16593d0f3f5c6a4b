"""A retriever by itself takes the exam: recall, nDCG and MRR with intervals and pair tests, and no accuracy."""

from __future__ import annotations

import asyncio
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from pump_run import pump_context, pump_exam, sit_all
from rich.console import Console

from viva.api.leaderboard import leaderboard
from viva.core.errors import UsageError
from viva.core.records import PASSAGES_ALONE
from viva.core.scores_pairs import PairVerdict
from viva.examinees.answering import BadAnswerError
from viva.examinees.readers.reading import read_answer
from viva.graphs import results
from viva.graphs.grading.grade_open import grade_exam, open_answers
from viva.graphs.sitting.reference_examinees import answers_of, company_wanted
from viva.metrics.retrieval.scores import _sign_flips
from viva.reports.sections.retrieval import retriever_headline

RETRIEVERS = ("retrieves", "worse_retriever")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("retrievers")
    context = pump_context(found, *RETRIEVERS, "finds", exam=pump_exam(24), manufactured=True)
    sit_all(context)
    results.score(context)
    context.close()
    return found


def test_retrievers_have_retrieval_figures_alone_and_the_others_are_scored_as_without_them(folder: Path) -> None:
    context = pump_context(folder)
    scores = results.scores_of(context.store, folder)
    assert [row.examinee.name for row in scores.examinees] == ["finds"]
    assert scores.comparisons == ()
    assert all(item.graded == 1 for item in scores.items)
    best, worse = scores.retrievers
    assert (best.examinee.name, worse.examinee.name) == RETRIEVERS
    assert (best.asked, worse.failures) == (24, {"raised": 1})
    assert best.retrieval
    assert best.retrieval.ndcg
    assert (best.retrieval.recall_at[1].value, best.retrieval.recall_at[5].value) == (pytest.approx(20 / 24), 1.0)
    assert best.retrieval.ndcg.value == pytest.approx((20 + 4 / np.log2(3)) / 24)
    assert best.retrieval.mrr.value == pytest.approx(22 / 24)
    assert worse.retrieval
    # 8 of 24 are missed, nothing is found of the eighth, and what is found comes second
    assert (worse.retrieval.recall_at[1].value, worse.retrieval.recall_at[5].value) == (0, pytest.approx(15 / 24))
    assert worse.retrieval.mrr.value == pytest.approx(7.5 / 24)
    assert all(row.retrieval is None or row.retrieval.ndcg is None for row in scores.examinees)
    context.close()


def test_pairs_of_retrievers_are_tested_by_each_measure(folder: Path) -> None:
    context = pump_context(folder)
    scores = results.scores_of(context.store, folder)
    assert [(each.measure, each.verdict) for each in scores.retriever_pairs] == [
        (measure, PairVerdict.BETTER) for measure in ("recall@5", "nDCG@5", "MRR")
    ]
    for each in scores.retriever_pairs:
        assert (each.questions, each.adjusted_over) == (24, 1)
        assert 0 <= each.low < each.difference < each.high
    # 9 questions part the two, all in one direction
    assert scores.retriever_pairs[0].p_value == pytest.approx(2 / 2**9)
    console = Console(width=200, record=True, file=StringIO())
    leaderboard(scores).print(console)
    shown = " ".join(console.export_text().split())
    assert "Retrievers by themselves" in shown
    assert "retrieves finds more than worse_retriever by recall@5 (+0.38" in shown
    assert retriever_headline(scores) == "retrieves, the first of 2 retrievers, reaches nDCG@5 0.94"
    with pytest.raises(UsageError, match="is a retriever by itself"):
        results.compare_systems(context, "retrieves", "finds")
    context.close()


def test_nobody_is_set_beside_a_retriever_and_it_is_neither_diagnosed_nor_graded(tmp_path: Path) -> None:
    context = pump_context(tmp_path, "retrieves", manufactured=True)
    exam = pump_exam()
    assert company_wanted(context, exam)
    sit_all(context)
    assert not company_wanted(context, exam)
    (spec,) = context.candidates.specs
    assert answers_of(context.store, spec.examinee, exam) == {}
    assert open_answers(exam, context.store.responses()) == []
    asyncio.run(grade_exam(context, [spec.examinee.id]))
    results.score(context)
    scores = results.scores_of(context.store, tmp_path)
    assert (scores.examinees, len(scores.retrievers), scores.retriever_pairs) == ((), 1, ())
    context.close()


def test_documents_are_passages_and_a_list_of_plain_texts_is_several_answers() -> None:
    options = ("20 litres", "30 litres")
    for value in ({"documents": ["a", "b"]}, [{"text": "a", "metadata": {}}, {"text": "b", "score": 1}]):
        answer = read_answer(value, options)
        assert ([p.text for p in answer.passages], PASSAGES_ALONE in answer.meta) == (["a", "b"], True)
    assert read_answer(["30 litres", "B"], options).choice == 1
    assert read_answer([{"text": "B"}], options).choice == 1
    for value in ({"documents": ["a"], "answer": None}, {"context": "a text"}, []):
        with pytest.raises(BadAnswerError):
            read_answer(value, options)


def test_the_pair_test_keeps_its_level_where_questions_share_documents() -> None:
    draw = np.random.default_rng(0)
    found = [_sign_flips(draw.normal(0, 1, size=10) * draw.integers(1, 5, size=10), 1) for _ in range(400)]
    assert 0.02 <= float(np.mean(np.array(found) < 0.05)) <= 0.08
