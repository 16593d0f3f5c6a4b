"""Who examines in a run: language models where --model names them, else the offline cast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from viva.agents.oral_roles import Examiner, OralCast
from viva.core.records import OralUnit, QuestionForm

if TYPE_CHECKING:
    from viva.graphs.context import RunContext


class SparingExaminer:
    """Asks for several units by the one examiner, for one alone by the other where it speaks the unit's language.

    To ask for one thing takes no skill, and alone are asked all units that an examinee does not know: a model's
    questions for them would be half of what its questions cost.
    """

    def __init__(self, several: Examiner, alone: Examiner, speaks: Callable[[OralUnit], bool]) -> None:
        self._several, self._alone, self._speaks = several, alone, speaks

    async def question(
        self,
        units: Sequence[OralUnit],
        *,
        subject: str,
        form: QuestionForm,
        missed: Sequence[OralUnit] = (),
        attempt: int = 0,
    ) -> str:
        """As the one or the other words it."""
        plain = form is QuestionForm.SINGLE and all(map(self._speaks, units))
        who = self._alone if plain else self._several
        return await who.question(units, subject=subject, form=form, missed=missed, attempt=attempt)


def oral_cast(context: RunContext) -> OralCast:
    """The cast of the run context's run."""
    if not context.settings.model:
        from viva.agents.offline.oral.cast import offline_oral_cast

        return offline_oral_cast(context.corpus_facts, context.embedder)
    from viva.agents.language_model.oral.cast import language_model_oral_cast
    from viva.agents.offline.oral.examiner import OfflineExaminer
    from viva.core.text.language_detection import detect_language

    language = cache(lambda document_id: detect_language(context.documents[document_id].text))

    def is_english(unit: OralUnit) -> bool:
        return language(unit.evidence.document_id) == "en"

    cast = language_model_oral_cast(context.models.asker)
    return replace(cast, examiner=SparingExaminer(cast.examiner, OfflineExaminer(), is_english))
