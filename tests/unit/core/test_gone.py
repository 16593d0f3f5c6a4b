"""A command line that names what is gone gets one sentence with what to use instead."""

from __future__ import annotations

import pytest

from viva.core.errors import UsageError
from viva.core.gone import check_command_line


@pytest.mark.parametrize("line", ["exam review run1 --finish", "exam review --finish=1 run1"])
def test_an_option_that_is_gone_is_named_with_what_to_do_instead(line: str) -> None:
    with pytest.raises(UsageError, match="without it, the command writes the exam"):
        check_command_line(line.split())


@pytest.mark.parametrize("line", ["", "exam", "exam review run1", "exam lint --finish", "run --format gift"])
def test_other_command_lines_pass(line: str) -> None:
    check_command_line(line.split())
