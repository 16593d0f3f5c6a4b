"""`viva exam-articles` with a language model, killed while it reads: nothing is paid twice, scores are the same."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import JsonValue

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Running, viva
from fake_model import rendered
from fake_model.requests import read_request
from model_server import ModelServer, serve

from viva.core.calls import Message

KEY = {"OPENAI_API_KEY": "sk-of-a-test"}
CONCURRENCY = 4
GATES, PARTS = ("Alma", "Brenn", "Corvo"), ("gate", "pier", "mole", "light", "slip", "crane")


def reads(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
    """A reader: the sentence that says how long the thing asked about is, or nothing."""
    request = read_request(messages)
    thing = request.inputs["question"].removeprefix("How long is the ").removesuffix("?")
    said = next((line for line in request.inputs["text"].splitlines() if f"The {thing} is " in line), "none")
    length = said.rsplit(" is ", 1)[-1].removesuffix(" long.")
    return rendered(request, {"quote": said, "answer": length})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(reads, latency=0.03) as running:
        yield running


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """18 questions about three harbours; one system writes of everything, another of half, in two paragraphs each."""
    asked, articles = list[dict[str, str]](), list[dict[str, object]]()
    for n, harbour in enumerate(GATES):
        facts = [f"The {harbour} {part} is {10 * n + m + 20} m long." for m, part in enumerate(PARTS)]
        asked += [
            {"query_id": harbour, "question": f"How long is the {harbour} {part}?", "key": f"{10 * n + m + 20} m"}
            for m, part in enumerate(PARTS)
        ]
        for system, known in (("all", facts), ("half", facts[::2])):
            paragraphs = ["\n".join(known[:2]), "\n".join([f"{system} wrote of {harbour}.", *known[2:]])]
            articles.append({"system": system, "query_id": harbour, "paragraphs": paragraphs})
    for name, rows in (("bank.jsonl", asked), ("articles.jsonl", articles)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def command(work: Path, out: str, server: ModelServer) -> list[str | Path]:
    model = ["--model", "openai:scripted", "--base-url", server.url]
    given: list[str | Path] = ["exam-articles", work / "bank.jsonl", "--articles", work / "articles.jsonl", "--json"]
    return [*given, *model, "--concurrency", str(CONCURRENCY), "--out", work / out]


def rows(folder: Path) -> int:
    file = folder / "ledger.sqlite"
    if not file.is_file():
        return 0
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        return int(connection.execute("select count(*) from requests").fetchone()[0])


@pytest.mark.slow
def test_a_reading_that_is_killed_goes_on_pays_nothing_twice_and_gives_the_same_scores(
    work: Path, server: ModelServer
) -> None:
    undisturbed = viva(*command(work, "whole", server), environment=KEY)
    assert undisturbed.code == 0, undisturbed.err
    whole = server.paid
    assert [row["exam"]["value"] for row in undisturbed.json()["systems"]] == [1.0, 0.5]
    # within the first batch of readings, of which no reading is kept yet, but every paid call
    running = Running(*command(work, "killed", server), environment=KEY)
    assert running.wait_for(lambda: server.paid - whole >= whole // 2)
    running.send(signal.SIGKILL)
    assert running.done().code == -signal.SIGKILL
    server.settled()
    assert not (work / "killed" / "scores.json").exists()
    lost = server.paid - whole - rows(work / "killed")
    assert 0 <= lost <= CONCURRENCY
    done = viva(*command(work, "killed", server), environment=KEY)
    assert done.code == 0, done.err
    assert server.paid - whole == whole + lost
    assert done.json() == undisturbed.json()
