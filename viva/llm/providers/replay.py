"""`replay:LEDGER`: answers from a recorded ledger, and fails loudly on a call it does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from viva.core.calls import Call, Outcome, Reply, bound
from viva.core.errors import UsageError
from viva.llm.calls import CallFailed


class Recorded(Protocol):
    """A ledger opened for reading."""

    def find_question(self, question_key: str) -> Sequence[tuple[str, str, str, Reply]]:
        """(provider, model, endpoint, reply) of every model that answered this."""

    def find_lost(self, question_key: str) -> Sequence[tuple[str, str, Outcome, str]]:
        """(provider, model, outcome, error) of requests to ask this that brought no reply, the last one first."""

    def close(self) -> None:
        """Give back the file."""


class ReplayProvider:
    """Finds what was answered to the same question, whoever was asked; nothing is sent and nothing paid."""

    name = "replay"
    endpoint = ""

    def __init__(self, model: str, recorded: Recorded) -> None:
        """`model` is PATH, or PATH#PROVIDER:MODEL where several models answered the same questions."""
        self.model = model
        self._wanted = model.partition("#")[2]
        self._recorded = recorded

    async def complete(self, call: Call) -> Reply:
        """The recorded reply. CallFailed where the call was lost; UsageError where it was not made, or of several."""
        found = self._recorded.find_question(call.question_key)
        if self._wanted:
            found = [f for f in found if f"{f[0]}:{f[1]}" == self._wanted]
        if not found:
            for provider, model, outcome, error in self._recorded.find_lost(call.question_key):
                if self._wanted in {"", f"{provider}:{model}"}:
                    raise CallFailed(outcome, error)
            raise UsageError(
                f"The recorded ledger {self.model} does not hold this call of the role “{bound().role}”.",
                allowed="A replay needs the documents, settings, prompts and version of viva of the recorded run.",
                next_step="Give the same --items, --seed and other options, or name a model that can be asked.",
            )
        models = sorted({f"{provider}:{model}" for provider, model, _, _ in found})
        if len(models) > 1:
            raise UsageError(
                f"{len(models)} models answered in {self.model}: {', '.join(models)}.",
                next_step=f"Name one: --model replay:{self.model}#{models[0]}",
            )
        return replace(found[0][3], cost=0.0, cached=False, latency_s=0.0)

    async def aclose(self) -> None:
        """Close the recorded ledger."""
        self._recorded.close()
