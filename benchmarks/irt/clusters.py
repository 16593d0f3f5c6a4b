"""Do intervals and tests hold where questions hang together by document, or systems are asked several times?

    python benchmarks/irt/clusters.py                  # all of it, about two minutes
    python benchmarks/irt/clusters.py documents --exams 1000 --seed 1
    python benchmarks/irt/clusters.py occasions
    python benchmarks/irt/clusters.py pass

documents: exams are simulated from a logistic model in which documents are easy or hard for all systems alike, or
for each system in its own way, so strongly that the design effect is about 1 or 1.3. Printed: the true effect,
coverage of the 95% intervals of accuracies and their half width against Wilson's with independent questions, false
alarms of the pair test between systems that are equally able, and its power where they differ; in parentheses those
of McNemar's exact test.

occasions: each of 60 questions is asked 1, 3 or 5 times; on two occasions a system differs on 28% of them. Coverage
and half width of the accuracy, false alarms and power of the pair test.

pass: true shares are drawn from .5 to 1, the mark is .8. Printed by bins of the probability of being above the mark:
how often the true share is; and how often a parallel exam falls on the same side, against the consistency claimed.
"""

from __future__ import annotations

import argparse
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from viva.core.records import Grade
from viva.metrics.clusters import MORE_THAN_NOISE, OF_DIFFERENCES, QuestionClusters, design_effect
from viva.metrics.exam import accuracy
from viva.metrics.intervals import INDEPENDENT, ClusterDesign, compare_paired
from viva.metrics.pass_mark import consistency

Floats = NDArray[np.float64]

EXAMS = ((2, 60, 20), (5, 60, 20), (12, 100, 30), (12, 150, 60))
"""Systems, questions, documents."""
SPREADS = {"none": (0.0, 0.0), "shared": (0.85, 0.0), "own": (0.0, 0.87), "both": (0.6, 0.6)}
"""Standard deviations of documents: for all systems alike, for each system by itself."""
MARK, LEAD = 0.8, 0.9


def simulated(rng: np.random.Generator, abilities: Floats, documents: Floats, spread: tuple[float, float]) -> Floats:
    """Right answers of one exam, with new documents and questions."""
    count = int(documents.max()) + 1
    place = documents.astype(np.int64)
    shared, own = rng.normal(size=count) * spread[0], rng.normal(size=(len(abilities), count)) * spread[1]
    logits = abilities[:, None] + shared[place] + own[:, place] + rng.normal(size=len(place))
    return (rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(np.float64)


def true_shares(abilities: Floats, spread: tuple[float, float]) -> Floats:
    """Expected shares of right answers over all documents and questions."""
    nodes = np.linspace(-6, 6, 401)
    weights = np.exp(-(nodes**2) / 2) / np.exp(-(nodes**2) / 2).sum()
    return np.asarray(
        (weights / (1 + np.exp(-(abilities[:, None] + nodes * np.hypot(1, np.hypot(*spread)))))).sum(axis=1)
    )


def graded(row: Floats) -> list[Grade]:
    """As the grades of one examinee."""
    return [Grade(response_id="", examinee_id="", item_id=str(n), score=float(score)) for n, score in enumerate(row)]


def design_of(found: QuestionClusters) -> ClusterDesign:
    """Of all questions."""
    return found.design(list(found.documents))


def of_documents(exams: int, seed: int) -> None:
    """Print a row for each size and kind of exam."""
    measured = "true | coverage (Wilson) | width | false alarms (McNemar) | power"
    print(f"| systems x questions, documents | effect of | {measured} |")
    print("|---|---|---|---|---|---|---|")
    for systems, questions, documents in EXAMS:
        for name, spread in SPREADS.items():
            print(row_of_documents(exams, seed, (systems, questions, documents), name, spread), flush=True)


def row_of_documents(
    exams: int, seed: int, size: tuple[int, int, int], name: str, spread: tuple[float, float]
) -> str:
    """As cells."""
    systems, questions, documents = size
    rng = np.random.default_rng([seed, systems, questions])
    abilities = np.linspace(0.4, 1.2, systems)
    truth, equal, lead = true_shares(abilities, spread), np.full(systems, 0.8), np.full(systems, 0.8)
    lead[0] += LEAD
    seen, covered, plainly, width, alone, means = 0, 0, 0, 0.0, 0.0, list[Floats]()
    found = {"alarms": [0, 0], "power": [0, 0]}
    for _ in range(exams):
        of = np.unique(rng.integers(documents, size=questions), return_inverse=True)[1].astype(np.float64)
        answers = simulated(rng, abilities, of, spread)
        means.append(answers.mean(axis=1))
        found_by = clusters(answers, of)
        for row, true in zip(answers, truth, strict=True):
            own = accuracy(graded(row), found_by).share
            plain = accuracy(graded(row)).share
            assert own
            assert plain
            seen, covered = seen + 1, covered + (own.low <= true <= own.high)
            plainly += plain.low <= true <= plain.high
            width, alone = width + own.high - own.low, alone + plain.high - plain.low
        for kind, able in (("alarms", equal), ("power", lead)):
            other = simulated(rng, able, of, spread)
            design = design_of(clusters(other - other.mean(axis=0), of, OF_DIFFERENCES))
            for place, each in enumerate((design, INDEPENDENT)):
                pair = compare_paired(other[0], other[1], design=each)
                assert pair
                found[kind][place] += pair.p_value < 0.05
    # the variance of a mean over exams against that of independent questions
    effect = np.var(means, axis=0) / (truth * (1 - truth) / questions)
    shares = {kind: tuple(count / exams for count in each) for kind, each in found.items()}
    return (
        f"| {systems} x {questions}, {documents} | {name} | {effect.mean():.2f} "
        f"| {covered / seen:.3f} ({plainly / seen:.3f}) "
        f"| {width / alone:.3f} | {shares['alarms'][0]:.3f} ({shares['alarms'][1]:.3f}) "
        f"| {shares['power'][0]:.3f} ({shares['power'][1]:.3f}) |"
    )


def clusters(answers: Floats, documents: Floats, level: float = MORE_THAN_NOISE) -> QuestionClusters:
    """As viva finds them."""
    names = [str(each) for each in documents]
    return QuestionClusters({str(n): name for n, name in enumerate(names)}, design_effect(answers, names, level))


def of_occasions(exams: int, seed: int, questions: int = 60) -> None:
    """Print a row for each number of occasions."""
    print("| occasions | questions that differ on two | coverage | half width | false alarms | power |")
    print("|---|---|---|---|---|---|")
    for occasions in (1, 3, 5):
        rng = np.random.default_rng([seed, occasions])
        covered, width, differ, alarms, power = 0, 0.0, 0.0, 0, 0
        for _ in range(exams):
            # chances of a right answer to a question, for which 2 p (1 - p) is .28 on average
            truth = rng.uniform(0.6, 0.8)
            chances = rng.beta(2 * truth, 2 * (1 - truth), size=questions)
            answers = rng.random((2, occasions, questions)) < chances
            more = rng.random((occasions, questions)) < chances + (1 - chances) * 0.3
            twice = rng.random((2, questions)) < chances
            differ += float((twice[0] != twice[1]).mean())
            own = accuracy(graded(answers[0].mean(axis=0)), occasions=occasions).share
            assert own
            covered, width = covered + (own.low <= truth <= own.high), width + (own.high - own.low) / 2
            first, second = answers.mean(axis=1)
            equal = compare_paired(first, second, steps=occasions)
            better = compare_paired(more.mean(axis=0), second, steps=occasions)
            assert equal
            assert better
            alarms, power = alarms + (equal.p_value < 0.05), power + (better.p_value < 0.05)
        print(
            f"| {occasions} | {differ / exams:.2f} | {covered / exams:.3f} | {width / exams:.3f} "
            f"| {alarms / exams:.3f} | {power / exams:.3f} |",
            flush=True,
        )


def of_pass_mark(exams: int, seed: int, questions: int = 60) -> None:
    """Print a row for each bin."""
    rng = np.random.default_rng([seed, questions])
    truth = rng.uniform(0.5, 1, size=20 * exams)
    right, again = rng.binomial(questions, truth), rng.binomial(questions, truth)
    share = right / questions
    distance = (share - MARK) / (MARK * (1 - MARK) / questions) ** 0.5
    above = np.array([INDEPENDENT.share_below(each) for each in distance])
    same = (share >= MARK - 1e-9) == (again / questions >= MARK - 1e-9)
    table = np.array([consistency(n / questions, questions, MARK, questions) for n in range(questions + 1)])
    print("| probability above the mark | systems | claimed | true |")
    print("|---|---|---|---|")
    for low, high in pairwise((0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01)):
        own = (above >= low) & (above < high)
        claimed, true = above[own].mean(), (truth[own] > MARK).mean()
        print(f"| {low} to {min(high, 1)} | {own.sum()} | {claimed:.3f} | {true:.3f} |")
    print("| consistency | systems | claimed | true |")
    print("|---|---|---|---|")
    for low, high in pairwise((0.0, 0.6, 0.8, 0.9, 0.99, 1.01)):
        own = (table[right] >= low) & (table[right] < high)
        print(f"| {low} to {min(high, 1)} | {own.sum()} | {table[right][own].mean():.3f} | {same[own].mean():.3f} |")


PARTS = {"documents": of_documents, "occasions": of_occasions, "pass": of_pass_mark}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--exams", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for name, measured in PARTS.items():
        if given.part in (None, name):
            measured(given.exams, given.seed)


if __name__ == "__main__":
    main()
