"""For all tests: what was imported and collected stays, and nothing is written into the user's own folders."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

# read when numpy, scipy and torch are loaded: the matrices here are small, and threads that wait for each other take
# longer than the work
for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def pytest_collection_finish() -> None:
    """The imports and the tests themselves are most of a worker's objects."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_judges_of_ones_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Judges that the user has installed are in no test, and none is installed among them."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("VIVA_JUDGES", str(tmp_path_factory.mktemp("judges")))
        yield
