"""The work of `viva irt`: read files, make the analysis, show and write results."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from threadpoolctl import threadpool_limits

from viva.api.terminal import harmless, write_json
from viva.cli.irt.input import Matrix, read_components, read_matrix
from viva.cli.irt.options import IrtOptions
from viva.cli.irt.output import FILES, csv_texts, json_text
from viva.cli.irt.screen import print_analysis
from viva.core.disk_space import room_for
from viva.core.errors import UsageError
from viva.metrics.irt.fit.analysis import Analysis, analyse
from viva.metrics.irt.model.design import Component


def run_irt(given: IrtOptions, written: list[Path]) -> None:
    """Run the command; each file is added to `written` when it is complete."""
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
    # one thread: more make small matrices slower, and sums differ between machines
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
                    f"--{name} needs components, and no file of components is given.",
                    next_step="Name the file: --components FILE",
                )
        return {}
    continuous = dict(_continuous(text) for text in given.continuous or ())
    return read_components(given.components, matrix.examinees, continuous)


def _continuous(text: str) -> tuple[str, int]:
    name, _, degree = text.rpartition(":")
    if name and degree in ("1", "2"):
        return name, int(degree)
    if name and degree.isdigit():
        raise UsageError(
            f"--continuous {text}: {degree} is not a possible degree.", allowed="NAME, NAME:1 or NAME:2."
        )
    return text, 1


def _interaction(text: str, components: Mapping[str, Component]) -> tuple[str, str]:
    return _split("interaction", "A:B", text, ":", lambda first, second: {first, second} <= components.keys())


def _reference(text: str, components: Mapping[str, Component]) -> tuple[str, str]:
    return _split("reference", "COMPONENT=LEVEL", text, "=", lambda component, _: component in components)


def _split(option: str, form: str, text: str, sign: str, fits: Callable[[str, str], bool]) -> tuple[str, str]:
    """The two parts around the sign; the names themselves may contain it."""
    for place, letter in enumerate(text):
        if letter == sign and fits(text[:place], text[place + 1 :]):
            return text[:place], text[place + 1 :]
    raise UsageError(
        f"--{option} {text} names no component of the file.", allowed=f"{form}, with the names in the file."
    )


def _targets(given: IrtOptions) -> list[Path]:
    """The files to write. UsageError, before any work, for one that exists or cannot be written."""
    folder, file = given.csv, given.json_file
    targets = [folder / name for name in FILES] if folder else []
    if folder and folder.exists() and not folder.is_dir():
        raise UsageError(f"--csv {folder} is not a folder.", next_step="Name another folder.")
    if file:
        if file.is_dir() or not file.parent.is_dir():
            raise UsageError(
                f"{file} cannot be written: it is a folder, or its folder does not exist.",
                next_step="Name another file with --json-file.",
            )
        targets.append(file)
    there = [path for path in targets if os.path.lexists(path)]
    if there and not given.force:
        raise UsageError(
            f"These files exist already: {', '.join(map(str, there))}.",
            next_step="Name another place, or overwrite them with --force.",
        )
    return targets


def _write(path: Path, text: str) -> None:
    """Write the whole file or nothing: an interrupted command leaves no partial file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with room_for(path), tempfile.TemporaryDirectory(dir=path.parent) as folder:
            # not a file of tempfile, which only its owner could read
            whole = Path(folder) / path.name
            whole.write_text(text, encoding="utf-8", newline="")
            whole.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
