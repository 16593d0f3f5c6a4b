"""The oral cast of language models: the examiner, and all roles wired."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.oral.judge import ModelOralJudge
from viva.agents.language_model.oral.units import ModelOralUnits
from viva.agents.language_model.replies import question
from viva.agents.roles import OralCast
from viva.core.errors import RoleFailed
from viva.core.records import OralUnit, QuestionForm, QuestionType

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


BRIEF = Brief(
    role="examiner",
    prompt="oral_examiner",
    reads={
        "subject": "what the points have in common",
        "points": "numbered, each with its kind of fact",
        "form": "broad, narrow or single",
        "attempt": "how often these points were asked for before",
    },
    gives={"question": (str, "one question, in one paragraph")},
)
_FACTS = {
    QuestionType.QUANTITY: "which number",
    QuestionType.DATE: "which date or time",
    QuestionType.NAME: "which name",
    QuestionType.IDENTIFIER: "which number, code or label",
    QuestionType.CAUSE: "which reason",
    QuestionType.PURPOSE: "which purpose",
    QuestionType.CONDITION: "which condition",
    QuestionType.PROCEDURE: "which steps",
    QuestionType.COMPARISON: "which comparison",
    QuestionType.DEFINITION: "which definition",
}
_TEMPLATES = (
    "What do the documents say about “{keyword}”: {fact}?",
    "Please say, of “{keyword}”, {fact} the documents give.",
    "Of “{keyword}”: {fact} do the documents state?",
)


class ModelExaminer:
    """Names the keywords of units alone, so that it gives none away.

    One call per question, and none for one unit in English: to ask for one fact needs no model, and alone are asked
    all units that an examinee does not know: half of what questions would cost.
    """

    def __init__(self, asks: Asks, is_english: Callable[[OralUnit], bool]) -> None:
        self._asks = asks
        self._is_english = is_english

    async def question(
        self,
        units: Sequence[OralUnit],
        *,
        subject: str,
        form: QuestionForm,
        missed: Sequence[OralUnit] = (),
        attempt: int = 0,
    ) -> str:
        """RoleFailed where the model words nothing. `missed` are among the units, and named as they are."""
        if form is QuestionForm.SINGLE and self._is_english(units[0]):
            return asked_alone(units[0], attempt)
        points = "\n".join(f"{n}. {unit.keyword} ({unit.type.value})" for n, unit in enumerate(units, 1))
        attempt = max(attempt, int(bool(missed)))
        said = await BRIEF.ask(
            self._asks, {"subject": subject or "the points", "points": points}, form=form.value, attempt=attempt
        )
        worded = question(said.question)
        if not worded:
            raise RoleFailed("no_question", "The examiner's model worded no question.")
        return worded


def asked_alone(unit: OralUnit, attempt: int) -> str:
    """A question in English for one unit, in other words at the next attempt."""
    template = _TEMPLATES[attempt % len(_TEMPLATES)]
    return template.format(keyword=unit.keyword, fact=_FACTS.get(unit.type, "which fact"))
