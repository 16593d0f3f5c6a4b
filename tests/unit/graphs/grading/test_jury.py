"""A jury gives one verdict for each case, says how far its judges agree, and names the odd one out."""

from __future__ import annotations

import asyncio

import pytest
from judges_by_hand import CASE, Says

from viva.core.errors import UsageError
from viva.core.records.judging import Case, Judgement, Quality, Unjudged
from viva.graphs.grading.jury import HUNG, sit_in_jury
from viva.metrics.judges.paired import Resampled
from viva.metrics.judges.pairs import Undefined

CASES = [CASE.model_copy(update={"question": f"Which is number {n}?"}) for n in range(12)]


def number(case: Case) -> int:
    return int("".join(char for char in case.question if char.isdigit()))


def yes(case: Case) -> float:
    return float(number(case) % 3 == 0)


def judges(quality: Quality, *says: object) -> list[Says]:
    return [Says(quality, each, f"judge-{n}") for n, each in enumerate(says, 1)]  # type: ignore[arg-type]


def test_classes_go_by_majority_and_the_contrary_judge_is_the_odd_one_out() -> None:
    bench = judges(Quality.ANSWERABILITY, yes, yes, lambda case: 1 - yes(case))
    found = asyncio.run(sit_in_jury(bench, CASES, seed=0))
    assert [verdict.score for verdict in found.verdicts if isinstance(verdict, Judgement)] == [yes(c) for c in CASES]
    assert found.odd_one_out is not None
    assert found.odd_one_out.name == "judge-3"
    assert isinstance(found.jury.fleiss, Resampled)
    assert "judge-2: 1" in found.verdicts[0].reason


def test_scores_go_by_their_mean() -> None:
    bench = judges(Quality.CORRECTNESS, lambda case: number(case) / 12, lambda case: number(case) / 24)
    found = asyncio.run(sit_in_jury(bench, CASES, seed=0))
    scores = [verdict.score for verdict in found.verdicts if isinstance(verdict, Judgement)]
    assert scores == pytest.approx([number(case) * 0.75 / 12 for case in CASES])
    assert isinstance(found.jury.fleiss, Undefined)
    assert found.odd_one_out is None


def test_a_tie_and_a_missing_quorum_hang_the_jury_with_the_reason() -> None:
    lost = Unjudged(code="model_refused", reason="It would not.")
    bench = judges(Quality.ANSWERABILITY, lambda case: 1.0, lambda case: 0.0 if number(case) else lost)
    found = asyncio.run(sit_in_jury(bench, CASES, seed=0, quorum=2))
    assert all(isinstance(verdict, Unjudged) and verdict.code == HUNG for verdict in found.verdicts)
    assert "1 of 2 judges" in found.verdicts[0].reason
    assert "no judgement (model_refused)" in found.verdicts[0].reason
    assert "A tie" in found.verdicts[1].reason
    assert found.jury.missing == 1


def test_progress_counts_the_judgements_of_all_judges() -> None:
    seen: list[tuple[int, int]] = []
    bench = judges(Quality.CORRECTNESS, yes, yes)
    asyncio.run(sit_in_jury(bench, [*CASES, *CASES], seed=0, progress=lambda done, total: seen.append((done, total))))
    assert seen[-1] == (24, 24)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize(
    ("bench", "words"),
    [
        (judges(Quality.RUBRIC, yes), "A jury of 1"),
        ([*judges(Quality.RUBRIC, yes), *judges(Quality.RUBRIC, yes)], "one name"),
        ([*judges(Quality.RUBRIC, yes), *judges(Quality.RELEVANCE, yes, yes)[1:]], "different things"),
    ],
)
def test_what_is_no_jury_is_refused_in_words(bench: list[Says], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        asyncio.run(sit_in_jury(bench, CASES, seed=0))
    assert all(judge.asked == [] for judge in bench)
