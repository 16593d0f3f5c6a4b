"""The report in a real browser, under its own policy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from browser import headless_chromium

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@dataclass
class Visit:
    """An open page and what went wrong on it."""

    page: Any
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with headless_chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def visit(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    from report_data import build

    from viva.reports.html import render_report

    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(render_report(build(taint=HOSTILE)), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    opened = Visit(page)

    def dismissed(dialog: Any) -> None:
        opened.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("console", lambda m: opened.complaints.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    page.on("dialog", dismissed)
    page.on("request", lambda r: None if r.url.startswith("file:") else opened.complaints.append(f"asked {r.url}"))
    page.goto(file.as_uri())
    page.wait_for_selector("#plot-curve .main-svg")
    yield opened
    page.close()


def test_the_policy_lets_every_plot_be_drawn_and_nothing_complains(visit: Visit) -> None:
    plots = visit.page.locator(".plot")
    assert plots.count() >= 10
    assert visit.page.locator(".plot:has(.main-svg)").count() == plots.count()
    assert visit.complaints == []


def test_a_hostile_name_is_shown_as_text_in_a_plot(visit: Visit) -> None:
    labels = visit.page.locator("#plot-accuracy .ytick text").all_text_contents()
    assert labels
    assert all("<script>" in label for label in labels if label.startswith(("bm25+lexical<", "dense+lexical<")))
    assert any("<script>" in label for label in labels)
    assert visit.page.locator(".plot script, .plot img, .plot a").count() == 0


def test_a_script_that_the_policy_does_not_name_does_not_run(visit: Visit) -> None:
    ran = visit.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        " document.body.appendChild(s); s.remove(); return window.ran === 1; }"
    )
    assert not ran
    visit.complaints.clear()


def test_the_filter_narrows_the_questions(visit: Visit) -> None:
    page, rows = visit.page, visit.page.locator("details.item:visible")
    everything = rows.count()
    page.fill("#item-filter", "call sign")
    assert 0 < rows.count() < everything
    assert all("call sign" in text for text in rows.locator(".stem").all_text_contents())
    assert page.locator("#item-count").text_content() == f"{rows.count()} of {everything} questions"
    page.fill("#item-filter", "")
    page.check("#item-flagged")
    assert 0 < rows.count() < everything
    page.uncheck("#item-flagged")
    assert rows.count() == everything


def test_a_row_opens_and_shows_its_evidence(visit: Visit) -> None:
    row = visit.page.locator("details.item").first
    assert not row.locator("mark").is_visible()
    row.locator("summary").click()
    assert row.locator("mark").is_visible()
    row.locator("summary").click()


def test_a_column_sorts_both_ways(visit: Visit) -> None:
    page = visit.page

    def accuracies() -> list[float]:
        return [
            float(text.split("%")[0]) for text in page.locator("#leaderboard tbody td strong").all_text_contents()
        ]

    before = accuracies()
    button = page.locator("#leaderboard thead button", has_text="Accuracy")
    button.click()
    assert accuracies() == sorted(before)
    button.click()
    assert accuracies() == sorted(before, reverse=True)


def test_a_chosen_question_draws_its_own_curve(visit: Visit) -> None:
    page = visit.page
    drawn = "() => document.getElementById('plot-curve').data[1].y.join()"
    before = page.evaluate(drawn)
    other = page.evaluate("() => [...document.getElementById('curve-item').options].find(o => !o.selected).value")
    page.select_option("#curve-item", other)
    assert page.evaluate(drawn) != before


def test_a_suspected_question_is_one_link_away(visit: Visit) -> None:
    page = visit.page
    link = page.locator("#measurement .suspects a").first
    target = page.locator(str(link.get_attribute("href")))
    assert not target.locator(".options").is_visible()
    link.click()
    target.locator(".options").wait_for(state="visible")
    target.locator("summary").click()
    page.fill("#item-filter", "words of no question")
    page.check("#item-flagged")
    assert target.is_hidden()
    link.click()
    target.locator(".options").wait_for(state="visible")
    assert page.input_value("#item-filter") == ""
    assert not page.is_checked("#item-flagged")
    target.locator("summary").click()


def test_an_answer_on_the_map_tells_whose_and_which_it_is(visit: Visit) -> None:
    page = visit.page
    area = page.locator("#plot-map .nsewdrag").first
    area.scroll_into_view_if_needed()
    area.hover()
    page.wait_for_selector("#plot-map .hovertext")
    told = page.locator("#plot-map .hovertext").all_text_contents()
    assert any("question" in text and "right with probability" in text for text in told)


def test_a_narrow_page_does_not_scroll_sideways(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 400, "height": 800})
    visit.page.wait_for_function("() => document.documentElement.scrollWidth <= 400", timeout=5000)
    visit.page.set_viewport_size({"width": 1280, "height": 900})


def test_nothing_complained_to_the_end(visit: Visit) -> None:
    assert visit.complaints == []
