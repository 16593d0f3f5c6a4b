"""Judges at a real models: nobody pays twice, what fails is counted, an end by budget or by hand loses nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from fake_model import fake_reply
from judges_by_hand import CASE, Says, overlap
from model_server import ModelServer, serve
from pydantic import JsonValue

from viva.agents.judges.model.judge import stamped
from viva.core.calls import Message
from viva.core.errors import BudgetReached, RunLocked, UsageError
from viva.core.records.judging import Case, Judgement, Quality, Unjudged
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import Judged, JudgePool, at_the_bench, judge_cases
from viva.storage.lock import run_lock

CASES = [CASE.model_copy(update={"answer": f"The Harbour pier is {n} m long."}) for n in range(185, 197)]


def settings(server: ModelServer, **more: object) -> Settings:
    return Settings(model=("vllm:judge",), base_url=server.url, **more)  # type: ignore[arg-type]


def judged(folder: Path, chosen: Settings, cases: Sequence[Case] = CASES) -> Judged:
    async def work(pool: JudgePool) -> Judged:
        return await judge_cases(pool.judge(Quality.CORRECTNESS), cases)

    return at_the_bench(folder, chosen, work)


def test_cases_are_judged_through_the_door_and_served_from_the_ledger_afterwards(tmp_path: Path) -> None:
    with serve() as server:
        first = judged(tmp_path, settings(server))
        assert server.paid == len(CASES)
        again = judged(tmp_path, settings(server))
        assert server.paid == len(CASES)
    assert first == again
    assert [score is not None and score > 0.9 for score in first.scores] == ["190" in case.answer for case in CASES]
    assert first.card.model == "vllm:judge"


def test_equal_cases_are_judged_once_and_each_has_its_result(tmp_path: Path) -> None:
    judge = Says(Quality.CORRECTNESS, overlap)
    found = asyncio.run(judge_cases(judge, [*CASES, *CASES[::-1]]))
    assert len(judge.asked) == len(CASES)
    assert found.results[: len(CASES)] == found.results[len(CASES) :][::-1]


def test_what_cannot_be_judged_is_counted_and_has_no_score(tmp_path: Path) -> None:
    def brain(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        if "187 m" in "".join(message.text for message in messages):
            return "I would rather not say."
        return fake_reply(messages, parameters)

    with serve(brain) as server:
        found = judged(tmp_path, settings(server))
    assert found.unjudged == {"model_unreadable": 1}
    assert [case.answer for case, score in zip(CASES, found.scores, strict=True) if score is None] == [
        CASES[2].answer
    ]


def test_a_budget_ends_the_judging_and_what_was_paid_is_not_paid_again(tmp_path: Path) -> None:
    with serve() as server:
        with pytest.raises(BudgetReached):
            judged(tmp_path, settings(server, max_calls=5, concurrency=2))
        assert 0 < server.paid <= 5
        found = judged(tmp_path, settings(server))
        assert server.paid == len(CASES)
    assert None not in found.scores


def test_an_interrupted_judging_goes_on_where_it_was(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    async def work(pool: JudgePool) -> Judged:
        return await judge_cases(pool.judge(Quality.CORRECTNESS), CASES, stop)

    with serve() as server:
        with pytest.raises(KeyboardInterrupt):
            at_the_bench(tmp_path, settings(server, concurrency=2), work)
        server.settled()
        paid = server.paid
        assert paid >= 4
        judged(tmp_path, settings(server))
        assert server.paid == len(CASES)


def test_the_server_sees_no_more_requests_at_once_than_are_allowed(tmp_path: Path) -> None:
    with serve(latency=0.01) as server:
        judged(tmp_path, settings(server, concurrency=3))
        assert server.peak <= 3


def test_two_models_sit_at_one_door_each_under_its_own_name(tmp_path: Path) -> None:
    async def work(pool: JudgePool) -> list[Judged]:
        judges = [pool.judge(Quality.CORRECTNESS, place=place) for place in range(2)]
        return [await judge_cases(judge, CASES[:2]) for judge in judges]

    with serve() as server:
        found = at_the_bench(tmp_path, settings(server), work, others=["vllm:other"])
        assert sorted(served.model for served in server.log) == ["judge", "judge", "other", "other"]
    assert [(each.card.name, each.card.model) for each in found] == [
        ("correctness", "vllm:judge"),
        ("correctness-2", "vllm:other"),
    ]


def test_a_judge_measured_with_another_model_is_refused(tmp_path: Path) -> None:
    card = stamped(Quality.RUBRIC).model_copy(update={"model": "openai:gpt-4o-mini"})

    async def work(pool: JudgePool) -> None:
        pool.judge(Quality.RUBRIC, card=card)

    with pytest.raises(UsageError, match="was tuned and measured with openai:gpt-4o-mini"):
        at_the_bench(tmp_path, Settings(model=("fake:any",)), work)


def test_the_judge_of_usefulness_is_told_for_whom(tmp_path: Path) -> None:
    async def work(pool: JudgePool) -> Judged:
        return await judge_cases(pool.judge(Quality.USEFULNESS), [CASE])

    found = at_the_bench(tmp_path, Settings(model=("fake:any",), audience="a pilot of large ships"), work)
    assert isinstance(found.results[0], Judgement)
    assert "a pilot of large ships" in found.results[0].reason


@pytest.mark.parametrize(
    ("model", "others", "words"),
    [
        ((), (), "No language model"),
        (("nonsense",), (), "names no model"),
        (("fake:any",), ("writer=fake:b",), "No model was given"),
        (("fake:any",), ("nonsense",), "names no model"),
    ],
)
def test_a_model_that_cannot_judge_is_refused_in_words(
    model: tuple[str, ...], others: Sequence[str], words: str, tmp_path: Path
) -> None:
    async def work(pool: JudgePool) -> None:
        raise AssertionError("nobody may be asked")

    with pytest.raises(UsageError, match=words):
        at_the_bench(tmp_path, Settings(model=model), work, others)


def test_two_processes_do_not_judge_in_one_folder(tmp_path: Path) -> None:
    with run_lock(tmp_path), pytest.raises(RunLocked):
        judged(tmp_path, Settings(model=("fake:any",)))


def test_a_case_that_lacks_something_ends_it_before_anything_is_asked(tmp_path: Path) -> None:
    with serve() as server, pytest.raises(UsageError, match="Case 2 has no reference"):
        judged(tmp_path, settings(server), [CASE, CASE.model_copy(update={"reference": ""})])
    assert server.log == []


def test_a_judge_by_hand_may_leave_cases_unjudged() -> None:
    judge = Says(Quality.RUBRIC, lambda case: Unjudged(code="too_long", reason="It is too long."))
    found = asyncio.run(judge_cases(judge, [CASE]))
    assert found.scores == [None]
    assert found.unjudged == {"too_long": 1}
