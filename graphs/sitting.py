"""One examinee sits the exam: every question once, every failure a recorded response."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from viva.core.errors import UsageError
from viva.core.records import Exam, ExamItem, Failure, FailureKind, Response
from viva.examinees.answering import Answer, BadAnswerError, Candidate, KnowsItems, NoAnswerError
from viva.storage.corpus.source import storable

RECORDED_EVERY = 10
"""Responses that a kill can cost at most."""
WITHDRAWN_AFTER = 5
"""Failures in a row of the same kind after which a system is not asked on."""

_GRACE_S = 0.05
_LONGEST_DETAIL = 500


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
    task = asyncio.ensure_future(_outcome(candidate, shown))
    done, _ = await asyncio.wait({task}, timeout=timeout_s)
    if not done:
        # it may be here already, and not seen while another system kept this loop busy
        done, _ = await asyncio.wait({task}, timeout=_GRACE_S)
    if not done:
        task.cancel()
        return _failed(candidate, shown, FailureKind.TIMED_OUT, f"no answer within {timeout_s:g} s", timeout_s)
    found, seconds = task.result()
    if isinstance(found, UsageError):
        raise found
    if isinstance(found, BadAnswerError):
        kind = FailureKind.NO_ANSWER if isinstance(found, NoAnswerError) else FailureKind.BAD_ANSWER
        return _failed(candidate, shown, kind, str(found), seconds)
    if isinstance(found, BaseException):
        return _failed(candidate, shown, FailureKind.RAISED, _in_words(found), seconds)
    if found.latency_s is not None and found.latency_s > timeout_s:
        detail = f"no answer within {timeout_s:g} s"
        return _failed(candidate, shown, FailureKind.TIMED_OUT, detail, found.latency_s)
    return _answered(candidate, shown, found, seconds if found.latency_s is None else found.latency_s)


async def _outcome(candidate: Candidate, shown: ExamItem) -> tuple[Answer | BaseException, float]:
    """The answer, or what was raised instead, and the seconds it took."""
    started = time.perf_counter()
    found: Answer | BaseException
    try:
        if isinstance(candidate, KnowsItems):
            found = await candidate.answer_item(shown)
        else:
            found = await candidate.answer(shown.item.stem, shown.options or None)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an examinee may raise anything: it is a counted failure
        found = error
    return found, time.perf_counter() - started


def _in_words(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # noqa: BLE001 - even its text is the user's code
        return f"{name}, which cannot be put in words"


def _answered(candidate: Candidate, shown: ExamItem, answer: Answer, seconds: float) -> Response:
    return Response(
        id=Response.id_of(candidate.examinee.id, shown),
        examinee_id=candidate.examinee.id,
        item_id=shown.item.id,
        text=answer.text,
        choice=answer.choice,
        passages=answer.passages,
        latency_s=round(seconds, 6),
        usage=answer.usage,
        meta=dict(answer.meta),
    )


def _failed(candidate: Candidate, shown: ExamItem, kind: FailureKind, detail: str, seconds: float) -> Response:
    return Response(
        id=Response.id_of(candidate.examinee.id, shown),
        examinee_id=candidate.examinee.id,
        item_id=shown.item.id,
        latency_s=round(seconds, 6),
        failure=Failure(kind=kind, detail=storable(detail[:_LONGEST_DETAIL])),
    )
