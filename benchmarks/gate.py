"""Simulated gates: how often a gate is wrong, how many questions it asks, and what a threshold would have said.

    python benchmarks/gate.py            # 2,000 gates of 100 questions for each row, seconds
    python benchmarks/gate.py --exposure # how often scores that a system has learned are called inflated
    python benchmarks/gate.py --start    # how long viva gate takes beyond its system, from a published exam

A question is known to the baseline with the probability of a three-parameter curve. The change takes away the same
share of what was known (a broken retriever) or of ability (a weaker reader). With flakiness, each answer of both
systems is turned round with this probability. Figures of docs/gate.md and docs/decisions/0064-gate.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom, nbinom

from viva.metrics.gate import GateRule, first_verdict, paths
from viva.metrics.intervals import difference_of_shares, wilson

Floats = NDArray[np.float64]
QUESTIONS = 100
DROPS = (0.0, 0.03, 0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True)
class Simulated:
    """Of each gate and question: differences, answers of the baseline and of the candidate, chance to be known."""

    x: Floats
    baseline: Floats
    candidate: Floats
    known: Floats


def simulated(
    drop: float, flaky: float, gates: int, rng: np.random.Generator, *, retriever: bool = True
) -> Simulated:
    """Draw gates with this drop, before flakiness."""
    difficulty = rng.normal(size=(gates, QUESTIONS))
    chance = _chance(difficulty, 1.0)
    draw = rng.random((gates, QUESTIONS))
    if retriever:
        # the reader guesses no more than it lost: `drop` is what is lost in all
        changed = chance * (1 - drop / chance.mean())
    else:
        changed = _chance(difficulty, _ability_after(difficulty, chance.mean() - drop))
    # the same draw for both: without flakiness nothing that is known becomes known or unknown by chance
    before, after = draw < chance, draw < changed
    turned = rng.random((2, gates, QUESTIONS)) < flaky
    baseline, candidate = (before ^ turned[0]).astype(float), (after ^ turned[1]).astype(float)
    return Simulated(candidate - baseline, baseline, candidate, chance)


def _chance(difficulty: Floats, ability: float) -> Floats:
    return 0.1 + 0.9 * expit(1.5 * (ability - difficulty))


def _ability_after(difficulty: Floats, share: float) -> float:
    grid = np.linspace(-4, 2, 601)
    sample = difficulty[:50]
    return float(grid[np.argmin([abs(_chance(sample, each).mean() - share) for each in grid])])


def gates_of(x: Floats, rule: GateRule) -> tuple[Floats, NDArray[np.int64]]:
    """Give the verdicts, as 1 regress, -1 pass and 0 undecided, and the questions asked."""
    said = [first_verdict(paths(row, rule), rule) for row in x]
    number = {"regress": 1.0, "pass": -1.0, "undecided": 0.0}
    return np.array([number[verdict.value] for verdict, _ in said]), np.array([asked for _, asked in said])


def fixed_length(drop: float, flaky: float, power: float, alpha: float, rng: np.random.Generator) -> int:
    """Give the fewest questions with which McNemar's exact test, one-sided, finds the drop with this power."""
    x = np.concatenate([simulated(drop, flaky, 2000, rng).x for _ in range(3)], axis=1)
    worse, better = np.cumsum(x < 0, axis=1), np.cumsum(x > 0, axis=1)
    found = binom.sf(worse - 1, worse + better, 0.5) <= alpha
    # from the first length on from which the power is never again below
    short = np.flatnonzero(found.mean(axis=0) < power)
    return int(short[-1]) + 2 if len(short) else 1


def share(hits: NDArray[np.bool_]) -> str:
    """A share in percent with its 95% interval."""
    found = wilson(int(hits.sum()), len(hits))
    if found is None:
        raise AssertionError("no gates")
    return f"{100 * found.value:.1f} ({100 * found.low:.1f}-{100 * found.high:.1f})"


def main() -> None:
    """Print the tables as Markdown."""
    asked_for = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked_for.add_argument("--gates", type=int, default=2000)
    asked_for.add_argument("--seed", type=int, default=0)
    asked_for.add_argument("--start", action="store_true", help="time the command from a published exam")
    asked_for.add_argument("--exposure", action="store_true", help="inflated scores on published questions")
    given = asked_for.parse_args()
    if given.start:
        print_start(9)
        return
    if given.exposure:
        print_exposure(given.gates, np.random.default_rng(given.seed))
        return
    rng = np.random.default_rng(given.seed)
    for margin in (0.03, 0.1):
        _verdicts(GateRule(margin), given.gates, rng)
    _thresholds(GateRule(), given.gates, rng)
    _orders(GateRule(0.05), given.gates, rng)
    _fifth(0.05)


SYSTEM = """
import re

def answer(question, options=None):
    number = int(re.findall(r"[0-9]+", question)[0])
    return next((each for each in options or [] if each == f"{7 * number + 3} litres"), "none")
"""


def print_start(repeats: int) -> None:
    """Print the least seconds of `viva gate` on a published exam of 100 questions, and those of its system alone.

    For a comparison with other machines, those of a Python that imports NumPy and scipy.stats.
    """
    import viva

    with TemporaryDirectory() as name:
        folder = Path(name)
        rows = [f"What does pump {n} move?,{7 * n + 3} litres,{7 * n + 9} litres,5 litres" for n in range(100)]
        (folder / "quiz.csv").write_text("\n".join(["stem,key,distractor_1,distractor_2", *rows]), "utf-8")
        (folder / "rag.py").write_text(SYSTEM, "utf-8")
        spec, run = f"base={folder / 'rag.py'}:answer", folder / "run"
        viva.Exam.read(folder / "quiz.csv").gate(spec, save=folder / "base.json", out=run)
        viva.open_run(run).exam.publish(folder / "exam.jsonl", baseline="base")
        gate = ["-m", "viva", "gate", "--exam", "exam.jsonl", "-e", "rag.py:answer", "--out"]
        alone = ["-c", "import rag\nfor n in range(100): rag.answer(f'pump {n}', [])"]
        whole = [_seconds([*gate, f"gate{n}"], folder) for n in range(repeats)]
        own = [_seconds(alone, folder) for _ in range(repeats)]
        bare = [_seconds(["-c", "import numpy, scipy.stats"], folder) for _ in range(repeats)]
    for name, place in (("clock", 0), ("processor", 1)):
        gate_s, own_s, bare_s = (min(each[place] for each in found) for found in (whole, own, bare))
        beyond = gate_s - own_s
        print(
            f"{name}, least of {repeats}: viva gate {gate_s:.2f} s, the system alone {own_s:.2f} s, beyond it "
            f"{beyond:.2f} s; NumPy and scipy.stats {bare_s:.2f} s, ratio {beyond / bare_s:.2f}"
        )


def _seconds(arguments: list[str], folder: Path) -> tuple[float, float]:
    """Give the seconds of a Python process, by the clock and of the processor."""
    began, used = perf_counter(), _processor()
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return perf_counter() - began, _processor() - used


def _processor() -> float:
    found = os.times()
    return found.children_user + found.children_system


def print_exposure(runs: int, rng: np.random.Generator) -> None:
    """Print how often published questions are called inflated, by how much of what was not known is learned."""
    print("| questions | held back | learned, % of what was not known | points | called inflated, % |")
    print("|---|---|---|---|---|")
    for questions, secret in ((100, 0.2), (100, 0.5), (500, 0.2), (1000, 0.2)):
        held = round(secret * questions)
        for learned in (0.0, 0.25, 0.5, 1.0):
            chance = _chance(rng.normal(size=(runs, questions)), 1.0)
            chance[:, held:] += learned * (1 - chance[:, held:])
            right = rng.random(chance.shape) < chance
            counts = zip(right[:, held:].sum(axis=1), right[:, :held].sum(axis=1), strict=True)
            hits = np.array([_is_inflated(int(p), questions - held, int(s), held) for p, s in counts])
            gain = 100 * float(chance[:, held:].mean() - chance[:, :held].mean())
            print(f"| {questions} | {held} | {100 * learned:g} | {abs(gain):.0f} | {share(hits)} |")


def _is_inflated(published: int, of_published: int, secret: int, of_secret: int) -> bool:
    first, second = wilson(published, of_published), wilson(secret, of_secret)
    return first is not None and second is not None and difference_of_shares(first, second).low > 0


def _verdicts(rule: GateRule, gates: int, rng: np.random.Generator) -> None:
    print(f"\n--max-drop {100 * rule.margin:g}, {gates:,} gates of {QUESTIONS} questions each\n")
    print(
        "| drop | answers turned round | regress, % | pass, % | undecided, % | asked, median | fixed length | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for flaky in (0.0, 0.05):
        for drop in DROPS:
            verdicts, asked = gates_of(simulated(drop, flaky, gates, rng).x, rule)
            power, median = float((verdicts == 1).mean()), float(np.median(asked))
            # a power beyond that is noise of the simulation, and would favour the gate
            fixed = fixed_length(drop, flaky, min(power, 0.99), rule.alpha, rng) if power > 0.5 else None
            print(
                f"| {100 * drop:g} | {100 * flaky:g}% | {share(verdicts == 1)} | {share(verdicts == -1)} "
                f"| {100 * (verdicts == 0).mean():.0f} | {median:g} | {fixed or '-'} "
                f"| {f'{median / fixed:.2f}' if fixed else '-'} |"
            )


def _thresholds(rule: GateRule, gates: int, rng: np.random.Generator) -> None:
    """Hold the accuracy against a number, as other tools do: here that of the baseline, or 3 points less."""
    print(
        "\n| drop | answers turned round | gate: regress, % | below the baseline, % | below it by over 3 points, % |"
    )
    print("|---|---|---|---|---|")
    for flaky in (0.0, 0.05):
        for drop in DROPS:
            found = simulated(drop, flaky, gates, rng)
            verdicts, _ = gates_of(found.x, rule)
            now, same = found.candidate.mean(axis=1), found.baseline.mean(axis=1)
            print(
                f"| {100 * drop:g} | {100 * flaky:g}% | {share(verdicts == 1)} | {share(now < same - 1e-9)} "
                f"| {share(now < same - rule.margin - 1e-9)} |"
            )


def _fifth(drop: float) -> None:
    """When the fifth answer has become wrong, where none becomes right: no valid test says "worse" sooner."""
    fifth = nbinom(5, drop)
    middle = int(fifth.median()) + 5
    print(f"\ndrop {100 * drop:g}, no answer turned round: five newly wrong after {middle} questions (median)\n")
    print("| power of the fixed-length test | its questions | ratio |")
    print("|---|---|---|")
    for power in (0.57, 0.8, 0.9, 0.95, 0.99):
        asked = int(fifth.ppf(power)) + 5
        print(f"| {power:g} | {asked} | {middle / asked:.2f} |")


def _orders(rule: GateRule, gates: int, rng: np.random.Generator) -> None:
    """Which order of the questions keeps the error rates."""
    orders: dict[str, Callable[[Simulated], Floats]] = {
        "drawn": lambda found: rng.random(found.x.shape),
        "most information at the baseline's ability first": lambda found: -(found.known * (1 - found.known)),
        "right answers of the baseline first": lambda found: -found.baseline + rng.random(found.x.shape) / 2,
        "easiest first": lambda found: -found.known,
    }
    print(f"\n--max-drop {100 * rule.margin:g}, 5% of answers turned round\n")
    print("| order | no change: regress, % | retriever worse by the margin: pass, % | reader worse by it: pass, % |")
    print("|---|---|---|---|")
    for name, key in orders.items():
        cells = []
        for drop, retriever, wrong in ((0.0, True, 1), (rule.margin, True, -1), (rule.margin, False, -1)):
            found = simulated(drop, 0.05, gates, rng, retriever=retriever)
            x = np.take_along_axis(found.x, np.argsort(key(found), axis=1, kind="stable"), axis=1)
            cells.append(share(gates_of(x, rule)[0] == wrong))
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
