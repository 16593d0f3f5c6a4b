"""How many chunks of a corpus hold nothing to ask about, by the rules, and which.

    python benchmarks/passed_over.py DOCS [DOCS ...]             # counts, by why
    python benchmarks/passed_over.py DOCS [DOCS ...] --read 30   # and so many of them to read, drawn with seed 7

Chunks are those of the settings' defaults (254 tokens, 32 of them shared), a token taken to be four characters.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from viva.agents.rules.nothing_to_ask import nothing_to_ask
from viva.core.ids import seeded_order
from viva.core.records import Chunk, Document
from viva.storage.corpus.read import Corpus, read_corpus

SEED = 7


def corpus_of(folder: Path) -> Corpus:
    """The folder's documents and chunks."""
    return read_corpus(
        folder,
        max_file_mb=20,
        max_documents=None,
        chunk_tokens=254,
        chunk_overlap=32,
        count_tokens=lambda text: len(text) // 4,
    )


def main() -> None:
    """Print counts, and chunks to read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path, nargs="+")
    parser.add_argument("--read", type=int, default=0)
    given = parser.parse_args()
    over: list[tuple[str, Document, Chunk]] = []
    for folder in given.docs:
        corpus = corpus_of(folder)
        documents = {document.id: document for document in corpus.documents}
        told = [(chunk, nothing_to_ask(chunk, documents[chunk.document_id])) for chunk in corpus.chunks]
        counts = Counter(why for _, why in told if why)
        reasons = ", ".join(f"{count} {why}" for why, count in counts.most_common())
        print(f"{folder}: {counts.total()} of {len(told)} chunks passed over ({reasons or 'none'})")
        over += [(why, documents[chunk.document_id], chunk) for chunk, why in told if why]
    for why, document, chunk in seeded_order(over, SEED)[: given.read]:
        print(f"\n== {document.path}: {why}\n{chunk.text}")


if __name__ == "__main__":
    main()
