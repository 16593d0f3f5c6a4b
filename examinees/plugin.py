"""Somebody's own RAG as a Python function: `def answer(question) -> str | dict | ...`.

The function gets the question with its options written under it as 'A) ...' lines. It returns a text, or a
mapping or object with `text` (or `answer`) and, if it likes, `passages` (texts, or mappings with `text`).
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.examinees.answering import Answer
from viva.examinees.choosing import posed
from viva.examinees.own_loop import OwnLoop
from viva.examinees.reading import read_answer
from viva.examinees.specs import CallableSpec


class CallableCandidate:
    """A user's function in the chair. Plain functions run in a thread, so that one that hangs can be left behind."""

    def __init__(self, spec: CallableSpec) -> None:
        self.examinee = spec.examinee
        self._function = load_function(spec)
        self._own_loop = OwnLoop()

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:
        """Ask the function. Raises what it raises, BadAnswerError for a value that is no answer."""
        # the clock runs over there: here the loop may be busy with another system when the answer comes in
        value = await _in_thread(lambda text: self._read(text, options), posed(question, options))
        if inspect.isawaitable(value):
            value = await self._own_loop.run(_read(value, options))
        return cast(Answer, value)

    def _read(self, question: str, options: Sequence[str] | None) -> Any:
        started = time.perf_counter()
        value = self._function(question)
        # reading is part of answering: passages may come from a generator that takes its time
        return value if inspect.isawaitable(value) else _clocked(value, options, started)


async def _read(awaitable: Awaitable[Any], options: Sequence[str] | None) -> Answer:
    started = time.perf_counter()
    return _clocked(await awaitable, options, started)


def _clocked(value: Any, options: Sequence[str] | None, started: float) -> Answer:
    return replace(read_answer(value, options), latency_s=time.perf_counter() - started)


def load_function(spec: CallableSpec) -> Callable[[str], Any]:
    """The function a spec names. UsageError in words for a file, module or name that is not there or fails."""
    module = _load_file(spec) if spec.target.endswith(".py") else _load_module(spec)
    function = getattr(module, spec.function, None)
    if not callable(function):
        offered = sorted(n for n, v in vars(module).items() if callable(v) and not n.startswith("_"))[:8]
        raise UsageError(
            f"{spec.target} has no function {spec.function}.",
            allowed=f"It has: {', '.join(offered)}." if offered else "It has no functions.",
        )
    _check_takes_a_question(spec, function)
    return cast(Callable[[str], Any], function)


def _check_takes_a_question(spec: CallableSpec, function: Callable[..., Any]) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # built in: it shows none
        return
    try:
        signature.bind("")
    except TypeError as error:
        raise UsageError(
            f"{spec.function}{signature} in {spec.target} takes no question.",
            allowed="It is called with one text: def answer(question).",
        ) from error


def _load_file(spec: CallableSpec) -> ModuleType:
    path = Path(spec.target).resolve()
    name = f"viva_examinee_{content_hash('file', str(path))}"
    loader = importlib.util.spec_from_file_location(name, path)
    if loader is None or loader.loader is None:
        raise UsageError(f"{spec.target} is not a Python file.")
    module = importlib.util.module_from_spec(loader)
    sys.modules[name] = module
    try:
        loader.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a user's file may raise anything: it is told to them in words
        raise UsageError(
            f"{spec.target} cannot be loaded: {type(error).__name__}: {error}.",
            next_step=f"Try it alone: python {spec.target}",
        ) from error
    return module


def _load_module(spec: CallableSpec) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(spec.target)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"The module {spec.target} cannot be imported: {type(error).__name__}: {error}.",
            next_step=f"Try it alone: python -c 'import {spec.target}'",
        ) from error


async def _in_thread(function: Callable[[str], Any], question: str) -> Any:
    """Run in a daemon thread: one that hangs past its time is left behind and does not hold up the end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if not future.done():
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)

    def work() -> None:
        value: Any = None
        failure: BaseException | None = None
        try:
            value = function(question)
        except StopIteration as error:  # cannot travel through a future
            failure = RuntimeError(f"StopIteration: {error}")
        except Exception as error:  # noqa: BLE001 - a user's system may raise anything: it is counted
            failure = error
        except BaseException as error:  # noqa: BLE001 - also what would end a program; this is its own thread
            failure = RuntimeError(f"{type(error).__name__}: {error}")
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=work, daemon=True, name="examinee").start()
    return await future
