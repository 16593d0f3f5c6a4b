"""What all adapters share: how they are asked, timed, handed passages, and closed."""

from __future__ import annotations

import asyncio
import sysconfig
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from viva.core.errors import TransientError, UsageError
from viva.core.records import Examinee, FailureCause, Passage, Turn
from viva.examinees.answering import Answer
from viva.examinees.own_loop import OwnLoop
from viva.examinees.readers.choosing import Asked

LONGEST_REPLY = 2_000_000
"""Bytes of one reply that are read."""


class SystemBusy(TransientError):
    """The system could not answer just now. `retry_after_s` is the wait it asked for; None: it asked for none."""

    def __init__(
        self, detail: str, cause: FailureCause | None = None, about: str = "", *, retry_after_s: float | None = None
    ) -> None:
        self.cause = cause
        self.about = about
        self.retry_after_s = retry_after_s
        super().__init__(detail)


_NOT_THEIRS = tuple(
    str(place.resolve())
    for place in (
        Path(__file__).parents[2],
        *(Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib", "platlib")),
    )
)
"""Folders of code that is not the user's: viva, Python, installed packages."""


def raised_at(error: BaseException) -> str:
    """File and line of the user's code that an error was raised in, as ' (rag.py, line 7)'; '' if it was in none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({Path(error.filename).name}, line {error.lineno})"
    at, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(("<frozen", *_NOT_THEIRS)):
            at = f" ({_short_path(file)}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return at


def _short_path(file: str) -> str:
    path = Path(file)
    return f"{path.parent.name}/{path.name}" if path.name == "__init__.py" else path.name


class Adapter(ABC):
    """A user's system in the chair, at work on an event loop of its own.

    It is a Candidate, and ReadsPassages where `takes_passages`. Whoever makes one closes it.
    """

    takes_passages: bool = False
    takes_history: bool = False

    def __init__(self, examinee: Examinee) -> None:
        self.examinee = examinee
        self._own_loop = OwnLoop()

    async def answer(
        self, question: str, options: Sequence[str] | None = None, history: Sequence[Turn] = ()
    ) -> Answer:
        """Ask. Raises what the system raises, BadAnswerError for what is no answer, SystemBusy for what may pass."""
        asked = Asked(question, tuple(options) if options else None, history=tuple(history))
        return await self._own_loop.run(self._clocked(asked))

    def answer_now(self, question: str, options: Sequence[str] | None = None) -> Answer:
        """The same, for code that is not asynchronous."""
        asked = Asked(question, tuple(options) if options else None)
        return self._own_loop.send(self._clocked(asked)).result()

    async def answer_from(
        self,
        question: str,
        options: Sequence[str] | None,
        passages: Sequence[Passage],
        history: Sequence[Turn] = (),
    ) -> Answer:
        """The same, from these passages. UsageError where the system cannot be handed any."""
        if not self.takes_passages:
            raise UsageError(f"“{self.examinee.name}” cannot be handed passages: it retrieves its own.")
        texts = tuple(passage.text for passage in passages)
        asked = Asked(question, tuple(options) if options else None, texts, tuple(history))
        return await self._own_loop.run(self._clocked(asked))

    def close(self) -> None:
        """Give back processes and connections, as far as the system lets go within some seconds."""
        self._own_loop.close(self._end)

    async def aclose(self) -> None:
        """The same, for asynchronous code."""
        await asyncio.to_thread(self.close)

    @abstractmethod
    async def _ask(self, asked: Asked) -> Answer:
        """One question, on the adapter's own loop."""

    async def _end(self) -> None:  # noqa: B027 - most hold nothing
        """Give back what is held, on the adapter's own loop."""

    async def _clocked(self, asked: Asked) -> Answer:
        # the clock runs over here: where the answer is waited for, the loop may be busy with another system
        started = time.perf_counter()
        answer = await self._ask(asked)
        seconds = time.perf_counter() - started
        return replace(answer, latency_s=seconds if answer.latency_s is None else answer.latency_s)
