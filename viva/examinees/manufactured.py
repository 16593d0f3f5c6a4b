"""Examinees that viva sets beside a user's own, so that questions can be measured: references and ablations.

An item's parameters are known by who answers it and who does not; one system alone tells nothing of them. Abilities
of those added here are by-products: they are marked, and ranked apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Examinee, ExamItem, Turn
from viva.core.settings import Settings
from viva.examinees.answering import Answer, Candidate, ReadsPassages, TakesHistory, takes_history
from viva.examinees.interventions import Context, Interventions
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import READERS, Manners, ReaderName, ReferenceSpec, RetrieverName, Spec
from viva.examinees.specs.reference import RANGE

ENOUGH = 8
"""Examinees from which nobody is set beside them."""
RETRIEVERS: tuple[RetrieverName, ...] = ("bm25", "dense", "hybrid", "hybrid-rerank")
READ = (1, 20)
OWN_CONTEXTS: tuple[Context, ...] = ("none", "shuffled", "distracted", "oracle")
"""Of a system that takes passages; what it says to its own is known already."""
STAND_IN_CONTEXTS: tuple[Context, ...] = ("own", "distracted")
"""Of one that takes none. A reference reader goes by the best sentence, wherever it stands: no shuffle matters."""
_NAMED: dict[Context, str] = {
    "none": "closed book",
    "own": "its passages",
    "shuffled": "shuffled",
    "distracted": "distracted",
    "oracle": "oracle",
    "oracle-distracted": "oracle distracted",
}
_HANDED: dict[Context, str] = {
    "none": "without passages",
    "own": "its own passages",
    "shuffled": "its own passages, shuffled",
    "distracted": "its own passages among distracting ones",
    "oracle": "the evidence instead of its own passages",
    "oracle-distracted": "the evidence among distracting passages",
}
_WHY_REFERENCE = "a reference system"


@dataclass(frozen=True)
class AblationSpec:
    """A user's system with its passages exchanged; read by itself, or where it takes none by a reference reader."""

    examinee: Examinee
    of: Spec
    context: Context
    reader: ReaderName | None = None
    """None: its own"""

    @property
    def manners(self) -> Manners:
        """How it wants to be asked: as the system itself does, where that reads."""
        return Manners(retries=0) if self.reader else self.of.manners


ReferenceExaminee = ReferenceSpec | AblationSpec
"""Whom viva sets beside the systems asked for."""


def reference_specs(settings: Settings) -> list[ReferenceSpec]:
    """Closed book and oracle, and four retrievers at one passage and at twenty; each with both readers."""
    systems = [(retriever, READ[0]) for retriever in RANGE]
    systems += [(retriever, k) for k in READ for retriever in RETRIEVERS]
    texts = [(f"{retriever}+{reader}", k) for retriever, k in systems for reader in READERS]
    found = (parse_spec(text + (f",k={k}" if k != settings.passages else ""), settings) for text, k in texts)
    return [_marked(spec) for spec in found if isinstance(spec, ReferenceSpec)]


def ablation_specs(spec: Spec, *, reads: bool, shows: bool) -> list[AblationSpec]:
    """The ablations of a system that takes passages (`reads`), or of which passages are known (`shows`)."""
    if reads:
        return [ablation(spec, context) for context in OWN_CONTEXTS if shows or context in {"none", "oracle"}]
    if not shows:
        return []
    return [ablation(spec, context, reader) for context in STAND_IN_CONTEXTS for reader in READERS]


def ablation(spec: Spec, context: Context, reader: ReaderName | None = None) -> AblationSpec:
    """The system with its passages exchanged; `reader` reads in its stead."""
    of = spec.examinee
    name = f"{of.name}, {_NAMED[context]}" + (f" + {reader}" if reader else "")
    who = "it reads" if reader is None else f"the {reader} reader reads"
    examinee = Examinee(
        id=content_hash("ablation", of.id, context, reader or ""),
        name=name,
        spec=name,
        components=_components(of, context, reader),
        manufactured=f"an ablation of {of.name}: {who} {_HANDED[context]}"
        if context != "none"
        else f"an ablation of {of.name}: it answers without passages",
    )
    return AblationSpec(examinee, spec, context, reader)


def _components(of: Examinee, context: Context, reader: ReaderName | None) -> dict[str, str]:
    # a stand-in shares its reader with the reference systems, and what it reads was retrieved by the user's system
    own = dict(of.components) if reader is None else {"retriever": f"that of {of.name}", "reader": reader}
    return {**own, "context": context}


def _marked(spec: ReferenceSpec) -> ReferenceSpec:
    return spec.of(spec.examinee.model_copy(update={"manufactured": _WHY_REFERENCE}))


@dataclass
class Ablated:
    """A candidate that answers from passages exchanged: `reads` is the system itself, or the stand-in."""

    examinee: Examinee
    reads: ReadsPassages
    context: Context
    handed: Interventions

    @property
    def takes_history(self) -> bool:
        """Whether who reads is given the conversation before a question."""
        return takes_history(self.reads)

    async def answer(
        self,
        question: str,  # noqa: ARG002
        options: Sequence[str] | None = None,  # noqa: ARG002
        history: Sequence[Turn] = (),  # noqa: ARG002
    ) -> Answer:
        """UsageError: of a question that is no item nobody knows what to hand."""
        raise UsageError(f"“{self.examinee.name}” answers exam items only.")

    async def answer_item(self, shown: ExamItem) -> Answer:
        """The answer from the passages of its context. Raises what the reader raises."""
        passages = self.handed.passages(self.context, shown)
        told = (shown.item.history,) if self.takes_history and shown.item.history else ()
        found = await self.reads.answer_from(shown.item.stem, shown.offered, passages, *told)
        # what it was handed, not what it says it had
        return replace(found, passages=passages)


@dataclass
class AskedAgain:
    """The system as it is, under a name of its own: its answers show how far they are a matter of chance."""

    examinee: Examinee
    system: Candidate

    @property
    def takes_history(self) -> bool:
        """As of the system."""
        return takes_history(self.system)

    async def answer(
        self, question: str, options: Sequence[str] | None = None, history: Sequence[Turn] = ()
    ) -> Answer:
        """As the system."""
        if history and isinstance(self.system, TakesHistory):
            return await self.system.answer(question, options, history)
        return await self.system.answer(question, options)


def again(of: Examinee) -> Examinee:
    """The examinee under whose id a system is asked again."""
    return of.model_copy(update={"id": content_hash("again", of.id), "manufactured": f"{of.name}, asked again"})
