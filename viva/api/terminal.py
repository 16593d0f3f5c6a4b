"""Output to the terminal: a console that keeps lines whole, progress, and text without control characters."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from viva.graphs.context import Watcher

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


def print_json(value: object) -> None:
    """Write the value to standard output as one JSON document, with escapes if the output has no Unicode."""
    document = json_document(value)
    if not (sys.stdout.encoding or "").lower().startswith("utf"):
        document = json.dumps(json.loads(document), indent=2) + "\n"
    sys.stdout.write(document)


# control characters but for line ends and tabs, surrogates, and of the format characters only those that reorder or
# hide text; joiners belong to words of some languages
_DECEPTIVE = r"\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff"
HARMFUL = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_DECEPTIVE}]")
"""A character that a terminal does not just show."""


# what a spreadsheet would run as a formula, also after quotes; plain numbers are harmless
_NUMBER = r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\Z"
_FORMULA = re.compile(rf"['\s]*(?!{_NUMBER})[=+\-@＝＋－＠\t]")


def harmless(text: str) -> str:
    """The text with control characters as escapes (ESC becomes \\x1b); line ends and tabs stay."""
    return HARMFUL.sub(_written_out, text)


def say(line: str) -> None:
    """Write a line to standard error at once, for what must be known whatever becomes of the work after it."""
    # a reader that is gone stops no work
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{harmless(line)}\n")


def spreadsheet_text(text: str) -> str:
    """The text for a cell of a CSV file: with a quote before what a spreadsheet would run as a formula."""
    shown = harmless(text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def plain(text: str, style: str = "") -> Text:
    """The text without control characters and without markup."""
    return Text(harmless(text), style=style)


def _written_out(char: re.Match[str]) -> str:
    code = ord(char[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


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
    """Show how far each stage is, on standard error: bars in a terminal or a notebook, elsewhere a line a stage."""
    console = Console(stderr=True)
    show = _in_terminal(console) if console.is_terminal else _in_notebook() if console.is_jupyter else _in_lines()
    with show as watch:
        yield watch


@contextmanager
def _in_terminal(console: Console) -> Iterator[Watcher]:
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
                tasks[stage] = progress.add_task(_label(stage), total=total, note="")
            progress.update(tasks[stage], completed=done, total=total, note=note)

        yield watch


@contextmanager
def _in_notebook() -> Iterator[Watcher]:
    if find_spec("ipywidgets"):
        from tqdm.notebook import tqdm
    else:
        # tqdm.auto would warn in every notebook
        from tqdm import tqdm

    bars: dict[str, tqdm[None]] = {}

    def watch(stage: str, done: int, total: int, note: str = "") -> None:
        if stage not in bars:
            bars[stage] = tqdm(desc=_label(stage), total=total, leave=False)
        bars[stage].n, bars[stage].total = done, total
        bars[stage].set_postfix_str(note, refresh=False)
        bars[stage].refresh()

    try:
        yield watch
    finally:
        for bar in bars.values():
            bar.close()


@contextmanager
def _in_lines() -> Iterator[Watcher]:
    seen = set[str]()

    def watch(stage: str, done: int, total: int, note: str = "") -> None:  # noqa: ARG001
        if stage not in seen:
            seen.add(stage)
            say(f"{_label(stage)} ({total:,})")

    yield watch


def _label(stage: str) -> str:
    return harmless(_LABELS.get(stage, stage.replace("sit ", "Taking the exam: ", 1)))
