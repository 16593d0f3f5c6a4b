"""Output to the terminal: a console that keeps lines whole, progress, and text without control characters."""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from viva.graphs.context import Watcher, unwatched

_WIDTH = 120


def wide_console() -> Console:
    """A console that keeps lines whole if the output is not a terminal."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def json_document(value: object) -> str:
    r"""The value as JSON. Control characters that JSON allows are escaped as \uXXXX, which is the same document.

    Raises ValueError for a number that is nan or infinite.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    # the syntax of JSON has no harmful character: they can only be within a string
    return HARMFUL.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def write_json(document: str) -> None:
    """Write a JSON document to standard output, with escapes if the output has no Unicode."""
    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        document = json.dumps(json.loads(document), indent=2) + "\n"
    sys.stdout.write(document)


def print_json(value: object) -> None:
    """Write the value to standard output as one JSON document."""
    write_json(json_document(value))


# control characters but for line ends and tabs, surrogates, and of the format characters only those that reorder or
# hide text; joiners belong to words of some languages
_DECEPTIVE = r"\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff"
HARMFUL = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_DECEPTIVE}]")
"""A character that a terminal does not just show."""


def harmless(text: str) -> str:
    """The text with control characters as escapes (ESC becomes \\x1b); line ends and tabs stay."""
    return HARMFUL.sub(_written_out, text)


def plain(text: str, style: str = "") -> Text:
    """The text without control characters and without markup."""
    return Text(harmless(text), style=style)


def _written_out(char: re.Match[str]) -> str:
    code = ord(char[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


@contextmanager
def output_kept_clean() -> Iterator[None]:
    """Send to standard error what a user's system or its child processes print inside."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # closed: nothing can be printed there
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


_OBJECTS_BETWEEN_COLLECTIONS = 10_000


@contextmanager
def long_command() -> Iterator[Watcher]:
    """Prepare this process for a command that takes long; gives what shows its progress.

    What others print goes to standard error. Linear algebra has one thread: more make small matrices slower. What
    was imported is set aside from the garbage collector, which takes a tenth of the CPU otherwise.
    """
    from threadpoolctl import threadpool_limits

    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *before[1:])
    try:
        with output_kept_clean(), threadpool_limits(limits=1, user_api="blas"), shown_progress() as watch:
            yield watch
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


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
