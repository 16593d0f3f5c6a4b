"""The language-model cast, wired."""

from __future__ import annotations

from viva.agents.language_model.asks import Asks
from viva.agents.language_model.critics import ModelAnswerabilityCritic, ModelFaithfulnessCritic, rating_critics
from viva.agents.language_model.distractors import ModelDistractorWriter
from viva.agents.language_model.expert import ModelExpert
from viva.agents.language_model.options import ModelOptionCritic
from viva.agents.language_model.units import ModelUnitExtractor
from viva.agents.language_model.wording import OptionFormCritic, WordingCritic
from viva.agents.language_model.writer import ModelQuestionWriter
from viva.agents.roles import Cast
from viva.core.settings import Settings


def language_model_cast(asks: Asks, settings: Settings) -> Cast:
    """Every role asks a model through `asks`.

    What a rule can tell is judged first, and costs nothing; then what question and key tell by themselves; then what
    needs the passage, which is dear to send.
    """
    stand_alone, specificity, relevance, groundedness = rating_critics(asks)
    return Cast(
        name="language-model",
        units=ModelUnitExtractor(asks, settings),
        writer=ModelQuestionWriter(asks, settings),
        expert=ModelExpert(asks),
        screen=((WordingCritic(),), (stand_alone, specificity, relevance)),
        draft_critics=((ModelAnswerabilityCritic(asks), groundedness, ModelFaithfulnessCritic(asks)),),
        distractors=ModelDistractorWriter(asks, settings),
        option_critics=(OptionFormCritic(), ModelOptionCritic(asks, settings)),
    )
