"""Spans of OpenTelemetry by OpenInference's instrumentors of LangChain and DSPy; needs the extra `otel`."""

from __future__ import annotations

import threading
from functools import cache

from openinference.instrumentation.dspy import DSPyInstrumentor
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from viva.core.calls import bound

CLOSING_S = 3.0
"""The longest wait for a collector that does not take what is queued."""


class CallPlaces(SpanProcessor):
    """Gives every span the role, chunk and unit that its work is for."""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002
        """Set the attributes."""
        place = bound()
        named = {"viva.role": place.role, "viva.chunk": place.chunk_id, "viva.unit": place.unit_id}
        span.set_attributes({name: value for name, value in named.items() if value})


def instrument(provider: TracerProvider) -> None:
    """Trace what LangChain, LangGraph and DSPy do in this process."""
    provider.add_span_processor(CallPlaces())
    for instrumentor in (LangChainInstrumentor(), DSPyInstrumentor()):
        instrumentor.instrument(tracer_provider=provider)


@cache
def collector() -> TracerProvider:
    """The provider that sends spans to the collector of the environment; made once for the process."""
    # its own end at exit would wait for half a minute
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    instrument(provider)
    return provider


def flush(provider: TracerProvider) -> None:
    """Send what is queued, for CLOSING_S seconds at most."""
    sending = threading.Thread(target=provider.force_flush, daemon=True)
    sending.start()
    sending.join(CLOSING_S)
