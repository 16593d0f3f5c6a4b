"""One BLAS thread: the matrices here are small, and threads that wait for each other take longer than the work."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import scipy.linalg
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

# numpy and scipy each bring a BLAS of their own; both must be loaded before they can be limited
LOADED = (np.linalg, scipy.linalg)


@pytest.fixture(scope="session", autouse=True)
def _one_blas_thread() -> Iterator[None]:
    with threadpool_limits(limits=1, user_api="blas"):
        yield
