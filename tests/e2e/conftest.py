"""One finished run for all, and copies of it for those who change it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

from command import viva  # noqa: E402
from harbour import CHOICES, PANEL, asked, write_corpus  # noqa: E402


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harbour's documents."""
    return write_corpus(tmp_path_factory.mktemp("corpus") / "harbour")


@pytest.fixture(scope="session")
def finished(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that went undisturbed to its end. Do not change it."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    done = viva("run", corpus, "--out", folder, *CHOICES, *asked(*PANEL))
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """A finished run of one's own."""
    folder = tmp_path / "run"
    shutil.copytree(finished, folder)
    return folder
