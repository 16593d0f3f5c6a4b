"""Editions of one text: whether every change is found, what is taken for an edition and is none, what an exam asks.

python benchmarks/editions.py             # changed handbooks, pages of one form, 1,000 documents
python benchmarks/editions.py FOLDER ...  # pairs of editions in these folders, with what differs
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import viva
from viva.core.records import Document
from viva.graphs.authoring.editions import DIFFERS, edition_sentences
from viva.storage.corpus.editions.finding import EditionPair, find_editions
from viva.storage.corpus.read import Corpus, read_corpus
from viva.storage.runs import RunStore

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
sys.path.append(str(SUPPORT))
from edition_texts import BY_HAND, FORM, STYLES, edited, pages, two_editions, unreported  # noqa: E402

SEEDS, ITEMS, DOCUMENTS = 20, 100, 1_000


def read(folder: Path) -> Corpus:
    return read_corpus(
        folder,
        max_file_mb=50,
        max_documents=None,
        chunk_tokens=254,
        chunk_overlap=0,
        count_tokens=lambda text: len(text.split()),
    )


def found(folder: Path) -> tuple[Corpus, list[EditionPair]]:
    corpus = read(folder)
    return corpus, find_editions(corpus.documents, corpus.exclusions)


def changed_handbooks() -> None:
    """Two editions with 64 values changed, for each seed, and one with edits by hand."""
    missed, sentences = 0, []
    for seed in range(SEEDS):
        with tempfile.TemporaryDirectory() as name:
            two_editions(Path(name), seed=seed)
            corpus, pairs = found(Path(name))
            missed += len(list(unreported(corpus.documents, pairs)))
            sentences.append(sum(len(pair.differences) for pair in pairs))
    print(f"{SEEDS} times 64 values changed: {min(sentences)} to {max(sentences)} sentences, {missed} not found")
    with tempfile.TemporaryDirectory() as name:
        edited(Path(name), BY_HAND)
        corpus, pairs = found(Path(name))
        missed = len(list(unreported(corpus.documents, pairs)))
        print(f"{len(BY_HAND)} edits by hand: {sum(len(p.differences) for p in pairs)} sentences, {missed} not found")


def exam_of_editions() -> None:
    """What the offline cast asks of two editions: items whose evidence is not the same in both."""
    with tempfile.TemporaryDirectory() as name:
        two_editions(Path(name) / "docs")
        run = Path(name) / "run"
        viva.write_exam(Path(name) / "docs", items=ITEMS, out=run)
        store = RunStore.open(run)
        texts = {document.path: " ".join(document.text.split()) for document in store.documents()}
        paths = {document.id: document.path for document in store.documents()}
        exam = store.latest_exam()
        asked = [span for shown in exam.items for span in shown.item.evidence] if exam else []
        apart = [
            span.quote
            for span in asked
            if " ".join(span.quote.split())
            not in texts.get(_other(paths[span.document_id]), " ".join(span.quote.split()))
        ]
        refused = sum(rejection.verdict.code == DIFFERS for rejection in store.rejections())
        print(f"exam: {len(asked)} questions on {len({span.quote for span in asked})} sentences")
        print(f"      {len(apart)} of a sentence that the other edition lacks; {refused} facts differ, not asked")
        store.close()


def _other(path: str) -> str:
    """The path of the other edition."""
    folder, _, rest = path.partition("/")
    return f"{'handbook' if folder == 'handbook-2026' else 'handbook-2026'}/{rest}"


def forms() -> None:
    """Pages of one form about different things, by style and number: pairs taken for editions."""
    for style in STYLES:
        counts = [len(find_editions(list(pages(style, count)))) for count in (2, 3, 10)]
        print(f"pages of one form, {style}: {counts} pairs of 2, 3, 10 pages")
    many = [
        Document.of(f"# Ship {n}\n\nIt carries {n} people.\n\n{FORM}", path=f"{n}.md", title=f"Ship {n}", format="md")
        for n in range(DOCUMENTS)
    ]
    started = time.process_time()
    print(f"{DOCUMENTS} such pages: {len(find_editions(many))} pairs, {time.process_time() - started:.1f} s of CPU")


def folders(names: list[str]) -> None:
    """Pairs of editions in folders."""
    for name in names:
        corpus = read(Path(name))
        started = time.process_time()
        pairs = find_editions(corpus.documents, corpus.exclusions)
        seconds = time.process_time() - started
        print(f"{name}: {len(corpus.documents)} documents, {len(pairs)} pairs, {seconds:.2f} s of CPU")
        print("\n".join(f"  {line}" for line in edition_sentences(pairs)[1]))


if __name__ == "__main__":
    if sys.argv[1:]:
        folders(sys.argv[1:])
    else:
        changed_handbooks()
        forms()
        exam_of_editions()
