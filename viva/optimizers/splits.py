"""Labelled cases in three parts that share no source and no text: to learn from, to choose by, to report."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from zlib import crc32

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import LabelledCase
from viva.core.wording import counted

SHARES = (0.4, 0.2, 0.4)
"""Of the rows, in train, validation and test. Half as many in test would double what it takes to see a difference."""
SIMILARITY = 0.8
"""Jaccard similarity of the sets of words and pairs of words from which on two cases are nearly the same."""
_CANDIDATES = 0.6
"""For the index, which is never sure: pairs a little above its threshold would often be missed."""
FEWEST = 4
"""Cases in a part: below that no figure of agreement means anything."""
_PERMUTATIONS = 128
_SEED = 1
# scripts without spaces between words give their characters
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True)
class LabelSplit:
    """Three parts. `groups` counts what is never split apart; `merged` of them are several groups that share text.

    What is never split apart is one group in the parts, whatever its groups were before. `taken_out` counts cases
    left out of train and validation because the given test set holds them, or nearly.
    """

    train: tuple[LabelledCase, ...]
    validation: tuple[LabelledCase, ...]
    test: tuple[LabelledCase, ...]
    groups: int
    merged: int = 0
    taken_out: int = 0

    @property
    def test_groups(self) -> int:
        """Sources of the test part."""
        return len({each.group for each in self.test})


def split(cases: Sequence[LabelledCase], test: Sequence[LabelledCase] | None = None) -> LabelSplit:
    """The parts, by content alone: order of rows, names of groups and seeds do not move a case.

    Cases of one group, and cases whose texts are equal or nearly so, stay together. What stays together is put in the
    order of its hash, and cut by `SHARES` of the rows. With a `test` set of its own, what of `cases` belongs together
    with a part of it is taken out, and the rest is split in two. UsageError where a part would hold too little.
    """
    ordered = sorted(cases, key=lambda each: each.case.id)
    given = sorted(test or (), key=lambda each: each.case.id)
    together = _components([*ordered, *given])
    members: dict[int, list[LabelledCase]] = defaultdict(list)
    of_test = set(together[len(ordered) :])
    for place, each in zip(together, ordered, strict=False):
        if place not in of_test:
            members[place].append(each)
    kept = sorted(members.values(), key=lambda own: content_hash("split", *(each.case.id for each in own)))
    shares = SHARES if test is None else (SHARES[0] + SHARES[2], SHARES[1])
    parts = _counted_off(kept, shares)
    groups = {each.group for own in kept for each in own}
    merged = sum(len({each.group for each in own}) > 1 for own in kept)
    taken_out = len(ordered) - sum(map(len, kept))
    least: dict[int, str] = {}
    for place, each in zip(together, (*ordered, *given), strict=True):
        least[place] = min(each.group, least.get(place, each.group))
    names = {each.group: least[place] for place, each in zip(together, (*ordered, *given), strict=True)}
    train, validation, last = (
        tuple(each.model_copy(update={"group": names[each.group]}) for each in part)
        for part in (*parts[:2], given if test is not None else parts[2])
    )
    found = LabelSplit(train, validation, last, len(kept), merged, taken_out)
    _check(found, len(groups))
    return found


def _counted_off(kept: Sequence[Sequence[LabelledCase]], shares: Sequence[float]) -> list[tuple[LabelledCase, ...]]:
    """In order, cut where the rows come nearest to the shares; no part stays empty where there are enough."""
    ends = list(accumulate(map(len, kept)))
    parts, start, wanted = list[tuple[LabelledCase, ...]](), 0, 0.0
    for left, share in zip(range(len(shares) - 1, -1, -1), shares, strict=True):
        wanted += share * (ends[-1] if ends else 0)
        cuts = range(start + 1, max(len(kept) - left, start + 1) + 1)
        stop = min(cuts, key=lambda cut: abs(ends[min(cut, len(ends)) - 1] - wanted)) if left and ends else len(kept)
        parts.append(tuple(each for own in kept[start:stop] for each in own))
        start = stop
    return parts


def _check(found: LabelSplit, groups: int) -> None:
    if found.taken_out and not found.groups:
        raise UsageError(
            f"Nothing is left to learn from: all {counted(found.taken_out, 'case')} of --data stand in --test too, "
            "or share a source or nearly all of their text with it.",
            next_step="Leave --test out, and a part of --data is kept for the report; or give other cases there.",
        )
    shared = f"; {counted(found.taken_out, 'case')} more stand in --test too" if found.taken_out else ""
    for name in ("train", "validation", "test"):
        part: tuple[LabelledCase, ...] = getattr(found, name)
        if len(part) < FEWEST:
            raise UsageError(
                f"The {name} part has {counted(len(part), 'case')}: {counted(found.groups, 'part')} of the data can "
                f"be told apart (of {counted(groups, 'group')}; those that share text stay together{shared}).",
                allowed=f"At least {FEWEST} cases in train, in validation and in test; 200 or more in all say more.",
                next_step="Give more labelled cases, of more sources.",
            )
        if len({each.label for each in part}) < 2:
            raise UsageError(
                f"All {len(part)} labels of the {name} part are {part[0].label:g}: no judge can agree with them more "
                "than another.",
                next_step="Give more labelled cases, good and bad ones.",
            )


# --- what stays together ----------------------------------------------------------------------------------


def _components(cases: Sequence[LabelledCase]) -> list[int]:
    """For each case the number of what it belongs together with."""
    first: dict[str, int] = {}
    links = [(first.setdefault(each.group, place), place) for place, each in enumerate(cases)] + _near(cases)
    ones, other = np.array(links, dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(links)), (ones, other)), shape=(len(cases), len(cases)))
    numbers: list[int] = connected_components(graph, directed=False)[1].tolist()
    return numbers


def _near(cases: Sequence[LabelledCase]) -> list[tuple[int, int]]:
    """Pairs of places whose texts are equal but for case and signs, or nearly: found by MinHash, each checked."""
    from datasketch import MinHash, MinHashLSH

    shingled = [_shingles(each) for each in cases]
    signatures = MinHash.generator(shingled, num_perm=_PERMUTATIONS, seed=_SEED, hashfunc=int)
    index = MinHashLSH(threshold=_CANDIDATES, num_perm=_PERMUTATIONS)
    equal: dict[frozenset[int], int] = {}
    found: list[tuple[int, int]] = []
    for place, (own, signature) in enumerate(zip(shingled, signatures, strict=True)):
        if own in equal:
            found.append((place, equal[own]))
            continue
        equal[own] = place
        found += [(place, at) for at in sorted(index.query(signature)) if _jaccard(own, shingled[at]) >= SIMILARITY]
        index.insert(place, signature)
    return found


def _shingles(each: LabelledCase) -> frozenset[int]:
    """Hashes of the words and pairs of words of all texts of a case."""
    case = each.case
    words = _WORD.findall(
        " ".join((case.question, case.reference, case.answer, case.other, *case.passages)).casefold()
    )
    return frozenset(crc32(text.encode()) for text in (*words, *map(" ".join, pairwise(words))))


def _jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a & b) / len(a | b) if a or b else 1.0
