"""Where the knowledge units went: the ledger that adds up, and the rejected drafts by reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.accounts import Funnel
from viva.core.records import Rejection
from viva.core.wording import plain

EXAMPLES = 3


@dataclass(frozen=True)
class LedgerLine:
    """One line of a sum: its share is of the whole the sum is about."""

    label: str
    count: int
    share: float


@dataclass(frozen=True)
class DraftLedger:
    """A whole and the parts that make it up."""

    label: str
    whole: int
    lines: tuple[LedgerLine, ...]

    @property
    def total(self) -> int:
        """The sum of the parts: shown beside the whole, and equal to it."""
        return sum(line.count for line in self.lines)


@dataclass(frozen=True)
class RejectedReason:
    """The rejections under one code: how many by the funnel's count, and a few of them."""

    label: str
    count: int
    examples: tuple[Rejection, ...]


def ledgers(funnel: Funnel) -> tuple[DraftLedger, DraftLedger]:
    """Units by what became of them, and accepted items by where they went."""
    units = [("accepted", funnel.accepted)]
    units += [(f"rejected: {plain(code)}", count) for code, count in by_count(funnel.rejected)]
    units += [(f"failed: {plain(code)}", count) for code, count in by_count(funnel.failed)]
    units.append(("not asked about", funnel.not_asked))
    items = [("in the exam", funnel.in_exam), ("worked examples", funnel.examples)]
    items += [(f"left out: {plain(reason)}", count) for reason, count in by_count(funnel.left_out)]
    return _ledger("knowledge units", funnel.units, units), _ledger("accepted items", funnel.accepted, items)


def _ledger(label: str, whole: int, parts: Sequence[tuple[str, int]]) -> DraftLedger:
    return DraftLedger(label, whole, tuple(LedgerLine(name, n, n / whole if whole else 0.0) for name, n in parts))


def by_count(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Most frequent first, then by name; zeros left out."""
    return sorted(((name, n) for name, n in counts.items() if n), key=lambda pair: (-pair[1], pair[0]))


def rejected_reasons(funnel: Funnel, rejections: Sequence[Rejection]) -> tuple[RejectedReason, ...]:
    """The codes of the funnel, most frequent first, each with a few rejections from different chunks."""
    found: dict[str, list[Rejection]] = {}
    for rejection in rejections:
        found.setdefault(rejection.verdict.code, []).append(rejection)
    return tuple(
        RejectedReason(plain(code), count, _spread(found.get(code, []))) for code, count in by_count(funnel.rejected)
    )


def _spread(rejections: Sequence[Rejection]) -> tuple[Rejection, ...]:
    # a stable sort: the first of every chunk before the second of any
    seen: dict[str, int] = {}
    turns = list[tuple[int, Rejection]]()
    for rejection in rejections:
        seen[rejection.chunk_id] = seen.get(rejection.chunk_id, 0) + 1
        turns.append((seen[rejection.chunk_id], rejection))
    return tuple(rejection for _, rejection in sorted(turns, key=lambda turn: turn[0])[:EXAMPLES])
