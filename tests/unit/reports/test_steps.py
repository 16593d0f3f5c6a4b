"""The report step by step: how an exam was refined, and abilities within adaptive sittings, where there are any."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from report_data import HOSTILE, build

from viva.core.refinement import AddedItem, DroppedItem, Lacking, Refinement, RefinementPlan, RefinementStep
from viva.core.scores import AdaptiveScore, AdaptiveStep, Estimate
from viva.reports.data import ReportData
from viva.reports.html import render_report


def refinement(data: ReportData, taint: str = "", *, judged: bool = True) -> Refinement:
    """Two went, one came, and a last round was taken back."""
    ids = [shown.item.id for shown in data.exam.items]
    gone = tuple(
        DroppedItem(item_id=f"gone {n}", stem=f"Gone {n}?{taint}", reason=f"tells little{taint}") for n in "ab"
    )
    came = AddedItem(item_id=ids[-1], stem=f"{data.exam.items[-1].item.stem}", topic=f"safety{taint}")
    before = (*ids[:-1], "gone a", "gone b")
    return Refinement(
        exam_before="before",
        exam_after=data.exam.id,
        plan=RefinementPlan(method="viva", rounds=3, quantile=None, replenish=True),
        panel=("x", "y"),
        chosen_by=(f"chooser{taint}",),
        chosen_by_ids=("x",),
        judged_by=(f"judge{taint}",) if judged else (),
        steps=(
            RefinementStep(items=before, information=4.0, per_item=4.0 / len(before), accepted=True),
            RefinementStep(
                items=tuple(ids),
                dropped=gone,
                added=(came,),
                lacking=(Lacking(low=-1, high=1, topic="safety", missing=2.0),),
                information=5.0,
                per_item=5.0 / len(ids),
                accepted=True,
            ),
            RefinementStep(items=tuple(ids[1:]), information=4.9, per_item=4.9 / len(ids), accepted=False),
        ),
        end=f"the last round did not help{taint}",
        notes=(f"A note.{taint}",),
        gone=("Gone a?", "Gone b?"),
        left_out={},
    )


def sitting(data: ReportData, name: str = "newcomer") -> AdaptiveScore:
    path = tuple(
        AdaptiveStep(item_id=data.exam.items[n].item.id, phase="adaptive", right=right, ability=n / 2, se=1 / (n + 1))
        for n, right in enumerate((True, False, None, True))
    )
    who = data.scores.examinees[0].examinee.model_copy(update={"name": name})
    near = Estimate(value=0.7, low=0.6, high=0.8)
    return AdaptiveScore(
        examinee=who, asked=4, items=60, ungraded=1, no_choice=0, drawn=0, reason="budget", ability=near,
        ability_se=0.25, accuracy=near, path=path,
    )  # fmt: skip


def with_sittings(data: ReportData, *sittings: AdaptiveScore) -> ReportData:
    return replace(data, scores=data.scores.model_copy(update={"adaptive": sittings}))


def rendered(data: ReportData) -> BeautifulSoup:
    return BeautifulSoup(render_report(data), "html.parser")


def figures(soup: BeautifulSoup) -> dict[str, Any]:
    store = soup.find(id="report-data")
    assert isinstance(store, Tag)
    return json.loads(store.string or "")["figures"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def stepped(data: ReportData) -> BeautifulSoup:
    return rendered(with_sittings(replace(data, refinement=refinement(data)), sitting(data)))


def test_a_report_where_nothing_happened_step_by_step_has_no_section_for_it(soup: BeautifulSoup) -> None:
    assert soup.find(id="refinement") is soup.find(id="adaptive") is None
    assert not [a for a in soup.select("nav a") if a["href"] in ("#refinement", "#adaptive")]


def test_each_step_of_a_refinement_is_drawn_and_one_taken_back_looks_so(stepped: BeautifulSoup) -> None:
    found = figures(stepped)
    (line,) = found["refined-information"]["data"]
    assert line["y"] == [4.0, 5.0, 4.9]
    assert line["marker"]["symbol"] == ["circle", "circle", "circle-open"]
    bars = {bar["name"]: bar["y"] for bar in found["refined-items"]["data"]}
    assert (bars["came"], bars["went"]) == ([0, 1, 0], [0, -2, 0])
    assert bars["stayed"][1] == 59


def test_what_went_and_came_is_listed_with_reason_and_number(stepped: BeautifulSoup, data: ReportData) -> None:
    section = stepped.find(id="refinement")
    assert isinstance(section, Tag)
    rows = [[cell.get_text(" ", strip=True) for cell in row.find_all("td")] for row in section.select("tbody tr")]
    assert rows[:2] == [["1", "Gone a?", "tells little"], ["1", "Gone b?", "tells little"]]
    assert rows[2][0] == "1"
    assert rows[2][1].startswith("No. 60 ")
    assert rows[2][2] == "safety"
    text = section.get_text(" ", strip=True)
    assert "61 questions became 60: 2 went, 1 came" in text
    assert "judged by the answers of 1 others, which had no say" in text


def test_a_refinement_judged_by_those_who_chose_says_so(data: ReportData) -> None:
    section = rendered(replace(data, refinement=refinement(data, judged=False))).find(id="refinement")
    assert isinstance(section, Tag)
    assert "judged by the same answers, which flatters it" in section.get_text(" ", strip=True)


def test_an_adaptive_path_shows_the_ability_with_its_interval_after_each_question(stepped: BeautifulSoup) -> None:
    band, line, *marks = figures(stepped)["adaptive-0"]["data"]
    assert line["y"] == [0.0, 0.5, 1.0, 1.5]
    assert band["y"][:4] == [1.96, 1.48, 1.6533, 1.99]
    assert band["y"][4:] == [1.01, 0.3467, -0.48, -1.96]
    assert {mark["name"]: mark["x"] for mark in marks} == {"right": [1, 4], "wrong": [2], "not graded": [3]}
    assert "No. 2" in marks[1]["text"][0]


def test_sittings_of_versions_that_kept_no_path_have_no_section(data: ReportData) -> None:
    old = sitting(data).model_copy(update={"path": ()})
    assert rendered(with_sittings(data, old)).find(id="adaptive") is None


def test_many_sittings_are_counted_beyond_the_first() -> None:
    data = build()
    many = rendered(with_sittings(data, *(sitting(data, f"new {n}") for n in range(10))))
    section = many.find(id="adaptive")
    assert isinstance(section, Tag)
    assert len(section.select(".plot")) == 8
    assert "and 2 more" in section.get_text()


def test_names_stems_and_reasons_are_shown_as_text() -> None:
    data = build(taint=HOSTILE)
    page = render_report(with_sittings(replace(data, refinement=refinement(data, HOSTILE)), sitting(data, HOSTILE)))
    soup = BeautifulSoup(page, "html.parser")
    for name in ("refinement", "adaptive"):
        section = soup.find(id=name)
        assert isinstance(section, Tag)
        assert not section.find_all(["script", "img"])
        assert "<script>alert(1)" in section.get_text()
        assert "{{7*7}}" in section.get_text()
    assert len(soup.find_all("script")) == 3
