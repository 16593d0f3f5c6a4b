"""The client of language models for one run, with its ledger, budget, limits and listeners."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from viva.core.calls import Spent, Usage
from viva.core.errors import UsageError, how_to_install
from viva.core.settings import Settings
from viva.llm.budget import Allowed, Budget, Spending
from viva.llm.events import EventLog, open_events
from viva.llm.gateway import Gateway
from viva.llm.limits import AdaptiveLimit, Pace, SharedLimits
from viva.llm.model_lane import ModelLane
from viva.llm.prices import Prices
from viva.llm.providers import open_provider
from viva.llm.roster import ModelName, Roster, parse_roster
from viva.llm.secrets import Secrets, without_credentials
from viva.storage.ledger import CallLedger, open_recorded

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from viva.llm.asking import Asker
    from viva.storage.run_place import RunPlace
    from viva.storage.shared.ledger import SharedLedger

_COLLECTORS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def _no_server() -> RunPlace | None:
    return None


@dataclass
class ModelClient:
    """Everything between the roles of one run and their models. Slow parts are created at their first use."""

    folder: Path
    settings: Settings
    run_id: Callable[[], str]
    server: Callable[[], RunPlace | None] = _no_server
    """the place of the run and its ledger on a database server; None: in the run folder"""
    shared: SharedLimits | None = None
    """the budget and the limits that several processes share; None: this process has its own"""

    @cached_property
    def roster(self) -> Roster:
        """The model of each role; none without --model. UsageError if --model cannot be read."""
        return parse_roster(self.settings.model) if self.settings.model else Roster(None, {})

    @cached_property
    def gateway(self) -> Gateway:
        """The gateway to the models. Opens the ledger of the run."""
        _ = self._collector
        settings = self.settings
        parameters = {"max_tokens": settings.max_reply_tokens}
        tempered = {} if settings.temperature == "default" else {"temperature": settings.temperature}
        return Gateway(
            self.roster,
            self._line,
            self.ledger,
            self._budget,
            self._prices,
            parameters={**parameters, **tempered},
            timeout_s=settings.call_timeout_s,
            listeners=[self._events.heard],
        )

    @cached_property
    def asker(self) -> Asker:
        """The client through which the roles ask their models."""
        from viva.llm.asking import Asker

        return Asker(self.gateway, max_reply_tokens=self.settings.max_reply_tokens)

    @property
    def spent(self) -> Spent:
        """Spent by this run in all, including earlier processes."""
        return self._budget.spent

    def check(self, *readers: ModelName) -> None:
        """UsageError for a model that cannot be used, before anything is read, written or paid.

        `readers`: models of examinees, in addition to those of the roles.
        """
        # what runs is traced from its beginning
        _ = self._collector
        if self.settings.model:
            # the import of DSPy takes a second: do it before others wait for an answer
            import viva.llm.asking  # noqa: F401
        if self.settings.base_url:
            without_credentials(self.settings.base_url, named="--base-url")
        for name in dict.fromkeys((*(self.roster.models if self.settings.model else ()), *readers)):
            provider = self._line(name).provider
            price = self._prices.cost(provider.name, provider.model, provider.endpoint, Usage(1, 1, 0))
            if price is None and self.settings.max_cost is not None:
                raise UsageError(
                    f"--max-cost is set, but no price is known for {name}.",
                    next_step=f"Give the price in US dollars per million tokens: --price {name}=INPUT,OUTPUT",
                )

    async def aclose(self) -> None:
        """Wait for requests in flight, write what is queued, and close."""
        try:
            if "gateway" in self.__dict__:
                await self.gateway.aclose()
            else:
                for line in self._lines.values():
                    await line.provider.aclose()
        finally:
            if "gateway" in self.__dict__:
                self._events.close()
            if self._collector is not None:
                from viva.llm.tracing import flush

                await asyncio.to_thread(flush, self._collector)
            if "ledger" in self.__dict__:
                self._close_ledger()

    def export_ledger(self) -> None:
        """Update RUN/ledger.sqlite, if the ledger is on a server."""
        if self.server() is None:
            return
        opened = "ledger" in self.__dict__
        self.ledger.export(self.folder)
        if not opened:
            self._close_ledger()

    @cached_property
    def ledger(self) -> CallLedger | SharedLedger:
        """The ledger of the run's calls; opened here."""
        place = self.server()
        if place is None:
            return CallLedger(self.folder)
        from viva.storage.shared.ledger import SharedLedger

        return SharedLedger(place, self.folder)

    def own_budget(self) -> Budget:
        """A budget with the limits of the settings and what the run has spent so far."""
        settings = self.settings
        allowed = Allowed(settings.max_calls, settings.max_tokens, settings.max_cost)
        unpriced = self.ledger.unpriced()
        if unpriced and settings.max_cost is not None:
            raise UsageError(
                f"{unpriced} replies of this run have no known price, so --max-cost cannot count them.",
                next_step="Limit the rest of this run with --max-calls or --max-tokens instead.",
            )
        return Budget(allowed, self.ledger.spent())

    def share(self, limits: SharedLimits) -> None:
        """From now on, use the budget and the limits that several processes share."""
        self.shared = limits
        for name, line in self._lines.items():
            line.pace = limits.pace(str(name))

    # --- inside ------------------------------------------------------------------------------------------

    def _close_ledger(self) -> None:
        self.ledger.close()
        # the next use opens it again
        del self.__dict__["ledger"]

    @cached_property
    def _lines(self) -> dict[ModelName, ModelLane]:
        return {}

    def _line(self, name: ModelName) -> ModelLane:
        if name not in self._lines:
            settings = self.settings
            provider = open_provider(name, settings, self._prices, self._secrets, open_recorded)
            pace = (
                self.shared.pace(str(name))
                if self.shared
                else Pace(settings.requests_per_minute, settings.tokens_per_minute)
            )
            self._lines[name] = ModelLane(provider, AdaptiveLimit(settings.concurrency), pace)
        return self._lines[name]

    @cached_property
    def _budget(self) -> Spending:
        return self.shared.budget if self.shared else self.own_budget()

    @cached_property
    def _prices(self) -> Prices:
        return Prices(self.settings.price)

    @cached_property
    def _secrets(self) -> Secrets:
        # an address given as an option is in no environment variable
        return Secrets(environ={**os.environ, "VIVA_BASE_URL": self.settings.base_url or ""})

    @cached_property
    def _events(self) -> EventLog:
        return open_events(self.folder, self.run_id())

    @cached_property
    def _collector(self) -> TracerProvider | None:
        return opened_collector()


def opened_collector() -> TracerProvider | None:
    """What takes the spans of this process, traced from now on; None where the environment names no collector.

    UsageError where the packages are missing or a variable cannot be used.
    """
    named = next((name for name in _COLLECTORS if os.environ.get(name)), None)
    if named is None or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    try:
        from viva.llm.tracing import collector

        return collector()
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{named} is set, and the packages for OpenTelemetry are not installed.",
            next_step=f"{how_to_install('otel')}; or unset {named}.",
        ) from error
    except ValueError as error:
        # `from None`: what the packages say of a setting may quote it
        raise UsageError(f"OpenTelemetry cannot be set up: {Secrets().redacted(str(error))}") from None
