"""The oral cast of language models, wired."""

from __future__ import annotations

from collections.abc import Callable

from viva.agents.language_model.asks import Asks
from viva.agents.language_model.oral.examiner import ModelExaminer
from viva.agents.language_model.oral.judge import ModelOralJudge
from viva.agents.language_model.oral.units import ModelOralUnits
from viva.agents.oral_roles import OralCast
from viva.core.records import OralUnit

UNITS_PER_JUDGEMENT = 25
"""As many as one question asks for, and some that an answer may reach besides."""


def language_model_oral_cast(asks: Asks, is_english: Callable[[OralUnit], bool]) -> OralCast:
    """Every role asks a model through `asks`; `is_english`: whether a unit's document is in English."""
    return OralCast(
        units=ModelOralUnits(asks),
        examiner=ModelExaminer(asks, is_english),
        judge=ModelOralJudge(asks),
        units_per_judgement=UNITS_PER_JUDGEMENT,
    )
