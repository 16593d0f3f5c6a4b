"""Measures what an accepted item takes, for the table of viva/graphs/authoring/call_rates.py.

    python benchmarks/call_rates.py [RUN]

RUN: a run folder whose exam language models wrote; without it the demo's exam is written anew from its recording.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from record_demo import ROOT, recipe

from viva.core.blueprint import Blueprint
from viva.core.calls import Usage
from viva.core.records import ItemKind
from viva.core.settings import Settings
from viva.graphs.authoring.batching import wanted_of_kinds
from viva.graphs.authoring.call_rates import mean_tokens
from viva.graphs.context import RunContext
from viva.graphs.resources.run_settings import settings_of_run
from viva.llm.tokens import counted
from viva.storage.ledger import open_recorded

Requests = list[tuple[float, Usage]]
"""Tokens of the chunk that was walked, and those of the request."""


def main(run: Path) -> None:
    """Print the rows."""
    with closing(RunContext(run, Settings())) as context, open_recorded(run) as ledger:
        chunks, sample, walks = context.chunks, context.sample, context.store.walk_counts()
        mean = mean_tokens(chunks.values())
        found: dict[str, dict[ItemKind, Requests]] = defaultdict(lambda: defaultdict(list))
        for entry in ledger.entries():
            if entry.reply is not None and entry.chunk_id in walks:
                first = chunks[sample.chunks_of[entry.chunk_id][0]]
                usage = counted(entry.call, entry.reply)
                found[entry.role][sample.kind_of[entry.chunk_id]].append((mean_tokens([first]), usage))
        items = context.store.written()
        accepted = tuple(sum(item.kind is kind for item in items) for kind in ItemKind)
        settings = settings_of_run(run, {}, str)
        asked_for = wanted_of_kinds(settings, Blueprint.read(settings.blueprint))
        wanted = tuple(asked_for.get(kind, 0) for kind in ItemKind)
        sources = tuple(sum(sample.kind_of[id_] is kind for id_ in walks) for kind in ItemKind)
        print(f"{len(chunks)} chunks of {mean:.1f} tokens")
        print(f"_ITEMS_PER_CHUNK = {context.store.run.settings['items_per_chunk']}")
        print(f"_ACCEPTED, _WANTED, _SOURCES = {accepted}, {wanted}, {sources}")
        for role, of_kind in sorted(found.items()):
            print(f'    "{role}": _Role({_row(of_kind, mean)}),')


def _row(of_kind: dict[ItemKind, Requests], mean: float) -> str:
    """One row. Instructions are where the line through the single-hop requests, tokens by chunk tokens, begins."""
    single = of_kind[ItemKind.SINGLE_HOP]
    lengths, read = [length for length, _ in single], [usage.input_tokens or 0 for _, usage in single]
    _slope, start = np.polyfit(lengths, read, 1)
    instructions = round(float(start))
    held = []
    for kind in ItemKind:
        tokens = [usage.input_tokens or 0 for _, usage in of_kind[kind]]
        held.append(max(round((float(np.mean(tokens)) - instructions) / mean, 1), 0.0) if tokens else 0.0)
    output = round(
        float(np.mean([usage.output_tokens or 0 for requests in of_kind.values() for _, usage in requests]))
    )
    calls = tuple(len(of_kind[kind]) for kind in ItemKind)
    return f"{calls}, {instructions}, {tuple(held)}, {output}"


def _written_anew(run: Path) -> None:
    """Write the demo's exam from its recording."""
    line = recipe()
    line[line.index("--out") + 1] = str(run)
    asked = [*line[: line.index("--examinee")], "--examinee", "closed-book"]
    subprocess.run([sys.executable, "-m", "viva", *asked], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as place:
            _written_anew(Path(place) / "run")
            main(Path(place) / "run")
