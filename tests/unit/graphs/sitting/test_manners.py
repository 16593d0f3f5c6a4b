"""An examinee is asked as it wants to be: at once, slowly, again; and what is recorded is the same every time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import pytest
from by_hand import exam

from viva.core.errors import TransientError, UsageError
from viva.core.records import Exam, Examinee, ExamItem, FailureKind, Response
from viva.examinees.adapters.base import SystemBusy
from viva.examinees.answering import Answer
from viva.examinees.specs.records import Manners
from viva.graphs.sitting import administer
from viva.graphs.sitting.administer import WITHDRAWN_AFTER, Invigilator, sit

Behaviour = Callable[[int, int], Awaitable[str]]
"""(number of the question in the exam, how often it was asked before) -> text"""


class Candidate:
    """Behaves by the question, whenever it is asked; counts how many it has in hand."""

    def __init__(self, of: Exam, behaviour: Behaviour) -> None:
        self.examinee = Examinee(id="e1", name="one", spec="one")
        self.asked: list[int] = []
        self.at: list[float] = []
        self.in_flight = self.peak = 0
        self._numbers = {shown.item.stem: n for n, shown in enumerate(of.items)}
        self._behaviour = behaviour

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:
        number = self._numbers[question]
        earlier = self.asked.count(number)
        self.asked.append(number)
        self.at.append(time.monotonic())
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            return Answer(await self._behaviour(number, earlier))
        finally:
            self.in_flight -= 1


def seated(
    of: Exam,
    behaviour: Behaviour,
    manners: Manners,
    timeout_s: float = 5,
    answered: set[str] | None = None,
) -> tuple[list[Response], Candidate]:
    recorded: list[Response] = []
    candidate = Candidate(of, behaviour)
    invigilator = Invigilator(candidate, timeout_s, manners, seed=7)
    asyncio.run(sit(invigilator, of, answered or set(), record=recorded.extend, watch=lambda done: None))
    return recorded, candidate


def timeless(responses: Sequence[Response]) -> list[Response]:
    return [response.model_copy(update={"latency_s": 0.0}) for response in responses]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(administer, "FIRST_WAIT_S", 0.01)


async def backwards(number: int, earlier: int) -> str:
    """The later it is in the exam, the sooner it is answered."""
    await asyncio.sleep(0.03 - 0.001 * number)
    return f"answer {number}"


async def fails_from_ten(number: int, earlier: int) -> str:
    await asyncio.sleep(0.03 - 0.001 * number)
    if number >= 10:
        raise ValueError("no index")
    return f"answer {number}"


@pytest.mark.parametrize("behaviour", [backwards, fails_from_ten])
@pytest.mark.parametrize("concurrency", [2, 5, 24])
def test_what_is_recorded_is_what_one_at_a_time_would_have_recorded(behaviour: Behaviour, concurrency: int) -> None:
    of = exam(24)
    alone, _ = seated(of, behaviour, Manners(concurrency=1))
    together, candidate = seated(of, behaviour, Manners(concurrency=concurrency))
    assert timeless(together) == timeless(alone)
    assert candidate.peak == concurrency


def test_answers_to_questions_behind_a_withdrawal_are_not_taken() -> None:
    async def first_hang(number: int, earlier: int) -> str:
        if number < WITHDRAWN_AFTER:
            await asyncio.sleep(60)
        return "quick"

    responses, candidate = seated(exam(30), first_hang, Manners(concurrency=8, timeout_s=0.1))
    kinds = [r.failure.kind if r.failure else None for r in responses]
    assert kinds == [FailureKind.TIMED_OUT] * WITHDRAWN_AFTER + [FailureKind.WITHDRAWN] * 25
    # and not many were asked in vain
    assert max(candidate.asked) < WITHDRAWN_AFTER + 16


def test_a_slow_question_holds_up_few() -> None:
    async def one_slow(number: int, earlier: int) -> str:
        await asyncio.sleep(0.2 if number == 0 else 0.02)
        return "said"

    started = time.perf_counter()
    seated(exam(40), one_slow, Manners(concurrency=4))
    assert time.perf_counter() - started < 0.2 + 40 * 0.02 / 4 + 0.3


def test_its_own_time_goes_before_that_of_the_run() -> None:
    async def slow(number: int, earlier: int) -> str:
        await asyncio.sleep(0.1)
        return "said"

    late, _ = seated(exam(1), slow, Manners(timeout_s=0.02))
    early, _ = seated(exam(1), slow, Manners(timeout_s=5), timeout_s=0.02)
    assert late[0].failure
    assert late[0].failure.detail == "no answer within 0.02 s"
    assert early[0].text == "said"


def test_requests_are_spread_over_the_minute_retries_among_them() -> None:
    async def once_busy(number: int, earlier: int) -> str:
        if number == 1 and not earlier:
            raise TransientError("not now")
        return "said"

    _, candidate = seated(exam(4), once_busy, Manners(concurrency=4, requests_per_minute=1200))
    assert sorted(candidate.asked) == [0, 1, 1, 2, 3]
    gaps = [after - before for before, after in zip(sorted(candidate.at), sorted(candidate.at)[1:], strict=False)]
    assert min(gaps) > 0.03


def test_only_what_may_pass_is_tried_again_and_as_often_as_is_allowed() -> None:
    async def passes_at_third(number: int, earlier: int) -> str:
        if number == 0 and earlier < 2:
            raise TransientError("the index is being built")
        if number == 1:
            raise ValueError("no index")
        return "said"

    responses, candidate = seated(exam(2), passes_at_third, Manners(retries=2))
    assert candidate.asked == [0, 0, 0, 1]
    assert responses[0].text == "said"
    assert responses[1].failure
    once, _ = seated(exam(1), passes_at_third, Manners(retries=1))
    assert once[0].failure
    assert once[0].failure.kind is FailureKind.RAISED
    assert once[0].failure.detail == "the index is being built (2 attempts)"


def test_a_system_is_left_alone_for_as_long_as_it_asks() -> None:
    async def busy(number: int, earlier: int) -> str:
        if number == 0 and not earlier:
            raise SystemBusy("HTTP 429", retry_after_s=0.3)
        await asyncio.sleep(0.01)
        return "said"

    responses, candidate = seated(exam(6), busy, Manners(concurrency=2))
    assert all(response.text for response in responses)
    told_off = candidate.at[0]
    # those that were in flight already may land; none is sent meanwhile
    assert all(at - told_off < 0.1 or at - told_off > 0.29 for at in candidate.at)
    assert max(candidate.at) - told_off > 0.29


def test_nobody_waits_an_hour_for_a_system() -> None:
    async def closed(number: int, earlier: int) -> str:
        raise SystemBusy("HTTP 503", retry_after_s=3600)

    started = time.perf_counter()
    responses, candidate = seated(exam(1), closed, Manners(retries=5))
    assert time.perf_counter() - started < 1
    assert candidate.asked == [0]
    assert responses[0].failure


def test_waits_between_attempts_are_drawn_from_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def busy(number: int, earlier: int) -> str:
        raise TransientError("not now")

    waits: list[list[float]] = []
    real = asyncio.sleep

    async def noted(seconds: float, *more: object) -> None:
        if seconds > 0:
            waits[-1].append(seconds)
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", noted)
    for _ in range(2):
        waits.append([])
        seated(exam(1), busy, Manners(retries=4))
    assert len(waits[0]) == 4
    assert waits[0] == waits[1]
    assert all(0.005 * 2**n <= wait <= 0.01 * 2**n for n, wait in enumerate(waits[0]))


@pytest.mark.parametrize("kind", [KeyboardInterrupt, UsageError])
def test_an_interruption_keeps_all_that_was_answered_also_behind_a_slow_one(kind: type[BaseException]) -> None:
    of, recorded = exam(12), list[Response]()

    async def interrupted(number: int, earlier: int) -> str:
        if number == 0:
            await asyncio.sleep(0.2)
        if number == 5:
            await asyncio.sleep(0.05)
            raise kind("stop")
        return "said"

    candidate = Candidate(of, interrupted)
    with pytest.raises(kind):
        asyncio.run(
            sit(
                Invigilator(candidate, 5, Manners(concurrency=6)),
                of,
                set(),
                record=recorded.extend,
                watch=lambda done: None,
            )
        )
    found = [_place(of, response) for response in recorded]
    assert set(found) >= {1, 2, 3, 4}
    assert len(found) == len(set(found))
    rest, again = seated(of, backwards, Manners(concurrency=6), answered={r.id for r in recorded})
    assert sorted([*found, *(_place(of, r) for r in rest)]) == list(range(12))
    assert not set(again.asked) & set(found)


def _place(of: Exam, response: Response) -> int:
    return next(n for n, shown in enumerate(of.items) if shown.item.id == response.item_id)


def test_one_question_by_itself_is_put_once() -> None:
    of = exam(1)

    async def busy(number: int, earlier: int) -> str:
        raise TransientError("not now")

    candidate = Candidate(of, busy)
    shown: ExamItem = of.items[0]
    response = asyncio.run(administer.ask(candidate, shown, 5))
    assert candidate.asked == [0]
    assert response.failure
    assert response.failure.detail == "not now"
