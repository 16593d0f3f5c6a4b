"""Where spans go: the application's own OpenTelemetry where it has one, else a collector of the environment's.

A collector that is away, slow or full costs a run nothing but its spans: they are sent from another thread, the
queue is bounded, the end waits a few seconds at most, and one sentence says how many were lost.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

CLOSING_S = 3.0
"""The longest wait at the end for a collector that does not answer."""
BATCH = 64
"""Spans per request to the collector: prompts are long, and collectors refuse requests of many megabytes."""

_log = logging.getLogger(__name__)


class Collector:
    """A tracer, and the way to close what is behind it. This one is the application's: it closes it itself."""

    def __init__(self, provider: TracerProvider) -> None:
        self.tracer = provider.get_tracer("viva")

    def close(self) -> None:
        """Send what is queued."""


def open_collector(address: str) -> Collector:
    """The application's, or one at OTEL_EXPORTER_OTLP_...ENDPOINT; `address` is how that is shown."""
    application = trace.get_tracer_provider()
    return Collector(application) if isinstance(application, TracerProvider) else _OwnCollector(address)


class _OwnCollector(Collector):
    """A provider that is never the global one: other libraries' spans are not ours to send."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._exporter = _CountingExporter(OTLPSpanExporter())
        self._processor = _CountingProcessor(
            self._exporter, max_export_batch_size=int(os.environ.get("OTEL_BSP_MAX_EXPORT_BATCH_SIZE") or BATCH)
        )
        # its own end at exit would wait for half a minute
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        self._provider.add_span_processor(self._processor)
        for name in _LOUD:
            logging.getLogger(name).addFilter(_is_elsewhere)
        super().__init__(self._provider)

    def close(self) -> None:
        """Send what is queued, for CLOSING_S seconds at most; say how many spans were lost."""
        closing = threading.Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        closing.join(CLOSING_S)
        # ends its wait for another attempt
        self._exporter.shutdown()
        lost = self._processor.ended - self._exporter.sent
        if lost:
            _log.warning(
                "The collector at %s did not take %d of %d spans.", self._address, lost, self._processor.ended
            )


def _resource() -> Resource:
    resource = Resource.create()
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        return resource.merge(Resource({SERVICE_NAME: "viva"}))
    return resource


# --- counting, quietly -----------------------------------------------------------------------------------

# what they say of a collector that is away would stand on the terminal, again and again
_LOUD = ("opentelemetry.exporter.otlp.proto.http.trace_exporter", "opentelemetry.sdk._shared_internal")
_thread = threading.local()


def _is_elsewhere(_record: logging.LogRecord) -> bool:
    return not getattr(_thread, "at_our_spans", False)


@contextmanager
def _quietly() -> Iterator[None]:
    """Silence the SDK on this thread: an application's own use of it is heard as before."""
    _thread.at_our_spans = True
    try:
        yield
    finally:
        _thread.at_our_spans = False


class _CountingProcessor(BatchSpanProcessor):
    """Counts the spans that were to be sent; the queue drops some when it is full."""

    ended = 0

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is not None and span.context.trace_flags.sampled:
            self.ended += 1
        with _quietly():
            super().on_end(span)


class _CountingExporter(SpanExporter):
    """Counts the spans that arrived."""

    def __init__(self, exporter: SpanExporter) -> None:
        self.sent = 0
        self._exporter = exporter
        self._open = True

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        with _quietly():
            result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.sent += len(spans)
        return result

    def shutdown(self) -> None:
        if self._open:
            self._open = False
            self._exporter.shutdown()
