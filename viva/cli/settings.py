"""The settings of a command: from defaults, the environment, the run folder and the options."""

from __future__ import annotations

import getpass
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from viva.cli.options import Options
from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.graphs.resources.run_settings import read_settings, settings_of_run

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
        if (name := _RENAMED.get(option, option)) in Settings.model_fields
        and value not in (None, [])
        and (only is None or option in only)
    }


def settings_given(given: Options, folder: Path | None = None, only: Collection[str] | None = None) -> Settings:
    """Defaults, then the environment, then the run's own choice, then the command line."""
    chosen = chosen_settings(given, only)
    return settings_of(chosen) if folder is None else settings_of_run(folder, chosen, _option)


def settings_of(chosen: Mapping[str, Any]) -> Settings:
    """Defaults, then the environment, then these choices. UsageError for a value that is not allowed."""
    return read_settings(chosen, _option)


def _option(field: str) -> str:
    if field == "pass_mark":
        return "--pass"
    option = {new: old for old, new in _RENAMED.items()}.get(field, field).replace("_", "-")
    return f"--{option}"


def named_person(given: str | None, option: str) -> str:
    """The name of the person who reviews or labels: the option's, else the account's. UsageError without either."""
    from viva.exams.review import checked_text

    if given is not None:
        return checked_text(given, option)
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError(
            "The name of your account is not known.", next_step=f"Give your name: {option} NAME"
        ) from error
