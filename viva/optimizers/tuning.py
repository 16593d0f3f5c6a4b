"""Tuning a judge: an optimizer searches on train, validation tells candidates apart, the test part decides."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import dspy

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.forms import FORMS
from viva.agents.judges.roles import Judge
from viva.core.records.judging import LabelledCase, Quality
from viva.core.records.tuning import AdoptionDecision, Agreement, CandidatePrompt, Disagreement
from viva.llm.formats.ladder import LadderAdapter
from viva.llm.gateway import Gateway
from viva.llm.loops import BackgroundLoop
from viva.metrics.judges.paired import RESAMPLES
from viva.metrics.judges.pairs import Undefined
from viva.optimizers.adoption import decide
from viva.optimizers.dspy_optimizers import Optimizer, Search, TunedProgram
from viva.optimizers.efforts import Effort
from viva.optimizers.judge_agreement import agreement_of, people_agreement, worst_of
from viva.optimizers.judge_program import Halt, Halted, Material, SearchLM
from viva.optimizers.objectives import Objective, Said, Standing, leaves_more, objective_for, paired, unjudged
from viva.optimizers.splits import LabelSplit

NEVER = 10**9
"""Errors after which DSPy may give up: it is for the gateway to say when it is no use to go on."""


class Watch(Protocol):
    """Told how far a stage is."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """So much of so much is done."""


def unwatched(stage: str, done: int, total: int, note: str = "") -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class TuningSession:
    """What a tuning needs of the world: the gateway, the loop it lives on, and how a judge is made there."""

    gateway: Gateway
    background: BackgroundLoop
    judge: Callable[[Compiled | None], Judge]
    max_reply_tokens: int = 2048
    threads: int = 8
    watch: Watch = unwatched
    resamples: int = RESAMPLES


@dataclass(frozen=True)
class Tuned:
    """What came of it. `compiled` is the best candidate, None where none did better than the base on validation."""

    compiled: Compiled | None
    decision: AdoptionDecision
    base: Agreement
    tuned: Agreement | None
    people: Agreement | None
    candidates: tuple[CandidatePrompt, ...]
    worst: tuple[Disagreement, ...]


def tune(
    quality: Quality, split: LabelSplit, optimizer: Optimizer, effort: Effort, session: TuningSession, *, seed: int
) -> Tuned:
    """Search, choose, measure, decide. The same arguments make the same calls: the ledger answers them again.

    Runs in the thread it is called from, which must not be the loop's. BudgetReached, UsageError and TransientError
    come through; what was paid for by then is in the ledger.
    """
    objective = objective_for(quality, split.train)
    work = _Work(quality, split, objective, session, seed)
    base = work.said(None, split.validation, "Base judge, validation")
    found = work.search(optimizer, effort)
    best, candidates = work.choose(base, found)
    before = work.said(None, split.test, "Base judge, test")
    after = work.said(best, split.test, "Tuned judge, test") if best else None
    if after is None:
        decision = AdoptionDecision(adopted=False, why=_none_better(len(found)))
    else:
        decision = decide(objective, split.test, before, after, seed=seed, resamples=session.resamples)
    used = after if after is not None and decision.adopted else before
    return Tuned(
        compiled=best,
        decision=decision,
        base=work.agreement(before),
        tuned=work.agreement(after) if after is not None else None,
        people=people_agreement(split.test, in_classes=objective.in_classes, seed=seed, resamples=session.resamples),
        candidates=candidates,
        worst=worst_of(split.test, used),
    )


def _none_better(found: int) -> str:
    if not found:
        return "The search left nothing that differs from the base judge."
    if found == 1:
        return "The one candidate did no better than the base judge on the validation part."
    return f"None of {found} candidates did better than the base judge on the validation part."


@dataclass
class _Work:
    quality: Quality
    split: LabelSplit
    objective: Objective
    session: TuningSession
    seed: int
    halt: Halt = field(default_factory=Halt)

    def said(self, compiled: Compiled | None, cases: Sequence[LabelledCase], stage: str) -> Said:
        """What the judge says of the cases."""
        watch = self.session.watch
        judging = self.session.judge(compiled).judge(
            [each.case for each in cases], lambda done, total: watch(stage, done, total)
        )
        return self.session.background.run(judging)

    def search(self, optimizer: Optimizer, effort: Effort) -> list[TunedProgram]:
        """The candidates, each once, without those that are the base again."""
        material = Material(FORMS[self.quality], self.split.train, self.split.validation, self.objective, self.seed)
        expected = optimizer.calls(effort, len(material.trainset), len(material.valset))
        if expected:
            self.halt.counted = lambda calls: self.session.watch("Search", calls, max(calls, expected))
        session = self.session
        judge = SearchLM(session.gateway, f"judge.{self.quality.value}", session.background.loop, self.halt)
        writer = SearchLM(session.gateway, "writer.instructions", session.background.loop, self.halt)
        search = Search(material, effort, judge, writer, session.threads)
        base = material.compiled(material.program).fingerprint
        with quiet(), search_context(judge, session.max_reply_tokens, session.threads):
            found = list(self._unhalted(optimizer, search))
        return list({each.compiled.fingerprint: each for each in found if each.compiled.fingerprint != base}.values())

    def _unhalted(self, optimizer: Optimizer, search: Search) -> Iterator[TunedProgram]:
        try:
            yield from optimizer.run(search)
        except Halted as halted:
            raise halted.cause from None
        finally:
            # threads that the optimizer left behind find the model gone
            self.halt.end(RuntimeError("The search is over."))

    def choose(
        self, base: Said, found: Sequence[TunedProgram]
    ) -> tuple[Compiled | None, tuple[CandidatePrompt, ...]]:
        """The best on validation, None where that is the base; of equals the one with fewer demonstrations."""
        cases = self.split.validation
        told = [self._candidate("the prompt as it ships", base, base)]
        standing: list[tuple[Standing, int, int]] = []
        least = self.objective.standing(cases, base)
        for number, each in enumerate(found):
            said = self.said(each.compiled, cases, f"Candidate {number + 1} of {len(found)}, validation")
            told.append(self._candidate(each.how, said, base))
            here = self.objective.standing(cases, said)
            if not told[-1].refused and here > least:
                standing.append((here, -len(each.compiled.demos), -number))
        if not standing:
            told[0] = told[0].model_copy(update={"chosen": True})
            return None, tuple(told)
        number = -max(standing)[2]
        told[number + 1] = told[number + 1].model_copy(update={"chosen": True})
        return found[number].compiled, tuple(told)

    def _candidate(self, how: str, said: Said, base: Said) -> CandidatePrompt:
        rows = paired(self.split.validation, said)
        value, second = self.objective.statistic(rows), self.objective.second(rows)
        return CandidatePrompt(
            how=how,
            value=None if isinstance(value, Undefined) else value,
            undefined=value.reason if isinstance(value, Undefined) else "",
            second=None if isinstance(second, Undefined) else second,
            unjudged=unjudged(said),
            refused="It leaves too many cases unjudged." if leaves_more(said, base) else "",
        )

    def agreement(self, said: Said) -> Agreement:
        """The figures on the test part."""
        classes, resamples = self.objective.in_classes, self.session.resamples
        return agreement_of(self.split.test, said, in_classes=classes, seed=self.seed, resamples=resamples)


def search_context(judge: SearchLM, max_reply_tokens: int, threads: int) -> contextlib.AbstractContextManager[None]:
    """Let DSPy ask this judge in as many threads, and keep no history and no count of its own."""
    kept_out = {"disable_history": True, "track_usage": False, "usage_tracker": None}
    context: contextlib.AbstractContextManager[None] = dspy.context(
        lm=judge,
        adapter=LadderAdapter(max_reply_tokens),
        num_threads=threads,
        max_errors=NEVER,
        warn_on_type_mismatch=False,
        **kept_out,
    )
    return context


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence optimizers, which print, log and draw bars of their own; what counts is counted here."""
    loggers = [logging.getLogger(name) for name in ("dspy", "optuna", "gepa")]
    levels = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        for each, level in zip(loggers, levels, strict=True):
            each.setLevel(level)
