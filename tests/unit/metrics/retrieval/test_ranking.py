"""Ranking metrics against trec_eval and sklearn, and what counts as relevant among passages."""

from __future__ import annotations

import math

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from viva.core.errors import UsageError
from viva.core.records import Passage, Span
from viva.metrics.judges.pairs import Undefined
from viva.metrics.retrieval.ranking import (
    Ranking,
    average_precision,
    ndcg_at,
    precision_at,
    r_precision,
    ranked,
    ranked_evidence,
    ranking_means,
    recall_at,
    reciprocal_rank,
)

NAMES = [f"d{n}" for n in range(12)]
JUDGED = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), min_size=1).filter(lambda j: any(j.values()))
RETURNED = st.permutations(NAMES).flatmap(lambda order: st.integers(1, 12).map(lambda n: order[:n]))
TEXT = "Pumps are checked in March. Valves are checked in June. Filters are changed each year, by two people."


def by_trec_eval(returned: list[str], judged: dict[str, int]) -> dict[str, float]:
    measures = {"map", "recip_rank", "Rprec", "recall_5", "P_5", "ndcg_cut_5", "ndcg_cut_10"}
    run = {"q": {name: float(-place) for place, name in enumerate(returned)}}
    found: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator({"q": judged}, measures).evaluate(run)
    return found["q"]


@given(RETURNED, JUDGED)
def test_every_figure_is_trec_evals(returned: list[str], judged: dict[str, int]) -> None:
    ranking, reference = ranked(returned, judged), by_trec_eval(returned, judged)
    assert average_precision(ranking) == pytest.approx(reference["map"])
    assert reciprocal_rank(ranking) == pytest.approx(reference["recip_rank"])
    assert r_precision(ranking) == pytest.approx(reference["Rprec"])
    assert recall_at(5, ranking) == pytest.approx(reference["recall_5"])
    assert precision_at(5, ranking) == pytest.approx(reference["P_5"])
    assert ndcg_at(5, ranking) == pytest.approx(reference["ndcg_cut_5"])
    assert ndcg_at(10, ranking) == pytest.approx(reference["ndcg_cut_10"])


def test_ndcg_is_sklearns_where_all_was_returned() -> None:
    gains = np.random.default_rng(0).integers(0, 4, 12)
    ranking = Ranking(tuple(map(float, gains)), tuple(float(gain) for gain in gains if gain))
    assert ndcg_at(7, ranking) == pytest.approx(ndcg_score([gains], [-np.arange(12)], k=7))


def test_the_textbook_average_precision_comes_out() -> None:
    # relevant at ranks 1, 3 and 6 of 4 that there are: (1 + 2/3 + 3/6) / 4
    assert average_precision(Ranking((1, 0, 1, 0, 0, 1), (1,) * 4)) == pytest.approx((1 + 2 / 3 + 1 / 2) / 4)


@settings(max_examples=40)
@given(RETURNED, JUDGED)
def test_a_passage_that_comes_again_gains_nothing(returned: list[str], judged: dict[str, int]) -> None:
    once, twice = ranked(returned, judged), ranked([*returned, *returned], judged)
    for figure in (average_precision, reciprocal_rank, r_precision):
        if figure is not r_precision:
            assert figure(twice) == figure(once)
    assert recall_at(24, twice) == recall_at(12, once)
    values = [figure(twice) for figure in (average_precision, reciprocal_rank, r_precision)]
    assert all(isinstance(value, float) and 0 <= value <= 1 for value in values)


@settings(max_examples=40)
@given(RETURNED, JUDGED, st.integers(1, 12))
def test_more_ranks_never_lower_recall(returned: list[str], judged: dict[str, int], k: int) -> None:
    ranking = ranked(returned, judged)
    fewer, more = recall_at(k, ranking), recall_at(k + 1, ranking)
    assert isinstance(fewer, float)
    assert isinstance(more, float)
    assert fewer <= more


def test_an_empty_list_finds_nothing() -> None:
    nothing = ranked([], {"a": 1})
    assert recall_at(5, nothing) == average_precision(nothing) == reciprocal_rank(nothing) == ndcg_at(5, nothing) == 0


def test_a_query_with_nothing_relevant_is_not_defined() -> None:
    ranking = ranked(["a", "b"], {"a": 0})
    for found in (average_precision(ranking), reciprocal_rank(ranking), r_precision(ranking), recall_at(1, ranking)):
        assert isinstance(found, Undefined)
    assert isinstance(ndcg_at(3, ranking), Undefined)


def passage(start: int, end: int) -> Passage:
    return Passage(text=TEXT[start:end], document_id="doc", start=start, end=end)


def span(quote: str) -> Span:
    start = TEXT.index(quote)
    return Span(document_id="doc", start=start, end=start + len(quote), quote=quote)


def test_evidence_is_found_by_the_first_passage_that_covers_enough_of_it() -> None:
    pumps, valves, filters = (
        span("Pumps are checked in March."),
        span("Valves are checked in June."),
        span("two people"),
    )
    wrong, both, again = passage(60, 80), passage(0, 55), passage(0, 27)
    ranking = ranked_evidence([wrong, both, again], [pumps, valves, filters])
    # one passage holds both spans: one relevant thing found, one missing
    assert list(ranking.gains) == [0, 1, 0]
    assert len(ranking.relevant) == 2
    assert recall_at(3, ranking) == 0.5
    assert average_precision(ranking) == 0.25


def test_spans_in_passages_of_their_own_count_each() -> None:
    ranking = ranked_evidence(
        [passage(28, 55), passage(0, 27)], [span("Pumps are checked"), span("Valves are checked")]
    )
    assert ranking == Ranking((1, 1), (1, 1))
    assert ndcg_at(2, ranking) == 1


def test_no_passages_find_no_evidence_and_no_evidence_is_not_defined() -> None:
    assert ranked_evidence([], [span("two people")]) == Ranking((), (1,))
    assert isinstance(recall_at(1, ranked_evidence([passage(0, 9)], [])), Undefined)


def test_means_are_over_queries_with_intervals_by_document() -> None:
    draw = np.random.default_rng(0)
    judged = {"d0": 1, "d1": 1, "d2": 1}
    rankings = [ranked(draw.permutation(NAMES).tolist(), judged) for _ in range(60)]
    groups = [n // 5 for n in range(60)]
    found = ranking_means([*rankings, ranked(["a"], {})], [*groups, 99], seed=0, k=5)
    assert not isinstance(found, Undefined)
    assert (found.queries, found.undefined, found.k) == (60, 1, 5)
    assert found.map.value == pytest.approx(np.mean([average_precision(each) for each in rankings]))
    assert found.recall.low < found.recall.value < found.recall.high
    # three of twelve in the first five, at random
    assert found.recall.value == pytest.approx(5 / 12, abs=0.1)


def test_one_document_has_no_interval() -> None:
    assert "1 group" in str(ranking_means([ranked(["a"], {"a": 1})] * 3, ["d"] * 3, seed=0))
    assert "0 groups" in str(ranking_means([], [], seed=0))


def test_bad_rankings_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="2 relevant passages were returned of 1"):
        Ranking((1, 1), (1,))
    for gain in (-1.0, math.nan, math.inf):
        with pytest.raises(UsageError, match="gain"):
            Ranking((gain,), (1,))
    with pytest.raises(UsageError, match="gain of 0"):
        Ranking((), (0,))
    with pytest.raises(UsageError, match="rank of 0"):
        recall_at(0, Ranking((1,), (1,)))
    with pytest.raises(UsageError, match="rank of 0"):
        ndcg_at(0, Ranking((1,), (1,)))
    with pytest.raises(UsageError, match="1 groups for 2 rankings"):
        ranking_means([Ranking((1,), (1,))] * 2, ["d"], seed=0)
