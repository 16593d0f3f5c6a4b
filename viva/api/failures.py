"""What a program that calls viva has to handle: errors, interrupts, a full disk, names of an earlier version."""

from __future__ import annotations

from viva.core.disk_space import room_for
from viva.core.errors import BudgetReached, TransientError, UsageError, VivaError
from viva.core.gone import check_command_line
from viva.llm import interrupts

__all__ = [
    "BudgetReached",
    "TransientError",
    "UsageError",
    "VivaError",
    "check_command_line",
    "interrupts",
    "room_for",
]
