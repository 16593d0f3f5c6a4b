"""The identity of a run: its documents and its settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from viva.core.ids import content_hash
from viva.core.records import Run
from viva.core.settings import ExamSettings
from viva.llm.secrets import without_credentials

Kept = str | int | float | bool | None


def exam_settings(settings: ExamSettings, models: Sequence[str]) -> dict[str, Kept]:
    """The settings that a run is bound to, as it stores them; `models` as the roster writes them."""
    chosen = {name: _plain(getattr(settings, name)) for name in ExamSettings.model_fields}
    chosen["model"] = json.dumps(models)
    chosen["base_url"] = without_credentials(settings.base_url, named="--base-url") if settings.base_url else None
    return chosen


def run_of(documents_folder: str, fingerprint: str, settings: Mapping[str, Kept]) -> Run:
    """The run of these documents and these settings."""
    return Run(
        id=content_hash("run", fingerprint, *(f"{k}={v}" for k, v in sorted(settings.items()))),
        documents_folder=documents_folder,
        corpus_fingerprint=fingerprint,
        settings=dict(settings),
    )


def _plain(value: object) -> Kept:
    if isinstance(value, tuple):
        return json.dumps(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
