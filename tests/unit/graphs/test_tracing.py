"""The spans of a run say which role works on which chunk and unit; the instrumentors are OpenInference's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harbour import HARBOUR
from model_server import serve
from openinference.instrumentation.dspy import DSPyInstrumentor
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from viva.core.records import Item
from viva.core.settings import Settings
from viva.graphs.context import RunContext
from viva.graphs.runner import run_stages
from viva.llm.tracing import instrument
from viva.storage.runs import RunStore


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    instrument(provider)
    yield kept
    for instrumentor in (LangChainInstrumentor(), DSPyInstrumentor()):
        instrumentor.uninstrument()


@pytest.fixture
def written(exporter: InMemorySpanExporter, tmp_path: Path) -> tuple[list[ReadableSpan], list[Item], int]:
    """The spans of a run that was written by a model, its items, and the requests that the model answered."""
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "harbour.md").write_text(HARBOUR, encoding="utf-8")
    with serve() as server:
        settings = Settings(model=("openai:scripted",), base_url=server.url, items=3, worked_examples=0)
        run_stages(RunContext(tmp_path / "run", settings, documents_folder=documents), "ingest", "write")
        paid = server.paid
    with RunStore.open(tmp_path / "run", None) as store:
        return [*exporter.get_finished_spans()], store.items(), paid


def test_the_spans_of_a_run_carry_role_chunk_and_unit(
    written: tuple[list[ReadableSpan], list[Item], int],
) -> None:
    spans, items, paid = written
    of_kind = {
        kind: [dict(s.attributes or {}) for s in spans if (s.attributes or {}).get("openinference.span.kind") == kind]
        for kind in ("LLM", "CHAIN")
    }
    assert len(of_kind["LLM"]) == paid
    assert {a["viva.role"] for a in of_kind["LLM"]} >= {"units", "writer", "expert", "judge.item"}
    for attributes in of_kind["LLM"]:
        assert attributes["viva.chunk"] in {item.provenance.chunk_id for item in items}
        assert ("viva.unit" in attributes) == (
            attributes["viva.role"] not in {"units", "solver", "judge.pairs", "judge.exam"}
        )
        assert int(str(attributes["llm.token_count.prompt"])) > 0
    units = {item.provenance.unit_id for item in items}
    assert units <= {a.get("viva.unit") for a in of_kind["LLM"]}
    predicted = [a for a in of_kind["CHAIN"] if "viva.role" in a]
    assert {a["viva.role"] for a in predicted} == {a["viva.role"] for a in of_kind["LLM"]}
