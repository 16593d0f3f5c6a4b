"""The report of articles as a browser shows it: tables scroll in their box, names of systems stay whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from browser import headless_chromium

from viva.api.articles import REPORT_FILE
from viva.core.records.articles import Verification
from viva.exams.articles.bank import read_bank
from viva.exams.articles.gradings import Grader
from viva.metrics.articles.scores import Graded, article_scores
from viva.reports.articles import render_articles

EXAMPLES = Path(__file__).parents[2] / "examples" / "articles"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bank, _ = read_bank(EXAMPLES / "bank.csv")
    grader = Grader(bank, "test")
    for query in bank.queries:
        for n, system in enumerate(("digest", "skimmer", "rambler")):
            grades = {question.id: int(place >= 2 * n) for place, question in enumerate(query.questions)}
            grader.add(query.id, f"{query.id} {system}", grades, [[system, 1]])
    found = grader.gathered()
    graded = Graded(bank, found.passages, found.grades, found.runs, 1, "openai:none", Verification.KEY)
    file = tmp_path_factory.mktemp("articles") / REPORT_FILE
    file.write_text(render_articles(article_scores(graded, (1, 5, 10, 20)), bank), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def browser(report: Path) -> Iterator[Any]:
    assert report.is_file(), "the report is written first: no other event loop may run beside playwright's"
    with headless_chromium() as launched:
        yield launched


def measured(browser: Any, report: Path, width: int, script: str) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(report.as_uri())
    found = page.evaluate(script)
    page.close()
    return found


BOXES = "[...document.querySelectorAll('.scroll')].map(box => [box.scrollWidth, box.clientWidth])"


def test_at_1200_pixels_no_column_is_out_of_sight(browser: Any, report: Path) -> None:
    boxes = measured(browser, report, 1200, BOXES)
    assert len(boxes) == 2
    assert all(whole <= seen for whole, seen in boxes)


@pytest.mark.parametrize("width", [400, 1200])
def test_names_stay_on_one_line_and_only_tables_are_wider_than_the_page(
    width: int, browser: Any, report: Path
) -> None:
    names = measured(
        browser, report, width, "[...document.querySelectorAll('table bdi')].map(b => b.getClientRects().length)"
    )
    assert names
    assert set(names) == {1}
    assert measured(browser, report, width, "document.documentElement.scrollWidth") <= width


def test_a_table_that_is_wider_than_its_box_shows_a_bar_and_shades(browser: Any, report: Path) -> None:
    boxes = measured(browser, report, 400, BOXES)
    assert any(whole > seen for whole, seen in boxes)
    look = "(s => [s.overflowX, s.scrollbarWidth, s.backgroundImage.split('gradient(').length - 1])"
    (overflow, bar, shades) = measured(
        browser, report, 400, f"{look}(getComputedStyle(document.querySelector('.scroll')))"
    )
    assert (overflow, bar, shades) == ("auto", "thin", 4)


@pytest.mark.parametrize("width", [400, 1200])
def test_no_link_to_a_section_is_cut_off(width: int, browser: Any, report: Path) -> None:
    links = measured(
        browser, report, width, "[...document.querySelectorAll('nav a')].map(a => a.getBoundingClientRect().right)"
    )
    assert links
    assert max(links) <= width


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1200])
def test_no_link_of_a_runs_report_is_cut_off_either(width: int, browser: Any, tmp_path: Path) -> None:
    from report_data import build

    from viva.reports.html import render_report

    file = tmp_path / REPORT_FILE
    file.write_text(render_report(build()), encoding="utf-8")
    links = measured(
        browser, file, width, "[...document.querySelectorAll('nav a')].map(a => a.getBoundingClientRect().right)"
    )
    assert len(links) > 10
    assert max(links) <= width
    assert (
        measured(browser, file, width, "getComputedStyle(document.querySelector('.scroll')).scrollbarWidth") == "thin"
    )
