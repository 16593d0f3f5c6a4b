"""What the answers of a system took, and why two systems differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from viva.core.accounts import SystemUsage
from viva.core.records import Exam, Response


def system_usage(exam: Exam, answered: Sequence[Response]) -> SystemUsage | None:
    """Tokens, cost and latency of one system's answers; None without any.

    Questions are asked in the exam's order, so the first answer is the one to the earliest question. A latency of 0
    is not known: recorded answers may name none.
    """
    if not answered:
        return None
    place = {shown.item.id: number for number, shown in enumerate(exam.items)}
    ordered = sorted(answered, key=lambda response: place[response.item_id])
    seconds = [response.latency_s for response in ordered if response.latency_s]
    used = [response.usage for response in ordered if response.usage]
    return SystemUsage(
        answers=len(ordered),
        counted=len(used),
        input_tokens=_mean(each.input_tokens for each in used),
        output_tokens=_mean(each.output_tokens for each in used),
        cost=_mean(each.cost for each in used),
        first_s=seconds[0] if seconds else None,
        p50_s=float(np.quantile(seconds[1:], 0.5)) if seconds[1:] else None,
        p95_s=float(np.quantile(seconds[1:], 0.95)) if seconds[1:] else None,
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
