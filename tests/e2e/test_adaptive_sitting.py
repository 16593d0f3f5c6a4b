"""`viva sit --adaptive` in a real run: refused, sat, scored beside the others, and sat to the end."""

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


def test_a_new_system_sits_a_part_adaptively_and_the_rest_later(copied: Path) -> None:
    few = viva("sit", copied, "--adaptive", *asked(NEW))
    assert (few.code, few.out) == (2, "")
    assert "4 other examinees with an ability sat this exam" in few.err

    viva("sit", copied, *asked("oracle+lexical", "hybrid+embedding"))
    assert viva("score", copied).code == 0
    before, options = latest(copied, "scores"), latest(copied, "options")

    done = viva("sit", copied, "--adaptive", *asked(NEW), "--budget", "8", "--json").json()
    (sat,) = done["sittings"]
    assert (sat["asked"], sat["asked_now"], len(sat["path"]), len(sat["calibrated_by"])) == (8, 8, 8, 6)
    # six examinees are too few to choose by
    assert {step["phase"] for step in sat["path"]} == {"random"}
    assert 0 <= sat["accuracy"]["low"] <= sat["accuracy"]["value"] <= sat["accuracy"]["high"] <= 1
    # who sits next without a word is the panel as before
    assert latest(copied, "options") == options

    again = viva("sit", copied, "--adaptive", *asked(NEW), "--budget", "8")
    assert again.code == 0, again.err
    assert "8 were answered before" in again.out
    assert "not on the leaderboard. Next" in again.out
    assert "8 of them drawn at random" in again.out
    assert "No question was chosen for its information" in again.out

    scored = viva("score", copied)
    assert "new sat adaptively and is not on the leaderboard" in " ".join(scored.out.split())
    after = latest(copied, "scores")
    assert after["examinees"] == before["examinees"]
    assert [each["examinee"]["name"] for each in after["adaptive"]] == ["new"]
    report = viva("report", copied)
    assert report.code == 0, report.err
    assert "new sat adaptively" in (copied / "report.html").read_text("utf-8")

    answered = count(copied, "responses")
    viva("sit", copied, *asked(NEW))
    items = viva("show", copied, "--json").json()["exam"]["items"]
    assert count(copied, "responses") == answered + items - 8
    assert viva("score", copied).code == 0
    assert "new" in {row["examinee"]["name"] for row in latest(copied, "scores")["examinees"]}


def test_a_system_that_fails_on_every_question_is_given_no_ability(copied: Path) -> None:
    viva("sit", copied, *asked("oracle+lexical", "hybrid+embedding"))
    assert viva("score", copied).code == 0
    broken = copied.parent / "broken.py"
    broken.write_text("def answer(question):\n    raise ValueError('no index')\n", encoding="utf-8")
    asks = ("sit", copied, "--adaptive", *asked(f"broken={broken}:answer"), "--budget", "8")
    done = viva(*asks)
    assert done.code == 0, done.err
    assert "Ability and accuracy were not measured, because all 5 responses are failures." in done.out
    assert "Failed: 5 (raised 5)" in done.out
    assert "±" not in done.out
    assert "Ability:" not in done.out
    (sat,) = viva(*asks, "--json").json()["sittings"]
    assert (sat["ability"], sat["accuracy"], sat["failures"]) == (None, None, {"raised": 5})
    assert {(step["ability"], step["se"]) for step in sat["path"]} == {(None, None)}


def test_what_belongs_to_an_adaptive_sitting_is_refused_without_it(copied: Path) -> None:
    for line in (["--budget", "5"], ["--se-target", "0.2"]):
        done = viva("sit", copied, *line)
        assert done.code == 2
        assert f"{line[0]} has no effect without --adaptive" in done.err
    unnamed = viva("sit", copied, "--adaptive")
    assert unnamed.code == 2
    assert "no system is named" in unnamed.err
