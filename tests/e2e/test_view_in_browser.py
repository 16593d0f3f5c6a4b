"""The viewer in a real browser: from a rejected unit to the model's words, review and labels by keyboard."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from browser import headless_chromium
from command import Running, viva
from harbour import begun
from model_server import serve
from replay import OPTIONS
from viewing import viewing

from viva.exams.review import REVIEWS_FILE, ReviewLog
from viva.storage.runs import RunStore

PAGES = ("", "/units", "/items", "/systems", "/map", "/oral", "/judges", "/label")


@pytest.fixture(scope="module")
def written(corpus: Path, finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose exam a scripted model wrote, some of it to be answered in words, and two systems sat."""
    run = begun(tmp_path_factory.mktemp("view") / "run", finished)
    who = ("--examinee", "bm25+lexical", "--examinee", "closed-book+lexical")
    done = viva(
        "run", corpus, "--out", run, *OPTIONS, "--open", "0.3", "--model", "fake:any", "--judge", "offline", *who
    )
    assert done.code == 0, done.err
    return run


@pytest.fixture(scope="module")
def browser(written: Path) -> Iterator[Any]:
    assert written.is_dir(), "the run is written first: no other event loop may run beside playwright's"
    with headless_chromium() as launched:
        yield launched


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert [said for said in complaints if "status of" not in said] == []


@pytest.fixture
def own(written: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    shutil.copytree(written, tmp_path / "run")
    return tmp_path / "run"


def test_from_the_first_page_a_rejected_units_prompt_is_four_clicks_away(page: Any, written: Path) -> None:
    with viewing(written) as address:
        page.goto(address)
        page.click("tbody th a")
        page.click("ul.bars a")
        page.click("ul.cards li > a")
        assert page.locator(".note").first.inner_text()
        page.locator("ul.calls a").last.click()
        page.wait_for_url("**/calls/*")
        assert page.locator("h2:text('Asked')").count() == 1
        assert len(page.locator("[aria-labelledby=asked] pre").first.inner_text()) > 100


def test_five_questions_are_reviewed_and_one_undone_by_keyboard_alone(page: Any, own: Path) -> None:
    with viewing(own) as address:
        page.goto(f"{address}/run/0/items")
        page.click("a:text('Review them')")
        page.wait_for_url("**/items/*")
        for key in "aarar":
            with page.expect_navigation():
                page.keyboard.press(key)
        decided = [each.decision for each in ReviewLog(own / REVIEWS_FILE).read()]
        assert decided == ["accept", "accept", "reject", "accept", "reject"]
        assert {each.by for each in ReviewLog(own / REVIEWS_FILE).read()} == {"Ada"}
        # the second is pressed before the page is there that the first leads to
        with page.expect_navigation():
            page.evaluate(
                "for (const key of 'kr')"
                " document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))"
            )
        with page.expect_navigation():
            page.keyboard.press("u")
        page.wait_for_selector("text=undecided")
        page.keyboard.press("e")
        page.keyboard.type(" Now?")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=edited")
        assert page.locator("h1").inner_text().endswith("Now?")
    assert [each.decision for each in ReviewLog(own / REVIEWS_FILE).read()] == [*decided, "undo", "edit"]


def test_what_was_reviewed_becomes_the_runs_exam(page: Any, own: Path) -> None:
    with viewing(own) as address:
        page.goto(f"{address}/run/0/items")
        asked = int(page.locator("main p").first.inner_text().split()[0])
        page.click("tbody th a")
        with page.expect_navigation():
            page.click("button:text('Reject')")
        page.goto(f"{address}/run/0/items")
        page.check("input[type=checkbox]")
        page.click("button:text('Make the reviewed exam')")
        page.wait_for_selector(f"text={asked - 1} questions")
    with RunStore.open(own) as store:
        exam = store.latest_exam()
    assert exam is not None
    assert len(exam.items) == asked - 1


def test_the_second_of_two_people_on_one_question_is_told_and_overwrites_nothing(browser: Any, own: Path) -> None:
    with viewing(own, by="Ada") as first, viewing(own, by="Bo") as second:
        ada, bo = browser.new_page(), browser.new_page()
        for person, address in ((ada, first), (bo, second)):
            person.goto(f"{address}/run/0/items")
            person.click("tbody th a")
            person.wait_for_url("**/items/*")
        with ada.expect_navigation():
            ada.click("button:text('Accept')")
        bo.click("button:text('Reject')")
        bo.wait_for_selector("[role=alert]")
        told = bo.locator("[role=alert]").inner_text()
        ada.close()
        bo.close()
    assert "Ada decided “accept”" in told
    assert [(each.by, each.decision) for each in ReviewLog(own / REVIEWS_FILE).read()] == [("Ada", "accept")]


def test_five_answers_are_labelled_by_keyboard_and_one_label_is_taken_back(page: Any, own: Path) -> None:
    with viewing(own) as address:
        page.goto(f"{address}/run/0/label")
        for key in "ynpsy":
            with page.expect_navigation():
                page.keyboard.press(key)
        for _ in "uu":
            with page.expect_navigation():
                page.keyboard.press("u")
        page.wait_for_selector("text=Your label: skipped or taken back")
    with RunStore.open(own) as store:
        labels = store.labels()
    assert [label.score for label in labels][:5] == [1.0, 0.0, 0.5, None, 1.0]
    assert (labels[-1].response_id, labels[-1].score) == (labels[4].response_id, None)


@pytest.mark.slow
def test_a_run_at_work_is_followed_without_loading_the_page_again(
    page: Any, corpus: Path, finished: Path, tmp_path: Path
) -> None:
    run = begun(tmp_path / "run", finished)
    with serve(latency=0.3) as server:
        line = ["run", corpus, "--out", run, *OPTIONS, "--model", "openai:scripted", "--base-url", server.url]
        working = Running(*line, environment={"OPENAI_API_KEY": "sk-planted"})
        try:
            assert working.wait_for(lambda: server.paid > 8)
            with viewing(run) as address:
                page.goto(f"{address}/run/0")
                place = page.locator("[data-name=calls]")
                before = int(place.inner_text())
                assert page.locator("[data-name=at_work]").inner_text() == "at work"
                assert working.wait_for(lambda: int(place.inner_text()) > before)
        finally:
            working.send(signal.SIGTERM)
            working.done()


def test_two_systems_stand_side_by_side_where_one_is_right_and_the_other_is_not(page: Any, written: Path) -> None:
    with viewing(written) as address:
        page.goto(f"{address}/run/0/systems")
        page.click("button:text('Compare')")
        page.wait_for_url("**/compare?*")
        verdicts = page.locator(".answers .columns").all_inner_texts()
        assert verdicts
        assert all("right" in each and ("wrong" in each or "no grade" in each) for each in verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(browser: Any, written: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="the package axe-playwright-python is not installed")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    with viewing(written) as address:
        context = browser.new_context(color_scheme=scheme, bypass_csp=True)
        opened = context.new_page()
        addresses = ["/", "/nowhere", *(f"/run/0{each}" for each in PAGES)]
        for list_, link in (("units", "ul.cards li > a"), ("items", "tbody th a"), ("systems", "tbody th a")):
            opened.goto(f"{address}/run/0/{list_}")
            addresses.append(str(opened.locator(link).first.get_attribute("href")))
        opened.goto(f"{address}{addresses[-3]}")
        addresses.append(str(opened.locator("ul.calls a").first.get_attribute("href")))
        for each in addresses:
            opened.goto(f"{address}{each}")
            opened.evaluate(script)
            result = opened.evaluate("axe.run()")
            if result["violations"]:
                found[each] = [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in result["violations"]]
        context.close()
    assert found == {}


def test_at_320_pixels_nothing_but_tables_scrolls_sideways(browser: Any, written: Path) -> None:
    with viewing(written) as address:
        opened = browser.new_page(viewport={"width": 320, "height": 700})
        wide = {}
        for each in PAGES:
            opened.goto(f"{address}/run/0{each}")
            width = opened.evaluate("document.documentElement.scrollWidth")
            if width > 320:
                wide[each] = width
        opened.close()
    assert wide == {}


@pytest.mark.slow
def test_an_export_holds_every_page_and_its_links_lead_to_files(page: Any, written: Path, tmp_path: Path) -> None:
    done = viva("view", written, "--export", tmp_path / "out")
    assert done.code == 0, done.err
    page.goto((tmp_path / "out" / "index.html").as_uri())
    page.click("tbody th a")
    page.click("nav a:text('Questions')")
    page.click("tbody th a")
    page.wait_for_selector(".options")
    assert page.locator("mark").count() or page.locator("text=do not say").count()
    assert page.locator("button").count() == 0
    again = viva("view", written, "--export", tmp_path / "out")
    assert (again.code, "not an empty folder" in again.err) == (2, True)
