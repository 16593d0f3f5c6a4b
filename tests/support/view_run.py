"""A run made by hand for the viewer, of any size, whose every text holds what a test puts into it."""

from __future__ import annotations

from pathlib import Path

from by_hand import distractors, draft, source

from viva.core.records import (
    BloomLevel,
    Chunk,
    Document,
    Exam,
    Examinee,
    ExamItem,
    Item,
    KnowledgeUnit,
    Passage,
    Provenance,
    QuestionType,
    Rejection,
    Response,
    Run,
    Span,
    Step,
    Verdict,
)
from viva.core.records.labels import Label
from viva.storage.runs import RunStore

FACT = "The lock gate closes 35 minutes before low water."


def made_run(
    folder: Path, said: str = "", *, units: int = 4, items: int = 2, examinees: int = 2, open_items: int = 1
) -> Path:
    """A folder with so many units, of which the first `items` are questions that everybody answered."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f"{FACT} {said}"
    documents = [
        Document.of(f"{text} {n}", path=f"{n}{said}.md", title=f"Lock {said}", topic=f"t{said}", format="md")
        for n in range(max(1, units // 20))
    ]
    chunks = [Chunk.of(document, 0, len(document.text), 20) for document in documents]
    settings: dict[str, str | int | float | bool | None] = {"seed": 0, "audience": said}
    run = Run(id="r1", documents_folder=f"docs{said}", corpus_fingerprint="f", settings=settings)
    with RunStore.create_or_open(folder, database_url=None, run=run) as store:
        store.add_corpus(documents, chunks, [])
        written: dict[str, list[Item]] = {}
        ended: dict[str, list[Rejection]] = {}
        steps: dict[str, list[Step]] = {}
        found: dict[str, int] = {}
        for n in range(units):
            document, chunk = documents[n % len(documents)], chunks[n % len(documents)]
            here = unit_of(document, chunk, n)
            found[chunk.id] = found.get(chunk.id, 0) + 1
            if n < items:
                written.setdefault(chunk.id, []).append(item_of(n, document, chunk, here, said, open_=n < open_items))
            else:
                verdict = Verdict(critic=f"critic {said}", passed=False, reason=f"No. {said}", code=f"code{n % 7}")
                of = draft(source(FACT), FACT, f"When? {said}", "35 minutes").model_copy(update={"unit": here})
                ended.setdefault(chunk.id, []).append(Rejection.of(here, of, verdict))
            for role in ("question writer", "question reader", "chair"):
                number = len(steps.setdefault(chunk.id, []))
                steps[chunk.id].append(
                    Step(
                        chunk_id=chunk.id,
                        number=number,
                        unit_id=here.id,
                        role=role,
                        input=said or "in",
                        output=f"{role} {said}",
                        verdict="passed",
                        duration_s=0.1,
                    )
                )
        for chunk in chunks:
            store.finish_chunk(
                chunk.id,
                written.get(chunk.id, []),
                ended.get(chunk.id, []),
                steps.get(chunk.id, []),
                units=found.get(chunk.id, 0),
            )
        shown = [shown_of(item) for chunk in chunks for item in written.get(chunk.id, [])]
        exam = Exam.of(shown)
        store.add_exam(exam)
        for k in range(examinees):
            examinee = Examinee(
                id=f"e{k}", name=f"system {k} {said}", spec=said or "spec", components={"reader": said}
            )
            store.add_examinee(examinee)
            store.add_responses([response_of(examinee.id, each, k + n, said) for n, each in enumerate(shown)])
        opened = [each for each in shown if each.item.is_open]
        ids = [Response.id_of("e0", each) for each in opened]
        store.add_labels(
            [Label(response_id=id_, by=f"Bo {said}"[:100], at="2026-01-01", score=1.0, seed=0) for id_ in ids]
        )
        store.add_result("exam_notes", [f"note {said}"])
    return folder


def unit_of(document: Document, chunk: Chunk, number: int) -> KnowledgeUnit:
    """One fact; each has a statement of its own."""
    evidence = Span(document_id=document.id, start=0, end=len(FACT), quote=FACT)
    return KnowledgeUnit.of(chunk, f"{FACT} ({number})", evidence)


def item_of(number: int, document: Document, chunk: Chunk, here: KnowledgeUnit, said: str, *, open_: bool) -> Item:
    """A question about it; an open one has no options."""
    wrong = () if open_ else distractors(f"15 {said}", f"25 {said}", f"45 {said}")
    span = Span(document_id=document.id, start=0, end=len(FACT), quote=FACT)
    stem, key = f"How long before low water does gate {number} close? {said}", f"35 minutes {said}"
    return Item(
        id=Item.id_of(stem, key, [each.text for each in wrong], (span,)),
        stem=stem,
        key=key,
        distractors=wrong,
        reference_answer=f"35 minutes {said}",
        evidence=(span,),
        question_type=QuestionType.QUANTITY,
        bloom=(BloomLevel.REMEMBER,),
        topic=document.topic,
        provenance=Provenance(chunk_id=chunk.id, unit_id=here.id, cast="by hand"),
    )


def shown_of(item: Item) -> ExamItem:
    """Its options in a fixed order."""
    options = (item.key, *(each.text for each in item.distractors)) if item.distractors else (item.key,)
    return ExamItem(item=item, options=options, key_position=0)


def response_of(examinee_id: str, shown: ExamItem, turn: int, said: str) -> Response:
    """An answer, every third of them right."""
    return Response(
        id=Response.id_of(examinee_id, shown),
        examinee_id=examinee_id,
        item_id=shown.item.id,
        text=f"35 minutes {said}",
        choice=None if shown.item.is_open else (0 if turn % 3 == 0 else 1),
        passages=(Passage(text=f"{FACT} {said}", source_id=said or "s"),),
    )
