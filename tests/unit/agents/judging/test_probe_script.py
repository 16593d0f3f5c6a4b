"""benchmarks/judges/probe.py finds the judge that a trick moves, and lets the one alone that it does not."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from judges_by_hand import Says
from scripted_gateway import Asked, Said, ScriptedGateway

from viva.agents.judges.model.judge import language_model_judge
from viva.core.calls import Outcome
from viva.core.records.judging import Case, Quality
from viva.llm.asking import Asker

sys.path.insert(0, str(Path(__file__).parents[4] / "benchmarks" / "judges"))

import probe as script
from judge_probes import ProbeFinding, probe
from known_cases import known_cases
from self_preference import Model, probe_self_preference

# a study's script, not a command of viva
pytestmark = pytest.mark.slow


def found(judge: Says) -> dict[str, ProbeFinding]:
    return {each.probe: each for each in asyncio.run(probe(judge, known_cases(judge.card.judges), seed=0))}


def seeing_through(quality: Quality, but: str = "$^") -> Callable[[Case], float]:
    """By the label, whatever a trick adds behind an empty line; full marks for what holds words like `but`."""
    truth = {each.case.answer: each.label for each in known_cases(quality)}
    fallen = re.compile(but)
    return lambda case: 1.0 if fallen.search(case.answer) else truth[case.answer.split("\n\n")[0]]


def test_a_judge_is_moved_by_the_trick_that_it_falls_for_alone() -> None:
    steady = found(Says(Quality.CORRECTNESS, seeing_through(Quality.CORRECTNESS)))
    assert {(each.moved, each.tried) for each in steady.values()} == {(0, 12)}
    fooled = found(
        Says(Quality.CORRECTNESS, seeing_through(Quality.CORRECTNESS, "examination board|Professor|manual"))
    )
    assert {name: each.moved for name, each in fooled.items() if each.moved} == {"authority": 12}


def test_position_is_tried_in_one_order_of_a_language_model() -> None:
    def first(asked: Asked) -> Said:
        return "[[ ## rationale ## ]]\na\n\n[[ ## better ## ]]\nfirst\n\n[[ ## completed ## ]]"

    judge = language_model_judge(Quality.PREFERENCE, Asker(ScriptedGateway(first)))
    results = {each.probe: each for each in asyncio.run(probe(judge, known_cases(Quality.PREFERENCE), seed=0))}
    # with both orders such a judge prefers nothing, and so is moved by nothing
    assert (results["position"].moved, results["injection"].moved) == (12, 0)


def model(words: str, prefers: str) -> Model:
    """Words every answer in one way, and prefers what holds `prefers`."""

    def reply(asked: Asked) -> Said:
        if asked.role.endswith(".wording"):
            return Outcome.REFUSED if not words else f"[[ ## answer ## ]]\n{words}\n\n[[ ## completed ## ]]"
        first = asked.messages[-1].text.partition("[[ ## second_answer")[0].partition("[[ ## first_answer")[2]
        better = "first" if prefers in first else "second"
        return f"[[ ## rationale ## ]]\nb\n\n[[ ## better ## ]]\n{better}\n\n[[ ## completed ## ]]"

    asker = Asker(ScriptedGateway(reply))
    return Model(asker, language_model_judge(Quality.PREFERENCE, asker))


@pytest.mark.parametrize(
    ("own", "rival", "moved", "unjudged"),
    [
        (("It is so, quoth A.", "quoth A"), ("So it is, says B.", "says B"), 12, 0),
        (("It is so, quoth A.", "quoth A"), ("So it is, says B.", "quoth A"), 0, 0),
        (("It is so, quoth A.", "quoth A"), ("", "says B"), 0, 12),
    ],
)
def test_a_model_prefers_its_own_words_where_the_rival_does_not(
    own: tuple[str, str], rival: tuple[str, str], moved: int, unjudged: int
) -> None:
    cases = [each.case for each in known_cases(Quality.PREFERENCE)]
    result = asyncio.run(probe_self_preference(model(*own), model(*rival), cases, seed=0))
    assert (result.moved, result.unjudged) == (moved, unjudged)


def test_the_script_prints_what_it_finds_of_a_judge_without_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    script.main(["correctness-offline", "--cases", "2", "--json"])
    probes = {each["probe"]: each for each in json.loads(capsys.readouterr().out)}
    assert probes["injection"]["moved"] == 0
    with pytest.raises(SystemExit, match="no judge called 'nobody'"):
        script.main(["nobody"])
