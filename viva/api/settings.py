"""The settings of a call: those of an option or an argument, of the environment, of the run, the defaults."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from typing import Any

from viva.core.errors import UsageError
from viva.core.settings import Settings as Settings
from viva.graphs.resources.run_settings import calls_folder as calls_folder
from viva.graphs.resources.run_settings import read_settings as read_settings
from viva.graphs.resources.run_settings import settings_of_run as settings_of_run

SETTINGS = frozenset(Settings.model_fields)
"""Their names."""


def read_arguments(chosen: Mapping[str, Any]) -> Settings:
    """Read the settings that a call names. UsageError for one that is not known or not allowed."""
    return read_settings(as_settings(chosen), argument)


def as_settings(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Give the values as settings hold them: a list as a tuple."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}


def argument(field: str) -> str:
    """Name a setting as a call in Python knows it."""
    return f"The argument {field}"


def parted(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part settings from systems, which are given by name too."""
    return {n: v for n, v in given.items() if n in SETTINGS}, {n: v for n, v in given.items() if n not in SETTINGS}


def named_person(given: str | None, option: str) -> str:
    """Give the name of the person who decides: the one given, else that of the account. UsageError without either."""
    from viva.exams.review import checked_text

    if given is not None:
        return checked_text(given, option)
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError(
            "The name of your account is not known.", next_step=f"Give your name: {option} NAME"
        ) from error
