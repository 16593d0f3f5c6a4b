"""Whatever an examinee does, each question gets one response, and the others are not held up."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from by_hand import exam

from viva.core.errors import ModelAway, TransientError, UsageError
from viva.core.records import Exam, Examinee, FailureKind, Response
from viva.examinees.adapters.recorded import RecordedCandidate
from viva.examinees.answering import Answer, Unheard
from viva.examinees.own_loop import in_thread
from viva.examinees.readers.reading import read_answer
from viva.examinees.specs.records import RecordedSpec
from viva.graphs.sitting.administer import RECORDED_EVERY, WITHDRAWN_AFTER, Invigilator, ask, sit

Behaviour = Callable[[int], Any]


class Candidate:
    """Does what it is told on its n-th question."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.examinee = Examinee(id="e1", name="one", spec="one")
        self.stems: list[str] = []
        self._behaviour = behaviour

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:
        self.stems.append(question)
        number = len(self.stems) - 1
        value = self._behaviour(number)
        if asyncio.iscoroutine(value):
            value = await value
        return read_answer(value, options)


def seated(candidate: Candidate, of: Exam, answered: set[str] | None = None, timeout_s: float = 5) -> list[Response]:
    recorded: list[Response] = []
    asyncio.run(
        sit(
            Invigilator(candidate, timeout_s),
            of,
            answered or set(),
            record=recorded.extend,
            watch=lambda done: None,
        )
    )
    return recorded


def asked(behaviour: Behaviour, timeout_s: float = 5) -> Response:
    return asyncio.run(ask(Candidate(behaviour), exam(1).items[0], timeout_s))


def raising(error: BaseException) -> Behaviour:
    def behave(number: int) -> str:
        raise error

    return behave


def test_an_answer_is_recorded_with_its_choice_and_time() -> None:
    response = asked(lambda _: {"text": "B", "passages": ["Pump 0 moves water."]})
    assert (response.choice, response.text, response.failure) == (1, "B", None)
    assert [p.text for p in response.passages] == ["Pump 0 moves water."]
    assert response.latency_s >= 0


def test_a_text_that_means_no_option_is_an_answer_and_no_failure() -> None:
    response = asked(lambda _: "I do not know.")
    assert (response.choice, response.failure) == (None, None)


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        (raising(ValueError("no index")), FailureKind.RAISED, "ValueError: no index"),
        (raising(TimeoutError("the server slept")), FailureKind.RAISED, "TimeoutError: the server slept"),
        (raising(TransientError("its own model is away")), FailureKind.RAISED, "its own model is away"),
        (raising(SystemExit(3)), FailureKind.RAISED, "SystemExit: 3"),
        (raising(RecursionError("too deep")), FailureKind.RAISED, "RecursionError"),
        (lambda _: None, FailureKind.NO_ANSWER, "None"),
        (lambda _: True, FailureKind.BAD_ANSWER, "truth value"),
        (lambda _: {"text": None}, FailureKind.BAD_ANSWER, "dict"),
        (lambda _: {"text": "A", "passages": [None]}, FailureKind.BAD_ANSWER, "NoneType"),
        (lambda _: iter("A"), FailureKind.BAD_ANSWER, "iterator"),
    ],
)
def test_a_failure_is_a_response_that_says_what_happened(behaviour: Behaviour, kind: FailureKind, said: str) -> None:
    response = asked(behaviour)
    assert response.failure is not None
    assert (response.failure.kind, response.choice, response.text) == (kind, None, "")
    assert said in response.failure.detail


def test_a_long_complaint_is_cut() -> None:
    response = asked(raising(ValueError("x" * 100_000)))
    assert response.failure is not None
    assert len(response.failure.detail) <= 500


def test_a_coroutine_that_hangs_is_left_at_its_limit() -> None:
    started = time.perf_counter()
    response = asked(lambda _: asyncio.sleep(60), timeout_s=0.1)
    assert time.perf_counter() - started < 2
    assert response.failure is not None
    assert (response.failure.kind, response.failure.detail) == (FailureKind.TIMED_OUT, "no answer within 0.1 s")


def test_a_plain_function_that_hangs_is_left_behind_too() -> None:
    released = threading.Event()
    started = time.perf_counter()
    response = asked(lambda _: in_thread(lambda: released.wait(60)), timeout_s=0.1)
    released.set()
    assert time.perf_counter() - started < 2
    assert response.failure is not None
    assert response.failure.kind == FailureKind.TIMED_OUT


def test_a_mistake_of_the_person_is_no_failure_of_the_system() -> None:
    with pytest.raises(UsageError):
        asked(raising(UsageError("There is no model of that name.")))


def test_every_question_is_asked_once_and_recorded() -> None:
    candidate, of = Candidate(lambda _: "A"), exam(23)
    responses = seated(candidate, of)
    assert [r.item_id for r in responses] == [shown.item.id for shown in of.items]
    assert len({r.id for r in responses}) == 23
    assert len(candidate.stems) == 23


def test_what_is_answered_already_is_not_asked_again() -> None:
    of = exam(12)
    first = seated(Candidate(lambda _: "A"), of)
    again = Candidate(lambda _: "B")
    second = seated(again, of, {r.id for r in first[:7]})
    assert [r.item_id for r in second] == [shown.item.id for shown in of.items[7:]]
    assert len(again.stems) == 5


@pytest.mark.parametrize("kind", [ModelAway, Unheard])
@pytest.mark.parametrize("before", [0, 7])
def test_nothing_is_recorded_of_questions_asked_while_the_readers_model_was_away(
    kind: type[Exception], before: int
) -> None:
    of, recorded = exam(12), list[Response]()
    away = Candidate(lambda n: "A" if n < before else raising(kind("no route to the model"))(n))
    with pytest.raises(ModelAway, match="no route"):
        asyncio.run(sit(Invigilator(away, 5), of, set(), record=recorded.extend, watch=lambda done: None))
    assert [(r.item_id, r.failure) for r in recorded] == [(shown.item.id, None) for shown in of.items[:before]]
    assert len(seated(Candidate(lambda _: "A"), of, {r.id for r in recorded})) == 12 - before


def test_a_question_that_was_not_heard_is_asked_again_after_the_others() -> None:
    of = exam(5)
    responses = seated(Candidate(lambda n: raising(Unheard("a pause"))(n) if n == 1 else "A"), of)
    assert [of.items[n].item.id for n in (0, 2, 3, 4, 1)] == [r.item_id for r in responses]
    assert not any(r.failure for r in responses)


def test_a_question_that_its_model_stumbles_over_while_it_answers_others_is_lost_alone() -> None:
    of = exam(5)
    responses = seated(Candidate(lambda n: raising(Unheard("500 once more"))(n) if n in {1, 5} else "A"), of)
    assert [(r.item_id, r.failure.detail) for r in responses if r.failure] == [(of.items[1].item.id, "500 once more")]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, asyncio.CancelledError])
def test_an_interruption_loses_no_answer_that_was_given(kind: type[BaseException]) -> None:
    of, recorded = exam(20), list[Response]()
    stopping = Candidate(lambda n: "A" if n < 13 else raising(kind())(n))
    with pytest.raises(kind):
        asyncio.run(sit(Invigilator(stopping, 5), of, set(), record=recorded.extend, watch=lambda done: None))
    assert [r.item_id for r in recorded] == [shown.item.id for shown in of.items[:13]]
    going_on = Candidate(lambda _: "A")
    rest = seated(going_on, of, {r.id for r in recorded})
    assert {r.item_id for r in recorded} | {r.item_id for r in rest} == {shown.item.id for shown in of.items}
    assert len(going_on.stems) == 7


def test_answers_are_recorded_as_they_come() -> None:
    batches: list[int] = []
    asyncio.run(
        sit(
            Invigilator(Candidate(lambda _: "A"), 5),
            exam(25),
            set(),
            record=lambda responses: batches.append(len(responses)),
            watch=lambda done: None,
        )
    )
    assert batches == [RECORDED_EVERY, RECORDED_EVERY, 5]


def test_a_system_that_fails_on_and_on_is_withdrawn() -> None:
    candidate = Candidate(raising(ValueError("no index")))
    responses = seated(candidate, exam(12))
    kinds = [r.failure.kind for r in responses if r.failure]
    assert kinds == [FailureKind.RAISED] * WITHDRAWN_AFTER + [FailureKind.WITHDRAWN] * 7
    assert len(candidate.stems) == WITHDRAWN_AFTER
    assert "raised" in (responses[-1].failure.detail if responses[-1].failure else "")


def test_a_system_that_hangs_costs_five_limits_and_no_more() -> None:
    started = time.perf_counter()
    responses = seated(Candidate(lambda _: asyncio.sleep(60)), exam(40), timeout_s=0.05)
    assert time.perf_counter() - started < 2
    assert len(responses) == 40


def test_an_answer_between_failures_begins_the_count_afresh() -> None:
    candidate = Candidate(lambda n: "A" if n % 4 == 3 else None)
    responses = seated(candidate, exam(20))
    assert len(candidate.stems) == 20
    assert not any(r.failure and r.failure.kind == FailureKind.WITHDRAWN for r in responses)


def test_the_watcher_hears_how_far_it_is() -> None:
    heard: list[int] = []
    asyncio.run(
        sit(Invigilator(Candidate(lambda _: "A"), 5), exam(12), set(), record=lambda _: None, watch=heard.append)
    )
    assert heard == [10, 12]


def test_no_function_of_a_user_can_end_the_run_from_its_thread() -> None:
    response = asked(lambda _: in_thread(lambda: sys.exit(1)))
    assert response.failure is not None
    assert response.failure.kind == FailureKind.RAISED


def test_a_key_in_what_a_system_raised_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-proj-0123456789abcdef0123")
    response = asked(raising(ValueError("401 for sk-proj-0123456789abcdef0123")))
    assert response.failure is not None
    assert "0123456789abcdef" not in response.failure.detail


def test_recorded_answers_are_looked_up_to_the_end_however_many_are_missing(tmp_path: Path) -> None:
    items = exam(WITHDRAWN_AFTER + 3)
    last = items.items[-1].item.stem
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps({"question": last, "answer": "A"}) + "\n")
    examinee = Examinee(id="r", name="recorded", spec="recorded:answers.jsonl")
    found: list[Response] = []
    invigilator = Invigilator(RecordedCandidate(RecordedSpec(examinee=examinee, path=str(file))), 1.0)
    asyncio.run(sit(invigilator, items, set(), record=found.extend, watch=lambda done: None))
    kinds = [response.failure.kind if response.failure else None for response in found]
    assert kinds == [*[FailureKind.NO_ANSWER] * (WITHDRAWN_AFTER + 2), None]
