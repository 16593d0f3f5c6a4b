"""The settings of a command: from defaults, the environment, the run folder and the options."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from viva.api.settings import SETTINGS, Settings, read_settings
from viva.api.settings import named_person as named_person
from viva.cli.options import Options

_RENAMED = {"examinee": "examinees", "pair": "pairs", "timeout": "timeout_s", "call_timeout": "call_timeout_s"}

MODEL_SETTINGS = (
    *("model", "base_url", "temperature", "max_cost", "max_tokens", "max_calls", "price"),
    *("concurrency", "requests_per_minute", "tokens_per_minute", "call_timeout"),
)
"""The options that say how language models are asked."""


def chosen_settings(given: Options, only: Collection[str] | None = None) -> dict[str, Any]:
    """The options that are settings and were given, by the names of the settings; `only`: among these options."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for option, value in given.by_name.items()
        if (name := _RENAMED.get(option, option)) in SETTINGS
        and value not in (None, [])
        and (only is None or option in only)
    }


def settings_of(chosen: Mapping[str, Any]) -> Settings:
    """Defaults, then the environment, then these choices. UsageError for a value that is not allowed."""
    return read_settings(chosen, option_of)


def option_of(field: str) -> str:
    """Name a setting as the command line knows it."""
    if field == "pass_mark":
        return "--pass"
    option = {new: old for old, new in _RENAMED.items()}.get(field, field).replace("_", "-")
    return f"--{option}"
