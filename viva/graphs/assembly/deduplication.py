"""Questions that cannot be in one exam: they ask the same, or one gives the other's key. The better is kept.
Of one question with two right answers none is kept.

What asks the same is found by meaning, wording, key and evidence.

Thresholds were measured with MiniLM on 779 stems from four corpora, written by both casts. Two wordings of one fact
have a cosine of 0.82 in the middle and 0.57 at the least: by the stem alone they cannot be told from questions about
another fact, which reach 0.97 ("what does protocol 2 support?" and "introduce?"). So the keys have a say: of pairs
with one key those that ask the same stood at 0.78 to 0.91, two that are only near at 0.73 and 0.77, the rest below.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from viva.core.records import CLOSING_PHRASE, OFFLINE_CAST, PREDICATE, Item, ItemKind, Span
from viva.core.text.overlap import caseless, content_words, normalised_tokens, token_f1
from viva.metrics.item_writing.options import same_option
from viva.metrics.item_writing.wording import asks_for_statement, unscoped
from viva.metrics.text.cosines import cosines_of_whole, whole

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to rows of length 1."""
SAME_KEY_COSINE, SAME_KEY_WORDS = 0.75, 0.7
"""Two stems with one key ask the same from this cosine, or from this share of words in common, on."""
NEAR_COSINE, NEAR_WORDS = 0.92, 0.8
"""From these on, both together, two stems are too near each other for one exam, whatever their keys."""
ENEMIES_SHARE = 0.5
"""Of what a question asks about, the share of words from which on another one that tells its key gives it away."""
KEYS_AGREE = 0.6
"""Token F1 of two keys."""
DULL = {"header-field": 0.15, CLOSING_PHRASE: 0.0}
"""Shares of the exam that patterns of little interest may take; they fill up only what others leave."""
_BLOCK = 512
_REPEATS, _NEARLY = "repeats another item", "asks nearly the same as another item"
GIVES_AWAY = "gives another item away, or is given away"
_CONTRADICTED = "the documents give another answer too"
Judged = Mapping[tuple[str, str], str]
"""By the ids of two items that cannot be in one exam: the reason for which the one of them is left out."""
_COMPLETED = re.compile(r"[“„«] ?([^“„«]*____[^”»]*?) ?[“”»]\?")
_PREDICATE_ASKED = re.compile(r"^(?:which of these is said of|what (?:is|are)) ", re.IGNORECASE)
# what tells two questions apart that are worded alike: a number, an identifier, a name
_NAME = re.compile(r"\w*\d[\w.-]*|\w+_\w+|(?<=\w )[A-Z][\w-]+")


def quality(item: Item) -> tuple[float, ...]:
    """Greater is better: a person's word, no reserve, solved with its evidence and not without, few attempts.

    Where nobody tried it, it is taken to have fared like half of the others.
    """
    reviewed = any(review.decision != "reject" for review in item.provenance.reviews)
    solved, guessed = (_picked(item, with_evidence=given) for given in (True, False))
    spared = not (item.in_reserve or item.known)
    return (reviewed, spared, solved, -guessed, item.provenance.pattern not in DULL, -item.provenance.attempts)


def _question(item: Item) -> str:
    """What is asked about, with the conversation before it.

    Of a stem of the offline cast neither the place that it names first nor the words of its pattern: one sentence
    on two pages makes one question.
    """
    if item.provenance.cast != OFFLINE_CAST:
        return item.asked
    stem = unscoped(item.stem)
    if item.provenance.pattern == PREDICATE:
        return _PREDICATE_ASKED.sub("", stem).rstrip("?")
    quoted = _COMPLETED.search(stem)
    return quoted[1] if quoted else stem


def asked_text(item: Item) -> str:
    """Give what an item asks; where the question is which statement is right, with the statement."""
    offline = item.provenance.cast == OFFLINE_CAST
    states = item.provenance.pattern == PREDICATE if offline else asks_for_statement(item.stem)
    return f"{_question(item)} {item.key}" if states else _question(item)


def _picked(item: Item, *, with_evidence: bool) -> float:
    trials = [trial for trial in item.trials if trial.with_evidence is with_evidence]
    tried = sum(trial.tried for trial in trials)
    return round(sum(trial.picked for trial in trials) / tried, 6) if tried else 0.5


def without_repeats(
    items: Sequence[Item], embed: Embed | None, judged: Judged = MappingProxyType({})
) -> tuple[list[Item], dict[str, int]]:
    """Without those that ask what a better one asks, or give it away, sorted by id; how many were left out, and why.

    Of one question that items answer differently none is kept: it has two right answers. The same whatever order the
    items come in. Without `embed` only words, keys and evidence are compared. `judged` are pairs that were found not
    to go together.
    """
    contradicted = _contradicted(items)
    agreed = [item for item in items if caseless(item.asked) not in contradicted]
    kept, left = _best_of_each(agreed, embed, judged)
    return kept, {_CONTRADICTED: len(items) - len(agreed), **left}


def _contradicted(items: Iterable[Item]) -> Set[str]:
    """Find the questions, scope included, to which two items have different keys.

    Questions that ask which statement is right may have several keys, and "not said" is no key of the documents.
    """
    of_stem: dict[str, list[Item]] = {}
    for item in items:
        if item.kind is not ItemKind.UNANSWERABLE and asked_text(item) == _question(item):
            of_stem.setdefault(caseless(item.asked), []).append(item)
    return {stem for stem, group in of_stem.items() if not all(_keys_agree(*pair) for pair in combinations(group, 2))}


def _keys_agree(one: Item, other: Item) -> bool:
    """Whether two keys say the same: as options do, or in most words and all numbers and names."""
    names = [set(_NAME.findall(item.key)) for item in (one, other)]
    worded_alike = token_f1(one.key, other.key) >= KEYS_AGREE and names[0] == names[1]
    return worded_alike or same_option(one.key, other.key, one.language)


def _best_of_each(
    items: Sequence[Item], embed: Embed | None, judged: Judged = MappingProxyType({})
) -> tuple[list[Item], dict[str, int]]:
    """The better of those that ask the same or give each other away; how many others there are, and why."""
    ranked = sorted(items, key=lambda item: item.id)
    ranked.sort(key=quality, reverse=True)
    by_text: dict[str, Item] = {}
    left = Counter[str]()
    for item in ranked:
        first = by_text.setdefault(caseless(asked_text(item)), item)
        if first is not item:
            repeats = caseless(first.asked) == caseless(item.asked) or _keys_agree(first, item)
            left[_REPEATS if repeats else _NEARLY] += 1
    worded = list(by_text.values())
    place = {item.id: n for n, item in enumerate(worded)}
    found = [
        *((one, other, _NEARLY) for one, other in _alike(worded, embed)),
        *((one, other, GIVES_AWAY) for one, other in _enemies(worded)),
        *((place[a], place[b], why) for (a, b), why in judged.items() if a in place and b in place),
    ]
    better: dict[int, list[tuple[int, str]]] = {}
    for one, other, why in found:
        # the second has the lower rank
        better.setdefault(max(one, other), []).append((min(one, other), why))
    kept: set[int] = set()
    for rank in range(len(worded)):
        reason = next((why for other, why in better.get(rank, ()) if other in kept), None)
        if reason is None:
            kept.add(rank)
        else:
            left[reason] += 1
    return sorted((worded[n] for n in kept), key=lambda item: item.id), dict(left)


def count_different(items: Sequence[Item]) -> int:
    """How many of these items ask different things, by their words."""
    left = _best_of_each(items, None)[1]
    return len(items) - left.get(_REPEATS, 0) - left.get(_NEARLY, 0)


def _enemies(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """Find pairs of places: the first item tells the second's key, with what the second asks about.

    Its stem does, which may leave a part of what is asked about to its own key ("Which pump gives 7 bar?"), or one of
    its options does. Known as enemy items where exams are assembled (van der Linden, Linear Models for Optimal Test
    Design, 2005).
    """
    stems = [set(content_words(_question(item), item.language)) for item in items]
    keys = [set(content_words(item.key, item.language)) for item in items]
    options = [
        [set(content_words(text, item.language)) for text in (item.key, *(d.text for d in item.distractors))]
        for item in items
    ]
    holding: dict[str, set[int]] = {}
    for place, words in enumerate(stems):
        for word in words.union(*options[place]):
            holding.setdefault(word, set()).add(place)
    for place, item in enumerate(items):
        told, about = keys[place] - stems[place], stems[place] - keys[place]
        if item.kind is ItemKind.UNANSWERABLE or not told or not about:
            continue
        for other in sorted(set[int].intersection(*(holding.get(word, set()) for word in told)) - {place}):
            texts = [(stems[other], stems[other] | keys[other]), *((words, words) for words in options[other])]
            if any(told <= telling and len(about & of) >= ENEMIES_SHARE * len(about) for telling, of in texts):
                yield other, place


def _alike(items: Sequence[Item], embed: Embed | None) -> Iterator[tuple[int, int]]:
    """Pairs of places, the earlier first, of items that ask the same."""
    if len(items) < 2:
        return
    words = _Tokens(set(normalised_tokens(asked_text(item))) for item in items)
    keys = _Tokens(normalised_tokens(item.key) for item in items)
    names = _Tokens(set(_NAME.findall(asked_text(item))) for item in items)
    vectors = whole(embed([asked_text(item) for item in items])) if embed else None
    evidence = sorted(set(_same_evidence(items)))
    yield from _same_unit(items)
    absent = np.array([item.kind is ItemKind.UNANSWERABLE for item in items])
    for start in range(0, len(items), _BLOCK):
        rows = slice(start, start + _BLOCK)
        shared = words.shared(rows)
        overlap = shared / np.maximum(words.sizes[rows, None] + words.sizes - shared, 1)
        agree = 2 * keys.shared(rows) >= KEYS_AGREE * (keys.sizes[rows, None] + keys.sizes)
        # all that have no answer have one key: it says nothing of what they ask
        agree &= ~(absent[rows, None] & absent)
        cosine = np.zeros_like(overlap) if vectors is None else cosines_of_whole(vectors[rows], vectors)
        near = agree & ((cosine >= SAME_KEY_COSINE) | (overlap >= SAME_KEY_WORDS))
        near |= (overlap >= NEAR_WORDS) & ((cosine >= NEAR_COSINE) | (vectors is None))
        common = names.shared(rows)
        near &= ~((names.sizes[rows, None] > common) & (names.sizes > common))
        for row, column in zip(*np.nonzero(np.triu(near, k=start + 1)), strict=True):
            yield start + int(row), int(column)
        within = (pair for pair in evidence if start <= pair[0] < start + _BLOCK)
        yield from (pair for pair in within if agree[pair[0] - start, pair[1]])


class _Tokens:
    """Which text holds which token."""

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        from scipy.sparse import csr_matrix

        column: dict[str, int] = {}
        sets = [{column.setdefault(token, len(column)) for token in text} for text in texts]
        row = np.repeat(np.arange(len(sets)), [len(tokens) for tokens in sets])
        entries = np.array([token for tokens in sets for token in sorted(tokens)], dtype=np.int64)
        shape = (len(sets), max(len(column), 1))
        self.sizes: NDArray[np.float32] = np.array([len(tokens) for tokens in sets], dtype=np.float32)
        self._held = csr_matrix((np.ones(len(entries), dtype=np.float32), (row, entries)), shape=shape)

    def shared(self, rows: slice) -> NDArray[np.float32]:
        """Tokens that each of these texts has in common with each text of all."""
        counts: NDArray[np.float32] = (self._held[rows] @ self._held.T).toarray()
        return counts


def _same_unit(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """Find pairs of places of items of two kinds that ask for one fact, such as alone and after a conversation."""
    of_unit: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        if item.provenance.unit_id and item.kind is not ItemKind.UNANSWERABLE:
            before = of_unit.setdefault(item.provenance.unit_id, [])
            yield from ((one, place) for one in before if items[one].kind is not item.kind)
            before.append(place)


def _same_evidence(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """Pairs of places of items whose evidence overlaps by half of the shorter, stretch by stretch."""
    begun: list[tuple[int, int]] = []
    document = ""
    spans = sorted(
        (s.document_id, s.start, place, s.end) for place, item in enumerate(items) for s in _spans(item)[:1]
    )
    for document_id, start, place, end in spans:
        # only stretches that have not ended yet can overlap this one
        begun = [earlier for earlier in begun if earlier[1] > start] if document_id == document else []
        document = document_id
        for other, _ in begun:
            if overlap_by_half(_spans(items[place]), _spans(items[other])):
                yield min(place, other), max(place, other)
        begun.append((place, end))


def _spans(item: Item) -> list[Span]:
    """The evidence in one order: which of two chunks is read first makes no other question."""
    return sorted(item.evidence, key=lambda span: (span.document_id, span.start))


def overlap_by_half(these: Sequence[Span], those: Sequence[Span]) -> bool:
    """Whether, stretch by stretch, half of the shorter one is in the other."""
    return len(these) == len(those) and all(
        one.document_id == other.document_id
        and 2 * (min(one.end, other.end) - max(one.start, other.start))
        >= min(one.end - one.start, other.end - other.start)
        for one, other in zip(these, those, strict=True)
    )
