"""Offline distractor writer: wrong options of the key's own type and form, plausible and of like length.

No cue may tell the key. Its rank among the options by length, and by nearness to the stem, is drawn
uniformly from the draft's id, and the three options that come closest to those ranks are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from viva.agents.offline.bank import Bank
from viva.agents.offline.critics import same_option
from viva.agents.offline.forms import FAMILIES, is_quantity, near_values, reshaped, shape, size, swapped
from viva.agents.offline.words import content_words
from viva.agents.roles import Source
from viva.core.ids import rng, seeded_order
from viva.core.records import Distractor, Draft
from viva.llm.embeddings import Embedder
from viva.metrics.overlap import ngram_jaccard

_POOL = 60
"""Candidates compared by meaning; more cost time and change little."""
_SHORTLIST = 10
_PLAUSIBLE = 0.15
"""Cosine to the key below which a phrase is about something else altogether."""
_CHANGED = 0.2
"""What a minimal change of the key is worth: it is parallel to the key by construction."""
CHANGED = "differs from the evidence in a name or number"
_TOO_CLOSE = 0.93
"""Cosine to the key above which an option says nearly the same."""


class OfflineDistractorWriter:
    """Takes expressions of the key's form from elsewhere in the corpus; near values where there are too few."""

    def __init__(self, bank: Bank, embedder: Embedder, *, options: int, seed: int) -> None:
        self._bank = bank
        self._embedder = embedder
        self._wanted = options - 1
        self._seed = seed

    async def write(self, draft: Draft, source: Source, attempt: int) -> tuple[Distractor, ...] | None:
        """Options - 1 distractors; a later attempt passes over those that earlier ones took."""
        pool = self._pool(draft, source)
        if len(pool) < self._wanted:
            return None
        shortlist = self._shortlist(draft, pool, attempt)
        if len(shortlist) < self._wanted:
            return None
        chosen = self._balanced(draft, shortlist, attempt)
        return tuple(Distractor(text=text, reason=pool[text]) for text in chosen)

    def _pool(self, draft: Draft, source: Source) -> dict[str, str]:
        """Wrong options with the reason each is wrong, the likeliest sources first."""
        pool: dict[str, str] = {}
        for text, reason in self._sources(draft, source):
            option = reshaped(text, draft.key, draft.answer_form)
            if len(pool) < _POOL and option not in pool and self._may_stand(option, draft):
                pool[option] = reason
        return pool

    def _sources(self, draft: Draft, source: Source) -> Iterator[tuple[str, str]]:
        yield from ((t, CHANGED) for t in swapped(draft, self._bank))
        for form in (draft.answer_form, *self._relatives(draft.answer_form)):
            candidates = seeded_order(self._bank.candidates.get(form, ()), self._seed, "pool", draft.id, form)
            inside = [c for c in candidates if c.document_id == source.document.id]
            outside = [c for c in candidates if c.document_id != source.document.id]
            yield from ((c.text, "stands elsewhere in the same document, about something else") for c in inside)
            yield from ((c.text, "stands in another document, about something else") for c in outside)
        yield from ((t, "a near value that the corpus does not state") for t in self._near(draft))

    def _near(self, draft: Draft) -> list[str]:
        """Near values around an anchor, seldom the key: else the key would be the one all others are made from."""
        own = list(near_values(draft.key, draft.answer_form))
        anchor = rng(self._seed, "anchor", draft.id).choice([draft.key, *own[:4]])
        around = [anchor, *near_values(anchor, draft.answer_form), *own]
        return [text for text in dict.fromkeys(around) if text != draft.key]

    def _relatives(self, form: str) -> list[str]:
        """Other forms of the same family, so that 'object:return' may borrow from 'object:create'."""
        family = form.split(":")[0]
        if family not in FAMILIES:
            return []
        if family == "code":
            # a bare word says too little: only words that are the same sort of thing will do
            kind = ":".join(form.split(":")[:2])
            wide = kind not in {"code:word", "code:class", "code:dotted"} or form == kind
            return sorted(f for f in self._bank.candidates if wide and f.startswith(kind) and f != form)
        return sorted(f for f in self._bank.candidates if f.split(":")[0] == family and f != form)

    def _may_stand(self, option: str, draft: Draft) -> bool:
        if option.endswith("*") or same_option(option, draft.key) or option.lower() in draft.stem.lower():
            return False
        if is_quantity(draft.answer_form) and option[:1].isdigit() != draft.key[:1].isdigit():
            return False
        if option.lower() in draft.unit.statement.lower() or shape(option) != shape(draft.key):
            return False
        if not 0.45 <= len(option) / len(draft.key) <= 2.2 and abs(len(option) - len(draft.key)) > 6:
            return False
        key_words, words = set(content_words(draft.key)), set(content_words(option))
        if len(key_words) > 2 and ngram_jaccard(option, draft.key, 1) > 0.8:
            return False
        return bool(words) and not words <= set(content_words(draft.stem))

    def _shortlist(self, draft: Draft, pool: dict[str, str], attempt: int) -> list[str]:
        """The options nearest in meaning to the key, none too near; later attempts look further down."""
        texts = list(pool)
        vectors = self._embedder.embed([draft.key, *texts])
        near = np.round(vectors[1:] @ vectors[0], 4)
        loose = draft.answer_form.split(":")[0] in FAMILIES - {"code", "term"}
        rank = [float(near[n]) + (_CHANGED if pool[t] == CHANGED else 0) for n, t in enumerate(texts)]
        order = sorted(range(len(texts)), key=lambda n: (-rank[n], texts[n]))
        minimal = [n for n in order if pool[texts[n]] == CHANGED]
        fitting = [n for n in order if not loose or n in minimal or _PLAUSIBLE < near[n] < _TOO_CLOSE]
        allowed = [texts[n] for n in fitting]
        distinct: list[str] = []
        for text in allowed:
            if not any(same_option(text, other) for other in distinct):
                distinct.append(text)
        skip = attempt * self._wanted
        rest = distinct[skip:] if len(distinct) >= skip + self._wanted else distinct
        # as many longer as shorter ones, or length would tell the key
        mine = size(draft.key, draft.answer_form)
        longer = [text for text in rest if size(text, draft.answer_form) > mine][:_SHORTLIST]
        others = [text for text in rest if size(text, draft.answer_form) <= mine][:_SHORTLIST]
        return [text for text in rest if text in longer or text in others]

    def _balanced(self, draft: Draft, shortlist: Sequence[str], attempt: int) -> tuple[str, ...]:
        """The set in which the key's rank by size and by nearness to the stem is the one drawn for it."""
        draw = rng(self._seed, "ranks", draft.id, attempt)
        form = draft.answer_form
        ranks = list(range(self._wanted + 1))
        # three phrases all shorter than the key are often not to be had, so that rank is drawn twice as often
        longer = draw.choice([0, *ranks] if form.split(":")[0] in FAMILIES else ranks)
        nearer = draw.randint(0, self._wanted)
        vectors = self._embedder.embed([draft.stem, draft.key, *shortlist])
        cue = np.round(vectors[1:] @ vectors[0], 4)
        is_nearer = [bool(near > cue[0]) for near in cue[1:]]
        is_longer = [size(text, form) > size(draft.key, form) for text in shortlist]

        def cost(chosen: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
            are_longer = sum(is_longer[n] for n in chosen)
            are_nearer = sum(is_nearer[n] for n in chosen)
            return 2 * abs(are_longer - longer) + abs(are_nearer - nearer) + 0.02 * sum(chosen), chosen

        best = min(combinations(range(len(shortlist)), self._wanted), key=cost)
        return tuple(shortlist[n] for n in best)
