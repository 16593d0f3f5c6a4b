"""Records made by hand: documents, chunks, drafts, items and exams of a few words, for tests that need no files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.corpus_reading import proposals, read_facts
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.statements import statement
from viva.agents.offline.text.grammar import tag
from viva.agents.roles import Source
from viva.core.ids import content_hash
from viva.core.records import (
    BloomLevel,
    Chunk,
    Distractor,
    Document,
    Draft,
    Exam,
    ExamItem,
    Item,
    KnowledgeUnit,
    Provenance,
    QuestionType,
    Response,
    Span,
)
from viva.core.text.prose import sentences
from viva.llm.embeddings import Vectors


class MemoryCache:
    """A VectorCache that forgets when the tests end."""

    def __init__(self) -> None:
        self._vectors: dict[tuple[str, str], Vectors] = {}

    def get_many(self, fingerprint: str, keys: Sequence[str]) -> dict[str, Vectors]:
        return {key: self._vectors[fingerprint, key] for key in keys if (fingerprint, key) in self._vectors}

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        self._vectors.update({(fingerprint, key): vector for key, vector in vectors.items()})


class WordEmbedder:
    """A vector says which words a text holds: enough where only nearness matters, and no model is loaded."""

    name = fingerprint = "words"
    dimensions = 256

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().replace(".", "").replace("?", "").split():
                row[int(content_hash(word), 16) % self.dimensions] += 1
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return rows

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def document(text: str, path: str = "pumps.md", title: str = "Pumps", topic: str = "pumps") -> Document:
    return Document.of(text, path=path, title=title, topic=topic, format="md")


def source(text: str, path: str = "pumps.md", title: str = "Pumps") -> Source:
    """A document that is one chunk."""
    whole = document(text, path, title)
    return Source(Chunk.of(whole, 0, len(text), len(text.split())), whole)


def bank(*sources: Source) -> CorpusFacts:
    return read_facts([s.document for s in sources], [s.chunk for s in sources])


def unit(of: Source, words: str) -> KnowledgeUnit:
    """The unit whose evidence is these words of the source."""
    start = of.document.text.index(words)
    evidence = Span(document_id=of.document.id, start=start, end=start + len(words), quote=words)
    return KnowledgeUnit.of(of.chunk, words, evidence)


def draft(
    of: Source, words: str, stem: str, key: str, form: str = "quantity:litre", pattern: str = "ask-quantity"
) -> Draft:
    return Draft(
        unit=unit(of, words),
        attempt=0,
        stem=stem,
        key=key,
        reference_answer=key,
        question_type=QuestionType.QUANTITY,
        bloom=(BloomLevel.REMEMBER,),
        answer_form=form,
        pattern=pattern,
    )


def distractors(*texts: str) -> tuple[Distractor, ...]:
    return tuple(Distractor(text=text, reason="made up") for text in texts)


def item(
    number: int,
    *,
    of: Document | None = None,
    stem: str = "",
    pattern: str = "ask-quantity",
    wrong: int = 3,
    kind: QuestionType = QuestionType.QUANTITY,
) -> Item:
    """An item that differs from those of other numbers."""
    within = of or document(f"Pump {number} moves {number} litres of water per minute.")
    return Item(
        id=content_hash("item", number, stem, within.id),
        stem=stem or f"How many litres does pump {number} move per minute?",
        key=f"{number} litres",
        distractors=distractors(*(f"{number}{n} litres" for n in range(wrong))),
        reference_answer=f"{number} litres",
        evidence=(Span(document_id=within.id, start=0, end=len(within.text), quote=within.text),),
        question_type=kind,
        bloom=(BloomLevel.REMEMBER,),
        topic=within.topic,
        provenance=Provenance(
            chunk_id=content_hash("chunk", number), unit_id=f"u{number}", cast="offline", pattern=pattern, attempts=1
        ),
    )


def shown(of: Item, position: int = 0) -> ExamItem:
    """The item with its key at this position."""
    options = [wrong.text for wrong in of.distractors]
    options.insert(position, of.key)
    return ExamItem(item=of, options=tuple(options), key_position=position)


def exam(count: int, documents: int | None = None) -> Exam:
    """Keys stand at 0, 1, 2, 3, 0 ..."""
    texts = [document(f"Pump {n} moves water.", topic=f"topic {n % 2}") for n in range(documents or count)]
    items = tuple(shown(item(n, of=texts[n % len(texts)]), n % 4) for n in range(count))
    return Exam(id=f"exam of {count}", items=items)


def response(examinee_id: str, to: ExamItem, choice: int | None, **more: object) -> Response:
    values = {"text": "" if choice is None else to.options[choice], **more}
    return Response(
        id=Response.id_of(examinee_id, to),
        examinee_id=examinee_id,
        item_id=to.item.id,
        choice=choice,
        **values,
    )


def sat(examinee_id: str, of: Exam, right: Sequence[bool], occasion: int = 0) -> list[Response]:
    """To every question the key or the option after it."""
    return [
        response(
            examinee_id,
            shown,
            shown.key_position if yes else (shown.key_position + 1) % len(shown.options),
            occasion=occasion,
        ).model_copy(update={"id": Response.id_of(examinee_id, shown, occasion)})
        for shown, yes in zip(of.items, right, strict=True)
    ]


def questions(sentence: str) -> list[Proposal]:
    """The questions the offline writer sees in a sentence."""
    found = sentences(sentence)
    assert len(found) == 1, f"{len(found)} sentences"
    plain = statement(found[0])
    return proposals(plain.text, tag(plain))
