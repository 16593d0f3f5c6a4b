"""Cases with labels, made by hand: what a small training learns from."""

from __future__ import annotations

from viva.core.records.judging import Case, LabelledCase


def tank_cases(start: int, count: int) -> list[LabelledCase]:
    """Answers about tanks: every second names another number than its reference."""
    return [
        LabelledCase(
            case=Case(answer=f"The tank holds {n} litres.", reference=f"The tank holds {n + n % 2} litres of oil."),
            label=float(n % 2 == 0),
            group=f"tank {n}",
        )
        for n in range(start, start + count)
    ]
