"""Of which format a file or a folder of questions is, by its content, and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from viva.core.case_cells import cell_of, object_in, opened
from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.tables import BadRow, Row, csv_lines, form_of, is_parquet, likely_delimiter, parquet_rows, parse_json
from viva.exams.formats import judged_sets, shapes
from viva.exams.formats.conversations import conversation_cell
from viva.exams.formats.dialogues import dialogue_format
from viva.exams.formats.rows import TABLES, Placed, plain_yaml, read_records

_JSON = (".json", ".jsonl", ".ndjson")
YAML = (".yaml", ".yml")
# fields that only one format has, the surest first
_SIGNS = (
    ("viva", {"schema"}),
    ("ragas", {"user_input"}),
    ("ragas", {"question", "ground_truth"}),
    ("ragas", {"evolution_type"}),
    ("giskard", {"question", "reference_answer", "reference_context"}),
    ("langfuse", {"input", "expectedOutput"}),
    ("langfuse", {"input", "datasetId"}),
    ("langsmith", {"inputs", "outputs"}),
    ("langsmith", {"inputs", "reference_outputs"}),
    ("deepeval", {"input", "expected_output"}),
    ("deepeval", {"input", "actual_output"}),
    ("deepeval", {"scenario", "turns"}),
    ("deepeval", {"expected_outcome", "turns"}),
    ("autorag", {"query", "generation_gt"}),
    ("csv", {"stem", "key"}),
)
_CHOICES = frozenset({"choices", "options", "endings"})
NO_TAGS = "Write it without tags and references."


def rows_of(path: Path, text: str) -> Placed:
    """The rows of a table or of records, those of Hugging Face's viewer too."""
    if is_parquet(path):
        return iter(parquet_rows(path))
    form = form_of(path.suffix.casefold(), text)
    value = parse_json(text) if form == "json" else None
    if isinstance(value, dict) and conversation_cell(value):
        return iter([("record 1", value)])
    if (rows := shapes.viewer_rows(value)) is not None:
        return (
            (f"row {n}", row if isinstance(row, dict) else BadRow("is no JSON object"))
            for n, row in enumerate(rows, 1)
        )
    return read_records(text, form, likely_delimiter(text) if form == "csv" else ",")


def format_of(path: Path, text: str, known: Sequence[str]) -> str:
    """The name of the format, by content: names of files say little. UsageError where it is none that is known."""
    suffix = path.suffix.casefold()
    if path.is_dir():
        return judged_sets.folder_format(path) or _unknown(path, known, _FOLDERS)
    if suffix in YAML:
        return "promptfoo" if shapes.is_promptfoo(plain_yaml(text, str(path), NO_TAGS)) else "lm-eval"
    if suffix == ".gift" and (gone := replacement("--format gift")):
        raise UsageError(gone)
    first = _first_row(path, suffix, text)
    if isinstance(first, str):
        return first
    fields = set(first)
    named = next((name for name, signs in _SIGNS if signs <= fields), "")
    if named == "deepeval" and _is_object(first.get("input")):
        return "langfuse"
    if not named and form_of(suffix, text) == "jsonl" and _all_have_choices(path, text):
        named = "lm-eval"
    if not named and any(name.startswith("__expected") for name in fields):
        named = "promptfoo"
    if not named and shapes.is_span(first):
        named = "openinference"
    if named:
        return named
    cells = opened({name: first[name] or "-" for name in first if name})
    asked = cell_of(cells, "question")
    if asked and cell_of({name: value for name, value in cells.items() if name != asked}, "answer"):
        return "qa"
    if conversation_cell(cells):
        return "chat"
    if dialogue := dialogue_format(first):
        return dialogue
    return _unknown(path, known, f"Columns or fields: {', '.join(sorted(fields)[:12]) or 'none'}.")


def _is_object(value: object) -> bool:
    """Tell whether it is an object or messages, in a cell of a table too: goldens have a text."""
    found = object_in(value)
    return bool(found) and (not isinstance(value, str) or cell_of(opened({"input": found}), "question") is not None)


def _first_sound(path: Path, text: str) -> Row:
    return next((row for _, row in rows_of(path, text) if not isinstance(row, BadRow)), {})


def _all_have_choices(path: Path, text: str) -> bool:
    """Whether all records have options, as documents of a task have; among open questions they are of a table.

    So are those after a conversation.
    """
    found = [row for _, row in rows_of(path, text) if not isinstance(row, BadRow)]
    return bool(found) and all(not _CHOICES.isdisjoint(row) and not conversation_cell(row) for row in found)


def _unknown(path: Path, known: Sequence[str], found: str) -> str:
    raise UsageError(
        f"{path} is of no format that is known by its content. {found}",
        allowed=f"Known are {', '.join(known)}.",
        next_step="Name it with --format, if it is one of them. A table needs a column for the question and one for "
        "the answer, such as question and answer (docs/exam-file.md).",
    )


_FOLDERS = "A folder holds queries.jsonl and qrels (BEIR), topics and qrels (TREC), or qa.parquet (AutoRAG)."


def _first_row(path: Path, suffix: str, text: str) -> Row | str:
    """The first record; {} where there is none. A data set that is one JSON object is told by its format's name."""
    if is_parquet(path):
        return next((row for _, row in parquet_rows(path)), {})
    try:
        if form_of(suffix, text) == "json":
            value = parse_json(text)
            if dialogue := dialogue_format(value):
                return dialogue
            if shapes.is_squad(value):
                return "squad"
            if shapes.is_promptfoo(value):
                return "promptfoo"
        if form_of(suffix, text) in TABLES:
            delimiter = likely_delimiter(text) if form_of(suffix, text) == "csv" else "\t"
            _, header = next(csv_lines(text.lstrip(), delimiter), (1, []))
            names = [] if isinstance(header, BadRow) else [cell.strip() for cell in header]
            # the columns of a table that is wrong in other ways tell its format
            row = _first_sound(path, text) if len(set(names)) == len(names) else {}
            return {**dict.fromkeys(names), **row}
        return _first_sound(path, text)
    except (ValueError, RecursionError) as error:
        if suffix in _JSON:
            raise UsageError(f"{path}: {error}", next_step="Mend the file, or write it anew.") from error
        return {}
