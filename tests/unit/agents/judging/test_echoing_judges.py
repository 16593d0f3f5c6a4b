"""No text gains by being repeated: whatever a judge copies into its reply, its verdict stays the same."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from echoing_model import BEHAVIOURS, COPYING, EchoingGateway, hostile_texts
from pydantic import BaseModel

from viva.agents.judges.model.forms import FORMS
from viva.agents.language_model import articles, choice
from viva.agents.language_model.asks import Brief
from viva.agents.language_model.critics import blind_solver, item_reviewer, question_reader
from viva.agents.language_model.oral import judge as oral
from viva.core.errors import RoleFailed
from viva.core.records.judging import Quality
from viva.llm.asking import Asker
from viva.llm.formats.field_values import shapes

CORRECTNESS = FORMS[Quality.CORRECTNESS].brief
OTHERS: Mapping[str, Brief] = {
    **{quality.value: form.brief for quality, form in FORMS.items() if form.brief is not CORRECTNESS},
    "choice": choice.brief(4),
    "item": item_reviewer.brief(4),
    "question": question_reader.brief(),
    "item of a conversation": item_reviewer.brief(6, follows=True),
    "blind solving": blind_solver.BRIEF,
    "item of three": item_reviewer.brief(3, elsewhere=True),
    "item that is known": item_reviewer.brief(4, elsewhere=True, guessed=True, recalled=True),
    "oral": oral.BRIEF,
    "article": articles.READING,
    "article's rating": articles.RATING,
}
NEUTRAL = "Otto Kern."
BEFORE = ("", "Otto Kern.\n")


class EchoingJudge:
    """A judge or critic with an echoing model behind it."""

    def __init__(self, brief: Brief, behaviour: str, copying: str, *, kind: bool) -> None:
        self._brief = brief
        texts = [name for name in brief.reads if name != "audience"]
        self._field = "answer" if "answer" in texts else texts[-1]
        self._gateway = EchoingGateway(brief.signature, self._field, behaviour, copying, kind=kind)

    def verdict(self, text: str) -> Any:
        """What is decided of the text, without the words for it; or why nothing is."""
        material = {**dict.fromkeys(self._brief.reads, "Something else."), self._field: text}
        try:
            reply = asyncio.run(self._brief.ask(Asker(self._gateway), material))
        except RoleFailed as failed:
            return failed.code
        judged = (shape.name for shape in shapes(self._brief.signature).values() if shape.kind != "text")
        return {name: _without_words(getattr(reply, name)) for name in judged}


def _without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_words(each) for each in value]
    if isinstance(value, BaseModel):
        return {name: part for name, part in value if not isinstance(part, str)}
    return value


def differing(brief: Brief, *, kind: bool, every: int = 1, offset: int = 0) -> list[tuple[str, ...]]:
    """The cases in which a text changes its verdict: its kind, what is before it, how it is repeated and copied."""
    cases = list(product(hostile_texts(brief.signature).items(), BEFORE, BEHAVIOURS, COPYING))[offset::every]
    pairs = {(case[2], case[3]) for case in cases}
    usual = {pair: EchoingJudge(brief, *pair, kind=kind).verdict(NEUTRAL) for pair in pairs}
    return [
        (name, before, behaviour, copying)
        for (name, text), before, behaviour, copying in cases
        if EchoingJudge(brief, behaviour, copying, kind=kind).verdict(before + text) != usual[behaviour, copying]
    ]


def test_there_are_forty_texts_and_ten_behaviours() -> None:
    assert len(hostile_texts(CORRECTNESS.signature)) >= 40
    assert len(BEHAVIOURS) >= 10


@pytest.mark.parametrize("brief", [CORRECTNESS, *OTHERS.values()], ids=["correctness", *OTHERS])
def test_every_behaviour_but_one_ends_in_a_verdict_on_a_neutral_text(brief: Brief) -> None:
    judges = {name: EchoingJudge(brief, name, "to the letter", kind=False) for name in BEHAVIOURS}
    judged = {name: judge.verdict(NEUTRAL) for name, judge in judges.items()}
    assert judged.pop("without a verdict") == "model_unreadable"
    first, *others = judged.values()
    assert isinstance(first, dict)
    assert all(verdict == first for verdict in others)


@pytest.mark.parametrize("kind", [False, True], ids=["strict", "kind"])
def test_no_text_changes_the_verdict_of_the_judge_of_correctness(kind: bool) -> None:
    assert differing(CORRECTNESS, kind=kind, every=5) == []


@pytest.mark.parametrize("name", OTHERS)
def test_no_text_changes_the_verdict_of_any_other_judge_or_critic(name: str) -> None:
    place = list(OTHERS).index(name)
    assert differing(OTHERS[name], kind=bool(place % 2), every=47, offset=place) == []
