"""Tracing with OpenTelemetry, where the environment names a collector. Importing this loads nothing of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from viva.core.errors import UsageError, how_to_install
from viva.llm.secrets import Secrets, without_credentials

if TYPE_CHECKING:
    from viva.llm.tracing.openinference import SpanLog

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


def open_spans(run_id: str) -> SpanLog | None:
    """A listener that makes spans of a run's requests; None where no collector is named, or tracing is off.

    Everything else is set by OpenTelemetry's own variables (headers, certificates, sampling, batches), and what
    texts are hidden by OpenInference's. UsageError for a setting that cannot be, or a package that is missing.
    """
    named = _first(_ENDPOINTS)
    if named is None or _off():
        return None
    address = without_credentials(os.environ[named], named=f"The environment variable {named}")
    spoken = _first(_PROTOCOLS)
    if spoken is not None and os.environ[spoken] != "http/protobuf":
        raise UsageError(
            f"The environment variable {spoken} asks for another protocol than http/protobuf.",
            allowed="Spans are sent by HTTP as protobuf; collectors take that at port 4318 as a rule.",
            next_step=f"Unset {spoken}, and give {named} the address for HTTP.",
        )
    try:
        from viva.llm.tracing.collector import open_collector
        from viva.llm.tracing.openinference import SpanLog
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{named} is set, and the packages for OpenTelemetry are not installed.",
            next_step=f"{how_to_install('otel')}; or unset {named}.",
        ) from error
    try:
        return SpanLog(open_collector(address), run_id)
    except (ValueError, RuntimeError, OSError) as error:
        # `from None`: what the packages say of a setting may quote it
        raise UsageError(f"OpenTelemetry cannot be set up: {Secrets().redacted(str(error))}") from None


def _first(names: tuple[str, ...]) -> str | None:
    return next((name for name in names if os.environ.get(name)), None)


def _off() -> bool:
    disabled = os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return disabled or os.environ.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none"
