"""The seam: whoever can answer a question can be examined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from viva.core.records import Examinee, ExamItem, Passage


@dataclass(frozen=True)
class Answer:
    """What an examinee says. `choice` indexes the options it was shown; None: see `text`."""

    text: str
    choice: int | None = None
    passages: tuple[Passage, ...] = ()
    seconds: float | None = None
    """as measured where the system worked; None: the time until the answer was here is as good"""


class Candidate(Protocol):
    """A RAG system in the chair. `answer` may raise whatever it likes: that is counted, not believed."""

    examinee: Examinee

    async def answer(self, stem: str, options: Sequence[str], item: ExamItem) -> Answer:
        """Answer one question. `item` is for references that know the evidence; a user's system never sees it."""
        ...
