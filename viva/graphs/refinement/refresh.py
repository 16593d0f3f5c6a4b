"""Checking a run against newer documents: valid questions stay, others are set aside, new ones are written for them.

The exam before, its answers and its scores stay in the run. What was interrupted goes on when it is begun again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from viva.core.blueprint import LevelFill
from viva.core.errors import BudgetReached, UsageError
from viva.core.records import Chunk, Document, Exam, ItemKind
from viva.core.records.corpus import ExclusionReason
from viva.core.records.refinement import ReplacedItem
from viva.core.records.refresh import REFRESH, CheckedItem, ComparedDocument, Refresh
from viva.core.wording import listed
from viva.exams.document_statements import new_stretches
from viva.exams.evidence import EvidenceState, RecheckedItem, recheck
from viva.exams.file import write_exam
from viva.graphs import stages
from viva.graphs.assembly.assemble import reassembled
from viva.graphs.authoring.account import own_exam
from viva.graphs.authoring.sampling import RESULT, extended
from viva.graphs.context import RunContext
from viva.graphs.refinement.replenish import left_out, placed, replacements
from viva.graphs.resources.casts import check_models
from viva.llm import interrupts
from viva.storage.corpus.read import Corpus
from viva.storage.lock import run_lock
from viva.storage.run_place import REMEMBERED_URL_FILE, SQLITE_FILE

_NAMED = 10
_REPEATED = ExclusionReason.EXACT_DUPLICATE
_SET_ASIDE = "set aside, for the documents changed"
_NOTE = "The documents have changed since this exam was written: it was checked against the newer ones."


@dataclass(frozen=True)
class _Plan:
    """The newer documents, and what the exam is with them."""

    corpus: Corpus
    exam: Exam
    found: Refresh


def refresh_run(context: RunContext, *, check: bool) -> Refresh:
    """Compare the run with the documents that the context names; without `check`, make these the run's.

    Raises UsageError where there is nothing to compare or no evidence at all is found again, RunLocked while another
    process works on the folder, BudgetReached where new questions end the budget: what was done is kept.
    """
    try:
        if check:
            return _planned(context).found
        store = context.store
        # locked before the exam is read: another process may refine it while the documents are read
        with run_lock(context.folder), store.server_lock():
            plan = _planned(context)
            _check_traces(context, plan.found)
            return _applied(context, plan)
    finally:
        context.close()


def _check_evidence(context: RunContext, exam: Exam) -> None:
    if not context.has_documents:
        raise UsageError(
            "This run has no documents to compare with.",
            next_step="Give its exam the documents: viva run DOCS --exam FILE --out FOLDER",
        )
    if not any(shown.item.evidence for shown in exam.items):
        raise UsageError(
            "No question of this exam has evidence in its documents, so that none can be checked.",
            allowed="Exams that viva wrote, and questions of your own with contexts that are in the documents.",
        )


def _check_no_run(context: RunContext, documents: object) -> None:
    # its exam and report would pass for documents that hold the evidence
    if isinstance(documents, Path) and any(
        (documents / name).is_file() for name in (SQLITE_FILE, REMEMBERED_URL_FILE)
    ):
        raise UsageError(
            f"{documents} is a run folder, and not documents.",
            allowed="The newer documents: a folder, a file or an address.",
            next_step=f"viva refresh {context.folder} DOCS --check",
        )


def _check_traces(context: RunContext, found: Refresh) -> None:
    if not any(each.state == "valid" for each in found.items):
        raise UsageError(
            f"Nothing of the evidence of {len(found.items)} questions is in {found.documents_folder}: these are "
            "other documents. The run stays as it was.",
            next_step=f"Write an exam of them: viva run {found.documents_folder} --out FOLDER. To see what was "
            f"compared: viva refresh {context.folder} {found.documents_folder} --check",
        )


# --- what is found ----------------------------------------------------------------------------------------


def _planned(context: RunContext) -> _Plan:
    exam = stages.exam_of(context.store, context.folder)
    _check_evidence(context, exam)
    if context.documents_folder is None:
        raise UsageError("No newer documents are named.", allowed="A folder, a file or an address.")
    _check_no_run(context, context.documents_folder)
    corpus = stages.read_documents(context, context.documents_folder)
    checked = recheck(exam, context.documents, corpus.documents)
    # ids and options stay, and with them the answers
    kept = [each.renewed for each in checked if each.state is EvidenceState.VALID]
    paths = {each.id: each.path for each in context.documents.values()}
    unchanged, documents = _compared(paths, corpus.documents)
    now = paths | {each.id: each.path for each in corpus.documents}
    found = Refresh(
        documents_folder=str(context.documents_folder),
        exam_before=exam.id,
        exam_after=exam.id,
        unchanged=unchanged,
        documents=documents,
        items=tuple(_checked(each, paths, now) for each in checked),
        notes=_unread(set(paths.values()), corpus),
    )
    last = context.store.latest_result(REFRESH)
    found = found.after(Refresh.model_validate(last)) if last and last["exam_after"] == exam.id else found
    return _Plan(corpus, Exam.of(kept, exam.examples), found)


def _unread(before: Collection[str], corpus: Corpus) -> tuple[str, ...]:
    """Say which documents of the run are there still and cannot be read: they count as gone."""
    left = {each.path: each.reason for each in corpus.exclusions if not each.reason.of_a_part}
    lost = [f"{path} ({why.value})" for path, why in left.items() if path in before and why is not _REPEATED]
    return (f"Not read, and gone for the comparison: {listed(lost, _NAMED)}.",) if lost else ()


def _checked(each: RecheckedItem, before: Mapping[str, str], paths: Mapping[str, str]) -> CheckedItem:
    item, worst = each.shown.item, each.worst
    if worst is None:
        why = "it has no evidence, and stays as it is"
        return CheckedItem(item_id=item.id, stem=item.stem, topic=item.topic, state="no evidence", reason=why)
    pairs = zip((span.span for span in each.spans), item.evidence, strict=True)
    same = all(a.quote == b.quote and paths.get(a.document_id) == before.get(b.document_id) for a, b in pairs)
    return CheckedItem(
        item_id=item.id,
        stem=item.stem,
        topic=item.topic,
        state=each.state.value,
        path=paths.get(worst.span.document_id, ""),
        reason=worst.reason,
        before=worst.before,
        after=worst.after,
        renewed=not same,
    )


def _compared(before: Mapping[str, str], now: Sequence[Document]) -> tuple[int, tuple[ComparedDocument, ...]]:
    """Count the documents that are as they were, and list the others."""
    old_paths, found, unchanged = set(before.values()), list[ComparedDocument](), 0
    for document in now:
        if (old := before.get(document.id)) is not None:
            unchanged += old == document.path
            if old != document.path:
                found.append(ComparedDocument(state="moved", path=document.path, before=old))
        else:
            state: Any = "changed" if document.path in old_paths else "new"
            found.append(ComparedDocument(state=state, path=document.path))
    ids, paths = {each.id for each in now}, {each.path for each in now}
    gone = (path for i, path in before.items() if i not in ids and path not in paths)
    found += [ComparedDocument(state="gone", path=path) for path in gone]
    return unchanged, tuple(sorted(found, key=lambda each: (each.state, each.path)))


# --- what is done -----------------------------------------------------------------------------------------


def _applied(context: RunContext, plan: _Plan) -> Refresh:
    store, found = context.store, plan.found.model_copy(update={"exam_after": plan.exam.id})
    if found.owed and context.settings.model:
        check_models(context.settings, context.models)
    before = stages.exam_of(store, context.folder)
    _keep(context, found)
    if before.id != plan.exam.id:
        write_exam(before, context.folder / f"exam.{before.id}.jsonl")
    # the exam first: stopped here, its evidence is found in the documents at the next start
    store.add_exam(plan.exam)
    _renew_corpus(context, plan.corpus)
    _adopt(context, plan.exam, len(before.items) - len(plan.exam.items))
    if not found.owed or own_exam(store) is not None:
        return found
    return interrupts.run(_written(context, plan.exam, found))


def _renew_corpus(context: RunContext, corpus: Corpus) -> None:
    """Make these the run's documents; the sample goes on with the chunks that are new."""
    store, old = context.store, {each.id: _place(each) for each in context.documents.values()}
    recorded = store.latest_result(RESULT)
    moved = [each for each in corpus.documents if each.id in old and old[each.id] != _place(each)]
    place = {"documents_folder": str(context.documents_folder), "corpus_fingerprint": corpus.fingerprint}
    run = store.run.model_copy(update=place)
    store.renew_corpus(run, corpus.documents, corpus.chunks, corpus.exclusions, moved)
    stages.describe(corpus, store)
    context.forget_documents()
    if recorded is not None:
        store.add_result(RESULT, extended(context, recorded, set(context.documents) - old.keys()))


def _place(document: Document) -> tuple[object, ...]:
    """Give what may change though the text stays: the path, and where lines and pages of the file are in the text."""
    return document.path, document.parts, document.first_line


def _adopt(context: RunContext, exam: Exam, went: int = 0) -> None:
    fill = [LevelFill.model_validate(row) for row in context.store.latest_result("blueprint") or ()]
    left = left_out(context.store, exam, went=went, why=_SET_ASIDE)
    stages.adopt(context, reassembled(exam, fill, "The documents have changed.", _NOTE), left)


async def _written(context: RunContext, exam: Exam, found: Refresh) -> Refresh:
    """Write questions for those that were set aside: of documents that are new or changed, where they give any."""
    try:
        gone = [each.stem for each in found.set_aside]
        fresh = _fresh_sources(context, found)
        chosen = await replacements(context, exam, found.owed, gone, fresh)
    except BudgetReached as reached:
        kept = "The exam is of its valid questions; what was written for it is kept."
        raise BudgetReached(reached.problem, allowed=kept, next_step=reached.next_step) from reached
    finally:
        await context.aclose_models()
    items = [placed(item, context.settings.seed) for item in chosen]
    after = Exam.of([*exam.items, *items], exam.examples)
    added = tuple(ReplacedItem(item_id=each.item.id, stem=each.item.stem) for each in items)
    short = len(found.owed) - len(items)
    fewer = (f"{short} fewer questions came than went: the sources that were read gave no more.",) if short else ()
    made = found.model_copy(
        update={"exam_after": after.id, "written": True, "added": added, "notes": (*found.notes, *fewer)}
    )
    _keep(context, made)
    await asyncio.to_thread(_adopt, context, after)
    return made


def _fresh_sources(context: RunContext, found: Refresh) -> list[str]:
    """Give ids of sources that hold a sentence which no document had before, in walking order."""
    paths = {each.path for each in found.documents if each.state in ("new", "changed")}
    before = (context.documents[i] for i in sorted(context.store.superseded))
    new = new_stretches(before, (each for each in context.documents.values() if each.path in paths))
    sample = context.sample

    def is_fresh(chunk: Chunk) -> bool:
        return any(start < chunk.end and chunk.start < end for start, end in new.get(chunk.document_id, ()))

    return [
        i
        for i in stages.walking_order(sample, context.settings)
        if sample.kind_of[i] is not ItemKind.UNANSWERABLE
        and any(is_fresh(context.chunks[chunk_id]) for chunk_id in sample.chunks_of[i])
    ]


def _keep(context: RunContext, found: Refresh) -> None:
    context.store.add_result(REFRESH, found.model_dump(mode="json"))
