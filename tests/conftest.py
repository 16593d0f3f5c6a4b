"""For all tests: what was imported and collected stays; it is not looked through for garbage time and again."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """The imports and the tests themselves are most of a worker's objects."""
    gc.collect()
    gc.freeze()
