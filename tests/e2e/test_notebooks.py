"""The notebooks of the examples run from the first cell to the last, and show what they say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_first_exam_notebook_runs_and_shows_exam_leaderboard_pair_and_causes(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    shutil.copytree(ROOT / "examples/handbook", tmp_path / "handbook")
    (tmp_path / "notebooks").mkdir()
    notebook = nbformat.read(ROOT / "examples/notebooks/first_exam.ipynb", as_version=4)
    shown = _shown(notebook)
    for cell in notebook.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell["outputs"] = []
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path / "notebooks")}}).execute()
    again = _shown(notebook)
    for words in ("Exam of 24 questions", "Leaderboard", "one_passage", "Causes of wrong answers", "report.html"):
        assert words in again
        # the outputs that are kept in the file are those of these cells
        assert words in shown
    assert (tmp_path / "notebooks/viva-runs/first-exam/report.html").is_file()


def _shown(notebook: object) -> str:
    texts = []
    for cell in notebook.cells:  # type: ignore[attr-defined]
        for output in cell.get("outputs", []):
            texts += [output.get("text", ""), *map(str, output.get("data", {}).values())]
    return "\n".join(texts)
