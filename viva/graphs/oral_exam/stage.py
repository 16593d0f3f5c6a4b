"""The oral examination within a run: the users' own systems, once they have sat, in a bounded number of questions."""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.errors import BudgetReached, UsageError
from viva.core.settings import Settings
from viva.examinees.specs.records import RecordedSpec, Spec
from viva.graphs import results, stages
from viva.graphs.context import RunContext
from viva.graphs.oral_exam.record import keep_problem, kept_scores
from viva.graphs.oral_exam.state import Limits
from viva.graphs.sitting.reference_examinees import answers_of, own_specs

CHUNKS_PER_QUESTION = 10
"""Chunks in which units are looked for, at most: more units than these hold no such number of questions reaches."""


def limits_of(settings: Settings) -> Limits:
    """How far an examination goes within a run."""
    asked = settings.oral_questions
    return Limits(questions=asked, chunks=CHUNKS_PER_QUESTION * asked)


def orally_examined(settings: Settings, specs: Sequence[Spec]) -> list[Spec]:
    """The user's own systems, but for recorded answers; none without a question allowed or a language model."""
    if not settings.oral_questions or not settings.model:
        return []
    return [spec for spec in own_specs(specs) if not isinstance(spec, RecordedSpec)]


def announced(settings: Settings, specs: Sequence[Spec]) -> list[str]:
    """What the oral examination will ask, in sentences, before anybody is asked; none where it asks nothing."""
    names, limits = [spec.examinee.name for spec in orally_examined(settings, specs)], limits_of(settings)
    if not names:
        without_model = settings.oral_questions and not settings.model and own_specs(specs)
        return ["There is no oral examination: it needs a language model (--model)."] if without_model else []
    who = names[0] if len(names) == 1 else f"Each of the {len(names)} systems of yours"
    asked = f"in at most {limits.questions} open questions (--oral-questions N: fewer, 0: none)"
    calls = (
        f"For it language models are asked once for each chunk ({limits.chunks} chunks at most), and for each "
        "question about twice: within the budget of the run."
    )
    return [f"{who} is examined orally after the exam, {asked}.", calls]


async def examine_own(context: RunContext) -> None:
    """Examine those who answered anything in the sitting; what cannot be done is kept in words, and the run goes on.

    Where it ends the budget of model calls, `context.stopped` says so: what follows asks no model, and is made.
    """
    store, settings = context.store, context.settings
    if not context.has_documents:
        return
    exam, limits = stages.exam_of(store, context.folder), limits_of(settings)
    far = {
        score.examinee.id
        for score in kept_scores(store)
        if (score.ability if score.complete else score.questions >= settings.oral_questions)
    }
    # who was examined so far already, or by viva oral farther, is left as it is
    left = [s for s in orally_examined(settings, context.candidates.specs) if s.examinee.id not in far]
    specs = [spec for spec in left if answers_of(store, spec.examinee, exam)]
    if not specs:
        return
    problem = ""
    try:
        # slow to import, and announced without it
        from viva.graphs.oral_exam.conduct import examine_each

        await examine_each(context, specs, limits)
    except UsageError as error:
        problem = error.problem
    if context.stopped is not None:
        problem = context.stopped.problem
        context.stopped = BudgetReached(
            problem,
            allowed=f"The exam is sat, scored and reported ({context.folder / results.REPORT_FILE}); "
            "the oral examination has not come to its end.",
            next_step=context.stopped.next_step,
        )
    if problem:
        keep_problem(store, problem)
