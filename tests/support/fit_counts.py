"""Counts the fits of response models: every one passes through one of these."""

from __future__ import annotations

from typing import Any

import pytest

from viva.metrics.irt.checks import all_checks
from viva.metrics.irt.fit import estimation


def counted_fits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows by a name with each fit: of the model, and of a second dimension."""
    fits = list[str]()

    def count(module: Any, entry: str) -> None:
        real = getattr(module, entry)

        def counting(*args: Any, **named: Any) -> Any:
            fits.append(entry)
            return real(*args, **named)

        monkeypatch.setattr(module, entry, counting)

    count(estimation, "chosen_formats")
    count(all_checks, "second_dimension")
    return fits
