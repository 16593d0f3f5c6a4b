"""The seam: whoever can answer a question can be examined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from viva.core.errors import ModelAway
from viva.core.records import AnswerUsage, Examinee, ExamItem, FailureCause, Passage, Turn
from viva.metrics.text.choices.result import ChoiceReading


@dataclass(frozen=True)
class Answer:
    """What an examinee says. `choice` indexes the options it was shown; None: see `text`."""

    text: str
    choice: int | None = None
    passages: tuple[Passage, ...] = ()
    latency_s: float | None = None
    """seconds, as measured where the system worked; None: the time until the answer was here is as good"""
    usage: AnswerUsage | None = None
    meta: Mapping[str, str] = field(default_factory=dict)
    reading: ChoiceReading | None = None
    """what its text was read as, where the system named no option itself"""


class Candidate(Protocol):
    """A RAG system in the chair. `answer` may raise whatever it likes: that is counted, not believed.

    Without options the question is open: it is answered in words.
    """

    examinee: Examinee

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer: ...


@runtime_checkable
class KnowsItems(Protocol):
    """Whoever is handed the whole item: the oracle reads its evidence, recorded answers are found by its id.

    A user's system at work never is.
    """

    async def answer_item(self, shown: ExamItem) -> Answer: ...


@runtime_checkable
class ReadsPassages(Protocol):
    """A system that can be made to answer from passages it is handed instead of those it would retrieve.

    `takes_passages` says whether this one can; no passages at all make it a closed book.
    """

    @property
    def takes_passages(self) -> bool: ...

    async def answer_from(
        self,
        question: str,
        options: Sequence[str] | None,
        passages: Sequence[Passage],
        history: Sequence[Turn] = (),
    ) -> Answer: ...


@runtime_checkable
class TakesHistory(Protocol):
    """A candidate that can be given the conversation that a question follows on; `takes_history` says whether."""

    examinee: Examinee

    @property
    def takes_history(self) -> bool: ...

    async def answer(
        self, question: str, options: Sequence[str] | None = None, history: Sequence[Turn] = ()
    ) -> Answer: ...


def takes_history(candidate: object) -> bool:
    """Tell whether a candidate is given the conversation before a question."""
    return isinstance(candidate, TakesHistory) and candidate.takes_history


@runtime_checkable
class Closes(Protocol):
    """A system that holds a process, a thread or connections, and gives them back."""

    def close(self) -> None: ...


class BadAnswerError(Exception):
    """What came back is no answer; the text says what was expected, `cause` (about what) why, where that is known."""

    def __init__(self, detail: str = "", cause: FailureCause | None = None, about: str = "") -> None:
        self.cause = cause
        self.about = about
        super().__init__(detail)


class NoAnswerError(BadAnswerError):
    """Nothing came back."""


class Unheard(ModelAway):
    """The language model of a reader of viva's did not answer this question, though asked again and again."""
