"""Which format a file is of, by what it holds; names of files say little."""

from __future__ import annotations

import csv
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.exams.formats.rows import form_of, read_rows

_JSON = (".json", ".jsonl", ".ndjson")

# fields that only one format has, the surest first
_SIGNS = (
    ("viva", {"schema"}),
    ("ragas", {"user_input"}),
    ("ragas", {"question", "ground_truth"}),
    ("ragas", {"evolution_type"}),
    ("deepeval", {"input", "expected_output"}),
    ("deepeval", {"input", "actual_output"}),
    ("lm-eval", {"choices"}),
    ("lm-eval", {"options"}),
    ("lm-eval", {"endings"}),
    ("csv", {"stem", "key"}),
)


def sniff(path: Path, text: str) -> str:
    """The name of the format. UsageError where it is none that is known."""
    suffix = path.suffix.casefold()
    if suffix in (".yaml", ".yml"):
        return "lm-eval"
    if suffix == ".gift" and (gone := replacement("--format gift")):
        raise UsageError(gone)
    fields = _fields(path, suffix, text)
    named = next((name for name, signs in _SIGNS if signs <= fields), "")
    if named:
        return named
    raise UsageError(
        f"{path} is of no format that is known by its content.",
        allowed="Known are viva, ragas, deepeval, lm-eval, csv.",
        next_step="Name it with --format, if it is one of them. A table needs the columns stem, key and distractor_1,"
        " distractor_2 and so on (docs/exam-file.md).",
    )


def _fields(path: Path, suffix: str, text: str) -> set[str]:
    """Names of the first record's fields; empty where there is no record."""
    try:
        if form_of(suffix, text) == "csv":
            header = text.lstrip().partition("\n")[0][:100_000]
            return {cell.strip() for cell in next(csv.reader([header]), [])}
        _, first = next(read_rows(text, form_of(suffix, text)), ("", None))
    except (ValueError, csv.Error) as error:
        if suffix in _JSON:
            raise UsageError(f"{path}: {error}", next_step="Mend the file, or write it anew.") from error
        return set()
    return {str(name) for name in first} if isinstance(first, dict) else set()
