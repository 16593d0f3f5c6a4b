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
SAYS = {
    "rationale": "The notice says half an hour.",
    "contradicted": True,
    "also_answered": False,
    "quote": "half an hour before low water",
}


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


def test_a_second_right_answer_elsewhere_asks_for_the_condition_that_parts_them() -> None:
    verdict, _ = judged(DRAFT, OTHER, contradicted=False, also_answered=True)
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "also_answered", "question")
    assert "Name the condition" in verdict.reason


@pytest.mark.parametrize("others", [(), ("The bridge over the lock is painted red.",)])
def test_where_nothing_else_speaks_of_it_nobody_is_asked(others: tuple[str, ...]) -> None:
    verdict, model = judged(DRAFT, *others)
    assert (verdict.passed, model.asked) == (True, [])


def test_rivals_are_of_as_many_documents_as_there_are() -> None:
    texts = [f"The lock gate closes {n} minutes before low water, they say." for n in range(5)]
    one = source("\n\n".join(texts), "many.md")
    halves = [one.chunk.model_copy(update={"id": f"{n}", "text": text}) for n, text in enumerate(texts)]
    other = source(OTHER, "other.md")
    documents = by_id(each.document for each in (HERE, one, other))
    search = CorpusSearch(documents, by_id([HERE.chunk, *halves, other.chunk]))
    found = search.rivals(DRAFT.stem, [DRAFT.stem], HERE, "en")
    assert (len(found), sum("many.md" in told for told in found)) == (2, 1)


@pytest.mark.parametrize("contradicted", [True, False])
def test_of_what_nothing_answers_the_passage_itself_is_read_too(*, contradicted: bool) -> None:
    absent = DRAFT.model_copy(update={"kind": ItemKind.UNANSWERABLE})
    verdict, model = judged(absent, OTHER, contradicted=contradicted)
    assert verdict.passed is not contradicted
    assert FACT in model.heard("passages")
    assert OTHER in model.heard("passages")
