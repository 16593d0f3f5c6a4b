"""The report step by step: how an exam was refined, and abilities within adaptive sittings, where there are any."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from report_data import HOSTILE, build

from viva.core.records.refinement import Refinement, RefinementStep, ReplacedItem
from viva.core.scores import AdaptiveScore, AdaptiveStep, Estimate
from viva.reports.data import ReportData
from viva.reports.html import render_report


def refinement(data: ReportData, taint: str = "") -> Refinement:
    """Two went and one came, in two rounds."""
    came = data.exam.items[-1].item
    gone = [ReplacedItem(item_id=f"gone {n}", stem=f"Gone {n}?{taint}", reason=f"tells little{taint}") for n in "ab"]
    return Refinement(
        exam_before="before",
        exam_after=data.exam.id,
        steps=(
            RefinementStep(dropped=(gone[0],), added=(ReplacedItem(item_id=came.id, stem=came.stem),)),
            RefinementStep(dropped=(gone[1],)),
        ),
        end=f"no item was left that had to go{taint}",
        notes=(f"A note.{taint}",),
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


def test_what_went_and_came_is_listed_with_round_reason_and_number(stepped: BeautifulSoup) -> None:
    section = stepped.find(id="refinement")
    assert isinstance(section, Tag)
    rows = [[cell.get_text(" ", strip=True) for cell in row.find_all("td")] for row in section.select("tbody tr")]
    assert rows[:2] == [["1", "Gone a?", "tells little"], ["2", "Gone b?", "tells little"]]
    assert rows[2][0] == "1"
    assert rows[2][1].startswith("No. 60 ")
    text = section.get_text(" ", strip=True)
    assert "2 questions went, 1 came, in 2 rounds" in text
    assert "A note." in text


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
