"""From a folder, here or elsewhere, to documents and chunks."""

from viva.storage.corpus.read import Corpus, read_corpus
from viva.storage.corpus.remote import documents_at
from viva.storage.corpus.source import DocumentSource
from viva.storage.corpus.statistics import CorpusStatistics, corpus_statistics

__all__ = ["Corpus", "CorpusStatistics", "DocumentSource", "corpus_statistics", "documents_at", "read_corpus"]
