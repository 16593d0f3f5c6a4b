"""The builder of synthetic reports lies in tests/support; reports that many tests read are rendered once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from report_data import HOSTILE, build

from viva.reports.html import render_report

if TYPE_CHECKING:
    from viva.reports.data import ReportData


@pytest.fixture(scope="session")
def data() -> ReportData:
    """A report of realistic size."""
    return build()


@pytest.fixture(scope="session")
def page(data: ReportData) -> str:
    """That report as HTML."""
    return render_report(data)


@pytest.fixture(scope="session")
def soup(page: str) -> BeautifulSoup:
    """That HTML, parsed."""
    return BeautifulSoup(page, "html.parser")


@pytest.fixture(scope="session")
def hostile() -> BeautifulSoup:
    """A report whose every foreign text tries to run a script."""
    return BeautifulSoup(render_report(build(taint=HOSTILE, asked=True)), "html.parser")
