"""The offline cast of the oral examination, wired."""

from __future__ import annotations

from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.oral.examiner import OfflineExaminer
from viva.agents.offline.oral.judge import OfflineOralJudge
from viva.agents.offline.oral.units import OfflineOralUnits
from viva.agents.oral_roles import OralCast
from viva.core.records import OFFLINE_CAST
from viva.llm.embeddings import Embedder

UNITS_PER_JUDGEMENT = 200


def offline_oral_cast(bank: CorpusFacts, embedder: Embedder) -> OralCast:
    """Every role of the oral examination, with what it needs of the corpus."""
    return OralCast(
        name=OFFLINE_CAST,
        units=OfflineOralUnits(bank),
        examiner=OfflineExaminer(),
        judge=OfflineOralJudge(embedder, bank),
        units_per_judgement=UNITS_PER_JUDGEMENT,
        by_rule=True,
    )
