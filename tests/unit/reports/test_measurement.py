"""What the report says of the measurement: what the exam can tell apart, which questions to look at, and why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from fit_counts import counted_fits
from report_data import build, systems

from viva.api.leaderboard import leaderboard
from viva.core.records import CLOSING_PHRASE, OFFLINE_CAST, ComponentEffect, ExamItem, Response
from viva.core.scores import ItemFlag, Measurement
from viva.metrics.score import score_exam
from viva.reports.data import ReportData
from viva.reports.html import render_report
from viva.reports.sections.systems import AccuracySpread, component_spreads, detectable_sentence, told_spreads

PLANTED = 4

Choice = Callable[[ExamItem, Response], int]


def rendered(data: ReportData) -> BeautifulSoup:
    return BeautifulSoup(render_report(data), "html.parser")


def section(soup: BeautifulSoup, name: str = "measurement") -> Tag:
    found = soup.find(id=name)
    assert isinstance(found, Tag)
    return found


def figure(soup: BeautifulSoup, name: str) -> dict[str, Any]:
    store = soup.find(id="report-data")
    assert isinstance(store, Tag)
    return json.loads(store.string or "")["figures"][name]  # type: ignore[no-any-return]


def suspects(soup: BeautifulSoup) -> list[list[str]]:
    return [
        [cell.get_text(" ", strip=True) for cell in row.find_all("td")] for row in soup.select(".suspects tbody tr")
    ]


def answered(data: ReportData, changed: dict[int, Choice]) -> ReportData:
    """The data with the questions at these places answered otherwise, and scored again."""
    responses = dict(data.responses)
    for place, choose in changed.items():
        shown = data.exam.items[place]
        responses[shown.item.id] = tuple(
            one.model_copy(update={"choice": choose(shown, one), "failure": None, "text": "said"})
            for one in responses[shown.item.id]
        )
    examinees = [score.examinee for score in data.scores.examinees]
    flat = [response for own in responses.values() for response in own]
    return replace(data, responses=responses, scores=score_exam(data.exam, examinees, flat, seed=7))


def next_option(shown: ExamItem) -> int:
    return (shown.key_position + 1) % len(shown.options)


def test_the_leaderboard_says_how_far_systems_must_be_apart(data: ReportData, soup: BeautifulSoup) -> None:
    assert data.scores.measurement is not None
    found = data.scores.measurement.detectable
    assert (found.systems, found.exact) == (12, True)
    assert found.among_systems is not None
    assert found.accuracy is not None
    told = section(soup, "leaderboard").select_one(".detectable")
    assert told is not None
    assert told.get_text().startswith(
        f"With 60 questions, two systems near {100 * found.accuracy:.0f}% right must differ by about "
        f"{100 * found.score:.0f} points to be told apart in 4 of 5 exams of this size; "
        f"{100 * found.among_systems:.0f} points if all 66 pairs of your 12 systems are compared."
    )


@pytest.mark.parametrize(
    ("accuracy", "score", "among", "said"),
    [
        (0.82, 0.36, 0.4, "two systems near 82% right must differ by about 36 points to be told apart"),
        (0.82, 0.37, 0.45, "too small to tell apart any two systems near 82% right: systems must differ by about 37"),
        (
            0.82,
            0.8,
            0.9,
            "80 points to be told apart in 4 of 5 exams of this size; among your 12 systems no",
        ),
        (0.82, 0.96, None, "With 60 questions an exam is too small to tell apart any two systems near 82% right."),
        (0.18, 0.96, 0.97, "With 60 questions an exam is too small to tell apart any two systems near 18% right."),
        (0.5, 0.9, 0.95, "two systems near 50% right must differ by about 90 points"),
    ],
)
def test_systems_near_a_share_are_not_said_to_differ_by_more_than_they_can(
    data: ReportData, accuracy: float, score: float, among: float | None, said: str
) -> None:
    measured = data.scores.measurement
    assert measured is not None
    figures = {"accuracy": accuracy, "score": score, "among_systems": among}
    least = measured.detectable.model_copy(update=figures)
    scores = data.scores.model_copy(update={"measurement": measured.model_copy(update={"detectable": least})})
    assert [note for note in leaderboard(scores).notes if said in note]


def test_a_difference_that_an_earlier_version_told_by_another_test_is_not_shown(data: ReportData) -> None:
    assert data.scores.measurement is not None
    stored = data.scores.measurement.model_dump(mode="json")
    for name in ("exact", "systems", "among_systems"):
        del stored["detectable"][name]
    old = data.scores.model_copy(update={"measurement": Measurement.model_validate(stored)})
    assert detectable_sentence(old) == ""


def test_an_exam_of_two_questions_promises_to_tell_nobody_apart() -> None:
    assert "cannot be counted on to tell any two systems" in rendered(build(items=2)).get_text()


def test_every_pair_of_levels_is_compared_the_better_one_first(soup: BeautifulSoup) -> None:
    rows = {}
    for place, heading in enumerate(section(soup, "components").select(".flow h4")):
        shown = figure(soup, f"differences-{place}")
        labels = shown["layout"]["yaxis"]["ticktext"]
        assert all(" over " in label for label in labels)
        assert all(x >= 0 for trace in shown["data"] if "error_x" in trace for x in trace["x"])
        rows[heading.get_text()] = len(labels)
    assert rows == {"retriever": 6, "reader": 1, "examples": 1}
    assert "of the 8 pairs of levels is told apart." in section(soup, "components").get_text()


def test_references_are_called_aside_only_where_others_are_left(soup: BeautifulSoup) -> None:
    told = section(soup, "components").get_text()
    # references have no effects: their answers are no system's
    assert "oracle" not in told
    earlier = [
        ComponentEffect(component="retriever", level=level, effect=effect, se=0.1, reach=0.2)
        for level, effect in (("oracle", 2.0), ("dense", 0.5), ("bm25", 0.0), ("closed-book", -1.0))
    ]
    assert component_spreads(earlier)["retriever"] == AccuracySpread(0.5, "dense", "bm25", references_aside=True)


def test_of_levels_only_those_that_are_told_apart_are_listed(soup: BeautifulSoup) -> None:
    assert "Choosing the best level" not in section(soup, "components").get_text()
    scores = build().scores
    assert scores.measurement
    best = component_spreads(scores.effects)["retriever"]
    (pair,) = [
        each for each in scores.measurement.contrasts if {each.level, each.reference} == {best.best, best.worst}
    ]
    sure = replace(pair, low=0.1, high=9.0)
    measured = scores.measurement.model_copy(update={"contrasts": (sure,)})
    assert told_spreads(scores.model_copy(update={"measurement": measured})) == {"retriever": best}


def test_intervals_of_differences_allow_for_how_many_there_are(soup: BeautifulSoup) -> None:
    effects = {name: figure(soup, name) for name in ("effects-0", "differences-0")}
    widths = {
        name: max(x for trace in shown["data"] if "error_x" in trace for x in trace["error_x"]["array"])
        for name, shown in effects.items()
    }
    assert widths["differences-0"] > widths["effects-0"]


def test_levels_beyond_six_are_compared_with_the_best_alone(data: ReportData) -> None:
    many = [
        score.examinee.model_copy(
            update={"components": {**score.examinee.components, "retriever": f"kind {place // 2}"}}
        )
        for place, score in enumerate(data.scores.examinees)
    ]
    responses = [response for own in data.responses.values() for response in own]
    soup = rendered(replace(data, scores=score_exam(data.exam, many, responses, seed=7)))
    labels = next(
        figure(soup, f"differences-{place}")["layout"]["yaxis"]["ticktext"]
        for place, heading in enumerate(section(soup, "components").select(".flow h4"))
        if heading.get_text() == "retriever"
    )
    assert len(labels) == 7
    assert len({label.split(" over ")[0] for label in labels}) == 1
    assert "against the best one only" in section(soup, "components").get_text()


def test_a_wrong_key_is_named_with_the_option_the_able_choose(data: ReportData) -> None:
    weakest = {score.examinee.id for score in data.scores.examinees[-5:]}
    soup = rendered(
        answered(data, {PLANTED: lambda s, r: s.key_position if r.examinee_id in weakest else next_option(s)})
    )
    question, kind, reason, sure = suspects(soup)[0]
    assert question.startswith(f"No. {PLANTED + 1} ")
    assert kind == "wrong key hint"
    rival = "ABCDEF"[next_option(data.exam.items[PLANTED])]
    assert reason.startswith(f"Of the 6 ablest, 0 chose the key and 6 option {rival}.")
    assert re.fullmatch(r"the answers fit this \d{2,3} times better than a sound question", sure)
    read_first = section(soup).select(".read-first a")
    assert len(read_first) == 10
    assert read_first[0].get_text() == f"No. {PLANTED + 1}"
    link = section(soup).select_one(".suspects a")
    assert link is not None
    assert soup.select_one(str(link["href"])) is not None


def test_a_level_is_named_in_full_and_a_flag_of_an_earlier_version_by_its_reason(data: ReportData) -> None:
    assert data.scores.measurement is not None
    item_id, level = data.exam.items[0].item.id, "large (v2) of acme"
    harder = ItemFlag(
        item_id, "level difference", 3.0, f"harder for model={level} than its ability says (z -3.0)", "z -3.0"
    )
    leaked = ItemFlag(item_id, "leaked to a level", 4.0, f"model={level} knows the answer beyond its ability")
    measured = data.scores.measurement.model_copy(update={"flags": (harder, leaked)})
    found = suspects(rendered(replace(data, scores=data.scores.model_copy(update={"measurement": measured}))))
    told = [row[2].replace("= ", "=") for row in found]
    assert told[0].startswith(f"Harder for model={level} than its ability says (differential item functioning)")
    assert told[1] == f"model={level} knows the answer beyond its ability."


def test_a_question_that_everybody_knows_is_at_most_a_hint(data: ReportData) -> None:
    found = suspects(rendered(answered(data, {PLANTED: lambda s, r: s.key_position})))
    _, kind, reason, _ = next(row for row in found if row[0].startswith(f"No. {PLANTED + 1} "))
    assert kind == "given away hint"
    assert reason.startswith("16 of 16 are right")


def test_one_who_answers_as_another_is_not_counted_again(data: ReportData) -> None:
    first, second = (score.examinee for score in data.scores.examinees[6:8])
    given = {
        item: {r.examinee_id: r.choice for r in own if r.examinee_id == first.id}
        for item, own in data.responses.items()
    }

    def same(shown: ExamItem, response: Response) -> int:
        copied = given[shown.item.id][first.id]
        own = copied if response.examinee_id in (first.id, second.id) else response.choice
        return next_option(shown) if own is None else own

    told = section(rendered(answered(data, dict.fromkeys(range(60), same)))).get_text()
    assert "15 examinees speak here: so few" in told
    assert "Left out here: 1 examinee with the answers of another examinee, or nearly all of them" in told


def test_a_check_that_could_not_be_made_says_why() -> None:
    few = section(rendered(build(examinees=systems()[4:8]))).get_text()
    assert "It could not be checked for questions that are answered alike: " in few
    assert "It could not be checked whether answers follow the curves: no item has responses of 10 examinees." in few


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (build(all_fail=True, items=5), "no answer could be graded"),
        (build(examinees=systems()[:1], items=5), "at least two are needed"),
    ],
)
def test_without_a_fit_the_section_says_why(data: ReportData, reason: str) -> None:
    told = section(rendered(data)).get_text()
    assert "could not be checked against the answers" in told
    assert reason in told


def test_the_map_holds_every_answer_ablest_first_easiest_first(data: ReportData, soup: BeautifulSoup) -> None:
    shown = figure(soup, "map")["data"][0]
    right = [sum(cell is not None and cell >= 2 for cell in line) for line in shown["z"]]
    graded = [sum(cell is not None for cell in line) for line in shown["z"]]
    by_ability = sorted(data.scores.examinees, key=lambda score: -(score.ability.place if score.ability else 0))
    assert right == [score.correct for score in by_ability]
    assert graded == [score.graded - sum(score.failures.values()) for score in by_ability]
    difficulty = [score.parameters.difficulty for score in data.scores.items if score.parameters]
    order = [difficulty[number - 1] for number in shown["customdata"][0]]
    assert all(easier <= harder for easier, harder in pairwise(order))


def test_shares_of_information_of_the_topics_make_the_whole(soup: BeautifulSoup) -> None:
    bars, ticks = figure(soup, "informative-0")["data"]
    assert sum(bars["x"]) == pytest.approx(1, abs=1e-3)
    assert sum(ticks["x"]) == pytest.approx(1, abs=1e-3)


def test_scores_of_an_earlier_version_still_open_and_ask_for_a_scoring(data: ReportData, soup: BeautifulSoup) -> None:
    again = "viva score makes them anew"
    assert again not in section(soup).get_text()
    measured = data.scores.measurement
    assert measured
    less = data.scores.model_copy(update={"measurement": measured.model_copy(update={"checks": None})})
    assert again in section(rendered(replace(data, scores=less))).get_text()
    none = data.scores.model_copy(update={"measurement": None})
    assert again in section(rendered(replace(data, scores=none))).get_text()


def test_a_report_fits_no_model(data: ReportData, monkeypatch: pytest.MonkeyPatch) -> None:
    fits = counted_fits(monkeypatch)
    assert rendered(data).select("#measurement figure")
    assert not fits
    build(items=5, examinees=systems()[:4])
    assert fits


def test_a_question_that_nobody_has_right_is_named_apart_and_is_no_wrong_key(data: ReportData) -> None:
    soup = rendered(answered(data, {PLANTED: lambda shown, _: next_option(shown)}))
    link = f'a[href="#item-{PLANTED + 1}"]'
    assert soup.select(f"#measurement .nobody-right {link}")
    assert not [row for row in suspects(soup) if row[0].startswith(f"No. {PLANTED + 1} ") and "wrong key" in row[1]]


def test_a_question_that_is_set_aside_is_measured_nowhere(data: ReportData) -> None:
    plain = {"cast": OFFLINE_CAST, "pattern": CLOSING_PHRASE}
    items = tuple(
        shown.model_copy(
            update={
                "item": shown.item.model_copy(update={"provenance": shown.item.provenance.model_copy(update=plain)})
            }
        )
        for shown in data.exam.items
    )
    exam = data.exam.model_copy(update={"items": items})
    wrong = answered(replace(data, exam=exam), {PLANTED: lambda shown, _: next_option(shown)})
    assert [each.item_id for each in wrong.scores.set_aside] == [items[PLANTED].item.id]
    soup = rendered(wrong)
    assert PLANTED + 1 not in figure(soup, "map")["data"][0]["customdata"][0]
    assert not soup.select(f'#measurement a[href="#item-{PLANTED + 1}"]')


def test_names_in_the_sections_of_the_measurement_are_text(hostile: BeautifulSoup) -> None:
    for name in ("measurement", "components"):
        assert not section(hostile, name).select("script, img")
    assert "<script>alert(1)</script>" in section(hostile, "measurement").get_text()
