"""The language-model cast, wired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from viva.agents.language_model.asks import Asks
from viva.agents.language_model.corpus import Apart, CorpusSearch, Search
from viva.agents.language_model.critics.blind_solver import ModelBlindSolver
from viva.agents.language_model.critics.final_reader import ModelFinalReader
from viva.agents.language_model.critics.grounds import (
    AnswerabilityCritic,
    BareOptionsCritic,
    BareQuestionCritic,
    GroundednessCritic,
    OnePassageCritic,
)
from viva.agents.language_model.critics.item_reviewer import ModelItemReviewer
from viva.agents.language_model.critics.pair_judge import PairJudge
from viva.agents.language_model.critics.proofreader import Proofreader
from viva.agents.language_model.critics.question_reader import ModelQuestionReader
from viva.agents.language_model.distractors import ModelDistractorWriter
from viva.agents.language_model.expert import ModelExpert
from viva.agents.language_model.units import ModelUnitExtractor
from viva.agents.language_model.writer import ModelQuestionWriter
from viva.agents.roles import MODEL_CAST, Cast
from viva.agents.rules.critics import FollowUpCritic, KeyCritic, LanguageCritic, OptionFormCritic, WordingCritic
from viva.core.ids import seeded_order
from viva.core.records import Chunk, Document
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

if TYPE_CHECKING:
    from viva.storage.word_index import WordIndex

_TITLES = 8
"""That tell a judge what the corpus is about."""
_LONGEST_TITLE = 60


def language_model_cast(
    asks: Asks,
    settings: Settings,
    documents: Mapping[str, Document] = MappingProxyType({}),
    chunks: Mapping[str, Chunk] = MappingProxyType({}),
    search: Search | None = None,
    words: Callable[[], WordIndex] | None = None,
    apart: Apart | None = None,
) -> Cast:
    """Every role asks a model through `asks`, where no rule can tell.

    `documents` and `chunks`, by id, are the corpus in which support for a wrong option is looked for; `search` and
    `words` find in it what may answer a question that nothing should answer; `apart` runs this off the event loop.

    Items of every kind are written by the same roles: what those that are not single-hop need otherwise is said in
    other instructions, and critics that do not apply to a kind keep silent about it.
    """
    corpus = CorpusSearch(documents, chunks, search, words, apart)
    expert = ModelExpert(asks, corpus)
    titles = _titles(documents.values(), settings.seed)
    return Cast(
        name=MODEL_CAST,
        units=ModelUnitExtractor(asks, settings),
        writer=ModelQuestionWriter(asks, settings, corpus),
        expert=expert,
        screen=((WordingCritic(), FollowUpCritic(), LanguageCritic()), (BareQuestionCritic(corpus),)),
        draft_critics=(
            (AnswerabilityCritic(),),
            (KeyCritic(), FollowUpCritic(), LanguageCritic(), GroundednessCritic(settings)),
            (OnePassageCritic(expert),),
        ),
        distractors=ModelDistractorWriter(asks, settings, corpus),
        option_critics=(OptionFormCritic(), BareOptionsCritic(corpus)),
        reviewer=ModelItemReviewer(asks, settings, corpus, titles),
        proofreader=Proofreader(asks, settings),
        question_reader=ModelQuestionReader(asks, settings, titles),
        pair_critic=PairJudge(asks),
        final_reader=ModelFinalReader(asks, settings, corpus, titles),
        blind_solver=ModelBlindSolver(asks, settings),
    )


def _titles(documents: Iterable[Document], seed: int) -> list[str]:
    """Titles of a few documents, drawn by the seed."""
    titles = sorted({one_line(document.title, _LONGEST_TITLE) for document in documents})
    return seeded_order(titles, seed, "titles")[:_TITLES]
