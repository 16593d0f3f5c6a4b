"""`viva run`, `ingest`, `write`, `sit`, `score`, `report`: settings together, progress on, summary at the end."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from viva.cli.diagnosis import print_budget
from viva.cli.examined import announce_oral
from viva.cli.progress import shown_progress
from viva.cli.safe import output_kept_clean
from viva.core.blueprint import Blueprint
from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.graphs.desk import Desk
from viva.graphs.run import Stage
from viva.graphs.walk import run_stages

_RENAMED = {"examinee": "examinees", "timeout": "timeout_s", "call_timeout": "call_timeout_s"}
_LISTS = ("ignore", "examinees", "model", "price")
_NOT_SETTINGS = {"docs", "out", "run", "json", "sample"}


def walk_documents(given: Mapping[str, Any], *, last: Stage) -> None:
    """From a documents folder on; `given` holds the command's options by name."""
    desk = Desk(run_folder(given), settings_given(given), documents_folder=Path(given["docs"]))
    _walk(desk, "ingest", last, as_json=given["json"])


def walk_stage(given: Mapping[str, Any], stage: Stage) -> None:
    """One stage of a run that exists."""
    folder = Path(given["run"])
    desk = Desk(folder, settings_given(given, folder))
    _walk(desk, stage, stage, as_json=given["json"])


def _walk(desk: Desk, first: Stage, last: Stage, *, as_json: bool) -> None:
    from viva.cli.looking import print_summary

    with output_kept_clean(), shown_progress() as watch:
        desk.watch = watch
        if last in {"sit", "score", "report"} and first in {"ingest", "sit"}:
            # a mistyped examinee is told before the exam is written, not after
            desk.check_examinees()
            if not as_json:
                print_budget(desk, diagnosis=last == "report")
            if last != "sit":
                announce_oral(desk)
        if first in {"ingest", "write"} and last != "ingest":
            desk.check_models()
        run_stages(desk, first, last)
    print_summary(desk.folder, desk.settings.database_url, last, as_json=as_json)


def run_folder(given: Mapping[str, Any]) -> Path:
    """The run folder that is meant: --out, or one named after the documents."""
    out = Path(given["out"]) if given["out"] else Path("viva-runs") / _folder_name(Path(given["docs"]))
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file.", next_step="Take another --out.")
    return out


def settings_given(given: Mapping[str, Any], folder: Path | None = None) -> Settings:
    """Defaults, then the environment, then the run's own choice, then the command line."""
    chosen: dict[str, Any] = {
        _RENAMED.get(name, name): tuple(value) if isinstance(value, list) else value
        for name, value in given.items()
        if name not in _NOT_SETTINGS and value is not None and value != []
    }
    if folder is None:
        return settings_of(chosen)
    return settings_of({**_of_run(folder, chosen.get("database_url")), **chosen})


def settings_of(chosen: Mapping[str, Any]) -> Settings:
    """The settings with these choices. UsageError for a value, here or in the environment, that cannot be."""
    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    try:
        given = Settings(**chosen)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        option = {new: old for old, new in _RENAMED.items()}.get(field, field).replace("_", "-")
        name = f"--{option}" if field in chosen else f"The environment variable VIVA_{field.upper()}"
        message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
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


def _of_run(folder: Path, database_url: str | None) -> dict[str, Any]:
    """What the run in the folder was made with."""
    from viva.storage.runs import RunStore

    with RunStore.open(folder, database_url) as store:
        stored: dict[str, Any] = dict(store.run.settings)
        last = store.latest_result("options") or {}
    for name in ("ignore", "model"):
        stored[name] = tuple(json.loads(str(stored.get(name) or "[]")))
    if stored.get("base_url"):
        _check_address(str(stored["base_url"]))
        if _bare_url(os.environ.get("VIVA_BASE_URL")) == stored["base_url"]:
            # the environment's holds the credentials that are not stored
            del stored["base_url"]
    return {**stored, **{k: tuple(v) if isinstance(v, list) else v for k, v in last.items()}}


def _check_address(stored: str) -> None:
    """A run folder may come from somebody else: no key goes to a server elsewhere that only the folder names."""
    named = _bare_url(os.environ.get("VIVA_BASE_URL"))
    if named == stored or urlsplit(stored).hostname in {"localhost", "127.0.0.1", "::1"}:
        return
    raise UsageError(
        f"This run asks the model server {stored}, and a key would be sent there.",
        next_step=f"Confirm it: VIVA_BASE_URL={stored}",
    )


def _bare_url(url: str | None) -> str | None:
    from viva.llm.secrets import without_credentials

    return without_credentials(url) if url else None


def _folder_name(docs: Path) -> str:
    name = re.sub(r"[^\w.-]+", "-", docs.resolve().name).strip("-.")
    return name or "run"
