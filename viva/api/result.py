"""A result: tables of named columns, notes, and the whole record; with one renderer for each output.

It prints as text, shows as HTML in a notebook, and becomes rows, pandas, JSON, CSV or Markdown.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Any, Self

from viva.core.errors import UsageError
from viva.core.estimates import Ability, Estimate, OutsideAbility
from viva.core.wording import number, points, seconds

if TYPE_CHECKING:
    import pandas
    from rich.console import Console

Cell = str | int | float | bool | Estimate | None
Row = dict[str, str | int | float | bool | None]
_LOW, _HIGH = "low", "high"
_NOTHING = "-"
_LEAST_P = 0.001


class Kind(StrEnum):
    """The kind of the numbers of a column."""

    TEXT = "text"
    NUMBER = "number"
    SHARE = "share"
    """from 0 to 1; shown in percent"""
    POINTS = "points"
    """a difference of shares; shown in percentage points with its sign"""
    P_VALUE = "p-value"
    SECONDS = "seconds"
    DOLLARS = "dollars"


@dataclass(frozen=True)
class Column:
    """A named column. `digits` are those of numbers that are not whole.

    `spare`: 0 is never left out of a narrow terminal; else the highest is left out first.
    """

    name: str
    kind: Kind = Kind.TEXT
    digits: int = 2
    spare: int = 0

    def show(self, cell: Cell) -> str:
        """Give a cell as text; an estimate with its 95% interval."""
        match cell:
            case None:
                return _NOTHING
            case Estimate():
                return f"{self._number(cell.value)} ({self._bound(cell.low)} to {self._bound(cell.high)})"
            case bool():
                return "yes" if cell else "no"
            case str():
                return cell
            case _:
                return self._number(cell)

    def _number(self, value: float) -> str:
        match self.kind:
            case Kind.SHARE:
                return f"{value:.0%}"
            case Kind.POINTS:
                return points(value)
            case Kind.P_VALUE:
                return "<0.001" if value < _LEAST_P else number(value, 3)
            case Kind.DOLLARS:
                return f"${value:.4f}"
            case Kind.SECONDS:
                return seconds(value)
            case _:
                return f"{value:,}" if isinstance(value, int) else number(value, self.digits)

    def _bound(self, value: float) -> str:
        match self.kind:
            case Kind.SHARE:
                return f"{100 * value:.0f}"
            case Kind.POINTS:
                return points(value)
            case _:
                return number(value, self.digits)


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns. Cells may be untrusted text: every renderer escapes them."""

    title: str
    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.cells):
            raise AssertionError("a row has another number of cells than there are columns")

    @classmethod
    def of(cls, title: str, rows: Sequence[Mapping[str, Cell]], **kinds: Kind) -> Self:
        """Make a table of rows with the same names; `kinds` of the columns that are no text."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = tuple(Column(name, kinds.get(name.replace(" ", "_"), Kind.TEXT)) for name in names)
        return cls(title, columns, tuple(tuple(row.get(name) for name in names) for row in rows))

    @property
    def texts(self) -> list[list[str]]:
        """The cells as text."""
        return [[c.show(cell) for c, cell in zip(self.columns, row, strict=True)] for row in self.cells]

    def heading(self, place: int) -> str:
        """The name of a column as people read it: that of estimates says what the interval is."""
        estimates = any(isinstance(row[place], Estimate) for row in self.cells)
        return f"{self.columns[place].name}{' (95%)' if estimates else ''}"

    def rows(self) -> list[Row]:
        """Give each row as a mapping; an estimate takes three columns: its own, `... low` and `... high`."""
        estimated = [any(isinstance(cell, Estimate) for cell in column) for column in zip(*self.cells, strict=True)]
        return [dict(self._flat(row, estimated)) for row in self.cells]

    def _flat(
        self, row: Sequence[Cell], estimated: Sequence[bool]
    ) -> Iterator[tuple[str, str | int | float | bool | None]]:
        for place, (column, cell) in enumerate(zip(self.columns, row, strict=True)):
            if isinstance(cell, Estimate):
                yield from (
                    (column.name, cell.value),
                    (f"{column.name} {_LOW}", cell.low),
                    (f"{column.name} {_HIGH}", cell.high),
                )
                continue
            yield column.name, cell
            if estimated[place]:
                yield from ((f"{column.name} {_LOW}", None), (f"{column.name} {_HIGH}", None))


@dataclass(frozen=True)
class Result:
    """Tables, notes in sentences, and `record`: all of it, as JSON has it."""

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[Result, ...] = field(default=(), kw_only=True)
    """the results that it is joined from: printed in their order, each with its own notes"""

    @classmethod
    def joined(
        cls,
        title: str,
        parts: Sequence[Result],
        record: Mapping[str, Any] | None = None,
        table: Table | None = None,
    ) -> Result:
        """Join results into one, which has their tables and notes. A part without tables prints its title.

        `table`: has in rows what the parts print in sentences; it comes before their tables and is not printed.
        """
        kept = tuple(each for each in parts if each.title or each.tables or each.notes)
        tables = (*([table] if table else []), *(table for each in kept for table in each.tables))
        return Result(title, tables, tuple(note for each in kept for note in each.notes), record or {}, parts=kept)

    def rows(self, table: int = 0) -> list[Row]:
        """Give the rows of a table (the first) as mappings. UsageError where there is no such table."""
        return self._table(table).rows()

    def to_pandas(self, table: int = 0) -> pandas.DataFrame:
        """Give a table (the first) as a DataFrame. UsageError where pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise UsageError(
                "pandas is not installed.",
                allowed="rows() gives the same without it.",
                next_step="pip install pandas",
            ) from error
        found = self._table(table)
        rows = found.rows()
        return pandas.DataFrame(rows, columns=[*rows[0]] if rows else [column.name for column in found.columns])

    def json(self) -> str:
        """Give all of it as one JSON document: title, tables, notes, record."""
        told = {
            "title": self.title,
            "tables": [{"title": each.title, "rows": each.rows()} for each in self.tables],
            "notes": list(self.notes),
            "record": self.record,
        }
        return json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def csv(self, table: int = 0) -> str:
        """Give a table (the first) as CSV with a row of names."""
        from viva.api.terminal import spreadsheet_text

        rows, out = self.rows(table), io.StringIO()
        writer = csv.DictWriter(out, [*rows[0]] if rows else [c.name for c in self._table(table).columns])
        writer.writeheader()
        for row in rows:
            writer.writerow({n: spreadsheet_text(cell) if isinstance(cell, str) else cell for n, cell in row.items()})
        return out.getvalue()

    def markdown(self) -> str:
        """Give all of it as Markdown."""
        parts = [f"## {_in_markdown(self.title)}"] if self.title else []
        if self.parts:
            return "\n\n".join([*parts, *(each.markdown() for each in self.parts)])
        for each in self.tables:
            head = [_in_markdown(each.heading(place)) for place in range(len(each.columns))]
            lines = [head, ["---"] * len(head), *([_in_markdown(cell) for cell in row] for row in each.texts)]
            parts += [f"### {_in_markdown(each.title)}"] if each.title else []
            parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
        return "\n\n".join([*parts, *map(_in_markdown, self.notes)]) + "\n"

    def html(self) -> str:
        """Give all of it as HTML without scripts; all texts are escaped."""
        tables = "".join(each.html() for each in self.parts) or "".join(map(_table_in_html, self.tables))
        notes = "" if self.parts else "".join(f'<p dir="auto">{escape(note)}</p>' for note in self.notes)
        return f"<div><strong>{escape(self.title)}</strong>{tables}{notes}</div>"

    def text(self, width: int | None = None) -> str:
        """Give all of it as text: of this width, or as wide as the figures need."""
        from rich.console import Console

        out = io.StringIO()
        console = Console(
            file=out,
            width=width or 120,
            force_terminal=width is not None,
            force_jupyter=False,
            color_system=None,
            soft_wrap=True,
        )
        self.print(console)
        return out.getvalue()

    def print(self, console: Console, elsewhere: str = "", most: int | None = None) -> None:
        """Print it, of each table so many rows at `most`; `elsewhere`: where the columns without room are."""
        from viva.api.terminal import plain
        from viva.api.text import TextColumn, show_columns

        for part in self.parts:
            part.print(console, elsewhere, most)
        if self.parts:
            return
        if self.title and not self.tables:
            console.print(plain(self.title, style="bold"))
        for each in self.tables:
            texts = each.texts[:most]
            cells = zip(*texts, strict=True) if texts else ((),) * len(each.columns)
            columns = [
                TextColumn(each.heading(place), own, column.kind is not Kind.TEXT, column.spare)
                for place, (column, own) in enumerate(zip(each.columns, cells, strict=True))
            ]
            show_columns(console, each.title or self.title, columns, elsewhere)
            if more := len(each.cells) - len(texts):
                console.print(plain(f"and {more} more{f' ({elsewhere})' if elsewhere else ''}"))
        for note in self.notes:
            console.print(plain(note))

    def _table(self, number: int) -> Table:
        if not 0 <= number < len(self.tables):
            names = "; ".join(f"{n}: {each.title}" for n, each in enumerate(self.tables))
            where = f" in “{self.title}”" if self.title else ""
            raise UsageError(
                f"There is no table {number}{where}.",
                allowed=names or "text(), notes and record: this result is in sentences alone.",
            )
        return self.tables[number]

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        # a console that shows values shows what print shows
        return self.text()


def ability_cells(ability: Ability | OutsideAbility | None) -> tuple[float | None, float | None, str]:
    """Give an ability and its error, or in words below or above what the exam does not measure it."""
    match ability:
        case Ability():
            return ability.theta, ability.se, ""
        case OutsideAbility():
            return None, None, ability.words
        case None:
            return None, None, ""


def _table_in_html(table: Table) -> str:
    numbers = [column.kind is not Kind.TEXT for column in table.columns]
    head = "".join(f"<th>{escape(table.heading(place))}</th>" for place in range(len(table.columns)))
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:right">{escape(cell)}</td>' if number else f'<td dir="auto">{escape(cell)}</td>'
            for cell, number in zip(row, numbers, strict=True)
        )
        + "</tr>"
        for row in table.texts
    )
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


_MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|#"} | {"\n": " ", "\r": " "})


def _in_markdown(text: str) -> str:
    return text.translate(_MARKDOWN)
