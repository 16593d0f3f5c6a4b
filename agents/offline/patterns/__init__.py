"""Question patterns: from a tagged sentence to questions with their keys.

Each pattern reads one construction and refuses every sentence that is not plainly of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from viva.agents.offline.grammar import FINITE, Token, text_of
from viva.agents.offline.patterns.base import Pattern, Proposal, Reading, is_plain
from viva.agents.offline.patterns.closings import closing
from viva.agents.offline.patterns.completions import completion, existential, measure
from viva.agents.offline.patterns.enumerations import enumerated, without_members
from viva.agents.offline.patterns.facts import fact
from viva.agents.offline.patterns.presentable import presentable
from viva.core.records import CLOSING_PHRASE

# words after which an 'and' joins something smaller than the whole predicate
_HOLDS = frozenset("that which who both between either if when because whether".split())
_OPENINGS = frozenset(
    "generally according in by on at for with without during within under after before among from to until"
    " throughout".split()
)
# 'In addition' says that there is more to tell
_OCCASIONS = frozenset("study experiment survey paper interview case".split())
_QUALIFYING_OPENINGS = frozenset("addition most many some rare certain".split())
_EMPTY_OPENINGS = frozenset(
    "truth fact particular short practice turn essence summary other comparison contrast"
    " similarly either case cases both principle practice".split()
)
PATTERNS: tuple[Pattern, ...] = (measure, fact, existential, completion, closing)


def proposals(
    text: str,
    tokens: tuple[Token, ...],
    known: frozenset[str] = frozenset(),
    unique: frozenset[str] | None = None,
) -> list[Proposal]:
    """All questions this sentence allows, best first; none for a sentence that leans on others."""
    if tokens and tokens[-1].text in {".", "!"}:
        tokens = tokens[:-1]
    whole = Reading(text, tokens, known, unique)
    reading = without_members(whole)
    if not is_plain(reading):
        return []
    found: dict[tuple[str, str], Proposal] = {}
    counts = reading is not whole
    reading = _first_predicate(reading)
    for proposal in enumerated(reading) if counts else (*_all(reading), *_after_opening(reading)):
        # what was cut off a sentence may be what its end needs
        whole_end = reading.tokens[-1] == tokens[-1]
        if presentable(proposal) and (whole_end or proposal.pattern != CLOSING_PHRASE):
            found.setdefault((proposal.stem, proposal.key), proposal)
    return sorted(found.values(), key=lambda p: (-p.quality, p.stem))


def _first_predicate(reading: Reading) -> Reading:
    """'S V1 ... and V2 ...' states 'S V1 ...' too: the second predicate is left off."""
    tokens = reading.tokens
    verb = next((n for n, t in enumerate(tokens) if t.tag in FINITE), len(tokens))
    for n in range(verb + 3, len(tokens) - 2):
        after = next((t for t in tokens[n + 1 : n + 3] if t.tag != "AV0"), tokens[n + 1])
        own_subject = tokens[n - 1].text == "," and any(t.tag in FINITE for t in tokens[n + 2 : n + 8])
        held = any(t.text in _HOLDS for t in tokens[verb:n])
        if tokens[n].text in {"and", "but"} and (
            (own_subject and not any(t.text == "," for t in tokens[: n - 1]))
            or (not held and (after.tag in FINITE or _is_second_participle(tokens, verb, n)))
        ):
            kept = tokens[: n - 1] if tokens[n - 1].text == "," else tokens[:n]
            return replace(reading, tokens=kept)
    return reading


def _is_second_participle(tokens: tuple[Token, ...], verb: int, joint: int) -> bool:
    """'is requested on Form 5 and approved by ...': be + participle + phrase, then another participle + phrase."""
    passive = any(t.tag in {"VBZ", "VBD", "VBB", "VBI"} for t in tokens[verb : verb + 2])
    between = tokens[verb + 1 : joint]
    after = tokens[joint + 1 : joint + 3]
    return (
        passive
        and any(t.tag == "VVN" for t in between[:2])
        and any(t.tag == "PRP" for t in between)
        and len(after) == 2
        and after[0].tag in {"VVN", "VVD"}
        and after[1].tag in {"PRP", "TO0"}
    )


def _all(reading: Reading) -> Iterator[Proposal]:
    for pattern in PATTERNS:
        yield from pattern(reading)


def _after_opening(reading: Reading) -> Iterator[Proposal]:
    """'By default, S V' is asked as 'By default, what ...?'"""
    tokens = reading.tokens
    comma = next((n for n, t in enumerate(tokens[:8]) if t.text == ","), None)
    if comma is None or tokens[0].text.lower() not in _OPENINGS or reading.leans(tokens[:comma]):
        return
    if any(t.tag in FINITE or t.text.lower() in _QUALIFYING_OPENINGS for t in tokens[:comma]):
        return
    if any(t.lemma.lower() in _OCCASIONS for t in tokens[:comma]) and any(
        t.text in {"a", "an"} for t in tokens[:comma]
    ):
        return  # 'In a study, Greenberg examined ...': which study, another sentence says
    dropped = any(t.text.lower() in _EMPTY_OPENINGS for t in tokens[:comma])
    opening = "" if dropped else text_of(reading.text, tokens[: comma + 1])
    for proposal in _all(replace(reading, tokens=tokens[comma + 1 :])):
        if proposal.pattern not in {"completion", CLOSING_PHRASE}:
            yield _opened(proposal, opening)


def _opened(proposal: Proposal, opening: str) -> Proposal:
    if not opening:
        return proposal
    return replace(proposal, stem=f"{opening} {proposal.stem[0].lower()}{proposal.stem[1:]}")


__all__ = ["PATTERNS", "Proposal", "Reading", "proposals"]
