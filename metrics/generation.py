"""How near a generated answer is to a reference by its words: exact match, ROUGE, BLEU (token F1 is in `overlap`).

ROUGE and BLEU come from the libraries their figures are usually reported with, rouge-score and sacrebleu
(the extra text-metrics). None of these knows whether an answer is right: they are a floor to beat.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viva.core.errors import UsageError
from viva.core.extras import how_to_install
from viva.metrics.overlap import normalised_tokens

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Overlap:
    """Shares in [0, 1]: of the answer that the reference has, of the reference that the answer has, and their F1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Rouge:
    """ROUGE-1 and -2 (words and pairs of words shared) and -L (longest common subsequence of words); Lin (2004)."""

    one: Overlap
    two: Overlap
    longest: Overlap


def exact_match(text: str, reference: str) -> bool:
    """Whether both have the same tokens in the same order, case, punctuation and English articles aside (SQuAD)."""
    return normalised_tokens(text) == normalised_tokens(reference)


def best_of(metric: Callable[[str, str], float], text: str, references: Sequence[str]) -> float:
    """The metric against the reference it fits best, as SQuAD does. Raises UsageError without references."""
    if not references:
        raise UsageError("There is no reference to compare with.", allowed="At least one.")
    return max(float(metric(text, reference)) for reference in references)


def rouge(text: str, reference: str) -> Rouge:
    """ROUGE of rouge-score, without stemming, over runs of letters and digits of any script.

    On ASCII texts that is the library's own tokenizer, which drops all other letters. Two texts without a common word
    score 0, also where both are empty. Raises UsageError where the library is not installed.
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as problem:
        raise _not_installed("ROUGE", "rouge-score") from problem
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=_Words())
    found = scorer.score(target=reference, prediction=text)
    one, two, longest = (
        Overlap(float(each.precision), float(each.recall), float(each.fmeasure))
        for each in (found["rouge1"], found["rouge2"], found["rougeL"])
    )
    return Rouge(one, two, longest)


def bleu(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Corpus BLEU of sacrebleu in [0, 1] (Papineni et al. 2002; tokenizer 13a, exponential smoothing).

    `texts` (n,), `references` (n,) of one or more each. Counts are pooled over texts: it is no mean of sentences.
    Raises UsageError for different lengths, no texts, a text without references, and without the library.
    """
    _same_number(texts, references)
    widest = max(len(own) for own in references)
    # a text with fewer references than another gets its first again: the clipped counts are a maximum over references
    streams = [[own[n] if n < len(own) else own[0] for own in references] for n in range(widest)]
    return float(_bleu(effective_order=False).corpus_score(list(texts), streams).score) / 100


def sentence_bleu(text: str, references: Sequence[str]) -> float:
    """BLEU of one text in [0, 1], over as many orders as it has words for. Errors as `bleu`."""
    _same_number([text], [references])
    return float(_bleu(effective_order=True).sentence_score(text, list(references)).score) / 100


class _Words:
    """What rouge-score asks of a tokenizer."""

    def tokenize(self, text: str) -> list[str]:
        return _WORD.findall(text.lower())


def _bleu(*, effective_order: bool) -> BLEU:
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as problem:
        raise _not_installed("BLEU", "sacrebleu") from problem
    return BLEU(effective_order=effective_order)


def _same_number(texts: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if len(texts) != len(references) or not texts:
        raise UsageError(
            f"{len(texts)} texts and references for {len(references)}.", allowed="One or more, for each."
        )
    if not all(references):
        raise UsageError("A text has no reference.", allowed="At least one for each.")


def _not_installed(name: str, library: str) -> UsageError:
    return UsageError(f"{name} needs {library}.", next_step=how_to_install("text-metrics"))
