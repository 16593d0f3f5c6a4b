"""How long the committee takes beside the calls to its models: wall time, CPU, and time with few requests open.

    python benchmarks/authoring_wall.py DOCS                      # 20 questions from 20 pages of the folder
    python benchmarks/authoring_wall.py DOCS --latency 0.1 0.9    # each request takes a time drawn from this range
    python benchmarks/authoring_wall.py DOCS --json

Pages are drawn by their names. `viva ingest` and `viva write` run in processes of their own, one after the other,
against a scripted model server (tests/support/model_server.py) in another. Printed of `viva write`, which makes all
calls:

- wall, ideal (calls x mean latency / requests in flight), and the bound of 1.3 x ideal + 10 s;
- CPU seconds (user and system) of both;
- the longest time between first and last request in which none was open;
- the share of that time in which at most two were open;
- a hash of the exam, which the latencies must not change.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from gateway import SERVER
from scale import viva

FEW = 2
"""Requests open, at most so many of which is counted as waiting."""


def drawn(docs: Path, pages: int, folder: Path) -> None:
    """Copy so many files of the folder, drawn by their names."""
    files = [file for file in docs.rglob("*") if file.suffix in {".md", ".rst", ".html", ".txt"}]
    files.sort(key=lambda file: hashlib.sha256(file.name.encode()).hexdigest())
    folder.mkdir()
    for file in files[:pages]:
        shutil.copy(file, folder / file.name)


def open_times(log: Path) -> tuple[int, float, float, float]:
    """Requests, seconds from the first to the last, the longest time with none open, seconds with at most `FEW`."""
    calls = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    changes = sorted([(call["begun"], 1) for call in calls] + [(call["ended"], -1) for call in calls])
    longest = few = 0.0
    opened, before = 0, changes[0][0]
    for moment, change in changes:
        if opened == 0:
            longest = max(longest, moment - before)
        if opened <= FEW:
            few += moment - before
        opened, before = opened + change, moment
    return len(calls), before - changes[0][0], longest, few


def measured(docs: Path, pages: int, items: int, latency: list[float], concurrency: int) -> dict[str, Any]:
    """The figures of one run, from nothing."""
    with tempfile.TemporaryDirectory(prefix="viva-benchmark-") as place:
        corpus, run, log = Path(place) / "corpus", Path(place) / "run", Path(place) / "calls.jsonl"
        drawn(docs, pages, corpus)
        line = [sys.executable, str(SERVER), "--log", str(log), "--latency", *map(str, latency)]
        server = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            model = ("--model", "openai:scripted", "--base-url", server.stdout.readline().strip())
            ingested = viva("ingest", corpus, "--out", run, *model)
            written = viva("write", run, "--items", str(items), "--concurrency", str(concurrency))
        finally:
            server.communicate("")
        calls, span, longest, few = open_times(log)
        exam = hashlib.sha256((run / "exam.jsonl").read_bytes()).hexdigest()[:12]
        ideal = calls * sum(latency) / len(latency) / concurrency
        return {
            "calls": calls,
            "wall_s": round(written.seconds, 1),
            "ideal_s": round(ideal, 1),
            "bound_s": round(1.3 * ideal + 10, 1),
            "ingest_wall_s": round(ingested.seconds, 1),
            "cpu_s": round(ingested.cpu_seconds + written.cpu_seconds, 1),
            "longest_gap_s": round(longest, 2),
            "share_of_at_most_two_open": round(few / span, 3),
            "exam": exam,
        }


def main() -> None:
    """Run once and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--latency", type=float, nargs="+", default=[0.3], help="seconds, or the ends of a range")
    parser.add_argument("--concurrency", type=int, default=8, help="requests in flight")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    found = measured(given.docs, given.pages, given.items, given.latency, given.concurrency)
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' '):28} {value}")


if __name__ == "__main__":
    main()
