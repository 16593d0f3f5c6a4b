"""The blind reader: says whether it knows the answer to a question, without documents and options, and guesses.

It is asked before anybody judges the answer or writes options. Its guesses tell the question judge what an outsider
would say, and give the distractor writer what tempts one.
"""

from __future__ import annotations

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.replies import option, says_nothing
from viva.core.records import Draft, Recall

_MOST = 3
"""Guesses that are kept."""

RECALL = Brief(
    role="solver",
    prompt="blind_recall",
    reads={"question": "the stem, without options", "answer_form": "what an answer must look like"},
    gives={
        "rationale": (str, "what you know of it, in one or two sentences"),
        "known": (bool, "True or False: you know the answer firmly"),
        "answer": (str, "the shortest full answer, or NONE"),
        "guesses": (list[str], "what those would answer who do not know it, the likeliest first"),
    },
)


class ModelBlindReader:
    """Knowledge is asked for without options: no other options would help against it."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def recall(self, draft: Draft) -> Recall:
        """RoleFailed where the model's reply cannot be read."""
        said = await RECALL.ask(self._asks, {"question": draft.stem, "answer_form": draft.answer_form})
        answer = option(said.answer)
        guesses = (option(guess) for guess in said.guesses)
        told = tuple(dict.fromkeys(guess for guess in guesses if not says_nothing(guess)))[:_MOST]
        return Recall(
            known=said.known and not says_nothing(answer),
            answer="" if says_nothing(answer) else answer,
            guesses=told,
        )
