"""Only this machine, or who has the token, is answered; only a page of the server may act."""

from __future__ import annotations

import pytest

from viva.viewer.guard import Guard

HERE = Guard("127.0.0.1", 8321)
OWN = {"Host": "127.0.0.1:8321"}


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8321", "localhost:8321", "[::1]:8321"], ids=["address", "name", "version 6"]
)
def test_a_page_is_shown_to_who_asks_under_a_name_of_this_machine(host: str) -> None:
    assert HERE.refuses("GET", {"Host": host}, "") == ""


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "evil.example:8321", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.evil.example:8321", "[::1:8321",
     "127.0.0.1:8321@evil.example", "0.0.0.0:8321", "localhost.:8321"],
)  # fmt: skip
def test_a_name_that_somebody_pointed_at_this_machine_is_refused(host: str) -> None:
    assert "address" in HERE.refuses("GET", {"Host": host}, "")


def test_a_form_of_a_page_of_this_server_is_taken() -> None:
    assert HERE.refuses("POST", {**OWN, "Origin": "http://127.0.0.1:8321"}, "") == ""


@pytest.mark.parametrize(
    "origin",
    [None, "", "null", "http://evil.example", "https://127.0.0.1:8321", "http://127.0.0.1:9999", "http://localhost:8321",
     "file://127.0.0.1:8321"],
)  # fmt: skip
def test_a_form_from_elsewhere_does_nothing(origin: str | None) -> None:
    headers = OWN if origin is None else {**OWN, "Origin": origin}
    assert "nothing was recorded" in HERE.refuses("POST", headers, "")


def test_read_only_takes_no_form_at_all() -> None:
    guard = Guard("127.0.0.1", 8321, read_only=True)
    assert "--read-only" in guard.refuses("POST", {**OWN, "Origin": "http://127.0.0.1:8321"}, "")
    assert guard.refuses("GET", OWN, "") == ""


@pytest.mark.parametrize("token", ["", "x", "ü"])
def test_beyond_this_machine_the_token_is_needed(token: str) -> None:
    guard = Guard("192.0.2.7", 8321)
    headers = {"Host": "viva.example:8321"}
    assert "token" in guard.refuses("GET", headers, token)
    assert guard.refuses("GET", headers, guard.token) == ""
    assert len(guard.token) >= 32
