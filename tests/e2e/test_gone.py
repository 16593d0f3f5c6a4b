"""What is gone is named in one sentence with what to use instead; what was made with it opens."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import fresh, viva


@pytest.mark.parametrize(
    "command",
    [
        ["run", "--out", "run"],
        pytest.param(["plan"], marks=pytest.mark.slow),
        pytest.param(["run", "--out", "run", "-e", "bm25+fake:b"], marks=pytest.mark.slow),
    ],
)
def test_the_fake_model_is_no_part_of_the_command_line(corpus: Path, tmp_path: Path, command: list[str]) -> None:
    model = [] if "-e" in command else ["--model", "fake:any"]
    done = fresh(command[0], corpus, *command[1:], *model, folder=tmp_path)
    assert done.code == 2
    assert "the fake model is no part of viva any more; name a recording (replay:LEDGER)" in done.err
    assert not (tmp_path / "run" / "run.sqlite").exists()


@pytest.mark.slow
def test_a_run_that_the_fake_model_wrote_can_be_scored_reported_and_shown(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    line = ("--items", "4", "--worked-examples", "0", "--model", "fake:any", "--examinee", "bm25+lexical")
    assert viva("run", corpus, "--out", folder, *line).code == 0
    for command in ("score", "report", "show"):
        done = fresh(command, folder)
        assert done.code == 0, (command, done.err)
