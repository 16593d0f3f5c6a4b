"""A judge that is asked again shows how steady it is; what is drawn, and what a repeat costs, is known."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Self

import pytest
from judges_by_hand import CASE, Says
from model_server import serve

from viva.core.errors import UsageError
from viva.core.ids import rng
from viva.core.records.judging import Case, Quality, Unjudged
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import JudgePool, at_the_bench
from viva.graphs.grading.judge_reliability import Repeats, judge_repeats
from viva.metrics.judges.pairs import Undefined

ITEMS, SYSTEMS = 10, ("a", "b", "c")
CASES = [
    CASE.model_copy(update={"question": f"Item {item}", "answer": f"{system} {item}"})
    for item in range(ITEMS)
    for system in SYSTEMS
]
OF_SYSTEM = [system for _ in range(ITEMS) for system in SYSTEMS]


class Unsteady(Says):
    """Scores by item and system, and by a noise of its own that differs from one repeat to the next."""

    def __init__(self, noise: float, repeat: int = 0, name: str = "unsteady") -> None:
        self.noise, self.repeat, self.name = noise, repeat, name
        super().__init__(Quality.CORRECTNESS, self.score, name)

    def repeated(self, repeat: int) -> Self:
        return type(self)(self.noise, repeat, self.name)

    def score(self, case: Case) -> float:
        of_item = rng(0, "item", case.question).gauss(0, 0.1)
        of_system = 0.1 * "abc".index(case.answer[0])
        own = rng(0, "run", case.id, self.name, self.repeat).gauss(0, self.noise)
        return min(1.0, max(0.0, 0.4 + of_item + of_system + own))


def split(found: Repeats) -> dict[str, float]:
    assert not isinstance(found.split, Undefined)
    return {part.name: part.share for part in found.split.components}


def repeated(judge: Says, n: int = 4, **more: object) -> Repeats:
    return asyncio.run(judge_repeats(judge, CASES, n, seed=0, systems=OF_SYSTEM, sample=99, **more))  # type: ignore[arg-type]


def test_an_unsteady_judge_shows_its_own_share_of_the_variance() -> None:
    steady, unsteady = repeated(Unsteady(0.01)), repeated(Unsteady(0.15))
    assert split(steady)["run"] < 0.05
    assert split(unsteady)["run"] > 0.35
    assert unsteady.moved == unsteady.compared == len(CASES)
    assert (unsteady.cases, unsteady.repeats, unsteady.unjudged) == (len(CASES), 4, 0)


def test_a_judge_that_always_says_the_same_has_no_variance_of_its_own() -> None:
    found = repeated(Says(Quality.CORRECTNESS, Unsteady(0.0).score))
    assert found.moved == 0
    assert not isinstance(found.split, Undefined)
    assert "It is 0" in found.split.left_out["run"].reason


def test_several_judges_are_told_apart() -> None:
    found = repeated(Unsteady(0.05), others=[Unsteady(0.05, name="second"), Unsteady(0.05, name="third")])
    assert {"item", "system", "judge", "run"} <= {*split(found), *found.split.left_out}  # type: ignore[union-attr]
    assert found.compared == 3 * len(CASES)


def test_judgements_that_fail_are_counted_and_left_out() -> None:
    lost = Unjudged(code="model_refused", reason="It would not.")
    found = repeated(Says(Quality.CORRECTNESS, lambda case: lost if case == CASES[0] else Unsteady(0.0).score(case)))
    assert found.unjudged == 4
    assert found.compared == len(CASES) - 1


def test_a_subsample_is_drawn_by_the_seed_alone() -> None:
    def drawn(seed: int) -> list[Case]:
        judge = Says(Quality.CORRECTNESS, Unsteady(0.0).score)
        asyncio.run(judge_repeats(judge, CASES, 2, seed=seed, sample=10))
        return judge.asked[:10]

    assert drawn(1) == drawn(1) != drawn(2)
    assert len({case.id for case in drawn(1)}) == 10


def test_one_answer_of_several_systems_is_one_judgement() -> None:
    same = [CASE.model_copy(update={"question": f"Item {n // 12}", "answer": f"a {n // 12}"}) for n in range(48)]
    judge, systems = Unsteady(0.15), [f"s{n % 12}" for n in range(48)]
    found = asyncio.run(judge_repeats(judge, [*same, *CASES], 3, seed=0, systems=[*systems, *OF_SYSTEM], sample=99))
    assert found.cases == found.compared == 4 + len([case for case in CASES if case not in same])


def test_repeats_are_paid_once_each_and_the_first_is_the_judging_itself(tmp_path: Path) -> None:
    async def work(pool: JudgePool) -> Repeats:
        judge = pool.judge(Quality.CORRECTNESS)
        await judge.judge(CASES[:5])
        return await judge_repeats(judge, CASES[:5], 3, seed=0, sample=5)

    with serve() as server:
        settings = Settings(model=("vllm:judge",), base_url=server.url)
        first = at_the_bench(tmp_path, settings, work)
        assert server.paid == 15
        assert at_the_bench(tmp_path, settings, work) == first
        assert server.paid == 15


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"n": 1}, "--judge-repeats is 1"),
        ({"cases": []}, "no cases"),
        ({"systems": ["a"]}, "1 systems for 30 cases"),
        ({"others": [Says(Quality.CORRECTNESS, lambda case: 1.0)]}, "one name"),
    ],
)
def test_what_cannot_be_repeated_is_refused_in_words(how: dict[str, object], words: str) -> None:
    judge = Says(Quality.CORRECTNESS, lambda case: 1.0)
    given: dict[str, object] = {"cases": CASES, "n": 3, "seed": 0, **how}
    with pytest.raises(UsageError, match=words):
        asyncio.run(judge_repeats(judge, **given))  # type: ignore[arg-type]
    assert judge.asked == []
