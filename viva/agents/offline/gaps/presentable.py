"""Whether a question and its answer can be shown to anybody."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.agents.offline import leaning
from viva.agents.offline.gaps.proposal import Proposal
from viva.core.records import QuestionType
from viva.core.text.words import roots

_TORN_STEM = re.compile(
    r"\b(\w+) \1\b|____\w|\w____|\(\s*\)\s*\w*\($"
    r"|\b(?:and|or|but|the|a|an|are|is|who|that|which|when|than|described|mentioned|listed|shown|discussed|referenced)\?$"
)
_VAGUE_KEY = re.compile(
    r"^(?:\w+ )?another \w+$"
    r"|\b(?:things?|a (?:variety|number|range|series|lot|host|wealth) of|various|several|great deal)\b",
    re.IGNORECASE,
)
_DANGLING = frozenset(
    "and or of the a an to not in on at by for with from as that which but than into if when its their is are"
    " be".split()
)
_BARE = frozenset(
    "things thing people solutions metrics mechanism mechanisms factors changes problems issues information data"
    " ways way methods method techniques events effects others results result evidence research studies"
    " something".split()
)
_GIVEN = 0.6
"""A key of which so many words stand in the stem is told."""
_TORN_KEY = re.compile(r"^(?:1|one|a|an) (?!million|billion|hundred|thousand)[a-z]+$|[a-z]\.\d", re.IGNORECASE)
"""'1 year' stands beside '3 year' only by breaking grammar; 'vehicles.2 Tickets' are two sentences, run together."""


def presentable(proposal: Proposal) -> bool:
    """Whether the question is of readable length, does not speak of the document, and does not give its key away."""
    words = proposal.stem.split()
    if not 3 <= len(words) <= 36 or leaning.mentions_place_in_document(f"{proposal.stem} {proposal.key}"):
        return False
    if _TORN_STEM.search(proposal.stem):
        return False
    if _VAGUE_KEY.search(proposal.key):
        return False
    if proposal.key.count("(") != proposal.key.count(")") or _TORN_KEY.search(proposal.key):
        return False
    key_words = proposal.key.split()
    if len(key_words) > 20 or key_words[-1].lower() in _DANGLING or _is_empty(key_words):
        return False
    return proposal.key.lower() not in proposal.stem.lower() and not _is_given_away(proposal)


def _is_given_away(proposal: Proposal) -> bool:
    """'The data encryption key is used ____' / 'to encrypt the data': the key repeats the stem's words."""
    if proposal.question_type is not QuestionType.PURPOSE:
        return False
    asked, answered = roots(proposal.stem), roots(proposal.key)
    return bool(answered) and len(answered & asked) >= _GIVEN * len(answered)


def _is_empty(words: Sequence[str]) -> bool:
    """'Solutions', 'useful information', 'Tools like X', 'One of the ...': an answer that names no one thing."""
    content = [w.lower() for w in words if w.lower() not in {"a", "an", "the"}]
    if not content or content[0] in {"one", "some", "tools", "things", "packages", "solutions", "something", "part"}:
        return True
    return len(content) <= 2 and content[-1] in _BARE and content[0].isalpha()
