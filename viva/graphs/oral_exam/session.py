"""Who takes part in one oral examination, and how the examinee is asked: as a tool, by the rules of a sitting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from viva.agents.roles import OralCast, Source
from viva.core.records import (
    Examinee,
    ExamItem,
    OralPlan,
    OralTurn,
    OralUnit,
    QuestionForm,
    Response,
)
from viva.examinees.answering import Answer
from viva.examinees.readers.reading import read_answer
from viva.graphs.assembly.deduplication import Embed
from viva.graphs.context import Watcher, unwatched
from viva.graphs.oral_exam.answers import Listener
from viva.graphs.oral_exam.state import Limits
from viva.graphs.sitting.administer import ask

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def _nothing_counted(calls: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG001
    return {}


def _not_kept(record: OralPlan | OralTurn) -> None:
    """For an examination that nobody resumes."""


@dataclass
class OralSession:
    """Everything one oral examination works with: the context of its graph."""

    examinee: Examinee
    target: BaseTool
    """the examinee, as a LangChain tool that takes a question"""
    cast: OralCast
    sources: Sequence[Source]
    """the chunks of the corpus, each with its document, in their order"""
    embed: Embed
    seed: int = 0
    timeout_s: float = 30.0
    limits: Limits = field(default_factory=Limits)
    chunks_at_once: int = 8
    keep_plan: Callable[[OralPlan], None] = _not_kept
    keep_turn: Callable[[OralTurn], None] = _not_kept
    counted: Callable[[Sequence[str]], Mapping[str, int]] = _nothing_counted
    """tokens by role of the model calls with these keys"""
    watch: Watcher = unwatched
    drawn_from: str = ""
    """said in the plan where the sources are not all chunks"""
    plan: OralPlan | None = None
    """set when the plan is made, or found"""

    @property
    def planned(self) -> OralPlan:
        """The plan."""
        if self.plan is None:
            raise AssertionError("nothing is asked before there is a plan")
        return self.plan

    @cached_property
    def units(self) -> dict[str, OralUnit]:
        """The plan's units by id."""
        return {unit.id: unit for unit in self.planned.units}

    @cached_property
    def listener(self) -> Listener:
        """Who hears the answers first."""
        documents = {source.document.id: source.document.text for source in self.sources}
        return Listener(self.planned.units, documents.values())

    def invited(self, turn: OralTurn) -> tuple[str, ...]:
        """The units that the turn's question invites to speak of.

        Those it was asked for; of a broad one, which asks for whatever else is known, as many others of its cluster.
        """
        others = self.planned.clusters[turn.cluster].unit_ids if turn.form is QuestionForm.BROAD else ()
        beside = [unit_id for unit_id in others if unit_id not in turn.unit_ids]
        return (*turn.unit_ids, *beside[: len(turn.unit_ids)])

    async def put(self, question: str) -> Response:
        """Put an open question to the examinee; whatever it does, a response comes back."""
        return await ask(_ThroughTool(self.examinee, self.target), ExamItem.asked(question, "oral"), self.timeout_s)


@dataclass
class _ThroughTool:
    """A tool in the chair. What it raises is raised: a sitting's rules make a counted failure of it."""

    examinee: Examinee
    tool: BaseTool

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:
        call = {"name": self.tool.name, "args": {"question": question}, "id": "question", "type": "tool_call"}
        said: Any = await self.tool.ainvoke(call)
        whole = getattr(said, "artifact", None)
        # a tool that keeps no answer beside its words has only its words
        return whole if isinstance(whole, Answer) else read_answer(getattr(said, "content", said), options)
