"""The fake model judges badly, always the same way, and sensibly: better cases get better scores."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from judges_by_hand import asker_of

from viva.agents.judges.model.judge import language_model_judge
from viva.core.calls import Message
from viva.core.records.judging import Case, Judgement, Quality
from viva.llm.fake import fake_reply
from viva.llm.fake.judges import agreement, judged
from viva.llm.fake.requests import read_request

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "judges"))

from known_cases import known_cases


@pytest.mark.parametrize("quality", Quality)
def test_good_cases_score_better_than_bad_ones_on_the_whole(quality: Quality) -> None:
    labelled = known_cases(quality)
    judge = language_model_judge(quality, asker_of(fake_reply))
    found = asyncio.run(judge.judge([each.case for each in labelled]))
    scores: dict[float, list[float]] = {0.0: [], 1.0: []}
    for each, result in zip(labelled, found, strict=True):
        assert isinstance(result, Judgement)
        scores[each.label].append(result.score)
    good, bad = (sum(scores[label]) / len(scores[label]) for label in (1.0, 0.0))
    assert good > bad + 0.1
    assert asyncio.run(judge.judge([each.case for each in labelled])) == found


def test_a_changed_figure_and_a_denial_make_another_answer() -> None:
    reference = "The pier is 90 m long."
    assert agreement("The pier is 90 m long.", reference) == 1
    assert agreement("The pier is 60 m long.", reference) < 0.25
    assert agreement("The pier is not 90 m long.", reference) < 0.25
    assert agreement("", reference) == 0


def test_other_requests_are_none_of_a_judge() -> None:
    for turn in ("Say something.", "[[ ## question ## ]]\nHow long?"):
        assert judged(read_request([Message(role="user", text=turn)], {})) is None


def test_empty_answers_get_an_empty_score() -> None:
    judge = language_model_judge(Quality.FAITHFULNESS, asker_of(fake_reply))
    (found,) = asyncio.run(judge.judge([Case(answer="...", passages=("The pier is 90 m long.",))]))
    assert isinstance(found, Judgement)
    assert found.score == 0
