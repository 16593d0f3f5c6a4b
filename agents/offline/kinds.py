"""All kinds of items by one cast: the single-hop roles untouched, and for each other kind its own beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from viva.agents.offline.absences import Absences
from viva.agents.offline.bank import Bank
from viva.agents.offline.multi_hop import (
    BridgeCritic,
    MultiHopDistractors,
    MultiHopUnits,
    MultiHopWriter,
    TwoHopSolvable,
)
from viva.agents.offline.readers import EmbeddingReader, LexicalReader
from viva.agents.offline.sorts import Sorts
from viva.agents.offline.two_hop_reading import TwoHopExpert, TwoHopReader
from viva.agents.offline.unanswerable import (
    AbsenceCritic,
    UnanswerableDistractors,
    UnanswerableExpert,
    UnanswerableUnits,
    UnanswerableWriter,
)
from viva.agents.roles import (
    Cast,
    DistractorWriter,
    DraftCritic,
    ExpertAnswerer,
    OptionCritic,
    QuestionWriter,
    Source,
    UnitExtractor,
)
from viva.core.records import (
    Distractor,
    Document,
    Draft,
    ExpertAnswer,
    ItemKind,
    KnowledgeUnit,
    Verdict,
)
from viva.core.settings import Settings
from viva.llm.embeddings import Embedder

_SINGLE, _MULTI, _ABSENT = ItemKind.SINGLE_HOP, ItemKind.MULTI_HOP, ItemKind.UNANSWERABLE
_EVERY = frozenset(ItemKind)
_OF_STEM = frozenset({"wording"})
"""Critics of the single-hop cast that judge a stem of any kind."""
_OF_KEY = frozenset({"key", "faithfulness", "answerability", "option form", "uniqueness"})
"""Those that judge what an unanswerable item has not: a key that stands in the corpus."""


def with_all_kinds(
    cast: Cast, bank: Bank, documents: Sequence[Document], embedder: Embedder, settings: Settings
) -> Cast:
    """The cast, able to write multi-hop and unanswerable items too. Single-hop drafts see its own roles alone."""
    seed, options = settings.seed, settings.options
    readers = (LexicalReader(bank.weight, seed), EmbeddingReader(embedder, seed))
    absences = Absences(documents, bank, Sorts.of(documents, bank))
    bridge = BridgeCritic(bank)
    two_hop = TwoHopSolvable(readers, TwoHopReader(bank.weight, seed), seed)
    absence = AbsenceCritic(absences, bank, embedder, readers, seed)
    return replace(
        cast,
        units=_Units({_SINGLE: cast.units, _MULTI: MultiHopUnits(bank), _ABSENT: UnanswerableUnits(absences, seed)}),
        writer=_Writers(
            {_SINGLE: cast.writer, _MULTI: MultiHopWriter(bank), _ABSENT: UnanswerableWriter(absences, seed)}
        ),
        expert=_Experts(
            {
                _SINGLE: cast.expert,
                _MULTI: TwoHopExpert(cast.expert, bank.weight),
                _ABSENT: UnanswerableExpert(absences, seed),
            }
        ),
        screen=(*_panels(cast.screen), (_DraftCritic(bridge, frozenset({_MULTI})),)),
        draft_critics=_panels(cast.draft_critics),
        distractors=_DistractorWriters(
            {
                _SINGLE: cast.distractors,
                _MULTI: MultiHopDistractors(bank, cast.distractors, options=options, seed=seed),
                _ABSENT: UnanswerableDistractors(absences, cast.distractors, options=options, seed=seed),
            }
        ),
        option_critics=tuple(_OptionCritic(critic, _kinds(critic.name)) for critic in cast.option_critics),
        solvers=(
            *(_OptionCritic(solver, frozenset({_SINGLE})) for solver in cast.solvers),
            _OptionCritic(two_hop, frozenset({_MULTI})),
            _OptionCritic(absence, frozenset({_ABSENT})),
        ),
    )


def _panels(panels: Sequence[Sequence[DraftCritic]]) -> tuple[tuple[DraftCritic, ...], ...]:
    return tuple(tuple(_DraftCritic(critic, _kinds(critic.name)) for critic in panel) for panel in panels)


def _kinds(critic: str) -> frozenset[ItemKind]:
    """Which kinds of items a critic of the single-hop cast can judge."""
    if critic in _OF_STEM:
        return _EVERY
    return frozenset({_SINGLE, _MULTI}) if critic in _OF_KEY else frozenset({_SINGLE})


@dataclass(frozen=True)
class _Units:
    of_kind: Mapping[ItemKind, UnitExtractor]

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        return await self.of_kind[source.kind].extract(source)


@dataclass(frozen=True)
class _Writers:
    of_kind: Mapping[ItemKind, QuestionWriter]

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        return await self.of_kind[source.kind].write(unit, source, previous, feedback)


@dataclass(frozen=True)
class _Experts:
    of_kind: Mapping[ItemKind, ExpertAnswerer]

    async def answer(
        self, stem: str, answer_form: str, source: Source, dispute: Verdict | None = None
    ) -> ExpertAnswer | None:
        return await self.of_kind[source.kind].answer(stem, answer_form, source, dispute)


@dataclass(frozen=True)
class _DistractorWriters:
    of_kind: Mapping[ItemKind, DistractorWriter]

    async def write(
        self,
        draft: Draft,
        source: Source,
        attempt: int,
        feedback: Verdict | None,
        refused: Sequence[Distractor] = (),
    ) -> tuple[Distractor, ...] | None:
        return await self.of_kind[source.kind].write(draft, source, attempt, feedback, refused)


class _DraftCritic:
    """A critic that keeps silent about other kinds than its own."""

    def __init__(self, critic: DraftCritic, kinds: frozenset[ItemKind]) -> None:
        self.name = critic.name
        self._critic = critic
        self._kinds = kinds

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict | tuple[Verdict, ...]:
        return await self._critic.judge(draft, answer, source) if source.kind in self._kinds else ()


class _OptionCritic:
    """A critic that passes other kinds than its own."""

    def __init__(self, critic: OptionCritic, kinds: frozenset[ItemKind]) -> None:
        self.name = critic.name
        self._critic = critic
        self._kinds = kinds

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:
        if source.kind in self._kinds:
            return await self._critic.judge(draft, distractors, source)
        return Verdict(critic=self.name, passed=True, reason=f"Not asked of {source.kind} items.")
