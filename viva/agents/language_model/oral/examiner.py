"""The examiner: words a question about units of which it is shown the keywords alone, so that it gives none away."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.replies import question
from viva.core.errors import RoleFailed
from viva.core.records import OralUnit, QuestionForm

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


class ModelExaminer:
    """One call per question."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

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
        points = "\n".join(f"{n}. {unit.keyword} ({unit.type.value})" for n, unit in enumerate(units, 1))
        attempt = max(attempt, int(bool(missed)))
        said = await BRIEF.ask(
            self._asks, {"subject": subject or "the points", "points": points}, form=form.value, attempt=attempt
        )
        worded = question(said.question)
        if not worded:
            raise RoleFailed("no_question", "The examiner's model worded no question.")
        return worded
