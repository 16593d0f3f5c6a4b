"""The documentation tells what viva has, not what it had."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
GONE = re.compile(
    r"viva probe|viva tune local|--adaptive\b|--se-target|--judge-repeats|mml-persons|correctness-(?:local|default)"
    r"|faithfulness-local|answerability-local|\bfake:|\bGIFT\b|\bAiken\b"
    r"|viva refine [^\n|]*--(?:dry-run|quantile|method)"
    r"|viva plan [^\n|]*--sample|exam review [^\n|]*--finish|local-judge\.md"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_names_what_is_gone(page: Path) -> None:
    assert page.is_file()
    assert GONE.findall(page.read_text(encoding="utf-8")) == []
