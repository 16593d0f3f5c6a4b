"""ROUGE-1 F1 of articles by their lemmas: the baseline that an exam of questions has to beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def rouge1_f1(words: Sequence[str], reference: Sequence[str]) -> float:
    """ROUGE-1 (Lin 2004): harmonic mean of the shares of words found in the other text, counting repeats; in [0, 1].

    Words come lower-cased, lemmatised and without stop words (viva.agents.offline.text.lemmas). 0 where either is
    empty.
    """
    shared = (Counter(words) & Counter(reference)).total()
    return 2 * shared / (len(words) + len(reference)) if shared else 0.0
