"""Does a model prefer its own words? Two models word one answer, and both judge the two wordings.

The share of a model's own wordings that it prefers would make the better writer look vain: the rival's verdict is the
control.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from judge_probes import CASES, Example, ProbeFinding

from viva.agents.judges.model.judge import worked
from viva.agents.judges.roles import Judge
from viva.agents.language_model.asks import Asks
from viva.agents.language_model.replies import LONGEST_SENTENCES, says_nothing
from viva.agents.roles import Progress
from viva.core.errors import RoleFailed, UsageError
from viva.core.ids import seeded_order
from viva.core.records.judging import Case, Judgement
from viva.graphs.grading.batch_judging import judge_cases
from viva.llm.untrusted import fenced, one_line

if TYPE_CHECKING:
    import dspy

SELF_PREFERENCE = "self-preference"
_PLACES = 64
_INSTRUCTIONS = Path(__file__).with_name("answer_wording.md")


@dataclass(frozen=True)
class Model:
    """One model as a writer and as a judge of preference."""

    asks: Asks
    judge: Judge

    async def word(self, case: Case) -> str:
        """The case's reference in the model's own words. RoleFailed as any role, and where it words nothing."""
        given = {name: fenced(getattr(case, name), name) for name in ("question", "reference")}
        said = await self.asks.ask("judge.wording", _signature(), **given)
        answer = one_line(said.answer, LONGEST_SENTENCES)
        if says_nothing(answer):
            raise RoleFailed("no_wording", "The model worded no answer.")
        return answer


async def probe_self_preference(
    own: Model, rival: Model, cases: Sequence[Case], *, seed: int, most: int = CASES, progress: Progress | None = None
) -> ProbeFinding:
    """`own` judges its own wording of an answer against the rival's, in both orders.

    Moved: it prefers its own, and the rival does not agree: what both prefer may simply be better. A case that one of
    them did not word or judge is unjudged; where both say the same, word for word, there is no room. UsageError where
    no case has a question and a reference.
    """
    fitting = [case for case in cases if case.question.strip() and case.reference.strip()]
    if not fitting:
        raise UsageError(
            "No case has a question and a reference to be worded.",
            next_step="Give --data with both, or leave it out for the invented cases.",
        )
    drawn = seeded_order({case.reference: case for case in fitting}.values(), seed, SELF_PREFERENCE)[:most]
    pairs = [case for case in await worked(_worded(own, rival), drawn, _PLACES) if case is not None]
    differing = [case for case in pairs if case.answer.casefold() != case.other.casefold()]
    by_own = await judge_cases(own.judge, differing, progress)
    by_rival = await judge_cases(rival.judge, differing, progress)
    tried, examples = 0, list[Example]()
    for case, one, other in zip(differing, by_own, by_rival, strict=True):
        if not isinstance(one, Judgement) or not isinstance(other, Judgement):
            continue
        tried += 1
        if one.score == 1 and other.score < 1:
            examples.append(Example(tricked=case, before=other.score, after=one.score, reason=one.reason))
    return ProbeFinding(
        SELF_PREFERENCE,
        moved=len(examples),
        tried=tried,
        unjudged=len(drawn) - len(pairs) + len(differing) - tried,
        no_room=len(pairs) - len(differing),
        examples=tuple(examples),
    )


@cache
def _signature() -> type[dspy.Signature]:
    import dspy

    fields = {
        "question": (str, dspy.InputField(desc="as it was put")),
        "reference": (str, dspy.InputField(desc="the answer that is known to be right")),
        "answer": (str, dspy.OutputField(desc="the same answer in your own words")),
    }
    made: type[dspy.Signature] = dspy.make_signature(
        fields, _INSTRUCTIONS.read_text("utf-8").strip(), signature_name="AnswerWording"
    )
    return made


def _worded(own: Model, rival: Model) -> Callable[[Case], Awaitable[Case | None]]:
    async def both(case: Case) -> Case | None:
        try:
            first, second = [await each.word(case) for each in (own, rival)]
        except RoleFailed:
            return None
        return Case(question=case.question, reference=case.reference, answer=first, other=second)

    return both
