"""Numbers of things in words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from viva.core.wording import counted, p_value

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("count", "told"), [(0, "0 queries"), (1, "1 query"), (2, "2 queries"), (1200, "1,200 queries")]
)
def test_one_is_no_plural(count: int, told: str) -> None:
    assert counted(count, "query", "queries") == told
    assert (counted(1, "judge"), counted(2, "judge")) == ("1 judge", "2 judges")


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.0004, "p < 0.001"), (0.00149, "p = 0.001"), (0.0346, "p = 0.035"), (0.2601, "p = 0.26"), (1.0, "p = 1")],
)
def test_a_p_value_has_no_digits_that_say_nothing(value: float, told: str) -> None:
    assert p_value(value).replace("\u00a0", " ") == told


def test_no_message_leaves_it_to_the_reader_whether_it_is_one_or_several() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in sorted((ROOT / "viva").rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\} [a-z ]+\(s\)", line)
    ]
    assert found == []
