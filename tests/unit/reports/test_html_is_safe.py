"""What others wrote stays text, and the page asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from report_data import HOSTILE

from viva.reports.embed import json_for_script, own_source, plot_text, shortened


def _scripts(soup: BeautifulSoup) -> list[str]:
    return [str(tag.get("type") or "script") for tag in soup.find_all("script")]


def test_the_only_scripts_of_a_hostile_report_are_its_own(hostile: BeautifulSoup) -> None:
    assert _scripts(hostile) == ["application/json", "script", "script"]
    assert not hostile.find_all(["img", "iframe", "object", "embed", "form", "link", "base"])


def test_a_hostile_text_is_shown_as_it_is(hostile: BeautifulSoup) -> None:
    for place in (
        "h1",
        "#leaderboard bdi",
        "details.item .stem",
        ".options bdi",
        "mark",
        ".source bdi",
        "#notes li",
        "#cost bdi",
    ):
        found = hostile.select(place)
        assert any("<script>alert(1)</script>" in tag.get_text() for tag in found), place
        assert not any(tag.find("script") for tag in found), place


def test_a_template_expression_in_a_document_is_not_evaluated(hostile: BeautifulSoup) -> None:
    assert "{{7*7}}" in hostile.select("mark")[0].get_text()


def test_no_element_carries_an_event_handler(hostile: BeautifulSoup) -> None:
    assert not [tag for tag in hostile.find_all(True) if any(name.startswith("on") for name in tag.attrs)]


def test_labels_of_a_hostile_report_reach_plots_without_a_tag(hostile: BeautifulSoup) -> None:
    store = json.loads(hostile.find(id="report-data").string)
    allowed = re.compile(r"</?b>|<br>")
    texts: list[str] = []

    def collect(value: object) -> None:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            [collect(part) for part in value.values()]
        elif isinstance(value, list):
            [collect(part) for part in value]

    collect(store)
    assert any("&lt;script" in text for text in texts)
    assert not [text for text in texts if "<" in allowed.sub("", text).replace("<extra></extra>", "")]


def test_nothing_is_loaded_from_anywhere(page: str, soup: BeautifulSoup) -> None:
    links = [tag.get(name, "") for tag in soup.find_all(True) for name in ("src", "href", "srcset", "action")]
    assert {link for link in links if link and not link.startswith("#")} == set()
    assert "@import" not in soup.find("style").string
    assert "url(" not in soup.find("style").string


def test_the_policy_names_the_hash_of_each_script_and_of_nothing_else(soup: BeautifulSoup) -> None:
    policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    scripts = [tag.string for tag in soup.find_all("script", attrs={"type": None})]
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert rules["script-src"].split() == [f"'sha256-{one}'" for one in hashes]
    assert rules["default-src"] == "'none'"
    assert "unsafe-eval" not in policy


def test_the_policy_comes_before_anything_it_governs(page: str) -> None:
    assert page.index("Content-Security-Policy") < min(page.index("<style"), page.index("<script"))


@given(st.text())
def test_any_text_survives_the_way_through_a_script_element(text: str) -> None:
    packed = str(json_for_script({"text": text}))
    assert json.loads(packed) == {"text": text}
    assert not set("<>&\u2028\u2029") & set(packed)


@given(st.text(), st.integers(2, 60))
def test_a_plot_label_has_no_tag_and_is_no_longer_than_asked(text: str, limit: int) -> None:
    assert not set("<>") & set(plot_text(text, limit))
    assert len(shortened(text, limit)) <= limit


def test_a_number_that_is_none_is_not_written_into_a_script() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_for_script({"x": float("nan")})


def test_a_script_that_would_end_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="end it"):
        own_source("var x = '</script>';")


def test_the_hostile_text_is_one_that_would_run() -> None:
    assert BeautifulSoup(f"<p>{HOSTILE}</p>", "html.parser").find("script") is not None
