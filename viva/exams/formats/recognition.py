"""Which format a file is of, by what it holds; names of files say little."""

from __future__ import annotations

import re
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.tables import BadRow, csv_lines, form_of, table_rows
from viva.exams.formats.rows import TABLES

_AIKEN = re.compile(r"^ANSWER:[ \t]*[A-Z]\b", re.MULTILINE)
_GIFT = re.compile(r"^[ \t]*(//|\$CATEGORY:|::)|(?<!\\)\{[^{}]{0,2000}\}", re.MULTILINE)

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
    fields = set() if suffix in (".txt", ".gift") else _fields(path, suffix, text)
    named = next((name for name, signs in _SIGNS if signs <= fields), "")
    if named:
        return named
    if suffix == ".gift":
        return "gift"
    if suffix not in (".csv", *_JSON):
        if _AIKEN.search(text[:100_000]):
            return "aiken"
        if _GIFT.search(text[:100_000]):
            return "gift"
    raise UsageError(
        f"{path} is of no format that is known by its content.",
        allowed="Known are viva, ragas, deepeval, lm-eval, gift, aiken, csv.",
        next_step="Name it with --format, if it is one of them. A table needs the columns stem, key and distractor_1,"
        " distractor_2 and so on (docs/exam-file.md).",
    )


def _fields(path: Path, suffix: str, text: str) -> set[str]:
    """Names of the first record's fields; empty where there is no record."""
    try:
        form = form_of(suffix, text)
        if form in TABLES:
            _, header = next(csv_lines(text.lstrip(), "\t" if form == "tsv" else ","), (1, []))
            return set() if isinstance(header, BadRow) else {cell.strip() for cell in header}
        _, first = next(table_rows(text, form), ("", BadRow("is empty")))
    except ValueError as error:
        if suffix in _JSON:
            raise UsageError(f"{path}: {error}", next_step="Mend the file, or write it anew.") from error
        return set()
    return set() if isinstance(first, BadRow) else {str(name) for name in first}
