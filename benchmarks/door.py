"""What the door to language models costs: wall time against the ideal, CPU, bytes and memory per call.

    python benchmarks/door.py                          # 200 chunks, latency 1 s, 64 requests in flight
    python benchmarks/door.py --chunks 500 --latency 0.05   # more than 10,000 calls: does memory grow?
    python benchmarks/door.py --json

A scripted model server (tests/support/model_server.py) runs in a process of its own. `viva ingest` and then `viva
write` run in processes of their own, on a corpus made up here, one chunk per document; all chunks walk the item graph.
Printed:

- wall / ideal: seconds of the writing stage over calls x latency / requests in flight;
- CPU per call: user and system time of `viva write`, less that of a `viva write` with nothing left to do, per call;
- bytes per call: what the writing adds to the run folder (ledger, events, items, steps, checkpoints);
- peak resident memory of `viva write`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

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
            f"{draw.randrange(1800, 2020)} and moves {draw.randrange(20, 900)} crates an hour when the {draw.choice(_THINGS)} is shut."
            for n in range(8)
        ]
        (folder / f"note-{number:04d}.md").write_text(f"# Note {number}\n\n" + " ".join(lines) + "\n", "utf-8")


def viva(*arguments: str | Path) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds and peak resident bytes of one command."""
    line = [sys.executable, "-m", "viva", *map(str, arguments)]
    started = time.perf_counter()
    process = subprocess.Popen(line, env=os.environ | {"OPENAI_API_KEY": "none"}, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(process.returncode)
    peak = used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss * 1024
    return time.perf_counter() - started, used.ru_utime + used.ru_stime, peak


def standing(run: Path) -> dict[str, Any]:
    """How the run stands."""
    line = [sys.executable, "-m", "viva", "show", str(run), "--json"]
    return dict(json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout))


def size(folder: Path) -> int:
    """Bytes of all files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def measured(chunks: int, latency: float, concurrency: int) -> dict[str, Any]:
    """One run, from nothing."""
    with tempfile.TemporaryDirectory(prefix="viva-benchmark-") as place:
        corpus, run = Path(place) / "corpus", Path(place) / "run"
        write_corpus(corpus, chunks)
        server = subprocess.Popen(
            [sys.executable, str(SERVER), "--latency", str(latency)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            viva("ingest", corpus, "--out", run, "--model", "openai:scripted", "--base-url", url)
            before = size(run)
            options = ("--items", str(10 * chunks), "--concurrency", str(concurrency))
            wall, cpu, peak = viva("write", run, *options)
            written = size(run) - before
            found = standing(run)
            _, idle_cpu, idle_peak = viva("write", run, *options)
        finally:
            server.communicate("")
    calls = sum(use["requests"] for use in found["model_use"])
    ideal = calls * latency / concurrency
    return {
        "chunks": found["funnel"]["chunks"],
        "calls": calls,
        "accepted": found["funnel"]["accepted"],
        "wall_s": round(found["seconds"]["write"], 2),
        "ideal_s": round(ideal, 2),
        "wall_over_ideal": round(found["seconds"]["write"] / ideal, 3),
        "command_wall_s": round(wall, 2),
        "cpu_ms_per_call": round(1000 * (cpu - idle_cpu) / calls, 2),
        "bytes_per_call": round(written / calls),
        "peak_mib": round(peak / 2**20),
        "idle_peak_mib": round(idle_peak / 2**20),
        "cores": os.cpu_count(),
    }


def main() -> None:
    """Run once and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=200)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds per call")
    parser.add_argument("--concurrency", type=int, default=64, help="requests in flight")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    found = measured(given.chunks, given.latency, given.concurrency)
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' '):20} {value}")


if __name__ == "__main__":
    main()
