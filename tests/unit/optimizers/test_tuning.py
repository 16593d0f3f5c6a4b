"""Each optimizer on a model that judges well with the right instructions or examples, and worse with others."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import ModelServer, serve
from tunable_judge import RIGHT, WRONG, TunableJudge, cases
from tuning_hall import SMALL, room

from viva.core.errors import BudgetReached
from viva.core.records.judging import Quality
from viva.optimizers.dspy_optimizers import OPTIMIZERS, Optimizer
from viva.optimizers.splits import split
from viva.optimizers.tuning import Tuned, tune
from viva.storage.ledger import open_recorded

SPLIT = split(cases(44))
EARLY = 20
"""Requests after which a search is under way: the base has been asked about the validation part by then."""
ALWAYS = {"LabeledFewShot", "GEPA"}
"""One that chooses examples and one that rewrites instructions; the others are slow."""
EACH = [
    pytest.param(each, id=each.name, marks=() if each.name in ALWAYS else pytest.mark.long) for each in OPTIMIZERS
]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")


def tuned(chosen: Optimizer, folder: Path, server: ModelServer, **settings: object) -> Tuned:
    with room(folder, server, **settings) as made:
        return tune(Quality.CORRECTNESS, SPLIT, chosen, SMALL, made, seed=0)


def rows(folder: Path) -> int:
    with open_recorded(folder) as ledger:
        return ledger.spent().requests


@pytest.mark.parametrize("chosen", EACH)
def test_an_optimizer_finds_the_better_judge_and_pays_once_though_it_was_stopped(
    chosen: Optimizer, tmp_path: Path
) -> None:
    with serve(TunableJudge()) as server:
        with pytest.raises(BudgetReached):
            tuned(chosen, tmp_path, server, max_calls=EARLY)
        assert server.paid == EARLY
        found = tuned(chosen, tmp_path, server)
        paid = server.paid
        again = tuned(chosen, tmp_path, server)
        assert server.paid == paid == rows(tmp_path)
    assert again == found
    assert found.decision.adopted, (found.decision.why, found.candidates)
    assert found.compiled is not None
    assert RIGHT in found.compiled.instructions or len(found.compiled.demos) >= 2
    assert found.tuned is not None
    assert found.tuned.figure("spearman").estimate > found.base.figure("spearman").estimate + 0.2


@pytest.mark.parametrize("chosen", EACH)
def test_what_makes_the_judge_worse_is_refused_whatever_the_optimizer(chosen: Optimizer, tmp_path: Path) -> None:
    with serve(TunableJudge(hints=(WRONG,), examples_help=False)) as server:
        found = tuned(chosen, tmp_path, server)
    assert not found.decision.adopted
    assert found.tuned is None
    assert [each.how for each in found.candidates if each.chosen] == ["the prompt as it ships"]
