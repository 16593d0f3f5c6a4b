"""Who writes the exam of a run that was ingested: a model may still be named while nothing of it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from viva.core.errors import RunMismatch
from viva.graphs.authoring.sampling import RESULT
from viva.graphs.resources.run_identity import Kept, run_of
from viva.storage.runs import RunStore

_NAMED = {"model": "--model", "base_url": "--base-url", "temperature": "--temperature"}
"""The settings that say who writes, and their options."""


def settle_authors(store: RunStore, folder: Path, settings: Mapping[str, Kept]) -> None:
    """Bind the run to the models that its settings name now. RunMismatch where others have begun to write it."""
    run = store.run
    asked = {name: settings[name] for name in _NAMED}
    differs = [name for name in _NAMED if run.settings.get(name) != asked[name]]
    if not differs:
        return
    # units that one model found are not for another to ask about
    read = len({*store.finished_chunks(), *store.extractions()})
    if read:
        told = "; ".join(
            f"{_NAMED[n]} is {_said(run.settings.get(n))} there and {_said(asked[n])} here" for n in differs
        )
        raise RunMismatch(
            f"The run in {folder} has begun to be written, {read} chunks are read: {told}.",
            allowed=f"It is written on as it began: viva write {folder}",
            next_step=f"Other models need another folder: viva run {run.documents_folder} --out FOLDER --model MODEL",
        )
    store.rebind(run_of(run.documents_folder, run.corpus_fingerprint, {**run.settings, **asked}))
    # it was drawn for whoever was to write before
    store.add_result(RESULT, None)


def _said(value: object) -> str:
    if value in (None, "[]"):
        return "none"
    return ", ".join(json.loads(value)) if isinstance(value, str) and value.startswith("[") else f"{value}"
