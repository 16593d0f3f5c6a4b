"""An answer before a judge reads it: how much of it counts, what is odd about it, and which units it may reach."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from viva.core.records import OralUnit
from viva.examinees.readers.reading import LONGEST_TEXT
from viva.metrics.text.verbatim import Verbatim, first_words, words_of

CAPPED, LONG, PASTED, EMPTY, SAYS_NOTHING = "capped", "long", "pasted", "empty", "does not know"
WORDS_PER_UNIT, WORDS_BESIDE = 60, 120
"""Words of an answer that count: so many for each unit it was invited to speak of, and so many besides."""
COPIED_SHARE, COPIED_BESIDE = 1.5, 60
"""Words that an answer may copy from the documents before it is taken to be pasted: as many as the sentences it was
invited to tell have, half as many again, and so many besides. Of a pasted one so many count."""
MOSTLY = 0.5
"""Share of its words that a pasted answer copies, at least."""
REACHED = 0.6
"""Share of a unit's words, weighed by how rare they are, from which on an answer may be about it."""

_LONGEST_ADMISSION = 400
_ADMITS = re.compile(
    r"\b(?:(?:do|does|did|can|could|would|was|am|is|are)(?:n['’]?t| not)|cannot|unable to|not able to)\s+"
    r"(?:know|say|tell|find|have|answer|determine|mention\w*|stated?|given?|contain|sure|aware|provide\w*|specif\w+)"
    r"|\bno (?:information|answer|idea|mention|data|knowledge)\b|\bunknown\b|\bnot (?:known|mentioned|stated|found)\b"
    r"|\bwei(?:ß|ss) (?:ich |es )*nicht\b|\bkeine (?:angaben?|informationen|ahnung)\b|\bsagen .*\bnicht\b"
    r"|\bne (?:sais|le disent|dit|disent) pas\b|\baucune information\b"
    r"|\bno (?:lo )?(?:sé|dicen|dice)\b|\bninguna información\b",
    re.IGNORECASE,
)
# what else such a sentence is made of
_STOCK = frozenset(
    """i we it that this the a an of on in to for about any my me you your do does did don doesn didn can cannot could
    couldn would wouldn was wasn am is isn are aren be been unable able not know known say said tell find found have
    has had answer determine mention mentioned mentions state stated states given give contain contains sure aware
    provide provided specify specified no information idea data knowledge unknown sorry afraid unfortunately but
    documents document context sources source passages passage text s t m
    das dies es ich weiß weiss nicht kein keine keinen leider sagen die der dokumente dokumenten angabe angaben
    informationen ahnung dazu darüber tut mir leid
    je ne sais pas le la les disent dit n ai aucune désolé
    yo no sé lo los dicen dice documentos ninguna información siento""".split()
)


@dataclass(frozen=True)
class AnswerRead:
    """An answer as it is kept, the part of it that counts, and what is odd about it."""

    text: str
    counts: str
    """'' where nothing is there to judge"""
    flags: tuple[str, ...]


class Listener:
    """Knows what the documents say word by word, and how rare the words of units are."""

    def __init__(self, units: Sequence[OralUnit], documents: Iterable[str]) -> None:
        self._documents = Verbatim(documents)
        self._words = {unit.id: frozenset(words_of(f"{unit.keyword} {unit.description}")) for unit in units}
        held = Counter(word for words in self._words.values() for word in words)
        self._length = {unit.id: len(words_of(unit.evidence.quote)) for unit in units}
        self._weight = {word: math.log(1 + len(units) / count) for word, count in held.items()}

    def hear(self, question: str, answer: str, invited: Sequence[str]) -> AnswerRead:
        """What of an answer counts, to a question that invites to speak of these units.

        Who says everything shows nothing: a long answer counts by its first words, a pasted one by fewer, and by
        none at all where several units were asked for at once.
        """
        text = answer[:LONGEST_TEXT]
        flags = [CAPPED] if len(answer) >= LONGEST_TEXT else []
        if not text.strip():
            return AnswerRead(text, "", (*flags, EMPTY))
        if admits_not_knowing(question, text):
            return AnswerRead(text, "", (*flags, SAYS_NOTHING))
        words, copied, may_copy = len(words_of(text)), self._documents.copied_words(text), self.may_copy(invited)
        if copied > may_copy and copied >= MOSTLY * words:
            counts = first_words(text, may_copy) if len(invited) == 1 else ""
            return AnswerRead(text, counts, (*flags, PASTED))
        allowed = WORDS_PER_UNIT * len(invited) + WORDS_BESIDE
        if words > allowed:
            return AnswerRead(text, first_words(text, allowed), (*flags, LONG))
        return AnswerRead(text, text, tuple(flags))

    def may_copy(self, invited: Sequence[str]) -> int:
        """Words of the documents that an answer about these units may hold."""
        return math.floor(COPIED_SHARE * sum(self._length[unit_id] for unit_id in invited)) + COPIED_BESIDE

    def reached(self, answer: str, unit_ids: Iterable[str], at_most: int) -> tuple[str, ...]:
        """Of these units those the answer may be about, the nearest first."""
        if at_most <= 0:
            return ()
        said = frozenset(words_of(answer))
        shares = {unit_id: self._share(unit_id, said) for unit_id in unit_ids}
        near = [unit_id for unit_id, share in shares.items() if share >= REACHED]
        return tuple(sorted(near, key=lambda unit_id: (-shares[unit_id], unit_id))[:at_most])

    def _share(self, unit_id: str, said: frozenset[str]) -> float:
        # sorted: a sum of floats depends on its order
        words = sorted(self._words[unit_id])
        total = sum(self._weight[word] for word in words)
        return round(sum(self._weight[word] for word in words if word in said) / total, 9) if total else 0.0


def admits_not_knowing(question: str, answer: str) -> bool:
    """Whether the answer says that it does not know, and nothing besides that is not in the question already."""
    if len(answer) > _LONGEST_ADMISSION or not _ADMITS.search(answer):
        return False
    return set(words_of(answer)) <= _STOCK | set(words_of(question))
