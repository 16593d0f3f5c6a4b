"""The tuning of the item reviewer repeats from its recording, to the figures of docs/tuning.md."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RECORDED = "replay:benchmarks/review/tune_review.ledger.sqlite#openai:claude-by-hand"


@pytest.mark.slow
def test_the_recorded_tuning_repeats_and_its_text_is_not_adopted(tmp_path: Path) -> None:
    command = [sys.executable, "benchmarks/review/tune_review.py", RECORDED, "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    found = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert found["parts"] == {"train": 36, "validation": 40, "test": 81}
    before, after = (found["by decided items"][name]["people by judge"] for name in ("base", "tuned"))
    assert (before, after) == ([[7, 8], [1, 56]], [[9, 6], [1, 56]])
    assert not found["adoption"]["adopted"]
    # why an exam goes by the sum of a review's ratings (decision 68)
    assert found["ratings of printed items"] == {"good": 85, "bad": 13, "sum": 0.806, "least": 0.705}
    base = ROOT / "benchmarks/review/judge_item.md"
    assert (tmp_path / "judge_item.0.md").read_text(encoding="utf-8") == base.read_text(encoding="utf-8")
