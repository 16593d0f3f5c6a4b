"""A file of conversations is sat turn by turn, scored by turn, shown and reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from bs4 import BeautifulSoup
from typer.testing import CliRunner
from viewing import viewing

from viva.cli.main import app
from viva.exams.file import read_exam

SYSTEMS = """
def knows(question, history):
    return "A" if "<b>tank</b>" in str(history) else "B"

def bare(question):
    return "B"
"""


def said(*arguments: object) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without documents, in which one system takes histories and one does not."""
    folder = tmp_path_factory.mktemp("talk")
    (folder / "own.py").write_text(SYSTEMS)
    history: list[dict[str, str]] = []
    rows = []
    for n, question in enumerate(["What is the <b>tank</b>?", "How large is it?", "And how red?", "And how old?"]):
        key, *wrong = [f"this {n}", f"that {n}", f"other {n}"]
        rows.append({"question": question, "options": [key, *wrong], "answer": key, "history": [*history]})
        history += [{"role": "user", "content": question}, {"role": "assistant", "content": key}]
    (folder / "talk.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    systems = [part for name in ("knows", "bare") for part in ("-e", f"{folder / 'own.py'}:{name}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VIVA_MANUFACTURED", "false")
        patch.chdir(folder)
        said("sit", folder / "talk.jsonl", *systems, "--out", folder / "run")
    return folder / "run"


def scores(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said("score", run, "--json"))["scores"]
    return found


def test_scores_are_by_turn_and_say_once_who_was_not_given_the_conversation(run: Path) -> None:
    found = scores(run)
    names = {row["examinee"]["id"]: row["examinee"]["name"] for row in found["examinees"]}
    turns = {
        (names[each["examinee_id"]].rpartition(":")[2], each["level"]): (each["items"], each["accuracy"]["value"])
        for each in found["groups"]
        if each["attribute"] == "turn of the conversation"
    }
    right, wrong = 1.0, 0.0
    assert turns == {
        ("knows", "1"): (1, wrong),
        ("knows", "2"): (1, right),
        ("knows", "3+"): (2, right),
        ("bare", "1"): (1, wrong),
        ("bare", "2"): (1, wrong),
        ("bare", "3+"): (2, wrong),
    }
    (note,) = [each for each in found["notes"] if each["code"] == "history_not_given"]
    assert [names[each].rpartition(":")[2] for each in note["examinees"]] == ["bare"]
    assert "3 of 4 questions follow on a conversation that" in note["sentence"]
    board = said("score", run)
    assert "Accuracy by turn of the conversation" in board
    assert board.count("bare was not given") == 1


def test_conversations_are_listed_and_are_in_the_report_as_text(run: Path) -> None:
    assert "User: What is the <b>tank</b>?" in said("items", run)
    said("score", run)
    said("report", run)
    page = (run / "report.html").read_text(encoding="utf-8")
    assert '<dt>User</dt><dd dir="auto">What is the &lt;b&gt;tank&lt;/b&gt;?</dd>' in page
    assert "<b>tank</b>" not in page.partition("<script")[0]
    assert "By turn of the conversation" in page


def test_the_viewer_shows_the_conversation_above_its_question(run: Path) -> None:
    item = read_exam(run / "exam.jsonl").items[2].item
    with viewing(run) as address, urlopen(f"{address}/run/0/items/{item.id}") as answer:
        page = BeautifulSoup(answer.read(), "html.parser")
    assert [each.text for each in page.select(".said dd[dir=auto]")] == [turn.text for turn in item.history]
