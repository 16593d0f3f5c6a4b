"""The roles of the committee, and the cast that plays them.

Graph nodes call roles and never know which cast plays. Every role is asynchronous, sees only what it is
handed, and returns records; a role that finds nothing to do says so with a value (None, or a verdict). One that
cannot do its work (a model refused, its reply could not be read) raises RoleFailed: the unit is counted as failed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from viva.core.records import Chunk, Distractor, Document, Draft, KnowledgeUnit, Verdict

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


@dataclass(frozen=True)
class Source:
    """What a role may read: one chunk and the document it stands in."""

    chunk: Chunk
    document: Document


class UnitExtractor(Protocol):
    """Reads a chunk and names the checkable facts in it, the most askable first."""

    async def extract(self, source: Source) -> list[KnowledgeUnit]: ...


class QuestionWriter(Protocol):
    """Words a question about one unit; None when it has no (other) way to ask about it.

    On a revision `previous` is the draft that failed and `feedback` the verdict it failed on.
    """

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None: ...


class ExpertAnswerer(Protocol):
    """Answers a stem from the chunk alone, having seen neither key nor options. None: it cannot."""

    async def answer(self, stem: str, answer_form: str, source: Source) -> str | None: ...


class DraftCritic(Protocol):
    """Judges a draft and the expert's answer to it, before there are distractors."""

    name: str

    async def judge(self, draft: Draft, expert_answer: str | None, source: Source) -> Verdict: ...


class DistractorWriter(Protocol):
    """Writes the wrong options. `attempt` counts from 0. None: not enough plausible ones exist."""

    async def write(self, draft: Draft, source: Source, attempt: int) -> tuple[Distractor, ...] | None: ...


class OptionCritic(Protocol):
    """Judges the finished set of options."""

    name: str

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict: ...


@dataclass(frozen=True)
class Cast:
    """One implementation of every role.

    Draft critics sit in panels: one panel after the other, cheapest first, the critics of a panel at once. A panel
    that fails a draft spares the next ones their work. Those of the screen judge the question alone, while the
    expert answers it; they are handed no answer.
    """

    name: str
    units: UnitExtractor
    writer: QuestionWriter
    expert: ExpertAnswerer
    screen: tuple[tuple[DraftCritic, ...], ...]
    draft_critics: tuple[tuple[DraftCritic, ...], ...]
    distractors: DistractorWriter
    option_critics: tuple[OptionCritic, ...]
