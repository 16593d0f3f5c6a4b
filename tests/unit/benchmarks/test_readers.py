"""How whole files are read: the share of words, cells and sentences of the test set that viva finds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks/readers"))

from readers import TYPES, read_by_viva, scored, suffix_of, written

PRINTED, OTHERS = (0.97, 0.9, 0.95, 0.9), (0.99, 0.98, 0.98, 0.9)
"""The least share of words, cells in their column, sentences in order, furniture left out."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
def test_words_cells_and_order_of_whole_files_are_kept(kind: str, tmp_path: Path) -> None:
    score, failed = scored(read_by_viva, written(kind, tmp_path))
    least = PRINTED if suffix_of(kind) == "pdf" else OTHERS
    assert failed == []
    assert all(share is None or share >= bound for share, bound in zip(score.shares(), least, strict=True))
