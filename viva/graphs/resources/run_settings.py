"""The settings of a run: from defaults, the environment, the run folder and what a caller chose."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from viva.core.blueprint import Blueprint
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.core.settings import Settings

if TYPE_CHECKING:
    from viva.storage.corpus.source import DocumentSource

Naming = Callable[[str], str]
"""How the caller knows a setting: from its field, such as timeout_s, to an option or an argument."""
_LISTS = ("ignore", "examinees", "model", "price")


def run_folder(docs: Path | DocumentSource, out: Path | None) -> Path:
    """The run folder: the one named, or a folder named after the documents. UsageError for a file."""
    return _folder(out, docs.resolve().name if isinstance(docs, Path) else docs.name, "--out")


def calls_folder(given: Path | None, name: str, option: str = "--out") -> Path:
    """The folder that an option names, or one named after the judge and the file. UsageError for a file."""
    return _folder(given, name, option)


def _folder(given: Path | None, name: str, option: str) -> Path:
    folder = given or Path("viva-runs") / (re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{option} {folder} is a file.", allowed="A folder.", next_step=f"Name another {option}.")
    return folder


def settings_of_run(folder: Path, chosen: Mapping[str, Any], named: Naming) -> Settings:
    """Defaults, then the environment, then the run's own choice, then what was chosen now.

    UsageError where the folder holds no run, and as read_settings does.
    """
    stored = _stored(folder, chosen.get("database_url"))
    if chosen.get("model") and not stored["model"]:
        # a model named for the first time: its server may be the one in the environment
        stored = {name: value for name, value in stored.items() if name != "base_url" or value}
    return read_settings({**stored, **chosen}, named)


def read_settings(chosen: Mapping[str, Any], named: Naming) -> Settings:
    """The settings with these choices. UsageError for a value, here or in the environment, that is not allowed."""
    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    try:
        given = Settings(**chosen)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        name = named(field) if field in chosen else f"The environment variable VIVA_{field.upper()}"
        if first["type"] == "extra_forbidden":
            near = get_close_matches(field, Settings.model_fields, n=1)
            raise UsageError(f"{name} is not known.", next_step=f"Did you mean {near[0]}?" if near else "") from error
        message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        if field == "pass_mark":
            raise UsageError(
                f"{name} is {first['input']!r}.", allowed="A share of right answers between 0 and 1, such as 0.8."
            ) from error
        if field in {"judge", "qualities"} and isinstance(first["input"], str):
            raise _no_judges_name(name, first["input"]) from error
        raise UsageError(f"{name} is {first['input']!r}: {message}.") from error
    except SettingsError as error:
        problem = next((f for f in _LISTS if f'"{f}"' in str(error)), None)
        raise UsageError(
            f"The environment variable VIVA_{problem.upper()} cannot be read."
            if problem
            else f"The environment variables VIVA_... cannot be read: {error}.",
            allowed="""A list is written as JSON: '["first", "second"]'.""",
        ) from error
    # one blueprint, however it is written, makes one run
    return given.model_copy(update={"blueprint": Blueprint.read(given.blueprint).canonical})


def _no_judges_name(name: str, given: str) -> UsageError:
    return UsageError(
        f"{name} is {given!r}, which is not a possible name of a judge.",
        allowed="The name of one judge, as viva judges lists it.",
        next_step=GONE["judge jury"] if "," in given else "",
    )


def _stored(folder: Path, database_url: str | None) -> dict[str, Any]:
    """The settings that the run in this folder was made with."""
    from viva.storage.runs import RunStore

    with RunStore.open(folder, database_url) as store:
        stored: dict[str, Any] = dict(store.run.settings)
        last = store.latest_result("options") or {}
    for name in ("ignore", "model"):
        stored[name] = tuple(json.loads(str(stored.get(name) or "[]")))
    if stored.get("base_url"):
        _check_address(str(stored["base_url"]))
        if _bare_url(os.environ.get("VIVA_BASE_URL")) == stored["base_url"]:
            # the address in the environment has the credentials, which are not stored
            del stored["base_url"]
    if isinstance(last.get("judge"), list):
        # earlier versions stored a jury so; who grades with it is told that there are none
        last = {**last, "judge": "jury"}
    last = {name: tuple(value) if isinstance(value, list) else value for name, value in last.items()}
    # what earlier versions had as settings is left out
    return {name: value for name, value in {**stored, **last}.items() if name in Settings.model_fields}


def _check_address(stored: str) -> None:
    """UsageError for a remote server that only the run folder names: a folder of a stranger must not get a key."""
    named = _bare_url(os.environ.get("VIVA_BASE_URL"))
    if named == stored or urlsplit(stored).hostname in {"localhost", "127.0.0.1", "::1"}:
        return
    raise UsageError(
        f"This run uses the model server {stored}. A key would be sent to it.",
        next_step=f"If you trust this server, confirm it: export VIVA_BASE_URL={stored}",
    )


def _bare_url(url: str | None) -> str | None:
    from viva.llm.secrets import without_credentials

    return without_credentials(url) if url else None
