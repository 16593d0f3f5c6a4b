"""The content of a run one by one: its questions, its rejected drafts, the committee's steps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from viva.api.exams import QUESTION_COLUMNS, Question, question_cells
from viva.api.result import Column, Kind, Result, Table
from viva.core.calls import Entry
from viva.core.errors import UsageError
from viva.core.records import Document, ExamItem, Item, QuestionType, Rejection, Span, Step
from viva.core.records.refinement import Refinement
from viva.graphs.authoring.traces import steps_of
from viva.graphs.context import RunContext
from viva.graphs.stages import REFUSED, exam_of
from viva.storage.ledger import requests_of

_LINES = 12
"""The most further lines that are shown of an input or output."""
_FURTHER = tuple(map(Column, ("kind", "Bloom levels", "evidence", "can be guessed", "disputable")))


def questions_result(context: RunContext, type_name: str | None, contains: str | None, limit: int) -> Result:
    """List the questions of the exam with options, key and evidence: of this type, with this text, so many."""
    kind = _question_type(type_name)
    items = exam_of(context.store, context.folder).items
    documents = context.documents
    chosen = [
        each
        for each in items
        if (kind is None or each.item.question_type is kind)
        and (contains is None or contains.casefold() in " ".join([each.item.asked, *each.options]).casefold())
    ][: limit or None]
    parts = []
    for each in chosen:
        parts.append(Result("", (), tuple(f"          {turn.line}" for turn in each.item.history)))
        head, *options = f"{Question(each)}".splitlines()
        parts.append(Result(head, (), (*options, _classes(each, documents))))
    parts.append(Result("", (), (f"{len(chosen)} of {len(items)} questions.",)))
    record = {"items": [each.model_dump(mode="json") for each in chosen]}
    return Result.joined("Questions", parts, record, _questions(chosen, documents))


def _questions(chosen: Sequence[ExamItem], documents: Mapping[str, Document]) -> Table:
    paths = {known: document.path for known, document in documents.items()}
    cells = tuple((*question_cells(each, paths), *_further(each.item)) for each in chosen)
    return Table("Questions", (*QUESTION_COLUMNS, *_FURTHER), cells)


def _further(item: Item) -> tuple[str | bool, ...]:
    levels, quotes = (level.value for level in item.bloom), (span.quote for span in item.evidence)
    return item.kind.value, ", ".join(levels), " / ".join(quotes), item.guessable, item.disputable


def _question_type(name: str | None) -> QuestionType | None:
    if not name:
        return None
    try:
        return QuestionType(name.lower())
    except ValueError as error:
        known = ", ".join(kind.value for kind in QuestionType)
        raise UsageError(f"--type is {name!r}.", allowed=f"One of {known}.") from error


def _classes(shown: ExamItem, documents: Mapping[str, Document]) -> str:
    item = shown.item
    known = ["known without documents"] if item.known else ["can be guessed"] if item.guessable else []
    known += ["disputable"] if item.disputable else []
    tier = [f"{item.provenance.tier} tier"] if item.provenance.tier else []
    classes = ", ".join([item.question_type.value, *(level.value for level in item.bloom), *known, *tier])
    quotes = [
        f"{_place(span, documents.get(span.document_id))}: “{' '.join(span.quote.split())}”" for span in item.evidence
    ]
    return f"     {'; '.join([classes, *quotes])}\n"


def _place(span: Span, document: Document | None) -> str:
    return ", ".join(filter(None, (document.path, document.place_at(span.start)))) if document else "?"


def rejections_result(context: RunContext, type_name: str | None, contains: str | None, limit: int) -> Result:
    """List the drafts that became no question, and the questions that the final reader would not print, with why."""
    kind = _question_type(type_name)
    drafts = [each for each in context.store.rejections() if kind is None or _is_of(each, kind)]
    refused = [each for each in _refused(context) if kind is None or each[0].question_type is kind]
    found = [
        *((each.model_dump(mode="json"), (each.unit.id[:8], _stem(each), *_verdict(each))) for each in drafts),
        *(({"item": item.model_dump(mode="json"), "fault": why}, _unprinted(item, why)) for item, why in refused),
    ]
    wanted = (contains or "").casefold()
    chosen = [each for each in found if wanted in json.dumps(each, ensure_ascii=False).casefold()][: limit or None]
    columns = tuple(Column(name) for name in ("unit", "draft", "critic", "code", "reason"))
    rows = [row for _, row in chosen]
    parts = [
        Result(f"{unit}  {stem}", (), (f"     {code} ({critic}): {why}\n",)) for unit, stem, critic, code, why in rows
    ]
    count = f"{len(chosen)} of {len(found)} rejected drafts and questions that are not printed"
    parts.append(Result("", (), (f"{count}.",)))
    record = {"rejections": [body for body, _ in chosen]}
    return Result(count, (Table("Rejected drafts", columns, tuple(rows)),), (), record, parts=tuple(parts))


def _refused(context: RunContext) -> list[tuple[Item, str]]:
    """List the accepted items that the final reader refused, with the fault of each, in the order of writing."""
    faults: dict[str, str] = context.store.latest_result(REFUSED) or {}
    return [(item, faults[item.id]) for item in context.store.items() if item.id in faults]


def _unprinted(item: Item, fault: str) -> tuple[str, str, str, str, str]:
    return (item.provenance.unit_id or "")[:8], item.stem, "final reader", "not_printed", fault


def _is_of(rejection: Rejection, kind: QuestionType) -> bool:
    return rejection.draft is not None and rejection.draft.question_type is kind


def _stem(rejection: Rejection) -> str:
    return rejection.draft.stem if rejection.draft else rejection.unit.statement


def _verdict(rejection: Rejection) -> tuple[str, str, str]:
    verdict = rejection.verdict
    return verdict.critic, verdict.code, verdict.reason.removeprefix(f"{verdict.critic}: ")


def trace_result(context: RunContext, wanted: str, folder: Path) -> Result:
    """Give every step of the committee for a question or a rejected draft, with the calls of models."""
    steps = steps_of(context.store, wanted, folder)
    asked = requests_of(context.folder, [key for step in steps for key in step.calls])
    columns = (
        Column("step", Kind.NUMBER),
        *(Column(name) for name in ("role", "verdict", "input", "output")),
        Column("time", Kind.SECONDS),
    )
    cells = tuple(
        (each.number, each.role, each.verdict or "", each.input or "", each.output or "", each.duration_s)
        for each in steps
    )
    parts = [
        Result(_head(step), (), (*_texts(step), *(_request(e) for key in step.calls for e in asked.get(key, ()))))
        for step in steps
    ]
    title, record = f"Trace of {wanted}", {"steps": [each.model_dump(mode="json") for each in steps]}
    return Result(title, (Table(title, columns, cells),), (), record, parts=tuple(parts))


def _head(step: Step) -> str:
    verdict = f"  [{step.verdict}]" if step.verdict else ""
    return f"{step.number:3d}  {step.role}{verdict}  {step.duration_s * 1000:.1f} ms"


def _texts(step: Step) -> Iterator[str]:
    for label, text in (("in ", step.input), ("out", step.output)):
        first, *rest = (text or "-").splitlines() or ["-"]
        yield f"     {label}  {first}"
        yield from (f"          {line}" for line in rest[:_LINES])
        if len(rest) > _LINES:
            yield f"          ... {len(rest) - _LINES} more lines (--json shows all)"


def _request(entry: Entry) -> str:
    usage, cost = (entry.reply.usage, entry.reply.cost) if entry.reply else (None, None)
    tokens = entry.error or ""
    if usage:
        read, written = ("not known" if n is None else f"{n}" for n in (usage.input_tokens, usage.output_tokens))
        tokens = f"{read} + {written} tokens"
    price = f", ${cost:.6f}" if cost else ""
    by = f"{entry.role} by {entry.call.provider}:{entry.call.model}"
    return f"     call {entry.call.key[:8]}  {by}: {entry.outcome.value}, {tokens}{price}, {entry.latency_s:.2f} s"


def refinement_result(run: Path, made: Refinement) -> Result:
    """Say which questions were dropped and added in each round, and how to go back."""
    told = list[str]()
    for number, step in enumerate(made.steps, start=1):
        told.append(f"Round {number}: {len(step.dropped)} dropped, {len(step.added)} added")
        told += [f"  - {each.stem}\n      {each.reason}" for each in step.dropped]
        told += [f"  + {each.stem}" for each in step.added]
    told += [*(f"Note: {note}" for note in made.notes), f"Ended: {made.end}."]
    if made.steps:
        kept = run / f"exam.{made.exam_before}.jsonl"
        told.append(f"The refined exam is scored. The old one is in {kept}; to go back to it: viva write {run}.")
        told.append(f"Next: viva report {run}")
    else:
        told.append("The exam does not change.")
    return Result("", (), tuple(told), {"folder": str(run), **made.model_dump(mode="json")})
