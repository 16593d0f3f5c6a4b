"""A gate: a system is asked, question by question, until it can be said whether it is worse than a baseline.

The order of the questions is drawn without a look at any answer (docs/decisions/0064). Answers are stored in the run
as those of any sitting, so that a gate that is repeated asks only what is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Exam, Examinee, ExamItem, FailureKind, Response, responses_to
from viva.core.wording import listed
from viva.examinees.specs.kinds import identity_is_known
from viva.examinees.specs.records import Spec
from viva.exams.published import GateAnswer, GateAnswers
from viva.graphs import stages
from viva.graphs.context import RunContext, unwatched
from viva.graphs.sitting.gate_answers import (
    RIGHT,
    ChangedQuestion,
    answered,
    gate_kind,
    question_key,
    why_wrong,
)
from viva.llm import interrupts
from viva.metrics.gate import GateFindings, GateRule, GateVerdict, fewest_asked, judge_differences
from viva.metrics.sampled import drawn_ids
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

BLOCK = 5
"""Questions that are asked at once, or as many as the system may be asked at the same time."""
NAMED = 20
"""Systems that an error names at most."""


@dataclass(frozen=True)
class GateOutcome:
    """What a gate found: `findings` is None where there was no baseline to hold the answers against."""

    findings: GateFindings | None
    candidate: GateAnswers
    baseline: str
    of: int
    asked: int
    """questions that the verdict is by"""
    kept: int
    """answers to these from before"""
    answers: int = 0
    """graded ones that the verdict is by: of a question with several, their mean counts"""
    baseline_answers: int = 0
    """of the baseline, to the same questions; 0 where a file does not say"""
    ungraded: int = 0
    failures: int = 0
    """answers that failed; these count as wrong"""
    first_failure: str = ""
    """of these, the message of the first"""
    newly_wrong: tuple[ChangedQuestion, ...] = ()
    newly_right: int = 0
    identity_known: bool = True
    same_system: bool = False
    without_baseline: int = 0
    """questions of the exam that the baseline has no graded answer to"""


def conduct_gate(
    context: RunContext, baseline: str | GateAnswers | None, rule: GateRule, *, whole: bool
) -> GateOutcome:
    """Ask the context's one system until there is a verdict; `whole`: all of the exam, for a baseline of later gates.

    Raises UsageError, before a question is asked, for a baseline that is not there or shares no questions; RunLocked
    while another process works on the folder. What was answered is kept, whatever ends the gate.
    """
    with run_lock(context.folder):
        try:
            with context.store.server_lock():
                return interrupts.run(_Gate(context, baseline, rule, whole=whole).hold())
        finally:
            context.close()


class _Gate:
    """One gate over the latest exam of a run."""

    def __init__(
        self, context: RunContext, baseline: str | GateAnswers | None, rule: GateRule, *, whole: bool
    ) -> None:
        self._context, self._rule, self._whole = context, rule, whole or baseline is None
        self._store: RunStore = context.store
        self._exam: Exam = stages.exam_of(self._store, context.folder)
        self._spec: Spec = _only(context.candidates.specs)
        self._named = baseline

    async def hold(self) -> GateOutcome:
        try:
            return await self._held()
        finally:
            await self._context.aclose_models()

    async def _held(self) -> GateOutcome:
        base, same = await self._baseline()
        if base and same:
            return self._unchanged(base)
        stages.call(self._context)
        shown = {each.item.id: each for each in self._exam.items}
        drawn = [shown[i] for i in drawn_ids(self._exam, None, len(shown), self._seed)]
        compared = [each for each in drawn if question_key(each) in base.answers] if base else drawn
        if base:
            _check_shared(compared, base, self._rule)
        self._store.add_result(gate_kind(self._spec.examinee.id), {"exam_id": self._exam.id})
        kept = Counter(each.item_id for each in self._given(drawn))
        found, asked = await self._asked(compared, base)
        if self._whole:
            further = [each for each in drawn if each not in compared]
            more, _ = await self._asked(further, None)
            found = {**found, **more}
        return self._outcome(base, found, asked, compared, kept=kept)

    def _unchanged(self, base: GateAnswers) -> GateOutcome:
        """By what tells its versions apart, the system is the baseline itself: there is nothing to ask."""
        passed = GateFindings(GateVerdict.PASS, 0, 0.0, 0.0, 0.0, 1.0, 1.0, None)
        return GateOutcome(passed, base, base.system, of=len(base.answers), asked=0, kept=0, same_system=True)

    @property
    def _seed(self) -> int:
        # not by the candidate: every gate of this exam asks in the same order
        return int(content_hash("gate", str(self._context.settings.seed), self._exam.id), 16)

    async def _baseline(self) -> tuple[GateAnswers | None, bool]:
        """The baseline's answers, and whether it is the candidate itself."""
        if isinstance(self._named, GateAnswers):
            # a file may name an item by its id, which hangs on its evidence
            given = self._named.answers
            keys = [(question_key(each), each.item.id) for each in self._exam.items]
            known = {key: given[key if key in given else i] for key, i in keys if key in given or i in given}
            return self._named.model_copy(update={"answers": known}), False
        if self._named is None:
            return None, False
        examinee = named_system(self._store, self._named, self._exam, self._context.folder)
        same = examinee.id == self._spec.examinee.id
        if same and self._context.again:
            raise UsageError(
                f"“{examinee.name}” is the baseline itself: --again would forget the baseline's answers.",
                next_step=f"Give the system another name: NAME=SPEC, and --baseline {examinee.name}",
            )
        responses = [r for r in self._store.responses_of(examinee.id) if not r.is_retrieval]
        return await self._graded(examinee, self._exam.items, responses), same

    async def _asked(
        self, questions: Sequence[ExamItem], base: GateAnswers | None
    ) -> tuple[dict[str, GateAnswer], int]:
        """Ask block by block until there is a verdict; the answers, and how many questions were put by then."""
        size = max(BLOCK, self._spec.manners.concurrency)
        found: dict[str, GateAnswer] = {}
        outer, self._context.watch = self._context.watch, unwatched
        try:
            for first in range(0, len(questions), size):
                block = questions[first : first + size]
                found |= (await self._block(block)).answers
                done = min(first + size, len(questions))
                outer(f"gate {self._spec.examinee.name}", done, len(questions))
                if base and not self._whole and self._read(questions[:done], found, base)[0].verdict != "undecided":
                    return found, done
        finally:
            self._context.watch = outer
        return found, len(questions)

    async def _block(self, block: Sequence[ExamItem]) -> GateAnswers:
        context, examinee = self._context, self._spec.examinee
        with context.times.timed("sit"):
            await stages.sit(context, self._spec, self._exam.model_copy(update={"items": tuple(block)}))
        return await self._graded(examinee, block, self._given(block))

    def _given(self, questions: Sequence[ExamItem]) -> list[Response]:
        """The candidate's answers to these questions, on all occasions."""
        return responses_to(questions, self._store.responses_of(self._spec.examinee.id), all_occasions=True)

    async def _graded(
        self, examinee: Examinee, questions: Sequence[ExamItem], responses: Sequence[Response]
    ) -> GateAnswers:
        """What these responses are worth; failures as wrong answers, what a judge left ungraded is left out."""
        if not any(each.item.is_open for each in questions):
            return answered(self._exam.id, examinee, questions, responses, {})
        from viva.graphs.grading.grade_open import grade_open, judged, open_answers
        from viva.graphs.grading.graders import judge_of

        part = self._exam.model_copy(update={"items": tuple(questions)})
        if open_answers(part, responses):
            await grade_open(self._store, part, responses, judge_of(self._context), unwatched_grades)
        return answered(self._exam.id, examinee, questions, responses, judged(self._store, responses))

    def _read(
        self, questions: Sequence[ExamItem], found: Mapping[str, GateAnswer], base: GateAnswers
    ) -> tuple[GateFindings, list[ExamItem]]:
        """Read the verdict off what is graded on both sides, in the order of the questions."""
        both = [each for each in questions if question_key(each) in found]
        keys = [question_key(each) for each in both]
        return judge_differences([found[k].score - base.answers[k].score for k in keys], self._rule), both

    def _outcome(
        self,
        base: GateAnswers | None,
        found: Mapping[str, GateAnswer],
        asked: int,
        compared: Sequence[ExamItem],
        *,
        kept: Mapping[str, int],
    ) -> GateOutcome:
        examinee = self._spec.examinee
        findings, both = self._read(compared[:asked], found, base) if base else (None, list(compared))
        counted = both[: findings.used] if findings else both
        of_both = [(each, base.answers[question_key(each)], found[question_key(each)]) for each in counted if base]
        decided = findings is not None and findings.verdict != GateVerdict.UNDECIDED
        # beyond the verdict, questions were asked with others at once, or for the file
        put = compared[: compared.index(counted[-1]) + 1] if decided else compared[:asked]
        place = {each.item.id: n for n, each in enumerate(put)}
        given = sorted(self._given(put), key=lambda response: (place[response.item_id], response.occasion))
        failures = [response.failure for response in given if response.failure]
        # one that was not asked any more says nothing of what went wrong
        failures.sort(key=lambda failure: failure.kind is FailureKind.WITHDRAWN)
        graded = [found[question_key(each)].answers for each in put if question_key(each) in found]
        return GateOutcome(
            findings,
            GateAnswers(exam_id=self._exam.id, system=examinee.name, answers=dict(found)),
            base.system if base else "",
            of=len(compared),
            asked=len(put),
            kept=sum(kept.get(each.item.id, 0) for each in put),
            answers=sum(graded),
            baseline_answers=sum(before.answers for _, before, _ in of_both),
            ungraded=len(given) - sum(graded),
            failures=len(failures),
            first_failure=failures[0].detail if failures else "",
            newly_wrong=tuple(
                ChangedQuestion(item_id=each.item.id, question=each.item.stem, why=why_wrong(before, now))
                for each, before, now in of_both
                if now.score < RIGHT <= before.score
            ),
            newly_right=sum(before.score < RIGHT <= now.score for _, before, now in of_both),
            identity_known=identity_is_known(self._spec),
            without_baseline=len(self._exam.items) - len(compared),
        )


def unwatched_grades(done: int, total: int) -> None:
    """Ignore how many answers a judge has graded."""


def _only(specs: Sequence[Spec]) -> Spec:
    if len(specs) == 1:
        return specs[0]
    raise UsageError(
        f"A gate is for one system, and {len(specs)} are named: {listed([s.examinee.name for s in specs])}.",
        next_step="Hold a gate for each of them.",
    )


def named_system(store: RunStore, name: str, exam: Exam, folder: object) -> Examinee:
    """Find the system of this name that has answered this exam. UsageError for another name, with those there are."""
    given = {response.examinee_id for response in store.responses_to(exam.items) if not response.is_retrieval}
    known = [each for each in store.examinees() if each.id in given]
    found = next((each for each in known if name in {each.name, each.id}), None)
    found = found or next((each for each in known if each.name.casefold() == name.casefold()), None)
    if found is not None:
        return found
    names = sorted(each.name for each in known if not each.manufactured) or sorted(each.name for each in known)
    raise UsageError(
        f"No system called “{name}” has answered this exam, and there is no such file.",
        allowed=f"A file that a gate saved, or one of: {listed(names, NAMED)}." if names else "Nobody has sat it.",
        next_step=f"Let the baseline sit it: viva sit {folder} -e SPEC",
    )


def _check_shared(compared: Sequence[ExamItem], base: GateAnswers, rule: GateRule) -> None:
    if not compared:
        raise UsageError(
            f"The baseline {base.system} answered no question of this exam: it is of another exam ({base.exam_id}).",
            next_step="Save the answers of the baseline to this exam: viva gate RUN -e SPEC --save FILE",
        )
    least = fewest_asked(rule)
    if len(compared) < least:
        count = "1 question" if len(compared) == 1 else f"{len(compared)} questions"
        raise UsageError(
            f"The exam has {count} that the baseline answered: too few for any verdict.",
            allowed=f"At least {least}; a system whose answers are all as before passes after "
            f"{fewest_asked(rule, change=0)}.",
            next_step="Take an exam with more questions, or a larger --max-drop.",
        )
