"""The leaderboard on the terminal, of multiple-choice and open questions, and why systems failed."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from viva.api.terminal import plain
from viva.cli.terminal.tables import ELSEWHERE, Board, Figures, percent_told
from viva.core.estimates import OUTSIDE, OutsideAbility
from viva.core.note_words import note_sentence, scores_notes
from viva.core.notes import Note
from viva.core.records import FailureKind
from viva.core.scores import Estimate, ExamineeScore, Scores, places
from viva.core.scores_open import FormatScore, PeopleScore, QualityScore
from viva.graphs.context import RunContext
from viva.reports.sections.open_answers import (
    differences_told,
    judge_sentences,
    labelled,
    open_rows,
    people_sentences,
    quality_rows,
    quality_sentences,
    score_told,
    ungraded_sentences,
)
from viva.reports.sections.pairs import told_pairs
from viva.reports.sections.retrieval import COLUMNS, retriever_cells, retriever_sentences
from viva.reports.sections.sampling import pass_cells, sampling_sentences
from viva.reports.sections.spending import (
    cost_in_words,
    cost_known,
    latency_in_words,
    tokens_counted,
    tokens_in_words,
)
from viva.reports.sections.systems import (
    FAILING,
    MANUFACTURED,
    detectable_sentence,
    known_sentence,
    reference_kind,
    reliability_sentence,
)

REFERENCE = "r"
MARKS = {MANUFACTURED: "m", FAILING: "f"}
OF_ANSWERED = "of answered"
WITHOUT_KNOWN = "without known (95%)"
TOKENS, COST, LATENCY = "tokens", "cost", "p50 / p95"


def print_leaderboard(console: Console, scores: Scores) -> None:
    """Print the systems, best first, and the baselines that need no reading; then retrievers by themselves."""
    if scores.examinees or not scores.retrievers:
        _print_systems(console, scores)
    print_retrievers(console, scores)
    for note in scores_notes(scores):
        console.print(plain(f"Note: {note}"))


def print_retrievers(console: Console, scores: Scores) -> None:
    """Print what retrievers by themselves found, and the verdicts on their pairs; nothing without any."""
    rows = scores.retrievers
    if not rows:
        return
    cells = [retriever_cells(row) for row in rows]
    figures = [Figures(f"{name} (95%)", tuple(own[n] for own in cells), n % 3) for n, name in enumerate(COLUMNS)]
    figures.append(Figures("failed", tuple(str(sum(row.failures.values())) for row in rows), 3))
    figures.append(Figures(LATENCY, tuple(latency_in_words(row.usage) for row in rows), 4))
    marks, names = tuple("" for _ in rows), tuple(row.examinee.name for row in rows)
    Board("Retrievers by themselves", marks, names, tuple(figures)).show(console, ELSEWHERE)
    for told in retriever_sentences(scores):
        console.print(plain(told))


def _print_systems(console: Console, scores: Scores) -> None:
    ranked = [row for row in scores.examinees if not reference_kind(row)]
    place_of = dict(zip((row.examinee.id for row in ranked), places(ranked), strict=True))
    rows = sorted(scores.examinees, key=lambda row: bool(row.examinee.manufactured))
    marks = [str(place_of.get(row.examinee.id) or _unranked(row)) for row in rows]
    idle = {
        OF_ANSWERED: not any(row.failures_tell for row in rows),
        WITHOUT_KNOWN: not scores.known,
        LATENCY: all(row.usage is None or row.usage.first_s is None for row in rows),
        TOKENS: not tokens_counted(rows),
        COST: not cost_known(rows),
    }
    decided = pass_cells(scores)
    passing = (Figures("pass", tuple(decided.get(row.examinee.id, "-") for row in rows), 0),) if decided else ()
    board = Board(
        "Leaderboard",
        tuple(mark if row.graded else "-" for mark, row in zip(marks, rows, strict=True)),
        tuple(row.examinee.name for row in rows),
        tuple(
            Figures(name, tuple(figure(row) for row in rows), spare)
            for name, (spare, figure) in _COLUMNS.items()
            if not idle.get(name)
        )
        + passing,
    )
    board.show(console, ELSEWHERE)
    if REFERENCE in marks:
        console.print(
            plain(f"{REFERENCE}: a reference for the range (all evidence, or no documents); it is not ranked.")
        )
    if MARKS[MANUFACTURED] in marks:
        console.print(plain("m: manufactured, a system that viva added for comparison; it is not ranked."))
    if MARKS[FAILING] in marks:
        console.print(plain("f: failed on more than a fifth of the questions; it is not ranked."))
    if any(isinstance(row.ability, OutsideAbility) for row in rows):
        console.print(plain(OUTSIDE))
    if scores.baselines:
        baselines = ", ".join(f"{name} {share:.0%}" for name, share in scores.baselines.items())
        console.print(plain(f"Right without reading: {baselines}."))
    if scores.known:
        console.print(
            plain(f"{known_sentence(scores.known, len(scores.items))} {WITHOUT_KNOWN}: accuracy on the others.")
        )
    print_detectable(console, scores)
    for told in (*sampling_sentences(scores), *told_pairs(scores)):
        console.print(plain(told))
    print_open(console, scores)
    print_qualities(console, scores)


def print_unread_choices(console: Console, context: RunContext) -> None:
    """Print which systems' answers often mean no option, with examples."""
    examinees = context.store.examinees()
    names = {examinee.id: examinee.name for examinee in examinees}
    for note in unread_choices(context):
        console.print(plain(f"Note: {note_sentence(note, names)}"))


def unread_choices(context: RunContext) -> list[Note]:
    """The notes on answers of the latest exam that mean no option."""
    from viva.metrics.unread_choices import unread_choice_notes

    exam = context.store.latest_exam()
    if exam is None:
        return []
    return list(unread_choice_notes(exam, context.store.examinees(), context.store.responses_to(exam.items)))


def print_failures(console: Console, context: RunContext) -> None:
    """Print how often each system failed, with the first reason of each kind."""
    exam = context.store.latest_exam()
    names = {examinee.id: examinee.name for examinee in context.store.examinees()}
    found: dict[tuple[str, FailureKind], list[str]] = {}
    for response in context.store.responses_to(exam.items if exam else ()):
        if response.failure:
            found.setdefault((response.examinee_id, response.failure.kind), []).append(response.failure.detail)
    for (examinee_id, kind), details in sorted(found.items(), key=lambda f: (names[f[0][0]], f[0][1])):
        questions = "1 question" if len(details) == 1 else f"{len(details)} questions"
        console.print(plain(f"Failed: {names[examinee_id]}, {questions}, {kind.value}: {details[0]}"))


def _unranked(row: ExamineeScore) -> str:
    return MARKS[MANUFACTURED] if row.examinee.manufactured else MARKS.get(reference_kind(row), REFERENCE)


def _ability(row: ExamineeScore) -> str:
    return row.ability.words if row.ability else "-"


def _of_answered(row: ExamineeScore) -> str:
    """Shown if it differs by a point from the accuracy, in which failures are wrong."""
    return f"{row.accuracy_answered.value:.0%}" if row.accuracy_answered and row.failures_tell else "-"


def _recall(row: ExamineeScore) -> str:
    recall = row.retrieval.recall_at.get(1) if row.retrieval else None
    return f"{recall.value:.0%}" if recall else "-"


_COLUMNS: dict[str, tuple[int, Callable[[ExamineeScore], str]]] = {
    "right": (3, lambda row: f"{row.correct}/{row.graded}"),
    "accuracy (95%)": (0, lambda row: percent_told(row.accuracy)),
    WITHOUT_KNOWN: (0, lambda row: percent_told(row.accuracy_not_known)),
    OF_ANSWERED: (1, _of_answered),
    "ability ± SE": (2, _ability),
    "person fit": (4, lambda row: "-" if row.person_fit is None else f"{row.person_fit:+.1f}"),
    "recall@1": (5, _recall),
    "no choice": (6, lambda row: str(row.no_choice)),
    "failed": (3, lambda row: str(sum(row.failures.values()))),
    TOKENS: (3, lambda row: tokens_in_words(row.usage)),
    COST: (3, lambda row: cost_in_words(row.usage)),
    LATENCY: (4, lambda row: latency_in_words(row.usage)),
}
"""The figures by name: the `spare` of the column, and the text of a cell."""


def print_open(console: Console, scores: Scores) -> None:
    """Print a row for each system; nothing if no question is open."""
    rows = open_rows(scores)
    if not rows:
        return
    columns = [
        Figures("multiple choice", tuple(_share(row.closed) for row in rows), 2),
        Figures("open: right", tuple(_share(row.open) for row in rows)),
        Figures("open: mean score", tuple(_mean(row.open) for row in rows), 3),
    ]
    if labelled(rows):
        told = [_of_people(row.people) for row in rows]
        columns += [Figures("by people", tuple(t[0] for t in told)), Figures("labels", tuple(t[1] for t in told), 1)]
    marks = tuple("m" if row.score.examinee.manufactured else "" for row in rows)
    names = tuple(row.name for row in rows)
    Board("Multiple choice and open questions", marks, names, tuple(columns)).show(console, ELSEWHERE)
    people = people_sentences(scores.people) if scores.people else ()
    for line in (*judge_sentences(scores), *people):
        console.print(plain(line))
    for row in rows:
        if row.people and row.people.labels and row.people.reason:
            console.print(plain(f"By people, {row.name}: not known. {row.people.reason}"))
    for sentence in differences_told(scores):
        console.print(plain(f"By people, {sentence}"))


def print_qualities(console: Console, scores: Scores) -> None:
    """Print what open answers were graded for besides correctness; nothing if it was nothing."""
    rows = quality_rows(scores)
    if not rows:
        return
    columns = list[Figures]()
    for place, found in enumerate(scores.qualities):
        own = [row.scores[place] for row in rows]
        columns.append(
            Figures(f"{found.quality} (95%)", tuple(_told(each.mean_score if each else None) for each in own))
        )
        columns.append(Figures(f"{found.quality}: graded", tuple(map(_graded, own)), 1))
    marks = tuple("" for _ in rows)
    names = tuple(row.name for row in rows)
    Board("Further qualities of open answers", marks, names, tuple(columns)).show(console, ELSEWHERE)
    for sentence in (*quality_sentences(scores), *ungraded_sentences(scores)):
        console.print(plain(sentence))


def print_detectable(console: Console, scores: Scores) -> None:
    """Print the smallest difference that the exam detects and its reliability, if abilities were estimated."""
    reliable = reliability_sentence(scores.measurement.reliability if scores.measurement else None)
    for told in (detectable_sentence(scores), reliable):
        if told:
            console.print(plain(told))


def _share(found: FormatScore | None) -> str:
    return percent_told(found.accuracy if found else None)


def _mean(found: FormatScore | None) -> str:
    return _told(found.mean_score if found else None)


def _of_people(found: PeopleScore | None) -> tuple[str, str]:
    if found is None:
        return _told(None), "0"
    effective = f" ({found.effective_labels:.0f})" if found.effective_labels is not None else ""
    return _told(found.people_mean), f"{found.labels}{effective}"


def _graded(found: QualityScore | None) -> str:
    return f"{found.graded} of {found.asked}" if found else "-"


def _told(estimate: Estimate | None) -> str:
    return score_told(estimate) if estimate else "-"
