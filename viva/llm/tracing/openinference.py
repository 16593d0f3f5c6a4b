"""One OpenTelemetry span for every request, its attributes named by OpenInference's conventions."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence

from openinference.semconv.trace import (
    MessageAttributes,
    OpenInferenceMimeTypeValues,
    OpenInferenceSpanKindValues,
    SpanAttributes,
)
from opentelemetry.trace import SpanKind, StatusCode

from viva.core.calls import Entry, Outcome, Reply
from viva.llm.secrets import Secrets
from viva.llm.tracing.collector import Collector

HIDDEN = "__REDACTED__"
"""What stands where a text was hidden, as elsewhere in OpenInference."""

Attributes = Iterator[tuple[str, str | bool | int | float]]

# provider and product as OpenInference calls them, where LangChain's name is another
_NAMES = {
    "azure_openai": ("azure", "openai"),
    "bedrock": ("aws", "bedrock"),
    "bedrock_converse": ("aws", "bedrock"),
    "google_genai": ("google", "vertexai"),
    "google_vertexai": ("google", "vertexai"),
    "vllm": ("vllm", "openai"),
}


class SpanLog:
    """Makes the spans of one run; made by `open_spans`. A call served from the ledger is no request: no span."""

    def __init__(self, collector: Collector, run_id: str) -> None:
        self._collector = collector
        self._run_id = run_id
        self._secrets = Secrets()
        self._hidden = frozenset(_hidden_by_environment())

    def heard(self, entry: Entry) -> None:
        """Make the span of one request, from when it was sent to now."""
        if entry.reply is not None and entry.reply.cached:
            return
        ended_at = time.time_ns()
        span = self._collector.tracer.start_span(
            entry.role or "call",
            kind=SpanKind.CLIENT,
            # half a character, as some documents hold, would cost the whole batch
            attributes={
                name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
                for name, value in self._attributes(entry)
            },
            start_time=ended_at - round(entry.latency_s * 1e9),
        )
        if entry.outcome is Outcome.ANSWERED:
            span.set_status(StatusCode.OK)
        else:
            detail = f": {self._secrets.redacted(entry.error)}" if entry.error else ""
            span.set_status(StatusCode.ERROR, entry.outcome.value + detail)
        span.end(ended_at)

    def close(self) -> None:
        """Send what is queued, for a few seconds at most."""
        self._collector.close()

    # --- attributes --------------------------------------------------------------------------------------

    def _attributes(self, entry: Entry) -> Attributes:
        # spans hold 128 attributes unless told otherwise and drop the first: a long conversation loses turns only
        call, reply = entry.call, entry.reply
        turns = [(m.role, m.text) for m in call.messages]
        asked = json.dumps(
            {"messages": [{"role": role, "content": text} for role, text in turns]}, ensure_ascii=False
        )
        yield from self._side("INPUT", SpanAttributes.LLM_INPUT_MESSAGES, turns, asked)
        yield SpanAttributes.INPUT_MIME_TYPE, OpenInferenceMimeTypeValues.JSON.value
        if reply is not None:
            said = [("assistant", reply.text)]
            yield from self._side("OUTPUT", SpanAttributes.LLM_OUTPUT_MESSAGES, said, reply.text)
            yield SpanAttributes.OUTPUT_MIME_TYPE, OpenInferenceMimeTypeValues.TEXT.value
            yield from _counts(reply)
        if "LLM_INVOCATION_PARAMETERS" not in self._hidden:
            yield SpanAttributes.LLM_INVOCATION_PARAMETERS, json.dumps(call.parameters, sort_keys=True)
        ours = self._ours(entry)
        yield from ours.items()
        yield SpanAttributes.METADATA, json.dumps(ours)
        yield SpanAttributes.SESSION_ID, self._run_id
        provider, system = _NAMES.get(call.provider, (call.provider, call.provider))
        yield SpanAttributes.LLM_PROVIDER, provider
        yield SpanAttributes.LLM_SYSTEM, system
        yield SpanAttributes.LLM_MODEL_NAME, call.model
        yield SpanAttributes.OPENINFERENCE_SPAN_KIND, OpenInferenceSpanKindValues.LLM.value

    def _side(self, side: str, messages: str, turns: Sequence[tuple[str, str]], value: str) -> Attributes:
        """The texts of one side, or what is left of them where they are hidden."""
        text_hidden = f"{side}_TEXT" in self._hidden
        turns_hidden = bool({f"{side}S", f"{side}_MESSAGES"} & self._hidden)
        if not turns_hidden:
            for number, (role, text) in enumerate(turns):
                yield f"{messages}.{number}.{MessageAttributes.MESSAGE_ROLE}", role
                yield f"{messages}.{number}.{MessageAttributes.MESSAGE_CONTENT}", HIDDEN if text_hidden else text
        # the value holds the same texts once more
        yield f"{side.lower()}.value", HIDDEN if turns_hidden or text_hidden else value

    def _ours(self, entry: Entry) -> dict[str, str | bool | int | float]:
        """What OpenInference has no name for."""
        named = {
            "viva.run": self._run_id,
            "viva.role": entry.role,
            "viva.chunk": entry.chunk_id,
            "viva.unit": entry.unit_id,
            "viva.key": entry.call.key,
            "viva.repeat": entry.call.repeat,
            "viva.attempt": entry.attempt,
            "viva.outcome": entry.outcome.value,
            "viva.endpoint": entry.call.endpoint,
        }
        return {name: value for name, value in named.items() if value is not None and value != ""}


def _counts(reply: Reply) -> Attributes:
    usage = reply.usage
    counts = {
        SpanAttributes.LLM_TOKEN_COUNT_PROMPT: usage.input_tokens,
        SpanAttributes.LLM_TOKEN_COUNT_COMPLETION: usage.output_tokens,
        SpanAttributes.LLM_TOKEN_COUNT_PROMPT_DETAILS_CACHE_READ: usage.cached_tokens,
        SpanAttributes.LLM_COST_TOTAL: reply.cost,
    }
    yield from ((name, count) for name, count in counts.items() if count is not None)
    if usage.input_tokens is not None and usage.output_tokens is not None:
        yield SpanAttributes.LLM_TOKEN_COUNT_TOTAL, usage.input_tokens + usage.output_tokens
    yield SpanAttributes.LLM_FINISH_REASON, reply.finish_reason


def _hidden_by_environment() -> Iterator[str]:
    prefix = "OPENINFERENCE_HIDE_"
    for name, value in os.environ.items():
        if name.startswith(prefix) and value.strip().lower() in {"1", "true", "yes", "on"}:
            yield name.removeprefix(prefix)
