"""A run folder inside the documents folder: its report and exam are no documents of the corpus."""

from __future__ import annotations

from pathlib import Path

from viva.core.settings import Settings
from viva.graphs import stages
from viva.graphs.context import RunContext

PROSE = "# Pumps\n\nThe bilge pump of the Morven Tern moves 300 litres per minute.\n"


def ingested(docs: Path, out: Path) -> list[str]:
    context = RunContext(out, Settings(), documents_folder=docs)
    stages.ingest(context)
    paths = [document.path for document in context.store.documents()]
    context.close()
    return paths


def test_a_run_folder_inside_the_documents_is_not_read_and_the_run_can_go_on(tmp_path: Path) -> None:
    (tmp_path / "pumps.md").write_text(PROSE, encoding="utf-8")
    out = tmp_path / "results" / "run"
    assert ingested(tmp_path, out) == ["pumps.md"]
    (out / "report.html").write_text("<p>The key of the first question is C.</p>", encoding="utf-8")
    assert ingested(tmp_path, out) == ["pumps.md"]


def test_the_default_run_folders_are_never_documents(tmp_path: Path) -> None:
    (tmp_path / "pumps.md").write_text(PROSE, encoding="utf-8")
    (tmp_path / "viva-runs" / "old").mkdir(parents=True)
    (tmp_path / "viva-runs" / "old" / "report.html").write_text("<p>The key is C.</p>", encoding="utf-8")
    assert ingested(tmp_path, tmp_path / "viva-runs" / "new") == ["pumps.md"]
