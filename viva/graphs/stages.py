"""What each stage of a run does. Every stage can be run again: what is done already is not done twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from viva.core.accounts import Funnel
from viva.core.blueprint import Blueprint, LevelFill
from viva.core.errors import UsageError
from viva.core.records import Exam, Examinee, Item, Response
from viva.core.settings import Settings
from viva.examinees.specs.records import RecordedSpec, ReferenceSpec, Spec
from viva.exams.file import write_exam
from viva.exams.review import REVIEWS_FILE, Decision, ReviewLog, reviewed_exam, reviewed_items, standings
from viva.graphs.assembly.assemble import Assembly, assemble_exam, reassembled
from viva.graphs.assembly.judged_choice import judge_choice
from viva.graphs.assembly.option_outliers import option_outliers
from viva.graphs.assembly.own_questions import EXAM_FILE, adopt_own, keep_edits, keep_exam
from viva.graphs.authoring.account import OWN_EXAM, funnel_of, own_exam, spent_so_far
from viva.graphs.authoring.batching import BatchProgress, BatchScheduler, coverage, items_wanted
from viva.graphs.authoring.editions import EDITIONS
from viva.graphs.authoring.sampling import Sample
from viva.graphs.context import RunContext
from viva.graphs.sitting import administer
from viva.graphs.sitting.kept_answers import forget_answers, kept_count, record_sitting
from viva.storage.runs import RunStore

if TYPE_CHECKING:
    from viva.graphs.chunk import ChunkRecord
    from viva.storage.corpus.read import Corpus
    from viva.storage.corpus.source import DocumentSource

Stage = Literal["ingest", "write", "sit", "score", "report"]

ASKED_FOR = "asked for"
"""The result that holds the ids of the examinees that somebody named, over all sittings."""
REFUSED = "refused"
"""The result that holds the faults of questions that the final reader would not print, by the id of the item."""
WRITING = "writing"
"""The result that says how the writing of the latest exam ended: whether it is incomplete, and notes in words."""


def ingest(context: RunContext) -> None:
    """Read the folder; make the run, or see that it is about the same documents; record them."""
    if context.documents_folder is None:
        raise AssertionError("ingest is only begun with a documents folder")
    if context.ingested:
        return
    with context.times.timed("ingest"):
        corpus = read_documents(context, context.documents_folder)
        Blueprint.read(context.settings.blueprint).check_topics(document.topic for document in corpus.documents)
        context.bind(context.documents_folder, corpus.fingerprint)
        context.store.add_corpus(corpus.documents, corpus.chunks, corpus.exclusions)
        describe(corpus, context.store)
    context.ingested = True


def describe(corpus: Corpus, store: RunStore) -> None:
    """Record what is counted in the documents, and which of them are editions of one."""
    from viva.storage.corpus.editions.finding import find_editions
    from viva.storage.corpus.statistics import corpus_statistics

    store.add_result("statistics", corpus_statistics(corpus).model_dump(mode="json"))
    pairs = find_editions(corpus.documents, corpus.exclusions)
    store.add_result(EDITIONS, [pair.model_dump(mode="json") for pair in pairs])


def read_documents(context: RunContext, folder: Path | DocumentSource) -> Corpus:
    """Read documents by the settings of the run; what the run wrote there is left out."""
    from viva.storage.corpus.read import read_corpus

    settings = context.settings
    return read_corpus(
        folder,
        ignore=(*settings.ignore, *_own_output(context.folder, folder)),
        max_file_mb=settings.max_file_mb,
        max_documents=settings.max_documents,
        chunk_tokens=settings.chunk_tokens,
        chunk_overlap=settings.chunk_overlap,
        count_tokens=context.embedder.count_tokens,
        progress=lambda done, total: context.watch("ingest", done, total),
    )


def _own_output(run: Path, documents: Path | DocumentSource) -> list[str]:
    """Patterns for run folders inside the documents folder: a report is no document of the corpus."""
    if not isinstance(documents, Path):
        return []
    folder, documents = run.resolve(), documents.resolve()
    own = [f"{folder.relative_to(documents).as_posix()}/*"] if documents in folder.parents else []
    return [*own, "viva-runs/*"]


def next_batch(context: RunContext) -> BatchProgress:
    """The sources that must walk next (`missing`); none when there are items enough or no sources left.

    Whole batches are counted, in one fixed order: an interrupted batch is finished before it is counted, so
    that the exam does not depend on where a run was interrupted. A batch is as large as the items still wanted
    make likely, so that no more is paid for than is needed, and all of it is at work at once.
    """
    return BatchScheduler.of(context).step()


def remaining(context: RunContext) -> str:
    """How far the writing is, in words."""
    walking = BatchScheduler.of(context)
    chunks, accepted = funnel_of(context.store).chunks, len(context.store.items())
    short = ", ".join(
        f"{f} {level} ({have} of {wanted})" for f, level, have, wanted in walking.shares_short(walking.made)
    )
    return (
        f"{chunks} of {len(context.chunks)} chunks are read, {accepted} items accepted; about "
        f"{items_wanted(context.settings)} are wanted, to choose {context.settings.items} from."
        + (f" Short of the blueprint: {short}." if short else "")
        + (
            f" What there is makes an exam of {len(exam.items)}, marked incomplete: {context.folder / EXAM_FILE}."
            if (exam := context.store.latest_exam()) and is_incomplete(context.store)
            else ""
        )
    )


def walking_order(sample: Sample, settings: Settings) -> list[str]:
    """Ids of what the committee reads, in order, kinds of item mixed in the blueprint's shares."""
    return sample.mixed(Blueprint.read(settings.blueprint).kinds)


def record_walk(store: RunStore, chunk_id: str, walk: ChunkRecord) -> Counter[str]:
    """Record what the committee made of a chunk; what that is, by kind, for `count_walk`."""
    store.finish_chunk(chunk_id, walk.items, walk.rejections, walk.steps, units=walk.found, failure=walk.failure)
    codes = Counter(rejection.verdict.code for rejection in walk.rejections)
    codes.update([walk.failure.code] if walk.failure else [])
    return codes + Counter(chunks=1, accepted=len(walk.items))


def count_walk(context: RunContext, made: Counter[str]) -> None:
    """Tell whoever watches of a chunk that was walked."""
    context.tally.update(made)
    rejected = ", ".join(
        f"{n} {code}" for code, n in context.tally.most_common() if code not in {"chunks", "accepted", "read"}
    )
    wanted = items_wanted(context.settings)
    note = f"not accepted: {rejected or 'none'}{spent_so_far(context.spent)}"
    context.watch("write", min(context.tally["accepted"], wanted), wanted, note)


def is_incomplete(store: RunStore) -> bool:
    """Whether the latest exam is of what there was when the budget ended its writing."""
    return bool((store.latest_result(WRITING) or {}).get("incomplete"))


def ended_early(store: RunStore) -> bool:
    """Whether something was given up for the latest exam: a wish that took too many calls, or all that was left."""
    return bool((store.latest_result(WRITING) or {}).get("notes"))


async def judge_chosen(context: RunContext) -> list[str]:
    """Have models judge the items that an exam is chosen of; give the sources that must walk for what it lacks then.

    An exam is chosen, its items are judged, and it is chosen anew, until all of an exam was judged. The items of
    sources that have walked for what it lacked are judged, too.
    """
    while True:
        walking, step, chosen = await asyncio.to_thread(_chosen, context)
        if step.missing:
            return step.missing
        before, cast = context.judged, context.committee.cast
        judged = await judge_choice(cast, chosen, context.documents, context.embedder.embed, before)
        context.judged = judged
        if judged.asked == before.asked:
            if before.sources == tuple(step.counted):
                return []
            context.judged = judged.of_exam(chosen, step.counted, walking.quotas)
            if not context.judged.lacking:
                return []


def _chosen(context: RunContext) -> tuple[BatchScheduler, BatchProgress, tuple[Item, ...]]:
    """Give the items of the exam that would be made, with how far the writing is; none while sources must walk."""
    walking = BatchScheduler.of(context)
    step = walking.step()
    found = None if step.missing else _assembled(context, walking, walking.items_of(step.counted))
    return walking, step, found[0].chosen if found else ()


def assemble(context: RunContext) -> None:
    """Choose the exam from the accepted items. UsageError where there is none."""
    walking = BatchScheduler.of(context)
    step = walking.step()
    found = _assembled(context, walking, walking.items_of(step.counted))
    if found is None:
        raise _no_items(funnel_of(context.store), len(context.documents), context.settings, context.folder)
    _adopt_written(context, found, incomplete=False, notes=step.given_up)


def assemble_incomplete(context: RunContext) -> None:
    """Where the budget ended the writing: the exam of what there is, marked as such; nothing where there is nothing.

    It may hold any of the chunks that were under way. With more budget the writing goes on as if it had not been.
    """
    walking = BatchScheduler.of(context)
    if not walking.step().missing:
        return
    found = _assembled(context, walking, walking.all_items)
    if found is None:
        return
    made, _ = found
    number, wanted = len(made.exam.items), context.settings.items
    ended = (
        f"with {number} of {wanted} questions"
        if number < wanted
        else "before all its questions were as good as asked"
    )
    told = (
        f"This exam is incomplete: the budget ended its writing {ended}. The same command with more budget goes on "
        "to the whole exam."
    )
    _adopt_written(context, found, incomplete=True, notes=(told,))


def _assembled(
    context: RunContext, walking: BatchScheduler, written: Sequence[Item]
) -> tuple[Assembly, Counter[str]] | None:
    """The exam and what is not in it; None where not one item can be."""
    judged = context.judged
    items, outliers = _reviewed(context, judged.solving.marked(written))
    settings = context.settings
    evidence = {span.document_id for item in items for span in item.evidence}
    made = assemble_exam(
        items,
        [context.documents[document_id] for document_id in sorted(evidence)],
        size=settings.items,
        examples=settings.worked_examples,
        seed=settings.seed,
        blueprint=walking.blueprint,
        embed=context.embedder.embed,
        outliers=outliers,
        open_share=settings.open_share,
        max_known=settings.max_known,
        judged=judged.pairs.apart,
        refused=judged.reading.refused.keys(),
    )
    if not made.exam.items:
        return None
    left_out = Counter(made.left_out)
    left_out["rejected by a person"] = len(written) - len(items)
    left_out["from chunks beyond this exam"] = len(context.store.items()) - len(written)
    left_out["written twice"] = sum(walking.made.values()) - len(context.store.items())
    return replace(made, notes=(*made.notes, *judged.notes)), left_out


def _reviewed(context: RunContext, written: Sequence[Item]) -> tuple[list[Item], Collection[str]]:
    """Give these items as people have left them, and the ids of those whose options are too alike."""
    # what a person decided holds for every exam of the run
    items = reviewed_items(written, ReviewLog(context.folder / REVIEWS_FILE).read())
    read_from = {i: context.source(i).text for i in {item.provenance.chunk_id for item in items} if i}
    return items, option_outliers(items, read_from, context.embedder.embed)


def _adopt_written(
    context: RunContext, found: tuple[Assembly, Counter[str]], *, incomplete: bool, notes: Sequence[str]
) -> None:
    context.store.add_result(WRITING, {"incomplete": incomplete, "notes": list(notes)})
    context.store.add_result(REFUSED, dict(context.judged.reading.refused))
    if own_exam(context.store) is not None:
        keep_exam(context)
        context.store.add_result(OWN_EXAM, None)
    adopt(context, *found)


def review(context: RunContext, decisions: Sequence[Decision]) -> None:
    """The latest exam as its questions stand after these decisions. UsageError where none is left."""
    before = exam_of(context.store, context.folder)
    after = reviewed_exam(before, standings(before, decisions))
    left_out = Counter(context.store.latest_result("left_out") or {})
    left_out["rejected by a person"] += len(before.items) - len(after.items)
    fill = tuple(LevelFill.model_validate(row) for row in context.store.latest_result("blueprint") or ())
    adopt(context, reassembled(after, fill, "People took questions out or reworded them."), left_out)


def adopt(context: RunContext, made: Assembly, left_out: Mapping[str, int]) -> None:
    """Make it the run's exam, with all that is told of it; done again it changes nothing."""
    if (own := own_exam(context.store)) is not None:
        adopt_own(context, made.exam, own)
        return
    keep_edits(context)
    context.store.add_exam(made.exam)
    context.store.add_result("left_out", {reason: n for reason, n in sorted(left_out.items()) if n})
    context.store.add_result("blueprint", [level.model_dump(mode="json") for level in made.fill])
    how_written = (context.store.latest_result(WRITING) or {}).get("notes", [])
    context.store.add_result("exam_notes", [*context.sample.notes, *how_written, *made.notes])
    covered = coverage(context.sample, context.store.finished_chunks(), made.exam)
    context.store.add_result("coverage", [row.model_dump(mode="json") for row in covered])
    write_exam(made.exam, context.folder / EXAM_FILE)


def _no_items(funnel: Funnel, documents: int, settings: Settings, folder: Path) -> UsageError:
    ended = Counter(funnel.rejected) + Counter(funnel.failed) + Counter(funnel.failed_chunks)
    reasons = ", ".join(f"{n} {code}" for code, n in ended.items()) or "no checkable fact found"
    if funnel.failed or funnel.failed_chunks:
        help_ = f"A role could not do its work: viva view {folder} shows its trace; another model may help."
    elif ended and settings.model:
        help_ = f"viva items {folder} --rejected tells why each was refused; another model may help."
    else:
        help_ = "More or longer documents of running prose usually help."
    return UsageError(f"Not one item was accepted from {documents} documents ({reasons}).", next_step=help_)


def exam_of(store: RunStore, folder: Path) -> Exam:
    """The latest exam of the run in this folder. UsageError where none was written yet."""
    exam = store.latest_exam()
    if exam is None:
        raise UsageError("There is no exam in this run yet.", next_step=f"Write one: viva write {folder}")
    return exam


def call(context: RunContext) -> list[int]:
    """Register the examinees; their places in the panel. A spec that cannot be loaded stops before anybody sits."""
    exam_of(context.store, context.folder)
    specs = context.candidates.specs
    if not context.has_documents:
        _check_without_documents(specs)
    for spec in specs:
        context.candidates.of(spec)
    if context.again:
        forget_answers(context.store, specs)
    for spec in specs:
        context.store.add_examinee(spec.examinee)
    context.store.add_result(ASKED_FOR, sorted(_asked_for(context.store) | {spec.examinee.id for spec in specs}))
    return list(range(len(specs)))


def _check_without_documents(specs: Sequence[Spec]) -> None:
    """UsageError for a reference system that searches documents."""
    searching = [spec for spec in specs if isinstance(spec, ReferenceSpec) and spec.retriever != "closed-book"]
    if searching:
        raise UsageError(
            f"{searching[0].examinee.name} searches documents, and this run has none.",
            allowed="Systems of your own, and closed-book reference systems.",
            next_step="Name your system with --examinee, or give the documents: viva run DOCS --exam FILE",
        )


def _asked_for(store: RunStore) -> set[str]:
    return set(store.latest_result(ASKED_FOR) or ())


def as_asked_for(store: RunStore) -> list[Examinee]:
    """All examinees; who was set beside the others and asked for later is one of those asked for."""
    named = _asked_for(store)
    return [e.model_copy(update={"manufactured": ""}) if e.id in named else e for e in store.examinees()]


async def sit(context: RunContext, spec: Spec, exam: Exam, repeats: int = 1) -> None:
    """One examinee answers what it has not answered yet of an exam of the run, so often if it may answer anew."""
    store, settings = context.store, context.settings
    # resumed here, the system may be another than the one called: its file was edited in between
    store.add_examinee(spec.examinee)
    answered = store.response_ids(spec.examinee.id)
    candidate, occasions = context.candidates.of(spec), repeats if answers_anew(spec) else 1
    kept, asked = kept_count(exam, spec.examinee.id, answered), Counter[str]()

    def record(given: list[Response]) -> None:
        store.add_responses(given)
        asked.update(response.item_id for response in given)

    try:
        await administer.sit(
            administer.Invigilator(candidate, settings.timeout_s, spec.manners, settings.seed, context.choice_reader),
            exam,
            answered,
            record=record,
            watch=lambda done: context.watch(f"sit {spec.examinee.name}", done, occasions * len(exam.items)),
            occasions=occasions,
        )
    finally:
        context.sittings[spec.examinee.id] = record_sitting(
            store, spec.examinee.id, exam, asked=len(asked), kept=kept
        )


def answers_anew(spec: Spec) -> bool:
    """Tell whether a system may answer otherwise when it is asked again.

    Recorded answers stay the same, and so do those of viva's systems: a model's replies to these are on record.
    """
    return not isinstance(spec, RecordedSpec | ReferenceSpec)
