"""A run over the corpus of pumps, with an exam made by hand: for tests of diagnoses and manufactured examinees."""

from __future__ import annotations

import asyncio
from pathlib import Path

from by_hand import WordEmbedder, distractors, document
from pump_rags import fact

from viva.core.ids import content_hash
from viva.core.records import (
    BloomLevel,
    Chunk,
    Document,
    Exam,
    ExamItem,
    Item,
    Provenance,
    QuestionType,
    Span,
)
from viva.core.settings import Settings
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.engines.local import LocalEngine

RAGS = Path(__file__).with_name("pump_rags.py")
PUMPS = 8
# the last ones are in no question
DOCUMENTS = [document(fact(n), f"{n}.md", topic=f"topic {n % 2}") for n in range(1, 61)]
CHUNKS = [Chunk.of(each, 0, len(each.text), 9) for each in DOCUMENTS]


def question(number: int, *, key: str = "", evidence: bool = True) -> ExamItem:
    """About one pump; its key stands at another place each time."""
    within: Document = DOCUMENTS[number - 1]
    right = key or f"{7 * number + 3} litres"
    others = [f"{7 * number + 3 + step} litres" for step in (1000, 2000, 3000)]
    if key:
        others[0] = f"{7 * number + 3} litres"
    span = Span(document_id=within.id, start=0, end=len(within.text), quote=within.text)
    item = Item(
        id=content_hash("item", number, key),
        stem=f"How many litres of water does pump {number} move per minute?",
        key=right,
        distractors=distractors(*others),
        reference_answer=right,
        evidence=(span,) if evidence else (),
        question_type=QuestionType.QUANTITY,
        bloom=(BloomLevel.REMEMBER,),
        topic=within.topic,
        provenance=Provenance(cast="by hand"),
    )
    options = list(others)
    options.insert(number % 4, right)
    return ExamItem(item=item, options=tuple(options), key_position=number % 4)


def pump_exam(count: int = PUMPS) -> Exam:
    return Exam.of([question(n) for n in range(1, count + 1)])


def pump_context(folder: Path, *names: str, exam: Exam | None = None, **settings: object) -> RunContext:
    """A run context on the folder's run, made if need be; `names` are the systems asked for."""
    specs = tuple(name if "+" in name else f"{name}={RAGS}:{name}" for name in names)
    given = {"examinees": specs, "manufactured": False, **settings}
    context = RunContext(folder, Settings(**given))  # type: ignore[arg-type]
    context.__dict__["embedder"] = WordEmbedder()
    context.bind(folder, "fingerprint")
    context.store.add_corpus(DOCUMENTS, CHUNKS, [])
    if context.store.latest_exam() is None:
        context.store.add_exam(exam or pump_exam())
    return context


def sit_all(context: RunContext) -> None:
    """Everybody who was asked for sits."""

    async def work() -> None:
        for place in stages.call(context):
            await LocalEngine(context).sit(place)

    asyncio.run(work())
