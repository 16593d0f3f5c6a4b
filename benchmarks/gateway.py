"""What the client of language models costs: wall time against the ideal, CPU, bytes and memory per call.

    python benchmarks/gateway.py                          # 200 chunks, latency 1 s, 64 requests in flight
    python benchmarks/gateway.py --chunks 500 --latency 0.05   # more than 10,000 calls: does memory grow?
    python benchmarks/gateway.py --agreeable              # a server that finds nothing wrong with any draft
    python benchmarks/gateway.py --json

A scripted model server (tests/support/model_server.py) runs in a process of its own. `viva ingest` and then `viva
write` run in processes of their own, on a corpus made up here, one chunk per document; all are walked. Printed:

- wall / ideal: seconds of the writing stage over calls x latency / requests in flight. What is lost is the end, where
  the few chunks whose drafts were refused walk on, one request after another;
- CPU per call: user and system time of `viva write`, less that of one of a tenth the size, per call more;
- bytes per call: what the writing adds to the run folder (ledger, events, items, steps, checkpoints);
- peak resident memory of `viva write`, and of the one of a tenth the size.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from scale import Used, bytes_of, viva

ROOT = Path(__file__).parents[1]
SERVER = ROOT / "tests/support/model_server.py"
_THINGS = "pump valve lantern ferry ledger engine mooring beacon kettle winch signal cable".split()
_PLACES = "north basin|old quay|upper lock|grain store|signal tower|east pier|coal yard|chart room".split("|")


def write_corpus(folder: Path, chunks: int) -> None:
    """One document per chunk, each of eight sentences with facts of its own."""
    draw = Random(7)
    folder.mkdir()
    for number in range(chunks):
        lines = [
            f"The {draw.choice(_THINGS)} {number}-{n} of the {draw.choice(_PLACES)} was built in "
            f"{draw.randrange(1800, 2020)} and moves {draw.randrange(20, 900)} crates an hour when the "
            f"{draw.choice(_THINGS)} is shut."
            for n in range(8)
        ]
        (folder / f"note-{number:04d}.md").write_text(f"# Note {number}\n\n" + " ".join(lines) + "\n", "utf-8")


def standing(run: Path) -> dict[str, Any]:
    """How the run stands."""
    line = [sys.executable, "-m", "viva", "show", str(run), "--json"]
    return dict(json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout))


@dataclass(frozen=True)
class Written:
    """What one `viva write` took."""

    standing: dict[str, Any]
    calls: int
    used: Used
    bytes_written: int


def written(chunks: int, latency: float, concurrency: int, items_per_chunk: int, how: list[str]) -> Written:
    """One run, from nothing, against a server of its own."""
    with tempfile.TemporaryDirectory(prefix="viva-benchmark-") as place:
        corpus, run = Path(place) / "corpus", Path(place) / "run"
        write_corpus(corpus, chunks)
        line = [sys.executable, str(SERVER), "--latency", str(latency), *how]
        server = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            model = ("--model", "openai:scripted", "--base-url", url)
            viva("ingest", corpus, "--out", run, *model, "--items-per-chunk", str(items_per_chunk))
            before = sum(bytes_of(run).values())
            # more items than there can be, so that every chunk is walked, in one batch
            wanted = str(10 * items_per_chunk * chunks)
            used = viva("write", run, "--items", wanted, "--concurrency", str(concurrency))
        finally:
            server.communicate("")
        found = standing(run)
        calls = sum(use["requests"] for use in found["model_use"])
        return Written(found, calls, used, sum(bytes_of(run).values()) - before)


def measured(chunks: int, latency: float, concurrency: int, items_per_chunk: int, how: list[str]) -> dict[str, Any]:
    """The figures of a run, with a tenth of it run before for what starting costs."""
    small = written(max(chunks // 10, 2), 0.05, concurrency, items_per_chunk, how)
    whole = written(chunks, latency, concurrency, items_per_chunk, how)
    ideal = whole.calls * latency / concurrency
    seconds = whole.standing["seconds"]["write"]
    funnel = whole.standing["funnel"]
    return {
        "chunks": funnel["chunks"],
        "calls": whole.calls,
        "accepted": funnel["accepted"],
        "rejected": sum(funnel["rejected"].values()),
        "wall_s": round(seconds, 2),
        "ideal_s": round(ideal, 2),
        "wall_over_ideal": round(seconds / ideal, 3),
        "command_wall_s": round(whole.used.seconds, 2),
        "cpu_ms_per_call": round(
            1000 * (whole.used.cpu_seconds - small.used.cpu_seconds) / (whole.calls - small.calls), 2
        ),
        "bytes_per_call": round(whole.bytes_written / whole.calls),
        "peak_mib": round(whole.used.peak_mib),
        "peak_mib_of_a_tenth": round(small.used.peak_mib),
        "cores": os.cpu_count(),
    }


def main() -> None:
    """Run once and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=200)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds per call")
    parser.add_argument("--concurrency", type=int, default=64, help="requests in flight")
    parser.add_argument("--items-per-chunk", type=int, default=2)
    parser.add_argument("--agreeable", action="store_true")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    how = ["--agreeable"] if given.agreeable else []
    found = measured(given.chunks, given.latency, given.concurrency, given.items_per_chunk, how)
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' '):20} {value}")


if __name__ == "__main__":
    main()
