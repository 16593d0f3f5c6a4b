"""How the judges without a language model do on sets that their scale and weights were not fitted to.

    python benchmarks/judges/judges.py unseen --data FOLDER

Every set is left out in turn: people's scales (judge_scale.py, judge_claims.py) and the weights of answerability
(judge_answering.py) are fitted to the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from judge_answering import QuestionSet, asked_sets, figures
from judge_answering import fitted as weights_of
from judge_claims import ClaimFitting
from judge_data import Cases
from judge_scale import Fitting, of_form, unscaled

from viva.agents.judges.offline.comparison import alternatives, nearest
from viva.agents.judges.offline.forms import Form
from viva.agents.judges.offline.judge import OfflineJudge
from viva.agents.judges.offline.pairs import texts_of
from viva.agents.judges.roles import Judge
from viva.core.records.judging import Case, Judgement, Quality
from viva.core.text.overlap import token_f1
from viva.llm.embeddings import Embedder
from viva.metrics.judges.agreement import spearman_of
from viva.metrics.judges.confusion import at_least, balanced_accuracy_of, matthews_of
from viva.metrics.judges.pairs import Undefined
from viva.metrics.text.cosines import cosine

FEWEST = 25
MOST = 400
Scores = np.ndarray


@dataclass(frozen=True)
class Line:
    """One judge on one set's cases of a form."""

    data: str
    form: str
    left_out: str
    judge: str
    cases: int
    spearman: float | None
    mcc: float | None
    best_mcc: float | None
    """with the cut that is best on these very cases; a floor is given it"""
    balanced: float | None
    """balanced accuracy at one half"""
    mean: float
    people: float


def unseen(folder: Path, embedder: Embedder) -> Iterator[Line]:
    """Correctness by set and form, then faithfulness and answerability by set."""
    yield from _correctness(folder, embedder)
    yield from _faithfulness(folder, embedder)
    yield from _answerability(folder, embedder)


def _correctness(folder: Path, embedder: Embedder) -> Iterator[Line]:
    fitting = Fitting(folder, embedder)
    plain = OfflineJudge(Quality.CORRECTNESS, embedder, scale=unscaled(embedder))
    for own in fitting.sets:
        offline = OfflineJudge(Quality.CORRECTNESS, embedder, scale=fitting.scale(without=own.name))
        judges: dict[str, Judge] = {"offline, not scaled": plain, "offline": offline}
        for form in Form:
            cases = of_form(own.measured, form)[:MOST]
            if len(cases) >= FEWEST:
                left = "groups" if fitting.is_alone(own.name, form) else "set"
                yield from _lines((own.name, form.value, left), cases, _floors(cases, embedder), judges)


def _faithfulness(folder: Path, embedder: Embedder) -> Iterator[Line]:
    fitting = ClaimFitting(folder, embedder)
    plain = OfflineJudge(Quality.FAITHFULNESS, embedder, scale=unscaled(embedder))
    for own in fitting.sets:
        offline = OfflineJudge(Quality.FAITHFULNESS, embedder, scale=fitting.scale(without=own.source))
        cases = [each for each in own.measured if texts_of(each.case, Quality.FAITHFULNESS)]
        floors = {"token F1": np.array([token_f1(c.case.answer, " ".join(c.case.passages)) for c in cases])}
        yield from _lines(
            (own.name, "claims", "set"), cases, floors, {"offline, not scaled": plain, "offline": offline}
        )


def _floors(cases: Cases, embedder: Embedder) -> dict[str, Scores]:
    wordings = [nearest(case.case.answer, alternatives(case.case.reference)) for case in cases]
    answers = [case.case.answer for case in cases]
    near = zip(embedder.embed(wordings), embedder.embed(answers), strict=True)
    return {
        "token F1": np.array([token_f1(said, given) for said, given in zip(answers, wordings, strict=True)]),
        "cosine": np.array([cosine(one, other) for one, other in near]),
    }


def _answerability(folder: Path, embedder: Embedder) -> Iterator[Line]:
    sets = asked_sets(folder)
    tables = {each.name: figures([case.case for case in each.cases], embedder) for each in sets}
    for own in sets:
        others = [each for each in sets if each.source != own.source]
        offline = OfflineJudge(Quality.ANSWERABILITY, embedder, answering=weights_of(others, tables, embedder))
        floors = {"token F1": _overlaps(own), "cosine": tables[own.name][:, 0]}
        head = own.name, "adversarial" if own.is_adversarial else "natural", "set"
        yield from _lines(head, own.cases, floors, {"offline": offline})


def _overlaps(own: QuestionSet) -> Scores:
    return np.array([token_f1(each.case.question, " ".join(each.case.passages)) for each in own.cases])


def _lines(
    head: tuple[str, str, str], cases: Cases, floors: dict[str, Scores], judges: dict[str, Judge]
) -> Iterator[Line]:
    people = np.array([case.label for case in cases])
    said = floors | {name: _scores(judge, [case.case for case in cases]) for name, judge in judges.items()}
    for name, scores in said.items():
        both = set(people.tolist()) <= {0.0, 1.0}
        yield Line(
            *head,
            name,
            len(cases),
            _known(spearman_of(np.column_stack([scores, people]))),
            _mcc(scores, people, 0.5) if both and name not in floors else None,
            _best(scores, people) if both else None,
            _balanced(scores, people) if both and name not in floors else None,
            float(scores.mean()),
            float(people.mean()),
        )


def _scores(judge: Judge, cases: Sequence[Case]) -> Scores:
    found = asyncio.run(judge.judge(cases))
    return np.array([each.score for each in found if isinstance(each, Judgement)])


def _mcc(scores: Scores, people: Scores, cut: float) -> float | None:
    return _known(matthews_of(np.column_stack([at_least(scores.tolist(), cut), people])))


def _balanced(scores: Scores, people: Scores) -> float | None:
    return _known(balanced_accuracy_of(np.column_stack([at_least(scores.tolist(), 0.5), people])))


def _best(scores: Scores, people: Scores) -> float | None:
    cuts = np.unique(np.quantile(scores, np.linspace(0.02, 0.98, 49)))
    found = [each for cut in cuts if (each := _mcc(scores, people, float(cut))) is not None]
    return max(found, default=None)


def _known(found: float | Undefined) -> float | None:
    return None if isinstance(found, Undefined) else float(found)


def told(lines: Iterator[Line], tell: Callable[[str], None]) -> None:
    """Prints the lines as they come, people's mean beside the judge's."""
    for each in lines:
        figures = (each.spearman, each.mcc, each.best_mcc, each.balanced, each.mean, each.people)
        shown = " ".join("     -" if figure is None else f"{figure:6.3f}" for figure in figures)
        tell(f"{each.data:23} {each.form:12} {each.left_out:7} {each.judge:20} {each.cases:4} {shown}")
