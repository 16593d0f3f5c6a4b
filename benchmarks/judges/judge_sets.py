"""Which cases the shipped judges were trained on, which the blend was fitted to, and which they are measured on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from judge_data import Cases, Parts, begin, evouna, factscore, nli, saf, split, squad2, squad2_train, stsb, thinned

from viva.core.records.judging import Quality
from viva.optimizers.local_schedule import Schedule

Parts = Callable[[Path], Parts]
_HELD_ARTICLES = ("Harvard_University", "Huguenot")
_CC, _MIT, _APACHE = "CC BY-SA 4.0", "MIT", "Apache-2.0"


def stsb_split(folder: Path) -> Parts:
    """Trained on stsb/train alone, a twelfth of whose groups the blend is fitted to; measured on stsb/dev."""
    own = split(stsb(folder, "train"), 0.92, 0.08)
    return Parts(own.train, own.validation, stsb(folder, "dev"))


def evouna_split(folder: Path) -> Parts:
    """By question: a fifth to train on, a tenth to fit to, of the rest four tenths of all, at most 1,000 answers."""
    parts = split(evouna(folder), 0.2, 0.1)
    return Parts(parts.train, parts.validation, thinned(parts.test, 1000))


def saf_split(folder: Path) -> Parts:
    """By question: 7 to train on, 3 to fit to, 8 to measure on."""
    return split(saf(folder), 0.4, 0.15)


def squad2_split(folder: Path) -> Parts:
    """By article: two to measure on, two to fit to; trained on the sample of other articles.

    The base weights have seen questions of SQuAD's training articles, so that none of those is fitted to. Two groups
    are too few for an interval, which is therefore drawn by paragraph.
    """
    own = squad2(folder)
    held = [case for case in own if case.group in _HELD_ARTICLES]
    return Parts(
        squad2_train(folder),
        [case for case in own if case.group not in _HELD_ARTICLES],
        [case.model_copy(update={"group": case.case.passages[0]}) for case in held],
    )


def begin_split(folder: Path) -> Parts:
    """By knowledge: two fifths to train on, a fifth to fit to, two fifths to measure on."""
    return split(begin(folder), 0.4, 0.2)


def nli_split(folder: Path) -> Parts:
    """By premise: four fifths to train on, 8% to fit to, the rest to measure on."""
    return split(nli(folder), 0.8, 0.08)


def factscore_split(folder: Path) -> Parts:
    """Measured on 1,000 facts; none is trained on."""
    return Parts([], [], thinned(factscore(folder), 1000))


JUDGED: Mapping[Quality, Mapping[str, Parts]] = {
    Quality.CORRECTNESS: {"stsb/dev": stsb_split, "evouna": evouna_split, "saf_asag": saf_split},
    Quality.ANSWERABILITY: {"squad2": squad2_split},
    Quality.FAITHFULNESS: {"begin": begin_split, "nli": nli_split, "factscore": factscore_split},
}


@dataclass(frozen=True)
class Recipe:
    """How a shipped judge is made."""

    stages: tuple[tuple[Parts, Schedule], ...]
    """each goes on from the weights of the one before"""
    base: Quality | None
    """the shipped judge whose weights are the start"""
    sources: tuple[str, ...]
    note: str


def correctness_split(folder: Path) -> Parts:
    """All three sets together, a part of each: minutes count."""
    return _together(
        Parts(*(thinned(part, most) for part, most in zip(_of(stsb_split(folder)), (500, 250, 0), strict=True))),
        Parts(*(thinned(part, most) for part, most in zip(_of(evouna_split(folder)), (1000, 600, 0), strict=True))),
        Parts(*(thinned(part, most) for part, most in zip(_of(saf_split(folder)), (250, 250, 0), strict=True))),
    )


def faithfulness_split(folder: Path) -> Parts:
    """Dialogue and inference together."""
    return _together(begin_split(folder), nli_split(folder))


def _of(parts: Parts) -> tuple[Cases, Cases, Cases]:
    return parts.train, parts.validation, parts.test


def _together(*parts: Parts) -> Parts:
    return Parts(*(list(chain.from_iterable(own)) for own in zip(*map(_of, parts), strict=True)))


SHIPPED_OF: Mapping[Quality, Recipe] = {
    Quality.CORRECTNESS: Recipe(
        stages=((stsb_split, Schedule()), (correctness_split, Schedule(epochs=1))),
        base=None,
        sources=(
            f"STS Benchmark, train: {_CC}",
            f"EVOUNA, TriviaQA part, a fifth of the questions: {_APACHE}",
            f"SAF (English), 7 of 18 questions: {_MIT}, CC BY 4.0",
        ),
        note="Measured on questions that were not trained on, and on stsb/dev.",
    ),
    Quality.FAITHFULNESS: Recipe(
        stages=((faithfulness_split, Schedule(epochs=3, batch=32, stop=200)),),
        base=None,
        sources=(
            "BEGIN, dev, two fifths of the passages: CC BY 4.0, Topical-Chat part CDLA-Sharing 1.0",
            f"SNLI, dev sample: {_CC}",
            "MultiNLI, dev sample: OANC and others",
            "RTE, dev: for research",
            "FEVER-Symmetric, dev: CC BY-SA 3.0",
        ),
        note="Measured on passages and premises that were not trained on; of FActScore nothing was trained on.",
    ),
    Quality.ANSWERABILITY: Recipe(
        stages=((squad2_split, Schedule()),),
        base=Quality.FAITHFULNESS,
        sources=(f"SQuAD 2.0, a sample of train; two dev articles for the blend: {_CC}",),
        note="Measured on two articles that were not trained on.",
    ),
}
