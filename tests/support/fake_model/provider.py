"""`fake:` models: no model at all. They answer in any format and play any role, badly and always the same way."""

from __future__ import annotations

from fake_model import fake_reply
from viva.core.calls import Call, Outcome, Reply, Usage
from viva.llm.providers import OWN
from viva.llm.tokens import estimated_tokens


class FakeProvider:
    """For tests and benchmarks. Costs nothing."""

    name = "fake"
    endpoint = ""

    def __init__(self, model: str) -> None:
        self.model = model

    async def complete(self, call: Call) -> Reply:
        """What `fake_reply` makes of the conversation."""
        text = fake_reply(call.messages, call.parameters)
        usage = Usage(sum(estimated_tokens(m.text) for m in call.messages), estimated_tokens(text))
        return Reply(text=text, outcome=Outcome.ANSWERED, finish_reason="stop", usage=usage, cost=0.0)

    async def aclose(self) -> None:
        """Nothing is open."""


def register() -> None:
    """Let --model fake:NAME name it, in this process."""
    OWN["fake"] = FakeProvider
