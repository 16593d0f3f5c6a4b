"""The choice critic: which option an examinee's answer means, where neither a letter nor an option's text tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from viva.agents.language_model.asks import Asks, Brief, one_of
from viva.agents.language_model.critics.review_brief import LETTERS, lettered
from viva.agents.language_model.replies import bounded
from viva.llm.untrusted import restored

NONE = "N"
LONGEST_ANSWER = 4000
"""Characters of an answer that are read: the beginning and the end of a longer one."""


@cache
def brief(options: int) -> Brief:
    """What the critic of so many options must give."""
    return Brief(
        role="judge.choice",
        prompt="judge_choice",
        reads={
            "question": "the stem",
            "options": "one to a line, each after its letter",
            "answer": "what the examinee said",
        },
        gives={
            "quote": (str, "the words of the answer that settle which option it means, copied, or NONE"),
            "meant_option": (one_of((*LETTERS[:options], NONE)), "its letter; N if none of them, or more than one"),
        },
    )


class ChoiceCritic:
    """Reads what was said and never what is right: it is not told the key, nor the passage."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def read(self, question: str, options: Sequence[str], answer: str) -> int | None:
        """The index of the option that the answer means; None for no option and for several. RoleFailed as any role.

        A critic that quotes what the answer does not say has read something into it: then none is meant. Of more
        options than there are letters none is read.
        """
        if len(options) > len(LETTERS):
            return None
        shown = lettered(options)
        material = {"question": question, "options": shown, "answer": bounded(answer, LONGEST_ANSWER)}
        said = await brief(len(options)).ask(self._asks, material)
        quote = _words(restored(said.quote))
        if said.meant_option == NONE or not quote or quote not in _words(answer):
            return None
        return LETTERS.index(said.meant_option)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
