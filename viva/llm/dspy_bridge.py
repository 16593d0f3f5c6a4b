"""DSPy on the gateway: engines for dspy.LM, so that optimizers share ledger, limits and budget. litellm stays out.

A gateway belongs to one event loop. Asynchronous code awaits on that loop. Synchronous code (DSPy's optimizers,
which run in threads) needs a loop that runs elsewhere: a `BackgroundLoop`, or the loop of a server in another
thread. Whoever asks, `gateway.ask` and all else that touches the gateway then runs on that one loop; a call from
another loop or thread crosses over and waits. A synchronous call on the gateway's own loop would wait for itself
and is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, Self

import dspy
from dspy import lm15
from dspy.clients.errors import error_boundary
from dspy.utils.exceptions import LMUnexpectedError
from pydantic import JsonValue

from viva.core.calls import Message, binding
from viva.llm.gateway import Gateway
from viva.llm.loops import awaited, called, running_loop, sent

CANDIDATES = 1000
"""Candidates that may be asked for in one rollout: each has a repeat, and so a ledger entry, of its own."""

_PASSED = ("temperature", "max_tokens", "top_p", "top_k", "seed", "frequency_penalty", "presence_penalty")
_NOT_PASSED = ("tool_choice", "reasoning", "cache", "service_tier", "user_id", "store", "probabilities")
# options of DSPy that say how often to ask, not what
_EXECUTION = {"n", "num_generations", "rollout_id", "cache"}

_repeats: ContextVar[Iterator[int]] = ContextVar("viva_dspy_repeats")


class GatewayLM(dspy.LM):  # type: ignore[misc]
    """DSPy's own cache, retries and history are off. What the gateway raises comes out as it was raised."""

    def __init__(self, gateway: Gateway, role: str, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Its calls are the role's calls to the gateway.

        `loop` is where the gateway lives, for synchronous calls and for calls from other loops; without it the LM can
        only be awaited, on the gateway's loop.
        """
        self._asks = AsyncEngine(gateway, role, loop)
        super().__init__(
            f"viva/{role}",
            cache=False,
            num_retries=0,
            engine=SyncEngine(gateway, role, loop),
            async_engine=self._asks,
        )

    def __call__(self, prompt: Any = None, *, candidate: int = 0, **options: Any) -> Any:
        """As dspy.LM. `candidate` tells answers to one request of one rollout apart."""
        with self._as_rollout(options, candidate):
            return super().__call__(prompt, **options)

    async def acall(self, prompt: Any = None, *, candidate: int = 0, **options: Any) -> Any:
        """As dspy.LM. `candidate` tells answers to one request of one rollout apart."""
        with self._as_rollout(options, candidate):
            if isinstance(prompt, lm15.Request):
                # ready to be sent: DSPy would hand it to two threads, to prepare it and to price the reply
                with error_boundary(self.model, unexpected=True):
                    return await self._asks.complete(prompt)
            return await super().acall(prompt, **options)

    def request(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> lm15.Request:
        """The request of these messages (role, content) under the LM's options and these."""
        chosen = {name: value for name, value in {**self.kwargs, **options}.items() if value is not None}
        body = {name: value for name, value in chosen.items() if name not in _EXECUTION}
        return lm15.request_from_openai_chat({**body, "model": self.model, "messages": list(messages)})

    def count_unreadable(
        self, request: lm15.Request, kind: str, *, rollout_id: int | None = None, candidate: int = 0
    ) -> None:
        """Count that the reply to this request could not be used."""
        self._asks.count_unreadable(request, self._repeat(rollout_id, candidate), kind)

    def update_history(self, entry: object) -> None:
        """Keep nothing: DSPy would keep the last ten thousand prompts, and the ledger has them all."""

    def _repeat(self, rollout_id: int | None, candidate: int) -> int:
        return repeat_of(self.kwargs.get("rollout_id") if rollout_id is None else rollout_id, candidate)

    @contextmanager
    def _as_rollout(self, options: Mapping[str, Any], candidate: int) -> Iterator[None]:
        # the engine's interface has no place for it; DSPy may ask several times for one call (n)
        token = _repeats.set(count(self._repeat(options.get("rollout_id"), candidate)))
        try:
            yield
        except LMUnexpectedError as wrapped:
            if wrapped.__cause__ is None:
                raise
            raise wrapped.__cause__ from None
        finally:
            _repeats.reset(token)


def repeat_of(rollout_id: int | None, candidate: int = 0) -> int:
    """The gateway's repeat: 0 for a plain call, never the same for two rollouts or candidates."""
    if not 0 <= candidate < CANDIDATES or (rollout_id is not None and rollout_id < 0):
        raise ValueError(f"rollout_id {rollout_id} or candidate {candidate} is out of range (0 to {CANDIDATES - 1}).")
    return candidate if rollout_id is None else (rollout_id + 1) * CANDIDATES + candidate


class _Engine:
    """One role's way to the gateway."""

    def __init__(self, gateway: Gateway, role: str, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._gateway = gateway
        self._role = role
        self._loop = loop

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        # optimizers copy programs with all they hold; there is one gateway
        return self

    async def _response(self, request: lm15.Request, repeat: int) -> lm15.Response:
        messages, parameters = _messages(request), _parameters(request)
        with binding(role=self._role):
            reply = await self._gateway.ask(self._role, messages, parameters, repeat=repeat)
        used = reply.usage
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant(reply.text),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens),
        )


class AsyncEngine(_Engine):
    """For awaiting, on the gateway's loop or any other."""

    async def complete(self, request: lm15.Request) -> lm15.Response:
        """One answered call. Raises what the gateway raises."""
        response = self._response(request, _next_repeat())
        if self._loop is None or self._loop is asyncio.get_running_loop():
            return await response
        return await asyncio.wrap_future(sent(response, self._loop))

    def count_unreadable(self, request: lm15.Request, repeat: int, kind: str) -> None:
        """Count that the reply to this request could not be used; from any thread."""
        messages, parameters = _messages(request), _parameters(request)

        def counted() -> None:
            key = self._gateway.key_of(self._role, messages, parameters, repeat)
            self._gateway.count_unreadable(key, self._role, kind)

        if self._loop is None or self._loop is running_loop():
            counted()
        else:
            awaited(called(counted), self._loop)


class SyncEngine(_Engine):
    """For plain calls from any thread but the gateway's own."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        """One answered call. Raises what the gateway raises."""
        if self._loop is None:
            raise RuntimeError("A synchronous call needs the gateway's loop: GatewayLM(gateway, role, loop).")
        if self._loop is running_loop():
            raise RuntimeError("On the gateway's own loop a synchronous call would wait for itself: await acall.")
        return awaited(self._response(request, _next_repeat()), self._loop)


def _next_repeat() -> int:
    return next(_repeats.get(iter((0,))))


def _messages(request: lm15.Request) -> tuple[Message, ...]:
    """The conversation. Raises lm15.UnsupportedFeatureError for anything but text."""
    if request.tools:
        raise lm15.UnsupportedFeatureError("The gateway carries no tools.", feature="tools")
    system = request.system if isinstance(request.system, str | None) else "\n".join(p.text for p in request.system)
    turns = [Message(role="system", text=system)] if system else []
    for turn in request.messages:
        if turn.role not in {"system", "user", "assistant"} or turn.text is None:
            raise lm15.UnsupportedFeatureError("The gateway carries nothing but text.", feature="messages")
        turns.append(Message(role=turn.role, text=turn.text))
    return tuple(turns)


def _parameters(request: lm15.Request) -> dict[str, JsonValue]:
    """What the request says about the answer; what it leaves open is the gateway's to choose."""
    config = request.config
    for name in _NOT_PASSED:
        if getattr(config, name) is not None:
            raise lm15.UnsupportedFeatureError(f"The gateway does not pass on {name}.", feature=f"config.{name}")
    chosen = {name: getattr(config, name) for name in _PASSED if getattr(config, name) is not None}
    if config.stop:
        chosen["stop"] = list(config.stop)
    if config.response_format is not None:
        chosen["response_format"] = _as_openai_writes_it(config.response_format)
    if config.logprobs is not None:
        chosen["logprobs"] = True
        if config.logprobs:
            chosen["top_logprobs"] = config.logprobs
    return {**(config.extensions or {}), **chosen}


def _as_openai_writes_it(response_format: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    if response_format.get("type") != "json_schema":
        return dict(response_format)
    inner = {name: value for name, value in response_format.items() if name != "type"}
    return {"type": "json_schema", "json_schema": inner}
