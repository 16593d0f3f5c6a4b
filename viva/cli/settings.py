"""The settings of a command: from defaults, the environment, the run folder and the options."""

from __future__ import annotations

import getpass
import json
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from viva.cli.options import Options
from viva.core.blueprint import Blueprint
from viva.core.errors import UsageError
from viva.core.gone import GONE
from viva.core.settings import Settings

if TYPE_CHECKING:
    from viva.storage.corpus import DocumentSource

_RENAMED = {"examinee": "examinees", "pair": "pairs", "timeout": "timeout_s", "call_timeout": "call_timeout_s"}

MODEL_SETTINGS = (
    *("model", "base_url", "temperature", "max_cost", "max_tokens", "max_calls", "price"),
    *("concurrency", "requests_per_minute", "tokens_per_minute", "call_timeout"),
)
"""The options that say how language models are asked."""
_LISTS = ("ignore", "examinees", "model", "price")


def run_folder(docs: Path | DocumentSource, out: Path | None) -> Path:
    """The run folder: --out, or a folder named after the documents."""
    out = out or Path("viva-runs") / _folder_name(docs)
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file.", allowed="A folder.", next_step="Name another --out.")
    return out


def calls_folder(given: Path | None, name: str, option: str = "--out") -> Path:
    """The folder that an option names, or one named after the judge and the file."""
    folder = given or Path("viva-runs") / re.sub(r"[^\w.-]+", "-", name).strip("-.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{option} {folder} is a file.", allowed="A folder.", next_step=f"Name another {option}.")
    return folder


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
    if folder is None:
        return settings_of(chosen)
    stored = _of_run(folder, chosen.get("database_url"))
    if chosen.get("model") and not stored["model"]:
        # a model named for the first time: its server may be the one in the environment
        stored = {name: value for name, value in stored.items() if name != "base_url" or value}
    return settings_of({**stored, **chosen})


def settings_of(chosen: Mapping[str, Any]) -> Settings:
    """The settings with these choices. UsageError for a value, here or in the environment, that is not allowed."""
    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    try:
        given = Settings(**chosen)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        option = {new: old for old, new in _RENAMED.items()}.get(field, field).replace("_", "-")
        option = "pass" if field == "pass_mark" else option
        name = f"--{option}" if field in chosen else f"The environment variable VIVA_{field.upper()}"
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


def _of_run(folder: Path, database_url: str | None) -> dict[str, Any]:
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


def _folder_name(docs: Path | DocumentSource) -> str:
    called = docs.resolve().name if isinstance(docs, Path) else docs.name
    name = re.sub(r"[^\w.-]+", "-", called).strip("-.")
    return name or "run"


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
