"""Which option an answer means: by its letter, by its text, by a critic; else none. Never a guess.

`meta["choice_by"]` of every response says who told: the letter, the text, the system itself, the critic, or nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from viva.core.errors import RoleFailed
from viva.examinees.answering import Answer
from viva.examinees.readers.choosing import chosen_option

CHOICE_BY = "choice_by"


class ChoiceReader(Protocol):
    """Says which option an answer means. It is not told which one is right, and the answer is untrusted."""

    async def read(self, question: str, options: Sequence[str], answer: str) -> int | None:
        """The option's index; None where the answer means none of them, or more than one. RoleFailed as any role."""
        ...


async def with_choice(
    answer: Answer, question: str, options: Sequence[str] | None, reader: ChoiceReader | None
) -> Answer:
    """The answer with the option it means, and with who told it. An open question has no options."""
    if not options:
        return answer
    if answer.choice is not None:
        return _told(answer, answer.choice, _by(answer, options))
    if reader is None or not answer.text.strip():
        return _told(answer, None, "nobody")
    try:
        choice = await reader.read(question, options, answer.text)
    except RoleFailed as failure:
        # the answer stands without a choice, and the reason with it
        return _told(answer, None, f"nobody: the critic failed ({failure.code})")
    return _told(answer, choice, "nobody: the critic saw no option in it" if choice is None else "critic")


def _by(answer: Answer, options: Sequence[str]) -> str:
    # beside options that no answer holds, only a letter is read
    if chosen_option(answer.text, [f"\0{n}" for n in range(len(options))]) == answer.choice:
        return "letter"
    return "text" if chosen_option(answer.text, options) == answer.choice else "system"


def _told(answer: Answer, choice: int | None, by: str) -> Answer:
    return replace(answer, choice=choice, meta={**answer.meta, CHOICE_BY: by})
