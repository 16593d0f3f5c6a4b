"""Nothing that documents, models, examinees or addresses say runs, leaves the run's folder or acts in the viewer."""

from __future__ import annotations

import http.client
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from view_run import made_run
from viewing import viewing

from viva.exams.review import REVIEWS_FILE

TEXTS = {
    "script": "<script>window.hit=1</script>",
    "closing what it stands in": "</pre></p></main><script>window.hit=1</script>",
    "image": "<img src=x onerror=window.hit=1>",
    "vector image": "<svg onload=window.hit=1>",
    "out of an attribute": '" onmouseover="window.hit=1" x="',
    "out of an attribute, with apostrophes": "' autofocus onfocus='window.hit=1' x='",
    "frame": "<iframe src=javascript:window.hit=1></iframe>",
    "address that runs": '<a href="javascript:window.hit=1">x</a>',
    "data address": '<object data="data:text/html,<script>window.hit=1</script>"></object>',
    "form to elsewhere": '<form action="http://evil.example"><button>ok</button></form>',
    "redirect": '<meta http-equiv=refresh content="0;url=http://evil.example">',
    "base": '<base href="http://evil.example/">',
    "style": "<style>body{background:url(http://evil.example)}</style>",
    "link": "<link rel=stylesheet href=http://evil.example>",
    "comment": "<!-- --><script>window.hit=1</script>",
    "encoded": "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "template": "{{ 7 * 191 }}{% include 'base.html.j2' %}",
    "template of another kind": "${7*191}#{7*191}<%= 7*191 %>",
    "math": '<math><mi xlink:href="javascript:window.hit=1">x</mi></math>',
    "details": "<details open ontoggle=window.hit=1>",
    "right to left": "\u202e<script>window.hit=1</script>\u202c",
    "long": "<b>" + "x" * 5000,
}
ADDRESSES = [
    "/static/../server.py",
    "/static/%2e%2e/server.py",
    "/static/..%2fserver.py",
    "/static//etc/passwd",
    "/../run.sqlite",
    "/run/0/../../run.sqlite",
    "/run/0/items/..%2f..%2frun.sqlite",
    "/run/0/calls/..%2fledger.sqlite",
    "/run/-1",
    "/run/99",
    "/run/%D9%A3",
    "/run/0x0",
    "/run/0/units/%00",
    "/run/0/items/<script>",
    "/run/0/systems/'%20OR%201=1--",
    "/run/0/oral/..",
    "/run/0/label/%2e%2e%2f",
    "/run/0/units?page=-1",
    "/run/0/units?page=9e9",
    "/run/0/units?fate=x",
    "/run/0/items?sort=__class__",
    "/run/0/compare?a=&b=",
    "/run/0/compare?a=e0&b=%27",
    "/run/0/nothing",
]
PAGES = ("", "/units", "/items", "/systems", "/map", "/oral", "/judges", "/label", "/compare?a=e0&b=e1")
DETAILS = re.compile(r'href="(/run/0/(?:units|items|systems|oral|label)/[0-9a-z]+)"')


class Asking:
    """Requests to a server at work, byte for byte as they are given."""

    def __init__(self, address: str) -> None:
        self.host = address.removeprefix("http://")

    def get(self, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
        return self.send("GET", path, None, headers)

    def send(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, str, dict[str, str]]:
        connection = http.client.HTTPConnection(self.host, timeout=30)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(None if body is None else body.encode())
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, dict(answer.getheaders())


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_run(tmp_path_factory.mktemp("plain") / "run")


@pytest.fixture
def asking(plain: Path) -> Iterator[Asking]:
    with viewing(plain) as address:
        yield Asking(address)


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS.keys())
def test_what_is_said_anywhere_is_shown_as_text_and_makes_no_element(said: str, tmp_path: Path) -> None:
    run = made_run(tmp_path / "run", said)
    with viewing(run) as address:
        asking = Asking(address)
        pages = {path: asking.get(f"/run/0{path}") for path in PAGES}
        linked = sorted({link for _, text, _ in pages.values() for link in DETAILS.findall(text)})
        pages |= {link: asking.get(link) for link in linked}
        pages["/"] = asking.get("/")
    assert len(linked) >= 6
    for path, (status, text, headers) in pages.items():
        assert status == 200, path
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        page = BeautifulSoup(text, "html.parser")
        assert [script.get("src") for script in page.find_all("script")] == ["/static/viewer.js"], path
        strange = page.find_all(["img", "iframe", "object", "embed", "base", "style", "math", "b"])
        assert strange == [], path
        assert [link.get("href") for link in page.find_all("link")] == ["/static/viewer.css"], path
        for element in page.find_all(True):
            assert not any(name.startswith("on") or name == "autofocus" for name in element.attrs), path
            for name in ("href", "src", "action"):
                assert str(element.get(name, "/")).startswith(("/", "#", "?")), path
        assert "1337" not in text
    texts = [BeautifulSoup(text, "html.parser").get_text() for _, text, _ in pages.values()]
    assert sum(said[:200] in text for text in texts) >= 6


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_names_nothing_gets_a_page_with_a_way_on_and_no_file(address: str, asking: Asking) -> None:
    status, text, headers = asking.get(address)
    assert status in {400, 404}
    assert "SQLite format" not in text
    assert "Traceback" not in text
    assert "def " not in text
    assert 'href="/"' in text or status == 400
    assert headers["X-Content-Type-Options"] == "nosniff"


FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": "null"}, {"Origin": "http://evil.example"}, {"Origin": "http://127.0.0.1:1"}],
    ids=["none", "null", "another", "another port"],
)
def test_no_form_is_taken_from_elsewhere(headers: dict[str, str], asking: Asking, plain: Path) -> None:
    item = re.findall(r'href="(/run/0/items/[0-9a-f]+)"', asking.get("/run/0/items")[1])[0]
    for path in (f"{item}/review", "/run/0/finish", "/run/0/labels/x"):
        status, text, _ = asking.send("POST", path, "decision=reject&seen=0", {**FORM, **headers})
        assert (status, "nothing was recorded" in text) == (403, True)
    assert not (plain / REVIEWS_FILE).exists()


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("decision=explode&seen=0", "The decision is"),
        ("decision=edit&seen=0&field=id&before=a&after=b", "cannot be reworded"),
        ("decision=edit&seen=0&field=stem&before=a&after=b", "no longer the one that was edited"),
        ("decision=accept&seen=7", "nothing was recorded"),
        ("decision=accept", "nothing was recorded"),
        ("decision=undo&seen=0", "no decision about this question"),
        ("decision=accept&seen=0&note=%00", "control characters"),
        ("decision=accept&seen=0&note=" + "x" * 70_000, "larger than"),
    ],
)
def test_a_form_that_asks_for_what_cannot_be_gets_a_sentence(form: str, told: str, tmp_path: Path) -> None:
    run = made_run(tmp_path / "run")
    with viewing(run) as address:
        asking = Asking(address)
        item = re.findall(r'href="(/run/0/items/[0-9a-f]+)"', asking.get("/run/0/items")[1])[0]
        status, text, _ = asking.send("POST", f"{item}/review", form, {**FORM, "Origin": address})
    assert 400 <= status < 500
    assert told in BeautifulSoup(text, "html.parser").get_text()
    assert not (run / REVIEWS_FILE).exists()


@pytest.mark.parametrize(
    ("method", "path", "body", "headers"),
    [
        ("GET", "/run/" + "9" * 5000, None, {}),
        ("GET", "/run/0", None, {"Cookie": "viva_view=\xff\xfe"}),
        ("POST", "/run/0/finish", "x", {"Content-Type": "text/plain"}),
        ("POST", "/run/0/finish", "x=1", {"Content-Type": f"{FORM['Content-Type']}; charset=bogus"}),
        ("POST", "/run/0/finish", "x=1", {"Content-Type": f"{FORM['Content-Type']}; charset=hex"}),
        ("POST", "/run/0/finish", "x=1", {**FORM, "Origin": "http://["}),
        ("PUT", "/run/0/finish", "x=1", FORM),
    ],
    ids=["long number", "cookie", "no form", "unknown charset", "no charset", "broken origin", "other method"],
)
def test_no_request_makes_the_server_fail(
    method: str, path: str, body: str | None, headers: dict[str, str], asking: Asking
) -> None:
    if body is not None:
        headers = {"Origin": f"http://{asking.host}", **headers}
    status, text, answered = asking.send(method, path, body, headers)
    assert status < 500
    assert "Traceback" not in text
    assert "Content-Security-Policy" in answered


def test_a_form_leads_to_no_other_server(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run")
    with viewing(run) as address:
        asking = Asking(address)
        item = re.findall(r'href="(/run/0/items/[0-9a-f]+)"', asking.get("/run/0/items")[1])[0]
        form = "decision=accept&seen=0&then=..%2F..%2F%2Fevil.example"
        _, _, headers = asking.send("POST", f"{item}/review", form, {**FORM, "Origin": address})
    assert "Location" not in headers
    assert not (run / REVIEWS_FILE).exists()


def test_another_host_is_refused_and_a_token_is_asked_for_beyond_this_machine(plain: Path, asking: Asking) -> None:
    assert asking.get("/", Host="evil.example")[0] == 403
    with viewing(plain, host="0.0.0.0") as address:
        port, token = re.findall(r":(\d+)/\?token=(\S+)", address)[0]
        beyond = Asking(f"http://127.0.0.1:{port}")
        assert beyond.get("/")[0] == 403
        status, _, headers = beyond.get(f"/?token={token}")
        assert (status, headers["Location"]) == (303, "/")
        assert "HttpOnly" in headers["Set-Cookie"]
        assert "SameSite=Strict" in headers["Set-Cookie"]
        assert beyond.get("/run/0", Cookie=headers["Set-Cookie"].split(";")[0])[0] == 200


def test_no_key_of_the_environment_is_on_any_page(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    with viewing(plain) as address:
        assert not any("sk-planted" in Asking(address).get(f"/run/0{path}")[1] for path in PAGES)


def test_a_run_that_is_none_is_told_and_the_others_are_shown(plain: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "run.sqlite").write_bytes(b"no database")
    with viewing(plain, broken) as address:
        asking = Asking(address)
        status, text, _ = asking.get("/")
        assert status == 200
        assert "broken" in text
        status, text, _ = asking.get("/run/1")
    assert status == 400
    assert "Traceback" not in text
