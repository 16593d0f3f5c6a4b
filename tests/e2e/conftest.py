"""One finished run for all, the workers of xdist too, and copies of it for those who change it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

import vectors  # noqa: E402
from command import copy_run, viva  # noqa: E402
from harbour import CHOICES, PANEL, asked, write_corpus  # noqa: E402


@pytest.fixture(scope="session")
def everybodys(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The session's folder; a worker's own lies in it."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@pytest.fixture(scope="session", autouse=True)
def _vectors(everybodys: Path) -> Iterator[None]:
    """What was recorded, or embedded by one command of the session, no other command need embed again."""
    if vectors.FOLDER in os.environ:
        # they are being recorded
        yield
        return
    folder, whole = everybodys / "vectors", everybodys / "vectors" / "whole"
    with FileLock(everybodys / "vectors.lock"):
        if not whole.exists():
            vectors.unpack(folder)
            whole.touch()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(vectors.FOLDER, str(folder))
        yield


@pytest.fixture(scope="session")
def corpus(everybodys: Path) -> Path:
    """The harbour's documents."""
    folder = everybodys / "corpus" / "harbour"
    with FileLock(everybodys / "corpus.lock"):
        return folder if folder.exists() else write_corpus(folder)


@pytest.fixture(scope="session")
def finished(corpus: Path, everybodys: Path) -> Path:
    """A run that went undisturbed to its end. Do not change it."""
    folder, ended = everybodys / "finished" / "run", everybodys / "finished" / "ended"
    with FileLock(everybodys / "finished.lock"):
        if not ended.exists():
            done = viva("run", corpus, "--out", folder, *CHOICES, *asked(*PANEL))
            assert done.code == 0, done.err
            ended.touch()
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """A finished run of one's own."""
    folder = tmp_path / "run"
    copy_run(finished, folder)
    return folder
