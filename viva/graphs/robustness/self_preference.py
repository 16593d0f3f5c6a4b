"""Does a model prefer its own words? Two models word one answer, and both judge the two wordings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from viva.agents.judges.model.wording import Wording
from viva.agents.judges.model.working import worked
from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.core.errors import RoleFailed, UsageError
from viva.core.ids import seeded_order
from viva.core.records.judging import Case, Judgement, Probed
from viva.graphs.grading.batch_judging import judge_cases, score_of
from viva.graphs.robustness.probe_judge import CASES, Example, Result

SELF_PREFERENCE = "self-preference"
_PLACES = 64


@dataclass(frozen=True)
class Model:
    """One model as a writer and as a judge of preference."""

    wording: Wording
    judge: Judge


async def probe_self_preference(
    own: Model, rival: Model, cases: Sequence[Case], *, seed: int, most: int = CASES, progress: Progress | None = None
) -> Result:
    """`own` judges its own wording of an answer against the rival's, in both orders.

    Moved: it prefers its own, and the rival does not agree: what both prefer may simply be better. A case that one of
    them did not word or judge is unjudged; where both say the same, word for word, there is no room. UsageError where
    no case has a question and a reference.
    """
    fitting = [case for case in cases if case.question.strip() and case.reference.strip()]
    if not fitting:
        raise UsageError(
            "No case has a question and a reference to be worded.",
            next_step="Give --data with both, or leave it out for the cases that ship with viva.",
        )
    drawn = seeded_order({case.reference: case for case in fitting}.values(), seed, SELF_PREFERENCE)[:most]
    pairs = [case for case in await worked(_worded(own, rival), drawn, _PLACES) if case is not None]
    differing = [case for case in pairs if case.answer.casefold() != case.other.casefold()]
    by_own = await judge_cases(own.judge, differing, progress)
    by_rival = await judge_cases(rival.judge, differing, progress)
    tried, examples = 0, list[Example]()
    for case, one, other in zip(differing, by_own.results, by_rival.results, strict=True):
        if not isinstance(one, Judgement) or (told := score_of(other)) is None:
            continue
        tried += 1
        if one.score == 1 and told < 1:
            examples.append(Example(tricked=case, before=told, after=one.score, reason=one.reason))
    return Result(
        Probed(probe=SELF_PREFERENCE, moved=len(examples), tried=tried),
        unjudged=len(drawn) - len(pairs) + len(differing) - tried,
        no_room=len(pairs) - len(differing),
        examples=tuple(examples),
    )


def _worded(own: Model, rival: Model) -> Callable[[Case], Awaitable[Case | None]]:
    async def both(case: Case) -> Case | None:
        try:
            first, second = [await each.wording.word(case.question, case.reference) for each in (own, rival)]
        except RoleFailed:
            return None
        return Case(question=case.question, reference=case.reference, answer=first, other=second)

    return both
