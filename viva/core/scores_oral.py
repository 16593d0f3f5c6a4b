"""What an oral examination came to: unit by unit, by round, by cluster, and what it cost."""

from __future__ import annotations

from pydantic import Field

from viva.core.estimates import Estimate
from viva.core.notes import Note
from viva.core.records import Examinee, Record, UnitStatus
from viva.core.records.base import ignoring


class UnitOutcome(Record):
    """How one unit ended."""

    unit_id: str
    status: UnitStatus
    turn: int | None = Field(default=None, description="number of the turn that settled it")
    round: int | None = Field(default=None, description="of that turn")
    asked: int = Field(default=0, description="questions it was asked for and that were answered and judged")
    unjudged: int = Field(default=0, description="of its judgements, those that could not be made")
    contradicted: tuple[int, ...] = Field(default=(), description="later turns that say otherwise: not rejudged")


class OralRow(Record):
    """Units that have something in common. units = correct + incorrect + given_up + open."""

    level: str
    units: int
    correct: int
    incorrect: int
    given_up: int
    open: int
    known: Estimate | None = Field(description="share of correct ones among those with a verdict, with its interval")


class RoundRow(Record):
    """What the questions of one round brought."""

    round: int
    questions: int = Field(description="answered and judged")
    asked: int = Field(description="units they were asked for, one by one")
    covered: int = Field(description="units they settled, those that were not asked for included")
    correct: int
    given_up: int


class CurvePoint(Record):
    """How much was known about the examinee after so many questions."""

    questions: int
    covered: int
    correct: int
    verdicts: int


class RoleUse(Record):
    """What one role took in an examination."""

    role: str
    calls: int
    tokens: int | None = Field(description="None where nobody counted them")
    cost: float | None = Field(default=None, description="US dollars; None unless the price of every call is known")


class OralAbility(Record):
    """An ability on one scale, from the exam alone and with the oral examination beside it."""

    alone: Estimate | None = Field(description="from the multiple-choice exam; None where it was not sat or fitted")
    joined: Estimate
    units: int = Field(description="units that count as items")
    items: int = Field(description="questions of the exam")
    linked: bool = Field(description="whether both are on the exam's scale; otherwise each is on its own")
    notes: tuple[Note, ...] = ()


class OralScore(Record):
    """An oral examination of one examinee. units = correct + incorrect + given_up + open."""

    _gone = ignoring("chance")

    examinee: Examinee
    plan_id: str
    units: int
    clusters: int
    how_clustered: str
    correct: int
    incorrect: int
    given_up: int
    open: int
    known: Estimate | None = Field(description="share of correct ones among the examined; None where none was")
    known_low: float = Field(description="share of all units that are known if none of the open ones is")
    known_high: float = Field(description="the same if all of the open ones are")
    reason: str = Field(description="why it ended")
    complete: bool = Field(description="every unit that can be judged has a verdict")
    questions: int = Field(description="put to the examinee, those it failed on included")
    failures: dict[str, int] = Field(description="of the examinee, by kind")
    flags: dict[str, int] = Field(description="answers by what is odd about them")
    forms: dict[str, int] = Field(description="questions by form")
    contradictions: int = Field(description="units on which the examinee later said otherwise")
    unjudged: int = Field(description="judgements that could not be made")
    roles: tuple[RoleUse, ...]
    rounds: tuple[RoundRow, ...]
    by_cluster: tuple[OralRow, ...]
    by_type: tuple[OralRow, ...]
    curve: tuple[CurvePoint, ...]
    outcomes: tuple[UnitOutcome, ...]
    ability: OralAbility | None = Field(default=None, description="of a finished examination")

    @property
    def by_rules(self) -> bool:
        """Whether rules judged the answers, as in earlier versions, and not a language model."""
        return any(use.role == "judge" for use in self.roles)

    @property
    def why_no_ability(self) -> str:
        """In words, where there is none."""
        return (
            "No ability by exam and oral together: it takes five systems examined to the end. How hard units are is "
            "not known from fewer, and what is settled first is what a system knows."
        )

    @property
    def asked_in_vain(self) -> int:
        """Units without a verdict that were asked for."""
        return sum(each.status is UnitStatus.OPEN and each.asked > 0 for each in self.outcomes)

    @property
    def examined(self) -> int:
        """Units with a verdict."""
        return self.units - self.open
