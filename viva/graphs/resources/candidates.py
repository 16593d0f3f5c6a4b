"""The systems that take the exam: the specs of --examinee, each read once and created once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from viva.core.errors import UsageError
from viva.core.records import Examinee
from viva.core.settings import Settings
from viva.examinees.answering import Candidate, Closes
from viva.examinees.langchain_retriever import check_retriever
from viva.examinees.specs.names import told_apart
from viva.examinees.specs.parse import PANEL, parse_specs
from viva.examinees.specs.records import RETRIEVERS, ReferenceSpec, Spec
from viva.examinees.specs.reference import reader_model
from viva.graphs.resources.model_client import ModelClient
from viva.graphs.resources.search_indexes import Indexes
from viva.llm.embeddings import Embedder
from viva.storage.runs import RunStore


class ExaminedRun(Protocol):
    """The parts of a run's context that its candidates are made from."""

    settings: Settings
    systems: Sequence[Spec] | None

    @property
    def store(self) -> RunStore: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def indexes(self) -> Indexes: ...
    @property
    def models(self) -> ModelClient: ...


class Candidates:
    """The candidates of one run."""

    def __init__(self, context: ExaminedRun) -> None:
        self._context = context
        self._made: dict[str, Candidate] = {}

    @cached_property
    def specs(self) -> list[Spec]:
        """The specs of the examinees asked for, each once. 'panel', or no --examinee, means the default panel."""
        if self._context.systems is not None:
            return told_apart(list(self._context.systems), self._known())
        # read once: a file that is edited during the run would be another system
        specs: dict[str, Spec] = {}
        for text in self._context.settings.examinees or (PANEL,):
            for spec in parse_specs(text, self._context.settings):
                specs.setdefault(spec.examinee.id, spec)
        return told_apart(list(specs.values()), self._known())

    def check(self) -> None:
        """UsageError now, not at the first question, for a spec that cannot be loaded."""
        for spec in self.specs:
            # a reference system needs the exam, which may not be written yet
            if not isinstance(spec, ReferenceSpec):
                self.of(spec)
            elif spec.retriever not in RETRIEVERS:
                check_retriever(spec.retriever)
        readers = [name for spec in self.specs if (name := reader_model(spec))]
        if readers:
            self._context.models.check(*readers)

    def of(self, spec: Spec) -> Candidate:
        """The system that a spec describes, ready to answer; created once."""
        if spec.examinee.id not in self._made:
            self._made[spec.examinee.id] = self._make(spec)
        return self._made[spec.examinee.id]

    def close(self) -> None:
        """Close the candidates, and end the programs that they started."""
        for candidate in self._made.values():
            if isinstance(candidate, Closes):
                candidate.close()
        self._made.clear()

    def _known(self) -> list[Examinee]:
        """The examinees of the run so far; none if there is no run yet."""
        try:
            return self._context.store.examinees()
        except UsageError:
            return []

    def _make(self, spec: Spec) -> Candidate:
        context = self._context
        if isinstance(spec, ReferenceSpec):
            from viva.examinees.reference import ReferenceCandidate

            exam = context.store.latest_exam()
            examples = exam.examples if exam else ()
            index = context.indexes.of(spec.chunk, spec.encoder)
            gateway = context.models.gateway if reader_model(spec) else None
            return ReferenceCandidate(spec, index, context.embedder, examples, context.settings.seed, gateway)
        from viva.examinees.adapters import adapter_of

        return adapter_of(spec)
