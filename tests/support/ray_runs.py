"""Runs whose work Ray spreads: how to start one, what it left on record, and which processes it is made of."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from command import Running
from standing import timeless

from viva.storage.runs import RunStore

OPTIONS = ("--engine", "ray", "--workers", "2")


def on_ray(database_url: str, *command: str | Path) -> Running:
    """The command on a cluster of its own, which lives as long as it does."""
    return Running(*command, *OPTIONS, "--database-url", database_url)


def on_record(folder: Path, database_url: str | None = None) -> dict[str, list[str]]:
    """All that a run has made, without times: one JSON text for each record."""
    with RunStore.open(folder, database_url) as store:
        walked = sorted(store.finished_chunks())
        found = {
            "extractions": store.extractions().values(),
            "items": store.written(),
            "rejections": store.rejections(),
            "steps": [step for chunk_id in walked for step in store.steps(chunk_id)],
            "exams": store.exams(),
            "examinees": store.examinees(),
            "responses": store.responses(),
        }
        scores = (folder / "scores.json").read_text(encoding="utf-8")
        texts = {name: [timeless(each.model_dump_json()) for each in records] for name, records in found.items()}
        return {**texts, "scores": [timeless(scores)]}


def processes_of(pid: int, named: str = "") -> list[int]:
    """Processes below this one, the eldest first, whose command line begins so."""
    parents, names = {}, {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            each = int(folder.name)
            parents[each] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            names[each] = (folder / "cmdline").read_bytes().decode(errors="replace")
    below: list[int] = []
    for each in sorted(parents):
        above, seen = each, set[int]()
        while above in parents and above not in seen:
            seen.add(above)
            above = parents[above]
            if above == pid:
                below.append(each)
                break
    return [each for each in below if names[each].startswith(named)]


def workers_of(running: Running) -> list[int]:
    """The workers that are there now."""
    return processes_of(running.pid, "ray::Worker")


def alive(pid: int) -> bool:
    """Whether the process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def heard_beyond_loopback(processes: list[int]) -> list[str]:
    """Addresses, as the kernel writes them, at which these processes listen and other machines could reach them."""
    sockets = set()
    for pid in processes:
        with suppress(OSError):
            sockets |= {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [
        row.split() for table in ("tcp", "tcp6") for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    listening = [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]
    assert listening
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    return [address for address in listening if address.partition(":")[0] not in loopback]
