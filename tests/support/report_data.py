"""A deterministic report of realistic size: 16 examinees, 60 questions on an invented ferry company."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from random import Random

from report_texts import FACTS, REJECTIONS, Fact

from viva.core.accounts import Funnel, ModelUse, StageTime
from viva.core.ids import content_hash, rng, seeded_order
from viva.core.notes import Note, NoteCode
from viva.core.records import (
    BloomLevel,
    Chunk,
    Distractor,
    Document,
    Draft,
    Exam,
    Examinee,
    ExamItem,
    Exclusion,
    ExclusionReason,
    Failure,
    FailureKind,
    Item,
    KnowledgeUnit,
    Passage,
    Rejection,
    Response,
    Run,
    Span,
    Verdict,
    WorkedExample,
)
from viva.graphs.authoring.accept import accepted
from viva.metrics.score import score_exam
from viva.reports.data import ReportData
from viva.storage.corpus.statistics import CorpusStatistics

RETRIEVERS = {"closed-book": -1.6, "oracle": 1.9, "bm25": 0.6, "dense": 0.3, "hybrid": 0.9, "hybrid-rerank": 1.2}
READERS = {"lexical": -0.4, "embedding": 0.2}
SHOTS = 0.25
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}</style>-->\u2028\u202e"
FIND = {"oracle": 0.99, "bm25": 0.62, "dense": 0.55, "hybrid": 0.7, "hybrid-rerank": 0.8}
FILLER = "The handbook is read aloud at the spring meeting, and whoever finds an error tells the office at Corran."


def systems() -> tuple[Examinee, ...]:
    """16 examinees: every retriever with every reader, two retrievers with worked examples too."""
    texts = [f"{retriever}+{reader}" for retriever in RETRIEVERS for reader in READERS]
    texts += [f"{retriever}+{reader},examples=4" for retriever in ("bm25", "hybrid") for reader in READERS]
    return tuple(_system(text) for text in texts)


def _system(spec: str, taint: str = "") -> Examinee:
    system, _, examples = spec.partition(",examples=")
    retriever, reader = system.split("+")
    return Examinee(
        id=content_hash("examinee", spec),
        name=f"{spec}{taint}",
        spec=spec,
        components={"retriever": retriever, "reader": f"{reader}{taint}", "examples": examples or "0"},
    )


def build(
    *,
    examinees: Sequence[Examinee] | None = None,
    items: int = 60,
    taint: str = "",
    topics: bool = True,
    passages: bool = True,
    all_fail: bool = False,
    asked: bool = False,
) -> ReportData:
    """The data of one report. `taint` is put into every text that others may write; `asked`: models were asked."""
    sitting = tuple(systems() if examinees is None else examinees)
    if taint:
        sitting = tuple(_system(one.spec, taint) for one in sitting)
    documents, written = _corpus(taint, topics)
    exam = _exam(seeded_order(written, 7, "exam")[:items], taint)
    responses = {
        shown.item.id: tuple(_response(one, shown, taint, passages, all_fail) for one in sitting)
        for shown in exam.items
    }
    flat = [response for own in responses.values() for response in own]
    scores = score_exam(exam, sitting, flat, seed=7)
    if taint:
        scores = scores.model_copy(update={"notes": (*scores.notes, Note(code=NoteCode.EARLIER, sentence=taint))})
    rejections = _rejections(documents, taint)
    return ReportData(
        run=_run(taint),
        statistics=_statistics(documents),
        exclusions=_exclusions(taint),
        funnel=_funnel(rejections, len(written), exam),
        exam=exam,
        scores=scores,
        documents={document.id: document for document in documents},
        rejections=rejections,
        responses=responses,
        times=tuple(
            StageTime(stage=stage, seconds=seconds)
            for stage, seconds in (("read", 2.4), ("embed", 31.2), ("write", 96.8), ("sit", 212.5), ("score", 0.9))
        ),
        model_use=uses(taint) if asked else (),
    )


def uses(taint: str = "") -> tuple[ModelUse, ...]:
    """What three roles asked of models: one where all goes wrong that can, one smoothly, one without a price."""
    return (
        ModelUse(
            role="judge.question",
            provider="openai",
            model=f"small{taint}",
            calls=1200,
            requests=1210,
            hits=31,
            failures={"rate limited": 7, "truncated": 3},
            unreadable={"no score": 4, f"odd{taint}": 1},
            input_tokens=600_000,
            output_tokens=48_000,
            cached_tokens=250_000,
            uncounted_tokens=0,
            cost=0.1188,
            unpriced=0,
            seconds=1089.0,
        ),
        _smooth("writer", "openai", f"large{taint}", tokens=(200_000, 30_000, 0), cost=0.8),
        _smooth("expert", "vllm", f"own{taint}", tokens=(None, None, 90_000), cost=None),
    )


def _smooth(
    role: str, provider: str, model: str, *, tokens: tuple[int | None, int | None, int], cost: float | None
) -> ModelUse:
    return ModelUse(
        role=role,
        provider=provider,
        model=model,
        calls=300,
        requests=300,
        hits=0,
        failures={},
        unreadable={},
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cached_tokens=0,
        uncounted=300 if tokens[2] else 0,
        uncounted_tokens=tokens[2],
        cost=cost,
        unpriced=300 if cost is None else 0,
        seconds=600.0,
    )


def _corpus(taint: str, topics: bool) -> tuple[list[Document], list[Item]]:
    documents, items = list[Document](), list[Item]()
    for topic, (subjects, facts) in FACTS.items():
        for side, subject in enumerate(subjects):
            said = [fact.sentence.format(s=subject, v=fact.values[side]) + taint for fact in facts]
            text = f"{subject.capitalize()}\n\n{FILLER} " + f" {FILLER} ".join(said) + f" {FILLER}"
            path = f"{topic}/{subject.replace(' ', '-').lower()}{taint}.md"
            label = f"{topic}{taint}" if topics else ""
            document = Document.of(
                text, path=path, title=subject.capitalize() + taint, topic=label, format="markdown"
            )
            documents.append(document)
            items += [_item(document, fact, side, subject, s, taint) for fact, s in zip(facts, said, strict=True)]
    return documents, items


def _item(document: Document, fact: Fact, side: int, subject: str, sentence: str, taint: str) -> Item:
    unit = _unit(document, sentence)
    key = fact.values[side]
    distractors = tuple(
        Distractor(text=value + taint, reason=f"The document gives {key} for the {subject}, not {value}.{taint}")
        for value in fact.values[2:]
    )
    draft = Draft(
        unit=unit,
        attempt=len(sentence) % 3,
        stem=fact.stem.format(s=subject) + taint,
        key=key + taint,
        reference_answer=f"{key}.{taint}",
        question_type=fact.kind,
        bloom=(BloomLevel.REMEMBER,),
        answer_form=fact.kind.value,
        pattern=f"{fact.kind.value}_of_subject",
    )
    return accepted(draft, distractors, (), topic=document.topic, cast="offline")


def _unit(document: Document, sentence: str) -> KnowledgeUnit:
    start = document.text.index(sentence)
    chunk = Chunk.of(document, 0, len(document.text), tokens=len(document.text) // 4)
    span = Span(document_id=document.id, start=start, end=start + len(sentence), quote=sentence)
    return KnowledgeUnit.of(chunk, sentence, span)


def _exam(items: Sequence[Item], taint: str) -> Exam:
    shown = []
    for item in items:
        options = seeded_order([item.key, *(d.text for d in item.distractors)], 7, item.id)
        shown.append(ExamItem(item=item, options=tuple(options), key_position=options.index(item.key)))
    example = WorkedExample(stem="What is a ferry?" + taint, options=("A ship", "A road"), key_position=0, context="")
    return Exam(id=content_hash("exam", *(i.item.id for i in shown)), items=tuple(shown), examples=(example,) * 4)


def _response(one: Examinee, shown: ExamItem, taint: str, with_passages: bool, all_fail: bool) -> Response:
    retriever = one.components["retriever"]
    chance = rng(3, one.id, shown.item.id)
    common = {
        "id": Response.id_of(one.id, shown),
        "examinee_id": one.id,
        "item_id": shown.item.id,
        "latency_s": 0.02 + 0.3 * chance.random() * (2.5 if retriever == "hybrid-rerank" else 1),
    }
    if all_fail or (one.spec == "dense+embedding" and chance.random() < 0.07):
        failure = Failure(kind=FailureKind.TIMED_OUT, detail=f"no answer within 30 s{taint}")
        return Response.model_validate({**common, "failure": failure})
    if chance.random() < 0.012:
        return Response.model_validate({**common, "text": f"I cannot say.{taint}"})
    theta = RETRIEVERS[retriever] + READERS[one.spec.split("+")[1].split(",")[0]] + SHOTS * ("," in one.spec)
    choice = _choice(shown, theta, chance)
    texts = _passages(shown, FIND.get(retriever, 0.0), chance) if with_passages else ()
    return Response.model_validate({**common, "text": shown.options[choice], "choice": choice, "passages": texts})


def _choice(shown: ExamItem, theta: float, chance: Random) -> int:
    nature = rng(5, shown.item.id)
    slope, place = exp(nature.gauss(0.1, 0.45)), nature.gauss(0, 1.0)
    # one question in twenty carries a wrong key, as real exams do
    slope = -slope if nature.random() < 0.05 else slope
    right = 0.25 + 0.75 / (1 + exp(-slope * (theta - place)))
    if chance.random() < right:
        return shown.key_position
    others = [position for position in range(len(shown.options)) if position != shown.key_position]
    return chance.choices(others, weights=[3, 2, 1][: len(others)])[0]


def _passages(shown: ExamItem, found: float, chance: Random) -> tuple[Passage, ...]:
    if not found:
        return ()
    (evidence,) = shown.item.evidence
    hit = Passage(text=evidence.quote, document_id=evidence.document_id, start=evidence.start, end=evidence.end)
    miss = Passage(text=FILLER, document_id=evidence.document_id, start=0, end=1)
    place = next((rank for rank in range(5) if chance.random() < found), None)
    return tuple(hit if rank == place else miss for rank in range(5))


def _rejections(documents: Sequence[Document], taint: str) -> tuple[Rejection, ...]:
    found = list[Rejection]()
    for critic, code, reason, count in REJECTIONS:
        for place in range(count):
            document = documents[place % len(documents)]
            unit = _unit(document, FILLER)
            unit = unit.model_copy(update={"id": content_hash(code, place)})
            draft = Draft(
                unit=unit,
                attempt=2,
                stem=f"Where is it read aloud, reading {place + 1}?{taint}",
                key=f"at the spring meeting{taint}",
                reference_answer="At the spring meeting.",
                question_type=next(iter(FACTS.values()))[1][0].kind,
                bloom=(BloomLevel.REMEMBER,),
                answer_form="place",
                pattern="place_of_event",
            )
            verdict = Verdict(critic=critic, passed=False, reason=reason + taint, code=code)
            found.append(Rejection.of(unit, draft if place % 4 else None, verdict))
    return tuple(found)


def _funnel(rejections: Sequence[Rejection], accepted: int, exam: Exam) -> Funnel:
    counts: dict[str, int] = {}
    for rejection in rejections:
        counts[rejection.verdict.code] = counts.get(rejection.verdict.code, 0) + 1
    accepted = max(accepted, 60) + 19
    spare = accepted - len(exam.items) - len(exam.examples)
    return Funnel(
        chunks=84,
        units=accepted + len(rejections) + 37,
        accepted=accepted,
        rejected=counts,
        not_asked=37,
        in_exam=len(exam.items),
        examples=len(exam.examples),
        left_out={"near duplicate": 6, "over the limit": spare - 6},
    )


def _run(taint: str) -> Run:
    return Run(
        id=content_hash("run", "tide"),
        documents_folder=f"/data/tide-handbook{taint}",
        corpus_fingerprint=content_hash("corpus", "tide"),
        settings={"seed": 0, "model": "[]", "options": 4, "chunk_tokens": 256, "max_documents": None},
    )


def _statistics(documents: Sequence[Document]) -> CorpusStatistics:
    topics: dict[str, int] = {}
    for document in documents:
        topics[document.topic] = topics.get(document.topic, 0) + 1
    return CorpusStatistics(
        documents=len(documents),
        chunks=84,
        words=18240,
        vocabulary=2911,
        median_chunk_tokens=231.0,
        mean_chunk_tokens=217.4,
        max_chunk_tokens=256,
        mean_document_words=1520.0,
        exact_duplicates=2,
        near_duplicate_chunks=5,
        exclusions_by_reason={"exact duplicate": 2, "unreadable": 1, "unknown type": 3},
        topics=dict(sorted(topics.items())),
        formats={"markdown": 7, "pdf": 3, "rst": 2},
    )


def _exclusions(taint: str) -> tuple[Exclusion, ...]:
    rows = (
        ("archive/scan-1987.pdf", ExclusionReason.UNREADABLE, "no text can be extracted from page 1"),
        ("fleet/copy-of-morven-tern.md", ExclusionReason.EXACT_DUPLICATE, "same text as fleet/morven-tern.md"),
        ("fleet/morven-tern-2.md", ExclusionReason.EXACT_DUPLICATE, "same text as fleet/morven-tern.md"),
        ("logo.svg", ExclusionReason.UNKNOWN_TYPE, "'.svg' is not read"),
        ("plans/deck.dwg", ExclusionReason.UNKNOWN_TYPE, "'.dwg' is not read"),
        ("radio/channel-16.wav", ExclusionReason.UNKNOWN_TYPE, "'.wav' is not read"),
    )
    return tuple(Exclusion(path=path + taint, reason=reason, detail=detail + taint) for path, reason, detail in rows)
