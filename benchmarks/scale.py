"""How a run grows: corpora of 1,000, 10,000 and 100,000 chunks, and the answers of 200 systems to 2,000 questions.

    python benchmarks/scale.py corpus DOCS [DOCS ...]     # folders whose sentences the corpora are made of
    python benchmarks/scale.py corpus DOCS --sizes 1000 10000 --embedding minilm
    python benchmarks/scale.py answers DOCS               # 200 examinees, 2,000 items, recorded answers
    python benchmarks/scale.py answers DOCS --examinees 50 --items 500 --json

corpus: documents of forty chunks are made of the sentences of three documents each, taken in turn, with names and
numbers exchanged, so that no two chunks are alike. `viva ingest` and `viva write --items 200`, its roles played by
the `fake:` model of the tests, run in processes of their own on a fresh folder. Printed: CPU seconds per chunk, as a
ratio to those of the corpus before (1 is linear), the peak resident memory of either process, bytes per chunk.

Vectors: `--embedding minilm` is viva's own model, in double precision, some 30 to 60 chunks a second on a core.
`--embedding words` (the default) is a model made here, of one random vector for each token of its vocabulary
(sentence-transformers' StaticEmbedding): all else that is done with vectors, without the time of the network.

answers: an exam of as many questions is put into a run folder, and as many systems of drawn abilities sit it from
files of recorded answers (`viva sit`), are scored (`viva score`) and reported (`viva report`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viva.core.records import Document, Exam

VIVA = Path(__file__).parents[1] / "tests/support/with_fake_model.py"
SENTENCES_OF_A_DOCUMENT, CHUNKS_OF_A_DOCUMENT = 200, 40
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


def viva(*line: str | Path, may_end_with: int = 0) -> Used:
    """Run one command; SystemExit where it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, VIVA, *map(str, line), "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in {0, may_end_with}:
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
    items: int
    ingest: Used
    write: Used
    bytes_per_chunk: dict[str, int]

    @property
    def cpu_seconds(self) -> float:
        """Of both processes."""
        return self.ingest.cpu_seconds + self.write.cpu_seconds

    @property
    def cpu_per_chunk(self) -> float:
        """Seconds, the start of both processes and the writing of the items not taken out."""
        return self.cpu_seconds / self.chunks


def grown(sources: Sequence[Sequence[str]], chunks: int, model: str, scratch: Path) -> Grown:
    """One corpus of about so many chunks, from the folder to an exam."""
    from viva.storage.runs import RunStore

    docs, run = scratch / f"docs-{chunks}", scratch / f"run-{chunks}"
    write_corpus(docs, sources, max(round(chunks / CHUNKS_OF_A_DOCUMENT), 1))
    ingest = viva("ingest", docs, "--out", run, "--embedding-model", model, "--model", "fake:scale")
    write = viva("write", run, "--items", str(ITEMS))
    with RunStore.open(run, None) as store:
        statistics, exam = store.latest_result("statistics") or {}, store.latest_exam()
    found = statistics["chunks"]
    sizes = {name: round(size / found) for name, size in bytes_of(run).items()}
    items = len(exam.items) if exam else 0
    return Grown(found, items, ingest, write, sizes)


def further(smaller: Grown, larger: Grown) -> float:
    """CPU seconds of each chunk that the larger corpus has more: without what starting and 200 items take."""
    return (larger.cpu_seconds - smaller.cpu_seconds) / (larger.chunks - smaller.chunks)


def show_grown(found: Sequence[Grown]) -> None:
    """One line for each corpus."""
    columns = f"{'chunks':>8} {'items':>6} {'CPU s':>8} {'ms a chunk':>11} {'ratio':>6}"
    print(f"{columns} {'ingest MiB':>11} {'write MiB':>10}")
    for n, each in enumerate(found):
        ratio = each.cpu_per_chunk / found[n - 1].cpu_per_chunk if n else 1.0
        print(
            f"{each.chunks:8,} {each.items:6} {each.cpu_seconds:8.1f} {1000 * each.cpu_per_chunk:11.2f} {ratio:6.2f}"
            f" {each.ingest.peak_mib:11,.0f} {each.write.peak_mib:10,.0f}"
        )
    for smaller, larger in pairwise(found):
        told = 1000 * further(smaller, larger)
        print(f"from {smaller.chunks:,} to {larger.chunks:,} chunks: {told:.2f} ms of CPU for each further chunk")
    sizes = ", ".join(f"{name} {size:,}" for name, size in found[-1].bytes_per_chunk.items() if size)
    print(f"bytes per chunk at {found[-1].chunks:,}: {sizes}")


# --- answers ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExamTimes:
    """What the answers of many systems took."""

    examinees: int
    items: int
    sit: Used
    score: Used
    report: Used
    bytes_per_response: float
    report_bytes: int


def exam_over(documents: Sequence[Document], items: int) -> Exam:
    """Questions of no meaning, each about a sentence of a document."""
    from viva.core.ids import content_hash
    from viva.core.records import BloomLevel, Distractor, Exam, ExamItem, Item, Provenance, QuestionType, Span

    shown = []
    for number in range(items):
        document, draw = documents[number % len(documents)], Random(number)
        sentences = list(_SENTENCE.finditer(document.text))
        said = sentences[number // len(documents) % len(sentences)]
        span = Span(document_id=document.id, start=said.start(), end=said.end(), quote=said.group())
        options = [f"{_name(draw)} in {draw.randrange(1700, 2026)} ({n})" for n in range(4)]
        key = number % 4
        item = Item(
            id=content_hash("item", number),
            stem=f"Who found it, and when, of which note {number} says: {said.group()[:80]}?",
            key=options[key],
            distractors=tuple(Distractor(text=text) for n, text in enumerate(options) if n != key),
            reference_answer=options[key],
            evidence=(span,),
            question_type=QuestionType.QUANTITY,
            bloom=(BloomLevel.REMEMBER,),
            topic=document.topic,
            provenance=Provenance(cast="by hand"),
        )
        shown.append(ExamItem(item=item, options=tuple(options), key_position=key))
    return Exam.of(shown)


def write_answers(folder: Path, exam: Exam, examinees: int) -> list[str]:
    """A file for each system, which answers by its ability (3PL); their specs."""
    import numpy as np

    draw = np.random.default_rng(0)
    theta, b = draw.normal(0.3, 0.8, examinees), draw.normal(0, 1, len(exam.items))
    a = draw.lognormal(0, 0.4, len(exam.items))
    right = draw.random((examinees, len(exam.items))) < 0.25 + 0.75 / (1 + np.exp(-a * (theta[:, None] - b)))
    folder.mkdir()
    specs = []
    for n, row in enumerate(right.tolist()):
        wrong = draw.integers(1, 4, len(row)).tolist()
        places = [
            (shown.key_position + (0 if good else off)) % 4
            for shown, good, off in zip(exam.items, row, wrong, strict=True)
        ]
        lines = [
            json.dumps({"item_id": shown.item.id, "answer": shown.options[place]})
            for shown, place in zip(exam.items, places, strict=True)
        ]
        file = folder / f"system-{n:03d}.jsonl"
        file.write_text("\n".join(lines) + "\n", "utf-8")
        specs.append(f"system-{n:03d}=recorded:{file}")
    return specs


def answered(sources: Sequence[Sequence[str]], examinees: int, items: int, scratch: Path) -> ExamTimes:
    """An exam of so many questions, sat from recorded answers, scored and reported."""
    from viva.storage.runs import RunStore

    docs, run = scratch / "docs", scratch / "run"
    write_corpus(docs, sources, 3)
    viva("ingest", docs, "--out", run)
    with RunStore.open(run, None) as store:
        exam = exam_over(store.documents(), items)
        written = [shown.item for shown in exam.items]
        store.finish_chunk(store.chunks()[0].id, written, [], [], units=len(written))
        store.add_exam(exam)
    specs = write_answers(scratch / "answers", exam, examinees)
    before = bytes_of(run)["run.sqlite"]
    sit = viva("sit", run, *(part for spec in specs for part in ("--examinee", spec)))
    after = bytes_of(run)["run.sqlite"]
    score, report = viva("score", run), viva("report", run)
    size = (run / "report.html").stat().st_size
    return ExamTimes(examinees, items, sit, score, report, (after - before) / (examinees * items), size)


def show_answered(found: ExamTimes) -> None:
    """One line for each command."""
    print(f"{found.examinees} systems, {found.items:,} questions, {found.examinees * found.items:,} answers")
    for name, used in (("sit", found.sit), ("score", found.score), ("report", found.report)):
        print(f"{name:>8} {used.seconds:8.1f} s {used.cpu_seconds:8.1f} s of CPU {used.peak_mib:8,.0f} MiB")
    print(f"bytes per answer {found.bytes_per_response:.0f}; the report has {found.report_bytes / 1e6:.1f} MB")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["corpus", "answers"])
    parser.add_argument("docs", nargs="+", type=Path)
    parser.add_argument("--sizes", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--embedding", choices=["words", "minilm"], default="words")
    parser.add_argument("--examinees", type=int, default=200)
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    sources = sentences_of(given.docs)
    with tempfile.TemporaryDirectory(prefix="viva-benchmark-") as folder:
        scratch = Path(folder)
        if given.what == "answers":
            told = answered(sources, given.examinees, given.items, scratch)
            print(json.dumps(asdict(told), indent=2)) if given.json else show_answered(told)
            return
        model = given.embedding
        if model == "words":
            # elsewhere: what a process begins from counts to its peak, and torch is large
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                model = str(pool.submit(word_model, scratch / "words").result())
        found = [grown(sources, size, model, scratch) for size in given.sizes]
    print(json.dumps([asdict(each) for each in found], indent=2)) if given.json else show_grown(found)


if __name__ == "__main__":
    main()
