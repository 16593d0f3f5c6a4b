"""Seconds per stage, summed over all processes that worked on a run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from viva.core.accounts import StageTime
from viva.storage.runs import RunStore

STAGES = ("ingest", "write", "sit", "oral", "score", "diagnose", "report")
_RESULT = "times"


class StageTimes:
    """The times of one run; `store` returns its run store, None before there is a run."""

    def __init__(self, store: Callable[[], RunStore | None]) -> None:
        self._store = store
        self._at_work: Counter[str] = Counter()
        self._since: dict[str, float] = {}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time spent inside to the stage, also after an error; overlapping tasks count once."""
        self._at_work[stage] += 1
        if self._at_work[stage] == 1:
            self._since[stage] = time.perf_counter()
        try:
            yield
        finally:
            self._at_work[stage] -= 1
            store = self._store()
            if not self._at_work[stage] and store is not None:
                times = store.latest_result(_RESULT) or {}
                times[stage] = round(times.get(stage, 0.0) + time.perf_counter() - self._since[stage], 3)
                store.add_result(_RESULT, times)


def times_of(store: RunStore) -> tuple[StageTime, ...]:
    """Seconds per stage over all processes on this folder, in the order of the stages."""
    times = store.latest_result(_RESULT) or {}
    return tuple(StageTime(stage=stage, seconds=times[stage]) for stage in STAGES if stage in times)
