"""A gateway on a model server and a folder, as the command line opens one, for the length of some work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from model_server import ModelServer

from viva.core.calls import Entry, Message, Reply
from viva.core.settings import Settings
from viva.llm.budget import Allowed, Budget
from viva.llm.gateway import Gateway, Retries
from viva.llm.limits import AdaptiveLimit, Pace
from viva.llm.model_lane import ModelLane
from viva.llm.prices import Prices
from viva.llm.providers.langchain import LangChainProvider
from viva.llm.roster import ModelName, parse_roster
from viva.llm.secrets import Secrets
from viva.storage.ledger import CallLedger

QUICK = Retries(attempts=4, first_s=0.01, longest_s=0.05)


class Opened:
    """A gateway on a server and a folder, and what it told."""

    def __init__(self, gateway: Gateway, ledger: CallLedger, limit: AdaptiveLimit) -> None:
        self.gateway = gateway
        self.ledger = ledger
        self.limit = limit
        self.heard: list[Entry] = []

    async def ask(self, text: str, role: str = "writer", repeat: int = 0, **parameters: Any) -> Reply:
        return await self.gateway.ask(role, [Message(role="user", text=text)], parameters, repeat=repeat)


def at(
    server: ModelServer,
    folder: Path,
    work: Callable[[Opened], Awaitable[Any]],
    *,
    allowed: Allowed | None = None,
    models: str = "openai:first",
    timeout_s: float = 5.0,
    concurrency: int = 64,
    retries: Retries = QUICK,
) -> Any:
    """Do `work` with a gateway that is closed afterwards."""
    settings = Settings(base_url=server.url)
    prices = Prices(("openai:first=1,2",))
    limit = AdaptiveLimit(concurrency)

    def line(name: ModelName) -> ModelLane:
        return ModelLane(LangChainProvider.of(name, settings, prices, Secrets()), limit, Pace(None, None))

    async def all_of_it() -> Any:
        ledger = CallLedger(folder)
        budget = Budget(allowed or Allowed(), ledger.spent())
        heard: list[Entry] = []
        gateway = Gateway(
            parse_roster([models]),
            line,
            ledger,
            budget,
            prices,
            parameters={"temperature": 0.0, "max_tokens": 100},
            timeout_s=timeout_s,
            retries=retries,
            listeners=[heard.append],
        )
        opened = Opened(gateway, ledger, limit)
        opened.heard = heard
        try:
            return await work(opened)
        finally:
            await gateway.aclose()
            ledger.close()

    return asyncio.run(all_of_it())
