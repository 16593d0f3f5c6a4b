"""Whose answers count once: the same system, entered under two names, is no second witness against an item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viva.metrics.irt.inputs import Floats, Ints

# of all pairs that share nothing, this share of exams has one that answers alike by chance
CHANCE = 0.05


@dataclass(frozen=True, eq=False)
class Witnesses:
    """`rows` (k,) that copy no earlier one, and `copies`: pairs (copy, original) of rows."""

    rows: Ints
    copies: tuple[tuple[int, int], ...]


def witnesses(values: Floats, probability: Floats, chosen: Ints | None = None) -> Witnesses:
    """Who answered otherwise than everybody before, from responses (n, m) and the model's probabilities (n, m).

    A row is a copy where it has the same responses as an earlier one (the same options `chosen` (n, m) too, where
    they are known) and two who share nothing would hardly agree so far: chance, taken over all pairs, below 5%. Two
    who know everything, or answer a few items alike, are no copies.
    """
    first: dict[bytes, int] = {}
    kept, copies = list[int](), list[tuple[int, int]]()
    least = np.log(CHANCE) - np.log(max(len(values) * (len(values) - 1) / 2, 1.0))
    for row, own in enumerate(values):
        answers = own.tobytes() if chosen is None else own.tobytes() + chosen[row].tobytes()
        earlier = first.setdefault(answers, row)
        if earlier != row and _log_agreement(probability[[earlier, row]], own) < least:
            copies.append((row, earlier))
        else:
            kept.append(row)
    return Witnesses(np.array(kept, dtype=np.int64), tuple(copies))


def _log_agreement(p: Floats, responses: Floats) -> float:
    """Log-probability that two with the probabilities p (2, m) are right on the same graded items."""
    graded = ~np.isnan(responses)
    alike = p[0] * p[1] + (1 - p[0]) * (1 - p[1])
    return float(np.log(alike[graded]).sum())
