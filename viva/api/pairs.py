"""Two systems compared: the verdict, why they differ, and what an answer of each takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from viva.api.result import Cell, Column, Kind, Result, Table
from viva.core.accounts import SystemUsage
from viva.core.estimates import Estimate
from viva.core.scores_pairs import CAUSES, Comparison, PairFindings, PairVerdict, pair_sentence
from viva.reports.sections.pairs import reason_sentences, usage_sentences


@dataclass(frozen=True, repr=False)
class PairResult(Result):
    """The comparison of two systems; `verdict`, `difference` and `p_value` are of the first."""

    found: PairFindings | None = None

    @classmethod
    def of(cls, found: PairFindings) -> PairResult:
        """Put the findings into tables and sentences."""
        first, second = found.first.name, found.second.name
        verdict = pair_sentence(found.comparison, first, second)
        tables = (_verdict(found), _usage(found), _levels(found), _parted(found))
        notes = (verdict, *reason_sentences(found), *usage_sentences(found))
        record = {"verdict": verdict, "why": list(reason_sentences(found)), "usage": list(usage_sentences(found))}
        return cls(
            f"{first} and {second}",
            tuple(each for each in tables if each.cells),
            notes,
            {**record, **found.model_dump(mode="json")},
            found,
        )

    @property
    def verdict(self) -> str:
        """ "better", "not told apart" or "worse", of the first system."""
        return self._found.comparison.verdict.value

    @property
    def p_value(self) -> float:
        """The p-value that the verdict is by: of the exact test, adjusted over the pairs of its family."""
        return self._found.comparison.p_adjusted

    @property
    def difference(self) -> Estimate:
        """The accuracy of the first less that of the second; its interval holds for all pairs of the family."""
        found = self._found.comparison
        return Estimate(found.difference, found.low, found.high)

    @property
    def _found(self) -> PairFindings:
        if self.found is None:
            raise AssertionError("made by `of` alone")
        return self.found


def _verdict(found: PairFindings) -> Table:
    pair, first, second = found.comparison, found.first.name, found.second.name
    is_open = pair.verdict is PairVerdict.NOT_TOLD_APART
    row: dict[Column, Cell] = {
        Column("verdict"): pair.verdict.value if is_open else f"{first} is {pair.verdict.value}",
        Column("difference", Kind.POINTS): Estimate(pair.difference, pair.low, pair.high),
        Column(f"p for {pair.adjusted_over} pairs" if pair.adjusted_over > 1 else "p", Kind.P_VALUE): pair.p_adjusted,
        Column("questions", Kind.NUMBER): pair.items,
        Column(_ahead(pair, first), Kind.NUMBER): pair.only_first,
        Column(_ahead(pair, second), Kind.NUMBER): pair.only_second,
    }
    return Table(f"{first} and {second}", tuple(row), (tuple(row.values()),))


def _ahead(pair: Comparison, name: str) -> str:
    return f"{name} right more often" if pair.repeated else f"only {name} right"


def _usage(found: PairFindings) -> Table:
    columns = (
        Column("system"),
        Column("tokens an answer", Kind.NUMBER, 0),
        Column("cost an answer", Kind.DOLLARS),
        *(Column(name, Kind.SECONDS) for name in ("first answer", "median latency", "95% latency")),
    )
    both = ((found.first, found.first_usage), (found.second, found.second_usage))
    cells = tuple((each.name, *usage_cells(usage)) for each, usage in both if usage)
    return Table("What an answer takes", columns, cells)


def usage_cells(usage: SystemUsage | None) -> tuple[float | None, ...]:
    """Give tokens and cost of an answer, latency of the first, median and 95th percentile of the others."""
    if usage is None:
        return (None,) * 5
    return usage.tokens, usage.cost, usage.first_s, usage.p50_s, usage.p95_s


def _levels(found: PairFindings) -> Table:
    columns = (
        Column("topic or kind"),
        Column("questions", Kind.NUMBER),
        Column(found.first.name, Kind.SHARE),
        Column(found.second.name, Kind.SHARE),
        Column("difference", Kind.POINTS),
    )
    cells = tuple(
        (f"{row.attribute}: {row.level or '(none)'}", row.items, row.first, row.second, row.difference)
        for row in found.levels
    )
    return Table("By topic and kind", columns, cells)


def _parted(found: PairFindings) -> Table:
    repeated = found.comparison.repeated
    ahead = "right more often" if repeated else "only right"
    title = f"Questions that one {'has right more often' if repeated else 'alone has right'}"
    columns = tuple(Column(name) for name in ("question", ahead, "put down to", "text"))
    return Table(title, columns, tuple(_parted_rows(found)))


def _parted_rows(found: PairFindings) -> Iterator[tuple[str, str, str, str]]:
    names = {each.id: each.name for each in (found.first, found.second)}
    for each in found.parted:
        cause = CAUSES.get(each.evidence, f"evidence {each.evidence.value}")
        yield each.item_id[:8], names[each.right], cause, each.question
