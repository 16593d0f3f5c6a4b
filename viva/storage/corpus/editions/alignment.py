"""Two texts part by part: which sentences, lines or rows are equal, changed, moved, or in one of them only."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, pairwise

from viva.core.records import Document, Span
from viva.core.text.prose import sentences

_NEAR, _FAR = 0.4, 0.65
"""Similarity from which two sentences are one that was changed: between the same neighbours, and elsewhere."""
TELLING = 4
"""Words from which a sentence in another place is the same sentence, and not a label or a cell."""
_LARGEST_GAP = 400
_TOKEN = re.compile(r"[-−]?\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|\w+|[%‰°€£$¥±]|[<>≤≥](?=\s*\d)")


@dataclass(frozen=True)
class Part:
    """A sentence, a line or a row."""

    document: Document
    start: int
    end: int
    words: tuple[str, ...]

    @property
    def span(self) -> Span:
        quote = self.document.text[self.start : self.end]
        return Span(document_id=self.document.id, start=self.start, end=self.end, quote=quote)


Pairs = list[tuple[Part, Part]]
Slots = dict[tuple[str, int], tuple[str, ...]]


@dataclass(frozen=True)
class Compared:
    """Parts that two texts have in the same words, in changed words, and alone."""

    equal: Pairs
    changed: Pairs
    only: tuple[list[Part], list[Part]]

    def slots(self, side: int) -> Slots:
        """Places of a side where the two differ, with the words of the other."""
        alone: list[tuple[Part, tuple[str, ...]]] = [(part, ()) for part in self.only[side]]
        changed = [(pair[side], pair[1 - side].words) for pair in self.changed]
        return {(part.document.id, part.start): words for part, words in alone + changed}


def words_of(text: str) -> tuple[str, ...]:
    """Give the words, figures and signs of money and measure of a text, without case and markup."""
    return tuple(_TOKEN.findall(text.casefold().replace("’", "'")))


def parts_of(document: Document) -> list[Part]:
    """Split a document into the sentences of its prose, and each line between them."""
    text, found = document.text, []
    prose = [(each.start, each.end) for each in sentences(text)]
    for (_, left), (start, end) in pairwise([(0, 0), *prose, (len(text), len(text))]):
        found += [(left + line.start(), left + line.end()) for line in re.finditer(r"\S.*", text[left:start])]
        found.append((start, end))
    made = (Part(document, start, end, words_of(text[start:end])) for start, end in found)
    return [part for part in made if part.words]


def aligned(a: Sequence[Part], b: Sequence[Part]) -> Compared:
    """Align the parts of two texts: equal ones in order first, then those that moved, then those that are alike."""
    keys = [part.words for part in a], [part.words for part in b]
    equal, gaps = [], []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *keys).get_opcodes():
        if tag == "equal":
            equal += list(zip(a[i1:i2], b[j1:j2], strict=True))
        else:
            gaps.append((list(a[i1:i2]), list(b[j1:j2])))
    moved = _moved(gaps)
    changed = [pair for own, others in gaps for pair in _nearest(own, others)]
    rest = [part for own, _ in gaps for part in own], [part for _, others in gaps for part in others]
    changed += _elsewhere(*rest)
    ordered = sorted(changed, key=lambda pair: (pair[0].document.path, pair[0].start))
    return Compared([*equal, *moved], ordered, rest)


def _moved(gaps: list[tuple[list[Part], list[Part]]]) -> Pairs:
    """Take the sentences that both have, in other places, out of the gaps."""
    waiting: dict[tuple[str, ...], list[tuple[list[Part], Part]]] = defaultdict(list)
    for _, others in gaps:
        for part in others:
            if len(part.words) >= TELLING:
                waiting[part.words].append((others, part))
    found = []
    for own, _ in gaps:
        for part in list(own):
            if waiting.get(part.words):
                others, other = waiting[part.words].pop(0)
                own.remove(part)
                others.remove(other)
                found.append((part, other))
    return found


def _nearest(own: list[Part], others: list[Part]) -> Pairs:
    """Take pairs that are alike out of a gap, the most similar first."""
    if len(own) * len(others) > _LARGEST_GAP:
        return []
    scored = sorted(
        ((_similarity(one, other), -i, -j) for i, one in enumerate(own) for j, other in enumerate(others)),
        reverse=True,
    )
    return _taken(own, others, [(-i, -j) for score, i, j in scored if score >= _NEAR])


def _elsewhere(own: list[Part], others: list[Part]) -> Pairs:
    """Take pairs that are alike out of what all gaps left, found by the rarest words."""
    holders: dict[str, list[int]] = defaultdict(list)
    for i, part in enumerate(own):
        for word in set(part.words):
            holders[word].append(i)
    scored = []
    for j, part in enumerate(others):
        rare = sorted({word for word in part.words if word in holders}, key=lambda word: (len(holders[word]), word))
        near = Counter(i for word in rare[:8] for i in holders[word][:50]).most_common(5)
        scored += [(_similarity(own[i], part), -i, -j) for i, _ in near if len(part.words) >= TELLING]
    return _taken(own, others, [(-i, -j) for score, i, j in sorted(scored, reverse=True) if score >= _FAR])


def _taken(own: list[Part], others: list[Part], order: Iterable[tuple[int, int]]) -> Pairs:
    used: tuple[set[int], set[int]] = set(), set()
    found = []
    for i, j in order:
        if i not in used[0] and j not in used[1]:
            found.append((own[i], others[j]))
            used[0].add(i)
            used[1].add(j)
    own[:] = [part for i, part in enumerate(own) if i not in used[0]]
    others[:] = [part for j, part in enumerate(others) if j not in used[1]]
    return found


def _similarity(one: Part, other: Part) -> float:
    matcher = SequenceMatcher(None, one.words, other.words, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _NEAR else 0.0


def within_rows(rows: Compared) -> Compared:
    """Compare changed rows line by line."""
    alike = [pair for pair in rows.changed if _same_row(*pair)]
    apart = [pair for pair in rows.changed if not _same_row(*pair)]
    within = [aligned(parts_of(one.document), parts_of(other.document)) for one, other in alike]
    return Compared(
        [*rows.equal, *chain.from_iterable(each.equal for each in within)],
        [pair for each in within for pair in each.changed],
        (
            [*rows.only[0], *(one for one, _ in apart), *chain.from_iterable(each.only[0] for each in within)],
            [*rows.only[1], *(other for _, other in apart), *chain.from_iterable(each.only[1] for each in within)],
        ),
    )


def _same_row(one: Part, other: Part) -> bool:
    titles = [[w for w in words_of(part.document.title) if not w.isdigit()] for part in (one, other)]
    return titles[0] == titles[1]
