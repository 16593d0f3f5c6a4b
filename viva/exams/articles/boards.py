"""Leaderboards of files: viva's own scores of articles, a table, or a JSON object of systems and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from viva.core.errors import UsageError
from viva.core.records import Record
from viva.core.scores import Scores
from viva.core.scores_articles import ArticleScores, Mean, SystemScore
from viva.core.tables import csv_lines, parse_json, sound, tab_lines
from viva.exams.articles.rows import inner_suffix, text_of
from viva.metrics.articles.leaderboards import LeaderboardRow

R = TypeVar("R", bound=Record)
_ERRORS = ("{0}-std", "{0}_std", "{0}-se", "{0}_se", "{0} se")
_USUAL = ("exam", "score")
_HELP = "docs/articles.md describes leaderboards."


def read_board(named: str) -> dict[str, LeaderboardRow]:
    """The leaderboard that FILE or FILE#COLUMN names. UsageError: it cannot be read, or has no such column.

    A column, or a JSON file, whose name holds “rank” gives ranks: the lower the better. Of viva's own scores of
    articles the column is exam (the usual one), n_exam, rouge, ability, cover@K, or qrels.MEASURE; of a run's it is
    accuracy (the usual one) or ability.
    """
    file, _, column = named.partition("#")
    path = Path(file)
    text = text_of(path)
    if inner_suffix(path) != ".json":
        return _ranked(_table(path, text, column.strip()), named)
    try:
        value = parse_json(text)
    except ValueError as error:
        raise UsageError(f"{path} cannot be read: it is {error}.", next_step=_HELP) from error
    if isinstance(value, dict) and "systems" in value:
        return _own(path, text, column.strip() or "exam")
    if isinstance(value, dict) and "examinees" in value:
        return _of_run(path, text, column.strip() or "accuracy")
    if not isinstance(value, dict) or not all(_is_number(each) for each in value.values()):
        raise UsageError(f"{path} is no object of systems and numbers.", next_step=_HELP)
    sign = -1 if "rank" in column.casefold() or "rank" in path.name.casefold() else 1
    return _ranked({str(name): LeaderboardRow(sign * float(number)) for name, number in value.items()}, named)


def _scores(kind: type[R], path: Path, text: str, of: str) -> R:
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"{path} holds no scores of {of}: {first['msg']}.", next_step=_HELP) from error


def _own(path: Path, text: str, column: str) -> dict[str, LeaderboardRow]:
    scores = _scores(ArticleScores, path, text, "articles")
    found = {row.system: each for row in scores.systems if (each := _score(row, column)) is not None}
    if not found:
        raise UsageError(
            f"{path} has no scores “{column}”.", allowed="exam, n_exam, rouge, ability, cover@20, qrels.map."
        )
    return found


def _of_run(path: Path, text: str, column: str) -> dict[str, LeaderboardRow]:
    """The leaderboard of a run: accuracy on its exam, or ability."""
    scores = _scores(Scores, path, text, "a run")
    found: dict[str, LeaderboardRow] = {}
    for row in scores.examinees:
        if column == "accuracy" and row.accuracy is not None:
            share = row.accuracy.value
            found[row.examinee.name] = LeaderboardRow(share, math.sqrt(share * (1 - share) / row.graded))
        elif column == "ability" and row.ability is not None:
            found[row.examinee.name] = LeaderboardRow(row.ability.theta, row.ability.se)
    if not found:
        raise UsageError(f"{path} has no scores “{column}”.", allowed="accuracy, ability.")
    return found


def _score(row: SystemScore, column: str) -> LeaderboardRow | None:
    kind, _, which = column.replace("@", ".").partition(".")
    if kind == "ability":
        return LeaderboardRow(row.ability.theta, row.ability.se) if row.ability else None
    found: Mean | None = None
    match kind:
        case "exam" | "n_exam" | "rouge":
            found = getattr(row, kind)
        case "cover" if which.isdigit():
            found = row.cover.get(int(which))
        case "qrels":
            found = row.qrels.get(which)
    return LeaderboardRow(found.value, found.se or 0.0) if found else None


def _table(path: Path, text: str, column: str) -> dict[str, LeaderboardRow]:
    names, rows = _head(path, _records(path, text))
    wanted = column or next((name for name in _USUAL if name in names), names[1])
    if wanted not in names[1:]:
        raise UsageError(f"{path} has no column “{wanted}”.", allowed=f"It has {', '.join(filter(None, names[1:]))}.")
    at = names.index(wanted)
    error_at = next((names.index(e.format(wanted)) for e in _ERRORS if e.format(wanted) in names), None)
    sign = -1 if "rank" in wanted.casefold() else 1
    found: dict[str, LeaderboardRow] = {}
    for line, cells in rows:
        value = _number(cells, at)
        if not cells[0].strip() or value is None:
            continue
        error = _number(cells, error_at) if error_at is not None else None
        if cells[0] in found:
            raise UsageError(f"{path}, line {line}: {cells[0]} comes twice.", allowed="A row per system.")
        found[cells[0]] = LeaderboardRow(sign * value, max(0.0, error or 0.0))
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


def _ranked(board: Mapping[str, LeaderboardRow], named: str) -> dict[str, LeaderboardRow]:
    if not board:
        raise UsageError(f"{named} holds no system with a number.", next_step=_HELP)
    return dict(board)
