"""Answers of EXAM mode compared with the bank's by a judge."""

from __future__ import annotations

from viva.agents.article_roles import TextAnswer
from viva.agents.judges.roles import Judge
from viva.core.errors import RoleFailed
from viva.core.records.articles import BankQuestion
from viva.core.records.judging import Case, JudgeCard, Unjudged

CORRECT = 0.5
"""Score of a judge of correctness from which on an answer is right."""


class JudgedAnswers:
    """By a judge of correctness (viva.agents.judges.roles)."""

    def __init__(self, judge: Judge, card: JudgeCard | None = None, at_least: float = CORRECT) -> None:
        """`card`: the judge's own with what was measured of it, if more is known than it says itself."""
        self._judge = judge
        self._at_least = at_least
        self.card = card = card or judge.card
        self.name = f"{card.name} {card.model} {card.prompt} {card.signature} {card.content} {at_least}"

    async def verify(self, question: BankQuestion, answer: TextAnswer) -> bool:
        """RoleFailed where it could not judge, or the bank has no key. Options need no judge."""
        if question.options:
            return answer.text == _key(question)
        case = Case(question=question.stem, answer=answer.text, reference=question.reference or _key(question))
        (found,) = await self._judge.judge([case])
        if isinstance(found, Unjudged):
            raise RoleFailed(found.code, found.reason)
        return found.score >= self._at_least


def _key(question: BankQuestion) -> str:
    if not question.key:
        raise RoleFailed("no_key", "The bank has no key for this question.")
    return question.key
