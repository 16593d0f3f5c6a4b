"""The page tells why answers were wrong, and who was manufactured; nothing foreign on it is obeyed."""

from __future__ import annotations

from dataclasses import replace

from bs4 import BeautifulSoup
from report_data import HOSTILE, build

from viva.core.scores_diagnosis import Blame, Condition, Diagnosis, EvidenceCounts, FailureModeFound, WrongAnswer
from viva.metrics.diagnosis import blame_rows, condition_rows, undecided_reasons
from viva.reports.data import ReportData
from viva.reports.html import render_report


def diagnosed(data: ReportData, *, own_reader: bool, text: str = "because of it") -> Diagnosis:
    answers = tuple(
        WrongAnswer(
            item_id=shown.item.id,
            document_id=shown.item.evidence[0].document_id,
            choice=1,
            evidence=EvidenceCounts(held=False, share=0.0),
            right={Condition.ORACLE: n % 3 > 0, Condition.OWN: False},
            failed={Condition.CLOSED_BOOK: "raised"},
            blame=Blame.RETRIEVAL if n % 3 else Blame.UNDECIDED,
            why=text,
            mode=FailureModeFound(why=text),
        )
        for n, shown in enumerate(data.exam.items[:12])
    )
    examinee = data.scores.examinees[3].examinee.model_copy(update={"name": text})
    return Diagnosis(
        examinee=examinee,
        exam_id=data.exam.id,
        reader=text if own_reader else "the lexical reference reader",
        own_reader=own_reader,
        graded=60,
        failures=2,
        wrong=14,
        diagnosed=12,
        beyond=2,
        rows=blame_rows(answers, 0),
        conditions=condition_rows(answers, 0),
        undecided=undecided_reasons(answers),
        asked_again=10,
        changed=1,
        modes={"not told": 12},
        by_luck=0.25,
        notes=(text,),
        answers=answers,
    )


def page(data: ReportData, *found: Diagnosis) -> BeautifulSoup:
    return BeautifulSoup(render_report(replace(data, diagnoses=found)), "html.parser")


def test_there_is_a_section_only_where_something_was_diagnosed(soup: BeautifulSoup, data: ReportData) -> None:
    assert soup.find(id="diagnosis") is None
    assert soup.find("a", href="#diagnosis") is None
    empty = diagnosed(data, own_reader=True).model_copy(update={"diagnosed": 0, "answers": ()})
    assert page(data, empty).find(id="diagnosis") is None


def test_the_blame_the_counts_and_each_answer_are_told(data: ReportData) -> None:
    section = page(data, diagnosed(data, own_reader=True)).find(id="diagnosis")
    assert section is not None
    said = " ".join(section.get_text(" ").split())
    assert "Retrieval is to blame most often: 8 of 12 (67%" in said
    assert "14 of 60 graded answers are wrong; 12 were diagnosed, drawn at random" in said
    assert "2 responses are no answers" in said
    assert "1 of 10 answers came out otherwise" in said
    assert len(section.select("details tbody tr")) == 12
    assert {div["data-figure"] for div in section.select("div.plot")} == {"blame-0", "conditions-0"}
    assert "stand-in" not in said


def test_a_stand_in_is_named_where_it_read(data: ReportData) -> None:
    section = page(data, diagnosed(data, own_reader=False)).find(id="diagnosis")
    assert section is not None
    assert "A stand-in read the passages: the lexical reference reader." in section.get_text()


def test_several_diagnoses_have_figures_of_their_own(data: ReportData) -> None:
    both = (diagnosed(data, own_reader=True), diagnosed(data, own_reader=False))
    section = page(data, *both).find(id="diagnosis")
    assert section is not None
    names = [div["data-figure"] for div in section.select("div.plot")]
    assert names == ["blame-0", "conditions-0", "blame-1", "conditions-1"]


def test_foreign_text_is_shown_and_not_obeyed(data: ReportData) -> None:
    found = page(data, diagnosed(data, own_reader=True, text=HOSTILE))
    section = found.find(id="diagnosis")
    assert section is not None
    assert section.find("script") is None
    assert section.find("img") is None
    assert "alert(1)" in section.get_text()


def test_who_was_manufactured_is_marked_with_the_reason_and_comes_after_the_others() -> None:
    data = build()
    rows = [
        row.model_copy(update={"examinee": row.examinee.model_copy(update={"manufactured": "an ablation of yours"})})
        if n < 3
        else row
        for n, row in enumerate(data.scores.examinees)
    ]
    marked = replace(data, scores=data.scores.model_copy(update={"examinees": tuple(rows)}))
    board = BeautifulSoup(render_report(marked), "html.parser").find(id="leaderboard")
    assert board is not None
    places = [cell.get_text() for cell in board.select("td.place")]
    assert places[-3:] == ["M1", "M2", "M3"]
    assert places[0] in {"1", "R1"}
    assert board.get_text().count("manufactured: an ablation of yours") == 3
    assert "not ranked" in board.get_text()
