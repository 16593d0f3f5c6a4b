"""A real PostgreSQL server, started once for all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from postgres_server import Server, started


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with started() as server:
        yield server
