"""Progress bars on a terminal; nothing if the output is not a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from viva.graphs.context import Watcher, unwatched

_LABELS = {
    "ingest": "Reading documents",
    "read": "Looking for facts",
    "units": "Finding knowledge units",
    "write": "Writing items",
    "grade": "Grading open answers",
    "grade faithfulness": "Grading faithfulness",
    "grade relevance": "Grading relevance",
    "score": "Scoring",
    "report": "Writing the report",
}


@contextmanager
def shown_progress() -> Iterator[Watcher]:
    """A watcher that draws one progress bar per stage on standard error, if that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield unwatched
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", markup=False, style="dim"),
    )
    with Progress(*columns, console=console) as progress:
        tasks: dict[str, TaskID] = {}

        def watch(stage: str, done: int, total: int, note: str = "") -> None:
            if stage not in tasks:
                label = _LABELS.get(stage, stage.replace("sit ", "Taking the exam: ", 1))
                tasks[stage] = progress.add_task(Text(label).plain, total=total, note="")
            progress.update(tasks[stage], completed=done, total=total, note=note)

        yield watch
