"""Whether an expression may stand beside the key: whole, of its form, neither wider than it nor like it."""

from __future__ import annotations

import re

from viva.agents.offline.distractors.likeness import (
    NUMERIC,
    OF_MUCH,
    TYPED,
    is_list,
    is_name,
    is_person,
    shape,
    size,
)
from viva.core.records import PREDICATE, Draft
from viva.core.text.overlap import ngram_jaccard
from viva.core.text.words import content_words
from viva.metrics.item_writing.options import same_option

_SPOILT = re.compile(
    r"/|\*$|[a-z]\.\d|\b[A-Z]+\d{4,}|(?:able|ible|ous|ful|less)\.?$|\b(?i:foo|bar|baz|spam|eggs|ham)\b"
    r"|\b[a-z]+ (?:and|or) [A-Z][a-z]+$"
    r"|[.!?] [A-Z]"
    r"| [-–—:] | and (?:help|alert|make|keep|allow|let|cause|lead|give|take)s? | (?:in|into) (?:place|turn)\b"
)
"""Marks of an option that extraction spoilt, that was cut before its noun, or that runs on into a second verb."""
_WIDE = frozenset(
    "common general security potential possible various specific serious certain different other further"
    " additional many several such issue problem thing threat risk attack vulnerability condition cause data"
    " information matter event result change treatment needed prevent avoid protect identify detect reduce"
    " happen occur kind type disease disorder symptom user system application web secure achieve better"
    " implement mistake mitigate perform usual sensitive respond underlying fundamental aspect site asset"
    " support ensure safety quality goal help properly improve employ use tool abnormal normal increased"
    " effective higher lower proper correct severe person people patient medical term name care".split()
)
"""Words of which an option says so little that it may cover the key."""
WIDE_STEMS = frozenset(word for each in _WIDE for word in content_words(each))
_ABSTRACT = frozenset(
    "type part layer movement result cause presence lack amount number kind set piece sign symptom use case level"
    " instance risk chance lot aspect".split()
)
"""Heads of phrases that name a thing only by another: beside a thing they are of another kind."""
_HARM = re.compile(
    r"\b(?:abus|attack|steal|stolen|exploit|bypass|compromis|inject|harm|damag|destroy|kill)", re.IGNORECASE
)
_TOLD_APART = 1.15
"""Ratio of two amounts below which to tell them apart is to have learnt digits."""
_FIRST_YEAR, _WHOLE = 1000, 100
_ONE_OF_MANY = re.compile(r"1 [a-z]*s\b")


def may_stand(option: str, draft: Draft) -> bool:
    """Whether the option is of the key's form, and neither repeats the key nor stands in stem or evidence."""
    key = draft.key
    if (_SPOILT.search(option) and not _SPOILT.search(key)) or option.lower() in draft.stem.lower():
        return False
    if shape(option) != shape(key):
        return False
    if option.lower() in draft.unit.statement.lower() or same_option(option, key, draft.language):
        return False
    if not 0.5 <= len(option) / len(key) <= 2.0 and abs(len(option) - len(key)) > 6:
        return False
    if draft.answer_form.split(":")[0] in NUMERIC and (
        not _is_comparable(option, draft) or _ONE_OF_MANY.match(option)
    ):
        return False
    if draft.answer_form.split(":")[0] in {"date", "field"} and not _is_apart(option, draft):
        return False
    if draft.answer_form.split(":")[0] == "id" and not _is_written_alike(option, key):
        return False
    if not _says_enough(option, draft) or (
        draft.pattern == PREDICATE and OF_MUCH.search(option) and not OF_MUCH.search(key)
    ):
        return False
    if draft.answer_form.split(":")[0] in {"object", "definition"} and not _is_like_thing(option, key):
        return False
    key_words, words = set(content_words(key)), set(content_words(option))
    if not words or words <= set(content_words(draft.stem)):
        return False
    shared = len(key_words & words) / min(len(key_words), len(words)) if key_words else 0.0
    if is_list(key) and key_words & words:
        return False  # of two lists that share a member both are right in part
    return (len(key_words) <= 2 or ngram_jaccard(option, key, 1) <= 0.6) and (len(words) <= 2 or shared < 0.6)


def _says_enough(option: str, draft: Draft) -> bool:
    """Whether an option is narrow enough to be wrong: a wider term than the key may be right too."""
    family = draft.answer_form.split(":")[0]
    if family in TYPED:
        return True
    words = set(content_words(option))
    if (
        family == "use"
        and _verb(option).partition(" ")[0] in _WIDE
        and _verb(draft.key).partition(" ")[0] not in _WIDE
    ):
        return False  # 'to ensure', 'to improve': of much else too
    if family in {"use", "clause"} and bool(_HARM.match(_verb(option))) != bool(_HARM.match(_verb(draft.key))):
        return False
    # 'abnormal pressure' and 'pressure' both cover 'blood pressure'
    return not words - set(content_words(draft.key)) <= WIDE_STEMS


def _verb(text: str) -> str:
    """The word after 'to' or 'by'."""
    return text.partition(" ")[2]


def _is_like_thing(option: str, key: str) -> bool:
    """People stand beside people, proper names beside proper names, and no part or sign beside a thing."""
    head = _bare_head(option)
    if head.removesuffix("s") in _ABSTRACT and head != _bare_head(key):
        return False
    return is_person(option) == is_person(key) and is_name(option) == is_name(key)


def _bare_head(text: str) -> str:
    """The noun before the first 'of': 'part' of 'the first part of the intestine'."""
    return re.split(r" (?:of|in|for)\b", text.lower(), maxsplit=1)[0].rsplit(" ", 1)[-1]


def _is_comparable(option: str, draft: Draft) -> bool:
    """Whether two numbers are of one order: 7 pounds beside 88 is nobody's answer."""
    mine, other = size(draft.key, draft.answer_form), size(option, draft.answer_form)
    if mine <= 0 or other <= 0:
        return True
    if mine <= _WHOLE < other and re.search(r"%|per ?cent", draft.key):
        return False
    exact = draft.answer_form.split(":")[0] == "time"
    near = not exact and max(mine, other) / min(mine, other) < _TOLD_APART
    return not near and (0.2 <= other / mine <= 5 or abs(mine - other) <= 6)


def _is_apart(option: str, draft: Draft) -> bool:
    """Whether a date differs from the key by more than a memory for digits: by two months, of years by two."""
    mine, other = size(draft.key, "date"), size(option, "date")
    if mine < _FIRST_YEAR * 12 or other < _FIRST_YEAR * 12:
        return True
    years = re.fullmatch(r"\d{4}", draft.key) is not None
    return abs(mine - other) >= (24 if years else 2)


def _is_written_alike(option: str, key: str) -> bool:
    """Whether two numbered names have as many parts ('3.1', not '3') and digits, both or neither leading zeros."""
    zeros = [bool(re.search(r"\b0\d", text)) for text in (option, key)]
    digits = [len(re.sub(r"\D", "", text)) for text in (option, key)]
    return (
        option.count(".") == key.count(".") and zeros[0] == zeros[1] and (max(digits) <= 2 or digits[0] == digits[1])
    )
