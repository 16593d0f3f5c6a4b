"""The offline cast, wired."""

from __future__ import annotations

from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.critics import (
    OfflineAnswerabilityCritic,
    OfflineFaithfulnessCritic,
    SolvableCritic,
    StandAloneCritic,
    UniquenessCritic,
)
from viva.agents.offline.distractors.writer import OfflineDistractorWriter
from viva.agents.offline.writer import OfflineExpert, OfflineQuestionWriter, OfflineUnitExtractor
from viva.agents.readers.option_reading import EmbeddingReader, LexicalReader
from viva.agents.roles import Cast
from viva.agents.rules.critics import KeyCritic, OptionFormCritic, WordingCritic
from viva.core.records import OFFLINE_CAST
from viva.core.settings import Settings
from viva.llm.embeddings import Embedder


def offline_cast(bank: CorpusFacts, embedder: Embedder, settings: Settings) -> Cast:
    """Every role, with what it needs of the corpus: single-hop items alone are written without a model."""
    readers = (LexicalReader(bank.weight, settings.seed), EmbeddingReader(embedder, settings.seed))
    return Cast(
        name=OFFLINE_CAST,
        units=OfflineUnitExtractor(bank),
        writer=OfflineQuestionWriter(bank),
        expert=OfflineExpert(bank),
        screen=((WordingCritic(), StandAloneCritic(bank)),),
        draft_critics=(
            (KeyCritic(), OfflineFaithfulnessCritic(settings.min_faithfulness)),
            (OfflineAnswerabilityCritic(),),
        ),
        distractors=OfflineDistractorWriter(bank, embedder, options=settings.options, seed=settings.seed),
        option_critics=(OptionFormCritic(), UniquenessCritic(bank), SolvableCritic(readers, settings.seed)),
    )
