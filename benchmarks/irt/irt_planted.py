"""Are planted faulty items found? AUC of each check of metrics/irt against sound items, 63 examinees x 150 items.

    python benchmarks/irt/irt_planted.py                    # 20 replicates of the 3 x 7 x 3 design
    python benchmarks/irt/irt_planted.py --replicates 100 --planted 3
    python benchmarks/irt/irt_planted.py --json

Responses are drawn by irt_simulator.simulate; then in each replicate `--planted` items of each kind are spoiled:

- wrong key: who misses the true answer gives the key by chance, who knows it never does: p = (1 - p) / 3;
- unanswerable: everybody guesses, p = c;
- leaked: p = .98 for all;
- leaked to a third, to a seventh: p = .98 for one level of a component of 3, of 7 levels (21, 9 examinees);
- duplicate: a response copies that to another item, one in ten is drawn anew; both items count as planted.

The model is fitted to what comes of it, faults included, and every check is run on that fit. An AUC compares the
items of one kind with the sound ones of the same replicate; printed are its mean over replicates and the standard
error of the mean. `known` is what one gets who knows every item's and examinee's true parameters (the likelihood
ratio of the fault): no check of these responses can do better on average. `found` is the share of planted items that
the check flags at its default settings, `false` the number of sound items it flags per replicate.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from irt_simulator import POPULATIONS, SimulatedPopulation, Truth, simulate
from numpy.typing import NDArray
from scipy.special import logsumexp

from viva.metrics.irt.checks.fault_evidence import STRONG, fault_evidence
from viva.metrics.irt.checks.flags import surely_wrong_key
from viva.metrics.irt.checks.item_bias import component_fit, leaks, level_carriers
from viva.metrics.irt.checks.local_dependence import local_dependence
from viva.metrics.irt.checks.wrong_keys import expected_information, share_abilities, slope_scores
from viva.metrics.irt.fit import estimation
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LEVELS = (3, 7, 3)
ITEMS = 150
KINDS = ("wrong key", "unanswerable", "leaked", "leaked to a third", "leaked to a seventh", "duplicate")
LEAKED = 0.98
REDRAWN = 0.1


@dataclass(frozen=True, eq=False)
class PlantedExam:
    """Responses with faults, each item's kind ('' for sound ones), and the truth before items were spoiled."""

    responses: Floats
    kinds: NDArray[np.str_]
    truth: Truth


@dataclass(frozen=True, eq=False)
class Estimated:
    """What the checks need of a fit."""

    theta: Floats
    a: Floats
    b: Floats
    c: Floats
    probabilities: Floats


def planted(seed: int, each: int, population: SimulatedPopulation) -> PlantedExam:
    """An exam with `each` items of every kind."""
    truth = simulate(seed, LEVELS, ITEMS, population=population)
    draw = np.random.default_rng([seed, 1])
    probability, responses = truth.probability, truth.responses.copy()
    kinds = np.full(ITEMS, "", dtype="U20")
    groups = draw.permutation(ITEMS)[: each * (len(KINDS) + 1)].reshape(-1, each)
    _, carriers = level_carriers(truth.components, len(responses))
    size = carriers.sum(axis=1)
    for kind, items in zip(KINDS[:-1], groups, strict=False):
        kinds[items] = kind
        for item in items:
            spoiled = _spoiled(kind, probability[:, item], float(truth.c[item]), carriers, size, draw)
            responses[:, item] = draw.random(len(spoiled)) < spoiled
    copies, originals = groups[-2], groups[-1]
    kinds[np.concatenate([copies, originals])] = "duplicate"
    redrawn = draw.random((len(responses), each)) < REDRAWN
    anew = draw.random(redrawn.shape) < probability[:, originals]
    responses[:, copies] = np.where(redrawn, anew, responses[:, originals])
    return PlantedExam(responses, kinds, truth)


def _spoiled(
    kind: str, p: Floats, c: float, carriers: Bools, size: NDArray[np.int64], draw: np.random.Generator
) -> Floats:
    if kind == "wrong key":
        return (1 - p) / 3
    if kind == "unanswerable":
        return np.full(len(p), c)
    if kind == "leaked":
        return np.full(len(p), LEAKED)
    wanted = np.flatnonzero(size == (len(p) // 3 if kind == "leaked to a third" else len(p) // 7))
    return np.where(carriers[draw.choice(wanted)], LEAKED, p)


def estimated(exam: PlantedExam) -> Estimated:
    """The fit of the exam, by the engine's public face."""
    found = estimation.fit(exam.responses, components=exam.truth.components, model="3pl")
    return Estimated(found.theta, found.a, found.b, found.c, np.asarray(found.predict()))


def scores(exam: PlantedExam, fit: Estimated) -> dict[str, Floats]:
    """Each check's figure per item, high where it sees a fault."""
    y, theta, components = exam.responses, fit.theta, exam.truth.components
    ability = share_abilities(y, fit.probabilities)
    evidence = fault_evidence(y, ability)
    contrasts, leaked = component_fit(y, fit.probabilities, components), leaks(y, ability, components)
    pairs = local_dependence(y, fit.probabilities)
    if isinstance(contrasts, NotJudged) or isinstance(leaked, NotJudged) or isinstance(pairs, NotJudged):
        raise SystemExit("a check could not be made on this exam")
    return {
        "evidence: wrong key": evidence.wrong_key,
        "evidence: unanswerable": evidence.unanswerable,
        "evidence: leaked": evidence.leaked,
        "evidence: leaked to a level": leaked.any_level,
        "slope score": -slope_scores(y, theta),
        "expected information": -expected_information(theta, fit.a, fit.b, fit.c),
        "low discrimination": -fit.a,
        "residual contrast z": contrasts.z.max(axis=0),
        "Q3 with another item": pairs.strongest,
    }


def known(exam: PlantedExam, kind: str) -> Floats | None:
    """Log likelihood ratio per item of the fault `kind` with everything else known; None for duplicates."""
    y, p = exam.responses, exam.truth.probability
    if kind == "wrong key":
        return _ratio(y, (1 - p) / 3, p).sum(axis=0)
    if kind == "unanswerable":
        return _ratio(y, np.broadcast_to(exam.truth.c, p.shape), p).sum(axis=0)
    if kind == "leaked":
        return _ratio(y, np.full_like(p, LEAKED), p).sum(axis=0)
    if kind == "duplicate":
        return None
    _, carriers = level_carriers(exam.truth.components, len(y))
    size = len(y) // 3 if kind == "leaked to a third" else len(y) // 7
    groups = carriers[carriers.sum(axis=1) == size]
    return np.asarray(logsumexp(groups @ _ratio(y, np.full_like(p, LEAKED), p), axis=0))


def _ratio(y: Floats, fault: Floats, sound: Floats) -> Floats:
    return np.where(y == 1, np.log(fault / sound), np.log((1 - fault) / (1 - sound)))


def flags(exam: PlantedExam, fit: Estimated) -> dict[str, Bools]:
    """Items that each check flags at its default settings."""
    y, components = exam.responses, exam.truth.components
    ability = share_abilities(y, fit.probabilities)
    evidence, leaked = fault_evidence(y, ability), leaks(y, ability, components)
    contrasts, pairs = component_fit(y, fit.probabilities, components), local_dependence(y, fit.probabilities)
    if isinstance(contrasts, NotJudged) or isinstance(leaked, NotJudged) or isinstance(pairs, NotJudged):
        raise SystemExit("a check could not be made on this exam")
    paired, shifted, known_to_one = (np.zeros(ITEMS, dtype=bool) for _ in range(3))
    known_to_one[[each.item for each in leaked.suspected]] = True
    paired[[item for pair in pairs.pairs for item in (pair.first, pair.second)]] = True
    shifted[[each.item for each in contrasts.differences if each.z > 0]] = True
    return {
        "evidence: wrong key": surely_wrong_key(evidence.wrong_key, slope_scores(y, fit.theta), len(y)),
        "evidence: unanswerable": evidence.unanswerable >= STRONG,
        "evidence: leaked": evidence.leaked >= STRONG,
        "evidence: leaked to a level": known_to_one,
        "residual contrast z": shifted,
        "Q3 with another item": paired,
    }


def auc(score: Floats, positive: Bools, negative: Bools) -> float:
    """Probability that a positive item has the higher score, ties counted half."""
    above = score[positive][:, None] - score[negative][None, :]
    return float((above > 0).mean() + 0.5 * (above == 0).mean())


def measured(
    replicates: int, each: int, seed: int, population: SimulatedPopulation
) -> dict[str, dict[str, dict[str, float]]]:
    """kind -> check -> auc, its standard error, and where the check flags items, found and false."""
    values: dict[str, dict[str, list[float]]] = {kind: {} for kind in KINDS}
    found: dict[str, dict[str, list[tuple[float, float]]]] = {kind: {} for kind in KINDS}
    for replicate in range(replicates):
        exam = planted(seed + replicate, each, population)
        fit = estimated(exam)
        sound, flagged, by_check = exam.kinds == "", flags(exam, fit), scores(exam, fit)
        for kind in KINDS:
            positive, best = exam.kinds == kind, known(exam, kind)
            for check, score in (by_check if best is None else by_check | {"known": best}).items():
                values[kind].setdefault(check, []).append(auc(score, positive, sound))
            for check, chosen in flagged.items():
                found[kind].setdefault(check, []).append((float(chosen[positive].mean()), float(chosen[sound].sum())))
    return {
        kind: {check: _summary(aucs, found[kind].get(check)) for check, aucs in values[kind].items()}
        for kind in KINDS
    }


def _summary(aucs: list[float], found: list[tuple[float, float]] | None) -> dict[str, float]:
    summary = {"auc": float(np.mean(aucs)), "se": float(np.std(aucs, ddof=1) / np.sqrt(len(aucs)))}
    if found:
        share, false = np.mean(found, axis=0)
        summary |= {"found": float(share), "false": float(false)}
    return summary


def report(results: dict[str, dict[str, dict[str, float]]]) -> None:
    """The known bound and every check that ranks the kind better than chance, the best first."""
    for kind, checks in results.items():
        print(kind)
        for check, figures in sorted(checks.items(), key=lambda pair: -pair[1]["auc"]):
            if figures["auc"] < 0.5 and check != "low discrimination":
                continue
            flagged = f"  found {figures['found']:.2f}  false {figures['false']:.2f}" if "found" in figures else ""
            print(f"  {check:<28} {figures['auc']:.3f} +- {figures['se']:.3f}{flagged}")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="AUC of the checks on planted faulty items.")
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--planted", type=int, default=5, help="items of each kind per replicate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--population", choices=list(POPULATIONS), default="unlike-items")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.replicates < 2 or not 1 <= asked.planted <= ITEMS // (2 * (len(KINDS) + 1)):
        parser.error("at least 2 replicates, and from 1 to 10 planted items of each kind")
    results = measured(asked.replicates, asked.planted, asked.seed, POPULATIONS[asked.population])
    if asked.json:
        print(json.dumps(results, indent=1))
    else:
        report(results)


if __name__ == "__main__":
    main(sys.argv[1:])
