"""The report tells what the exam covers and how its blueprint was filled, and believes no name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from report_data import HOSTILE, build

from viva.core.accounts import Coverage
from viva.core.blueprint import Facet, LevelFill
from viva.reports.data import ReportData
from viva.reports.html import render_report


def level(facet: Facet, name: str, got: int, reason: str = "") -> LevelFill:
    return LevelFill(facet=facet, level=name, share=0.25, wanted=15, available=40, got=got, reason=reason)


def row(by: str, name: str, chunks: int = 10, walked: int = 4, in_exam: int = 2) -> Coverage:
    return Coverage.model_validate({"by": by, "name": name, "chunks": chunks, "walked": walked, "in_exam": in_exam})


TOPICS = (row("topic", "fleet"), row("topic", "fares", 5, 1, 0))
CLUSTERS = tuple(row("cluster", f"tide, quay {n}") for n in range(30))


@pytest.fixture(scope="module")
def data() -> ReportData:
    return build(items=5)


def section(data: ReportData, **changes: object) -> BeautifulSoup:
    found = BeautifulSoup(render_report(replace(data, **changes)), "html.parser").select_one("#coverage")  # type: ignore[arg-type]
    assert found
    return found


def test_topics_and_clusters_are_told_with_what_was_read_and_asked(data: ReportData) -> None:
    found = section(data, coverage=(*TOPICS, *CLUSTERS))
    assert "asks about 1 of 2 topics and about 30 of 30 clusters." in found.get_text(" ", strip=True)
    topics, clusters = found.select("table.bars")
    cells = [[cell.get_text(strip=True) for cell in r.find_all(["th", "td"])] for r in topics.select("tbody tr")]
    assert cells == [["fleet", "2", "4 of 10", ""], ["fares", "0", "1 of 5", ""]]
    assert len(clusters.select("tbody tr")) == 20
    assert "and 10 more" in found.get_text()


def test_a_corpus_of_one_topic_and_one_cluster_is_told_as_such(data: ReportData) -> None:
    found = section(data, coverage=(row("topic", ""), row("cluster", "")))
    assert "too few or too alike" in found.get_text()
    assert not found.select("table")


def test_every_share_is_shown_with_why_it_was_missed(data: ReportData) -> None:
    fill = (level(Facet.TOPIC, "fleet", 15), level(Facet.BLOOM, "create", 0, "No such question was accepted."))
    found = section(data, coverage=TOPICS, blueprint=fill)
    assert "1 of 2 shares was missed" in found.get_text()
    rows = [
        [cell.get_text(strip=True) for cell in r.find_all(["th", "td"])] for r in found.select(".blueprint tbody tr")
    ]
    assert rows == [
        ["topic", "fleet", "25%", "15", "40", "15", ""],
        ["Bloom level", "create", "25%", "15", "40", "0", "No such question was accepted."],
    ]


def test_without_a_blueprint_there_is_no_table_of_shares(data: ReportData) -> None:
    assert not section(data, coverage=TOPICS).select(".blueprint")
    assert "Every share was met" in section(data, blueprint=(level(Facet.KIND, "multi-hop", 15),)).get_text()


def test_what_could_not_be_held_is_told(data: ReportData) -> None:
    assert "the longest option is the key" in section(data, exam_notes=("the longest option is the key",)).get_text()


def test_names_of_topics_and_clusters_are_text(data: ReportData) -> None:
    found = section(
        data,
        coverage=(row("topic", HOSTILE), row("topic", "b"), row("cluster", HOSTILE), row("cluster", "b")),
        blueprint=(level(Facet.TOPIC, HOSTILE, 1, HOSTILE),),
        exam_notes=(HOSTILE,),
    )
    assert not found.select("script, img")
    assert found.get_text().count("<script>alert(1)</script>") == 5
