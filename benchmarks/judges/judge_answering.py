"""The four weights of the offline judge of answerability: the labels, the fit, and the file that ships.

    python benchmarks/judges/judges.py answering --data FOLDER  # fits them to all sets and keeps them in the package

Half of the weight is on questions written to look answerable, half on questions beside passages that were written for
others; within each half every set weighs the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from judge_data import Cases, cosmosqa, exchanged_passages, pubmedqa, squad2, squad2_train, tales, thinned
from judge_sets import squad2_fitted
from sklearn.linear_model import LogisticRegression

from viva.agents.judges.offline.answering import FIGURES, FILE, Answering, row_of
from viva.agents.judges.offline.comparison import compare
from viva.agents.judges.offline.windows import QUESTION_WINDOW, window
from viva.core.records.judging import Case
from viva.llm.embeddings import Embedder
from viva.metrics.text.cosines import cosine

MOST = 500
"""Cases of a set, drawn by their content."""
DIGITS = 4
SOURCES = (
    "SQuAD 2.0, a sample of train and two dev articles: CC BY-SA 4.0",
    "FairytaleQA, questions beside other sections: Apache-2.0",
    "PubMedQA, questions beside other abstracts: MIT",
)


@dataclass(frozen=True)
class QuestionSet:
    """A set of questions and passages. Sets of one `source` are left out together."""

    name: str
    source: str
    cases: Cases
    is_adversarial: bool = False
    is_fitted: bool = True


def asked_sets(folder: Path, dev: Cases | None = None) -> list[QuestionSet]:
    """Adversarial and natural ones, of all articles of squad2/dev or of some, `dev`.

    Everyday stories are measured and not fitted to: their answers have to be inferred.
    """
    dev = squad2(folder) if dev is None else dev
    sets = [
        QuestionSet("squad2/train", "squad2/train", squad2_train(folder), is_adversarial=True),
        QuestionSet("squad2/dev", "squad2/dev", dev, is_adversarial=True),
        QuestionSet("squad2/dev, exchanged", "squad2/dev", exchanged_passages(dev)),
        QuestionSet("fairytaleqa, exchanged", "fairytaleqa", exchanged_passages(tales(folder))),
        QuestionSet("pubmedqa, exchanged", "pubmedqa", exchanged_passages(pubmedqa(folder), near=True)),
        QuestionSet("cosmosqa", "cosmosqa", cosmosqa(folder), is_adversarial=True, is_fitted=False),
    ]
    return [QuestionSet(s.name, s.source, thinned(s.cases, MOST), s.is_adversarial, s.is_fitted) for s in sets]


def figures(cases: Sequence[Case], embedder: Embedder) -> np.ndarray:
    """What the regression reads, shape (n, 4)."""
    near = [window(case.question, case.passages, QUESTION_WINDOW) for case in cases]
    texts = dict.fromkeys((*near, *(text for case in cases for text in (case.question, *case.passages))))
    vectors = dict(zip(texts, embedder.embed(list(texts)), strict=True))

    def row(case: Case, said: str) -> tuple[float, ...]:
        asked = vectors[case.question]
        nearest = max(cosine(asked, vectors[text]) for text in case.passages)
        return row_of(nearest, cosine(asked, vectors[said]), compare(case.question, said))

    return np.array([row(case, said) for case, said in zip(cases, near, strict=True)])


def fitted(sets: Sequence[QuestionSet], tables: Mapping[str, np.ndarray], embedder: Embedder) -> Answering:
    """Of the sets that are fitted; `tables` hold their figures by name."""
    used = [each for each in sets if each.is_fitted]
    half = {kind: sum(each.is_adversarial is kind for each in used) for kind in (True, False)}
    table = np.vstack([tables[each.name] for each in used])
    labels = np.concatenate([[case.label for case in each.cases] for each in used])
    sizes = [MOST / len(each.cases) / half[each.is_adversarial] for each in used]
    weight = np.concatenate([np.full(len(e.cases), size) for e, size in zip(used, sizes, strict=True)])
    centre, spread = table.mean(axis=0), table.std(axis=0)
    model = LogisticRegression().fit((table - centre) / spread, labels, sample_weight=weight)
    weights = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - (weights * centre).sum())
    told = [round(float(each), DIGITS) for each in weights]
    assert len(told) == len(FIGURES)
    return Answering(
        embedder=embedder.fingerprint,
        sources=SOURCES,
        weights=(told[0], told[1], told[2], told[3]),
        intercept=round(intercept, DIGITS),
    )


def fitted_to_all(folder: Path, embedder: Embedder) -> Answering:
    """The weights that ship: without the two articles that judges are measured on."""
    sets = asked_sets(folder, dev=squad2_fitted(folder))
    return fitted(sets, {each.name: figures([c.case for c in each.cases], embedder) for each in sets}, embedder)


def keep(found: Answering) -> None:
    """Writes the weights into the package."""
    FILE.write_text(json.dumps(found.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8")
