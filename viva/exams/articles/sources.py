"""Articles of systems: a folder of .md and .txt, a JSONL, or a TREC run with its passages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.articles import Article, Paragraph, QuestionBank
from viva.core.tables import Row, read_text
from viva.core.wording import counted
from viva.exams.articles.rows import HELP, read_rows, text_in, text_of
from viva.metrics.text.verbatim import words_of
from viva.storage.corpus.source import storable

_SUFFIXES = (".md", ".txt")
_GOLD = "gold"
_BLANK = re.compile(r"\n\s*\n")
_HEADING = re.compile(r"#{1,6}\s[^\n]*")
_RUN_FIELDS = 6
_Names = Mapping[str, Sequence[str]]
"""Query ids by what a file of theirs may be called: the id, or the words of id or title."""


@dataclass
class Shelf:
    """Collects articles; a system has one per query."""

    bank: QuestionBank
    _articles: dict[tuple[str, str], Article] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """what is no article of a query of the bank"""

    def add(self, article: Article, where: str) -> None:
        """One more. UsageError where its system has one for the query already."""
        if article.query_id not in self._known:
            self.unknown.append(f"{where}: there is no query “{article.query_id}” in the bank")
            return
        key = article.system, article.query_id
        if key in self._articles:
            raise UsageError(
                f"{where}: {article.system} has an article for the query “{article.query_id}” already.",
                allowed="One per system and query.",
            )
        self._articles[key] = article

    @property
    def found(self) -> tuple[Article, ...]:
        """All articles, by system and the bank's order of queries. UsageError where there is none."""
        if not self._articles:
            told = f" ({self.unknown[0]})" if self.unknown else ""
            raise UsageError(f"There is no article for any query of the bank{told}.", next_step=HELP)
        order = {query.id: n for n, query in enumerate(self.bank.queries)}
        return tuple(sorted(self._articles.values(), key=lambda a: (a.system, order[a.query_id])))

    @property
    def _known(self) -> frozenset[str]:
        return frozenset(query.id for query in self.bank.queries)


def add_articles(shelf: Shelf, path: Path) -> None:
    """The articles of a folder (SYSTEM/QUERY.md) or of a JSONL. UsageError: neither, or it cannot be read."""
    if path.is_dir():
        _add_folder(shelf, path)
        return
    for n, article in enumerate(read_rows(path, _article), start=1):
        shelf.add(article, f"{path}, article {n}")


def add_gold(shelf: Shelf, path: Path) -> None:
    """Gold articles: a folder of files called as queries are, or a JSONL (whose systems are not looked at)."""
    if not path.is_dir():
        for n, article in enumerate(read_rows(path, _gold), start=1):
            shelf.add(article, f"{path}, article {n}")
        return
    _add_files(shelf, path, _GOLD, _names(shelf.bank))


def paragraphs_of(text: str) -> tuple[Paragraph, ...]:
    """A text by its blank lines; a heading stands with what follows it."""
    found: list[str] = []
    for part in _BLANK.split(storable(text).replace("\r\n", "\n")):
        whole = part.strip()
        if not whole:
            continue
        if found and all(_HEADING.fullmatch(line) for line in found[-1].split("\n")):
            found[-1] += "\n" + whole
        else:
            found.append(whole)
    return tuple(Paragraph.of(each) for each in found)


def _add_folder(shelf: Shelf, folder: Path) -> None:
    # names are matched, never made into paths
    names = _names(shelf.bank)
    systems = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    if not systems:
        raise UsageError(f"{folder} holds no folder.", allowed="A folder per system, a file per query in it.")
    for system in systems:
        _add_files(shelf, system, system.name, names)


def _add_files(shelf: Shelf, folder: Path, system: str, names: _Names) -> None:
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if not files:
        shelf.unknown.append(f"{folder.name}: it holds no article")
    for file in files:
        where = f"{folder.name}/{file.name}"
        if file.suffix.casefold() not in _SUFFIXES:
            shelf.unknown.append(f"{where}: it is none of {', '.join(_SUFFIXES)}")
            continue
        called = names.get(file.stem) or names.get(_slug(file.stem), ())
        if len(called) != 1:
            queries = counted(len(called), "query", "queries")
            shelf.unknown.append(f"{where}: the name “{file.stem}” stands for {queries} of the bank")
            continue
        shelf.add(Article(system=system, query_id=called[0], paragraphs=paragraphs_of(read_text(file))), where)


def _names(bank: QuestionBank) -> _Names:
    names: dict[str, dict[str, None]] = {}
    for query in bank.queries:
        for name in (query.id, query.title):
            names.setdefault(_slug(name), {})[query.id] = None
    # the very id is that query's alone
    return {name: list(ids) for name, ids in names.items()} | {query.id: [query.id] for query in bank.queries}


def _slug(name: str) -> str:
    """What two names of one query have in common: their words, whatever the signs and the case."""
    return "-".join(words_of(name)) or content_hash("slug", name)


def _gold(row: Row) -> Article:
    return _article({**row, "system": _GOLD})


def _article(row: Row) -> Article:
    system, query = text_in(row, "system", "run", "method"), text_in(row, "query_id", "query", "topic_id")
    if not system or not query:
        raise ValueError("it names no system or no query_id")
    listed = row.get("paragraphs")
    if listed is None:
        paragraphs = paragraphs_of(text_in(row, "text", "article"))
    elif isinstance(listed, list):
        paragraphs = tuple(_paragraph(each) for each in listed)
    else:
        raise ValueError("its paragraphs are no list")
    return Article(system=system, query_id=query, paragraphs=paragraphs)


def _paragraph(value: object) -> Paragraph:
    if isinstance(value, str):
        return Paragraph.of(storable(value).strip())
    if not isinstance(value, dict):
        raise TypeError("a paragraph is neither a text nor an object with text")
    text = text_in(value, "text", "contents")
    return Paragraph(id=text_in(value, "id", "paragraph_id") or Paragraph.of(text).id, text=text)


# --- TREC runs ----------------------------------------------------------------------------------------------


def read_passages(path: Path) -> dict[str, str]:
    """Texts by id, of a JSONL or table with id and text. UsageError where an id has two texts."""
    found: dict[str, str] = {}
    for identity, text in read_rows(path, _passage):
        if found.setdefault(identity, text) != text:
            raise UsageError(
                f"{path}: the passage “{identity}” has two texts.",
                allowed="One text for each passage.",
                next_step="Remove one, or give one another id: which of the two was returned cannot be told.",
            )
    return found


def _passage(row: Row) -> tuple[str, str]:
    identity = text_in(row, "id", "paragraph_id", "passage_id", "docid", "doc_id", "_id")
    if not identity:
        raise ValueError("it has no id")
    return identity, text_in(row, "text", "contents", "passage", "body")


@dataclass(frozen=True)
class RunLine:
    """One line of a TREC run: query Q0 passage rank score tag."""

    query: str
    passage: str
    rank: int
    tag: str


def _run_lines(path: Path) -> Iterator[RunLine]:
    """The lines of a run. UsageError names a line that is none, and a file without any."""
    text = text_of(path)
    if not text.strip():
        raise UsageError(f"{path} is empty: a run has a line for each passage.", next_step=HELP)
    for number, line in enumerate(text.split("\n"), start=1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != _RUN_FIELDS or not re.fullmatch(r"\d{1,9}", parts[3]):
            raise UsageError(
                f"{path}, line {number} is no line of a TREC run.",
                allowed="Six fields: query Q0 passage rank score tag, the rank a whole number.",
            )
        yield RunLine(parts[0], parts[2], int(parts[3]), parts[5])


def add_run(shelf: Shelf, path: Path, passages: Mapping[str, str], named: str = "") -> None:
    """The articles of a run: each query's passages by their ranks, from 0 or from 1. `named` overrides its tag.

    UsageError for a rank or a passage that comes twice in a query. A passage without a text is kept as missing.
    """
    entries: dict[tuple[str, str], list[RunLine]] = {}
    for line in _run_lines(path):
        entries.setdefault((named or line.tag, line.query), []).append(line)
    for (system, query), lines in entries.items():
        check_ranking(str(path), system, query, [(line.rank, line.passage) for line in lines])
        ranked = sorted(lines, key=lambda line: line.rank)
        there = [line.passage for line in ranked if line.passage in passages]
        article = Article(
            system=system,
            query_id=query,
            paragraphs=tuple(Paragraph(id=name, text=passages[name]) for name in there),
            missing=tuple(line.passage for line in ranked if line.passage not in passages),
        )
        shelf.add(article, f"{path}, {system}")


def check_ranking(where: str, system: str, query: str, ranking: Sequence[tuple[int, str]]) -> None:
    """UsageError where a rank or a passage comes twice."""
    for what, values in (("rank", [rank for rank, _ in ranking]), ("passage", [name for _, name in ranking])):
        if len(set(values)) < len(values):
            twice = next(value for n, value in enumerate(values) if value in values[:n])
            raise UsageError(
                f"{where}: {system} gives the {what} {twice} twice for the query “{query}”.",
                allowed="Each rank and each passage once per query.",
                next_step="Remove the duplicate: which of the two counts cannot be told.",
            )
