"""What a run can say of its work so far: where the knowledge units went, and what models were asked."""

from __future__ import annotations

from collections import Counter
from typing import Any

from viva.core.accounts import Coverage, Funnel, ModelUse, OwnExam
from viva.core.blueprint import LevelFill
from viva.core.calls import Spent
from viva.graphs.authoring.sampling import RESULT, chunks_of_sources
from viva.graphs.resources.model_client import ModelClient
from viva.storage import schema
from viva.storage.ledger import open_recorded
from viva.storage.recorded_calls import LEDGER_FILE, RecordedCalls
from viva.storage.runs import RunStore

OWN_EXAM = "own exam"
"""The result that tells of the exam that was given to the run; None once the run writes one."""
_OWN_INSTEAD = "another exam was given"


def own_exam(store: RunStore) -> OwnExam | None:
    """What is known of the exam that was given; None where the latest exam was written from the documents."""
    found = store.latest_result(OWN_EXAM)
    return None if found is None else OwnExam.model_validate(found)


def notes_of(store: RunStore) -> tuple[str, ...]:
    """What is to be said of the latest exam, in sentences."""
    own = own_exam(store)
    return own.sentences if own else tuple(store.latest_result("exam_notes") or ())


def blueprint_of(store: RunStore) -> tuple[LevelFill, ...]:
    """How the shares of the latest exam were filled; none of an exam that was given."""
    rows = () if own_exam(store) else store.latest_result("blueprint") or ()
    return tuple(LevelFill.model_validate(row) for row in rows)


def coverage_of(store: RunStore) -> tuple[Coverage, ...]:
    """What the latest exam covers; nothing is recorded of an exam that was given."""
    rows = () if own_exam(store) else store.latest_result("coverage") or ()
    return tuple(Coverage.model_validate(row) for row in rows)


def funnel_of(store: RunStore) -> Funnel:
    """Where the knowledge units went."""
    sample = store.latest_result(RESULT) or {}
    counts = list(store.walk_counts().values())
    exam = store.latest_exam()
    accepted = sum(c["items"] for c in counts)
    ended = store.rejections()
    rejected = Counter(r.verdict.code for r in ended if not r.verdict.failed)
    failed = Counter(r.verdict.code for r in ended if r.verdict.failed)
    units = sum(c["units"] for c in counts)
    in_exam, examples = (len(exam.items), len(exam.examples)) if exam else (0, 0)
    left = store.latest_result("left_out") or {}
    own = 0
    if exam and own_exam(store):
        own, in_exam, examples = len(exam.items), 0, 0
        left = {_OWN_INSTEAD: accepted} if accepted else {}
    return Funnel(
        chunks=_count_read(store, sample),
        units=units,
        accepted=accepted,
        rejected=dict(sorted(rejected.items())),
        failed=dict(sorted(failed.items())),
        passed_over=dict(sorted(Counter(sample.get("passed_over", {}).values()).items())),
        failed_chunks=dict(sorted(Counter(v.code for v in store.failed_chunks().values()).items())),
        not_asked=units - accepted - len(ended),
        in_exam=in_exam,
        examples=examples,
        left_out=dict(left),
        own=own,
    )


def _count_read(store: RunStore, sample: dict[str, Any]) -> int:
    """Count the chunks that were read, of the documents that the run has now."""
    chunks_of = chunks_of_sources(sample) if sample else {}
    # a source that no sample knows is a chunk
    read = {chunk_id for source_id in store.walk_counts() for chunk_id in chunks_of.get(source_id, (source_id,))}
    return len(read.intersection(store.ids(schema.chunks)) if store.superseded else read)


def model_use_of(models: ModelClient) -> tuple[ModelUse, ...]:
    """What each role has asked of each language model, by the run's ledger; empty where there is none."""
    ledger = calls_of(models)
    if ledger is None:
        return ()
    with ledger:
        return tuple(ledger.use())


def calls_of(models: ModelClient) -> RecordedCalls | None:
    """The run's ledger as it is now, to be read and closed; None where no model was asked."""
    models.export_ledger()
    return open_recorded(models.folder) if (models.folder / LEDGER_FILE).exists() else None


def spent_so_far(spent: Spent | None) -> str:
    """What the run has cost, for whoever watches; "" where no model was asked."""
    if spent is None:
        return ""
    # without known prices there is nothing to say of money
    money = f", ${spent.cost:.2f}" if spent.cost else ""
    return f"; {spent.requests:,} requests, {spent.tokens:,} tokens{money}"
