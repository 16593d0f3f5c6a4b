"""The report step by step: how an exam was refined, where it was."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from report_data import HOSTILE, build

from viva.core.refinement import AddedItem, DroppedItem, Lacking, Refinement, RefinementPlan, RefinementStep
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


def rendered(data: ReportData) -> BeautifulSoup:
    return BeautifulSoup(render_report(data), "html.parser")


def figures(soup: BeautifulSoup) -> dict[str, Any]:
    store = soup.find(id="report-data")
    assert isinstance(store, Tag)
    return json.loads(store.string or "")["figures"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def stepped(data: ReportData) -> BeautifulSoup:
    return rendered(replace(data, refinement=refinement(data)))


def test_a_report_where_nothing_happened_step_by_step_has_no_section_for_it(soup: BeautifulSoup) -> None:
    assert soup.find(id="refinement") is None
    assert not [a for a in soup.select("nav a") if a["href"] == "#refinement"]


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


def test_names_stems_and_reasons_are_shown_as_text() -> None:
    data = build(taint=HOSTILE)
    soup = rendered(replace(data, refinement=refinement(data, HOSTILE)))
    section = soup.find(id="refinement")
    assert isinstance(section, Tag)
    assert not section.find_all(["script", "img"])
    assert "<script>alert(1)" in section.get_text()
    assert "{{7*7}}" in section.get_text()
    assert len(soup.find_all("script")) == 3
