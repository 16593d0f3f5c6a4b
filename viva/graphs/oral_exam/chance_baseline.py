"""What words of the documents in any order would earn: the level above which a known share shows knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from viva.agents.oral_roles import OralJudge
from viva.core.errors import RoleFailed
from viva.core.ids import rng
from viva.core.records import OralPlan, OralTurn, OralUnit
from viva.core.scores import Estimate
from viva.metrics.intervals import wilson
from viva.metrics.text.verbatim import words_of

_SENTENCE = 12
"""Words of a sentence of such an answer."""


async def chance_level(judge: OralJudge, plan: OralPlan, turns: Sequence[OralTurn], seed: int) -> Estimate | None:
    """The share of the units asked for that would have been judged known, with its 95% interval; None without any.

    Each question that was answered is answered once more, in as many words as the examinee used, drawn from the
    sentences of all units and in no order; what is judged first of a unit counts, as in the examination.
    """
    units = {unit.id: unit for unit in plan.units}
    words = [word for unit in plan.units for word in unit.evidence.quote.split()]
    known: dict[str, bool] = {}
    asked: set[str] = set()
    for turn in turns:
        wanted = [units[unit_id] for unit_id in turn.unit_ids if unit_id in units]
        if not turn.question or not turn.judgements or not wanted:
            continue
        asked.update(unit.id for unit in wanted)
        answer = scrambled(words, len(words_of(turn.answer)), rng(seed, "oral chance", str(turn.number)))
        left = [unit for unit in wanted if unit.id not in known]
        known.update(await _covered(judge, turn.question, answer, left))
    return wilson(sum(known.values()), len(asked))


def scrambled(words: Sequence[str], count: int, draw: Random) -> str:
    """So many words at random, in sentences."""
    return " ".join(_sentences([draw.choice(words).strip(".,;:!?()") for _ in range(count)] if words else []))


def _sentences(words: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(words), _SENTENCE):
        yield " ".join(words[start : start + _SENTENCE]) + "."


async def _covered(judge: OralJudge, question: str, answer: str, units: Sequence[OralUnit]) -> dict[str, bool]:
    """Of those that it takes the answer to be about, whether it is right."""
    if not units or not answer:
        return {}
    try:
        found = await judge.judge(question, answer, units)
    except RoleFailed:
        return {}
    return {each.unit_id: bool(each.correct) for each in found if each.covered and not each.failed}
