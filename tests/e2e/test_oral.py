"""`viva oral --model` on a run without a model: to the end, killed and continued, refused in words."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Running, viva
from harbour import FACTS, OWN, asked
from standing import count, latest

MODEL = ("--model", "fake:careful")
# knows the rules, the market and the crew, and nothing else of the harbour
SYSTEM = """
import pathlib, re, time
SAID = {texts!r}
SENTENCES = [s for text in SAID for s in re.split(r"(?<=[.])\\s+", " ".join(text.split()))]
def words(text):
    return set(re.findall(r"[a-z]{{4,}}|[0-9]+", text.lower()))
def answer(question):
    with pathlib.Path({log!r}).open("a") as log:
        log.write(question.replace("\\n", " ") + "\\n")
    time.sleep({pause})
    wanted = words(question)
    near = sorted(SENTENCES, key=lambda s: -len(wanted & words(s)))[:4]
    return " ".join(s for s in near if wanted & words(s)) or "I do not know."
"""


class RunContext:
    """A run folder that was read, and a system to be examined."""

    def __init__(self, ingested: Path, folder: Path, pause: float = 0.0) -> None:
        self.run, self.log, self.system = folder / "run", folder / "asked", folder / "mine.py"
        shutil.copytree(ingested, self.run)
        texts = [FACTS[name] for name in ("rules/harbour.md", "market/market.md", "rescue/crew.txt")]
        self.system.write_text(SYSTEM.format(texts=texts, log=str(self.log), pause=pause), encoding="utf-8")

    @property
    def line(self) -> list[str | Path]:
        return ["oral", self.run, *MODEL, *asked(f"mine={self.system}:answer")]

    @property
    def questions(self) -> list[str]:
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []

    def turns(self) -> list[dict[str, Any]]:
        connection = sqlite3.connect(self.run / "run.sqlite", timeout=5)
        try:
            query = (
                "SELECT body FROM results WHERE kind LIKE 'oral %' AND body LIKE '%\"unit_ids\"%' ORDER BY position"
            )
            bodies = [json.loads(row[0]) for row in connection.execute(query)]
        finally:
            connection.close()
        latest_of = {each["number"]: {**each, "latency_s": 0} for each in bodies if "question" in each}
        return [latest_of[number] for number in sorted(latest_of)]


class Ended:
    """A system that was examined undisturbed to the end, and a copy of the run from before that knows the vectors."""

    def __init__(self, corpus: Path, folder: Path) -> None:
        ingested = folder / "ingested"
        assert viva("ingest", corpus, "--out", ingested).code == 0
        self.context = RunContext(ingested, folder)
        self.json = viva(*self.context.line, "--json").json()
        for file in self.context.run.glob("embeddings.sqlite*"):
            shutil.copy(file, ingested)
        self.ingested = ingested
        (self.examination,) = self.json["examinations"]


@pytest.fixture(scope="module")
def ended(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Do not change its folders."""
    return Ended(corpus, tmp_path_factory.mktemp("ended"))


@pytest.fixture
def context(ended: Ended, tmp_path: Path) -> RunContext:
    return RunContext(ended.ingested, tmp_path)


def test_a_system_is_examined_to_the_end(ended: Ended) -> None:
    found, plan = ended.examination, ended.json["plan"]
    statuses = {each["unit_id"]: each["status"] for each in found["outcomes"]}
    units = {each["id"]: each for each in plan["units"]}
    assert found["open"] == 0
    assert found["questions"] == found["asked_now"] == len(ended.context.questions)
    known = {units[i]["topic"] for i, status in statuses.items() if status == "covered, correct"}
    assert known <= {"rules", "market", "rescue"}
    assert found["correct"] >= 0.7 * sum(each["topic"] in known for each in units.values())
    assert found["given_up"] > found["correct"] / 2
    assert set(plan["map"]) == set(units)
    assert len(set(ended.context.questions)) == len(ended.context.questions)
    assert sum(row["units"] for row in found["by_type"]) == found["units"]
    # who sits next without a word is not this examinee
    assert latest(ended.context.run, "options")["examinees"] == []


def test_examined_again_it_is_asked_nothing(ended: Ended) -> None:
    questions = len(ended.context.questions)
    again = viva(*ended.context.line)
    assert again.code == 0, again.err
    said = " ".join(again.out.split())
    assert f"Examined 100% of {ended.examination['units']} units" in said
    assert f"{questions} of them were asked before" in said
    assert len(ended.context.questions) == questions
    assert "Question types: " in said


@pytest.mark.slow
def test_struck_it_goes_on_to_the_same_verdicts_and_asks_nobody_twice(ended: Ended, tmp_path: Path) -> None:
    struck = RunContext(ended.ingested, tmp_path, pause=0.02)
    for rows, number, code in ((5, signal.SIGKILL, -9), (20, signal.SIGINT, 130)):
        running = Running(*struck.line)
        running.wait_for(lambda rows=rows: len(struck.turns()) >= rows)
        running.send(number)
        assert running.done().code == code
    found = viva(*struck.line, "--json").json()["examinations"][0]
    assert found["outcomes"] == ended.examination["outcomes"]
    assert [turn["question"] for turn in struck.turns()] == [turn["question"] for turn in ended.context.turns()]
    # what was in flight when it was struck may be asked again: once each time
    assert len(struck.questions) <= len(ended.context.questions) + 2


def test_it_ends_at_the_number_of_questions_and_goes_on_when_more_are_allowed(context: RunContext) -> None:
    first = viva(*context.line, "--questions", "3")
    assert first.code == 0, first.err
    assert len(context.questions) == 3
    assert "the budget of questions is spent" in first.out
    assert "They were not drawn at random" in " ".join(first.out.split())
    assert viva(*context.line, "--questions", "5").code == 0
    assert len(context.questions) == 5
    assert len(set(context.questions)) == 5


def test_a_system_that_fails_on_and_on_is_withdrawn_and_nothing_is_said_of_it(context: RunContext) -> None:
    done = viva("oral", context.run, *MODEL, *asked(f"bad={OWN}:raises"))
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert "nothing can be said of what is known" in said
    assert "5 failures in a row (raised)" in said
    assert "Failed: 5 raised" in said


def test_what_cannot_be_done_is_refused_before_anybody_is_asked(context: RunContext, tmp_path: Path) -> None:
    unnamed = viva("oral", context.run)
    assert unnamed.code == 2
    assert "No system is named" in unnamed.err
    nowhere = viva("oral", tmp_path / "nothing", *asked(f"{OWN}:slow"))
    assert nowhere.code == 2
    assert "holds no run" in nowhere.err
    missing = viva("oral", context.run, *MODEL, *asked("nothing.py:answer"))
    assert missing.code == 2
    without_model = viva("oral", context.run, *asked(f"{OWN}:slow"))
    assert without_model.code == 2
    assert "no oral examination without a language model" in " ".join(without_model.err.split())
    assert count(context.run, "examinees") == 0
    assert viva(*context.line, "--tries", "0").code == 2
