"""Who graded open answers, how far that judge agrees with people, what people say: in words, in the terminal."""

from __future__ import annotations

import io

from exams_by_hand import exam_item, sound_item
from jinja2 import Environment, PackageLoader
from rich.console import Console

from viva.api.leaderboard import leaderboard
from viva.api.result import Column, Kind
from viva.core import wording
from viva.core.records import (
    Exam,
    Examinee,
    Grade,
    GradeResult,
    JudgeCard,
    Make,
    Measured,
    Quality,
    Response,
)
from viva.core.records.labels import Label
from viva.core.scores import Scores
from viva.core.scores_open import JudgeUsed
from viva.metrics.judges.people import people_findings
from viva.metrics.score import score_exam
from viva.reports.sections.open_answers import judge_sentences, open_context, open_rows, people_sentences

OPEN = [exam_item(f"How many litres does pump {n} hold?", [f"{n} litres"], document=f"log {n}") for n in range(12)]
EXAM = Exam.of([*(sound_item(n) for n in range(12)), *OPEN])
SYSTEMS = [Examinee(id=n, name=f"[b]{n}[/b]", spec=n) for n in ("good", "fair", "poor")]
FIGURE = Measured(
    data="answers/test", data_fingerprint="f", statistic="spearman", estimate=0.62, low=0.58, high=0.66, labels=1200
)
CARD = JudgeCard(name="ear", judges=Quality.CORRECTNESS, make=Make.OFFLINE)


def response(system: Examinee, n: int) -> Response:
    shown, right = EXAM.items[n], (n * 7) % 12 < {"good": 10, "fair": 6, "poor": 2}[system.id]
    choice = None if shown.item.is_open else (shown.key_position + (not right)) % 4
    return Response(
        id=Response.id_of(system.id, shown),
        examinee_id=system.id,
        item_id=shown.item.id,
        text="yes" if right else "no",
        choice=choice,
    )


ANSWERS = [response(system, n) for system in SYSTEMS for n in range(24)]
SPOKEN = [r for r in ANSWERS if r.item_id in {shown.item.id for shown in OPEN}]
JUDGED: dict[str, GradeResult] = {
    r.id: Grade(
        response_id=r.id,
        examinee_id=r.examinee_id,
        item_id=r.item_id,
        judge="ear",
        score=0.8 if r.text == "yes" else 0.3,
    )
    for r in SPOKEN
}


def scores(card: JudgeCard = CARD, labelled: int = 0) -> Scores:
    found = score_exam(EXAM, SYSTEMS, ANSWERS, seed=0, judged=JUDGED, judge=card)
    labels = [
        Label(response_id=r.id, by="Ada", at="2026-01-01T00:00:00Z", score=float(r.text == "yes"), seed=0)
        for r in SPOKEN[:labelled]
    ]
    people = people_findings([s.id for s in SYSTEMS], SPOKEN, JUDGED, labels, seed=0)
    return found.model_copy(update={"people": people})


def shown(found: Scores) -> str:
    out = io.StringIO()
    leaderboard(found).print(Console(file=out, width=200, highlight=False))
    return out.getvalue()


def test_a_judge_of_which_nothing_was_measured_says_so() -> None:
    assert judge_sentences(scores()) == (
        "Judge ear graded 36 of 36 open answers.",
        "Its agreement with people: not measured.",
    )


def test_what_was_measured_of_the_judge_stands_with_its_labels_and_interval() -> None:
    _, told = judge_sentences(scores(CARD.model_copy(update={"measured": (FIGURE,)})))
    assert told == "Its agreement with people: Spearman 0.62 (95% 0.58 to 0.66; 1,200 labels of answers/test)."


def test_the_leaderboard_shows_formats_judge_and_smallest_difference_as_text() -> None:
    told = shown(scores())
    assert "Multiple choice and open questions" in told
    assert "Judge ear graded 36 of 36 open answers." in told
    assert "must differ by about 60 points" in " ".join(told.split())
    assert "[b]good[/b]" in told
    assert "by people" not in told


def test_labels_stand_beside_the_judges_scores_and_what_they_cannot_say_is_said() -> None:
    told = shown(scores(labelled=13))
    assert "by people" in told
    assert "13 answers labelled by people (Ada 13)." in told
    assert "By people, [b]fair[/b]: not known. 1 label; at least 3 are needed." in told
    assert "On this run's own labels: " in told


def test_an_exam_of_multiple_choice_says_nothing_of_judges() -> None:
    closed = Exam.of(EXAM.items[:12])
    found = score_exam(closed, SYSTEMS, [r for r in ANSWERS if r.choice is not None], seed=0)
    assert judge_sentences(found) == ()
    assert open_context(found)["open_rows"] == ()
    assert "judge" not in shown(found).casefold()


def test_people_who_cannot_be_compared_are_not_said_to_agree() -> None:
    people = scores(labelled=13).people
    assert people is not None
    assert not any("agree" in sentence for sentence in people_sentences(people))


def test_manufactured_examinees_come_last_and_shares_read_as_on_the_leaderboard() -> None:
    found = scores()
    first, *others = found.examinees
    marked = first.model_copy(update={"examinee": first.examinee.model_copy(update={"manufactured": "stand-in"})})
    rows = open_rows(found.model_copy(update={"examinees": (marked, *others)}))
    assert [row.name for row in rows] == [each.examinee.name for each in (*others, first)]
    accuracy = rows[0].open.accuracy if rows[0].open else None
    assert accuracy is not None
    assert Column("", Kind.SHARE).show(accuracy) in shown(found).partition("Multiple choice and open questions")[2]


def test_scores_of_a_jury_of_an_earlier_version_are_read_and_shown() -> None:
    found = scores(CARD.model_copy(update={"name": "jury", "make": Make.JURY}))
    assert found.judge is not None
    stored = {**found.judge.model_dump(mode="json"), "jury": {"answers": 36}, "repeats": {"times": 3}}
    assert JudgeUsed.model_validate(stored) == found.judge
    assert "Judge jury graded 36 of 36 open answers." in shown(found)
    assert "Judge jury graded" in page_of(found)


def page_of(found: Scores) -> str:
    environment = Environment(loader=PackageLoader("viva.reports"), autoescape=True)
    environment.filters.update(breakable=str, percent=wording.percent, number=wording.number)
    environment.globals["percent_range"] = wording.percent_range
    return environment.get_template("open.j2").render(open_context(found))
