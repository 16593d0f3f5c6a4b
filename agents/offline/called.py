"""Sentences that give a thing its name: 'The halves are joined by a band of fibers known as the corpus callosum.'

With another name such a sentence is false whatever else it says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.agents.offline import leaning
from viva.agents.offline.glossary import bare_phrase, is_term
from viva.agents.offline.grammar import FINITE, FINITE_BE, NOUN, Token, is_plural, text_of
from viva.agents.offline.identities import Identity, is_general, repeated
from viva.agents.offline.likeness import head_word
from viva.agents.offline.patterns.base import Reading, is_plain

_CALLED = re.compile(r"(?<!also )\b(?:called|known as|termed|referred to as) (?=[A-Za-z])")
_LONGEST = 158
"""Characters: an option may have 160."""
_PAST = frozenset({"VVD", "VBD", "VHD", "VDD"})
_POINTS = frozenset(
    "this these those such it its he she they we our you your i his her their former latter above below here there"
    " another also then".split()
)
_LOOSE = re.compile(
    r"\b(?:stud(?:y|ies)|researchers?|someone|somebody|Figure|Table|in turn|sometimes|first|popular)\b|[\"“”:;()]"
)
_LONGEST_TERM = 5
_FEWEST = 3
"""Words that say what is called so."""
_BREAKS = frozenset(", ; that which who and but or".split())
_BEFORE = frozenset("is are which that commonly often usually sometimes generally , collectively".split())
"""What may stand between the thing and 'called'."""


def called_in(text: str, tokens: Sequence[Token]) -> Identity | None:
    """What a sentence says its only name names, or None where it names nothing plainly. English only."""
    found = list(_CALLED.finditer(text))
    if len(found) != 1 or not _stands_alone(text, tokens):
        return None
    at = next((n for n, t in enumerate(tokens) if t.start >= found[0].end()), len(tokens))
    # what is said besides of a thing, 'the end of it, called the ileum, is affected', another sentence may begin
    end = next((n for n in range(at, len(tokens)) if tokens[n].text == "."), len(tokens))
    if end == len(tokens) or not 1 <= end - at <= _LONGEST_TERM:
        return None
    noun, _ = bare_phrase(tokens[at:end])
    # the article belongs to the name: 'known as the axon'
    if not noun or not is_term(noun, "") or is_general(noun):
        return None
    thing = _thing([t for t in tokens if t.end <= found[0].start()])
    if len(thing) < _FEWEST or thing[-1].tag not in NOUN:
        return None
    meaning, term = text_of(text, thing), text_of(text, noun)
    opening, rest = text[: tokens[at].start], text[tokens[end - 1].end :]
    if not any(t.tag in FINITE for t in (*tokens[: at - 1], *tokens[end:])):
        return None  # 'for a CT scan called contrast medium': the verb was lost
    return Identity(
        subject=text_of(text, tokens[at:end]),
        opening=opening,
        rest=rest,
        meaning=meaning,
        term=term,
        genus=head_word(meaning).removesuffix("s"),
        plural=is_plural(noun),
        shared=repeated(term, opening + rest),
        can_be_said=True,
    )


def _stands_alone(text: str, tokens: Sequence[Token]) -> bool:
    """Whether no word points out of the sentence, which tells of no past event and no single study."""
    body = [t for t in tokens if t.text != "."]
    if not text.endswith(".") or len(text) > _LONGEST or not is_plain(Reading(text, tuple(body))):
        return False
    if any(t.text.lower() in _POINTS or (t.tag in _PAST and t.text != "called") for t in body) or _LOOSE.search(text):
        return False
    if any(t.tag in {"AJS", "ORD"} for t in body) or leaning.leans(body):
        return False
    return not leaning.mentions_place_in_document(text)


def _thing(before: Sequence[Token]) -> Sequence[Token]:
    """The words between the last verb, comma or clause and 'called'; the whole subject of 'is called'."""
    last = len(before)
    while last and before[last - 1].text.lower() in _BEFORE:
        last -= 1
    if any(t.tag in FINITE_BE for t in before[last:]) and not any(t.text == "," for t in before[last:]):
        return before[:last]  # 'the act of getting information back is known as retrieval'
    first = last
    while first and before[first - 1].tag not in FINITE and before[first - 1].text.lower() not in _BREAKS:
        first -= 1
    opens = (n for n in range(first, last) if before[n].tag in NOUN | {"AT0", "AJ0", "CRD", "DPS", "DT0"})
    return before[next(opens, last) : last]
