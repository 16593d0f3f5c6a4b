"""People's scale of faithfulness: which labels it is fitted to, the fit, and what is left out.

    python benchmarks/judges/judges.py scale --data FOLDER  # fits it to all sets and keeps it in the package

The score of an answer is the mean of its claims, so that the curve of a claim is fitted to labels of whole answers.
In a form every source weighs the same, and every set of a source. Answers with a claim that a rule decides take no
part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from judge_data import Cases, answers_beside_sections, begin, last_groups, nli, thinned
from judge_factscore import biographies_beside_facts, facts_in_sentences, sentences_beside_facts
from judge_scale import others, unscaled
from judge_sets import (
    begin_measured,
    biographies_measured,
    facts_measured,
    factscore_measured,
    nli_measured,
    sentences_measured,
)
from scipy.optimize import minimize

from viva.agents.judges.offline.comparison import compare
from viva.agents.judges.offline.forms import ClaimForm, claim_form_of
from viva.agents.judges.offline.judge import OfflineJudge
from viva.agents.judges.offline.pairs import texts_of
from viva.agents.judges.offline.scale import LikenessCurve, Scale
from viva.agents.judges.offline.vetoes import vetoes
from viva.core.records.judging import Case, Judgement, Quality
from viva.llm.embeddings import Embedder

MOST = 600
"""Cases of a set that are fitted to, drawn by their content."""
FEWEST = 30
RIDGE = 1e-4
SOURCES = (
    "BEGIN dev, three fifths of the knowledge: CC BY 4.0, CDLA-Sharing 1.0",
    "SNLI, MultiNLI, RTE and FEVER Symmetric, dev, 88% of the premises: CC BY-SA 4.0, OANC, research, CC BY-SA 3.0",
    "FActScore, half of the people: MIT",
    "FairytaleQA, half of the tales, answers beside their section and another: Apache-2.0",
)


@dataclass(frozen=True)
class ClaimSet:
    """Cases of a `source`, which is left out as a whole: what is measured, and other groups of it."""

    name: str
    source: str
    measured: Cases
    rest: Cases


@dataclass(frozen=True)
class Claims:
    """Raw scores of claims (m,), the answer that each is of (m,), and people's labels of the answers (n,)."""

    raw: np.ndarray
    of: np.ndarray
    people: np.ndarray


def claim_sets(folder: Path) -> list[ClaimSet]:
    """The sets that have labels of faithfulness. The facts with another biography are only measured.

    A true fact that is not in the other biography has the label of a supported one.
    """
    tales, people = answers_beside_sections(folder), factscore_measured(folder)
    of_begin, of_nli, of_tales = begin_measured(folder), nli_measured(folder), last_groups(tales, 0.5)
    sets = [
        ClaimSet("begin", "begin", of_begin, others(begin(folder), of_begin)),
        ClaimSet("nli", "nli", of_nli, others(nli(folder), of_nli)),
        ClaimSet("factscore", "factscore", people, []),
        ClaimSet("fairytaleqa", "fairytaleqa", thinned(of_tales, 500), others(tales, of_tales)),
    ]
    for name, read, measured in (
        ("facts", facts_in_sentences, facts_measured),
        ("sentences", sentences_beside_facts, sentences_measured),
        ("answers", biographies_beside_facts, biographies_measured),
    ):
        rest = others(read(folder), people)
        sets.append(ClaimSet(f"factscore, {name}", "factscore", measured(folder), rest))
    return [ClaimSet(s.name, s.source, s.measured, thinned(s.rest, MOST)) for s in sets]


class ClaimFitting:
    """Raw scores of all sets, and scales fitted to some of them."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.sets = claim_sets(folder)
        self.embedder = embedder
        self._plain = OfflineJudge(Quality.FAITHFULNESS, embedder, scale=unscaled(embedder))
        self._known: dict[tuple[str, ClaimForm], Claims] = {}

    def scale(self, *, without: str = "") -> Scale:
        """Fitted to what is measured of no set, of all sources or of all but one."""
        by_source = {s.source: [o for o in self.sets if o.source == s.source and o.rest] for s in self.sets}
        used = [own for source, own in by_source.items() if source != without]
        maps = {form: fitted([self._of(own, form) for own in used]) for form in ClaimForm}
        return Scale(embedder=self.embedder.fingerprint, sources=SOURCES, maps=maps)

    def _of(self, sets: Sequence[ClaimSet], form: ClaimForm) -> list[Claims]:
        """A source's sets in a form; none where it has too few cases."""
        found = [self._claims(each, form) for each in sets]
        return found if sum(len(each.people) for each in found) >= FEWEST else []

    def _claims(self, own: ClaimSet, form: ClaimForm) -> Claims:
        key = own.name, form
        if key not in self._known:
            open_ = [each for each in own.rest if claim_form_of(each.case.passages) is form and _is_open(each.case)]
            claims = [
                (place, each.case.model_copy(update={"answer": claim}))
                for place, each in enumerate(open_)
                for _, claim in texts_of(each.case, Quality.FAITHFULNESS)
            ]
            judged = asyncio.run(self._plain.judge([case for _, case in claims]))
            raw = [each.score for each in judged if isinstance(each, Judgement)]
            people = np.array([each.label for each in open_])
            self._known[key] = Claims(np.array(raw), np.array([place for place, _ in claims], dtype=int), people)
        return self._known[key]


def _is_open(case: Case) -> bool:
    """Whether an answer claims something, and no rule decides on a claim of it."""
    pairs = [compare(claim, given) for given, claim in texts_of(case, Quality.FAITHFULNESS)]
    return bool(pairs) and not any(vetoes(each) or each.claims_nothing for each in pairs)


def fitted(sources: Sequence[Sequence[Claims]]) -> LikenessCurve:
    """The curve of claims whose mean over an answer is nearest to people's label of it, by cross-entropy."""
    parts = [(each, 1 / len(own) / len(each.people)) for own in sources for each in own if len(each.people)]

    def loss(given: np.ndarray) -> float:
        total = RIDGE * float(given[1]) ** 2
        for each, weight in parts:
            said = 1 / (1 + np.exp(-(given[0] + given[1] * each.raw)))
            mean = np.bincount(each.of, said) / np.bincount(each.of)
            gain = each.people * np.log(mean) + (1 - each.people) * np.log1p(-mean)
            total -= weight * float(gain.sum())
        return total

    found = minimize(loss, np.array([-3.0, 6.0]), bounds=[(None, None), (0.1, 40.0)])
    return LikenessCurve(intercept=round(float(found.x[0]), 3), slope=round(float(found.x[1]), 3))
