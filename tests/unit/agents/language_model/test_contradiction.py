"""A question that the corpus answers in two ways is refused; so is one whose lack of an answer may be doubted."""

from __future__ import annotations

import asyncio

import pytest
from asked import Says
from by_hand import draft, source
from by_id import by_id

from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.critics.contradiction import ContradictionCritic
from viva.agents.roles import Source
from viva.core.records import Draft, ItemKind, Verdict

FACT = "The lock gate closes 35 minutes before low water."
OTHER = "Leave early, for the lock gate closes half an hour before low water."
HERE = source(FACT)
DRAFT = draft(HERE, FACT, "How long before low water does the lock gate close?", "35 minutes")
SAYS = {"rationale": "The notice says half an hour.", "contradicted": True, "quote": "half an hour before low water"}


def judged(of: Draft = DRAFT, *others: str, **said: object) -> tuple[Verdict, Says]:
    corpus = [HERE, *(source(text, f"{n}.md") for n, text in enumerate(others))]
    model = Says(contradiction={**SAYS, **said})
    search = CorpusSearch(by_id(each.document for each in corpus), by_id(each.chunk for each in corpus))
    critic = ContradictionCritic(model, search)
    return asyncio.run(critic.judge(of, None, Source(HERE.chunk, HERE.document, of.kind))), model


def test_another_answer_elsewhere_sends_the_question_back_with_its_words() -> None:
    verdict, model = judged(DRAFT, OTHER)
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "contradicted", "question")
    assert "The notice says half an hour. “half an hour before low water”" in verdict.reason
    assert OTHER in model.heard("passages")
    assert FACT not in model.heard("passages")


def test_what_agrees_or_speaks_of_other_things_passes() -> None:
    verdict, _ = judged(DRAFT, OTHER, contradicted=False, quote="NONE")
    assert (verdict.passed, verdict.code) == (True, "")


def test_where_nothing_else_speaks_of_it_nobody_is_asked() -> None:
    verdict, model = judged(DRAFT)
    assert (verdict.passed, model.asked) == (True, [])


@pytest.mark.parametrize("contradicted", [True, False])
def test_of_what_nothing_answers_the_passage_itself_is_read_too(*, contradicted: bool) -> None:
    absent = DRAFT.model_copy(update={"kind": ItemKind.UNANSWERABLE})
    verdict, model = judged(absent, OTHER, contradicted=contradicted)
    assert verdict.passed is not contradicted
    assert FACT in model.heard("passages")
    assert OTHER in model.heard("passages")
