"""Testsets of ragas: those of 0.2 and later (user_input, reference, ...) and of 0.1 (question, ground_truth, ...).

https://docs.ragas.io, class Testset: JSON Lines as to_jsonl writes them, CSV as to_csv or pandas do (lists as Python
shows them). ragas ignores fields it does not know, so the item travels in a field of its own, `viva`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from viva.core.records import ExamItem, ItemKind, Span, Turn
from viva.core.tables import Row
from viva.exams.formats.base import Seen
from viva.exams.formats.columns import question_in
from viva.exams.formats.conversations import TurnStyle, is_messages
from viva.exams.formats.rows import RowFormat, text_of, texts_of

NAME = "ragas"
_LISTS = ("reference_contexts", "contexts", "retrieved_contexts", "reference_context_ids", "retrieved_context_ids")
_PLACE = re.compile(r"([0-9a-f]{16}):(\d{1,12})-(\d{1,12})")
_MESSAGE_TYPES = {"user": "human", "assistant": "ai"}
_MULTI_HOP = ("multi_hop", "multi_context")


def _see(row: Row) -> Seen:
    said = row.get("user_input")
    stem, history = question_in(said, "user_input") if is_messages(said) else ("", ())
    contexts = texts_of(row, "reference_contexts", "contexts")
    answer = text_of(row, "reference", "ground_truth")
    evidence = _spans(contexts, row.get("reference_context_ids"))
    synthesizer = text_of(row, "synthesizer_name", "evolution_type")
    kind = ItemKind.MULTI_HOP if synthesizer.startswith(_MULTI_HOP) else ItemKind.SINGLE_HOP
    return Seen(
        stem=stem or text_of(row, "user_input", "question"),
        history=history,
        key=answer,
        reference=answer,
        contexts=() if evidence else contexts,
        evidence=evidence,
        kind=ItemKind.UNANSWERABLE if synthesizer.startswith("unanswerable") else kind,
    )


def _show(shown: ExamItem) -> Row:
    item = shown.item
    places = [f"{span.document_id}:{span.start}-{span.end}" for span in item.evidence]
    messages = _messages([*item.history, Turn(role="user", text=item.stem)])
    return {
        "user_input": messages if item.history else item.stem,
        "reference_contexts": list(item.contexts) or [span.quote for span in item.evidence],
        **({"reference_context_ids": places} if places and not item.contexts else {}),
        "reference": item.reference_answer or item.key,
        "synthesizer_name": f"{item.kind.replace('-', '_')}_viva",
    }


def _messages(turns: Sequence[Turn]) -> list[dict[str, str]]:
    return [{"content": turn.text, "type": _MESSAGE_TYPES[turn.role]} for turn in turns]


def _spans(quotes: tuple[str, ...], ids: object) -> tuple[Span, ...]:
    """Our own evidence, where the ids beside the contexts are places in a corpus of ours; else none."""
    if not isinstance(ids, list) or len(ids) != len(quotes):
        return ()
    places = [_PLACE.fullmatch(place) for place in ids if isinstance(place, str)]
    spans = tuple(
        Span(document_id=place[1], start=int(place[2]), end=int(place[3]), quote=quote)
        for place, quote in zip(places, quotes, strict=False)
        if place and int(place[3]) - int(place[2]) == len(quote)
    )
    return spans if len(spans) == len(quotes) else ()


def _decode(cells: Row) -> Row:
    return {name: _list(value) if name in _LISTS else value for name, value in cells.items()}


def _encode(row: Row) -> Row:
    return {name: str(value) if isinstance(value, list) else value for name, value in row.items()}


def _list(cell: object) -> object:
    """The list a cell shows as Python would; a cell that shows none is one text."""
    if not isinstance(cell, str) or not cell:
        return cell
    try:
        value: object = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return [cell]
    return value if isinstance(value, list) else [cell]


RAGAS = RowFormat(NAME, _see, _show, ("viva",), _decode, _encode)
RAGAS_TURNS = TurnStyle(
    lambda asked, answer: {"user_input": _messages(asked), "reference": answer}, ("reference", "ground_truth")
)
