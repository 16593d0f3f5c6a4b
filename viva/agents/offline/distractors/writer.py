"""Offline distractor writer: wrong options of the key's own kind and form, plausible and of like length.

Where too few plausible ones exist it writes none: no item is better than one whose key can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.distractors.cue_balance import balanced_sets
from viva.agents.offline.distractors.likeness import TYPED, head_word, measured_as, size
from viva.agents.offline.distractors.sources import Pools, Wrong
from viva.agents.roles import Source
from viva.core.ids import rng
from viva.core.records import PLAIN_PATTERNS, PREDICATE, Distractor, Draft, Verdict
from viva.llm.embeddings import Embedder
from viva.metrics.item_writing.options import options_defect, same_option
from viva.metrics.item_writing.wording import unscoped
from viva.metrics.text.cosines import cosines

_POOLS = ((36, False), (80, True))
"""Wrong options compared by meaning, and whether they may be of another form that fits: tried only where the first
are not enough, for more cost time, and others are less alike."""
_SHORTLIST, _SETS = 18, 1000
"""Plausible options that sets are made of, and sets looked at, at most."""
_TRIED = 400
"""Sets held against the rules for options, before it is said that none will do."""
_SAME = 0.8
"""Cosine from which on two wrong options say the same, so that neither can be the right one."""
_OWN_DATE = 24
"""Months, times its kin, by which a date of the key's own document may be farther off than others."""
_FAR_DATE = 240
"""Months from which on who knows the matter knows that a date is none of it."""
_SAME_MATTER, _SAME_REASON = 0.62, 0.55
"""Cosine from which on two sentences may say the same of the same thing; reasons, of which several hold, sooner."""


@dataclass(frozen=True)
class _Plausible:
    """Cosines to the key between which a phrase is neither about something else nor nearly the same."""

    least: float
    most: float
    kind: float
    """least cosine of the head nouns, from which on both name like things"""
    kin: float
    """least sum of both cosines"""
    to_stem: tuple[float, float]
    """least cosine to what the stem asks, its scope aside: for a phrase of its document or words, and for others"""


_CLOSES = _Plausible(0.05, 0.55, kind=0.1, kin=0.25, to_stem=(0.0, 0.08))
"""Of a phrase that closes a statement: its form fits the gap, and any other of its matter is believed."""
_SAID = _Plausible(0.05, 0.6, kind=-1.0, kin=-1.0, to_stem=(0.05, 0.15))
"""Of what is said of a subject: it must be near the subject to be believed of it; its first noun tells no kind."""


class OfflineDistractorWriter:
    """Takes expressions of the key's kind from elsewhere in the corpus; near values where there are too few."""

    def __init__(self, bank: CorpusFacts, embedder: Embedder, *, options: int, seed: int) -> None:
        self._pools = Pools(bank, seed)
        self._embedder = embedder
        self._wanted = options - 1
        self._seed = seed

    async def write(
        self,
        draft: Draft,
        source: Source,
        attempt: int,
        feedback: Verdict | None,
        refused: Sequence[Distractor] = (),  # noqa: ARG002
    ) -> tuple[Distractor, ...] | None:
        """Options - 1 distractors; a later attempt leaves out what the feedback names, and draws other ranks."""
        named = feedback.reason if feedback else ""
        form = measured_as(draft.key, draft.answer_form)
        spare: list[Wrong] | None = None
        for most, wider in _POOLS:
            gathered = self._pools.gather(draft, source, most, wider=wider)
            pool = [wrong for wrong in gathered if f"“{wrong.text}”" not in named]
            shortlist = self._shortlist(draft, pool) if len(pool) >= self._wanted else []
            chosen = self._chosen(draft, shortlist, attempt) if len(shortlist) >= self._wanted else None
            spare = chosen or spare
            # of the longest or shortest of all that there are, its length tells: others are looked for
            sides = {size(wrong.text, form) > size(draft.key, form) for wrong in shortlist}
            if chosen and (len(sides) > 1 or form.split(":")[0] in TYPED):
                break
        return tuple(Distractor(text=w.text, reason=w.reason, mistake=w.mistake) for w in spare) if spare else None

    def _shortlist(self, draft: Draft, pool: Sequence[Wrong]) -> list[Wrong]:
        """The plausible ones, the nearest in meaning to the key first, as many larger as smaller ones."""
        distinct: list[Wrong] = []
        for _, wrong in sorted(self._plausible(draft, pool), key=lambda entry: (-entry[0], entry[1].text)):
            if not any(same_option(wrong.text, other.text, draft.language) for other in distinct):
                distinct.append(wrong)
        form = measured_as(draft.key, draft.answer_form)
        mine = size(draft.key, form)
        half = next(n for n in range(_SHORTLIST, self._wanted, -1) if comb(n, self._wanted) <= _SETS) // 2
        larger = [w for w in distinct if size(w.text, form) > mine][:half]
        others = [w for w in distinct if size(w.text, form) <= mine][:half]
        return [wrong for wrong in distinct if wrong in larger or wrong in others]

    def _plausible(self, draft: Draft, pool: Sequence[Wrong]) -> list[tuple[float, Wrong]]:
        """Those that could be taken for the key, each with how well."""
        texts = [wrong.text for wrong in pool]
        form = measured_as(draft.key, draft.answer_form)
        if form.split(":")[0] == "date":
            mine = size(draft.key, form)
            off = [abs(size(wrong.text, form) - mine) for wrong in pool]
            ranked = [(_OWN_DATE * wrong.kin - months, wrong) for months, wrong in zip(off, pool, strict=True)]
            close = [entry for entry in ranked if entry[0] >= -_FAR_DATE]
            return close if len(close) >= self._wanted else ranked
        if draft.pattern not in PLAIN_PATTERNS:
            # values, identifiers and header fields are plausible by their form alone
            near = self._nearness([draft.key], texts)[0]
            return [(cosine + wrong.kin / 5, wrong) for cosine, wrong in zip(near, pool, strict=True)]
        near, asked = self._nearness([draft.key, unscoped(draft.stem)], texts)
        bounds, kinds = _SAID, [0.0] * len(texts)
        if draft.pattern != PREDICATE:
            bounds, kinds = _CLOSES, self._nearness([head_word(draft.key)], [head_word(text) for text in texts])[0]
        return [
            (cosine + kind / 2 + to_stem / 2 + wrong.kin / 5, wrong)
            for cosine, kind, to_stem, wrong in zip(near, kinds, asked, pool, strict=True)
            if bounds.least <= cosine < bounds.most
            and to_stem >= bounds.to_stem[not wrong.about]
            and kind >= bounds.kind
            and cosine + kind >= bounds.kin
        ]

    def _nearness(self, texts: Sequence[str], others: Sequence[str]) -> list[list[float]]:
        """Cosines of each text to all others; embedded together, for a call costs as much as several texts."""
        vectors = self._embedder.embed([*texts, *others])
        found: list[list[float]] = cosines(vectors[: len(texts)], vectors[len(texts) :]).tolist()
        return found

    def _chosen(self, draft: Draft, shortlist: Sequence[Wrong], attempt: int) -> list[Wrong] | None:
        """The best balanced set that breaks no rule for options, none of it perhaps right; None: there is none."""
        texts = [wrong.text for wrong in shortlist]
        vectors = self._embedder.embed([draft.stem, draft.key, *texts])
        draw = rng(self._seed, "ranks", draft.id, attempt)
        doubtful: set[int] = set()
        alike = cosines(vectors[2:], vectors[2:]) >= _SAME
        for chosen in islice(balanced_sets(draft, texts, vectors, self._wanted, draw), _TRIED):
            if not doubtful.isdisjoint(chosen) or options_defect(
                draft.stem, draft.key, [texts[n - 1] for n in chosen], draft.language
            ):
                continue
            if draft.pattern in PLAIN_PATTERNS and any(alike[a - 1, b - 1] for a, b in combinations(chosen, 2)):
                continue
            doubtful.update(n for n in chosen if self._is_doubtful(draft, shortlist[n - 1]))
            if doubtful.isdisjoint(chosen):
                return [shortlist[n - 1] for n in chosen]
        return None

    def _is_doubtful(self, draft: Draft, wrong: Wrong) -> bool:
        """Whether its sentence says much the same as the evidence, so that it may answer the stem as well."""
        if draft.pattern not in PLAIN_PATTERNS or not wrong.says:
            return False
        reasons = draft.answer_form.split(":")[0] in {"clause", "use"}
        least = _SAME_REASON if reasons else _SAME_MATTER
        return self._nearness([draft.unit.statement], [wrong.says])[0][0] >= least
