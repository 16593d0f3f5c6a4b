"""How far a search for a better judge goes, and about how many calls each optimizer makes for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """How far a search goes. What is counted in cases never goes beyond those there are."""

    demos: tuple[int, ...] = (2, 4, 8, 16)
    """k of the sweep of LabeledFewShot"""
    solved: int = 4
    """demonstrations that the judge solved itself, at most"""
    labelled: int = 8
    """demonstrations with people's label alone, at most, beside them"""
    sets: int = 6
    """sets of demonstrations drawn by BootstrapFewShotWithRandomSearch"""
    instructions: int = 5
    """instructions proposed at a time by COPRO and MIPROv2"""
    depth: int = 2
    """rounds of COPRO"""
    trials: int = 10
    """combinations tried by MIPROv2"""
    minibatch: int = 35
    """cases by which MIPROv2 and SIMBA tell candidates apart before all are asked"""
    rounds: int = 4
    """full evaluations that GEPA may spend, and steps of SIMBA"""
    cases: int = 100
    """of the training part, and of the validation part, that a search looks at"""


EFFORTS: Mapping[str, Effort] = {
    "light": Effort(),
    "medium": Effort(demos=(1, 2, 4, 8, 16, 24), sets=12, instructions=10, depth=3, trials=20, rounds=8, cases=200),
    "heavy": Effort(demos=(1, 2, 4, 8, 16, 32), sets=18, instructions=18, depth=4, trials=40, rounds=16, cases=400),
}


def gepa_calls(effort: Effort, train: int, validation: int) -> int:
    """Cases that GEPA may judge."""
    return effort.rounds * validation + 6 * effort.rounds + min(train, effort.rounds)


def no_calls(effort: Effort, train: int, validation: int) -> int:  # noqa: ARG001
    """Everything was asked already."""
    return 0


def bootstrap_calls(effort: Effort, train: int, validation: int) -> int:  # noqa: ARG001
    """Each training case once, at most."""
    return train


def random_search_calls(effort: Effort, train: int, validation: int) -> int:
    """Every set on validation, and some training cases to fill it."""
    return (effort.sets + 3) * (validation + min(train, 4 * effort.solved))


def copro_calls(effort: Effort, train: int, validation: int) -> int:  # noqa: ARG001
    """Every wording on the training part."""
    return effort.depth * effort.instructions * (train + 1)


def mipro_calls(effort: Effort, train: int, validation: int) -> int:
    """Demonstrations, proposals, then trials on validation."""
    proposing = effort.instructions * (min(train, 4 * effort.solved) + 1) + 12
    if validation <= 2 * effort.minibatch:
        return proposing + (effort.trials + 1) * validation
    return proposing + effort.trials * effort.minibatch + (effort.trials // 5 + 2) * validation


def reflecting_calls(effort: Effort, train: int, validation: int) -> int:
    """With the calls that reflect."""
    return gepa_calls(effort, train, validation) + 4 * effort.rounds


def simba_calls(effort: Effort, train: int, validation: int) -> int:  # noqa: ARG001
    """Trajectories and candidates on a minibatch in each round, then the winners on the training part."""
    a_round = (2 * effort.instructions + 1) * (min(train, effort.minibatch) + 1)
    return effort.rounds * a_round + (effort.instructions + 1) * train
