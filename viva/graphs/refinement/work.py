"""One refinement at work: the callables that the control is given, over the run's facts, and the record of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.records import Exam, Examinee, ExamItem
from viva.core.refinement import AddedItem, DroppedItem, Lacking, Refinement, RefinementPlan, RefinementStep
from viva.graphs.authoring.batching import BatchScheduler
from viva.graphs.context import RunContext
from viva.graphs.grading.grade_open import judged
from viva.graphs.refinement.notes import ADDING_ENDS, ENDS, left_out_after, notes_on_split
from viva.graphs.refinement.replenish import Replenisher, who_can_be_asked
from viva.metrics.exam import grade, response_matrix, right_or_wrong
from viva.optimizers.panel import FEWEST, Answers, JudgingPanel, PanelScale, Split, split
from viva.optimizers.refinement import End, ExamOnTheWay, Replenish, Rules, refine
from viva.optimizers.shortfall import Shortfall
from viva.storage.runs import RunStore


def too_few(folder: Path, sat: int, different: int) -> UsageError:
    """The error where so many sat the exam, and so many of them gave other answers than all the others."""
    alike = f"; without those that answered exactly as another did {different} are left" if different < sat else ""
    return UsageError(
        f"{sat} examinees sat this exam{alike}: too few to say what its questions tell.",
        allowed=f"Refining takes {FEWEST} or more; from {2 * FEWEST} on some are kept for judging.",
        next_step=f"Let others sit, then score: viva sit {folder} -e SPEC, viva score {folder}",
    )


@dataclass
class Work:
    """One refinement: the callables that the control is given."""

    context: RunContext
    exam: Exam
    plan: RefinementPlan
    examinees: Sequence[Examinee]
    past: Refinement | None
    runner: asyncio.Runner
    dry_run: bool
    notes: list[str] = field(default_factory=list)
    replenisher: Replenisher | None = None

    def __post_init__(self) -> None:
        items = self.exam.items
        answers = Answers(
            tuple(self.examinees),
            _columns(self.context.store, items, self.examinees),
            {each.item.id: each for each in items},
        )
        self.items = tuple(each.item.id for each in items)
        self.split: Split = split(answers, self.items, self.past.chosen_by_ids if self.past else ())
        if len(self.split.choosing) < FEWEST:
            raise too_few(self.context.folder, len(self.examinees), len(self.split.choosing))
        self.choosing = PanelScale(answers.of(self.split.choosing))
        self.judge = JudgingPanel(PanelScale(answers.of(self.split.judging or self.split.choosing)))
        self.shown = {each.item.id: each for each in items}

    def done(self) -> tuple[Refinement, Exam]:
        """The refinement and the exam it ends with."""
        self.context.watch("Refining", 0, self.plan.rounds)
        steps, kept, end = self._by_information()
        self.context.watch("Refining", self.plan.rounds, self.plan.rounds)
        after = Exam.of(self._in_order(kept), self.exam.examples) if set(kept) != set(self.items) else self.exam
        return self._record(steps, after, end), after

    def _in_order(self, kept: Sequence[str]) -> list[ExamItem]:
        chosen = set(kept)
        old = [each for each in self.exam.items if each.item.id in chosen]
        new = [self.shown[item] for item in kept if item not in set(self.items)]
        return sorted([*old, *new], key=lambda each: each.item.id) if new else old

    def _by_information(self) -> tuple[list[RefinementStep], tuple[str, ...], str]:
        """Drop; with new items add, then drop again.

        Apart, for a drop is judged by information per item and an addition by that in all, which no drop adds to.
        """
        steps, kept, end = self._phase(self.items, Rules(rounds=self.plan.rounds), None)
        self.replenisher = self._replenisher() if self.plan.replenish else None
        if self.replenisher is None:
            return steps, kept, ENDS[end]
        counts = Counter(self.shown[item].item.topic for item in self.items)
        adding = Rules(least_information=0.0, least_slope_z=-np.inf, rounds=self.plan.rounds, topic_shares=counts)
        more, kept, added = self._phase(kept, adding, self._would_add if self.dry_run else self.replenisher)
        last, kept, _ = self._phase(kept, Rules(rounds=self.plan.rounds), None) if len(more) > 1 else ([], kept, end)
        return [*steps, *more[1:], *last[1:]], kept, f"dropping: {ENDS[end]}; adding: {ADDING_ENDS[added]}"

    def _phase(
        self, items: tuple[str, ...], rules: Rules, replenish: Replenish | None
    ) -> tuple[list[RefinementStep], tuple[str, ...], End]:
        found = refine(items, refit=self.choosing.refit, judge=self.judge, replenish=replenish, rules=rules)
        return [self._step(each) for each in found.steps], found.items, found.end

    def _step(self, step: ExamOnTheWay) -> RefinementStep:
        wanted_for = self.replenisher.wanted_for if self.replenisher else {}
        return RefinementStep(
            items=step.items,
            dropped=tuple(
                DroppedItem(
                    item_id=e.item,
                    stem=self._stem(e.item),
                    reason=e.reason,
                    information=e.information,
                    slope_z=e.slope_z,
                )
                for e in step.dropped
            ),
            added=tuple(AddedItem(item_id=i, stem=self._stem(i), topic=wanted_for.get(i, "")) for i in step.added),
            lacking=tuple(Lacking(low=e.low, high=e.high, topic=e.topic, missing=e.missing) for e in step.lacking),
            information=step.total,
            per_item=step.per_item,
            accepted=step.accepted,
        )

    def _stem(self, item: str) -> str:
        return self.shown[item].item.stem

    # --- new items ----------------------------------------------------------------------------------------

    def _replenisher(self) -> Replenisher | None:
        """None, and a note, where too few can answer new items for these to be calibrated."""
        specs, told = who_can_be_asked(self.context.candidates, self.context.settings, self.examinees)
        self.notes += told
        ids = {spec.examinee.id for spec in specs}
        for name, group in (("choose", self.split.choosing), ("judge", self.split.judging)):
            count = len(ids & set(group))
            if group and count < FEWEST:
                self.notes.append(
                    f"Nothing could be added: {count} of the examinees that {name} can be asked new questions, "
                    f"and it takes {FEWEST}."
                )
                return None
        return Replenisher(
            self.context,
            self.exam,
            specs,
            self.past.gone if self.past else (),
            max(1, int(Rules.most_at_once * len(self.items))),
            self._latest,
            self._sat,
            self.runner,
        )

    def _would_add(self, lacking: tuple[Shortfall, ...]) -> list[str]:
        if self.replenisher:
            topics = sorted({lack.topic for lack in lacking})
            spare = sum(item.topic in topics for item in self.replenisher.spare())
            self.notes.append(
                f"It tells too little of {', '.join(topics)}: up to {self.replenisher.most} items a round would be "
                f"added. Accepted and not used: {spare}; "
                + ("more sources would be read." if self.replenisher.further(topics) else "all sources are read.")
            )
        return []

    def _latest(self) -> NDArray[np.float64]:
        """Difficulties of the items calibrated last."""
        return self.choosing.latest.b if self.choosing.latest else np.zeros(0)

    def _sat(self, new: Sequence[ExamItem]) -> list[str]:
        """Take in the answers to new items; ids of those that enough on each side were graded on."""
        enough = [each.item.id for each in new]
        for scale in (self.choosing, self.judge.scale):
            answers = scale.answers
            answers.columns.update(_columns(self.context.store, new, answers.examinees))
            answers.shown.update({each.item.id: each for each in new})
            enough = [item for item in enough if np.isfinite(answers.columns[item]).sum() >= FEWEST]
        self.shown |= {each.item.id: each for each in new if each.item.id in enough}
        return enough

    # --- what is kept -------------------------------------------------------------------------------------

    def _record(self, steps: Sequence[RefinementStep], after: Exam, end: str) -> Refinement:
        names = {each.id: each.name for each in self.examinees}
        replenisher = self.replenisher
        lost = {each.stem for step in steps if step.accepted for each in step.dropped}
        notes = [
            *notes_on_split(self.split, names),
            *self.notes,
            *dict.fromkeys([*self.choosing.notes, *self.judge.scale.notes]),
            *(replenisher.notes if replenisher else ()),
        ]
        return Refinement(
            exam_before=self.exam.id,
            exam_after=after.id,
            plan=self.plan,
            panel=tuple(each.id for each in self.examinees),
            chosen_by=tuple(names[each] for each in self.split.choosing),
            chosen_by_ids=self.split.choosing,
            judged_by=tuple(names[each] for each in self.split.judging),
            steps=tuple(steps),
            end=end,
            notes=tuple(notes),
            gone=tuple(sorted({*(self.past.gone if self.past else ()), *lost})),
            left_out=self._left_out(after),
        )

    def _left_out(self, after: Exam) -> dict[str, int]:
        store, old, new = self.context.store, self.exam, {each.item.id for each in after.items}
        before = store.latest_result("left_out") or {}
        made = sum(counts["items"] for counts in store.walk_counts().values())
        came = [each.item for each in after.items if each.item.id not in set(self.items)]
        counted = {item.id for item in BatchScheduler.of(self.context).items}
        return left_out_after(
            before,
            lost=sum(item not in new for item in self.items),
            written=made - len(old.items) - len(old.examples) - sum(before.values()),
            twice=made - len(store.items()),
            came_from=["no room" if item.id in counted else "from chunks beyond this exam" for item in came],
        )


def _columns(
    store: RunStore, items: Sequence[ExamItem], examinees: Sequence[Examinee]
) -> dict[str, NDArray[np.float64]]:
    """Of each item the grades (n,) of these examinees; nan where there is none."""
    shown = {each.item.id: each for each in items}
    ids = [each.id for each in examinees]
    own = [r for r in store.responses_to(items) if r.examinee_id in set(ids)]
    graded_open = judged(store, own)
    grades = [right_or_wrong(grade(shown[r.item_id], r, graded_open)) for r in own]
    matrix = response_matrix(Exam(id="", items=tuple(items)), ids, grades)
    return {item: matrix[:, column] for column, item in enumerate(shown)}
