"""What a run folder holds, read past the command line: for tests that compare runs or watch one at work."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

# facts of a walk: once there, they stay; logs may grow
FACTS = ("documents", "chunks", "exclusions", "chunk_walks", "items", "rejections", "steps", "examinees", "responses")
# how long something took differs from run to run
_TIMED = {"duration_s", "latency_s", "first_s", "p50_s", "p95_s"}


def count(folder: Path, table: str, where: str = "1") -> int:
    """Rows of a table of a run that may be at work, or not there yet (0)."""
    file = folder / "run.sqlite"
    if not file.exists():
        return 0
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)
    try:
        return int(connection.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0])
    except sqlite3.OperationalError:  # the tables are being made
        return 0
    finally:
        connection.close()


def facts(folder: Path) -> dict[str, Counter[str]]:
    """Every row of every fact table, as JSON without times; a Counter, so that a doubled row shows."""
    if not count(folder, "run"):
        return {table: Counter() for table in FACTS}
    connection = sqlite3.connect(folder / "run.sqlite", timeout=5)
    try:
        bodies = {t: [row[0] for row in connection.execute(f"SELECT body FROM {t}")] for t in FACTS}
    finally:
        connection.close()
    return {table: Counter(timeless(body) for body in found) for table, found in bodies.items()}


def latest(folder: Path, kind: str) -> Any:
    """The latest result of a kind, without times; None where there is none."""
    connection = sqlite3.connect(folder / "run.sqlite", timeout=5)
    try:
        query = "SELECT body FROM results WHERE kind = ? ORDER BY position DESC LIMIT 1"
        found = connection.execute(query, (kind,)).fetchone()
    finally:
        connection.close()
    return None if found is None else json.loads(timeless(found[0]))


def timeless(body: str) -> str:
    return json.dumps(_without_times(json.loads(body)), sort_keys=True)


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if k not in _TIMED}
    if isinstance(value, list):
        return [_without_times(each) for each in value]
    return value
