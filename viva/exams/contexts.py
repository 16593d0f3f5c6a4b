"""Where in the documents the reference contexts of an imported exam are: exactly, but for looks, or nearly so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from viva.core.records import Document, Exam, ExamItem, Span
from viva.exams.file import with_id
from viva.exams.formats.judged_sets import documents_of
from viva.exams.text_places import COVERAGE, RUN, SURE, How, SoughtText, TextIndex, sought

_CUT = re.compile(r"[\[(<]?\s*(?:\.\s?\.\s?\.|…)\s*[\])>]?")
_HOP = re.compile(r"^\s*<\d{1,2}-hop>\s*")
"""What ragas puts in front of the contexts of a question that takes several."""


@dataclass(frozen=True)
class LostContext:
    """A context that is in no document, and its question."""

    stem: str
    context: str


@dataclass(frozen=True)
class ContextSearch:
    """The exam with the evidence that was found, and what became of each of its contexts."""

    exam: Exam
    found: dict[How, int]
    lost: tuple[LostContext, ...]
    several: int
    """contexts that are in several places alike, of which the first was taken"""

    @property
    def total(self) -> int:
        """All contexts of the exam."""
        return sum(self.found.values()) + len(self.lost)


def find_contexts(exam: Exam, documents: Iterable[Document]) -> ContextSearch:
    """Make evidence of the contexts of every question; a context that is not found stays a context alone.

    Evidence of an earlier run counts as a context. Of places that are alike, one is taken whose document the question
    names (`source`, `title`, `file` and the like in its original record), else the first.
    """
    contexts = dict.fromkeys(text for shown in exam.items for text in contexts_of(shown))
    # the marks of an omission may be the document's own
    wholes = {text: _whole_of(text) for text in contexts}
    parts = {text: _parts_of(text) for text in contexts}
    index = TextIndex([piece for pieces in (*wholes.values(), *parts.values()) for piece in pieces])
    known = _KnownPlaces(exam)
    names: dict[str, frozenset[str]] = {}
    for document in documents:
        own = _names_of(document)
        known.look(document, own)
        if index.search(document):
            names[document.id] = own
    found = _Findings()
    items = []
    for shown in exam.items:
        hints = _hints(shown.item.provenance.original)
        spans = known.of(shown)
        found.counts["exact"] += len(spans)
        quoted = {span.quote for span in spans}
        for text in (text for text in contexts_of(shown) if text not in quoted):
            best = _best(wholes[text], hints, names)
            if parts[text] and (best is None or best.how == "fuzzy"):
                best = _best(parts[text], hints, names) or best
            spans += found.add(shown, text, best)
        found.lost += [LostContext(shown.item.stem, name) for name in known.missing(shown)]
        items.append(_with_evidence(shown, spans))
    return ContextSearch(Exam.of(items, exam.examples), found.counts, tuple(found.lost), found.several)


class _Findings:
    """What became of the contexts so far."""

    def __init__(self) -> None:
        self.counts: dict[How, int] = {"exact": 0, "normalised": 0, "fuzzy": 0}
        self.lost: list[LostContext] = []
        self.several = 0

    def add(self, shown: ExamItem, text: str, best: _Best | None) -> tuple[Span, ...]:
        """Count it; its places."""
        if best is None:
            self.lost.append(LostContext(shown.item.stem, text))
            return ()
        self.counts[best.how] += 1
        self.several += best.several
        return best.spans


class _KnownPlaces:
    """Evidence that is in these documents as it is, and documents that questions name without a text."""

    def __init__(self, exam: Exam) -> None:
        self._spans: dict[str, list[Span]] = defaultdict(list)
        self._named: dict[str, Span] = {}
        self._wanted = {name.casefold() for shown in exam.items for name in _named_alone(shown)}
        self._valid: set[Span] = set()
        for shown in exam.items:
            for span in shown.item.evidence:
                self._spans[span.document_id].append(span)

    def look(self, document: Document, names: frozenset[str]) -> None:
        """Note what of it is in the document."""
        text = document.text
        self._valid |= {span for span in self._spans[document.id] if text[span.start : span.end] == span.quote}
        for name in names & self._wanted:
            whole = Span(document_id=document.id, start=0, end=len(text), quote=text)
            self._named.setdefault(name, whole)

    def of(self, shown: ExamItem) -> list[Span]:
        """What is known of this question."""
        named = (self._named.get(name.casefold()) for name in _named_alone(shown))
        own = [span for span in shown.item.evidence if span in self._valid and not shown.item.contexts]
        return [*own, *(span for span in named if span)]

    def missing(self, shown: ExamItem) -> list[str]:
        """Names of documents that are not there."""
        return [name for name in _named_alone(shown) if name.casefold() not in self._named]


def _named_alone(shown: ExamItem) -> list[str]:
    return [] if shown.item.contexts or shown.item.evidence else documents_of(shown)


def contexts_of(shown: ExamItem) -> tuple[str, ...]:
    """The texts that its answer is from, in its file's words."""
    return shown.item.contexts or tuple(span.quote for span in shown.item.evidence)


def without_documents(exam: Exam) -> Exam:
    """The exam with its evidence as contexts alone: there are no documents to point into."""
    items = (
        shown.model_copy(update={"item": shown.item.model_copy(update={"contexts": contexts_of(shown)})})
        for shown in exam.items
    )
    return Exam.of([_with_evidence(shown, ()) for shown in items], exam.examples)


def _with_evidence(shown: ExamItem, spans: Sequence[Span]) -> ExamItem:
    evidence = tuple(_merged(spans))
    if evidence == shown.item.evidence:
        return shown
    update = {"evidence": evidence, "contexts": contexts_of(shown)}
    return with_id(shown.model_copy(update={"item": shown.item.model_copy(update=update)}))


def _merged(spans: Sequence[Span]) -> Iterator[Span]:
    """The spans in their order, without those that lie within another."""
    for n, span in enumerate(spans):
        others = ((m, each) for m, each in enumerate(spans) if m != n and each.document_id == span.document_id)
        if not any(
            each.start <= span.start
            and span.end <= each.end
            and ((each.start, each.end) != (span.start, span.end) or m < n)
            for m, each in others
        ):
            yield span


def _whole_of(context: str) -> list[SoughtText]:
    piece = sought(_HOP.sub("", context))
    return [piece] if piece else []


def _parts_of(context: str) -> list[SoughtText]:
    """Its stretches between marks of omission, if it has any; a word that is cut off at such a mark is left out."""
    text = _HOP.sub("", context)
    cuts = list(_CUT.finditer(text))
    found: list[SoughtText] = []
    at = 0
    for cut in (*cuts, None) if cuts else ():
        part = text[at : cut.start() if cut else len(text)]
        bare = re.sub(r"^\w+", "", part) if at and text[at - 1] in ".…" else part
        bare = re.sub(r"\w+$", "", bare) if cut else bare
        piece = sought(bare) or sought(part)
        found += [piece] if piece else []
        at = cut.end() if cut else at
    long = [piece for piece in found if piece.length >= RUN]
    return long or found


@dataclass(frozen=True)
class _Best:
    spans: tuple[Span, ...]
    how: How
    several: bool


def _hints(original: str) -> frozenset[str]:
    """What the original record calls its documents."""
    named = re.findall(
        r'"(?:source|source_file|file|file_?name|path|document|document_?id|doc_?id|title|url|seed_document_id)":'
        r'\s*"((?:[^"\\]|\\.)+)"',
        original,
        re.IGNORECASE,
    )
    return frozenset(name.casefold() for name in named)


def _names_of(document: Document) -> frozenset[str]:
    path = PurePosixPath(document.path)
    own = (document.path, path.name, path.stem, document.title, document.id, *document.metadata.values())
    return frozenset(name.casefold() for name in own if name)


def _best(pieces: Sequence[SoughtText], hints: frozenset[str], names: dict[str, frozenset[str]]) -> _Best | None:
    """The document that holds most of the pieces, and where; None where it holds too little."""
    total = sum(piece.length for piece in pieces) or 1
    scores: dict[str, float] = defaultdict(float)
    for piece in pieces:
        for document_id, places in piece.places.items():
            scores[document_id] += piece.length / total * max(place.score for place in places)
    if not scores:
        return None
    top = max(scores.values())
    alike = [document_id for document_id, score in scores.items() if score > top - 1e-9]
    hinted = [document_id for document_id in alike if hints & names[document_id]]
    chosen = (hinted or alike)[0]
    within = sorted(
        (p for p in pieces if chosen in p.places), key=lambda p: (-len(p.text) / len(p.places[chosen]), p.text)
    )
    near = within[0].places[chosen][0].span.start
    held = [min(p.places[chosen], key=lambda each: abs(each.span.start - near)) for p in pieces if p in within]
    several = len(hinted or alike) > 1 or len(within[0].places[chosen]) > 1
    if top < COVERAGE * 0.99 or (several and total < SURE):
        return None
    order: list[How] = ["exact", "normalised", "fuzzy"]
    how = max((place.how for place in held), key=order.index)
    whole = len(pieces) == 1 or how == "fuzzy"
    return _Best(tuple(place.span for place in held), how if whole else "normalised", several)
