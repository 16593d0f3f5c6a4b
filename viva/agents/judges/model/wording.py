"""A model words a known answer: two wordings of one answer differ in nothing but who wrote them."""

from __future__ import annotations

from dataclasses import replace

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.replies import LONGEST_SENTENCES, says_nothing
from viva.core.errors import RoleFailed
from viva.llm.untrusted import one_line

BRIEF = Brief(
    role="judge.wording",
    prompt="answer_wording",
    reads={"question": "as it was put", "reference": "the answer that is known to be right"},
    gives={"answer": (str, "the same answer in your own words")},
)


class Wording:
    """The model of a role of the roster, as a writer of answers."""

    def __init__(self, asks: Asks, role: str = "judge") -> None:
        self._asks = asks
        self._brief = replace(BRIEF, role=f"{role}.wording")

    async def word(self, question: str, reference: str) -> str:
        """The reference in the model's own words. RoleFailed as any role, and where it words nothing."""
        said = await self._brief.ask(self._asks, {"question": question, "reference": reference})
        answer = one_line(said.answer, LONGEST_SENTENCES)
        if says_nothing(answer):
            raise RoleFailed("no_wording", "The model worded no answer.")
        return answer
