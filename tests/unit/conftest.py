"""What the unit tests share: helpers in tests/support, and the real embedding model, loaded once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from by_hand import MemoryCache
from fake_model import provider

from viva.llm.embeddings import SentenceTransformerEmbedder

provider.register()


@pytest.fixture(autouse=True)
def _no_shipped_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was measured of judges before they shipped is no test's matter, but that of test_compiled_judges."""
    monkeypatch.setattr("viva.storage.judges.shipped_folder", lambda: Path("no folder of shipped judges"))


@pytest.fixture(scope="session")
def minilm() -> SentenceTransformerEmbedder:
    """The bundled model on one thread. Loading it takes seconds: ask for it only where a meaning is compared."""
    return SentenceTransformerEmbedder("minilm", MemoryCache(), threads=1)
