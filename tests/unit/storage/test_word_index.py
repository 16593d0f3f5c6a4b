"""The index of words says what bm25s says of the same texts, and holds none of them."""

from __future__ import annotations

import bm25s
import numpy as np

from viva.core.text.words import content_words
from viva.storage.word_index import WordIndex

TEXTS = ["The pump moves water, water and oil.", "", "A pump of the old mill.", "the of and", "Sails and masts; oil."]


def test_scores_are_those_of_bm25_over_all_texts_those_without_words_among_them() -> None:
    theirs = bm25s.BM25()
    theirs.index([content_words(text) or ["-"] for text in TEXTS], show_progress=False)
    ours = WordIndex(iter(TEXTS))
    for words in (["pump"], ["water", "oil"], ["oil", "oil", "mast"], ["unknown"], ["-"]):
        assert np.array_equal(ours.scores(words), theirs.get_scores(words))
