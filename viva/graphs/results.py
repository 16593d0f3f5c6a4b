"""What comes of a run: its scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.core.note_words import names_of, worded
from viva.core.notes import Note, NoteCode
from viva.core.records import Exam, Examinee, GradeResult, Response, responses_to
from viva.core.records.refinement import REFINEMENT, Refinement
from viva.core.scores import Scores
from viva.core.scores_open import QualityFindings
from viva.core.scores_pairs import PairFindings
from viva.core.wording import listed
from viva.graphs.context import RunContext
from viva.graphs.grading import grade_open
from viva.graphs.oral_exam.record import findings, kept_scores
from viva.graphs.sitting import sample
from viva.graphs.stages import as_asked_for, exam_of
from viva.storage.runs import RunStore

if TYPE_CHECKING:
    from viva.metrics.irt import Fit
    from viva.metrics.panel import Panel

REPORT_FILE = "report.html"


SCORES_FILE = "scores.json"
_OTHER_EXAM = "The scores are of another exam."


def score(context: RunContext) -> None:
    """Grade, fit and compare everybody who sat this exam."""
    from viva.graphs.grading.labels import findings_of
    from viva.metrics.score import score_exam

    exam = exam_of(context.store, context.folder)
    responses = context.store.responses_to(exam.items, all_occasions=True)
    if not responses:
        raise UsageError("Nobody has sat this exam yet.", next_step=f"Let them: viva sit {context.folder}")
    parts = sample.in_part(context.store, exam, responses)
    whole, examinees = _taken_whole(context.store, responses, parts)
    if not whole:
        raise UsageError(
            "No system has taken the whole of this exam yet, only parts.",
            next_step=f"Let them sit the rest: viva sit {context.folder}",
        )
    context.watch("score", 0, 1)
    graded = grade_open.judged(context.store, whole)
    # one thread: more make small matrices slower, and sums differ between machines
    with threadpool_limits(limits=1, user_api="blas"):
        scores = score_exam(
            exam,
            examinees,
            whole,
            seed=context.settings.seed,
            judged=graded,
            judge=grade_open.judge_card(context.store),
            named=named_pairs(context.settings.pairs, examinees),
            pass_mark=context.settings.pass_mark,
        )
        scores = sample.with_samples(context.store, scores, exam, parts, responses)
    asked_for = [row.examinee for row in scores.examinees if not row.examinee.manufactured]
    people = findings_of(context.store, exam, asked_for, seed=context.settings.seed)
    scores = scores.model_copy(update={"oral": findings(kept_scores(context.store)), "people": people})
    scores = _with_qualities(context, scores, exam, responses)
    context.store.add_result("scores", scores.model_dump(mode="json"))
    told = scores.model_dump_json(indent=2, context=worded(names_of(scores)))
    write_whole(context.folder / SCORES_FILE, told + "\n")
    context.watch("score", 1, 1)


def _taken_whole(
    store: RunStore, responses: Sequence[Response], parts: Collection[str]
) -> tuple[list[Response], list[Examinee]]:
    """Responses of those who took more than a part of the exam, and who they are."""
    whole = [response for response in responses if response.examinee_id not in parts]
    sat = {response.examinee_id for response in whole}
    return whole, [examinee for examinee in as_asked_for(store) if examinee.id in sat]


@dataclass(frozen=True)
class SatExam:
    """Those who are scored, and their first answers to the questions that count, each right, wrong or ungraded."""

    exam: Exam
    examinees: tuple[Examinee, ...]
    asked: tuple[Response, ...]
    grades: tuple[GradeResult, ...]


def graded_answers(context: RunContext) -> SatExam:
    """Grade the answers that the latest scores are of. UsageError where there are no scores of the latest exam."""
    from viva.metrics.exam import grade, right_or_wrong

    store, folder = context.store, context.folder
    exam, scores = exam_of(store, folder), scores_of(store, folder)
    if scores.exam_id != exam.id:
        raise UsageError(_OTHER_EXAM, next_step=f"Score again: viva score {folder}")
    exam = exam.without({each.item_id for each in scores.set_aside})
    examinees = {row.examinee.id: row.examinee for row in scores.examinees}
    shown = {each.item.id: each for each in exam.items}
    asked = tuple(each for each in store.responses_to(exam.items) if each.examinee_id in examinees)
    judged = grade_open.judged(store, asked)
    grades = tuple(right_or_wrong(grade(shown[each.item_id], each, judged)) for each in asked)
    return SatExam(exam, tuple(examinees.values()), asked, grades)


def calibrated(given: SatExam, like: Fit | None = None) -> Panel:
    """Fit the response model as the scores do; with `like`, the model of that fit. UsageError for too few answers."""
    from viva.metrics.exam import failing
    from viva.metrics.irt import NothingToCompare
    from viva.metrics.score import fitted_panel

    # one thread: more make small matrices slower, and sums differ between machines
    with threadpool_limits(limits=1, user_api="blas"):
        unranked = failing(given.asked)
        found = fitted_panel(given.exam, given.examinees, given.asked, given.grades, unranked, like=like)
    if isinstance(found, NothingToCompare):
        raise found
    return found


def _with_qualities(context: RunContext, scores: Scores, exam: Exam, responses: Sequence[Response]) -> Scores:
    """The scores with what open answers came to besides correctness; with a note where there is none to grade."""
    from viva.metrics.format_scores import quality_scores

    counted = exam.without({each.item_id for each in scores.set_aside})
    rows = [*(row.examinee for row in scores.examinees), *(row.examinee for row in scores.sampled)]
    own = [examinee.id for examinee in rows if not examinee.manufactured]
    found = []
    for quality, (card, grades) in grade_open.further_grades(context.store, responses).items():
        systems = quality_scores(counted, own, responses, grades, context.settings.seed)
        if systems:
            found.append(QualityFindings(quality=quality, card=card, systems=systems))
    notes = scores.notes
    if context.settings.qualities and not found:
        notes = (*notes, Note(code=NoteCode.NO_OPEN_ANSWERS, names=context.settings.qualities))
    return scores.model_copy(update={"qualities": tuple(found), "notes": notes})


def check_pairs(context: RunContext) -> None:
    """Raise now what scoring would raise later: UsageError for a pair that does not name two systems it scores."""
    if not context.settings.pairs:
        return
    exam = exam_of(context.store, context.folder)
    responses = context.store.responses_to(exam.items)
    parts = sample.in_part(context.store, exam, responses)
    named_pairs(context.settings.pairs, _taken_whole(context.store, responses, parts)[1])


def named_pairs(pairs: Sequence[str], examinees: Sequence[Examinee]) -> list[tuple[str, str]]:
    """Ids of pairs of names, 'A vs B'. UsageError for what is no pair of examinees."""
    ids = {each.name: each.id for each in examinees}
    found = []
    for pair in pairs:
        first, _, second = (name.strip() for name in pair.partition(" vs "))
        if first not in ids or second not in ids or first == second:
            raise UsageError(
                f"--pair is “{pair}”, which does not name two systems that have taken the exam.",
                allowed=f"'A vs B', with two of: {listed(sorted(ids), 20)}.",
                next_step="Name another pair, or let the run test none alone: --pair none.",
            )
        found.append((ids[first], ids[second]))
    return found


def compare_systems(context: RunContext, first: str, second: str) -> PairFindings:
    """The verdict on two systems of the run, and why they differ. UsageError for names that are not two of these."""
    from viva.metrics.compare_systems import pair_findings

    store, folder = context.store, context.folder
    exam, scores = exam_of(store, folder), scores_of(store, folder)
    if scores.exam_id != exam.id:
        raise UsageError(_OTHER_EXAM, next_step=f"Score again: viva score {folder}")
    one, other = (_scored(scores, name, folder) for name in (first, second))
    both = [*store.responses_of(one.id), *store.responses_of(other.id)]
    given = responses_to(exam.items, both, all_occasions=True)
    found = pair_findings(scores, exam, given, grade_open.judged(store, given), one.id, other.id)
    if found is None:
        raise UsageError(
            f"“{one.name}” and “{other.name}” have no graded question in common."
            if one != other
            else "A system is compared with another one, not with itself.",
            next_step=f"Name two systems that have taken the whole exam: viva show {folder}",
        )
    return found


def _scored(scores: Scores, name: str, folder: Path) -> Examinee:
    """The system of this name, in any case, or id. UsageError for another name."""
    known = [row.examinee for row in scores.examinees]
    if any(name in {row.examinee.name, row.examinee.id} for row in scores.retrievers):
        raise UsageError(
            f"“{name}” is a retriever by itself, which gives no answers to compare.",
            next_step=f"Pairs of retrievers are compared in viva show {folder}",
        )
    found = next((each for each in known if name in {each.name, each.id}), None)
    found = found or next((each for each in known if name.casefold() == each.name.casefold()), None)
    if found is None:
        raise UsageError(
            f"No scored system is called “{name}”.",
            allowed=f"{listed([each.name for each in known], 20)}.",
            next_step=f"A system that has sat since: viva score {folder}",
        )
    return found


def scores_of(store: RunStore, folder: Path) -> Scores:
    """The latest scores of the run in this folder. UsageError where nothing was scored yet."""
    found = store.latest_result("scores")
    if found is None:
        raise UsageError("This run has no scores yet.", next_step=f"Make them: viva score {folder}")
    return Scores.model_validate(found)


def unscored_sentences(store: RunStore, folder: Path, exam: Exam, scores: Scores | None) -> tuple[str, ...]:
    """Say who has sat this exam and is not in these scores of it, and who was asked more since they were made."""
    asked, others, aside = dict[str, int](), set[str](), set[str]()
    if scores:
        asked = {row.examinee.id: row.asked for row in scores.examinees}
        # notes call by name who is in no figure
        others = {name for note in scores.notes for name in note.examinees}
        others |= {row.examinee.id for row in scores.retrievers} | {row.examinee.id for row in scores.sampled}
        aside = {each.item_id for each in scores.set_aside}
    given = [each for each in store.responses_to(exam.items, all_occasions=True) if each.item_id not in aside]
    counts = Counter(each.examinee_id for each in given)
    sat = [each for each in as_asked_for(store) if counts[each.id] and not each.manufactured]
    new = [each.name for each in sat if not {each.id, each.name} & (asked.keys() | others)]
    more = [each.name for each in sat if counts[each.id] > asked.get(each.id, len(given))]
    return (
        *_next_score(new, "has sat and is not scored", "have sat and are not scored", folder),
        *_next_score(more, "was asked more since it was scored", "were asked more since they were scored", folder),
    )


def _next_score(names: Sequence[str], one: str, several: str, folder: Path) -> tuple[str, ...]:
    told = f"{listed(sorted(names), 20)} {one if len(names) == 1 else several}: viva score {folder}"
    return (told,) if names else ()


def refinement_of(store: RunStore, exam: Exam) -> Refinement | None:
    """The refinement that this exam came of; None where it was written so."""
    found = store.latest_result(REFINEMENT)
    refinement = None if found is None else Refinement.model_validate(found)
    return refinement if refinement and refinement.exam_after == exam.id else None
