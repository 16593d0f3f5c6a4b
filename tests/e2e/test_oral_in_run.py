"""One system alone in `viva run`: it is scored in company, and quizzed on what it knows, in so many questions."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, Running, viva
from harbour import FACTS, asked, begun
from standing import latest

pytestmark = pytest.mark.slow

QUESTIONS = 25
MODEL = ("--model", "fake:careful")
TAG = "<img src=x onerror=alert()>"
# knows the rules and the market, counts three too many, and tries to be more than text
SYSTEM = """
import pathlib, re, time
SAID = {texts!r}
SENTENCES = [s for text in SAID for s in re.split(r"(?<=[.])\\s+", " ".join(text.split()))]
def words(text):
    return set(re.findall(r"[a-z]{{4,}}|[0-9]+", text.lower()))
def answer(question):
    if "A)" in question:
        return "A"
    with pathlib.Path({log!r}).open("a") as log:
        log.write(question.replace("\\n", " ") + "\\n")
    time.sleep({pause})
    wanted = words(question)
    near = sorted(SENTENCES, key=lambda s: -len(wanted & words(s)))[:4]
    said = " ".join(s for s in near if wanted & words(s)) or "I do not know."
    more = re.sub(r"[0-9]+", lambda found: str(int(found[0]) + 3), said)
    return more.replace(".", " {tag}.")
"""


class Place:
    """A run folder, a system of one's own, and what it was asked in words."""

    def __init__(self, corpus: Path, folder: Path, pause: float = 0.0) -> None:
        self.corpus, self.run, self.log = corpus, folder / "run", folder / "asked"
        self.system = folder / "mine.py"
        texts = [FACTS[name] for name in ("rules/harbour.md", "market/market.md")]
        self.system.write_text(SYSTEM.format(texts=texts, log=str(self.log), pause=pause, tag=TAG), "utf-8")

    def line(self, *more: str) -> list[str | Path]:
        who = asked(f"mine={self.system}:answer")
        return ["run", self.corpus, "--out", self.run, *MODEL, "--items", "6", *who, *more]

    @property
    def questions(self) -> list[str]:
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []

    @property
    def section(self) -> Tag | None:
        page = BeautifulSoup((self.run / "report.html").read_text("utf-8"), "html.parser")
        found = page.find(id="oral")
        return found if isinstance(found, Tag) else None


def alone(*more: str) -> list[str]:
    """The options of a run that sets nobody beside it, and asks it nothing but this."""
    return ["--ablation-questions", "0", *more]


@pytest.fixture(scope="module")
def ended(corpus: Path, finished: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Done]:
    """A run with the company that viva sets beside one system. Do not change it."""
    place = Place(corpus, tmp_path_factory.mktemp("alone"))
    begun(place.run, finished)
    done = viva(*place.line("--manufactured", "--oral-questions", str(QUESTIONS)))
    assert done.code == 0, done.err
    return place, done


@pytest.fixture
def warm(ended: tuple[Place, Done], tmp_path: Path) -> Place:
    """A new run of the same, which knows the vectors already."""
    place = Place(ended[0].corpus, tmp_path)
    begun(place.run, ended[0].run)
    return place


def test_one_system_alone_has_an_ability_with_its_error_and_a_coverage_figure(ended: tuple[Place, Done]) -> None:
    place, _ = ended
    scores = json.loads((place.run / "scores.json").read_text("utf-8"))
    (row,) = [each for each in scores["examinees"] if not each["examinee"]["manufactured"]]
    assert row["ability"]["se"] > 0
    (oral,) = scores["oral"]
    assert oral["examinee"]["name"] == "mine"
    assert 0 < oral["examined"] <= oral["units"]
    assert oral["known"]["low"] <= oral["known"]["value"] <= oral["known"]["high"]
    assert oral["known_low"] <= oral["known_high"]
    # what half an examination has settled is no fair sample
    assert oral["examined"] < oral["units"]
    assert oral["ability"] is None
    assert place.section is not None
    assert "it takes five systems examined to the end" in place.section.text
    assert oral["questions"] == len(place.questions) <= QUESTIONS
    assert viva("show", place.run, "--json").json()["oral"] == scores["oral"]


def test_it_is_announced_and_told_in_the_summary(ended: tuple[Place, Done]) -> None:
    place, done = ended
    assert f"mine is examined orally after the exam, in at most {QUESTIONS} open questions" in done.err
    (line,) = [line for line in done.out.splitlines() if line.startswith("Oral examination of mine: Examined ")]
    assert "units" in line
    assert line in viva("show", place.run).out


def test_the_report_has_the_section_and_what_the_system_says_is_text_in_it(ended: tuple[Place, Done]) -> None:
    section = ended[0].section
    assert section is not None
    assert "What the system knows" in section.get_text()
    assert TAG in section.get_text()
    assert not section.find_all(["img", "script"])
    assert section.select(".plot[data-figure^=oral-map]")


def test_run_again_it_is_asked_nothing(ended: tuple[Place, Done], tmp_path: Path) -> None:
    place, _ = ended
    copied = tmp_path / "run"
    shutil.copytree(place.run, copied)
    before, scores = len(place.questions), latest(copied, "scores")
    line = [
        copied if part == place.run else part
        for part in place.line("--manufactured", "--oral-questions", str(QUESTIONS))
    ]
    assert viva(*line).code == 0
    assert len(place.questions) == before
    assert latest(copied, "scores")["oral"] == scores["oral"]


def test_struck_in_the_middle_it_goes_on_where_it_was(ended: tuple[Place, Done], warm: Place) -> None:
    slow = Place(warm.corpus, warm.run.parent, pause=0.05)
    line = slow.line(*alone("--oral-questions", str(QUESTIONS)))
    for number, code in ((signal.SIGKILL, -9), (signal.SIGINT, 130)):
        before = len(slow.questions)
        running = Running(*line)
        running.wait_for(lambda before=before: len(slow.questions) >= before + 5)
        running.send(number)
        assert running.done().code == code
    done = viva(*line)
    assert done.code == 0, done.err
    (oral,) = latest(slow.run, "scores")["oral"]
    (undisturbed,) = latest(ended[0].run, "scores")["oral"]
    told = ("units", "examined", "known", "known_low", "known_high", "questions", "reason")
    assert {name: oral[name] for name in told} == {name: undisturbed[name] for name in told}
    assert set(slow.questions) == set(ended[0].questions)
    assert len(slow.questions) <= len(ended[0].questions) + 2


def test_without_questions_there_is_no_oral_examination(warm: Place) -> None:
    done = viva(*warm.line(*alone("--oral-questions", "0")))
    assert done.code == 0, done.err
    assert warm.questions == []
    assert warm.section is None
    assert "orally" not in done.said.casefold()
    assert "oral examination of" not in done.said.casefold()


def test_questions_without_a_model_to_ask_them_are_refused(warm: Place) -> None:
    line = [part for part in warm.line(*alone("--oral-questions", "6")) if part not in MODEL]
    refused = viva(*line)
    assert refused.code == 2
    assert "no oral examination without a language model" in " ".join(refused.err.split())
    assert not (warm.run / "run.sqlite").exists()


def test_reference_systems_are_not_examined_orally(finished: Path) -> None:
    assert latest(finished, "scores")["oral"] == []
    assert 'id="oral"' not in (finished / "report.html").read_text("utf-8")


def test_a_budget_that_ends_it_ends_nothing_else_and_more_of_it_goes_on(warm: Place) -> None:
    assert viva(*warm.line(*alone("--oral-questions", "0"))).code == 0
    spent = sum(use["requests"] for use in viva("ledger", warm.run, "--json").json()["model_use"])
    oral = warm.line(*alone("--oral-questions", "6"))
    # enough to find the units and for a question or two
    stopped = viva(*oral, "--max-calls", str(spent + 17))
    assert stopped.code == 3, stopped.said
    assert "For it language models are asked once for each chunk" in stopped.err
    assert "the oral examination has not come to its end" in stopped.err
    assert 0 < len(warm.questions) < 6
    section = warm.section
    assert section is not None
    assert "The budget is reached" in section.get_text()
    assert viva(*oral, "--max-calls", str(spent + 200)).code == 0
    assert len(warm.questions) <= 6 + 1
    assert latest(warm.run, "scores")["oral"][0]["reason"] == "the budget of questions is spent"
    section = warm.section
    assert section is not None
    assert "The budget is reached" not in section.get_text()
