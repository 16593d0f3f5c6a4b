"""Two examinees on the same questions: one verdict, and what parts the two, which all places show alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from math import comb

from pydantic import Field, model_validator

from viva.core.accounts import SystemUsage
from viva.core.estimates import Estimate
from viva.core.records import Examinee, Record
from viva.core.wording import MINUS, counted, number, p_value, percent, signed

SIGNIFICANT = 0.05
ALL_BUT_SURE = 0.99
"""A probability from here on is not given more exactly."""
SURE = 0.95
"""A probability below it that one of a pair is ahead is not shown."""
ROUNDED = 0.005
"""Differences below it read as zero in whole points."""


class Family(StrEnum):
    """The pairs that a p-value is adjusted over."""

    OWN = "own"
    """two of the user's ranked systems"""
    AGAINST = "against"
    """one of the user's ranked systems with one that is not: a reference, a manufactured or a failing system"""
    OTHERS = "others"
    """pairs with none of the user's ranked systems"""
    NAMED = "named"
    """a pair that the user named: tested alone"""
    EARLIER = "earlier"
    """scored by an earlier version, which had one family for all and intervals of each pair by itself"""


class PairVerdict(StrEnum):
    """What the exact test says of the first of two examinees."""

    BETTER = "better"
    NOT_TOLD_APART = "not told apart"
    WORSE = "worse"


def verdict_of(difference: float, p_adjusted: float) -> PairVerdict:
    """Better or worse only where the adjusted p-value of the exact test is below .05."""
    if p_adjusted >= SIGNIFICANT or difference == 0:
        return PairVerdict.NOT_TOLD_APART
    return PairVerdict.BETTER if difference > 0 else PairVerdict.WORSE


_TURNED = {PairVerdict.BETTER: PairVerdict.WORSE, PairVerdict.WORSE: PairVerdict.BETTER}


class Comparison(Record):
    """Two examinees on the same items, failures as wrong answers."""

    first_id: str
    second_id: str
    items: int
    difference: float = Field(description="accuracy of the first minus that of the second")
    low: float = Field(description="95% interval of the difference, which holds for all pairs of the family at once")
    high: float
    p_value: float = Field(
        description="of this pair alone, exact McNemar test; of means over occasions the test that flips the signs "
        "of the questions' differences; corrected by the design effect where questions of one document hang together"
    )
    p_adjusted: float = Field(description="the same after Holm, over the pairs of the family")
    family: Family
    adjusted_over: int = Field(default=0, description="pairs in the family")
    verdict: PairVerdict = Field(description="of the first, by the adjusted p-value; the interval agrees with it")
    only_first: int | None = Field(
        default=None, description="items that the first alone has right, or more often of several occasions"
    )
    only_second: int | None = Field(default=None, description="the same of the second")
    repeated: bool = Field(default=False, description="whether grades are means over several occasions")
    design_effect: float = Field(default=1.0, description="that interval, p-values and probability allow for")
    probability_better: float | None = Field(
        description="that the first is right more often on questions like these; from the items that part the two"
    )

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_version(cls, given: object) -> object:
        """Its p-value was the adjusted one."""
        if not isinstance(given, Mapping) or "p_adjusted" in given:
            return given
        adjusted = float(given["p_value"])
        return {
            **given,
            "p_value": _exact(given.get("only_first"), given.get("only_second"), adjusted),
            "p_adjusted": adjusted,
            "family": Family.EARLIER,
            "verdict": verdict_of(float(given["difference"]), adjusted),
        }

    def turned(self) -> Comparison:
        """The same pair, seen from the second."""
        chance = self.probability_better
        return self.model_copy(
            update={
                "first_id": self.second_id,
                "second_id": self.first_id,
                "difference": -self.difference,
                "low": -self.high,
                "high": -self.low,
                "verdict": _TURNED.get(self.verdict, self.verdict),
                "only_first": self.only_second,
                "only_second": self.only_first,
                "probability_better": None if chance is None else 1 - chance,
            }
        )


def _exact(only_first: int | None, only_second: int | None, adjusted: float) -> float:
    """The p-value of the pair alone, where its counts are stored."""
    if only_first is None or only_second is None:
        return adjusted
    discordant = only_first + only_second
    tail = sum(comb(discordant, n) for n in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << discordant))


class Pairs:
    """Comparisons, found for two examinees in either order."""

    def __init__(self, comparisons: Iterable[Comparison]) -> None:
        self._found = {(each.first_id, each.second_id): each for each in comparisons}

    def between(self, first_id: str, second_id: str) -> Comparison | None:
        """The comparison with `first_id` as the first; None where the two were not compared."""
        if (first_id, second_id) in self._found:
            return self._found[first_id, second_id]
        turned = self._found.get((second_id, first_id))
        return turned.turned() if turned else None

    def __len__(self) -> int:
        return len({frozenset(pair) for pair in self._found})


class RetrieverPair(Record):
    """Two retrievers by themselves, by one measure, on the questions that both were asked."""

    first_id: str
    second_id: str
    measure: str = Field(description="recall@5, nDCG@5 or MRR")
    questions: int
    difference: float = Field(description="mean of the first less that of the second")
    low: float = Field(description="95% interval for all pairs of this measure at once, by documents drawn whole")
    high: float
    p_value: float = Field(description="of this pair alone: signs of the documents' differences, exchanged")
    p_adjusted: float = Field(description="the same after Holm, over the pairs of this measure")
    adjusted_over: int
    verdict: PairVerdict


class EvidenceAmong(StrEnum):
    """Of a question that one of two systems alone has right: whose passages hold its evidence."""

    OF_RIGHT = "among the passages of the one that is right alone"
    BOTH = "among the passages of both"
    OF_WRONG = "among the passages of the one that is wrong alone"
    NEITHER = "among the passages of neither"
    FAILED = "the one that is wrong failed to answer"
    UNKNOWN = "not known: a system shows no passages, or the question has no evidence"


CAUSES = {EvidenceAmong.OF_RIGHT: "retrieval", EvidenceAmong.BOTH: "reading", EvidenceAmong.OF_WRONG: "reading"}
"""What a question is put down to, by whose passages hold its evidence; nothing where it is not here."""


class PartedQuestion(Record):
    """A question that one of two systems alone has right, or right more often of several occasions.

    Of several occasions, the evidence is looked for in the first right answer of the one and the first wrong answer
    of the other.
    """

    item_id: str
    question: str
    right: str = Field(description="id of the system that is right")
    evidence: EvidenceAmong
    topic: str
    kind: str


class PairAtLevel(Record):
    """Two systems on the common questions of one topic or kind."""

    attribute: str
    level: str
    items: int
    first: float = Field(description="share of questions that the first has right")
    second: float
    difference: Estimate = Field(description="first less second; each interval by itself")


class PairFindings(Record):
    """Two systems that sat the same exam: the verdict, where they part and why, and what an answer of each takes."""

    first: Examinee
    second: Examinee
    comparison: Comparison
    parted: tuple[PartedQuestion, ...] = Field(description="in the exam's order")
    levels: tuple[PairAtLevel, ...] = Field(description="of topics and kinds in which questions differ")
    first_usage: SystemUsage | None
    second_usage: SystemUsage | None

    def evidence_of(self, examinee: Examinee) -> dict[EvidenceAmong, int]:
        """Of the questions that it has right alone, or more often: how many, by whose passages hold the evidence."""
        own = [each.evidence for each in self.parted if each.right == examinee.id]
        return {where: own.count(where) for where in EvidenceAmong if where in own}


def pair_verdict(found: Comparison, first: str, second: str) -> str:
    """The verdict on a pair with the difference and its interval, in words without a full stop."""
    level = found.verdict is PairVerdict.NOT_TOLD_APART
    verdict = f"{first} and {second} are not told apart" if level else f"{first} is {found.verdict} than {second}"
    alone = " of this pair alone" if found.family is Family.EARLIER and found.adjusted_over > 1 else ""
    return f"{verdict}: {_points(found.difference)} (95%{alone}: {_bound(found.low)} to {_bound(found.high)})"


def pair_sentence(found: Comparison, first: str, second: str) -> str:
    """The verdict on a pair with its figures, in the same words wherever the pair is shown."""
    questions = counted(found.items, "question")
    if found.only_first is None or found.only_second is None:
        counts = f"on {questions}"
    elif found.repeated:
        counts = f"of {questions} {first} is right more often on {found.only_first}, {second} on {found.only_second}"
    else:
        counts = f"of {questions} {first} alone has {found.only_first} right, {second} alone {found.only_second}"
    return f"{pair_verdict(found, first, second)}; {counts}; {_p(found)}.{_ahead(found, first, second)}"


def _p(found: Comparison) -> str:
    """One p-value, and what it is adjusted for."""
    several = found.adjusted_over > 1
    reasons = [counted(found.adjusted_over, "pair")] if several else []
    if found.design_effect != 1:
        reasons.append(f"documents (design effect {number(found.design_effect, 1)})")
    adjusted = f", adjusted for {' and '.join(reasons)}" if reasons else ""
    return f"{p_value(found.p_adjusted if several else found.p_value)}{adjusted}"


def _points(difference: float) -> str:
    shown = _bound(difference)
    return f"{shown} {'point' if shown.strip('+' + MINUS) == '1' else 'points'}"


def _bound(value: float) -> str:
    """In points; with a decimal where it would read as zero and is not."""
    return signed(100 * value, 0 if value == 0 or abs(value) >= ROUNDED else 1)


def _ahead(found: Comparison, first: str, second: str) -> str:
    """With what probability the better one is ahead; nothing where the two are not told apart, or it is less sure."""
    better = found.verdict is PairVerdict.BETTER
    if found.probability_better is None or found.verdict is PairVerdict.NOT_TOLD_APART:
        return ""
    chance = found.probability_better if better else 1 - found.probability_better
    if chance < SURE:
        return ""
    rounded = percent(chance) if chance < ALL_BUT_SURE else f"over {percent(ALL_BUT_SURE)}"
    return f" On further questions like these {first if better else second} is ahead with probability {rounded}."
