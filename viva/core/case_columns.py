"""Which columns of a table hold the texts of a case, in viva's names and in those of other tools.

Known are ragas, deepeval, TruLens, LangSmith and Langfuse. Fields of nested objects have dotted names.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from viva.core.errors import UsageError
from viva.core.records.judging import Case
from viva.core.tables import Row, parse_json

TEXTS = ("question", "answer", "reference", "passages", "other")
LONGEST_TEXT = 100_000
"""Characters of a text that is judged."""
LONGEST_PASSAGE = 1_000_000

USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "question": tuple("question query user_input input inputs prompt message".split()),
        "answer": tuple(
            "answer response actual_output output outputs prediction generated_answer completion student_answer "
            "sentence2".split()
        ),
        "reference": tuple(
            "reference reference_answer gold ground_truth ground_truths expected expected_answer expected_output "
            "expected_response reference_output reference_outputs correct_answer sentence1".split()
        ),
        "passages": tuple(
            "passages passage retrieved_contexts retrieval_context contexts context retrieved_documents documents "
            "source_documents knowledge evidence".split()
        ),
        "other": tuple("other answer_b other_answer response_b".split()),
    }
)
"""Names of columns by field, the first found is taken; capitals, "_", "-" and blanks do not count."""

_OBJECTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "question": tuple("input inputs run.inputs example.inputs".split()),
        "answer": tuple("answer response output outputs run.outputs".split()),
        "reference": tuple(
            "reference expected expected_output reference_output reference_outputs example.outputs metadata".split()
        ),
        "passages": tuple("output outputs run.outputs input inputs metadata example.inputs".split()),
    }
)
"""Objects in which the texts of a field may be nested."""
_INSIDE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "answer": ("text", "content", "result"),
        "question": ("text", "content"),
        "reference": ("answer", "output", "text"),
    }
)
"""Further names that a text has inside such an object."""
_OPENED = frozenset(
    "input inputs output outputs expectedoutput referenceoutputs reference metadata example run".split()
)
_DEEPEST = 5
_SHOWN = 40
"""Columns that a message names."""
_TEXT_OF_PASSAGE = ("page_content", "text", "content", "passage")
_SPOKEN_BY = {"question": ("user", "human"), "answer": ("assistant", "ai")}


# --- rows ---------------------------------------------------------------------------------------------------


def flattened(rows: Sequence[Row]) -> list[Row]:
    """The rows with the fields of nested objects as their own, by dotted names.

    A column of texts is opened too if each of them is an object in JSON, as in a CSV file of LangSmith or Langfuse.
    """
    named = {name for row in rows for name in row if _folded(name) in _OPENED}
    read = {name: [_read_json(row.get(name)) for row in rows] for name in sorted(named)}
    opened = {name: values for name, values in read.items() if None not in values}
    found = list[Row]()
    for place, row in enumerate(rows):
        flat: Row = {}
        for name, value in row.items():
            _flatten(name, opened[name][place] if name in opened else value, flat, 1)
        found.append(flat)
    return found


def _flatten(name: str, value: object, found: Row, depth: int) -> None:
    if isinstance(value, dict) and value and depth < _DEEPEST:
        for inner, each in value.items():
            _flatten(f"{name}.{inner}", each, found, depth + 1)
    else:
        found[name] = value


def _read_json(cell: object) -> object:
    """What a text says in JSON, if that is an object or a list of messages; "" of no text; None of another one."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
        try:
            cell = parse_json(cell, constants=True)
        except ValueError:
            return None
    return cell if isinstance(cell, dict) or _messages(cell) else None


# --- columns ------------------------------------------------------------------------------------------------


def find_columns(
    path: object,
    there: Sequence[str],
    needed: Iterable[str],
    told: Mapping[str, str],
    further: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, str]:
    """The column of every field that has one: as told, else by its usual names.

    `further`: fields beside those of a case, with their usual names. UsageError where a needed field has none.
    """
    usual = {**USUAL, **further}
    more = f" and {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
    shown = f"Columns of {path}: {', '.join(there[:_SHOWN])}{more}."
    for field, column in told.items():
        if field not in usual:
            raise UsageError(f"--columns names a field {field!r}.", allowed=f"Fields: {', '.join(usual)}.")
        if column not in there:
            raise UsageError(f"--columns names {column!r}, and there is no such column.", allowed=shown)
    chosen = dict(told)
    for field, names in usual.items():
        free = [name for name in there if name not in chosen.values()]
        if field not in chosen and (column := _column(field, names, free)):
            chosen[field] = column
    lacking = [field for field in needed if field not in chosen]
    if lacking:
        understood = "; ".join(f"{field}: {', '.join(usual[field])}" for field in lacking)
        raise UsageError(
            f"No column of {path} is known to hold {' and '.join(lacking)}.",
            allowed=f"{shown} Names that are known: {understood}.",
            next_step=f"Name it: --columns {','.join(f'{field}=COLUMN' for field in lacking)}",
        )
    return chosen


def _column(field: str, names: Sequence[str], there: Sequence[str]) -> str:
    """The column with the first of the usual names, else the first nested one, else the only one in an object."""
    by_name = {_folded(name): name for name in reversed(there)}
    objects, inside = _OBJECTS.get(field, ()), (*names, *_INSIDE.get(field, ()))
    wanted = (*names, *(f"{outer}.{inner}" for outer in objects for inner in inside))
    found = next((by_name[_folded(name)] for name in wanted if _folded(name) in by_name), "")
    if found or field == "passages":
        return found
    for outer in objects:
        inner = [name for name in there if _folded(name).startswith(f"{_folded(outer)}.")]
        if len(inner) == 1 and outer != "metadata":
            return inner[0]
    return ""


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())


# --- cells --------------------------------------------------------------------------------------------------


def case_in(row: Mapping[str, object], columns: Mapping[str, str]) -> Case:
    """The case of a flattened row. ValueError, in words, for a cell that holds no text or too long a one."""
    texts = {name: _text(name, columns[name], row) for name in TEXTS if name != "passages" and name in columns}
    passages = _passages(columns["passages"], row) if "passages" in columns else ()
    return Case(**texts, passages=passages)


def has_text(case: Case, field: str) -> bool:
    """Whether the case has anything in this field."""
    value = getattr(case, field)
    return any(each.strip() for each in value) if isinstance(value, tuple) else bool(value.strip())


def text_of_cell(row: Mapping[str, object], column: str) -> str:
    """A cell as text, '' for none. ValueError, in words, for a list or an object."""
    value = row.get(column)
    inner = [name for name in row if name.startswith(f"{column}.")]
    if value is None and inner:
        raise ValueError(f"{column} is no text, but an object with {', '.join(inner[:5])}")
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, dict | list):
        kind = f"a list of {len(value)}" if isinstance(value, list) else "an object"
        raise ValueError(f"{column} is no text, but {kind}")  # noqa: TRY004 - the file is wrong, not our call
    return value.strip() if isinstance(value, str) else json.dumps(value)


def _text(field: str, column: str, row: Mapping[str, object]) -> str:
    value = row.get(column)
    if isinstance(value, str) and field == "reference":
        value = _listed(column, value)
    if isinstance(value, list):
        row = {**row, column: _one_of(field, value)}
    text = text_of_cell(row, column)
    _check_length(column, text, LONGEST_TEXT)
    return text


def _one_of(field: str, value: list[object]) -> object:
    """The text that a list stands for: a message of its speaker, several wordings of a reference, or its only one."""
    if _messages(value):
        said = [each.get("content") for each in value if isinstance(each, dict) and _speaks(each, field)]
        if field == "question" and len(said) > 1:
            raise ValueError(f"its question is a conversation of {len(said)} turns, and one question is judged")
        return said[-1] if said else None
    if field == "reference" and value and all(isinstance(each, str) for each in value):
        return " / ".join(map(str, value))
    if len(value) > 1:
        raise ValueError(f"its {field} is a list of {len(value)}: a row holds one, so write a row for each")
    return value[0] if value else None


def _messages(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(m, dict) and "content" in m for m in value)


def _speaks(message: Mapping[str, object], field: str) -> bool:
    return message.get("role", message.get("type")) in _SPOKEN_BY.get(field, ())


def _passages(column: str, row: Mapping[str, object]) -> tuple[str, ...]:
    value = row.get(column)
    if isinstance(value, str):
        value = _listed(column, value)
    if not isinstance(value, list):
        value = [text_of_cell(row, column)]
    texts = [_passage(column, each) for each in value]
    for text in texts:
        _check_length(column, text, LONGEST_PASSAGE)
    return tuple(text for text in texts if text)


def _passage(column: str, value: object) -> str:
    if isinstance(value, dict):
        value = next((value[name] for name in _TEXT_OF_PASSAGE if name in value), value)
    if not isinstance(value, str):
        raise ValueError(f"{column} holds what is no text")  # noqa: TRY004 - the file is wrong, not our call
    return value.strip()


def _listed(column: str, cell: str) -> object:
    """The list that a cell of CSV shows, as JSON, as Python or as deepeval does; else the cell."""
    if cell.lstrip().startswith("["):
        for read in (parse_json, ast.literal_eval):
            try:
                value: object = read(cell.strip())
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
            if isinstance(value, list):
                return value
    return cell.split("|") if _folded(column) == "retrievalcontext" else cell


def _check_length(column: str, text: str, most: int) -> None:
    if len(text) > most:
        raise ValueError(f"{column} has {len(text):,} characters, and at most {most:,} are judged")
