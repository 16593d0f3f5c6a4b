"""`viva irt`, at work: files read, options resolved, the analysis made, results shown and written."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from threadpoolctl import threadpool_limits

from viva.cli.irt.input import Matrix, read_components, read_matrix
from viva.cli.irt.options import IrtOptions
from viva.cli.irt.output import FILES, csv_texts, json_text
from viva.cli.irt.screen import print_analysis
from viva.cli.terminal.console import write_json
from viva.cli.terminal.escape import harmless
from viva.core.disk_space import room_for
from viva.core.errors import UsageError
from viva.metrics.irt.fit.analysis import Analysis, analyse
from viva.metrics.irt.model.design import Component


def run_irt(given: IrtOptions, written: list[Path]) -> None:
    """Each file goes to `written` once it is there, whole."""
    targets = _targets(given)
    matrix = read_matrix(given.matrix, items_in_rows=given.items_in_rows, names=given.names)
    components = _components(given, matrix)
    found = _analysed(given, matrix, components)
    settings = {name: getattr(given, name) for name in ("model", "method", "guessing", "options", "seed")}
    assumed = [matrix.assumed] if matrix.assumed else []
    told = json_text(found, settings, assumed) if given.json or given.json_file else ""
    texts = csv_texts(found) if given.csv else {}
    for path in targets:
        _write(path, told if path == given.json_file else texts[path.name])
        written.append(path)
    if given.json:
        write_json(told)
        return
    print_analysis(found, given.matrix, assumed)
    if targets:
        sys.stdout.write(f"\nWritten: {harmless(', '.join(map(str, targets)))}\n")


def _analysed(given: IrtOptions, matrix: Matrix, components: Mapping[str, Component]) -> Analysis:
    # one thread: small matrices only get slower with more, and a sum is the same on every machine
    with threadpool_limits(limits=1, user_api="blas"):
        return analyse(
            matrix.responses,
            examinees=matrix.examinees,
            items=matrix.items,
            components=components,
            model=given.model.lower(),
            method=given.method,
            guessing=given.guessing,
            options=given.options,
            interactions=[_interaction(text, components) for text in given.interaction or ()],
            references=dict(_reference(text, components) for text in given.reference or ()),
            seed=given.seed,
            hold_out=given.held_out,
        )


def _components(given: IrtOptions, matrix: Matrix) -> Mapping[str, Component]:
    if given.components is None:
        for name in ("continuous", "reference", "interaction"):
            if getattr(given, name):
                raise UsageError(
                    f"--{name} is about components, and none are given.",
                    next_step="Name their file: --components FILE",
                )
        return {}
    continuous = dict(_continuous(text) for text in given.continuous or ())
    return read_components(given.components, matrix.examinees, continuous)


def _continuous(text: str) -> tuple[str, int]:
    name, _, degree = text.rpartition(":")
    if name and degree in ("1", "2"):
        return name, int(degree)
    if name and degree.isdigit():
        raise UsageError(f"--continuous {text}: there is no degree {degree}.", allowed="NAME, NAME:1 or NAME:2.")
    return text, 1


def _interaction(text: str, components: Mapping[str, Component]) -> tuple[str, str]:
    return _split("interaction", "A:B", text, ":", lambda first, second: {first, second} <= components.keys())


def _reference(text: str, components: Mapping[str, Component]) -> tuple[str, str]:
    return _split("reference", "COMPONENT=LEVEL", text, "=", lambda component, _: component in components)


def _split(option: str, form: str, text: str, sign: str, fits: Callable[[str, str], bool]) -> tuple[str, str]:
    """The two parts, wherever the sign stands that parts them: names may hold it too."""
    for place, letter in enumerate(text):
        if letter == sign and fits(text[:place], text[place + 1 :]):
            return text[:place], text[place + 1 :]
    raise UsageError(f"--{option} {text} names no component of the file.", allowed=f"{form}, by the file's names.")


def _targets(given: IrtOptions) -> list[Path]:
    """The files to write; UsageError, before any work, where one must not or cannot be written."""
    folder, file = given.csv, given.json_file
    targets = [folder / name for name in FILES] if folder else []
    if folder and folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder.", next_step="Name another one with --csv.")
    if file:
        if file.is_dir() or not file.parent.is_dir():
            raise UsageError(f"{file} cannot be written: it is a folder, or its folder is not there.")
        targets.append(file)
    there = [path for path in targets if os.path.lexists(path)]
    if there and not given.force:
        raise UsageError(
            f"There is something at {', '.join(map(str, there))} already.",
            next_step="Name another place, or overwrite with --force.",
        )
    return targets


def _write(path: Path, text: str) -> None:
    """Whole or not at all: an interrupted command leaves no half a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with room_for(path), tempfile.TemporaryDirectory(dir=path.parent) as folder:
            # made here, not by tempfile: readable as any new file is, not for its owner alone
            whole = Path(folder) / path.name
            whole.write_text(text, encoding="utf-8", newline="")
            whole.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
