"""Leaderboards of files: viva's own scores, a table, or a JSON object of systems and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.tables import csv_lines, parse_json, sound, tab_lines
from viva.exams.articles.rows import inner_suffix, text_of

_USUAL = ("exam", "score")
_HELP = "docs/articles.md describes leaderboards."


def read_board(named: str) -> dict[str, float]:
    """The leaderboard that FILE or FILE#COLUMN names. UsageError: it cannot be read, or has no such column.

    A column, or a JSON file, whose name holds “rank” gives ranks: the lower the better. Of viva's own scores of
    articles the column is exam (the usual one), n_exam or cover@K; of a run's it is accuracy (the usual one) or
    ability.
    """
    file, _, column = named.partition("#")
    path, column = Path(file), column.strip()
    text = text_of(path)
    if inner_suffix(path) != ".json":
        return _with_systems(_table(path, text, column), named)
    try:
        value = parse_json(text)
    except ValueError as error:
        raise UsageError(f"{path} cannot be read: it is {error}.", next_step=_HELP) from error
    if isinstance(value, dict) and "systems" in value:
        return _own(path, value["systems"], column or "exam", _of_articles, "exam, n_exam, cover@20.")
    if isinstance(value, dict) and "examinees" in value:
        return _own(path, value["examinees"], column or "accuracy", _of_run, "accuracy, ability.")
    if not isinstance(value, dict) or not all(_is_number(each) for each in value.values()):
        raise UsageError(f"{path} is no object of systems and numbers.", next_step=_HELP)
    sign = -1 if "rank" in column.casefold() or "rank" in path.name.casefold() else 1
    return _with_systems({str(name): sign * float(number) for name, number in value.items()}, named)


_Row = Callable[[Mapping[str, object], str], tuple[object, object]]
"""(name, value) of a row of viva's own scores in a column."""


def _own(path: Path, rows: object, column: str, read: _Row, allowed: str) -> dict[str, float]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UsageError(f"{path} holds no scores of viva.", next_step=_HELP)
    found = [read(row, column) for row in rows]
    board = {str(name): float(value) for name, value in found if isinstance(value, int | float)}
    if not board:
        raise UsageError(f"{path} has no scores “{column}”.", allowed=allowed)
    return board


def _of_articles(row: Mapping[str, object], column: str) -> tuple[object, object]:
    kind, _, depth = column.partition("@")
    mean = row.get(kind)
    if depth and isinstance(mean, dict):
        mean = mean.get(depth)
    return row.get("system"), mean.get("value") if isinstance(mean, dict) else None


def _of_run(row: Mapping[str, object], column: str) -> tuple[object, object]:
    examinee, figure = row.get("examinee"), row.get(column) if column in {"accuracy", "ability"} else None
    name = examinee.get("name") if isinstance(examinee, dict) else None
    if not isinstance(figure, dict):
        return name, None
    # of an ability that the exam does not measure, the bound
    return name, next((figure[key] for key in ("theta", "bound", "value") if key in figure), None)


def _table(path: Path, text: str, column: str) -> dict[str, float]:
    names, rows = _head(path, _records(path, text))
    wanted = column or next((name for name in _USUAL if name in names), names[1])
    if wanted not in names[1:]:
        raise UsageError(f"{path} has no column “{wanted}”.", allowed=f"It has {', '.join(filter(None, names[1:]))}.")
    at = names.index(wanted)
    sign = -1 if "rank" in wanted.casefold() else 1
    found: dict[str, float] = {}
    for line, cells in rows:
        value = _number(cells, at)
        if not cells[0].strip() or value is None:
            continue
        if cells[0] in found:
            raise UsageError(f"{path}, line {line}: {cells[0]} comes twice.", allowed="A row per system.")
        found[cells[0]] = sign * value
    return found


def _records(path: Path, text: str) -> list[tuple[int, list[str]]]:
    if inner_suffix(path) == ".tsv":
        return list(tab_lines(text))
    try:
        return list(sound(csv_lines(text)))
    except ValueError as error:
        raise UsageError(f"{path} cannot be read: {error}", next_step=_HELP) from error


def _head(path: Path, rows: list[tuple[int, list[str]]]) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The names of the columns and what follows; a title above them has one cell."""
    for n, (_, cells) in enumerate(rows):
        if sum(bool(cell.strip()) for cell in cells) > 1:
            return [cell.strip() for cell in cells], iter(rows[n + 1 :])
    raise UsageError(f"{path} holds no table.", allowed="Systems in the first column.", next_step=_HELP)


def _number(cells: list[str], at: int) -> float | None:
    try:
        value = float(cells[at])
    except (ValueError, IndexError):
        return None
    return value if math.isfinite(value) else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _with_systems(board: dict[str, float], named: str) -> dict[str, float]:
    if not board:
        raise UsageError(f"{named} holds no system with a number.", next_step=_HELP)
    return board
