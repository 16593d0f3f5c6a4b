"""People's scale of correctness: which labels it is fitted to, the fit, and the file that ships.

    python benchmarks/judges/judges.py scale --data FOLDER     # fits it to all sets and keeps it in the package

What ships is fitted to other groups of these sets than those that judges are measured on.

Every set weighs the same in a form of answer, however many labels it has. Cases that a rule contradicts take no part:
rules have the last word on them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from judge_data import Cases, answered_by_two, evouna, exchanged_answers, saf, stsb, thinned
from judge_sets import evouna_measured, saf_measured, stsb_measured
from scipy.optimize import minimize

from viva.agents.judges.offline.comparison import alternatives, compare, nearest
from viva.agents.judges.offline.forms import Form, form_of
from viva.agents.judges.offline.judge import OfflineJudge
from viva.agents.judges.offline.rulings import Ruling, equality_of, ruled
from viva.agents.judges.offline.scale import FILE, LikenessCurve, Scale
from viva.core.records.judging import Case, Judgement, Quality
from viva.llm.embeddings import Embedder
from viva.metrics.text.equality.outcomes import UNDECIDED

MOST = 800
"""Cases of a set and form, drawn by their content."""
FEWEST = 30
RIDGE = 1e-4
"""Keeps the slope finite where a form has few cases."""
EXCHANGED = 0.25
"""For each student's answer so many to another question, which nobody labelled: students rarely miss the subject."""
SOURCES = {
    "stsb": "STS Benchmark, train: CC BY-SA 4.0",
    "evouna": "EVOUNA, TriviaQA part, three tenths of the questions: Apache-2.0",
    "saf_asag": "SAF (English), 10 of 18 questions, and answers to other questions as wrong ones: MIT, CC BY 4.0",
    "fairytaleqa": "FairytaleQA, half of the tales, two people's answers to one question and to two: Apache-2.0",
}


@dataclass(frozen=True)
class Rated:
    """A set: what is measured, other groups of the same source, and wrong answers that only the fit sees."""

    name: str
    measured: Cases
    rest: Cases
    wrong: Cases


@dataclass(frozen=True)
class Points:
    """Raw scores (n,) and labels (n,) of a set's cases of one form that no rule contradicts."""

    raw: np.ndarray
    people: np.ndarray


def rated_sets(folder: Path) -> list[Rated]:
    """The four sets that have labels of correctness."""
    of_evouna, of_saf = evouna_measured(folder), saf_measured(folder)
    tales = answered_by_two(folder)
    groups = sorted({case.group for case in tales})[::2]
    return [
        Rated("stsb", stsb_measured(folder), stsb(folder, "train"), []),
        Rated("evouna", of_evouna, others(evouna(folder), of_evouna), []),
        Rated("saf_asag", of_saf, others(saf(folder), of_saf), exchanged_answers(saf(folder), EXCHANGED)),
        Rated(
            "fairytaleqa", [c for c in tales if c.group in groups], [c for c in tales if c.group not in groups], []
        ),
    ]


def others(cases: Cases, measured: Cases) -> Cases:
    """Those of other groups."""
    groups = {case.group for case in measured}
    return [case for case in cases if case.group not in groups]


def of_form(cases: Cases, form: Form) -> Cases:
    """Those of the form that have an answer, at most MOST."""
    once = {case.case.id: case for case in cases if case.case.answer.strip() and form_of_case(case.case) is form}
    return thinned(list(once.values()), MOST)


@cache
def form_of_case(case: Case) -> Form:
    """The form of a case, by the wording that its answer is nearest to."""
    return form_of(case.question, nearest(case.answer, alternatives(case.reference)))


def fitted(sets: Sequence[Sequence[Points]]) -> LikenessCurve:
    """The logistic regression of people's labels on raw scores, every set weighing 1: each is one or more Points."""
    parts = [(each, 1 / sum(len(p.raw) for p in own)) for own in sets for each in own]
    raw = np.concatenate([each.raw for each, _ in parts])
    people = np.concatenate([each.people for each, _ in parts])
    weight = np.concatenate([np.full(len(each.raw), share) for each, share in parts])

    def loss(given: np.ndarray) -> float:
        line = given[0] + given[1] * raw
        return float((weight * (np.logaddexp(0, line) - people * line)).sum()) + RIDGE * float(given[1]) ** 2

    found = minimize(loss, np.array([-2.0, 4.0]), bounds=[(None, None), (0.1, None)])
    return LikenessCurve(intercept=round(float(found.x[0]), 3), slope=round(float(found.x[1]), 3))


def unscaled(embedder: Embedder) -> Scale:
    """The scale that leaves scores as they are."""
    return Scale(embedder=embedder.fingerprint, maps={})


class Fitting:
    """Raw scores of all sets, and scales fitted to some of them."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.sets = rated_sets(folder)
        self.embedder = embedder
        self._plain = OfflineJudge(Quality.CORRECTNESS, embedder, scale=unscaled(embedder))
        self._points: dict[tuple[str, Form, bool], list[Points]] = {}

    def points(self, own: Rated, form: Form, *, whole: bool) -> list[Points]:
        """Of a set's form; of the `whole` set or of what is not measured."""
        key = own.name, form, whole
        if key not in self._points:
            labelled = of_form([*own.rest, *(own.measured if whole else [])], form)
            wrong = of_form(own.wrong, form) if labelled else []
            self._points[key] = [self._scored(cases) for cases in (labelled, wrong) if cases]
        return self._points[key]

    def scale(self, *, without: str = "") -> Scale:
        """Fitted to what is measured of no set; or to all of every set but one, `without` it.

        A form that no other set has is fitted to that set's other groups.
        """
        maps = {}
        for form in Form:
            others = [self.points(s, form, whole=bool(without)) for s in self.sets if s.name != without]
            known = [each for each in others if sum(len(part.raw) for part in each) >= FEWEST]
            own = [self.points(each, form, whole=False) for each in self.sets if each.name == without]
            maps[form] = fitted(known or own)
        return Scale(embedder=self.embedder.fingerprint, sources=tuple(SOURCES.values()), maps=maps)

    def is_alone(self, name: str, form: Form) -> bool:
        """Whether no other set has enough cases of the form."""
        others = [self.points(each, form, whole=True) for each in self.sets if each.name != name]
        return all(sum(len(part.raw) for part in each) < FEWEST for each in others)

    def _scored(self, cases: Cases) -> Points:
        free = [case for case in cases if _is_open(case.case)]
        found = asyncio.run(self._plain.judge([case.case for case in free]))
        raw = [each.score for each in found if isinstance(each, Judgement)]
        return Points(np.array(raw), np.array([case.label for case in free]))


def _is_open(case: Case) -> bool:
    """Whether neither a rule nor equality decides on a case."""
    wording = nearest(case.answer, alternatives(case.reference))
    compared = compare(case.answer, wording)
    if ruled(case.question, wording, case.answer, compared, case.key) is not Ruling.NONE:
        return False
    return equality_of(case) == UNDECIDED


def keep(scales: Mapping[Quality, Scale]) -> None:
    """Writes the scales into the package."""
    stored = {quality.value: scale.model_dump(mode="json") for quality, scale in scales.items()}
    FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
