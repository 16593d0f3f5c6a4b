"""The vectors that commands under test want: each is the model's own, and computed once.

Those of a whole session of tests/e2e are in data/vectors.xz; what is not among them is computed by the first command
that wants it. After a change of corpora, prompts or the model: python tests/support/vectors.py records anew.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np

from viva.llm.embeddings import Precision, SentenceTransformerEmbedder
from viva.metrics.text.cosines import VECTOR_DECIMALS, Vectors
from viva.storage.embedding_cache import CACHE_FILE, STORED, EmbeddingCache

TESTS = Path(__file__).parents[1]
RECORD = TESTS / "data" / "vectors.xz"
FOLDER = "VIVA_TEST_VECTORS"
"""The environment variable that names the session's folder."""


def embed_once(folder: Path, *, keep: bool) -> None:
    """From here on this process's embedders take from the folder what it holds, and `keep` what they compute."""
    computed = SentenceTransformerEmbedder._encode
    # opened by the first who embeds: most commands do not
    opened = cache(EmbeddingCache)

    def taken(self: SentenceTransformerEmbedder, texts: Sequence[str], precision: Precision) -> Vectors:
        known = opened(folder).get_many(self.fingerprint, texts)
        if missing := [text for text in texts if text not in known]:
            fresh = dict(zip(missing, computed(self, missing, precision), strict=True))
            if keep and precision == "float64":
                opened(folder).put_many(self.fingerprint, fresh)
            known |= fresh
        return np.stack([known[text] for text in texts])

    SentenceTransformerEmbedder._encode = taken


def recorded() -> tuple[str, dict[str, Vectors]]:
    """The fingerprint of the model, and by text the vectors that it gave."""
    with np.load(io.BytesIO(lzma.decompress(RECORD.read_bytes()))) as held:
        vectors = (held["steps"].T / 10**VECTOR_DECIMALS).astype(np.float32)
        return str(held["fingerprint"]), dict(zip(json.loads(str(held["texts"])), vectors, strict=True))


def unpack(folder: Path) -> None:
    """A session's folder that begins with what is recorded."""
    with EmbeddingCache(folder) as known:
        known.put_many(*recorded())


def pack(folder: Path) -> None:
    """Record what the bundled model computed in a session's folder."""
    fingerprint = SentenceTransformerEmbedder("minilm").fingerprint
    with closing(sqlite3.connect(folder / CACHE_FILE)) as stored:
        rows = stored.execute(
            "SELECT text, vector FROM embeddings WHERE model = ? ORDER BY length(text), text", [fingerprint]
        ).fetchall()
    texts = json.dumps([text for text, _ in rows], ensure_ascii=False)
    vectors = np.stack([np.frombuffer(blob, dtype=STORED).astype(np.float64) for _, blob in rows])
    # one column after the other, as whole steps of rounding: half the size
    steps = np.round(vectors.T * 10**VECTOR_DECIMALS).astype("<i4")
    buffer = io.BytesIO()
    np.savez(buffer, fingerprint=np.array(fingerprint), texts=np.array(texts), steps=steps)
    RECORD.write_bytes(lzma.compress(buffer.getvalue(), preset=9))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        line = [sys.executable, "-m", "pytest", str(TESTS / "e2e"), *sys.argv[1:]]
        subprocess.run(line, env=os.environ | {FOLDER: place}, check=True)
        pack(Path(place))
