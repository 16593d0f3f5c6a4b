"""How the offline writing grows with the corpus: seconds and memory for 100, 1,000 and 5,000 chunks.

    python benchmarks/authoring.py DOCS [DOCS ...]            # folders of documents, together at least as large
    python benchmarks/authoring.py DOCS --sizes 100 1000      # other sizes
    python benchmarks/authoring.py DOCS --items 100           # an exam of 100, and not all that can be asked
    python benchmarks/authoring.py DOCS --json                # the figures for machines

Of all documents, in an order drawn by their names, as many are copied as hold the chunks wanted; a file of rows
(.jsonl) is copied whole. Each corpus is ingested first; then `viva write` reads all its chunks and writes, in a
process of its own, on a fresh folder: without --items all that its chunks hold. Prints CPU seconds per chunk as a
ratio to those of the smallest corpus: 1 is linear.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from scale import viva

ALL = 100_000
"""More items than any of the corpora holds."""
NO_ITEM = 2
"""The exit code of a command that could not do what was asked, as where no item was accepted."""


@dataclass(frozen=True)
class AuthoringFigures:
    """What the writing of one corpus took."""

    chunks: int
    items: int
    seconds: float
    cpu_seconds: float
    peak_mib: int

    @property
    def per_chunk(self) -> float:
        """CPU seconds, the start of the process not taken out."""
        return self.cpu_seconds / self.chunks


def chunks_of(folders: list[Path], scratch: Path) -> dict[Path, int]:
    """How many chunks each file holds, by what ingesting it makes."""
    counted: dict[Path, int] = {}
    for number, folder in enumerate(folders):
        run = scratch / f"count-{number}"
        viva("ingest", str(folder), "--out", str(run))
        from viva.storage.runs import RunStore

        store = RunStore.open(run, None)
        paths = {document.id: document.path.split("#")[0] for document in store.documents()}
        for chunk in store.chunks():
            file = folder / paths[chunk.document_id]
            counted[file] = counted.get(file, 0) + 1
        store.close()
    return counted


def measured(counted: dict[Path, int], wanted: int, items_wanted: int, scratch: Path) -> AuthoringFigures:
    """The writing of the first documents that hold so many chunks."""
    docs, run, have = scratch / f"docs-{wanted}", scratch / f"run-{wanted}", 0
    docs.mkdir()
    for file in sorted(counted, key=lambda path: hashlib.sha256(path.name.encode()).hexdigest()):
        if have < wanted and (have + counted[file] <= 1.1 * wanted or not have):
            shutil.copy(file, docs / file.name)
            have += counted[file]
    viva("ingest", str(docs), "--out", str(run))
    # a few documents may hold nothing that can be asked: all their chunks were walked for that, too
    used = viva("write", run, "--items", str(items_wanted), may_end_with=NO_ITEM)
    from viva.storage.runs import RunStore

    store = RunStore.open(run, None)
    items, walked = len(store.items()), len(store.finished_chunks())
    store.close()
    if not walked:
        raise SystemExit("viva write walked no chunk.")
    return AuthoringFigures(have, items, round(used.seconds, 1), round(used.cpu_seconds, 1), round(used.peak_mib))


def main() -> None:
    """Measure every size and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", nargs="+", type=Path)
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 5000])
    parser.add_argument("--items", type=int, default=ALL, help="questions asked for (default: all that there are)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="viva-benchmark-") as folder:
        scratch = Path(folder)
        counted = chunks_of(given.docs, scratch)
        print(f"{sum(counted.values())} chunks in {len(counted)} files", file=sys.stderr)
        found = [measured(counted, size, given.items, scratch) for size in given.sizes]
    if given.json:
        print(json.dumps([asdict(each) for each in found], indent=2))
        return
    print(f"{'chunks':>8} {'items':>7} {'seconds':>9} {'CPU s':>8} {'MiB':>6} {'CPU per chunk':>14}")
    for each in found:
        ratio = each.per_chunk / found[0].per_chunk
        print(
            f"{each.chunks:8,} {each.items:7,} {each.seconds:9.1f} {each.cpu_seconds:8.1f} {each.peak_mib:6,}"
            f" {ratio:13.2f}x"
        )


if __name__ == "__main__":
    main()
