"""The expert answerer: answers from the chunk alone, quoting the words the answer rests on."""

from __future__ import annotations

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.evidence import Evidence
from viva.agents.language_model.wording import stem_defect
from viva.agents.language_model.writer import option
from viva.agents.roles import Source
from viva.llm.untrusted import one_line

_LONGEST_QUOTE = 2000

BRIEF = Brief(
    role="expert",
    prompt="expert_answerer",
    reads={**READS, "question": "what the user asks", "answer_form": "what the answer must look like"},
    gives={
        "quote": (str, "the words of the passage that answer the question, copied letter for letter, or NONE"),
        "answerable": (bool, "True or False: these words settle the question"),
        "answer": (str, "the shortest full answer, or NONE"),
    },
)


class ModelExpert:
    """Has seen neither key nor options."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def answer(self, stem: str, answer_form: str, source: Source) -> str | None:
        """The answer; None where the model says there is none, or quotes words that do not stand in the chunk.

        Of a stem that breaks a rule it is not asked: the wording critic, which speaks first, fails it in any case.
        """
        if stem_defect(stem):
            return None
        material = {**passage(source), "question": stem, "answer_form": answer_form}
        said = await BRIEF.ask(self._asks, material)
        answer, quote = option(said.answer), one_line(said.quote, _LONGEST_QUOTE)
        if not said.answerable or answer.lower() in {"", "none"}:
            return None
        return answer if Evidence(source).find(quote) else None
