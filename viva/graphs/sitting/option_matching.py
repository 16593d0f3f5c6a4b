"""Which option an answer means: as it was read, as its system reports it, as a critic sees it. Never a guess.

`meta["choice_by"]` of every response tells which: the letter, the text, the system, the critic, or nobody. Where
nobody could tell, `meta["no_choice"]` is the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from viva.core.errors import RoleFailed
from viva.core.records import NO_CHOICE, PASSAGES_ALONE
from viva.examinees.answering import Answer
from viva.examinees.readers.reading import with_reading
from viva.metrics.text.choices.thoughts import without_thoughts

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
    if not options or PASSAGES_ALONE in answer.meta:
        return answer
    answer = with_reading(answer, options)
    if answer.choice is not None:
        return _told(answer, answer.choice, _by(answer))
    said = without_thoughts(answer.text)
    if reader is None or not said.strip():
        return _told(answer, None, "nobody")
    try:
        choice = await reader.read(question, options, said)
    except RoleFailed as failure:
        # the answer stands without a choice, and the reason with it
        return _told(answer, None, f"nobody: the critic failed ({failure.code})")
    return _told(answer, choice, "nobody: the critic saw no option in it" if choice is None else "critic")


def _by(answer: Answer) -> str:
    return answer.reading.read_from.value if answer.reading and answer.reading.read_from else "system"


def _told(answer: Answer, choice: int | None, by: str) -> Answer:
    why = answer.reading.why_none if answer.reading and choice is None else None
    return replace(
        answer, choice=choice, meta={**answer.meta, CHOICE_BY: by, **({NO_CHOICE: why.value} if why else {})}
    )
