"""The providers of models: LangChain's for real ones, `hf:` in this process, `replay:` from a recorded ledger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from viva.core.settings import Settings
from viva.llm.calls import Provider
from viva.llm.prices import Prices
from viva.llm.providers.replay import Recorded
from viva.llm.roster import ModelName
from viva.llm.secrets import Secrets

OpenRecorded = Callable[[Path], Recorded]


def _in_process(model: str) -> Provider:
    from viva.llm.providers.in_process import InProcessProvider

    return InProcessProvider(model)


OWN: dict[str, Callable[[str], Provider]] = {"hf": _in_process}
"""What opens a model by its name, for providers that need nothing else. Tests add one."""


def open_provider(
    name: ModelName, settings: Settings, prices: Prices, secrets: Secrets, open_recorded: OpenRecorded
) -> Provider:
    """The provider of this model. UsageError for one that is not known, not installed, or without its key."""
    if name.provider == "replay":
        from viva.llm.providers.replay import ReplayProvider

        return ReplayProvider(name.model, open_recorded(Path(name.model.partition("#")[0])))
    if name.provider in OWN:
        return OWN[name.provider](name.model)
    from viva.llm.providers.langchain import LangChainProvider

    name.require_known()
    return LangChainProvider.of(name, settings, prices, secrets)
