"""How often does the check find a second dimension where there is none, and where there are specialists?

    python benchmarks/irt/irt_dimension.py                    # 200 matrices of each size with one ability, 50 others
    python benchmarks/irt/irt_dimension.py --replicates 20 --of-specialists 20 --json

One ability: theta and b are standard normal, log a has sd .5 (2pl, 3pl), c is .25 (3pl). Specialists: half the
examinees are better by the advantage (logits) on half the items, the other half on the others; theta and b as before,
a = 1. The response model is chosen by the answers, as viva.metrics.irt.analyse does. Named right: of the cases found,
those where all examinees and items that are named for a side are of one kind.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import threadpool_limits

from viva.metrics.irt.checks.second_dimension import SecondDimension, second_dimension
from viva.metrics.irt.fit.estimation import fit

Floats = NDArray[np.float64]

SIZES = ((12, 60), (20, 100), (63, 150))
MODELS = ("1pl", "2pl", "3pl")
ADVANTAGES = (1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class FoundDimensions:
    """Shares of the matrices of one kind and size, and the mean gain in log-loss."""

    kind: str
    examinees: int
    items: int
    found: float
    named_right: float | None
    gain: float

    def line(self) -> str:
        """As a row."""
        right = "" if self.named_right is None else f"{self.named_right:.2f}"
        return f"| {self.kind} | {self.examinees} x {self.items} | {self.found:.3f} | {right} | {self.gain:+.4f} |"


def one_ability(model: str, examinees: int, items: int, draw: np.random.Generator) -> Floats:
    """Responses that follow one ability."""
    theta, b = draw.normal(0, 1, examinees), draw.normal(0, 1, items)
    a = np.ones(items) if model == "1pl" else np.exp(draw.normal(0, 0.5, items))
    c = 0.25 if model == "3pl" else 0.0
    p = c + (1 - c) * expit(a * (theta[:, None] - b))
    return (draw.random(p.shape) < p).astype(np.float64)


def of_specialists(advantage: float, examinees: int, items: int, draw: np.random.Generator) -> Floats:
    """Responses of two kinds of specialists."""
    theta, b = draw.normal(0, 1, examinees), draw.normal(0, 1, items)
    own = (np.arange(examinees) < examinees // 2)[:, None] == (np.arange(items) < items // 2)
    p = expit(theta[:, None] - b + np.where(own, advantage / 2, -advantage / 2))
    return (draw.random(p.shape) < p).astype(np.float64)


def judged(responses: Floats) -> SecondDimension:
    """The check as analyse makes it."""
    found = second_dimension(responses, fit(responses).formats)
    assert isinstance(found, SecondDimension), found
    return found


def named_right(found: SecondDimension, examinees: int, items: int) -> bool:
    """Whether each side is one kind of examinees with the items that they are good at."""
    kinds = [
        ({row < examinees // 2 for row in side.examinees}, {column < items // 2 for column in side.items})
        for side in found.sides()
    ]
    return all(len(who) == 1 and who == which for who, which in kinds) and kinds[0] != kinds[1]


def measured(kind: str | float, examinees: int, items: int, replicates: int) -> FoundDimensions:
    """The check on so many matrices."""
    specialised, gains, right, found = isinstance(kind, float), list[float](), list[bool](), 0
    for seed in range(replicates):
        draw = np.random.default_rng([seed, examinees])
        if isinstance(kind, float):
            responses = of_specialists(kind, examinees, items, draw)
        else:
            responses = one_ability(kind, examinees, items, draw)
        result = judged(responses)
        gains.append(result.gain.value)
        if result.matters:
            found += 1
            right.append(named_right(result, examinees, items))
    return FoundDimensions(
        f"specialists, {kind} logits" if specialised else f"one ability, {kind}",
        examinees,
        items,
        found / replicates,
        float(np.mean(right)) if specialised and right else None,
        float(np.mean(gains)),
    )


def main() -> None:
    """Print a row for each kind and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--of-specialists", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not given.json:
        print("| kind | size | found | named right | mean gain |\n|---|---|---|---|---|")
    for examinees, items in SIZES:
        for kind in (*MODELS, *ADVANTAGES):
            replicates = given.of_specialists if isinstance(kind, float) else given.replicates
            row = measured(kind, examinees, items, replicates)
            print(json.dumps(asdict(row)) if given.json else row.line(), flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
