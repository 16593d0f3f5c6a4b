"""The process of a command: where its output goes, its threads, its garbage collection."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


@contextmanager
def output_kept_clean() -> Iterator[None]:
    """Send to standard error what a user's system or its child processes print inside."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # closed: nothing can be printed there
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


_OBJECTS_BETWEEN_COLLECTIONS = 10_000


@contextmanager
def prepared_process() -> Iterator[None]:
    """Prepare this process for a command that takes long.

    What others print goes to standard error. Linear algebra has one thread: more make small matrices slower. What
    was imported is set aside from the garbage collector, which takes a tenth of the CPU otherwise.
    """
    from threadpoolctl import threadpool_limits

    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *before[1:])
    try:
        with output_kept_clean(), threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
