"""The exam that RUN or FILE names; import and export of other tools' files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from viva.api.terminal import plain, print_json, wide_console
from viva.cli.settings import settings_of
from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.exams.file import check_free, write_exam
from viva.exams.formats import FORMATS, export_exam, import_exam, lost
from viva.exams.formats.judged_sets import folder_format
from viva.graphs.context import RunContext

_LISTED = 50


@dataclass(frozen=True)
class Opened:
    """An exam and its source: a run, whose latest exam it is, or a file."""

    path: Path
    exam: Exam
    context: RunContext | None = None
    notes: tuple[str, ...] = ()
    """what was left out of the file or changed"""


@contextmanager
def opened(path: Path, database_url: str | None = None, file_format: str | None = None) -> Iterator[Opened]:
    """The latest exam of a run folder, or the exam of a file in any format that can be imported."""
    if not path.is_dir() or folder_format(path):
        found = import_exam(path, file_format)
        yield Opened(path, found.exam, notes=tuple(map(str, found.problems)))
        return
    if file_format:
        raise UsageError(
            f"--format {file_format} is for a file, and {path} is a run folder.", next_step="Leave --format out."
        )
    with closing(RunContext(path, settings_of({"database_url": database_url} if database_url else {}))) as context:
        exam = context.store.latest_exam()
        if exam is None:
            raise UsageError("There is no exam in this run yet.", next_step=f"Write one: viva write {path}")
        yield Opened(path, exam, context)


def import_file(path: Path, out: Path, file_format: str | None, *, as_json: bool) -> None:
    """Convert the file of another tool into an exam file."""
    found = import_exam(path, file_format)
    check_free(out)
    write_exam(found.exam, out)
    problems = [{"where": problem.where, "reason": problem.reason} for problem in found.problems]
    if as_json:
        told = {"exam": found.exam.id, "items": len(found.exam.items), "format": found.format, "out": str(out)}
        print_json({**told, "problems": problems, "reasons": found.reasons})
        return
    console = wide_console()
    console.print(
        plain(f"Wrote {len(found.exam.items)} questions of {path} ({FORMATS[found.format].title}) to {out}.")
    )
    reasons = ", ".join(f"{reason}: {n}" for reason, n in found.reasons.items())
    _print_list(console, f"Left out or changed: {len(problems)} ({reasons}).", map(str, found.problems))


def export_to(path: Path, out: Path, file_format: str, database_url: str | None, *, as_json: bool) -> None:
    """Write the exam in another tool's format."""
    with opened(path, database_url) as found:
        missing = lost(found.exam, file_format)
        written = [str(file) for file in export_exam(found.exam, out, file_format, over=False)]
        items = len(found.exam.items)
    if as_json:
        print_json({"items": items, "format": file_format, "files": written, "lost": missing})
        return
    console = wide_console()
    console.print(
        plain(f"Wrote the exam of {items} questions to {', '.join(written)} ({FORMATS[file_format].title}).")
    )
    _print_list(console, "What this format cannot hold:", missing)


def _print_list(console: Console, head: str, lines: Iterable[str]) -> None:
    found = list(lines)
    for line in [head, *(f"  {line}" for line in found[:_LISTED])] if found else ():
        console.print(plain(line))
    if len(found) > _LISTED:
        console.print(plain(f"  and {len(found) - _LISTED} more (--json shows all)"))
