"""JSON Lines: the user's own chunks, taken as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from viva.core.records import Exclusion, ExclusionReason
from viva.core.tables import MAX_LINE, BadRow, json_lines, parse_python_json
from viva.storage.corpus.decoding import decode
from viva.storage.corpus.source import Excluded, Loaded, SourceFile, document_of, lookup

_ID_FIELDS = ("id", "doc_id")
_TITLE_FIELDS = ("title", "focus", "name")


def load_jsonl(source: SourceFile) -> Iterator[Loaded]:
    """A pre-split document per line `{"text": ..., "id"?: ..., "metadata"?: {...}}`; bad lines are listed.

    Other fields of a line become metadata. Paths carry the line number.
    """
    text = decode(source.data)
    lines = json_lines(text, parse=parse_python_json, longest=max(len(text), MAX_LINE))
    loaded = [_loaded(source, value, number) for number, value in lines]
    if not loaded:
        raise Excluded(ExclusionReason.EMPTY, "The file holds no lines.")
    yield from loaded


def _loaded(source: SourceFile, value: object, number: int) -> Loaded:
    record = _record(value)
    if isinstance(record, str):
        detail = f"Line {number} {record}."
        path = f"{source.relative}#{number}"
        return Exclusion(path=path, reason=ExclusionReason.BAD_RECORD, detail=detail)
    text, metadata = record
    title = lookup(metadata, *_TITLE_FIELDS)
    return document_of(source, text, format="jsonl", title=title, metadata=metadata, row=number, presplit=True)


def _record(record: object) -> tuple[str, dict[str, str]] | str:
    """The line's text and metadata, or what is wrong with it."""
    if isinstance(record, BadRow):
        return record.reason
    if not isinstance(record, dict):
        return f"holds {_kind(record)}, where a JSON object is expected"
    if "text" not in record:
        return 'has no "text"'
    if not isinstance(record["text"], str):
        return f'has a "text" that is {_kind(record["text"])}, where a string is expected'
    if not record["text"].strip():
        return 'has a blank "text"'
    try:
        return record["text"], _metadata(record)
    except RecursionError:
        return "is JSON nested too deeply"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def _metadata(record: dict[str, Any]) -> dict[str, str]:
    """Fields of "metadata" and of the record itself (which win) as strings; the id under "id"."""
    given = record.get("metadata")
    own = {name: value for name, value in record.items() if name not in {"text", "metadata"}}
    fields = {**(given if isinstance(given, dict) else {"metadata": given}), **own}
    metadata = {name: _as_text(value) for name, value in fields.items() if value is not None}
    identity = next((metadata[name] for name in _ID_FIELDS if name in metadata), None)
    return metadata if identity is None else {**metadata, "id": identity}


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
