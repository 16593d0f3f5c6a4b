"""A model by hand: every role answers what the test says, and what it was asked is kept."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


class Says:
    """Replies by role, in turn. Holds both sides to the signature: no input and no output field more or less."""

    def __init__(self, **replies: Any) -> None:
        self._replies = {role: list(r) if isinstance(r, list) else [r] for role, r in replies.items()}
        self.asked: list[tuple[str, dict[str, object]]] = []

    async def ask(self, role: str, signature: Any, **inputs: object) -> SimpleNamespace:
        assert set(inputs) == set(signature.input_fields)
        self.asked.append((role, inputs))
        reply = self._replies[role.rpartition(".")[2].replace("-", "_")].pop(0)
        assert set(reply) == set(signature.output_fields)
        return SimpleNamespace(**reply)

    @property
    def roles(self) -> list[str]:
        return [role for role, _ in self.asked]

    def heard(self, field: str) -> str:
        """What the last question had in this input field."""
        return str(self.asked[-1][1][field])
