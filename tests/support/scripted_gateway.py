"""A gateway that says what a script says, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from viva.core.calls import Call, CallContext, Message, Outcome, Reply, Usage, bound
from viva.llm.calls import CallFailed

Said = str | Outcome | Exception


@dataclass
class Asked:
    """One call to the scripted gateway."""

    role: str
    messages: tuple[Message, ...]
    parameters: dict[str, JsonValue]
    repeat: int
    bound: CallContext = field(default_factory=bound)
    thread: int = field(default_factory=threading.get_ident)


class ScriptedGateway:
    """Answers with the next text, or what a function makes of the call; an outcome or an exception is raised."""

    def __init__(self, script: Iterable[Said] | Callable[[Asked], Said]) -> None:
        self._script = script if callable(script) else iter(script)
        self.asked: list[Asked] = []
        self.counted: list[tuple[str, str, str]] = []

    async def ask(
        self,
        role: str,
        messages: Sequence[Message],
        parameters: Mapping[str, JsonValue] | None = None,
        *,
        repeat: int = 0,
    ) -> Reply:
        asked = Asked(role, tuple(messages), dict(parameters or {}), repeat)
        self.asked.append(asked)
        await asyncio.sleep(0)
        said = self._script(asked) if callable(self._script) else next(self._script)
        if isinstance(said, Exception):
            raise said
        outcome, text = (said, "half of a reply") if isinstance(said, Outcome) else (Outcome.ANSWERED, said)
        reply = Reply(text, outcome, "stop", Usage(10, 20))
        if outcome is not Outcome.ANSWERED:
            raise CallFailed(outcome, f"the reply was {outcome.value}", reply)
        return reply

    def key_of(
        self,
        role: str,
        messages: Sequence[Message],
        parameters: Mapping[str, JsonValue] | None = None,
        repeat: int = 0,
    ) -> str:
        return Call("hand", role, "", tuple(messages), dict(parameters or {}), repeat).key

    def count_unreadable(self, reply_key: str, role: str, kind: str) -> None:
        self.counted.append((reply_key, role, kind))

    @property
    def kinds(self) -> list[str]:
        """Defects counted, in order."""
        return [kind for _, _, kind in self.counted]

    def key(self, number: int) -> str:
        """The ledger's key of the n-th call."""
        asked = self.asked[number]
        return self.key_of(asked.role, asked.messages, asked.parameters, asked.repeat)
