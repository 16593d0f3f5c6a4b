"""The numbers on the page are those of the records."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup, Tag
from report_data import build

from viva.core.estimates import Ability
from viva.core.note_words import scores_notes
from viva.core.records import Span
from viva.core.scores_pairs import PairVerdict
from viva.core.wording import listed, number, percent, percent_range, seconds, signed
from viva.exams.statistics import exam_statistics
from viva.metrics.score import score_exam
from viva.reports.data import ReportData
from viva.reports.html import render_report
from viva.reports.sections.systems import reference_kind
from viva.storage.corpus.editions.finding import Difference, EditionPair


def _texts(row: Tag) -> list[str]:
    return [cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"])]


def _store(soup: BeautifulSoup) -> dict[str, dict[str, dict[str, list[dict[str, list[float]]]]]]:
    return json.loads(soup.find(id="report-data").string)  # type: ignore[no-any-return]


def test_the_same_data_give_the_same_bytes(page: str) -> None:
    assert render_report(build()) == page


def test_the_leaderboard_shows_every_examinee_with_its_figures(data: ReportData, soup: BeautifulSoup) -> None:
    rows = soup.select("#leaderboard tbody tr")
    assert len(rows) == len(data.scores.examinees) == 16
    for row, score in zip(rows, data.scores.examinees, strict=True):
        cells = _texts(row)
        assert score.accuracy is not None
        assert score.ability is not None
        assert score.examinee.name in row.th.get_text()
        told = f"{percent(score.accuracy.value, 1)} {percent_range(score.accuracy.low, score.accuracy.high)}"
        if score.failures_tell and score.accuracy_answered:
            told += f" {percent(score.accuracy_answered.value, 1)} of those it answered"
        assert cells[2] == told
        own = score.ability
        assert cells[3] == (
            f"{number(own.theta, 1)} ± {number(own.se, 1)}"
            if isinstance(own, Ability)
            else f"{own.words} beyond this exam"
        )
        assert cells[4] == ("–" if score.person_fit is None else number(score.person_fit, 1))
        assert cells[5] == (percent(score.retrieval.recall_at[1].value) if score.retrieval else "–")
        assert cells[8].split()[0] == str(sum(score.failures.values()))
        assert cells[9] == str(score.no_choice)


def test_references_are_shown_but_not_ranked_and_systems_rank_by_accuracy(
    data: ReportData, soup: BeautifulSoup
) -> None:
    places = {row.th.bdi.get_text(): row.td.get_text() for row in soup.select("#leaderboard tbody tr")}
    assert {place for name, place in places.items() if name.startswith(("oracle", "closed-book"))} == {
        "R1",
        "R2",
        "R3",
        "R4",
    }
    ranked = [score for score in data.scores.examinees if reference_kind(score) == ""]
    found = [int(places[score.examinee.name]) for score in ranked]
    # best first, by accuracy: those of the same accuracy share a place
    shares = [score.accuracy.value for score in ranked if score.accuracy]
    assert found == [1 + sum(other > share for other in shares) for share in shares]
    assert len(found) == 12


def test_the_range_is_told_by_the_best_oracle_and_the_best_reader_without_documents(
    data: ReportData, soup: BeautifulSoup
) -> None:
    (told,) = [text for p in soup.find_all("p") if "For the range:" in (text := " ".join(p.get_text().split()))]
    for kind in ("oracle", "closed-book"):
        of_kind = [s for s in data.scores.examinees if s.examinee.components["retriever"] == kind and s.accuracy]
        best = max(of_kind, key=lambda s: s.accuracy.value if s.accuracy else 0.0)
        assert len(of_kind) > 1
        assert f"{best.examinee.name}, which" in told


def test_the_headline_is_about_the_best_system_and_no_reference(data: ReportData, soup: BeautifulSoup) -> None:
    best = next(
        s for s in data.scores.examinees if s.examinee.components["retriever"] not in ("oracle", "closed-book")
    )
    assert soup.h1.get_text().startswith(best.examinee.name)
    assert f"{best.correct} of {best.graded} questions" in soup.select_one("#result").get_text()


def test_the_headline_says_when_the_exam_cannot_tell(data: ReportData, soup: BeautifulSoup) -> None:
    assert "cannot tell it from" in soup.h1.get_text()
    sure = tuple(
        c.model_copy(update={"p_adjusted": 0.001, "verdict": PairVerdict.BETTER}) for c in data.scores.comparisons
    )
    changed = replace(data, scores=data.scores.model_copy(update={"comparisons": sure}))
    clear = BeautifulSoup(render_report(changed), "html.parser")
    assert "is best" in clear.h1.get_text()
    assert " is better than " in clear.select_one("#result").get_text()


def test_notes_stand_in_the_section_of_the_numbers(data: ReportData, soup: BeautifulSoup) -> None:
    shown = [line.get_text() for line in soup.select("#leaderboard #notes li")]
    assert shown == list(scores_notes(data.scores))
    assert shown


def test_every_question_is_there_with_its_key_and_counts(data: ReportData, soup: BeautifulSoup) -> None:
    counts = {score.item_id: score.option_counts for score in data.scores.items}
    found = soup.select("details.item")
    assert len(found) == len(data.exam.items)
    for row, shown in zip(found, data.exam.items, strict=True):
        options = row.select(".options li")
        assert [o.bdi.get_text() for o in options] == list(shown.options)
        assert ["key" in (o.get("class") or []) for o in options].index(True) == shown.key_position
        chosen = tuple(int(o.select_one(".num").contents[0]) for o in options)
        assert chosen == counts[shown.item.id]
        assert f"viva trace RUN {shown.item.id}" in row.get_text()


def test_the_quote_stands_marked_in_its_surroundings(data: ReportData, soup: BeautifulSoup) -> None:
    for row, shown in zip(soup.select("details.item"), data.exam.items, strict=True):
        document = data.documents[shown.item.evidence[0].document_id]
        assert row.mark.get_text() == shown.item.evidence[0].quote
        around = row.blockquote.get_text().strip("… ")
        assert len(around) > len(shown.item.evidence[0].quote)
        assert around in document.text
        assert document.path in row.select_one(".source").get_text()


def test_right_wrong_and_failed_add_up_to_the_responses(data: ReportData, soup: BeautifulSoup) -> None:
    for row, shown in zip(soup.select("details.item"), data.exam.items, strict=True):
        parts = {dt.get_text(): dt.find_next("dd").find_all("bdi") for dt in row.select(".outcome dt")}
        named = sum(len(parts.get(kind, [])) for kind in ("Right", "Wrong", "Failed"))
        assert named == len(data.responses[shown.item.id])


def test_the_sums_of_the_funnel_are_shown(data: ReportData, soup: BeautifulSoup) -> None:
    tables = soup.select("#funnel table")
    for table, whole in zip(tables, (data.funnel.units, data.funnel.accepted), strict=True):
        parts = [int(row.td.get_text()) for row in table.select("tbody tr")]
        assert sum(parts) == whole == int(table.tfoot.td.get_text())


@pytest.mark.parametrize("field", ["units", "accepted", "not_asked", "in_exam", "examples"])
def test_a_funnel_that_does_not_add_up_is_refused(data: ReportData, field: str) -> None:
    broken = data.funnel.model_copy(update={field: getattr(data.funnel, field) + 1})
    with pytest.raises(ValueError, match="does not add up"):
        render_report(replace(data, funnel=broken))


def test_the_plots_carry_the_numbers_of_the_records(data: ReportData, soup: BeautifulSoup) -> None:
    figures = _store(soup)["figures"]
    shown = {x for trace in figures["accuracy"]["data"] if "error_x" in trace for x in trace["x"]}
    assert shown == {round(s.accuracy.value, 4) for s in data.scores.examinees if s.accuracy}


def test_every_figure_is_one_that_plotly_knows(soup: BeautifulSoup) -> None:
    graph_objects = pytest.importorskip("plotly.graph_objects")
    for name, figure in _store(soup)["figures"].items():
        assert graph_objects.Figure(figure).data, name
        assert soup.find(id=f"plot-{name}") is not None


def test_the_offline_cast_cost_nothing(soup: BeautifulSoup) -> None:
    assert "0 calls to language models, cost 0" in soup.select_one("#cost").get_text()


def test_excluded_files_are_listed_with_their_reasons(data: ReportData, soup: BeautifulSoup) -> None:
    text = soup.select_one("#corpus").get_text()
    assert all(e.path in text and e.detail in text and e.reason.value in text for e in data.exclusions)


def test_numbers_are_worded_the_same_everywhere() -> None:
    assert number(-0.001) == "0.00"
    assert number(-1.5, 1) == "\u22121.5"
    assert signed(0.2, 1) == "+0.2"
    assert signed(-0.0001) == "0.00"
    assert [seconds(s) for s in (0.004, 0.34, 59.96, 204, 7260)] == [
        "4.0 ms",
        "340 ms",
        "1 min 00 s",
        "3 min 24 s",
        "2 h 01 min",
    ]
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdef")) == "a, b, c and 3 more"


def test_the_report_says_which_rules_did_not_run_in_which_language(data: ReportData) -> None:
    first, *others = data.exam.items
    foreign = first.model_copy(update={"item": first.item.model_copy(update={"language": "it"})})
    exam = data.exam.model_copy(update={"items": (foreign, *others)})
    told = BeautifulSoup(render_report(replace(data, exam=exam)), "html.parser").select_one("#exam")
    assert told is not None
    assert re.search(r"Questions in “it” \(1\) were not checked .* asks two things", told.get_text())
    assert "not checked" not in BeautifulSoup(render_report(data), "html.parser").get_text()


def test_the_exam_in_figures_has_the_length_of_its_questions(data: ReportData, soup: BeautifulSoup) -> None:
    told = soup.select_one("#exam table.figures")
    assert told is not None
    words = exam_statistics(data.exam).stem_words
    assert words is not None
    assert f"Words in a question{words.median:.0f}" in re.sub(r"\s*\n\s*", "", told.get_text())


def test_known_questions_are_counted_marked_and_left_out_in_a_column_of_their_own(data: ReportData) -> None:
    marked = tuple(
        s.model_copy(update={"item": s.item.model_copy(update={"known": n < 7})})
        for n, s in enumerate(data.exam.items)
    )
    exam = data.exam.model_copy(update={"items": marked})
    said = [each for own in data.responses.values() for each in own]
    scores = score_exam(exam, [row.examinee for row in data.scores.examinees], said, seed=7)
    soup = BeautifulSoup(render_report(replace(data, exam=exam, scores=scores)), "html.parser")
    assert soup.find(id="known").get_text().startswith("7 of 60 questions can be answered without documents")
    rows = soup.select("#leaderboard tbody tr")
    for row, score in zip(rows, scores.examinees, strict=True):
        others = score.accuracy_not_known
        assert others is not None
        assert _texts(row)[3] == f"{percent(others.value, 1)} {percent_range(others.low, others.high)}"
    assert [dt.get_text() for dt in soup.select("#items dt")].count("Known") == 7
    assert "Without known" not in render_report(data)


def test_editions_are_listed_with_the_sentences_that_differ(data: ReportData) -> None:
    spans = (Span(document_id="d", start=0, end=9, quote=f"Keys cost {n} euros & more.") for n in (38, 41))
    first, second = spans
    pair = EditionPair(
        first="2024/rules.md",
        second="2025/rules.md",
        equal=4,
        only_first=0,
        only_second=0,
        differences=(Difference(first=first, second=second),),
        repeated=(),
    )
    page = BeautifulSoup(render_report(replace(data, editions=(pair,))), "html.parser")
    text = page.select_one("#corpus").get_text()
    assert all(words in text for words in (pair.first, pair.second, first.quote, second.quote))
