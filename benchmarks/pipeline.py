"""How long the walk takes, where the time goes, and how much memory it needs.

    python benchmarks/pipeline.py                       # examples/handbook, the default panel
    python benchmarks/pipeline.py DOCS --items 150      # another folder; further options go to `viva run`
    python benchmarks/pipeline.py DOCS --json           # the figures for machines

Runs `viva run DOCS` in a process of its own, on a fresh run folder (nothing cached), and prints: seconds in all and
per stage with their share; what starting and importing took (in all, less the stages); items accepted per minute of
writing; questions answered per second of sitting; the peak resident set of the process (getrusage of children, the
largest alone). Figures are of one run on this machine as busy as it was: repeat before comparing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HANDBOOK = Path(__file__).parents[1] / "examples/handbook"


def walked(docs: Path, options: list[str], run: Path) -> tuple[float, dict[str, Any]]:
    """Wall seconds of the walk, and how the run stands after it."""
    line = [sys.executable, "-m", "viva", "run", str(docs), "--out", str(run), "--json", *options]
    started = time.perf_counter()
    ended = subprocess.run(line, stdout=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - started
    if ended.returncode:
        raise SystemExit(ended.returncode)
    return seconds, json.loads(ended.stdout)


def peak_bytes() -> int:
    """Of the largest child so far. getrusage counts in KiB, on macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def figures(seconds: float, standing: dict[str, Any]) -> dict[str, Any]:
    """What the walk came to. Rates are None where a stage took no measurable time."""
    stages: dict[str, float] = standing["seconds"]
    accepted = standing["funnel"]["accepted"]
    asked = sum(row["asked"] for row in standing["scores"]["examinees"])
    spent = {**stages, "start and imports": round(seconds - sum(stages.values()), 3)}
    return {
        "seconds": round(seconds, 1),
        "documents": standing["statistics"]["documents"],
        "chunks": standing["statistics"]["chunks"],
        "accepted": accepted,
        "examinees": len(standing["scores"]["examinees"]),
        "responses": asked,
        "items_per_minute_of_writing": round(60 * accepted / stages["write"], 1) if stages["write"] else None,
        "items_per_minute_in_all": round(60 * accepted / seconds, 1),
        "responses_per_second_of_sitting": round(asked / stages["sit"], 1) if stages["sit"] else None,
        "peak_mib": round(peak_bytes() / 2**20),
        "cores": os.cpu_count(),
        "seconds_of": spent,
        "share_of": {stage: round(spent[stage] / seconds, 3) for stage in spent},
    }


def main() -> None:
    """Run once and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", nargs="?", type=Path, default=HANDBOOK)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="viva-benchmark-") as folder:
        found = figures(*walked(given.docs, options, Path(folder) / "run"))
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        if not isinstance(value, dict):
            print(f"{name.replace('_', ' '):34} {value}")
    for stage, seconds in found["seconds_of"].items():
        print(f"  {stage:32} {seconds:8.2f} s {found['share_of'][stage]:7.1%}")


if __name__ == "__main__":
    main()
