"""Judges at a real models: nobody pays twice, what fails is counted, an end by budget or by hand loses nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_model import fake_reply
from judges_by_hand import CASE, Says, overlap
from model_server import ModelServer, serve
from pydantic import JsonValue

from viva.agents.judges.model.judge import stamped
from viva.core.calls import Message
from viva.core.errors import BudgetReached, UsageError
from viva.core.records import Run
from viva.core.records.judging import Case, Judgement, Quality, Unjudged
from viva.core.settings import Settings
from viva.graphs.authoring.account import model_use_of
from viva.graphs.context import RunContext
from viva.graphs.grading.batch_judging import JudgePool, judge_cases, opened_judge_pool
from viva.graphs.grading.graders import further_judges
from viva.llm import interrupts
from viva.storage.runs import RunStore

CASES = [CASE.model_copy(update={"answer": f"The Harbour pier is {n} m long."}) for n in range(185, 197)]


def settings(server: ModelServer, **more: object) -> Settings:
    return Settings(model=("vllm:judge",), base_url=server.url, **more)  # type: ignore[arg-type]


def at_a_pool(folder: Path, chosen: Settings, work: Callable[[JudgePool], Awaitable[Any]]) -> Any:
    async def worked() -> Any:
        async with opened_judge_pool(folder, chosen) as pool:
            return await work(pool)

    return interrupts.run(worked())


def judged(folder: Path, chosen: Settings, cases: Sequence[Case] = CASES) -> list[Judgement | Unjudged]:
    found: list[Judgement | Unjudged] = at_a_pool(
        folder, chosen, lambda pool: judge_cases(pool.judge(Quality.CORRECTNESS), cases)
    )
    return found


def scores(found: Sequence[Judgement | Unjudged]) -> list[float | None]:
    return [each.score if isinstance(each, Judgement) else None for each in found]


def test_cases_are_judged_through_the_door_and_served_from_the_ledger_afterwards(tmp_path: Path) -> None:
    with serve() as server:
        first = judged(tmp_path, settings(server))
        assert server.paid == len(CASES)
        again = judged(tmp_path, settings(server))
        assert server.paid == len(CASES)
    assert first == again
    assert [score is not None and score > 0.9 for score in scores(first)] == ["190" in case.answer for case in CASES]


def test_equal_cases_are_judged_once_and_each_has_its_result(tmp_path: Path) -> None:
    judge = Says(Quality.CORRECTNESS, overlap)
    found = asyncio.run(judge_cases(judge, [*CASES, *CASES[::-1]]))
    assert len(judge.asked) == len(CASES)
    assert found[: len(CASES)] == found[len(CASES) :][::-1]


def test_answers_judged_for_faithfulness_are_no_work_of_the_critic_of_that_name(tmp_path: Path) -> None:
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    RunStore.create_or_open(tmp_path, database_url=None, run=run).close()
    context = RunContext(tmp_path, Settings(model=("fake:any",), qualities=("faithfulness",)))

    async def worked() -> list[Judgement | Unjudged]:
        try:
            return await judge_cases(further_judges(context)[Quality.FAITHFULNESS], [CASE])
        finally:
            await context.models.aclose()

    (found,) = interrupts.run(worked())
    assert isinstance(found, Judgement)
    assert [use.role for use in model_use_of(context.models)] == ["judge.answer_faithfulness"]
    context.close()


def test_what_cannot_be_judged_is_counted_and_has_no_score(tmp_path: Path) -> None:
    def brain(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        if "187 m" in "".join(message.text for message in messages):
            return "I would rather not say."
        return fake_reply(messages, parameters)

    with serve(brain) as server:
        found = judged(tmp_path, settings(server))
    assert [each.code for each in found if isinstance(each, Unjudged)] == ["model_unreadable"]
    assert [case.answer for case, score in zip(CASES, scores(found), strict=True) if score is None] == [
        CASES[2].answer
    ]


def test_a_budget_ends_the_judging_and_what_was_paid_is_not_paid_again(tmp_path: Path) -> None:
    with serve() as server:
        with pytest.raises(BudgetReached):
            judged(tmp_path, settings(server, max_calls=5, concurrency=2))
        assert 0 < server.paid <= 5
        found = judged(tmp_path, settings(server))
        assert server.paid == len(CASES)
    assert None not in scores(found)


def test_an_interrupted_judging_goes_on_where_it_was(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    async def work(pool: JudgePool) -> list[Judgement | Unjudged]:
        return await judge_cases(pool.judge(Quality.CORRECTNESS), CASES, stop)

    with serve() as server:
        with pytest.raises(KeyboardInterrupt):
            at_a_pool(tmp_path, settings(server, concurrency=2), work)
        server.settled()
        paid = server.paid
        assert paid >= 4
        judged(tmp_path, settings(server))
        assert server.paid == len(CASES)


def test_the_server_sees_no_more_requests_at_once_than_are_allowed(tmp_path: Path) -> None:
    with serve(latency=0.01) as server:
        judged(tmp_path, settings(server, concurrency=3))
        assert server.peak <= 3


def test_a_judge_measured_with_another_model_is_refused(tmp_path: Path) -> None:
    card = stamped(Quality.RUBRIC).model_copy(update={"model": "openai:gpt-4o-mini"})

    async def work(pool: JudgePool) -> None:
        pool.judge(Quality.RUBRIC, card=card)

    with pytest.raises(UsageError, match="was tuned and measured with openai:gpt-4o-mini"):
        at_a_pool(tmp_path, Settings(model=("fake:any",)), work)


def test_the_judge_of_usefulness_is_told_for_whom(tmp_path: Path) -> None:
    async def work(pool: JudgePool) -> list[Judgement | Unjudged]:
        return await judge_cases(pool.judge(Quality.USEFULNESS), [CASE])

    found = at_a_pool(tmp_path, Settings(model=("fake:any",), audience="a pilot of large ships"), work)
    assert isinstance(found[0], Judgement)
    assert "a pilot of large ships" in found[0].reason


@pytest.mark.parametrize(("model", "words"), [((), "No language model"), (("nonsense",), "names no model")])
def test_a_model_that_cannot_judge_is_refused_in_words(model: tuple[str, ...], words: str, tmp_path: Path) -> None:
    async def work(pool: JudgePool) -> None:
        raise AssertionError("nobody may be asked")

    with pytest.raises(UsageError, match=words):
        at_a_pool(tmp_path, Settings(model=model), work)


def test_a_case_that_lacks_something_ends_it_before_anything_is_asked(tmp_path: Path) -> None:
    with serve() as server, pytest.raises(UsageError, match="Case 2 has no reference"):
        judged(tmp_path, settings(server), [CASE, CASE.model_copy(update={"reference": ""})])
    assert server.log == []
