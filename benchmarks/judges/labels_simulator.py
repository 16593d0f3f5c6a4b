"""Exams of open questions with people's scores of every answer known, and pairs of columns with ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from judge_data import rows
from numpy.typing import NDArray
from scipy.special import expit

from viva.core.text.overlap import token_f1

Floats = NDArray[np.float64]
ABILITIES = (-0.6, 2.2)
"""Of the first and the last simulated system, in logits: 38% to 86% right."""
LEANING = (0.0, 1.2, -0.8, 0.4)
"""What the noisy judge adds to its logit for one system and the next."""
TAKEN_IN = (0.05, 0.3, 0.1, 0.2)
"""The share of one system's and the next one's wrong answers that the sharp judge takes for right."""
TIES = {"none": (None, None), "five grades": (5, 5), "five and two": (5, 2), "two grades": (2, 2)}
"""Grades of either column; None: a number of its own for each."""


@dataclass(frozen=True)
class Known:
    """`judge` and `people` (systems, questions) from 0 to 1, and `truth` (systems,): the mean over all questions."""

    judge: Floats
    people: Floats
    truth: Floats


def simulated(draw: np.random.Generator, systems: int, questions: int, *, graded: bool, judge: str) -> Known:
    """Questions of normal difficulty; the judge is not on people's scale and kinder to some systems than to others.

    `judge` "noisy": its score says little of an answer. "sharp": it errs seldom, by a whole point. "blind": it knows
    people's scores but for one system, whose answers it takes for right throughout. `graded`: people give 0, .5 or 1.
    A single system's ability is drawn.
    """
    able = np.linspace(*ABILITIES, systems) if systems > 1 else draw.uniform(*ABILITIES, 1)
    hard = draw.normal(0, 1, questions)
    p = expit(able[:, None] - hard)
    people = draw.binomial(2, p) / 2 if graded else draw.binomial(1, p).astype(np.float64)
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    truth = expit(able[:, None] - nodes) @ weights / weights.sum()
    if judge == "noisy":
        leaning = np.resize(LEANING, systems)[:, None]
        score = expit(3 * (people - 0.5) + leaning - 0.8 + 0.3 * hard + draw.normal(0, 1.2, p.shape)) ** 2
    elif judge == "blind":
        score = people.copy()
        score[systems // 2] = 1.0
    else:
        wrong = draw.random(p.shape) < np.where(people < 1, np.resize(TAKEN_IN, systems)[:, None], 0.06)
        score = 0.8 * np.where(wrong, 1 - people, people) + 0.2 * draw.random(p.shape)
    return Known(score, people, truth)


def evouna(folder: Path) -> Known:
    """Five systems on the questions that all have a verdict of people for; the judge is token F1 with the key."""
    by_question: dict[str, dict[str, tuple[float, float]]] = {}
    for row in rows(folder, "evouna/tq.jsonl"):
        if row["improper"] or not isinstance(row["human_correct"], bool):
            continue
        score = max(token_f1(row["answer"], key) for key in row["gold"].split("/"))
        by_question.setdefault(row["id"], {})[row["model"]] = score, float(row["human_correct"])
    names = sorted({name for each in by_question.values() for name in each})
    full = [each for each in by_question.values() if len(each) == len(names)]
    table = np.array([[each[name] for each in full] for name in names])
    return Known(table[:, :, 0], table[:, :, 1], table[:, :, 1].mean(axis=1))


def exam_of(draw: np.random.Generator, whole: Known, systems: int, questions: int) -> Known:
    """So many systems and questions of these, at random; the truth stays that of all questions."""
    chosen = draw.permutation(len(whole.truth))[:systems]
    asked = draw.permutation(whole.people.shape[1])[:questions]
    kept = np.ix_(chosen, asked)
    return Known(whole.judge[kept], whole.people[kept], whole.truth[chosen])


def tied(draw: np.random.Generator, pairs: int, correlation: float, grades: Sequence[int | None]) -> list[Floats]:
    """Two normal columns of this correlation, cut into grades at even steps from -1 to 1."""
    x, noise = draw.normal(size=(2, pairs))
    columns = x, correlation * x + np.sqrt(1 - correlation**2) * noise
    return [
        column if count is None else np.digitize(column, np.linspace(-1, 1, count + 1)[1:-1]).astype(np.float64)
        for column, count in zip(columns, grades, strict=True)
    ]
