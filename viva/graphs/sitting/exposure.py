"""What of an exam is published and what is held back, and whether published questions are answered better.

Which questions are held back is a result of the run. A question that was published once is never held back later.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.records import Exam, Examinee, ItemParameters, Record
from viva.core.scores import Scores
from viva.exams.file import write_file
from viva.exams.published import (
    GateAnswers,
    Publication,
    PublishedScale,
    canary_of,
    check_replaceable,
    checked_share,
    chosen_secret,
    published_text,
    without_people,
    without_secret,
)
from viva.exams.review import checked_text
from viva.graphs.authoring.account import own_exam
from viva.graphs.context import RunContext
from viva.graphs.grading.grade_open import judged
from viva.graphs.sitting.gate import named_system
from viva.graphs.sitting.gate_answers import RIGHT, answered, question_key
from viva.graphs.sitting.kept_answers import TimesAsked, times_asked
from viva.metrics.intervals import difference_of_shares, wilson
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

_PUBLISHED = "published"


class PublishedSoFar(Record):
    """What a run has published, over all its files, and what it holds back."""

    canary: str = ""
    at: str = ""
    """date and time of the latest, ISO 8601, UTC"""
    published: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()


@dataclass(frozen=True)
class PublishedExam:
    """A file that was written: its exam and publication, and how many questions could not be held back as asked."""

    exam: Exam
    publication: Publication
    known_before: int


@dataclass(frozen=True)
class SystemExposure:
    """What a system was put, and its shares of right answers to published questions and to those held back."""

    examinee: Examinee
    put: TimesAsked
    published: Estimate | None
    secret: Estimate | None
    answered: tuple[int, int]
    """questions, published and held back"""

    @property
    def inflation(self) -> Estimate | None:
        """The difference of the two shares; None where either has no answer."""
        return difference_of_shares(self.published, self.secret) if self.published and self.secret else None


@dataclass(frozen=True)
class ExamExposure:
    """The exposure of a run's exam: by system, and of each question, how often it was put to systems that learn."""

    canary: str
    systems: tuple[SystemExposure, ...]
    times: dict[str, int]
    published: int
    secret: int


def published_so_far(store: RunStore) -> PublishedSoFar:
    """Read what the run has published."""
    return PublishedSoFar.model_validate(store.latest_result(_PUBLISHED) or {})


def publish_exam(
    context: RunContext, exam: Exam, path: Path, *, licence: str, secret: float | None, baseline: str | None
) -> PublishedExam:
    """Write the exam to one file, without the questions that are held back.

    `secret`: the share to hold back; None: those that are held back already.
    """
    check_replaceable(path)
    licence = checked_text(licence, "The licence") if licence else ""
    with run_lock(context.folder), context.store.server_lock():
        store, before = context.store, published_so_far(context.store)
        known = set(before.published)
        share = None if secret is None else checked_share(secret, len(exam.items))
        held = set(before.secret) if share is None else set(chosen_secret(exam, share, known))
        part = without_secret(exam, held)
        if not part.items:
            raise UsageError("Nothing of this exam would be published.", next_step="Hold a smaller share back.")
        wanted = round(secret * len(exam.items)) if secret else 0
        publication = Publication(
            licence=licence,
            canary=canary_of(part),
            held_back=len(exam.items) - len(part.items),
            scale=_scale(store, exam),
            parameters=_parameters(store, exam, part),
            baseline=None if baseline is None else _baseline(context, part, baseline),
        )
        bare = part.model_copy(update={"items": tuple(map(without_people, part.items))})
        so_far = PublishedSoFar(
            canary=publication.canary,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            published=tuple(sorted(known | {each.item.id for each in part.items})),
            secret=tuple(sorted(held)),
        )
        # recorded first: stopped in between, what may be public is never held back as secret
        store.add_result(_PUBLISHED, so_far.model_dump(mode="json"))
        try:
            write_file(published_text(bare, publication), path)
        except UsageError:
            store.add_result(_PUBLISHED, before.model_dump(mode="json"))
            raise
    return PublishedExam(part, publication, max(wanted - publication.held_back, 0))


def exposure_of(context: RunContext, exam: Exam) -> ExamExposure:
    """Find out what was put to whom, and who answers published questions better than those held back."""
    store = context.store
    so_far, own = published_so_far(store), own_exam(store)
    times = Counter[str]()
    systems = list[SystemExposure]()
    for examinee in sorted(store.examinees(), key=lambda each: each.name):
        put = times_asked(store, examinee.id)
        if not put.items.keys() & {each.item.id for each in exam.items}:
            continue
        systems.append(_of_system(store, exam, examinee, put, so_far))
        if examinee.can_learn:
            times.update(put.items)
    canary = so_far.canary or (own.canary if own else "")
    asked = {each.item.id: times[each.item.id] for each in exam.items}
    secret = len(asked.keys() & set(so_far.secret))
    return ExamExposure(canary, tuple(systems), asked, len(asked.keys() & set(so_far.published)), secret)


def _of_system(
    store: RunStore, exam: Exam, examinee: Examinee, put: TimesAsked, so_far: PublishedSoFar
) -> SystemExposure:
    responses = [each for each in store.responses_of(examinee.id) if not each.is_retrieval]
    found = answered(exam.id, examinee, exam.items, responses, judged(store, responses)).answers
    keys = {each.item.id: question_key(each) for each in exam.items}
    shares, counts = list[Estimate | None](), list[int]()
    for part in (so_far.published, so_far.secret):
        # once published, a question is no secret
        scores = [found[keys[i]].score for i in part if i in keys and keys[i] in found]
        shares.append(wilson(sum(score >= RIGHT for score in scores), len(scores)))
        counts.append(len(scores))
    return SystemExposure(examinee, put, shares[0], shares[1], (counts[0], counts[1]))


def _baseline(context: RunContext, part: Exam, name: str) -> GateAnswers:
    examinee = named_system(context.store, name, part, context.folder)
    responses = [each for each in context.store.responses_of(examinee.id) if not each.is_retrieval]
    return answered(part.id, examinee, part.items, responses, judged(context.store, responses))


def _scores(store: RunStore, exam: Exam) -> Scores | None:
    latest = store.latest_result("scores")
    return Scores.model_validate(latest) if latest and latest["exam_id"] == exam.id else None


def _parameters(store: RunStore, exam: Exam, part: Exam) -> tuple[ItemParameters, ...]:
    scores, kept = _scores(store, exam), {each.item.id for each in part.items}
    return tuple(row.parameters for row in scores.items if row.parameters and row.item_id in kept) if scores else ()


def _scale(store: RunStore, exam: Exam) -> PublishedScale | None:
    scores = _scores(store, exam)
    fitted = sum(row.parameters is not None for row in scores.items) if scores else 0
    if scores is None or scores.measurement is None or not fitted:
        return None
    return PublishedScale(model=scores.measurement.model, systems=len(scores.examinees), questions=fitted)
