"""DSPy's optimizers by name, each as a search that leaves candidates: instructions and demonstrations for a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import dspy

from viva.agents.judges.model.compiled import Compiled
from viva.core.errors import UsageError, how_to_install
from viva.core.records.judging import Quality
from viva.optimizers.efforts import (
    Effort,
    bootstrap_calls,
    copro_calls,
    gepa_calls,
    mipro_calls,
    no_calls,
    random_search_calls,
    reflecting_calls,
    simba_calls,
)
from viva.optimizers.judge_program import Material

if TYPE_CHECKING:
    from viva.optimizers.judge_program import SearchLM

KEPT = 3
"""Candidates of a search that the corpus figure is asked about, in the order of the optimizer's own scores."""
GOOD = 0.75
"""Objective from which on a solved case may serve as a demonstration: off by half of what a constant judge is."""


@dataclass(frozen=True)
class TunedProgram:
    """A candidate, and how it came about."""

    how: str
    compiled: Compiled


@dataclass(frozen=True)
class Search:
    """All that an optimizer is given. `judge` plays the judge, `writer` words instructions."""

    material: Material
    effort: Effort
    judge: SearchLM
    writer: SearchLM
    threads: int

    @property
    def trainset(self) -> list[dspy.Example]:
        """The examples that are learned from."""
        return self.material.trainset[: self.effort.cases]

    @property
    def valset(self) -> list[dspy.Example]:
        """The examples that candidates are scored by."""
        return self.material.valset[: self.effort.cases]

    @property
    def labelled(self) -> int:
        """How many demonstrations may show people's label alone: none where people label what the judge derives."""
        shows = self.material.form.quality is not Quality.FAITHFULNESS
        return min(self.effort.labelled, len(self.trainset)) if shows else 0

    def found(self, how: str, program: dspy.Module) -> TunedProgram:
        """The candidate that the program has become."""
        return TunedProgram(how, self.material.compiled(program))


@dataclass(frozen=True)
class Optimizer:
    """One of DSPy's: `run` leaves candidates, best first; `calls` is about how many calls that takes at most."""

    name: str
    told: str
    run: Callable[[Search], Iterator[TunedProgram]]
    calls: Callable[[Effort, int, int], int]


def optimizer(name: str) -> Optimizer:
    """The optimizer of that name, in any case. UsageError naming all there are, or what must be installed."""
    found = next((each for each in OPTIMIZERS if each.name.casefold() == name.strip().casefold()), None)
    if found is None:
        raise UsageError(
            f"--optimizer is {name!r}.", allowed="; ".join(f"{each.name}: {each.told}" for each in OPTIMIZERS)
        )
    if "MIPRO" in found.name:
        _check_optuna(found.name)
    return found


def _check_optuna(name: str) -> None:
    from importlib.util import find_spec

    if find_spec("optuna") is None:
        raise UsageError(
            f"{name} searches with Optuna, which is not installed.",
            next_step=f"{how_to_install('tune')}; or take another --optimizer.",
        )


# --- demonstrations ---------------------------------------------------------------------------------------


def _labeled_few_shot(search: Search, program: dspy.Module | None = None, after: str = "") -> Iterator[TunedProgram]:
    if not search.labelled:
        raise UsageError(
            "LabeledFewShot shows people's labels, and people did not write the claims that a judge of faithfulness "
            "lists.",
            next_step="Take --optimizer BootstrapFewShot, which shows cases that the judge solved as people did.",
        )
    for k in sorted({min(k, len(search.trainset)) for k in search.effort.demos}):
        made = dspy.LabeledFewShot(k=k).compile(program or search.material.program, trainset=search.trainset)
        yield search.found(f"{after}{k} labelled demonstrations", made)


def _bootstrap_few_shot(search: Search) -> Iterator[TunedProgram]:
    made = dspy.BootstrapFewShot(
        metric=search.material.metric,
        metric_threshold=GOOD,
        max_bootstrapped_demos=search.effort.solved,
        max_labeled_demos=search.labelled,
    ).compile(search.material.program, trainset=search.trainset)
    yield search.found(_demos_of(made), made)


def _random_search(search: Search) -> Iterator[TunedProgram]:
    made = dspy.BootstrapFewShotWithRandomSearch(
        metric=search.material.metric,
        metric_threshold=GOOD,
        max_bootstrapped_demos=search.effort.solved,
        max_labeled_demos=search.labelled,
        num_candidate_programs=search.effort.sets,
        num_threads=search.threads,
    ).compile(search.material.program, trainset=search.trainset, valset=search.valset)
    for each in made.candidate_programs[:KEPT]:
        yield search.found(_demos_of(each["program"]), each["program"])


# --- instructions -----------------------------------------------------------------------------------------


def _copro(search: Search) -> Iterator[TunedProgram]:
    made = dspy.COPRO(
        prompt_model=search.writer,
        metric=search.material.metric,
        breadth=max(2, search.effort.instructions),
        depth=search.effort.depth,
        init_temperature=1.0,
    ).compile(
        search.material.program,
        trainset=search.trainset,
        eval_kwargs={"num_threads": search.threads, "display_progress": False, "display_table": 0},
    )
    for each in made.candidate_programs[:KEPT]:
        yield search.found(f"instructions of round {each['depth'] + 1}", each["program"])


def _gepa(search: Search) -> Iterator[TunedProgram]:
    made = dspy.GEPA(
        metric=search.material.feedback,
        max_metric_calls=gepa_calls(search.effort, len(search.trainset), len(search.valset)),
        reflection_lm=search.writer,
        num_threads=search.threads,
        track_stats=True,
        warn_on_score_mismatch=False,
        seed=search.material.seed,
    ).compile(search.material.program, trainset=search.trainset, valset=search.valset)
    results = made.detailed_results
    order = sorted(range(len(results.candidates)), key=lambda place: (-results.val_aggregate_scores[place], place))
    for place in order[:KEPT]:
        yield search.found(f"instructions {place} of {len(order) - 1}, by reflection", results.candidates[place])


# --- both -------------------------------------------------------------------------------------------------


def _mipro(search: Search) -> Iterator[TunedProgram]:
    for each in _mipro_programs(search)[:KEPT]:
        yield search.found(f"instructions and {_demos_of(each)}", each)


def _mipro_then_labeled(search: Search) -> Iterator[TunedProgram]:
    first = _mipro_programs(search)[0]
    yield search.found(f"instructions and {_demos_of(first)}", first)
    if search.labelled:
        yield from _labeled_few_shot(search, first, "instructions and ")


def _mipro_programs(search: Search) -> list[dspy.Module]:
    effort, seed = search.effort, search.material.seed + 1
    made = dspy.MIPROv2(
        metric=search.material.metric,
        metric_threshold=GOOD,
        prompt_model=search.writer,
        task_model=search.judge,
        max_bootstrapped_demos=effort.solved,
        max_labeled_demos=search.labelled,
        auto=None,
        num_candidates=effort.instructions,
        num_threads=search.threads,
        seed=seed,
    ).compile(
        search.material.program,
        trainset=search.trainset,
        valset=search.valset,
        num_trials=effort.trials,
        seed=seed,
        minibatch=len(search.valset) > 2 * effort.minibatch,
        minibatch_size=effort.minibatch,
        # the program is a single question to a model: its source says nothing that the instructions do not
        program_aware_proposer=False,
    )
    return [made, *(each["program"] for each in made.candidate_programs)]


def _simba(search: Search) -> Iterator[TunedProgram]:
    effort = search.effort
    made = dspy.SIMBA(
        metric=search.material.metric,
        bsize=min(effort.minibatch, len(search.trainset)),
        num_candidates=max(2, effort.instructions),
        max_steps=effort.rounds,
        max_demos=effort.solved,
        prompt_model=search.writer,
        num_threads=search.threads,
    ).compile(search.material.program, trainset=search.trainset, seed=search.material.seed)
    for each in made.candidate_programs[:KEPT]:
        yield search.found(f"rules and {_demos_of(each['program'])}", each["program"])


def _demos_of(program: dspy.Module) -> str:
    demos = program.predictors()[0].demos
    solved = sum(bool(demo.get("augmented")) for demo in demos)
    return f"{solved} solved and {len(demos) - solved} labelled demonstrations"


OPTIMIZERS: tuple[Optimizer, ...] = (
    Optimizer("LabeledFewShot", "shows some of people's labels; costs least", _labeled_few_shot, no_calls),
    Optimizer(
        "BootstrapFewShot", "shows cases that the judge solved as people did", _bootstrap_few_shot, bootstrap_calls
    ),
    Optimizer(
        "BootstrapFewShotWithRandomSearch", "the same, several sets drawn", _random_search, random_search_calls
    ),
    Optimizer("COPRO", "words the instructions anew, by their scores", _copro, copro_calls),
    Optimizer("MIPROv2", "instructions and demonstrations together; needs the extra tune", _mipro, mipro_calls),
    Optimizer(
        "MIPROv2+LabeledFewShot", "its instructions with some of people's labels", _mipro_then_labeled, mipro_calls
    ),
    Optimizer("GEPA", "words the instructions anew, by what went wrong", _gepa, reflecting_calls),
    Optimizer("SIMBA", "adds rules and solved cases where the judge wavers", _simba, simba_calls),
)


def expected_calls(chosen: Optimizer, effort: Effort, train: int, validation: int, test: int) -> int:
    """About how many calls a tuning takes at most: the search, base and finalists on validation, two on the test."""
    search = chosen.calls(effort, min(train, effort.cases), min(validation, effort.cases))
    finalists = len(effort.demos) + 1 if "Labeled" in chosen.name else KEPT
    return search + (1 + finalists) * validation + 2 * test
