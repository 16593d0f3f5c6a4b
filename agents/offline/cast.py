"""The offline cast, wired."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.bank import Bank, build_bank
from viva.agents.offline.critics import (
    AnswerabilityCritic,
    FaithfulnessCritic,
    SolvableCritic,
    StandAloneCritic,
    UniquenessCritic,
)
from viva.agents.offline.distractors import OfflineDistractorWriter
from viva.agents.offline.expert import OfflineExpert
from viva.agents.offline.readers import EmbeddingReader, LexicalReader
from viva.agents.offline.writer import OfflineQuestionWriter, OfflineUnitExtractor
from viva.agents.roles import Cast, Progress
from viva.core.records import Chunk, Document
from viva.core.settings import Settings
from viva.llm.embeddings import Embedder


def offline_cast(
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    embedder: Embedder,
    settings: Settings,
    progress: Progress | None = None,
) -> Cast:
    """Read the corpus once and hand every role what it needs of it."""
    bank: Bank = build_bank(documents, chunks, progress)
    readers = (LexicalReader(bank.weight, settings.seed), EmbeddingReader(embedder, settings.seed))
    return Cast(
        name="offline",
        units=OfflineUnitExtractor(bank),
        writer=OfflineQuestionWriter(bank),
        expert=OfflineExpert(bank),
        screen=((StandAloneCritic(bank),),),
        draft_critics=((FaithfulnessCritic(),), (AnswerabilityCritic(),)),
        distractors=OfflineDistractorWriter(bank, embedder, options=settings.options, seed=settings.seed),
        option_critics=(UniquenessCritic(bank), SolvableCritic(readers, settings.seed)),
    )
