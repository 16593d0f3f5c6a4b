"""One examinee sits the exam: every question once on each occasion, every failure a recorded response.

Several questions may be in flight, as its manners allow. What becomes of each is looked at in the exam's order, so
what is recorded does not depend on which answer came first.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from tenacity import AsyncRetrying, RetryCallState, retry_if_result, stop_after_attempt

from viva.core.ids import rng
from viva.core.records import WITHOUT_HISTORY, Exam, ExamItem, Failure, FailureKind, Response
from viva.examinees.adapters.recorded import RecordedCandidate
from viva.examinees.answering import Answer, Candidate, KnowsItems, TakesHistory, Unheard, takes_history
from viva.examinees.specs.records import Manners
from viva.graphs.sitting.ask_once import LONGEST_PAUSE_S, Attempt, asked_for, attempted, last_of, looked_up, may_pass
from viva.graphs.sitting.option_matching import ChoiceReader, with_choice
from viva.llm.limits import Pace
from viva.llm.secrets import Secrets
from viva.metrics.text.choices.reader import prepare_reading

RECORDED_EVERY = 10
"""Responses in a row that a kill can cost at most, beside those in flight."""
LOOKED_UP_AT_ONCE = 500
"""The same of recorded answers, which a kill costs nobody."""
WITHDRAWN_AFTER = 5
"""Failures in a row of the same kind after which a system is not asked on."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
"""Before a question is put again: doubled each time, with jitter."""

_AHEAD = 2
"""Questions asked ahead of the one that is waited for, per place in flight: a slow one holds up few."""


@dataclass
class Invigilator:
    """Puts questions to one examinee in the manner that it wants."""

    candidate: Candidate
    timeout_s: float
    """seconds per question, where the examinee's manners say nothing else; each retry has them anew"""
    manners: Manners = field(default_factory=lambda: Manners(retries=0))
    seed: int = 0
    choices: ChoiceReader | None = None
    """reads an answer that names no option; None: nobody does"""

    async def ask(self, shown: ExamItem, occasion: int = 0) -> Response:
        """One question; whatever the system does, a response comes back. UsageError and ModelAway come through."""
        async with self._places:
            tried = await self._tried(shown)
        if isinstance(tried.found, Failure):
            return failed(self.candidate, shown, tried.found, tried.seconds, occasion)
        answer = await with_choice(tried.found, shown.item.shown, shown.offered, self.choices)
        seconds = tried.seconds if answer.latency_s is None else answer.latency_s
        return _answered(self.candidate, shown, answer, seconds, occasion)

    async def _tried(self, shown: ExamItem) -> Attempt:
        """The last of as many attempts as it takes: again only after what is known to pass by itself."""
        if isinstance(self.candidate, RecordedCandidate):
            return await looked_up(lambda: _put(self.candidate, shown), self._timeout_s, self._secrets)
        draws = rng(self.seed, "retry", self.candidate.examinee.id, shown.item.id)

        def wait(state: RetryCallState) -> float:
            # the draw is made in any case: what follows does not depend on what a server asked for
            doubled = FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1)
            backoff: float = min(LONGEST_WAIT_S, doubled) * draws.uniform(0.5, 1)
            asked = asked_for(state.outcome.result().error) if state.outcome else None
            return backoff if asked is None else max(asked, backoff)

        retrying = AsyncRetrying(
            retry=retry_if_result(may_pass),
            stop=stop_after_attempt(1 + self.manners.retries),
            wait=wait,
            retry_error_callback=last_of,
        )
        tried: Attempt = await retrying(self._once, shown)
        return tried

    async def _once(self, shown: ExamItem) -> Attempt:
        await self._pace.turn(0)
        tried = await attempted(lambda: _put(self.candidate, shown), self._timeout_s, self._secrets)
        pause = asked_for(tried.error)
        if pause is not None and pause <= LONGEST_PAUSE_S:
            # for all questions to this system, not this one alone
            self._pace.pause(pause)
        return tried

    @property
    def _timeout_s(self) -> float:
        return self.manners.timeout_s or self.timeout_s

    @cached_property
    def _places(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(self.manners.concurrency)

    @cached_property
    def _secrets(self) -> Secrets:
        # read once in a sitting: its patterns take longer to make than many a failure
        return Secrets()

    @cached_property
    def _pace(self) -> Pace:
        return Pace(self.manners.requests_per_minute, None)


async def sit(
    invigilator: Invigilator,
    exam: Exam,
    answered: set[str],
    *,
    record: Callable[[list[Response]], None],
    watch: Callable[[int], None],
    occasions: int = 1,
) -> None:
    """Ask what is not answered yet and record it. A system that fails on and on is withdrawn, not waited for.

    The whole exam is gone through once for each of the `occasions`.

    A question that its model leaves unheard is asked once more, after the others. ModelAway where nobody was heard
    meanwhile: nothing is recorded of it.
    """
    candidate = invigilator.candidate
    open_ = [
        (shown, occasion)
        for occasion in range(occasions)
        for shown in exam.items
        if Response.id_of(candidate.examinee.id, shown, occasion) not in answered
    ]
    if any(shown.offered for shown, _ in open_):
        prepare_reading()
    waiting, asked = deque(open_), deque[tuple[tuple[ExamItem, int], asyncio.Task[Response]]]()
    # nobody is spared anything by an answer that is not looked up
    endures = isinstance(candidate, RecordedCandidate)
    clerk = _Clerk(record, watch, done=occasions * len(exam.items) - len(open_), endures=endures)
    put_off: dict[tuple[str, int], int] = {}
    ahead = 1 if invigilator.manners.concurrency == 1 else _AHEAD * invigilator.manners.concurrency
    try:
        while endures and waiting:
            clerk.take(await invigilator.ask(*waiting.popleft()))
            await clerk.breathe()
        while (waiting or asked) and not clerk.withdrawn:
            while waiting and len(asked) < ahead:
                question = waiting.popleft()
                asked.append((question, asyncio.ensure_future(invigilator.ask(*question))))
            # waited for, not awaited: who ends this sitting does not end the question
            await asyncio.wait({asked[0][1]})
            question, task = asked.popleft()
            shown, occasion = question
            try:
                clerk.take(task.result())
            except Unheard as unheard:
                if (shown.item.id, occasion) not in put_off:
                    put_off[shown.item.id, occasion] = clerk.heard
                    waiting.append(question)
                elif put_off[shown.item.id, occasion] == clerk.heard:
                    raise
                else:
                    # it answers others: what it stumbles over is the question
                    stumbled = Failure(kind=FailureKind.BAD_ANSWER, detail=str(unheard))
                    clerk.take(failed(candidate, shown, stumbled, 0.0, occasion))
            await clerk.breathe()
        for shown, occasion in (*(question for question, _ in asked), *waiting):
            clerk.take(failed(candidate, shown, clerk.withdrawal, 0.0, occasion))
    finally:
        for _, task in asked:
            if not clerk.withdrawn and _is_here(task):
                clerk.take(task.result())
            task.cancel()
        clerk.close()


class _Clerk:
    """Takes responses in the exam's order, records them in batches, and sees when it is enough."""

    def __init__(
        self,
        record: Callable[[list[Response]], None],
        watch: Callable[[int], None],
        *,
        done: int,
        endures: bool = False,
    ) -> None:
        self._record = record
        self._watch = watch
        self._done = done
        self._endures = endures
        self._pending: list[Response] = []
        self._streak: list[FailureKind] = []
        self.heard = 0
        """answers taken"""

    @property
    def withdrawn(self) -> bool:
        """Whether the system has failed too often in a row."""
        return not self._endures and len(self._streak) >= WITHDRAWN_AFTER

    @property
    def withdrawal(self) -> Failure:
        """What is said of a question that was not asked."""
        detail = f"not asked: {WITHDRAWN_AFTER} failures in a row ({self._streak[0].value})"
        return Failure(kind=FailureKind.WITHDRAWN, detail=detail)

    def take(self, response: Response) -> None:
        """One more, in order."""
        self._done += 1
        self._pending.append(response)
        kind = response.failure.kind if response.failure else None
        self.heard += kind is None
        if kind is not FailureKind.WITHDRAWN:
            same = [each for each in self._streak if each == kind]
            self._streak = [*same, kind] if kind else []
        if len(self._pending) >= (LOOKED_UP_AT_ONCE if self._endures else RECORDED_EVERY):
            self._write()
            self._watch(self._done)

    async def breathe(self) -> None:
        """Let others have the loop after each batch."""
        if not self._pending:
            await asyncio.sleep(0)

    def close(self) -> None:
        """Record the rest."""
        if self._pending:
            self._write()
        self._watch(self._done)

    def _write(self) -> None:
        self._record(self._pending)
        self._pending = []


def _is_here(task: asyncio.Task[Response]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


# --- one question -------------------------------------------------------------------------------------------


async def ask(candidate: Candidate, shown: ExamItem, timeout_s: float) -> Response:
    """One question, once; whatever the system does, a response comes back."""
    return await Invigilator(candidate, timeout_s).ask(shown)


async def _put(candidate: Candidate, shown: ExamItem) -> Answer:
    item, given = shown.item, takes_history(candidate)
    if isinstance(candidate, KnowsItems):
        found = await candidate.answer_item(shown)
    elif item.history and given and isinstance(candidate, TakesHistory):
        found = await candidate.answer(item.stem, shown.offered, item.history)
    else:
        found = await candidate.answer(item.stem, shown.offered)
    return replace(found, meta={**found.meta, WITHOUT_HISTORY: "yes"}) if item.history and not given else found


# --- responses ----------------------------------------------------------------------------------------------


def _answered(candidate: Candidate, shown: ExamItem, answer: Answer, seconds: float, occasion: int) -> Response:
    return Response(
        id=Response.id_of(candidate.examinee.id, shown, occasion),
        examinee_id=candidate.examinee.id,
        item_id=shown.item.id,
        text=answer.text,
        choice=answer.choice,
        passages=answer.passages,
        latency_s=round(seconds, 6),
        occasion=occasion,
        usage=answer.usage,
        meta=dict(answer.meta),
    )


def failed(candidate: Candidate, shown: ExamItem, failure: Failure, seconds: float, occasion: int = 0) -> Response:
    """The response of a system that failed."""
    return Response(
        id=Response.id_of(candidate.examinee.id, shown, occasion),
        examinee_id=candidate.examinee.id,
        item_id=shown.item.id,
        latency_s=round(seconds, 6),
        occasion=occasion,
        failure=failure,
    )
