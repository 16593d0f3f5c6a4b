"""What the chunks of a corpus are about: clusters of texts that use the same words, each named by its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viva.core.ids import rng
from viva.core.text.languages.phrase_lookup import function_words

MOST_CLUSTERS = 50
FEWEST_TEXTS = 8
"""Texts below which there is nothing to cluster."""
_WORDS_IN_A_NAME = 3
_DIMENSIONS = 64
_FEATURES = 20_000
# a word begins with a letter; scripts without spaces give their characters
_WORD = r"(?u)[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]\w+"
# a word that half of the texts hold tells none of them apart, in any language
_COMMON = 0.5


@dataclass(frozen=True)
class Clusters:
    """The cluster of each text, and where each text stands: rows of length 1, or 0 where it has no words."""

    of: tuple[int, ...]
    names: tuple[str, ...]
    vectors: NDArray[np.float64]


def clusters_wanted(texts: int) -> int:
    """The square root of half the texts (Mardia, Kent & Bibby 1979), 50 at most: the work stays linear in them."""
    return 1 if texts < FEWEST_TEXTS else min(round(math.sqrt(texts / 2)), MOST_CLUSTERS)


def clustered(texts: Sequence[str], seed: int) -> Clusters:
    """Latent semantic analysis (Deerwester et al. 1990) and mini-batch k-means (Sculley 2010), on one thread.

    The same texts give the same clusters on one machine; sums of floats may differ between machines.
    """
    from threadpoolctl import threadpool_limits

    wanted = clusters_wanted(len(texts))
    with threadpool_limits(limits=1):
        found = _weighed(texts) if wanted > 1 else None
        if found is None:
            return Clusters((0,) * len(texts), ("",), np.zeros((len(texts), 1)))
        weights, words = found
        state = rng(seed, "clusters").getrandbits(32)
        vectors = _reduced(weights, state)
        labels = _labels(vectors, min(wanted, len(np.unique(vectors, axis=0))), state)
        # numbered by first appearance: a cluster that nobody is in has no number
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        of = tuple(numbers[label] for label in labels)
        return Clusters(of, _names(weights, of, words), vectors)


def _weighed(texts: Sequence[str]) -> tuple[Any, list[str]] | None:
    """TF-IDF, a sparse row per text, and the word of each column; None where no word stands in two texts."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(
        token_pattern=_WORD, min_df=2, max_df=_COMMON, max_features=_FEATURES, sublinear_tf=True
    )
    try:
        weights = vectorizer.fit_transform(texts)
    except ValueError:
        # its word for an empty vocabulary
        return None
    words = [str(word) for word in vectorizer.get_feature_names_out()]
    return (weights, words) if len(words) > 1 else None


def _reduced(weights: Any, state: int) -> NDArray[np.float64]:
    from sklearn.decomposition import TruncatedSVD

    dimensions = min(_DIMENSIONS, min(weights.shape) - 1)
    vectors = TruncatedSVD(dimensions, random_state=state).fit_transform(weights)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # the digits beyond are the machine's: rows of one text must stay one row
    return np.asarray(np.round(vectors / np.where(lengths > 0, lengths, 1), 9) + 0.0, dtype=np.float64)


def _labels(vectors: NDArray[np.float64], wanted: int, state: int) -> list[int]:
    from sklearn.cluster import MiniBatchKMeans

    means = MiniBatchKMeans(wanted, n_init=3, batch_size=1024, random_state=state)
    return [int(label) for label in means.fit_predict(vectors)]


def _names(weights: Any, of: Sequence[int], words: Sequence[str]) -> tuple[str, ...]:
    """Of each cluster the words that weigh most in it, in sum, without function words."""
    from scipy.sparse import csr_matrix

    count = max(of) + 1
    belongs = csr_matrix((np.ones(len(of)), (np.array(of), np.arange(len(of)))), shape=(count, len(of)))
    sums = (belongs @ weights).toarray()
    sums[:, [word in function_words() for word in words]] = 0
    order = np.argsort(-np.round(sums, 9), axis=1, kind="stable")[:, :_WORDS_IN_A_NAME]
    return tuple(", ".join(words[column] for column in row if sums[n, column] > 0) for n, row in enumerate(order))
