"""The offline judge of the oral examination: finds what an answer says of each unit, and compares it with the source.

An answer is judged by what it states, part by part. What it says of itself, of the judge or of the units is just
another part, which is about no unit; so nothing in it can be obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.oral.alignment import Aligner, AnswerClaim
from viva.agents.offline.oral.amounts import figures
from viva.agents.offline.oral.checks import AnswerFinding, compared
from viva.agents.offline.oral.polarity import claims_nothing
from viva.agents.offline.oral.reading import AnswerPart, folded, parts
from viva.agents.offline.oral.terms import names_of, stems_of, words_of
from viva.core.records import OralUnit, QuestionType, UnitJudgement
from viva.llm.embeddings import Embedder

_AS_GOOD = 0.8
"""A claim against the source outweighs one that agrees where it is about the unit at least so nearly as much."""
_BARE = 4
"""Content words that an answer which is a value alone has at most."""
_OF_A_VALUE = frozenset({QuestionType.QUANTITY, QuestionType.DATE, QuestionType.NAME})
_NO_NAME = frozenset("yes no none nobody nothing true false ok okay sure correct right".split())
"""Words that a capital at the start of an answer makes no name of."""
_FILLER = re.compile(
    r"^(?:(?:it|that|the answer|this|there) (?:is|are|was|were)|(?:about|around|in|on|by|since))\b", re.IGNORECASE
)


class OfflineOralJudge:
    """Coverage by shared telling words and meaning, correctness by numbers, dates, names and negation."""

    def __init__(self, embedder: Embedder, bank: CorpusFacts) -> None:
        self._aligner = Aligner(embedder, bank)

    async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]:
        """One judgement per unit, in their order. Deterministic; of the answer only its statements are believed."""
        said = parts(answer)
        claims = self._aligner.claims(question, said, units)
        if len(units) == 1 and not claims[0] and (alone := _bare(said, units[0], question)):
            return [alone.model_copy(update={"quote": answer[said[0].start : said[0].end]})]
        return [_judged(unit, found, answer, question) for unit, found in zip(units, claims, strict=True)]


def _judged(unit: OralUnit, claims: Sequence[AnswerClaim], answer: str, question: str) -> UnitJudgement:
    source = folded(unit.evidence.quote)
    stated = [claim for claim in claims if not claims_nothing(claim.said, source)]
    findings = [(claim, compared(claim.said, unit, question)) for claim in stated]
    right = [pair for pair in findings if pair[1].agrees]
    wrong = [pair for pair in findings if pair[1].agrees is False]
    if not right and not wrong:
        return UnitJudgement(unit_id=unit.id, reason=_why_not(claims, findings))
    best = max(right or wrong, key=_standing)
    against = [pair for pair in wrong if pair[0].score >= _AS_GOOD * best[0].score] if right else []
    if against:
        other = max(against, key=_standing)
        first, last = sorted((best[0], other[0]), key=lambda claim: claim.start)
        reason = f"It contradicts itself: “{first.said}”, but “{last.said}”."
        return UnitJudgement(
            unit_id=unit.id, quote=answer[other[0].start : other[0].end], correct=False, reason=reason
        )
    claim, finding = best
    return UnitJudgement(
        unit_id=unit.id, quote=answer[claim.start : claim.end], correct=finding.agrees, reason=finding.reason
    )


def _standing(pair: tuple[AnswerClaim, AnswerFinding]) -> tuple[int, float, int]:
    return pair[1].told, pair[0].score, -pair[0].start


def _why_not(claims: Sequence[AnswerClaim], findings: Sequence[tuple[AnswerClaim, AnswerFinding]]) -> str:
    if findings:
        return findings[0][1].reason
    return "It only asks, supposes or says that it does not know." if claims else "No part of the answer is about it."


def _bare(said: Sequence[AnswerPart], unit: OralUnit, question: str) -> UnitJudgement | None:
    """To a question for one unit that is a number, a date or a name, that alone is an answer."""
    if unit.type not in _OF_A_VALUE or len(said) != 1 or claims_nothing(said[0].text, ""):
        return None
    text = _FILLER.sub("", said[0].text).strip()
    source, given = folded(unit.description), stems_of(folded(question))
    # the letter of an option is no name
    if len(stems_of(text) - given) > _BARE or re.fullmatch(r"\W*[A-Za-z]\W*", text):
        return None
    if unit.type is QuestionType.NAME:
        wanted = frozenset(s for name in names_of(source) for s in name.stems if s) - given
        told = wanted & stems_of(text)
        other = (word for word in words_of(text) if word.stem not in given and word.lower not in _NO_NAME)
        if not wanted or not (told or any(word.is_name for word in other)):
            return None
        return _of_value(unit, bool(told), text)
    mine, theirs = figures(text), figures(source)
    if not (mine.amounts and theirs.amounts) and not (mine.moments and theirs.moments):
        return None
    equal = [a for a in mine.amounts for b in theirs.amounts if a.equals(b)]
    same = [a for a in mine.moments for b in theirs.moments if a.differs(b) is False]
    return _of_value(unit, bool(equal or same), text)


def _of_value(unit: OralUnit, right: bool, text: str) -> UnitJudgement:
    reason = f"The answer is “{text}” alone; the source has {'it' if right else 'another'}."
    return UnitJudgement(unit_id=unit.id, quote=text, correct=right, reason=reason)
