"""How a run grows: corpora of 1,000, 10,000 and 100,000 chunks, and the answers of 200 systems to 2,000 questions.

    python benchmarks/scale.py corpus DOCS [DOCS ...]     # folders whose sentences the corpora are made of
    python benchmarks/scale.py corpus DOCS --sizes 1000 10000 --embedding minilm
    python benchmarks/scale.py answers                    # 200 examinees, 2,000 items, recorded answers
    python benchmarks/scale.py answers --examinees 50 --items 500 --json

corpus: documents of twenty chunks are made of the sentences of three documents each, taken in turn, with names and
numbers exchanged, so that no two chunks are alike. `viva ingest` and `viva write --items 200`, its roles played by the
`fake:` model, run in processes of their own on a fresh folder. Printed: CPU seconds per chunk, as a ratio to those of
the corpus before (1 is linear), the peak resident memory of either process, and bytes of the run folder per chunk.

Vectors: `--embedding minilm` is viva's own model, in double precision, some 30 to 60 chunks a second on a core.
`--embedding words` (the default) is a model made here, of one random vector for each token of its vocabulary (sentence
transformers' StaticEmbedding): all else that is done with vectors, without the time of the network.

answers: an exam of as many questions is put into a run folder, and as many systems of drawn abilities sit it from
files of recorded answers (`viva sit`), are scored (`viva score`) and reported (`viva report`).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

SENTENCES_OF_A_DOCUMENT = 200
"""About twenty chunks of 254 tokens."""
ITEMS = 200
DIMENSIONS = 384
_SENTENCE = re.compile(r"[A-Z][^.!?\n|<>{}]{40,240}[.!?](?=\s)")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")
_NUMBER = re.compile(r"\b\d{1,4}\b")
_SYLLABLES = "ba co di fe ga hu ka lo mi ne po ra su ti vo wen".split()


# --- one command in a process of its own -----------------------------------------------------------------


@dataclass(frozen=True)
class Used:
    """What a process used."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def viva(*line: str | Path) -> Used:
    """Run one command; SystemExit where it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "viva", *map(str, line), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"viva {line[0]} ended with {process.returncode}: {said[-2000:]}")
    peak = used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss * 1024
    return Used(time.perf_counter() - started, used.ru_utime + used.ru_stime, peak / 2**20)


def bytes_of(folder: Path) -> dict[str, int]:
    """Bytes of a run folder, by file or folder of its top."""
    return {
        top.name: sum(file.stat().st_size for file in [top, *top.rglob("*")] if file.is_file())
        for top in sorted(folder.iterdir())
    }


# --- corpora ---------------------------------------------------------------------------------------------


def sentences_of(folders: Sequence[Path]) -> list[list[str]]:
    """The sentences of each document that has twenty of them; a row of a JSONL file is a document."""
    files = sorted(
        file for folder in folders for file in folder.rglob("*") if file.suffix in {".md", ".rst", ".jsonl"}
    )
    texts = (text for file in files for text in _texts(file))
    found = ([" ".join(sentence.split()) for sentence in _SENTENCE.findall(text)] for text in texts)
    documents = [sentences for sentences in found if len(sentences) >= 20]
    if len(documents) < 3:
        raise SystemExit(
            "The folders hold too little prose: at least three documents of twenty sentences are needed."
        )
    return documents


def _texts(file: Path) -> Iterator[str]:
    text = file.read_text("utf-8", errors="replace")
    if file.suffix != ".jsonl":
        # a sentence may go over several lines, a paragraph ends it
        yield re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        return
    for line in text.splitlines():
        yield str(json.loads(line).get("text", "")) + "\n"


def write_corpus(folder: Path, sources: Sequence[Sequence[str]], documents: int) -> None:
    """Markdown files in ten folders; the same for the same sources, and the first of a larger corpus."""
    for number in range(documents):
        draw = Random(number)
        voices = [draw.sample(own, len(own)) for own in draw.sample(sources, 3)]
        lines = [_renamed(voices[n % 3][n // 3 % len(voices[n % 3])], draw) for n in range(SENTENCES_OF_A_DOCUMENT)]
        paragraphs = [" ".join(lines[start : start + 5]) for start in range(0, len(lines), 5)]
        place = folder / f"part-{number % 10}"
        place.mkdir(parents=True, exist_ok=True)
        text = f"# Notes on {_name(draw)} {number}\n\n" + "\n\n".join(paragraphs) + "\n"
        (place / f"note-{number:06d}.md").write_text(text, "utf-8")


def _renamed(sentence: str, draw: Random) -> str:
    named = _NAME.sub(lambda _: _name(draw), sentence)
    numbered = _NUMBER.sub(lambda _: str(draw.randrange(2, 3000)), named)
    return f"{numbered[:-1]}, as {_name(draw)} found in {draw.randrange(1700, 2026)}{numbered[-1]}"


def _name(draw: Random) -> str:
    return "".join(draw.choice(_SYLLABLES) for _ in range(draw.randrange(2, 5))).capitalize()


def word_model(folder: Path) -> Path:
    """A model of one random vector for each token, saved for sentence-transformers."""
    import numpy as np
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    from viva.llm.embedding_models import find_model

    tokenizer = Tokenizer.from_file(str(find_model("minilm") / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    vectors = np.random.default_rng(0).normal(size=(tokenizer.get_vocab_size(), DIMENSIONS)).astype(np.float32)
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=vectors)]).save(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@dataclass(frozen=True)
class Grown:
    """What one corpus took."""

    chunks: int
    near_duplicates: int
    items: int
    ingest: Used
    write: Used
    bytes_per_chunk: dict[str, int]

    @property
    def cpu_per_chunk(self) -> float:
        """Seconds, the start of both processes not taken out."""
        return (self.ingest.cpu_seconds + self.write.cpu_seconds) / self.chunks


def grown(sources: Sequence[Sequence[str]], chunks: int, model: str, scratch: Path) -> Grown:
    """One corpus of about so many chunks, from the folder to an exam."""
    from viva.storage.runs import RunStore

    docs, run = scratch / f"docs-{chunks}", scratch / f"run-{chunks}"
    write_corpus(docs, sources, max(chunks // CHUNKS_OF_A_DOCUMENT, 1))
    ingest = viva("ingest", docs, "--out", run, "--embedding-model", model, "--model", "fake:scale")
    write = viva("write", run, "--items", str(ITEMS))
    with RunStore.open(run, None) as store:
        statistics, exam = store.latest_result("statistics") or {}, store.latest_exam()
    found = statistics["chunks"]
    sizes = {name: round(size / found) for name, size in bytes_of(run).items()}
    items = len(exam.items) if exam else 0
    return Grown(found, statistics["near_duplicate_chunks"], items, ingest, write, sizes)


CHUNKS_OF_A_DOCUMENT = 36
