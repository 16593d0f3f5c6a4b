"""An oral examination whose truth is known: pumps, what they move, and roles that go by the letter."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from by_hand import WordEmbedder, source

from viva.agents.roles import OralCast, Source
from viva.core.errors import RoleFailed
from viva.core.records import (
    Examinee,
    OralCluster,
    OralPlan,
    OralTurn,
    OralUnit,
    QuestionForm,
    QuestionType,
    Span,
    UnitJudgement,
    UnitStatus,
)
from viva.core.scores_oral import OralScore, RoleUse
from viva.examinees.adapters.langchain import as_tool
from viva.examinees.answering import Answer
from viva.examinees.readers.reading import read_answer
from viva.graphs.oral import examine
from viva.graphs.oral_exam.session import OralSession
from viva.graphs.oral_exam.state import Limits, OralProgress
from viva.metrics.oral.figures import oral_score

ABOUT = re.compile(r"pump (\d+)\b")
Target = Callable[[str], str]


def litres(number: int) -> int:
    return 700 + number


def fact(number: int, moves: int | None = None) -> str:
    """A sentence that says what a pump moves: rightly, or what is given."""
    return f"Pump {number} moves {moves or litres(number)} litres of oil to tank {number} every hour."


def pumps(count: int) -> Source:
    """One document that tells of so many pumps."""
    return source("\n".join(fact(n) for n in range(count)))


def pump_units(of: Source) -> list[OralUnit]:
    found = []
    for number, line in enumerate(of.document.text.split("\n")):
        start = of.document.text.index(line)
        evidence = Span(document_id=of.document.id, start=start, end=start + len(line), quote=line)
        found.append(
            OralUnit.of(
                chunk_id=of.chunk.id,
                topic="pumps",
                type=QuestionType.QUANTITY,
                keyword=f"pump {number}",
                description=line,
                evidence=evidence,
            )
        )
    return found


def plan_of(units: Sequence[OralUnit], clusters: int) -> OralPlan:
    """The units dealt out to clusters in stretches."""
    size = -(-len(units) // clusters)
    made = tuple(
        OralCluster(number=n, name=f"hall {n}", unit_ids=tuple(u.id for u in units[n * size : (n + 1) * size]))
        for n in range(clusters)
    )
    return OralPlan(id=f"{len(units)} in {clusters}", units=tuple(units), clusters=made, how_clustered="By hand.")


class Units:
    async def extract(self, source: Source) -> list[OralUnit]:
        return pump_units(source)


class Examiner:
    """Names the pumps, the form and the attempt."""

    async def question(
        self, units: Sequence[OralUnit], *, subject: str, form: QuestionForm, attempt: int = 0, **told: object
    ) -> str:
        return f"{form}, {subject}, attempt {attempt}: {', '.join(unit.keyword for unit in units)}?"


class Judge:
    """Believes what is said to the letter."""

    async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]:
        return [self._of(unit, answer) for unit in units]

    def _of(self, unit: OralUnit, answer: str) -> UnitJudgement:
        number = int(unit.keyword.split()[1])
        found = re.search(rf"Pump {number} moves (\d+) litres", answer)
        if found is None:
            return UnitJudgement(unit_id=unit.id, reason="not said")
        return UnitJudgement(unit_id=unit.id, quote=found[0], correct=int(found[1]) == litres(number), reason="said")


class Failing:
    """Plays examiner and judge, and can do neither work, the first `times` times or always."""

    def __init__(self, times: int | None = None) -> None:
        self._left = times

    def _fail(self) -> None:
        if self._left is None or self._left > 0:
            self._left = None if self._left is None else self._left - 1
            raise RoleFailed("refused", "The model refused.")

    async def question(
        self,
        units: Sequence[OralUnit],
        **told: Any,
    ) -> str:
        self._fail()
        return await Examiner().question(units, **told)

    async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]:
        self._fail()
        return await Judge().judge(question, answer, units)


def cast(judge: Judge | Failing | None = None, examiner: Examiner | Failing | None = None) -> OralCast:
    return OralCast(Units(), examiner or Examiner(), judge or Judge(), units_per_judgement=30)


@dataclass
class Hall:
    """An examination of one target, with its log. The hall is its own candidate."""

    target: Target
    units: int = 16
    clusters: int = 2
    limits: Limits = field(default_factory=Limits)
    cast: OralCast = field(default_factory=cast)
    examinee: Examinee = field(default_factory=lambda: Examinee(id="e", name="e", spec="e"))
    log: list[OralTurn] = field(default_factory=list)
    """as a store would keep it: a turn when it is answered, and again when it is judged"""
    put: list[str] = field(default_factory=list)
    """the questions, in order"""

    def __post_init__(self) -> None:
        self.source = pumps(self.units)
        self.plan = plan_of(pump_units(self.source), self.clusters)

    @property
    def turns(self) -> list[OralTurn]:
        latest = {turn.number: turn for turn in self.log}
        return [latest[number] for number in sorted(latest)]

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:
        self.put.append(question)
        return read_answer(self.target(question), options)

    def room(self) -> OralSession:
        return OralSession(
            examinee=self.examinee,
            target=as_tool(self),
            cast=self.cast,
            sources=[self.source],
            embed=WordEmbedder().embed,
            timeout_s=5,
            limits=self.limits,
            keep_turn=self.log.append,
            plan=self.plan,
        )

    def examine(self) -> tuple[OralProgress, str]:
        return asyncio.run(examine(self.room(), self.turns))

    def scored(self, *roles: RoleUse) -> OralScore:
        """All figures, once it is examined."""
        standing, reason = self.examine()
        told = {"reason": reason, "complete": standing.complete}
        return oral_score(self.examinee, self.plan, self.turns, standing.outcomes(), roles=roles, seed=0, **told)

    def statuses(self, standing: OralProgress) -> dict[int, UnitStatus]:
        """By number of the pump."""
        return {n: standing.units[unit.id].status for n, unit in enumerate(self.plan.units)}


def asked_pumps(question: str) -> list[int]:
    return [int(number) for number in ABOUT.findall(question)]


def knows(*numbers: int) -> Target:
    """Answers on those, says nothing of the others."""

    def answer(question: str) -> str:
        told = [fact(n) for n in asked_pumps(question) if n in numbers]
        return " ".join(told) or "I would rather talk of the weather."

    return answer
