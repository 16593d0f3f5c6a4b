"""From a folder to documents and chunks."""

from viva.storage.corpus.read import Corpus, read_corpus
from viva.storage.corpus.statistics import CorpusStatistics, corpus_statistics

__all__ = ["Corpus", "CorpusStatistics", "corpus_statistics", "read_corpus"]
