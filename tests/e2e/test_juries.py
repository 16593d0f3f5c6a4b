"""A jury of a language model and a judge without one, asked again, from the command line to the report."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from pydantic import JsonValue

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import viva
from fake_model import fake_reply, rendered
from fake_model.requests import read_request
from harbour import asked, begun
from model_server import ModelServer, serve

from viva.core.calls import Message

OPTIONS = ("--items", "12", "--items-per-chunk", "2", "--worked-examples", "1", "--open", "0.5")
JURY = ("--judge", "correctness", "--judge", "offline", "--judge-repeats", "3")


class Wavering:
    """The fake model, but for a judge of correctness: asked the same again, it says something else."""

    def __init__(self) -> None:
        self.judged = Counter[str]()
        self._lock = threading.Lock()

    def __call__(self, messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        request = read_request(messages, parameters)
        if {field.name for field in request.outputs} != {"rationale", "score"}:
            return fake_reply(messages, parameters)
        text = "\n".join(message.text for message in messages)
        with self._lock:
            self.judged[text] += 1
            times = self.judged[text]
        return rendered(request, {"rationale": f"Time {times}.", "score": 0.9 if times == 1 else 0.6})


@pytest.fixture(scope="module")
def brain() -> Wavering:
    return Wavering()


@pytest.fixture(scope="module")
def server(brain: Wavering) -> Iterator[ModelServer]:
    with serve(brain) as running:
        yield running


@pytest.fixture(scope="module")
def run(corpus: Path, finished: Path, server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = begun(tmp_path_factory.mktemp("jury") / "run", finished)
    model = ("--model", "openai:scripted", "--base-url", server.url)
    who = asked("bm25+lexical,k=3", "dense+embedding")
    done = viva("run", corpus, "--out", folder, *OPTIONS, *JURY, *model, *who, environment={"OPENAI_API_KEY": "sk-x"})
    assert done.code == 0, done.err
    (folder.parent / "said").write_text(done.out, "utf-8")
    (folder.parent / "told").write_text(done.err, "utf-8")
    return folder


def judge(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "scores.json").read_text("utf-8"))["judge"]
    return found


def test_the_scores_hold_the_jury_its_agreement_and_what_repeats_moved(run: Path, brain: Wavering) -> None:
    found = judge(run)
    assert found["card"]["name"] == "jury"
    assert [each["card"]["name"] for each in found["jury"]["judges"]] == ["correctness", "correctness-offline"]
    assert found["jury"]["answers"] == found["graded"] > 0
    repeats = found["repeats"]
    moved = {each["judge"]: (each["moved"], each["asks_a_model"]) for each in repeats["judges"]}
    assert moved == {"correctness": (repeats["answers"], True), "correctness-offline": (0, False)}
    # the first time is the judging itself
    assert set(brain.judged.values()) == {3}


def test_the_terminal_the_json_and_the_report_say_so_in_words(run: Path) -> None:
    page = BeautifulSoup((run / "report.html").read_text("utf-8"), "html.parser").find(id="open-answers")
    assert page is not None
    shown = viva("show", run).out
    answers = judge(run)["repeats"]["answers"]
    for text in ((run.parent / "said").read_text("utf-8"), shown, page.get_text()):
        one_line = " ".join(text.replace("\u200b", "").split())
        assert "A jury of correctness and correctness-offline graded" in one_line
        assert "Krippendorff's alpha" in one_line
        assert (
            f"Judge correctness, asked three times about {answers} answers, changed its score on {answers}"
            in one_line
        )
        assert "Judge correctness-offline asks no model, and can only repeat itself" in one_line
    assert viva("show", run, "--json").json()["scores"]["judge"] == judge(run)
    assert "judgements for each system" in (run.parent / "told").read_text("utf-8")


def test_scoring_again_pays_nothing_and_one_judge_alone_is_a_jury_no_more(run: Path, server: ModelServer) -> None:
    before, paid = judge(run), server.paid
    environment = {"OPENAI_API_KEY": "sk-x"}
    assert viva("score", run, environment=environment).code == 0
    assert judge(run) == before
    done = viva("score", run, "--judge", "offline", "--judge-repeats", "0", environment=environment)
    assert done.code == 0, done.err
    assert (judge(run)["jury"], judge(run)["repeats"], server.paid) == (None, None, paid)
    assert "Judge correctness-offline graded" in done.out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--judge-repeats", "1"), "--judge-repeats is 1: asking once is the grading itself. Use 0"),
        (("--judge", "offline", "--judge", "correctness-offline"), "Two judges of the jury have one name"),
        (("--judge", "No Such"), "--judge is"),
    ],
)
def test_what_is_no_jury_and_no_number_of_repeats_is_told_before_anything_is_read(
    corpus: Path, tmp_path: Path, given: tuple[str, ...], words: str
) -> None:
    done = viva("run", corpus, "--out", tmp_path / "run", "--open", "0.2", *given, *asked("bm25+lexical"))
    assert done.code == 2
    assert words in " ".join(done.err.split())
    assert not (tmp_path / "run" / "exam.jsonl").exists()
