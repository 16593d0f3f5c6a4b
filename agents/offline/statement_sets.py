"""Four claims on one topic, one of them as it stands and three turned: the options of 'Which statement is correct?'

No item gives another one away: a claim that is a key is shown once, one that is turned twice at most, of another term
if there is one. The topic is what the claims have in common: the document they stand in, else a noun that each of
them, or its title, is about.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations, islice

from viva.agents.offline.claims import Claim
from viva.agents.offline.contrasts import Turned
from viva.agents.offline.embedding import Embed, remembered
from viva.agents.offline.statement_topics import subject_of, topics
from viva.agents.offline.words import content_words, roots
from viva.agents.rules.options import options_defect
from viva.metrics.cosines import cosines
from viva.metrics.overlap import ngram_jaccard

OPTIONS = 4
_EVEN = 1.5
"""Ratio of the longest to the shortest statement of a set."""
_CLOSEST = 18
"""Claims of a topic that sets are made of: more take time, and the shortest way between them is as good."""
_LOOKED_AT = 5
"""Sets of which one whose key is not the nearest to its topic is taken."""
_TRIED = 200
"""Sets of a topic that are looked at for a key, at most."""
_ALIKE = 0.4
"""Share of words in common from which on two statements speak of one thing, so that one may tell of the other."""
_RANKS = (3, 1, 0, 2)
_AND = " + "
"""Between topics of a set that has several."""
_SETS_OF_ONE_TOPIC = 4
_TIMES, _ENOUGH = 2, 40
"""Sets that may show a claim turned, where there are not so many of claims that no other shows."""
_SAME = 0.7
"""Share of a claim's content words that an earlier one has, from which on both say the same."""
_GUESSED = 0.06
"""Lead in cosine to the stem by which a key would be picked without any document."""


@dataclass(frozen=True)
class Opposed:
    """A claim and the contradiction of it that stands among the options."""

    claim: Claim
    turned: Turned


@dataclass(frozen=True)
class StatementSet:
    """`key` stands as it is, `wrong` are turned."""

    topic: str
    key: Claim
    wrong: tuple[Opposed, ...]

    @property
    def stem(self) -> str:
        """The question that the set answers."""
        return statement_stem(self.topic)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that it rests on."""
        return (self.key, *(opposed.claim for opposed in self.wrong))


def statement_stem(topic: str) -> str:
    """'Which statement on the topic of “Vision” is correct?'"""
    topics = [f"“{one}”" for one in topic.split(_AND)]
    if len(topics) == 1:
        return f"Which statement on the topic of {topics[0]} is correct?"
    return f"Which statement on the topics of {', '.join(topics[:-1])} and {topics[-1]} is correct?"


def statement_sets(
    claims: Sequence[Claim], titles: Mapping[str, str], embed: Embed | None = None
) -> Iterator[StatementSet]:
    """The sets of each topic, the documents' own topics first, then of claims that are near in meaning.

    `titles` by document id. Without `embed` only claims that share a topic come together.
    """
    embed = remembered(embed) if embed is not None else None
    left = _distinct(claims)
    made = 0
    together: set[frozenset[str]] = set()
    for _ in range(_TIMES):
        if made >= _ENOUGH:
            break
        once = _sets_once(left, titles, embed, made, together)
        found = list(once if made == 0 else islice(once, _ENOUGH - made))
        made += len(found)
        yield from found
        left = _to_turn_again(left, found)


def _to_turn_again(claims: Sequence[Claim], found: Sequence[StatementSet]) -> list[Claim]:
    """The claims that no set shows yet, and those that one shows turned, of another term if there is one."""
    keys = {one.key for one in found}
    shown = {opposed.claim: opposed.turned for one in found for opposed in one.wrong}
    left = []
    for claim in claims:
        if claim in shown:
            others = tuple(t for t in claim.turned if t.term and t != shown[claim])
            left.append(replace(claim, turned=others or (shown[claim],), was_turned=True))
        elif claim not in keys:
            left.append(claim)
    return left


def _sets_once(
    claims: Sequence[Claim],
    titles: Mapping[str, str],
    embed: Embed | None,
    made: int,
    together: set[frozenset[str]],
) -> Iterator[StatementSet]:
    """Sets that show no claim twice, and no two wrong statements that stand `together` in an earlier set."""
    used: set[Claim] = set()
    for topic, held in topics(claims, titles, OPTIONS):
        for _ in range(_SETS_OF_ONE_TOPIC):
            sets = _sets_of(topic, [claim for claim in held if claim not in used], made)
            found = _fair(_fresh(sets, together), embed)
            if found is None:
                break
            used.update(found.claims)
            together.update(_pairs(found))
            made += 1
            yield found
    if embed is not None:
        yield from _near_sets([claim for claim in claims if claim not in used], titles, embed, made, together)


def _pairs(found: StatementSet) -> set[frozenset[str]]:
    texts = (opposed.turned.text for opposed in found.wrong)
    return {frozenset(pair) for pair in combinations(texts, 2)}


def _fresh(found: Iterator[StatementSet], together: Set[frozenset[str]]) -> Iterator[StatementSet]:
    """Those of which no two wrong statements stand in one set already."""
    return (one for one in found if together.isdisjoint(_pairs(one)))


def _near_sets(
    claims: Sequence[Claim],
    titles: Mapping[str, str],
    embed: Embed,
    made: int,
    together: set[frozenset[str]],
) -> Iterator[StatementSet]:
    """Sets of what is near in meaning, their documents' topics named; the claims on the commonest contrasts first."""
    named = {claim: topic for claim in claims if (topic := subject_of(titles.get(claim.document_id, "")))}
    left = sorted(named, key=lambda claim: (claim.document_id, claim.start))
    if len(left) < OPTIONS:
        return
    rows = embed([claim.text for claim in left])
    near_by = dict(zip(left, cosines(rows, rows).tolist(), strict=True))
    place = {claim: n for n, claim in enumerate(left)}
    common = Counter(turned.contrast for claim in left for turned in claim.turned[:1])
    by_contrast = {claim: -max((common[turned.contrast] for turned in claim.turned[:1]), default=0) for claim in left}
    for seed in sorted(left, key=lambda claim: (by_contrast[claim], place[claim])):
        if seed not in place:
            continue
        near = sorted(place, key=lambda claim: (-near_by[seed][place[claim]], place[claim]))
        fits = [claim for claim in near if claim is not seed and _go_together(_by_length((seed, claim)))]
        found = _fair(_fresh(_sets_around(seed, fits[: _CLOSEST - 1], named, made), together), embed)
        if found is not None:
            together.update(_pairs(found))
            yield found
            made += 1
            for claim in found.claims:
                del place[claim]


def _sets_around(seed: Claim, near: Sequence[Claim], named: Mapping[Claim, str], made: int) -> Iterator[StatementSet]:
    """The sets of the claims nearest to one that go by the rules."""
    nearest = sorted(combinations(range(len(near)), OPTIONS - 1), key=lambda three: (sum(three), three))
    chosen_in_turn = (_by_length((seed, *(near[n] for n in three))) for three in nearest)
    for chosen in islice(filter(_go_together, chosen_in_turn), _TRIED):
        topics = sorted({named[claim] for claim in chosen})
        yield from _drawn(_AND.join(topics), chosen, made)


def _by_length(claims: Sequence[Claim]) -> list[Claim]:
    return sorted(claims, key=lambda claim: (len(claim.text), claim.text))


def _drawn(topic: str, chosen: Sequence[Claim], made: int) -> Iterator[StatementSet]:
    """The sets of these claims, shortest first, the key of the rank by length whose turn it is before others."""
    first = chosen[_RANKS[made % OPTIONS]]
    # what can be turned is wanted for other sets as well
    for key in sorted(chosen, key=lambda claim: (bool(claim.turned), claim is not first)):
        found = _with_key(topic, key, [claim for claim in chosen if claim is not key])
        if found is not None:
            yield found


def _fair(found: Iterator[StatementSet], embed: Embed | None) -> StatementSet | None:
    """The first of a few whose key would not be guessed, else the first."""
    few = list(islice(found, _LOOKED_AT if embed else 1))
    return next((one for one in few if embed and not _is_nearest(one, embed)), few[0] if few else None)


def _is_nearest(found: StatementSet, embed: Embed) -> bool:
    """Whether the key is so much nearer to the topic than the other statements that it would be guessed."""
    rows = embed([found.stem, found.key.text, *(opposed.turned.text for opposed in found.wrong)])
    _, key, *others = cosines(rows, rows[0]).tolist()
    return bool(key > max(others) + _GUESSED)


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """Without those that say nearly what an earlier one does: true in one item, it would be false in another."""
    kept: list[Claim] = []
    by_word: dict[str, list[int]] = defaultdict(list)
    for claim in claims:
        words = set(content_words(claim.text))
        shared = Counter(n for word in words for n in by_word[word])
        if all(times < _SAME * len(words) for times in shared.values()):
            for word in sorted(words):
                by_word[word].append(len(kept))
            kept.append(claim)
    return kept


def _sets_of(topic: str, claims: Sequence[Claim], made: int) -> Iterator[StatementSet]:
    """The sets that the claims allow, the most even first, the key of a rank by which its length tells nothing."""
    on_topic = sorted(claims, key=lambda claim: (not _names(topic, claim), claim.document_id, claim.start))
    shortlist = on_topic[:_CLOSEST]
    sets = sorted(combinations(range(len(shortlist)), OPTIONS), key=lambda four: _unevenness(shortlist, four))
    chosen_in_turn = (_by_length([shortlist[n] for n in four]) for four in sets)
    for chosen in islice(filter(_go_together, chosen_in_turn), _TRIED):
        yield from _drawn(topic, chosen, made)


def _names(topic: str, claim: Claim) -> bool:
    return bool(set(content_words(topic)) & set(content_words(claim.text)))


def _unevenness(claims: Sequence[Claim], four: tuple[int, ...]) -> tuple[int, float, tuple[int, ...]]:
    """First sets that name their topic, then those of like length."""
    lengths = [len(claims[n].text) for n in four]
    return (sum(four) // (2 * OPTIONS), round(max(lengths) / min(lengths), 2), four)


def _go_together(claims: Sequence[Claim]) -> bool:
    if len(claims[-1].text) > _EVEN * len(claims[0].text):
        return False
    return all(ngram_jaccard(one.text, other.text, 1) < _ALIKE for one, other in combinations(claims, 2))


def _names_its_topic(found: StatementSet) -> bool:
    """Whether of all terms only the key's stands among the topics: the others are seen to be foreign."""
    asked = roots(found.topic)
    others = [opposed.turned.term or opposed.claim.text for opposed in found.wrong]
    return bool(found.key.term and roots(found.key.term) <= asked) and all(asked.isdisjoint(roots(o)) for o in others)


def _with_key(topic: str, key: Claim, others: Sequence[Claim]) -> StatementSet | None:
    """The set with this key, each statement on a contrast and a term of its own; None where options break a rule."""
    if not key.may_be_key:
        return None
    contrasts = {turned.contrast for turned in key.turned[:1]}
    terms = {key.term} - {""}
    wrong: list[Opposed] = []
    for claim in others:
        fits = (turned for turned in claim.turned if turned.contrast not in contrasts and turned.term not in terms)
        opposite = next(fits, None)
        if opposite is None:
            return None
        contrasts.add(opposite.contrast)
        terms |= {opposite.term or claim.term} - {""}
        wrong.append(Opposed(claim, opposite))
    found = StatementSet(topic, key, tuple(wrong))
    if _names_its_topic(found):
        return None
    if options_defect(found.stem, key.text, [opposed.turned.text for opposed in wrong], "en"):
        return None
    return found
