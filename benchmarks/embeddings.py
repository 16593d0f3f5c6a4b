"""How much of a vector depends on the batch, the threads and the processor's instructions, in either precision.

    python benchmarks/embeddings.py                  # sentences and chunks of examples/handbook
    python benchmarks/embeddings.py DOCS --texts 50  # other documents, fewer texts of each kind
    python benchmarks/embeddings.py --json           # the figures for machines

The same texts are embedded by the bundled model in processes of their own: alone on one thread, and then in batches,
on two threads, and without the newer instructions of the processor. Against the first: the largest difference of a
component, the share of components with another sixth decimal (to which vectors are kept), and the share of cosines
with another fourth one (to which they are told). Then the CPU milliseconds per text, each alone and in the batches
that viva makes, for names of two words, sentences and chunks. Last, how far a cosine of two vectors of single
precision is from that of the same in double precision, at most over all computed: `ROUGH_COSINE_ERROR` must exceed
it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

HANDBOOK = Path(__file__).parents[1] / "examples/handbook"
PRECISIONS = ("float64", "float32")
PLAIN = {"OMP_NUM_THREADS": "1"}
OTHERS = {
    "in batches": PLAIN,
    "two threads": {"OMP_NUM_THREADS": "2"},
    "ATEN_CPU_CAPABILITY=default": PLAIN | {"ATEN_CPU_CAPABILITY": "default"},
    "MKL_CBWR=COMPATIBLE": PLAIN | {"MKL_CBWR": "COMPATIBLE"},
    "ONEDNN_MAX_CPU_ISA=SSE41": PLAIN | {"ONEDNN_MAX_CPU_ISA": "SSE41"},
}


def texts_of(docs: Path, most: int) -> dict[str, list[str]]:
    """Names, sentences and chunks of the documents, evenly drawn, each by length."""
    from viva.core.text.prose import plain_sentences
    from viva.storage.runs import RunStore

    with tempfile.TemporaryDirectory(prefix="viva-benchmark-") as folder:
        line = ("ingest", str(docs), "--out", folder, "--json")
        subprocess.run([sys.executable, "-m", "viva", *line], check=True, stdout=subprocess.DEVNULL)
        store = RunStore.open(Path(folder), None)
        chunks = sorted({chunk.text for chunk in store.chunks()})
        store.close()
    sentences = sorted({sentence for chunk in chunks for sentence in plain_sentences(chunk)})
    names = sorted({" ".join(sentence.split()[:2]) for sentence in sentences})
    kinds = {"names": names, "sentences": sentences, "chunks": chunks}
    return {kind: sorted(all_[:: max(1, len(all_) // most)][:most], key=len) for kind, all_ in kinds.items()}


def work(precision: str, texts: Path, out: Path, together: bool) -> None:
    """In a process of its own: the vectors, and the CPU seconds by kind of text."""
    import numpy as np
    import torch

    from viva.llm.embedding_models import BUNDLED, find_model
    from viva.llm.embeddings import _batches, _encoded, _loaded

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    model = _loaded(find_model(BUNDLED), "", precision)
    _encoded(model, ["warm"])
    vectors, seconds = [], {}
    for kind, found in json.loads(texts.read_text("utf-8")).items():
        begun = time.process_time()
        batches = _batches(found) if together else ([text] for text in found)
        vectors += [_encoded(model, batch) for batch in batches]
        seconds[kind] = (time.process_time() - begun) / len(found)
    rows = np.concatenate(vectors).astype(np.float64)
    np.save(out, rows / np.linalg.norm(rows, axis=1, keepdims=True))
    out.with_suffix(".json").write_text(json.dumps(seconds))


def compared(precision: str, texts: Path, scratch: Path) -> Iterator[dict[str, object]]:
    """A row of figures for each other way to compute the same."""
    import numpy as np

    def rows(name: str, environment: dict[str, str]) -> tuple[np.ndarray, dict[str, float]]:
        out = scratch / f"{precision}.npy"
        line = [sys.executable, __file__, "--work", precision, str(texts), str(out)]
        subprocess.run(
            [*line, *(["--together"] if name == "in batches" else [])],
            env=os.environ | environment,
            check=True,
            stderr=subprocess.DEVNULL,
        )
        return np.load(out), json.loads(out.with_suffix(".json").read_text())

    base, alone = rows("alone", PLAIN)
    np.save(scratch / f"alone-{precision}.npy", base)
    yield {"precision": precision, "computed": "alone", "ms": alone}
    kept = np.round(base, 6)
    for name, environment in OTHERS.items():
        found, seconds = rows(name, environment)
        moved = np.round(found, 6)
        exact = np.round(np.load(scratch / "alone-float64.npy"), 6)
        yield {
            "precision": precision,
            "computed": name,
            "off": float(np.abs(moved @ moved.T - exact @ exact.T).max()),
            "largest": float(np.abs(found - base).max()),
            "components": float((moved != kept).mean()),
            "cosines": float((np.round(moved @ moved.T, 4) != np.round(kept @ kept.T, 4)).mean()),
            "ms": seconds,
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both precisions and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", nargs="?", type=Path, default=HANDBOOK)
    parser.add_argument("--texts", type=int, default=100, help="of each kind (100)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--work", nargs=3, metavar=("PRECISION", "TEXTS", "OUT"), help=argparse.SUPPRESS)
    parser.add_argument("--together", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.work:
        work(given.work[0], Path(given.work[1]), Path(given.work[2]), given.together)
        return
    with tempfile.TemporaryDirectory(prefix="viva-benchmark-") as folder:
        texts = Path(folder) / "texts.json"
        texts.write_text(json.dumps(texts_of(given.docs, given.texts)), encoding="utf-8")
        found = [row for precision in PRECISIONS for row in compared(precision, texts, Path(folder))]
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'':8} {'':28} {'largest':>9} {'6th decimal':>12} {'cosine, 4th':>12}   ms per name, sentence, chunk")
    for row in found:
        off = ("largest" in row) and f"{row['largest']:9.1e} {row['components']:12.2%} {row['cosines']:12.2%}"
        times = ", ".join(f"{1000 * seconds:.1f}" for seconds in row["ms"].values())
        print(f"{row['precision']:8} {row['computed']:28} {off or '':35}   {times}", flush=True)
    most = max(float(row["off"]) for row in found if row["precision"] == "float32" and "off" in row)
    print(f"cosines of single precision are off by at most {most:.1e}")


if __name__ == "__main__":
    main()
