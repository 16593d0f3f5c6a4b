"""What the pages say of a run: counts that agree with the scores, filters that find, labels in turn, an export."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from bs4 import BeautifulSoup

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from fit_counts import counted_fits
from view_run import made_run
from viewing import viewing

from viva.core.records.labels import Label
from viva.core.scores import SetAside
from viva.core.scores_pairs import Pairs, pair_sentence
from viva.metrics.score import score_exam
from viva.storage.runs import RunStore
from viva.viewer.loaded_run import LoadedRun
from viva.viewer.pages.items import items_page, units_page
from viva.viewer.pages.judges import draw, judges_page, label_page
from viva.viewer.pages.overview import run_page, runs_page
from viva.viewer.pages.systems import compare_page, system_page, systems_page
from viva.viewer.query import Query
from viva.viewer.serving import View, export_pages

LONG = "of a long name " * 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return made_run(tmp_path / "run", units=12, items=9, open_items=3)


def shown(address: str, **form: str) -> tuple[str, BeautifulSoup]:
    """The page, or the one that the form leads to, with its address."""
    origin = "/".join(address.split("/")[:3])
    sent = Request(address, urlencode(form).encode() if form else None, {"Origin": origin})
    with urlopen(sent) as answer:
        return answer.url, BeautifulSoup(answer.read(), "html.parser")


def answered(address: str, score: str) -> tuple[str, BeautifulSoup]:
    """The page after the form of this page was sent with this label."""
    _, page = shown(address)
    (form,) = page.select("form[method=post]")
    fields = {str(each["name"]): str(each["value"]) for each in form.select("input")}
    return shown("/".join(address.split("/")[:3]) + str(form["action"]), **fields, score=score)


def test_what_viva_set_beside_the_systems_and_references_lead_no_page(folder: Path) -> None:
    with RunStore.open(folder) as store:
        exam = store.latest_exam()
        assert exam is not None
        own, added = store.examinees()[:2]
        added = added.model_copy(update={"manufactured": "for the comparison"})
        store.add_examinee(added)
        told = store.responses_to(exam.items)
        wrong = [each.model_copy(update={"choice": 3}) if each.examinee_id == own.id else each for each in told]
        scores = score_exam(exam, [own, added], wrong, seed=0)
        assert scores.examinees[0].examinee.id == added.id
        store.add_result("scores", scores.model_dump(mode="json"))
    run = LoadedRun(folder)
    state = run.state()
    assert [row.id for row in run_page(run, state)["rows"]] == [own.id]
    assert [(row.place, row.id) for row in systems_page(state)["rows"]] == [("1", own.id), ("M1", added.id)]
    (line,) = runs_page([run])["lines"]
    assert line.best.startswith(own.name)


ARABIC = "كم لترا يسع الخزان؟"


def test_texts_of_others_run_in_their_own_direction(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", ARABIC, units=2, items=2, open_items=1)
    ids = {each.shown.item.id for each in LoadedRun(folder).state().standing}
    with viewing(folder) as address:
        pages = [f"/run/0/items/{id_}" for id_ in ids]
        pages += ["/run/0/items", "/run/0/units", "/run/0/systems/e0", "/run/0/compare?a=e0&b=e1", "/run/0/label"]
        for page in pages:
            _, soup = shown(f"{address}{page}")
            main = soup.select_one("main")
            assert main is not None
            for element in main.select("h1, h2, pre, blockquote, ol.options > li, th[scope=row]"):
                # what a system is called stands in a line of ours
                if ARABIC in element.get_text() and not element.get_text().startswith("system"):
                    assert element.get("dir") == "auto" or element.select("bdi"), (page, element)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        b"GET / HTTP/9\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /run/0/finish HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET //[ HTTP/1.1\r\nHost: [\r\n\r\n",
        b"GET /?a=%ff%00 HTTP/1.1\r\nHost: \xff\r\nCookie: =;;\r\n\r\n",
    ],
)
def test_a_malformed_request_prints_nothing_at_the_terminal(
    folder: Path, sent: bytes, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with viewing(folder) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=5) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
        assert urlopen(f"{address}/").status == 200
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []
    assert "Traceback" not in capfd.readouterr().err


def test_no_page_of_a_scored_run_fits_a_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fits = counted_fits(monkeypatch)
    with RunStore.open(folder) as store:
        exam = store.latest_exam()
        assert exam is not None
        store.add_result(
            "scores",
            score_exam(exam, store.examinees(), store.responses_to(exam.items), seed=0).model_dump(mode="json"),
        )
    assert fits
    fits.clear()
    run = LoadedRun(folder)
    state = run.state()
    assert run_page(run, state)
    assert systems_page(state)
    assert system_page(run, state, state.examinees[0].id, Query({}))
    assert items_page(state, Query({}))
    assert not fits


def test_what_the_scores_set_aside_is_marked_and_in_no_count(folder: Path) -> None:
    with RunStore.open(folder) as store:
        exam = store.latest_exam()
        assert exam is not None
        out = exam.items[-1].item.id
        scores = score_exam(exam.without({out}), store.examinees(), store.responses_to(exam.items), seed=0)
        aside = scores.model_copy(update={"exam_id": exam.id, "set_aside": (SetAside(item_id=out, reason="r"),)})
        store.add_result("scores", aside.model_dump(mode="json"))
    run = LoadedRun(folder)
    for row in scores.examinees:
        page = system_page(run, run.state(), row.examinee.id, Query({}))
        assert (page["counts"]["right"], page["counts"]["wrong"]) == (row.correct, row.graded - row.correct)
        assert [each.shown.item.id for each in page["slice"].rows if each.set_aside] == [out]
    page = compare_page(run, run.state(), Query({"a": "e0", "b": "e1"}))
    (pair,) = scores.comparisons
    assert [each.shown.item.id for each, _ in page["slice"].rows if each.set_aside] == [out]
    names = {each.id: each.name for each in run.state().examinees}
    told = Pairs([pair]).between("e0", "e1")
    assert told is not None
    assert page["pair"].verdict == pair_sentence(told, names["e0"], names["e1"])
    with viewing(folder) as address:
        assert len(shown(f"{address}/run/0/systems/e0")[1].find_all("span", string="set aside")) == 1


def test_a_filter_finds_what_bears_a_name_of_any_length(tmp_path: Path) -> None:
    state = LoadedRun(made_run(tmp_path / "run", LONG)).state()
    assert items_page(state, Query({"topic": f"t{LONG}"}))["slice"].total == 2
    for name, value in {"topic": f"t{LONG}", "path": f"0{LONG}.md", "critic": f"critic {LONG}"}.items():
        assert units_page(state, Query({name: value}))["slice"].total > 0


def test_only_labels_of_answers_that_can_be_labelled_are_counted(folder: Path) -> None:
    run = LoadedRun(folder)
    ids = [draw(run, run.state())[0].response.id, *(f"{n:032x}" for n in range(9))]
    run.context.store.add_labels(
        [Label(response_id=each, by="Ada", at="2026-01-01", score=1.0, seed=0) for each in ids]
    )
    assert judges_page(run, run.state(), Query({}), "Ada")["mine"] == 1
    assert label_page(run, run.state(), "", "Ada")["labelled"] == 1


def test_only_the_page_that_draws_an_answer_says_that_it_was_drawn(folder: Path) -> None:
    run = LoadedRun(folder)
    order = [each.response.id for each in draw(run, run.state())]
    with viewing(folder) as address:
        _, judges = shown(f"{address}/run/0/judges")
        picked = next(str(link["href"]) for link in judges.select("ol.answers a") if order[0] in str(link["href"]))
        answered(f"{address}{picked}", "n")
        answered(f"{address}/run/0/label", "y")
    assert [(each.response_id, each.seed) for each in run.context.store.labels() if each.by == "Ada"] == [
        (order[0], None),
        (order[0], 0),
    ]


def test_from_the_next_answer_a_key_leads_back_to_the_last_and_there_takes_its_label_back(folder: Path) -> None:
    with viewing(folder) as address:
        assert shown(f"{address}/run/0/label?last=e0")[1].select("[data-key=u]") == []
        _, page = answered(f"{address}/run/0/label", "y")
        (back,) = page.select("a[data-key=u]")
        last, page = shown(f"{address}{back['href']}")
        (undo,) = page.select("button[data-key=u]")
        answered(last, str(undo["value"]))
    labels = [each for each in LoadedRun(folder).context.store.labels() if each.by == "Ada"]
    assert [(each.score, each.seed) for each in labels] == [(1.0, 0), (None, 0)]
    assert {each.response_id for each in labels} == {last.rsplit("/", 1)[-1]}


def test_an_export_leaves_out_no_page_that_a_link_leads_to_and_keeps_no_link_that_leads_to_none(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    export_pages(View((folder,), "127.0.0.1", 0, True, "Ada", None), out)
    assert capsys.readouterr().err == ""
    for file in out.glob("*.html"):
        page = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
        links = {str(link["href"]) for link in page.select("[href]")}
        assert all((out / link.partition("#")[0]).is_file() for link in links - {"#main"}), file
