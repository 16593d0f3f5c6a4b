"""Whether the evidence of an exam is still in newer documents: found again, altered, or gone.

A passage is compared as the whole sentences that hold the evidence, so that a "not" next to it counts. It is valid
where its letters and digits are found again, or where a rule shows that another wording states the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from viva.core.records import Document, Exam, ExamItem, Span
from viva.core.text.prose import statements
from viva.exams.document_statements import DocumentStatement, letters_of, paragraph_at, trimmed_span, word_set_of
from viva.exams.text_places import SoughtText, TextIndex, sought
from viva.metrics.text.rewording import difference, signs

ALIKE = 0.5
"""Dice share of content words from which a new sentence is an altered old one, and not another."""
_OWN = 0.1
"""What being in the document of the same path adds to it, among several that are alike."""
_LONGEST = 1_500
"""Characters that the sentences around the evidence may add to it."""


class EvidenceState(StrEnum):
    """What became of evidence, the best first."""

    VALID = "valid"
    CHANGED = "changed"
    ORPHAN = "orphan"


@dataclass(frozen=True)
class RecheckedSpan:
    """What became of one piece of evidence, and where it is now."""

    state: EvidenceState
    span: Span
    reason: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class RecheckedItem:
    """What became of the evidence of one question."""

    shown: ExamItem
    spans: tuple[RecheckedSpan, ...]

    @property
    def worst(self) -> RecheckedSpan | None:
        """The evidence by which the question is judged; None of a question without evidence."""
        return max(self.spans, key=lambda each: list(EvidenceState).index(each.state), default=None)

    @property
    def state(self) -> EvidenceState:
        """The state of all its evidence together."""
        return self.worst.state if self.worst else EvidenceState.VALID

    @property
    def renewed(self) -> ExamItem:
        """The question with its evidence where it is now; its id stays, and with it the answers."""
        item, evidence = self.shown.item, tuple(each.span for each in self.spans)
        quotes = tuple(span.quote for span in item.evidence)
        first = item.first_quotes or (quotes if quotes != tuple(span.quote for span in evidence) else ())
        update = {"evidence": evidence, "first_quotes": first}
        return self.shown.model_copy(update={"item": item.model_copy(update=update)})


def recheck(exam: Exam, before: Mapping[str, Document], now: Iterable[Document]) -> list[RecheckedItem]:
    """Look for the evidence of every question in the documents of now; `before` are those that it is in, by id."""
    comparison = _Comparison(exam, before, now)
    return [
        RecheckedItem(shown, tuple(comparison.rechecked(span, shown) for span in shown.item.evidence))
        for shown in exam.items
    ]


@dataclass(frozen=True)
class _Evidence:
    """Evidence with the sentences that hold it."""

    span: Span
    statements: tuple[DocumentStatement, ...]
    passage: Span
    whole: SoughtText | None
    quote: SoughtText | None


class _Comparison:
    """The documents that differ from those before, and all evidence that was in others."""

    def __init__(self, exam: Exam, before: Mapping[str, Document], now: Iterable[Document]) -> None:
        self._before, self._kept, self._new = before, set[str](), dict[str, Document]()
        self._old_at = {each.path: each.id for each in before.values()}
        known = set(self._old_at.values())
        for document in now:
            self._kept.add(document.id)
            if document.id not in known:
                self._new[document.id] = document
        spans = {span for shown in exam.items for span in shown.item.evidence if span.document_id not in self._kept}
        self._sought = {span: self._evidence(span) for span in sorted(spans, key=lambda s: (s.document_id, s.start))}
        index = TextIndex([p for each in self._sought.values() for p in (each.whole, each.quote) if p])
        for document in self._new.values():
            index.search(document)

    def rechecked(self, span: Span, shown: ExamItem) -> RecheckedSpan:
        """Judge one piece of evidence of this question."""
        if span.document_id in self._kept:
            return RecheckedSpan(EvidenceState.VALID, span)
        evidence = self._sought[span]
        found = self._again(evidence) or self._by_sentences(evidence)
        if found.state is EvidenceState.VALID and (lost := self._lost_around(evidence, found.span, shown)):
            reason = f"the text around it no longer has “{lost}”"
            after = paragraph_at(self._new[found.span.document_id].text, found.span)
            old = paragraph_at(self._before[span.document_id].text, evidence.passage)
            return RecheckedSpan(EvidenceState.CHANGED, span, reason, old, after)
        return found

    def _evidence(self, span: Span) -> _Evidence:
        document = self._before[span.document_id]
        own, (start, end) = self._sentences_at(document, span)
        if end - start > len(span.quote) + _LONGEST:
            start, end, own = span.start, span.end, ()
        passage = trimmed_span(document, start, end)
        return _Evidence(span, own, passage, sought(passage.quote), sought(span.quote))

    def _sentences_at(self, document: Document, span: Span) -> tuple[tuple[DocumentStatement, ...], tuple[int, int]]:
        """Give the sentences and lines that a span is in, and from where to where they go."""
        own = tuple(s for s in self._statements_of(document) if s.place.start < span.end and span.start < s.place.end)
        start, end = min([span.start, *(s.place.start for s in own)]), max([span.end, *(s.place.end for s in own)])
        return own, (start, end)

    def _statements_of(self, document: Document) -> tuple[DocumentStatement, ...]:
        if document.id not in self._read:
            self._read[document.id] = tuple(DocumentStatement(document, each) for each in statements(document.text))
        return self._read[document.id]

    @cached_property
    def _read(self) -> dict[str, tuple[DocumentStatement, ...]]:
        return {}

    # --- the same letters

    def _again(self, evidence: _Evidence) -> RecheckedSpan | None:
        """Find the whole passage in a document that did not have it before, or in its own."""
        if evidence.whole is None:
            return None
        places = [
            place.span
            for document_id, found in evidence.whole.places.items()
            if not self._had_before(self._new[document_id], evidence)
            for place in found
            if place.how != "fuzzy" and self._says_no_more(place.span, evidence)
        ]
        if not places:
            return None
        own, old = self._before[evidence.span.document_id], evidence.passage
        around = word_set_of(paragraph_at(own.text, old))

        def nearness(span: Span) -> tuple[bool, int, int]:
            document = self._new[span.document_id]
            shared = len(around & word_set_of(paragraph_at(document.text, span)))
            return document.path == own.path, shared, -abs(span.start - old.start)

        best = max(places, key=nearness)
        if signs(best.quote) != signs(old.quote):
            reason = difference(old.quote, best.quote) or "its signs or units differ"
            return RecheckedSpan(EvidenceState.CHANGED, evidence.span, reason, old.quote, best.quote)
        quotes = evidence.quote.places.get(best.document_id, []) if evidence.quote else []
        inside = (each.span for each in quotes if best.start <= each.span.start and each.span.end <= best.end)
        return RecheckedSpan(EvidenceState.VALID, next(inside, best))

    def _says_no_more(self, new: Span, evidence: _Evidence) -> bool:
        """Tell whether the sentences of a place hold nothing next to the passage that was not next to it before."""
        document, old = self._new[new.document_id], evidence.passage
        around = [
            s.place for s in self._statements_of(document) if s.place.start < new.end and new.start < s.place.end
        ]
        start = min([new.start, *(each.start for each in around)])
        end = max([new.end, *(each.end for each in around)])
        before, after = letters_of(document.text[start : new.start]), letters_of(document.text[new.end : end])
        text = self._before[old.document_id].text
        return (not before or letters_of(text[: old.start]).endswith(before)) and (
            not after or letters_of(text[old.end :]).startswith(after)
        )

    def _had_before(self, document: Document, evidence: _Evidence) -> bool:
        """Tell whether another document had the passage already: it is a copy, and not the passage moved."""
        old = self._old_at.get(document.path)
        if old is None or old == evidence.span.document_id:
            return False
        if old not in self._letters_at:
            self._letters_at[old] = letters_of(self._before[old].text)
        return letters_of(evidence.passage.quote) in self._letters_at[old]

    @cached_property
    def _letters_at(self) -> dict[str, str]:
        return {}

    # --- sentence by sentence

    def _by_sentences(self, evidence: _Evidence) -> RecheckedSpan:
        """Compare each sentence of the passage with the sentences that are new in the documents."""
        before, own = evidence.passage.quote, self._before[evidence.span.document_id]
        found, reasons = list[DocumentStatement](), list[str]()
        for old in evidence.statements:
            new = self._same_sentence(old, own) or self._nearest(old, own)
            if new is not None:
                found.append(new)
                if reason := difference(old.place.text, new.place.text):
                    reasons.append(reason)
        after = " […] ".join(each.span.quote for each in found)
        if not found:
            return RecheckedSpan(EvidenceState.ORPHAN, evidence.span, "no trace of it in the documents", before)
        if not reasons and len(found) < len(evidence.statements):
            reasons.append("a part of it is gone")
        if not reasons and not self._adjoin(found):
            reasons.append("its sentences are no longer next to each other")
        if reasons:
            return RecheckedSpan(EvidenceState.CHANGED, evidence.span, reasons[0], before, after)
        span = trimmed_span(found[0].document, found[0].place.start, found[-1].place.end)
        return RecheckedSpan(EvidenceState.VALID, span)

    def _same_sentence(self, old: DocumentStatement, own: Document) -> DocumentStatement | None:
        """Find the sentence in the newer document of the same path."""
        same = self._by_letters.get(old.letters, ()) if old.letters else ()
        return next((each for each in same if each.document.path == own.path), None)

    def _nearest(self, old: DocumentStatement, own: Document) -> DocumentStatement | None:
        """Find the sentence that is new and most like it; None where none is like it."""
        hits = Counter(place for word in old.words for place in self._by_word.get(word, ()))
        near = dict[int, float]()
        for place in sorted(hits):
            new = self._fresh[place]
            is_own = new.document.path == own.path
            if (alike := old.likeness(new)) >= ALIKE and (is_own or not self._is_of_another(new, alike)):
                near[place] = alike + _OWN * is_own
        return self._fresh[max(near, key=near.__getitem__)] if near else None

    def _is_of_another(self, new: DocumentStatement, alike: float) -> bool:
        """Tell whether a sentence altered what its own document had before, which is as much like it."""
        old = self._old_at.get(new.document.path)
        if old is None:
            return False
        return any(
            each.likeness(new) >= alike
            for each in self._statements_of(self._before[old])
            if all(same.document.path != new.document.path for same in self._by_letters.get(each.letters, ()))
        )

    @staticmethod
    def _adjoin(found: Sequence[DocumentStatement]) -> bool:
        return all(
            a.document.id == b.document.id
            and a.place.end <= b.place.start
            and not letters_of(a.document.text[a.place.end : b.place.start])
            for a, b in pairwise(found)
        )

    @cached_property
    def _by_letters(self) -> dict[str, list[DocumentStatement]]:
        found: dict[str, list[DocumentStatement]] = defaultdict(list)
        for document in self._new.values():
            for each in self._statements_of(document):
                found[each.letters].append(each)
        return found

    @cached_property
    def _fresh(self) -> list[DocumentStatement]:
        """Sentences that no document had before."""
        gone = (self._before[i] for i in self._old_at.values() if i not in self._kept)
        old = {each.letters for document in gone for each in self._statements_of(document)}
        return [each for letters, own in self._by_letters.items() if letters not in old for each in own]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for place, each in enumerate(self._fresh):
            for word in each.words:
                found[word].append(place)
        return found

    # --- what the question needs around it

    def _lost_around(self, evidence: _Evidence, new: Span, shown: ExamItem) -> str:
        """Find a word of the question that the paragraph gave next to the evidence, and gives no more; or ''."""
        old_text, new_text = self._before[evidence.span.document_id].text, self._new[new.document_id].text
        around = word_set_of(paragraph_at(old_text, evidence.passage)) - word_set_of(evidence.passage.quote)
        asked = word_set_of(f"{shown.item.asked} {shown.item.key}")
        lost = asked & around - word_set_of(paragraph_at(new_text, new))
        return max(sorted(lost), key=len, default="")
