"""Goldens and conversations of deepeval, as EvaluationDataset.save_as writes them: a JSON array, JSON Lines or CSV.

https://deepeval.com/docs/evaluation-datasets. In a CSV the contexts are one cell, '|' between them. The item travels
in additional_metadata, which deepeval keeps.
"""

from __future__ import annotations

import json

from viva.core.records import ExamItem
from viva.core.tables import Row, parse_json
from viva.exams.formats.base import Seen
from viva.exams.formats.columns import question_in
from viva.exams.formats.conversations import TurnStyle, as_messages
from viva.exams.formats.rows import RowFormat, text_of, texts_of

NAME = "deepeval"
_DELIMITER = "|"
_JSON_CELLS = (
    "tools_called",
    "expected_tools",
    "additional_metadata",
    "custom_column_key_values",
    "expectations",
    "turns",
)


def _see(row: Row) -> Seen:
    turns = row.get("turns")
    if row.get("scenario") and not turns:
        raise ValueError("a conversation that is to be simulated, without turns")
    asked, history = question_in(turns, "turns") if turns else (text_of(row, "input"), ())
    answer = text_of(row, "expected_output", "expected_outcome")
    contexts = row.get("context")
    if isinstance(contexts, str) and contexts:
        row = {**row, "context": contexts.split(_DELIMITER)}
    return Seen(stem=asked, history=history, key=answer, reference=answer, contexts=texts_of(row, "context"))


def _show(shown: ExamItem) -> Row:
    item = shown.item
    contexts = list(item.contexts) or [span.quote for span in item.evidence]
    if item.history:
        return {
            "scenario": item.id,
            "turns": [*as_messages(item.history), {"role": "user", "content": item.stem}],
            "expected_outcome": item.reference_answer or item.key,
            "context": contexts,
            "name": item.id,
            "additional_metadata": None,
        }
    return {
        "input": item.stem,
        "actual_output": None,
        "expected_output": item.reference_answer or item.key,
        "retrieval_context": None,
        "context": contexts,
        "name": item.id,
        "comments": None,
        "source_file": None,
        "tools_called": None,
        "expected_tools": None,
        "additional_metadata": None,
        "custom_column_key_values": None,
    }


def _decode(cells: Row) -> Row:
    return {name: _json(value) if name in _JSON_CELLS else value for name, value in cells.items()}


def _encode(row: Row) -> Row:
    return {name: _cell(name, value) for name, value in row.items()}


def _cell(name: str, value: object) -> object:
    if name in ("context", "retrieval_context") and isinstance(value, list):
        return _DELIMITER.join(str(part) for part in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _json(cell: object) -> object:
    if not isinstance(cell, str) or not cell:
        return cell
    try:
        return parse_json(cell)
    except ValueError:
        return cell


DEEPEVAL = RowFormat(NAME, _see, _show, ("additional_metadata", "viva"), _decode, _encode)
DEEPEVAL_TURNS = TurnStyle(
    lambda asked, answer: {"turns": as_messages(asked), "expected_outcome": answer, "expected_output": None},
    ("expected_output", "expected_outcome"),
    of_last=True,
)
