"""One question put once: an answer or a failure in words, within its time; and whether it may be put again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tenacity import RetryCallState

from viva.core.errors import ModelAway, TransientError, UsageError
from viva.core.records import Failure, FailureCause, FailureKind
from viva.examinees.adapters.base import SystemBusy, raised_at
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.llm.calls import ProviderError
from viva.llm.secrets import Secrets
from viva.storage.corpus.source import storable

LONGEST_PAUSE_S = 120.0
"""That a system may ask for; one that asks for more is not waited for."""

_GRACE_S = 0.05
_LONGEST_DETAIL = 500
_LONGEST_PLACE = 100
"""Characters of a file and a line."""

Call = Callable[[], Awaitable[Answer]]


@dataclass(frozen=True)
class Attempt:
    """What came of asking: an answer or a failure, and the seconds that the system took."""

    found: Answer | Failure
    seconds: float
    error: BaseException | None = None
    """what was raised"""


async def attempted(call: Call, timeout_s: float, secrets: Secrets | None = None) -> Attempt:
    """What comes of a call within its time. A call that hangs is left behind. Raises UsageError and ModelAway alone.

    `secrets` blanks what a failure's words repeat; None: those of the environment as it is now.
    """
    task = asyncio.ensure_future(_outcome(call))
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout_s)
        if not done:
            # it may be here already, and not seen while another system kept this loop busy
            done, _ = await asyncio.wait({task}, timeout=_GRACE_S)
    finally:
        task.cancel()
    return _attempt(*task.result(), timeout_s, secrets) if done else Attempt(_late(timeout_s), timeout_s)


async def looked_up(call: Call, timeout_s: float, secrets: Secrets) -> Attempt:
    """The same of a call that cannot hang, at a fraction of the work."""
    return _attempt(*await _outcome(call), timeout_s, secrets)


def _attempt(found: Answer | BaseException, seconds: float, timeout_s: float, secrets: Secrets | None) -> Attempt:
    if isinstance(found, UsageError | ModelAway):
        raise found
    if isinstance(found, BaseException):
        return Attempt(_failure(found, secrets or Secrets()), seconds, found)
    if found.latency_s is not None and found.latency_s > timeout_s:
        return Attempt(_late(timeout_s), found.latency_s)
    return Attempt(found, seconds)


def _late(timeout_s: float) -> Failure:
    return Failure(kind=FailureKind.TIMED_OUT, detail=f"no answer within {timeout_s:g} s")


async def _outcome(call: Call) -> tuple[Answer | BaseException, float]:
    """The answer, or what was raised instead, and the seconds it took."""
    started = time.perf_counter()
    found: Answer | BaseException
    try:
        found = await call()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an examinee may raise anything: it is a counted failure
        found = error
    return found, time.perf_counter() - started


def _failure(error: BaseException, secrets: Secrets) -> Failure:
    kind, detail = FailureKind.RAISED, _in_words(error)
    if isinstance(error, BadAnswerError):
        kind = FailureKind.NO_ANSWER if isinstance(error, NoAnswerError) else FailureKind.BAD_ANSWER
        detail = str(error)
    cause, about = _cause_of(error)
    return Failure(
        kind=kind,
        detail=storable(secrets.redacted(detail[: 2 * _LONGEST_DETAIL])[:_LONGEST_DETAIL]),
        cause=cause,
        about=storable(secrets.redacted(about)),
    )


def _cause_of(error: BaseException) -> tuple[FailureCause | None, str]:
    """What an adapter, or the client of a model, tells of the cause; whatever else is raised tells nothing."""
    if isinstance(error, ProviderError):
        return (FailureCause.STATUS, str(error.status)) if error.status else (None, "")
    if isinstance(error, BadAnswerError | SystemBusy):
        return error.cause, error.about
    return None, ""


def _in_words(error: BaseException) -> str:
    name = type(error).__name__
    try:
        # an adapter that knows a failure to be passing tells it in a sentence
        if isinstance(error, TransientError):
            return str(error)
        return f"{name}: {str(error)[: _LONGEST_DETAIL - _LONGEST_PLACE]}{raised_at(error)[:_LONGEST_PLACE]}"
    except Exception:  # noqa: BLE001 - even its text is the user's code
        return f"{name}, which cannot be put in words"


# --- again --------------------------------------------------------------------------------------------------


def may_pass(tried: Attempt) -> bool:
    """Whether the same question may be answered later, and soon enough."""
    asked = asked_for(tried.error)
    return isinstance(tried.error, TransientError) and (asked is None or asked <= LONGEST_PAUSE_S)


def asked_for(error: BaseException | None) -> float | None:
    """Seconds that the system asked to be left alone, where its adapter could tell."""
    asked = getattr(error, "retry_after_s", None) if isinstance(error, TransientError) else None
    return float(asked) if isinstance(asked, int | float) else None


def last_of(state: RetryCallState) -> Attempt:
    """The last attempt, with how many there were."""
    if state.outcome is None:
        raise AssertionError("an attempt was made")
    tried: Attempt = state.outcome.result()
    if state.attempt_number == 1 or not isinstance(tried.found, Failure):
        return tried
    told = f"{tried.found.detail[: _LONGEST_DETAIL - 30]} ({state.attempt_number} attempts)"
    return Attempt(tried.found.model_copy(update={"detail": told}), tried.seconds, tried.error)
