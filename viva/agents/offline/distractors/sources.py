"""Where wrong options come from: expressions of the key's kind, the likeliest places first, and why each is wrong."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from viva.agents.offline.corpus_facts import CandidateOption, CorpusFacts
from viva.agents.offline.distractors.likeness import (
    NUMERIC,
    TYPED,
    head_word,
    is_list,
    is_plural,
    measured_as,
    reshaped,
    size,
    traits,
)
from viva.agents.offline.distractors.near_values import near_values
from viva.agents.offline.scope import asked_words, before_gap
from viva.agents.offline.standing import WIDE_STEMS, may_stand
from viva.agents.roles import Source
from viva.core.ids import rng, seeded_order
from viva.core.records import CLOSING_PHRASE, PLAIN_PATTERNS, PREDICATE, Draft
from viva.core.text.words import content_words
from viva.metrics.item_writing.wording import unscoped

_ASKED = 0.25
"""What it adds that a phrase of the key's form is itself the key of a question: others were cut out."""
_AGREES = dict.fromkeys(("is", "VVZ", "VHZ", "VDZ"), "singular") | dict.fromkeys(
    ("are", "VVB", "VHB", "VDB"), "plural"
)
_TENSED = frozenset({"was", "were", "VVD", "VHD", "VDD"})
_RELATED_SENTENCES = 60
_COMMON = 400
"""Sentences that hold a word from which on it tells nothing."""
_NEAR_SENTENCES = 80
_VALUES = 50
_DRAWN = 150
"""Candidates of a form looked at for one draft: what it takes must not grow with the corpus."""
_SAME_MATTER = 0.45
"""Share of the stem's words from which on a sentence speaks of what the stem asks about."""
_REPEATS = 0.6
_FEW_MONTHS = 18
"""Months within which dates are taken alike."""
_QUOTED = 160
_FUTURE = re.compile(r"\b(?:will|shall|expires?|ends? on|ends? in|due|plans?|planned|scheduled|intends?)\b")


@dataclass(frozen=True)
class Wrong:
    """A wrong option, why it is wrong, and the mistake of a person who picks it."""

    text: str
    reason: str
    mistake: str
    kin: float
    """how near the place it comes from is to the evidence"""
    about: bool = True
    """whether it comes from the evidence's document, or uses a word of the stem"""
    says: str = ""
    """the sentence it stands in; "" where it was made, or stands in none"""


def _years_apart(text: str, draft: Draft) -> int:
    """Years between a dated field and the key: who knows the series knows what is ten years off."""
    if not draft.answer_form.startswith("field:") or measured_as(draft.key, draft.answer_form) != "date":
        return 0
    return int(abs(size(draft.key, "date") - size(text, "date")) // _FEW_MONTHS)


class Pools:
    """Gathers wrong options for a draft from the sentences nearest to its evidence, and from all of its form."""

    def __init__(self, bank: CorpusFacts, seed: int) -> None:
        self._bank = bank
        self._seed = seed
        self._keys = frozenset(
            (q.form, q.key) for facts in bank.facts.values() for fact in facts for q in fact.questions
        )
        self._fitting: defaultdict[str, list[CandidateOption]] = defaultdict(list)
        for form in sorted(bank.candidates):
            self._fitting[_gap(form)].extend(bank.candidates[form])

    def gather(self, draft: Draft, source: Source, most: int, *, wider: bool = False) -> list[Wrong]:
        """At most so many distinct wrong options of the key's form, the likeliest first; `wider`: of all that fit."""
        found: dict[str, Wrong] = {}
        typed = draft.answer_form.split(":")[0] in TYPED
        for wrong in self._values(draft, source) if typed else self._kin(draft, source, wider=wider):
            if len(found) >= most:
                break
            key = wrong.text.lower()
            if key not in found and may_stand(wrong.text, draft):
                found[key] = wrong
        return list(found.values())

    def _values(self, draft: Draft, source: Source) -> Iterator[Wrong]:
        """Values of the same form from the document, then (of numbers first) near values and those of others."""
        here = [
            candidate
            for n in self._bank.sentences_of.get(source.document.id, ())
            for form, candidate in self._bank.standing_in.get(n, ())
            if form == draft.answer_form
            and self._is_of_other(candidate, draft)
            and self._is_as_late(candidate, draft)
        ]
        look = traits(draft.key)
        known = self._bank.candidates.get(draft.answer_form, ())
        elsewhere = [c for c in self._some(known, draft) if c.document_id != source.document.id]
        elsewhere.sort(
            key=lambda candidate: (_years_apart(candidate.text, draft), len(traits(candidate.text) ^ look))
        )
        inside = [self._told(c, draft, 1.0) for c in seeded_order(here, self._seed, "values", draft.id)]
        outside = [self._told(c, draft, 0.3) for c in elsewhere[:_VALUES]]
        near = [
            Wrong(text, f"The corpus gives “{draft.key}” and says “{text}” nowhere of it.", "changes the value", 0.5)
            for text in self._near(draft)
        ]
        numeric = draft.answer_form.split(":")[0] in NUMERIC
        yield from (*inside, *near, *outside) if numeric else (*inside, *outside, *near)

    def _some(self, known: Sequence[CandidateOption], draft: Draft) -> list[CandidateOption]:
        """A draw of the candidates: all of them, where they are few."""
        draw = rng(self._seed, "some", draft.id, draft.answer_form)
        drawn = draw.sample(range(len(known)), min(len(known), _DRAWN))
        return [known[n] for n in drawn if self._is_of_other(known[n], draft) and self._is_as_late(known[n], draft)]

    def _is_as_late(self, candidate: CandidateOption, draft: Draft) -> bool:
        """Whether a date is told of the future as the key is, or of the past: no past year says what will be."""
        if draft.answer_form.split(":")[0] != "date":
            return True
        mine, other = draft.unit.statement, self._bank.sentences[candidate.sentence]
        return bool(_FUTURE.search(mine)) == bool(_FUTURE.search(other))

    def _near(self, draft: Draft) -> list[str]:
        """Near values around an anchor, seldom the key: else the key would be the one all others are made from."""
        own = list(near_values(draft.key, draft.answer_form))
        anchor = rng(self._seed, "anchor", draft.id).choice([draft.key, *own[:4]])
        around = [anchor, *near_values(anchor, draft.answer_form), *own]
        return [text for text in dict.fromkeys(around) if text != draft.key]

    def _kin(self, draft: Draft, source: Source, *, wider: bool) -> Iterator[Wrong]:
        """Phrases of the key's form, or of any that fits: those of sentences near the evidence first."""
        sentences = self._kin_sentences(draft, source)
        wanted, gap = draft.answer_form, _gap(draft.answer_form)
        near = (
            each
            for n in sentences
            for form, each in self._bank.standing_in.get(n, ())
            if form == wanted or (wider and _gap(form) == gap)
        )
        asked = asked_words(draft.stem)
        best: dict[str, tuple[float, CandidateOption]] = {}
        known = self._fitting.get(gap, ()) if wider else self._bank.candidates.get(wanted, ())
        for candidate in (*near, *self._some(known, draft)):
            text = _as_key(candidate.text, draft)
            kin = sentences.get(candidate.sentence, 0.0) + _ASKED * ((wanted, candidate.text) in self._keys)
            score = round(kin + _likeness(text, draft.key) - _REPEATS * _share_of(text, asked), 6)
            if may_stand(text, draft) and score > best.get(text, (0.0, candidate))[0]:
                best[text] = (score, candidate)
        for text, (score, candidate) in sorted(best.items(), key=lambda entry: (-entry[1][0], entry[0])):
            if self._is_of_other(candidate, draft):
                yield self._told(CandidateOption(text, candidate.document_id, candidate.sentence), draft, score)

    def _kin_sentences(self, draft: Draft, source: Source) -> dict[int, float]:
        """Sentences that share words with the question or stand near its evidence, with how near they are."""
        bank = self._bank
        words = sorted(asked_words(draft.stem) | set(content_words(draft.unit.statement)))
        shared: defaultdict[int, float] = defaultdict(float)
        for word in words:
            numbers = bank.postings.get(word, ())
            for n in numbers if len(numbers) <= _COMMON else ():
                shared[n] += bank.weight(word)
        top = sorted(shared, key=lambda n: (-shared[n], n))[:_RELATED_SENTENCES]
        most = (shared[top[0]] if top else 0.0) or 1.0
        kin = {n: 0.5 * shared[n] / most for n in top}
        here = bank.sentences_of.get(source.document.id, [])
        at = self._evidence(draft, source)
        for n in sorted(here, key=lambda n: (abs(n - at), n))[:_NEAR_SENTENCES]:
            kin[n] = kin.get(n, 0.0) + 0.4 / (1 + abs(n - at) / 20)
        # what stands just before and after the evidence is mostly about the same thing, and may be right too
        return {n: value for n, value in kin.items() if abs(n - at) > 1}

    def _evidence(self, draft: Draft, source: Source) -> int:
        """The number of the sentence that the draft rests on; that of the document's first where it is not prose."""
        here = self._bank.sentences_of.get(source.document.id, [])
        return next((n for n in here if self._bank.sentences[n] == draft.unit.statement), here[0] if here else 0)

    def _is_of_other(self, candidate: CandidateOption, draft: Draft) -> bool:
        """Whether the sentence it stands in speaks of something else than the stem asks about."""
        if draft.answer_form.startswith("field:"):
            return True
        if draft.pattern == PREDICATE and self._has_subject_of(candidate, draft):
            return False
        near = before_gap(draft.stem) - set(content_words(candidate.text))
        if draft.pattern == CLOSING_PHRASE and near and near <= self._bank.sentence_words[candidate.sentence]:
            return False
        asked = asked_words(draft.stem) - set(content_words(candidate.text))
        title = set(content_words(self._bank.titles.get(draft.unit.evidence.document_id, "")))
        if candidate.document_id == draft.unit.evidence.document_id:
            asked = asked - title or asked
        total = sum(self._bank.weight(word) for word in sorted(asked))
        held = self._bank.sentence_words[candidate.sentence]
        return sum(self._bank.weight(word) for word in sorted(asked & held)) < _SAME_MATTER * total

    def _has_subject_of(self, candidate: CandidateOption, draft: Draft) -> bool:
        """Whether it is said of the subject asked about, 'Rust' or 'the Rust language', or of one of its kind."""
        before = self._bank.sentences[candidate.sentence].partition(candidate.text)[0]
        subject, asked = asked_words(before), asked_words(draft.stem)
        named = re.split(r" said of |^What \w+ ", unscoped(draft.stem).rstrip("?"))[-1]
        return bool(subject) and (subject <= asked or asked <= subject or _kind(before) == _kind(named))

    def _is_about(self, candidate: CandidateOption, draft: Draft) -> bool:
        """Whether a phrase is of the stem's own matter: of its document, or told in a word of the stem's."""
        if candidate.document_id == draft.unit.evidence.document_id:
            return True
        shared = set(content_words(candidate.text)) & asked_words(draft.stem)
        return not shared <= WIDE_STEMS

    def _told(self, candidate: CandidateOption, draft: Draft, kin: float) -> Wrong:
        """The candidate with what the corpus says of it."""
        title = self._bank.titles.get(candidate.document_id, "")
        same = candidate.document_id == draft.unit.evidence.document_id
        mistake = "mixes up two things of one document" if same else "takes what another document says"
        text = _as_key(candidate.text, draft)
        if draft.answer_form.startswith("field:"):
            return Wrong(text, f"It is that of “{title}”.", mistake, kin)
        says = self._bank.sentences[candidate.sentence]
        said = says if len(says) <= _QUOTED else says[:_QUOTED].rsplit(" ", 1)[0] + " …"
        reason = f"The corpus says it of something else (“{title}”): {said}"
        return Wrong(text, reason, mistake, kin, about=self._is_about(candidate, draft), says=says)


def _gap(form: str) -> str:
    """What a form fits: any noun phrase, any infinitive, predicates alike in number, in the past in the verb."""
    kind, _, rest = form.partition(":")
    if kind != "predicate":
        return kind if kind in {"object", "use"} else form
    who, verb = rest.split(":")[:2]
    return f"{who}:{verb if verb in _TENSED else _AGREES.get(verb, 'modal')}"


def _kind(subject: str) -> str:
    return head_word(re.sub(r" (?:is|are) $", "", subject)).removesuffix("s")


def _as_key(text: str, draft: Draft) -> str:
    """The candidate in the key's form; a phrase that closes a statement stands as it stood: it may be a name."""
    return text if draft.pattern in PLAIN_PATTERNS else reshaped(text, draft.key, draft.answer_form)


def _share_of(text: str, asked: Set[str]) -> float:
    """The share of an option's words that the stem has used: the key seldom repeats any."""
    words = content_words(text)
    return sum(word in asked for word in words) / len(words) if words else 0.0


def _likeness(text: str, key: str) -> float:
    """How parallel two phrases are, in [0, 1]: article, number, list, length."""
    article = text.split(" ")[0].lower() in {"a", "an", "the"}
    wanted = key.split(" ")[0].lower() in {"a", "an", "the"}
    wanted_length = 1.05 * len(key)
    length = min(len(text), wanted_length) / max(len(text), wanted_length)
    alike = (article == wanted) + (is_plural(text) == is_plural(key)) + (is_list(text) == is_list(key))
    return 0.1 * alike + 0.4 * length
