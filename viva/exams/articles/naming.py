"""For which queries articles are: what files call them, where the bank itself names none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from viva.core.tables import Row, json_lines
from viva.exams.articles.rows import read_rows, text_in, text_of
from viva.exams.articles.sources import QUERY, SUFFIXES, run_lines, slug


def named_queries(articles: Sequence[Path], runs: Sequence[Path], gradings: Path | None) -> list[str]:
    """The queries that folders, JSONL files, TREC runs or gradings name, sorted, each once.

    UsageError where a file cannot be read; a line of gradings that is none is left for their own reader to name.
    """
    found = [name for path in articles for name in (_of_folder(path) if path.is_dir() else read_rows(path, _of_row))]
    found += [line.query for path in runs for line in run_lines(path)]
    found += _of_gradings(gradings) if gradings else []
    # file names that differ in signs or case alone mean one query
    return sorted({slug(name): name for name in sorted(set(found), reverse=True) if name}.values())


def _of_folder(folder: Path) -> Iterator[str]:
    for file in folder.glob("*/*"):
        if file.suffix.casefold() in SUFFIXES and not any(part.startswith(".") for part in file.parts[-2:]):
            yield file.stem


def _of_row(row: Row) -> str:
    return text_in(row, *QUERY)


def _of_gradings(path: Path) -> Iterator[str]:
    for _, row in json_lines(text_of(path)):
        if isinstance(row, dict) and isinstance(row.get("query_id"), str):
            yield row["query_id"]
