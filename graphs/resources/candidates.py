"""The systems that are examined: those asked for, each read once and made once."""

from __future__ import annotations

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
    """What of a run's context its candidates are made from."""

    settings: Settings

    @property
    def store(self) -> RunStore: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def indexes(self) -> Indexes: ...
    @property
    def models(self) -> ModelClient: ...


class Candidates:
    """Of one run."""

    def __init__(self, context: ExaminedRun) -> None:
        self._context = context
        self._made: dict[str, Candidate] = {}

    @cached_property
    def specs(self) -> list[Spec]:
        """The examinees asked for; 'panel' and no word at all mean the default panel. Each once."""
        # read once: a file that is edited while the run is on would be another system
        specs: dict[str, Spec] = {}
        for text in self._context.settings.examinees or (PANEL,):
            for spec in parse_specs(text, self._context.settings):
                specs.setdefault(spec.examinee.id, spec)
        return told_apart(list(specs.values()), self._known())

    def check(self) -> None:
        """Raise now what a call would raise later: UsageError for a spec that names nothing that can be loaded."""
        for spec in self.specs:
            # a reference system wants the exam, which may not be written yet
            if not isinstance(spec, ReferenceSpec):
                self.of(spec)
            elif spec.retriever not in RETRIEVERS:
                check_retriever(spec.retriever)
        readers = [name for spec in self.specs if (name := reader_model(spec))]
        if readers:
            self._context.models.check(*readers)

    def of(self, spec: Spec) -> Candidate:
        """The system a spec describes, ready to answer; made once."""
        if spec.examinee.id not in self._made:
            self._made[spec.examinee.id] = self._make(spec)
        return self._made[spec.examinee.id]

    def close(self) -> None:
        """Give back the programs that were started."""
        for candidate in self._made.values():
            if isinstance(candidate, Closes):
                candidate.close()
        self._made.clear()

    def _known(self) -> list[Examinee]:
        """Who has been called before; nobody where no run is there yet."""
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
