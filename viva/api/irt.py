"""Item response theory in Python: a matrix of right and wrong answers, fitted and checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viva.api.equating.forms import equate as equate
from viva.api.result import Column, Result, Table
from viva.api.results import irt_tables
from viva.api.terminal import json_document
from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.metrics.irt.records import COLUMNS, document, record_tables

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from viva.metrics.irt.fit.analysis import Analysis
    from viva.metrics.irt.model.design import Component

_SETTINGS: dict[str, Any] = {"model": "auto", "method": "auto", "guessing": None, "options": 4, "seed": 0}


def fit(
    responses: ArrayLike | str | Path,
    *,
    examinees: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    components: Mapping[str, Component] | str | Path | None = None,
    items_in_rows: bool = False,
    names: bool | None = None,
    continuous: Sequence[str] = (),
    references: Mapping[str, object] | Sequence[str] = (),
    interactions: Sequence[str | tuple[str, str]] = (),
    **options: Any,
) -> FittedMatrix:
    """Fit responses (n, m) of 1, 0 and nan, and make every check that they allow (docs/irt.md).

    `responses` may be a CSV or TSV file (`items_in_rows`, `names`: how it is read), or a pandas DataFrame, whose
    index and columns name examinees and items. `components`: name -> the level of each examinee, or a file;
    `continuous` are those of a file whose levels are numbers, as "k" or "k:2". `references`: component -> level.
    `options`: those of viva.metrics.irt.fit.analysis.analyse, such as model="2pl", or options=0 for questions
    without options. UsageError for what is no such matrix.
    """
    from threadpoolctl import threadpool_limits

    from viva.metrics.irt.fit.analysis import analyse

    source, assumed = "Matrix", ""
    index, columns = getattr(responses, "index", None), getattr(responses, "columns", None)
    if isinstance(responses, str | Path):
        from viva.exams.response_matrix import read_matrix

        found = read_matrix(Path(responses), items_in_rows=items_in_rows, names=names)
        source, assumed, responses, examinees, items = (
            *(str(responses), found.assumed),
            *(found.responses, found.examinees, found.items),
        )
    elif index is not None and columns is not None:
        examinees = [str(each) for each in index] if examinees is None else examinees
        items = [str(each) for each in columns] if items is None else items
    known = _components(components, examinees or (), continuous, references or interactions)
    pairs = (
        references.items() if isinstance(references, Mapping) else [_reference(each, known) for each in references]
    )
    # one thread: more make small matrices slower, and sums differ between machines
    with threadpool_limits(limits=1, user_api="blas"):
        analysis = analyse(
            responses,
            examinees=examinees,
            items=items,
            components=known,
            references=dict(pairs),
            interactions=[_interaction(each, known) for each in interactions],
            **options,
        )
    settings = {name: options.get(name, usual) for name, usual in _SETTINGS.items()}
    return FittedMatrix(analysis, source, settings, (assumed,) if assumed else ())


@dataclass(frozen=True, repr=False)
class FittedMatrix:
    """A fitted matrix: `analysis` holds the arrays; abilities, items and flags as tables."""

    analysis: Analysis
    source: str = "Matrix"
    settings: Mapping[str, object] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    """notes on a file that could be read in two ways"""

    @property
    def summary(self) -> Result:
        """All that was found, the most important first; its record is the document of docs/irt.md."""
        return irt_tables.summary(self.analysis, self.source, self.assumed, self.document)

    @property
    def abilities(self) -> Result:
        """The examinees by expected score: right answers, expected share, ability, person fit."""
        return irt_tables.abilities(self.analysis)

    @property
    def items(self) -> Result:
        """The items: right answers, discrimination, difficulty, guessing."""
        return irt_tables.items(self.analysis)

    @property
    def effects(self) -> Result:
        """The effects of the components' levels on ability."""
        return irt_tables.effects(self.analysis)

    @property
    def contrasts(self) -> Result:
        """The differences between levels of a component, the surest first."""
        return irt_tables.contrasts(self.analysis)

    @property
    def flags(self) -> Result:
        """What the checks find wrong with items, the gravest first."""
        return irt_tables.flags(self.analysis)

    @cached_property
    def document(self) -> dict[str, object]:
        """All figures, as `viva irt --json` has them (docs/irt.md)."""
        return document(self.analysis, self.settings, self.assumed)

    @property
    def tables(self) -> dict[str, Result]:
        """All figures as tables by name: abilities, items, effects, contrasts, flags (docs/irt.md)."""
        found: dict[str, list[dict[str, Any]]] = record_tables(self.analysis)
        columns = {name: tuple(map(Column, names.split())) for name, names in COLUMNS.items()}
        return {
            name: Result(name, (Table(name, columns[name], tuple(tuple(row.values()) for row in rows)),))
            for name, rows in found.items()
        }

    def write(self, files: Mapping[Path, str], written: list[Path] | None = None) -> Result:
        """Write such files as result_files names: each table as CSV, all as JSON; the summary, with their names.

        Each is added to `written` when it is complete.
        """
        tables, kept = self.tables, written if written is not None else []
        for path, table in files.items():
            _write(path, tables[table].csv() if table else json_document(self.document))
            kept.append(path)
        told = Result("", (), (f"Written: {', '.join(map(str, files))}",) if files else ())
        return Result.joined(self.summary.title, (*self.summary.parts, told), self.document)

    def _repr_html_(self) -> str:
        return self.abilities.html()

    def __repr__(self) -> str:
        return self.abilities.text()


# --- components ---------------------------------------------------------------------------------------------


def _components(
    given: Mapping[str, Component] | str | Path | None,
    examinees: Sequence[str],
    continuous: Sequence[str],
    others: object,
) -> Mapping[str, Component]:
    if given is None and (continuous or others):
        raise UsageError(
            "Continuous components, references and interactions need components, and no file of components is given.",
            next_step="Name the file: --components FILE",
        )
    if isinstance(given, str | Path):
        from viva.exams.examinee_components import read_components

        return read_components(Path(given), examinees, dict(map(_continuous, continuous)))
    return given or {}


def _continuous(text: str) -> tuple[str, int]:
    name, _, degree = text.rpartition(":")
    if name and degree in ("1", "2"):
        return name, int(degree)
    if name and degree.isdigit():
        raise UsageError(f"{text}: {degree} is not a possible degree.", allowed="NAME, NAME:1 or NAME:2.")
    return text, 1


def _interaction(given: str | tuple[str, str], components: Mapping[str, Component]) -> tuple[str, str]:
    if not isinstance(given, str):
        return given
    return _split("A:B", given, ":", lambda first, second: {first, second} <= components.keys())


def _reference(text: str, components: Mapping[str, Component]) -> tuple[str, str]:
    return _split("COMPONENT=LEVEL", text, "=", lambda component, _: component in components)


def _split(form: str, text: str, sign: str, fits: Callable[[str, str], bool]) -> tuple[str, str]:
    """The two parts around the sign; the names themselves may contain it."""
    for place, letter in enumerate(text):
        if letter == sign and fits(text[:place], text[place + 1 :]):
            return text[:place], text[place + 1 :]
    raise UsageError(f"{text} names no component of the file.", allowed=f"{form}, with the names in the file.")


# --- files --------------------------------------------------------------------------------------------------


def result_files(folder: Path | None, json_file: Path | None, *, force: bool = False) -> dict[Path, str]:
    """Name the files with the table of each, "" for the document. UsageError for one that cannot be written."""
    files = {folder / f"{name}.csv": name for name in COLUMNS} if folder else {}
    if folder and folder.exists() and not folder.is_dir():
        raise UsageError(f"--csv {folder} is not a folder.", next_step="Name another folder.")
    if json_file:
        if json_file.is_dir() or not json_file.parent.is_dir():
            raise UsageError(
                f"{json_file} cannot be written: it is a folder, or its folder does not exist.",
                next_step="Name another file with --json-file.",
            )
        files[json_file] = ""
    there = [path for path in files if os.path.lexists(path)]
    if there and not force:
        raise UsageError(
            f"These files exist already: {', '.join(map(str, there))}.",
            next_step="Name another place, or overwrite them with --force.",
        )
    return files


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
