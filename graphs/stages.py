"""What each stage of a run does. Every stage can be run again: what is done already is not done twice."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.ids import seeded_order
from viva.core.records import Chunk, Exam, Item, Response
from viva.core.scores import Scores
from viva.core.settings import Settings
from viva.graphs import sitting
from viva.graphs.assembly import assemble_exam
from viva.graphs.chunk import ChunkWalk
from viva.graphs.desk import Desk

SMALLEST_BATCH, LARGEST_BATCH = 8, 1000
"""Chunks walked before the accepted items are counted again."""
SPARE = 1.2
"""Items accepted per item wanted, so that the exam can be chosen for spread."""
REPORT_FILE, EXAM_FILE, SCORES_FILE = "report.html", "exam.jsonl", "scores.json"


def ingest(desk: Desk) -> None:
    """Read the folder; make the run, or see that it is about the same documents; record them."""
    from viva.storage.corpus import corpus_statistics, read_corpus

    if desk.documents_folder is None:
        raise AssertionError("ingest is only begun with a documents folder")
    if desk.ingested:
        return
    settings = desk.settings
    with desk.timed("ingest"):
        corpus = read_corpus(
            desk.documents_folder,
            ignore=(*settings.ignore, *_own_output(desk)),
            max_file_mb=settings.max_file_mb,
            max_documents=settings.max_documents,
            chunk_tokens=settings.chunk_tokens,
            chunk_overlap=settings.chunk_overlap,
            count_tokens=desk.embedder.count_tokens,
            progress=lambda done, total: desk.watch("ingest", done, total),
        )
        desk.bind(desk.documents_folder, corpus.fingerprint)
        desk.store.add_corpus(corpus.documents, corpus.chunks, corpus.exclusions)
        desk.store.add_result("statistics", corpus_statistics(corpus).model_dump(mode="json"))
    desk.ingested = True


def _own_output(desk: Desk) -> list[str]:
    """Patterns for run folders inside the documents folder: a report is no document of the corpus."""
    folder, documents = desk.folder.resolve(), (desk.documents_folder or desk.folder).resolve()
    own = [f"{folder.relative_to(documents).as_posix()}/*"] if documents in folder.parents else []
    return [*own, "viva-runs/*"]


def next_batch(desk: Desk) -> list[str]:
    """The chunk ids that must walk next; empty when there are items enough or no chunks left.

    Whole batches are counted, in one fixed order: an interrupted batch is finished before it is counted, so
    that the exam does not depend on where a run was interrupted. A batch is as large as the items still wanted
    make likely, so that no more is paid for than is needed, and all of it is at work at once.
    """
    batch, _ = _walked(desk)
    return batch


def _walked(desk: Desk) -> tuple[list[str], set[str]]:
    """What must walk next, and the chunks whose items count."""
    order = [chunk.id for chunk in walking_order(desk)]
    finished = desk.store.finished_chunks()
    # as the chunk's walk made them: which of two overlapping chunks keeps an item may change later
    items_of = {chunk_id: made["items"] for chunk_id, made in desk.store.walk_counts().items()}
    wanted = items_wanted(desk.settings)
    counted: list[str] = []
    accepted = 0
    while accepted < wanted and len(counted) < len(order):
        size = batch_size(wanted, accepted, len(counted), desk.settings.items_per_chunk)
        batch = order[len(counted) : len(counted) + size]
        missing = [chunk_id for chunk_id in batch if chunk_id not in finished]
        if missing:
            return missing, set(counted)
        counted += batch
        accepted += sum(items_of[chunk_id] for chunk_id in batch)
    return [], set(counted)


def items_wanted(settings: Settings) -> int:
    """Accepted items that the writing aims for, to choose the exam from."""
    return math.ceil(settings.items * SPARE) + settings.worked_examples


def batch_size(wanted: int, accepted: float, walked: int, items_per_chunk: int) -> int:
    """Chunks in the next batch, when so many have walked and so many items were accepted from them."""
    # as many as a chunk may give, until chunks have shown what they do give
    per_chunk = (accepted + items_per_chunk) / (walked + 1)
    return min(max(math.ceil((wanted - accepted) / per_chunk), SMALLEST_BATCH), LARGEST_BATCH)


def remaining(desk: Desk) -> str:
    """How far the writing is, in words."""
    chunks, accepted = len(desk.store.finished_chunks()), len(desk.store.items())
    wanted = items_wanted(desk.settings)
    return (
        f"{chunks} of {len(desk.chunks)} chunks are walked, {accepted} items accepted; about {wanted} are wanted, "
        f"to choose {desk.settings.items} from."
    )


def walking_order(desk: Desk) -> list[Chunk]:
    """All chunks, documents taking turns, so that a small exam too covers the whole corpus."""
    seed = desk.settings.seed
    by_document: dict[str, list[Chunk]] = {}
    for chunk in desk.chunks.values():
        by_document.setdefault(chunk.document_id, []).append(chunk)
    turns = [
        (turn, place, chunk)
        for place, document_id in enumerate(seeded_order(sorted(by_document), seed, "documents"))
        for turn, chunk in enumerate(seeded_order(by_document[document_id], seed, "chunks", document_id))
    ]
    return [chunk for _, _, chunk in sorted(turns, key=lambda t: t[:2])]


def record_walk(desk: Desk, chunk_id: str, walk: ChunkWalk) -> None:
    """Record what the committee made of a chunk."""
    desk.store.finish_chunk(chunk_id, walk.items, walk.rejections, walk.steps, units=walk.found, failure=walk.failure)
    desk.tally["chunks"] += 1
    desk.tally["accepted"] += len(walk.items)
    desk.tally.update(r.verdict.code for r in walk.rejections)
    desk.tally.update([walk.failure.code] if walk.failure else [])
    rejected = ", ".join(f"{n} {code}" for code, n in desk.tally.most_common() if code not in {"chunks", "accepted"})
    wanted = items_wanted(desk.settings)
    note = f"not accepted: {rejected or 'none'}{desk.spent_so_far()}"
    desk.watch("write", min(desk.tally["accepted"], wanted), wanted, note)


def assemble(desk: Desk) -> None:
    """Choose the exam from the accepted items. UsageError where there is none."""
    _, counted = _walked(desk)
    items: Sequence[Item] = [i for i in desk.store.items() if i.provenance.chunk_id in counted]
    settings = desk.settings
    exam, left_out = assemble_exam(
        items,
        list(desk.documents.values()),
        size=settings.items,
        examples=settings.worked_examples,
        seed=settings.seed,
    )
    if not exam.items:
        raise _no_items(desk)
    later = len(desk.store.items()) - len(items)
    desk.store.add_exam(exam)
    desk.store.add_result("left_out", {**left_out, **({"from chunks beyond this exam": later} if later else {})})
    export_exam(desk)


def _no_items(desk: Desk) -> UsageError:
    funnel = desk.funnel()
    ended = Counter(funnel.rejected) + Counter(funnel.failed) + Counter(funnel.failed_chunks)
    reasons = ", ".join(f"{n} {code}" for code, n in ended.items()) or "no checkable fact found"
    help_ = (
        f"A role could not do its work: viva ledger {desk.folder} shows what its model said; another model may help."
        if funnel.failed or funnel.failed_chunks
        else "More or longer documents of running prose usually help."
    )
    return UsageError(f"Not one item was accepted from {len(desk.documents)} documents ({reasons}).", next_step=help_)


def export_exam(desk: Desk) -> None:
    """RUN/exam.jsonl: one line per question, for other tools."""
    exam = desk.store.latest_exam()
    if exam is None:
        return
    lines = [json.dumps(shown.model_dump(mode="json"), ensure_ascii=False, sort_keys=True) for shown in exam.items]
    _write(desk.folder / EXAM_FILE, "\n".join(lines) + "\n")


def exam_of(desk: Desk) -> Exam:
    """The latest exam. UsageError where none was written yet."""
    exam = desk.store.latest_exam()
    if exam is None:
        raise UsageError("There is no exam in this run yet.", next_step=f"Write one: viva write {desk.folder}")
    return exam


def call(desk: Desk) -> list[int]:
    """Register the examinees; their places in the panel. A spec that cannot be loaded stops before anybody sits."""
    exam_of(desk)
    specs = desk.specs()
    for spec in specs:
        desk.candidate(spec)
        desk.store.add_examinee(spec.examinee)
    return list(range(len(specs)))


async def sit(desk: Desk, place: int) -> None:
    """One examinee answers what it has not answered yet."""
    exam = exam_of(desk)
    spec = desk.specs()[place]
    # resumed here, the system may be another than the one called: its file was edited in between
    desk.store.add_examinee(spec.examinee)
    answered = {r.id for r in desk.store.responses([shown.item.id for shown in exam.items])}
    await sitting.sit(
        desk.candidate(spec),
        exam,
        answered,
        timeout_s=desk.settings.timeout_s,
        record=desk.store.add_responses,
        watch=lambda done: desk.watch(f"sit {spec.examinee.name}", done, len(exam.items)),
    )


def score(desk: Desk) -> None:
    """Grade, fit and compare everybody who sat this exam."""
    from viva.metrics.score import score_exam

    exam = exam_of(desk)
    responses = desk.store.responses([shown.item.id for shown in exam.items])
    if not responses:
        raise UsageError("Nobody has sat this exam yet.", next_step=f"Let them: viva sit {desk.folder}")
    sat = {response.examinee_id for response in responses}
    examinees = [examinee for examinee in desk.store.examinees() if examinee.id in sat]
    desk.watch("score", 0, 1)
    scores = score_exam(exam, examinees, responses, seed=desk.settings.seed)
    desk.store.add_result("scores", scores.model_dump(mode="json"))
    _write(desk.folder / SCORES_FILE, scores.model_dump_json(indent=2) + "\n")
    desk.watch("score", 1, 1)


def scores_of(desk: Desk) -> Scores:
    """The latest scores. UsageError where nothing was scored yet."""
    found = desk.store.latest_result("scores")
    if found is None:
        raise UsageError("This run has no scores yet.", next_step=f"Make them: viva score {desk.folder}")
    return Scores.model_validate(found)


def report(desk: Desk) -> None:
    """Write RUN/report.html."""
    from viva.reports.data import ReportData
    from viva.reports.html import render_report
    from viva.storage.corpus import CorpusStatistics

    scores, exam = scores_of(desk), desk.store.latest_exam()
    if exam is None or scores.exam_id != exam.id:
        raise UsageError("The scores are of another exam.", next_step=f"Score again: viva score {desk.folder}")
    item_ids = [shown.item.id for shown in exam.items]
    responses: dict[str, list[Response]] = {item_id: [] for item_id in item_ids}
    for response in desk.store.responses(item_ids):
        responses[response.item_id].append(response)
    evidence = {shown.item.evidence.document_id for shown in exam.items}
    data = ReportData(
        run=desk.store.run,
        statistics=CorpusStatistics.model_validate(desk.store.latest_result("statistics")),
        exclusions=tuple(desk.store.exclusions()),
        funnel=desk.funnel(),
        exam=exam,
        scores=scores,
        documents={i: desk.documents[i] for i in sorted(evidence)},
        rejections=tuple(desk.store.rejections()),
        responses={item_id: tuple(found) for item_id, found in responses.items()},
        times=desk.times(),
        model_use=desk.model_use(),
    )
    desk.watch("report", 0, 1)
    _write(desk.folder / REPORT_FILE, render_report(data))
    desk.watch("report", 1, 1)


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a killed process leaves the old file."""
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
