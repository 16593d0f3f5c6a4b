"""One examinee sits the exam: every question once, every failure a recorded response."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from viva.core.errors import UsageError
from viva.core.records import Exam, ExamItem, Failure, FailureKind, Response
from viva.examinees.answering import Answer, Candidate
from viva.examinees.plugin import BadAnswerError, NoAnswerError

RECORDED_EVERY = 10
"""Responses that a kill can cost at most."""
WITHDRAWN_AFTER = 5
"""Failures in a row of the same kind after which a system is not asked on."""


async def sit(
    candidate: Candidate,
    exam: Exam,
    answered: set[str],
    *,
    timeout_s: float,
    record: Callable[[list[Response]], None],
    watch: Callable[[int], None],
) -> None:
    """Ask what is not answered yet and record it. A system that fails on and on is withdrawn, not waited for."""
    pending: list[Response] = []
    streak: list[FailureKind] = []
    done = 0
    try:
        for shown in exam.items:
            done += 1
            response_id = Response.id_of(candidate.examinee.id, shown)
            if response_id in answered:
                continue
            if len(streak) >= WITHDRAWN_AFTER:
                detail = f"not asked: {WITHDRAWN_AFTER} failures in a row ({streak[0].value})"
                response = _failed(candidate, shown, FailureKind.WITHDRAWN, detail, 0.0)
            else:
                response = await ask(candidate, shown, timeout_s)
                kind = response.failure.kind if response.failure else None
                streak = [*streak, kind] if kind and (not streak or streak[0] == kind) else ([kind] if kind else [])
            pending.append(response)
            if len(pending) >= RECORDED_EVERY:
                record(pending)
                pending = []
                watch(done)
                await asyncio.sleep(0)
    finally:
        if pending:
            record(pending)
    watch(done)


async def ask(candidate: Candidate, shown: ExamItem, timeout_s: float) -> Response:
    """One question; whatever the system does, a response comes back."""
    started = time.perf_counter()
    try:
        # in this very task, so that a SystemExit is caught here and does not end the run
        async with asyncio.timeout(timeout_s) as limit:
            answer, seconds = await _timed_answer(candidate, shown)
    except BadAnswerError as error:
        kind = FailureKind.NO_ANSWER if isinstance(error, NoAnswerError) else FailureKind.BAD_ANSWER
        return _failed(candidate, shown, kind, str(error), time.perf_counter() - started)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an examinee may raise anything: it is a counted failure
        if limit.expired():
            detail = f"no answer within {timeout_s:g} s"
            return _failed(candidate, shown, FailureKind.TIMED_OUT, detail, time.perf_counter() - started)
        detail = f"{type(error).__name__}: {error}"[:500]
        return _failed(candidate, shown, FailureKind.RAISED, detail, time.perf_counter() - started)
    return _answered(candidate, shown, answer, seconds)


async def _timed_answer(candidate: Candidate, shown: ExamItem) -> tuple[Answer, float]:
    """The answer and its seconds, counted from when the system is at work, not from when it was put in line."""
    started = time.perf_counter()
    answer = await candidate.answer(shown.item.stem, shown.options, shown)
    return answer, time.perf_counter() - started


def _answered(candidate: Candidate, shown: ExamItem, answer: Answer, seconds: float) -> Response:
    return Response(
        id=Response.id_of(candidate.examinee.id, shown),
        examinee_id=candidate.examinee.id,
        item_id=shown.item.id,
        text=answer.text,
        choice=answer.choice,
        passages=answer.passages,
        latency_s=round(seconds, 6),
    )


def _failed(candidate: Candidate, shown: ExamItem, kind: FailureKind, detail: str, seconds: float) -> Response:
    return Response(
        id=Response.id_of(candidate.examinee.id, shown),
        examinee_id=candidate.examinee.id,
        item_id=shown.item.id,
        latency_s=round(seconds, 6),
        failure=Failure(kind=kind, detail=detail),
    )
