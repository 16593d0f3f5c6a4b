"""`viva sit --sample` in a real run: sat, scored apart from the leaderboard, and sat to the end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import viva
from harbour import OWN, asked
from standing import count, latest

pytestmark = pytest.mark.slow

NEW = f"new={OWN}:system"


def test_a_new_system_takes_a_sample_and_the_rest_later(copied: Path) -> None:
    viva("sit", copied, *asked("oracle+lexical", "hybrid+embedding"))
    assert viva("score", copied).code == 0
    before, options = latest(copied, "scores"), latest(copied, "options")

    done = viva("sit", copied, "--sample", "8", *asked(NEW), "--json").json()
    (sat,) = done["sittings"]
    assert (sat["asked"], sat["by_model"]) == (8, True)
    assert 0 <= sat["accuracy"]["low"] <= sat["accuracy"]["value"] <= sat["accuracy"]["high"] <= 1
    # who sits next without a word is the panel as before
    assert latest(copied, "options") == options

    answered = count(copied, "responses")
    again = viva("sit", copied, "--sample", "8", *asked(NEW))
    assert again.code == 0, again.err
    assert count(copied, "responses") == answered
    assert f"Asked: 8 of {sat['items']} questions, drawn at random." in again.out
    assert "Estimated accuracy on all" in again.out
    assert "not on the leaderboard. Next" in again.out

    scored = viva("score", copied)
    assert "new was asked 8 of" in " ".join(scored.out.split())
    after = latest(copied, "scores")
    assert after["examinees"] == before["examinees"]
    assert [each["examinee"]["name"] for each in after["sampled"]] == ["new"]
    report = viva("report", copied)
    assert report.code == 0, report.err
    assert "new was asked 8 of" in (copied / "report.html").read_text("utf-8")

    viva("sit", copied, *asked(NEW))
    items = viva("show", copied, "--json").json()["exam"]["items"]
    assert count(copied, "responses") == answered + items - 8
    assert viva("score", copied).code == 0
    assert "new" in {row["examinee"]["name"] for row in latest(copied, "scores")["examinees"]}


def test_a_sample_whose_answers_mean_no_option_is_noted_with_examples(copied: Path) -> None:
    vague = copied.parent / "vague.py"
    vague.write_text("def answer(question):\n    return 'It depends on the weather.'\n", encoding="utf-8")
    shown = viva("sit", copied, "--sample", "8", *asked(f"vague={vague}:answer"))
    assert "It depends on the weather." in shown.out
    done = viva("sit", copied, "--sample", "8", *asked(f"vague={vague}:answer"), "--json").json()
    assert [(note["count"], note["of"]) for note in done["unread_choices"]] == [(8, 8)]


def test_a_system_that_fails_on_every_question_is_not_measured(copied: Path) -> None:
    broken = copied.parent / "broken.py"
    broken.write_text("def answer(question):\n    raise ValueError('no index')\n", encoding="utf-8")
    done = viva("sit", copied, "--sample", "8", *asked(f"broken={broken}:answer"))
    assert done.code == 0, done.err
    assert "Accuracy was not measured, because no answer was graded." in done.out
    assert "Not graded: 8 (raised 5, withdrawn 3)" in done.out


def test_what_is_gone_is_refused_with_what_to_use_and_a_sample_needs_a_system(copied: Path) -> None:
    for words in (["--adaptive", *asked(NEW)], ["--budget", "5"], ["--se-target=0.2"]):
        done = viva("sit", copied, *words)
        assert (done.code, done.out) == (2, "")
        assert "viva sit RUN -e SPEC --sample N" in done.err
    unnamed = viva("sit", copied, "--sample", "8")
    assert unnamed.code == 2
    assert "no system is named" in unnamed.err
