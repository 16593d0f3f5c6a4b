"""One seed, one exam: whatever the process, its hash seed, its locale, its time zone and its arithmetic."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import fresh, viva
from harbour import CHOICES, PANEL, asked, begun
from standing import facts, latest

from viva.exams.file import read_exam

FOREIGN = {"PYTHONHASHSEED": "2", "LC_ALL": "C", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Apia", "PYTHONUTF8": "0"}
# two threads, and none of the instructions that a newer processor has
OTHER_ARITHMETIC = {
    "OMP_NUM_THREADS": "2",
    "MKL_NUM_THREADS": "2",
    "OPENBLAS_NUM_THREADS": "2",
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
}


@pytest.mark.slow
def test_another_process_hash_seed_locale_and_time_zone_give_the_same_exam(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    folder = begun(tmp_path / "run", finished)
    done = fresh("run", corpus, "--out", folder, *CHOICES, *asked("closed-book+lexical"), environment=FOREIGN)
    assert done.code == 0, done.err
    assert (folder / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()


@pytest.mark.slow
def test_another_arithmetic_gives_the_same_exam_and_the_same_answers_to_the_last_digit(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    # no vector is known beforehand: all are computed anew
    done = fresh(
        "run", corpus, "--out", tmp_path / "run", *CHOICES, *asked(*PANEL), environment=OTHER_ARITHMETIC, seconds=240
    )
    assert done.code == 0, done.err
    assert (tmp_path / "run/exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()
    assert facts(tmp_path / "run") == facts(finished)
    assert latest(tmp_path / "run", "scores") == latest(finished, "scores")


@pytest.mark.slow
def test_a_moved_corpus_gives_the_same_exam_and_another_seed_another(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    moved = shutil.copytree(corpus, tmp_path / "elsewhere")
    for name, seed in (("same", "0"), ("other", "1")):
        folder = begun(tmp_path / name, finished)
        assert viva("ingest", moved, "--out", folder, "--items-per-chunk", "8", "--seed", seed).code == 0
        assert viva("write", folder, "--items", "40", "--worked-examples", "2").code == 0
    exam = (finished / "exam.jsonl").read_bytes()
    assert (tmp_path / "same/exam.jsonl").read_bytes() == exam
    other = (tmp_path / "other/exam.jsonl").read_bytes()
    assert other != exam
    assert len(other.splitlines()) > 10


def test_the_exam_shows_its_key_at_every_position_equally_often(finished: Path) -> None:
    shown = read_exam(finished / "exam.jsonl").items
    assert all(each.options[each.key_position] == each.item.key for each in shown)
    counts = [sum(each.key_position == position for each in shown) for position in range(4)]
    assert max(counts) - min(counts) <= 1
