"""Systems: each with its answers, two side by side where they differ, and all answers in one map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.records import Examinee, ExamItem, GradeResult, Response, Ungraded, responses_to
from viva.core.scores_diagnosis import Diagnosis, WrongAnswer
from viva.core.wording import number, option_letter
from viva.graphs.diagnosis.peer_responses import diagnoses_of
from viva.graphs.grading.grade_open import further_grades, judged
from viva.metrics.compare_systems import pair_findings
from viva.metrics.exam import grade, right_or_wrong
from viva.metrics.retrieval.evidence_recall import reciprocal_rank
from viva.reports.sections.open_answers import ungraded_reason
from viva.reports.sections.pairs import PairView
from viva.reports.sections.retrieval import COLUMNS as RETRIEVER_COLUMNS
from viva.reports.sections.retrieval import retriever_cells, retriever_sentences
from viva.reports.sections.spending import cost_known, tokens_counted
from viva.reports.sections.systems import system_rows
from viva.storage.runs import RunStore
from viva.viewer.loaded_run import LoadedRun, RecordedRun
from viva.viewer.query import NotFound, Query, Slice

RIGHT, WRONG, FAILED, NONE = "right", "wrong", "failed", "no grade"
VERDICTS = (RIGHT, WRONG, FAILED, NONE)
_MAP_PAGE = 100


@dataclass(frozen=True)
class AnswerView:
    """One answer with its passages, and whether they hold the evidence."""

    number: int
    shown: ExamItem
    response: Response
    verdict: str
    why: str
    """why it has no grade"""
    letter: str
    found: str
    """whether its passages hold the evidence, in words"""
    blamed: str
    """why it is wrong, where that was diagnosed: retrieval or reading, and the failure mode"""
    set_aside: bool
    """whether the scores leave the question out"""
    further: str
    """what it was graded for besides correctness"""


def systems_page(state: RecordedRun) -> dict[str, Any]:
    """The leaderboard, each system a link."""
    rows = system_rows(state.scores) if state.scores else ()
    retrievers = state.scores.retrievers if state.scores else ()
    scored = {*(row.id for row in rows), *(row.examinee.id for row in retrievers)}
    return {
        "retrievers": [(row, retriever_cells(row)) for row in retrievers],
        "retriever_columns": RETRIEVER_COLUMNS,
        "told_retrievers": retriever_sentences(state.scores) if state.scores else (),
        "rows": rows,
        "told_tokens": tokens_counted(row.score for row in rows),
        "told_cost": cost_known(row.score for row in rows),
        "outdated": state.outdated,
        "others": [each for each in state.examinees if each.id not in scored],
    }


def system_page(run: LoadedRun, state: RecordedRun, examinee_id: str, query: Query) -> dict[str, Any]:
    """One system's answers, a page of them. NotFound where there is none of that id."""
    examinee = examinee_of(state, examinee_id)
    verdict = query.one_of("verdict", VERDICTS)
    answers = answers_of(run, state, examinee)
    counted = [each for each in answers if not each.set_aside]
    return {
        "examinee": examinee,
        "row": next((r for r in state.scores.examinees if r.examinee.id == examinee.id), None)
        if state.scores
        else None,
        "verdict": verdict,
        "counts": {name: sum(each.verdict == name for each in counted) for name in VERDICTS},
        "slice": Slice.of([each for each in answers if not verdict or each.verdict == verdict], query.page, 25),
        "others": [each for each in state.examinees if each.id != examinee.id],
        "diagnosis": _diagnosis(run, state, examinee),
    }


def _diagnosis(run: LoadedRun, state: RecordedRun, examinee: Examinee) -> Diagnosis | None:
    found = diagnoses_of(run.context.store, state.exam) if state.exam else ()
    return next((each for each in found if each.examinee.id == examinee.id), None)


def compare_page(run: LoadedRun, state: RecordedRun, query: Query) -> dict[str, Any]:
    """The verdict on two systems, and the questions where the first answer of one alone is right."""
    first, second = (examinee_of(state, query.text(name)) for name in ("a", "b"))
    left, right = ({each.number: each for each in answers_of(run, state, one)} for one in (first, second))
    shared = [(left[n], right[n]) for n in sorted(left.keys() & right.keys())]
    differ = [(a, b) for a, b in shared if (a.verdict == RIGHT) != (b.verdict == RIGHT)]
    found = None
    if state.scores and state.exam:
        store = run.context.store
        both = [*store.responses_of(first.id), *store.responses_of(second.id)]
        given = responses_to(state.exam.items, both, all_occasions=True)
        told = judged(run.context.store, given)
        found = pair_findings(state.scores, state.exam, given, told, first.id, second.id)
    return {
        "first": first,
        "second": second,
        "pair": PairView.of(found, state.exam) if found and state.exam else None,
        "slice": Slice.of(differ, query.page, 25),
    }


def map_page(run: LoadedRun, state: RecordedRun, query: Query) -> dict[str, Any]:
    """Who is right where: systems down, questions across, a page of questions."""
    items = Slice.of([*enumerate(state.exam.items, start=1)] if state.exam else [], query.page, _MAP_PAGE)
    places = {shown.item.id: (n, shown) for n, shown in items.rows}
    found: dict[str, dict[int, str]] = {}
    responses = run.context.store.responses_to([shown for _, shown in items.rows])
    grades = judged(run.context.store, responses)
    for response in responses:
        number, shown = places[response.item_id]
        found.setdefault(response.examinee_id, {})[number] = verdict_of(shown, response, grades)[0]
    order = [row.examinee for row in state.scores.examinees] if state.scores else []
    order += [each for each in state.examinees if each.id not in {known.id for known in order}]
    return {
        "slice": items,
        "rows": [(each, found.get(each.id, {})) for each in order],
        "right": RIGHT,
        "wrong": WRONG,
    }


def examinee_of(state: RecordedRun, examinee_id: str) -> Examinee:
    """The examinee. NotFound where there is none of that id."""
    for examinee in state.examinees:
        if examinee.id == examinee_id:
            return examinee
    raise NotFound("This run has no such system.", next_step="Its systems stand on the page Systems.")


def answers_of(run: LoadedRun, state: RecordedRun, examinee: Examinee) -> list[AnswerView]:
    """Its answers to the latest exam, in the exam's order."""
    if state.exam is None:
        return []
    store = run.context.store
    given = {response.id: response for response in store.responses_of(examinee.id)}
    asked = [(n, shown, given.get(Response.id_of(examinee.id, shown))) for n, shown in enumerate(state.exam.items, 1)]
    responses = [response for _, _, response in asked if response]
    grades, further = judged(store, responses), further_told(store, responses)
    found = _diagnosis(run, state, examinee)
    blamed = {each.item_id: _blamed(each) for each in found.answers} if found else {}
    aside = state.set_aside()
    return [
        _view(
            n,
            shown,
            response,
            grades,
            blamed=blamed.get(shown.item.id, ""),
            set_aside=shown.item.id in aside,
            further=further.get(response.id, ""),
        )
        for n, shown, response in asked
        if response
    ]


def _blamed(answer: WrongAnswer) -> str:
    mode = f", {answer.mode.mode.value}" if answer.mode.mode else ""
    return f"{answer.blame.value}{mode}: {answer.why}"


def _view(
    number: int,
    shown: ExamItem,
    response: Response,
    grades: Mapping[str, GradeResult],
    *,
    blamed: str,
    set_aside: bool,
    further: str,
) -> AnswerView:
    verdict, why = verdict_of(shown, response, grades)
    letter = "" if response.choice is None else option_letter(response.choice)
    found = _found(shown, response)
    return AnswerView(number, shown, response, verdict, why, letter, found, blamed, set_aside, further)


def further_told(store: RunStore, responses: Sequence[Response]) -> dict[str, str]:
    """By response id, 'relevance 0.82, faithfulness not graded (...)', where something was graded besides."""
    told: dict[str, list[str]] = {}
    for quality, (_, grades) in further_grades(store, responses).items():
        for response_id in [each.id for each in responses if each.id in grades]:
            told.setdefault(response_id, []).append(f"{quality} {_score_told(grades[response_id])}")
    return {response_id: ", ".join(each) for response_id, each in told.items()}


def _score_told(given: GradeResult) -> str:
    return f"not graded ({ungraded_reason(given.code)})" if isinstance(given, Ungraded) else number(given.score)


def verdict_of(shown: ExamItem, response: Response, grades: Mapping[str, GradeResult]) -> tuple[str, str]:
    """Right, wrong, failed or no grade, and why; a judge's score is cut where the response model cuts it."""
    found = right_or_wrong(grade(shown, response, grades))
    if isinstance(found, Ungraded):
        return (FAILED if response.failure else NONE), found.reason
    return (RIGHT if found.score else WRONG), ""


def _found(shown: ExamItem, response: Response) -> str:
    """At which rank a passage alone covers half of the evidence, as the retrieval figures count it."""
    if not response.passages:
        return "no passages told"
    ranks = [round(1 / found) for span in shown.item.evidence if (found := reciprocal_rank(response.passages, span))]
    if ranks:
        return f"evidence in passage {min(ranks)}"
    return "evidence in none of them" if shown.item.evidence else "nothing to be found"
