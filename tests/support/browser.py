"""A real browser without a window; a test is skipped where none is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@contextmanager
def headless_chromium() -> Iterator[Any]:
    """Playwright's browser. While it is open, no other event loop may run in this thread."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
    if not CHROMIUM.is_file():
        pytest.skip(f"there is no Chromium at {CHROMIUM}")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield launched
        launched.close()
