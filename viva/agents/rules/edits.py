"""Makes a critic's edits of wording, where rules tell that names and figures stay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from itertools import combinations

from viva.agents.roles import Worded
from viva.core.records import Distractor, Draft, ItemKind, Rewording
from viva.metrics.item_writing.options import same_answer
from viva.metrics.item_writing.wording import key_defect

_WORD = re.compile(r"\w[\w.-]*\w|\w")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+")
_CASELESS = {"I"}
"""What English writes large and is no name."""


def edited(draft: Draft, distractors: Sequence[Distractor], edits: Sequence[Rewording]) -> Worded | None:
    """Make the edits in stem, key and wrong options; None where nothing changes, or more than the wording would.

    Figures and what may be a name stay in each text, and none comes; no two options become the same; the key breaks
    no rule, and that of an unanswerable item stays. Conversation and reference answer are not edited.
    """
    before = (draft.stem, draft.key, *(each.text for each in distractors))
    after = tuple(reduce(_replaced, edits, text) for text in before)
    stem, key, *wrong = after
    fixed = draft.kind is ItemKind.UNANSWERABLE
    if after == before or (fixed and key != draft.key) or not all(map(_same_names, before, after)):
        return None
    if any(same_answer(one, other) for one, other in combinations(after[1:], 2)):
        return None
    if key and not fixed and key_defect(key, stem, draft.language):
        return None
    left = (each.model_copy(update={"text": text}) for each, text in zip(distractors, wrong, strict=True))
    return draft.model_copy(update={"stem": stem, "key": key}), tuple(left)


def _replaced(text: str, edit: Rewording) -> str:
    """Give the text with the edit made wherever its old words stand, as whole words.

    Words that are left out take the space before them along.
    """
    before = "" if edit.new else r"\s*"
    found = re.sub(rf"{before}(?<!\w){re.escape(edit.old)}(?!\w)", lambda _: edit.new, text)
    return text if found == text else " ".join(found.split())


def _same_names(before: str, after: str) -> bool:
    """Whether each text has all figures and names of the other; an empty text has none."""
    if before == after:
        return True
    return bool(after) and _names(before) <= _words(after) and _names(after) <= _words(before)


def _names(text: str) -> set[str]:
    """Give words with a figure or a capital letter, but for a capital that begins a sentence."""
    found = set()
    for sentence in _SENTENCE.split(text):
        for n, word in enumerate(_WORD.findall(sentence)):
            written_large = any(map(str.isupper, word if n else word[1:])) and word not in _CASELESS
            if written_large or any(map(str.isdigit, word)):
                found.add(word.casefold())
    return found


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
