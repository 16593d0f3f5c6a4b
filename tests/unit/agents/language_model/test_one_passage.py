"""A multi-hop question fails where an expert arrives at the key from one of its passages."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import draft, source

from viva.agents.language_model.critics.grounds import OnePassageCritic
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.roles import Source
from viva.core.records import ExpertAnswer, ItemKind, Verdict

BUILT = "The Grey Sandpiper was built in 2009."
FAST = "The Grey Sandpiper reaches a speed of 24 knots."
FIRST, SECOND = source(BUILT, "pilots.md", "Pilots"), source(FAST, "boats.md", "Boats")
BOTH = Source(FIRST.chunk, FIRST.document, ItemKind.MULTI_HOP, SECOND)
DRAFT = draft(FIRST, BUILT, "What speed does the pilot boat that was built in 2009 reach?", "24 knots")


class Expert:
    """Answers each passage as scripted."""

    def __init__(self, **answers: str) -> None:
        self._answers = answers
        self.read: list[str] = []

    async def answer(
        self, stem: str, answer_form: str, source: Source, dispute: Verdict | None = None
    ) -> ExpertAnswer | None:
        assert (stem, source.kind, source.second, dispute) == (DRAFT.stem, ItemKind.SINGLE_HOP, None, None)
        title = source.document.title
        self.read.append(title)
        span = EvidenceFinder(source).find(source.chunk.text)
        if title not in self._answers or span is None:
            return None
        return ExpertAnswer(text=self._answers[title], reference=span.quote, evidence=(span,))


def judged(expert: Expert, at: Source = BOTH) -> Verdict | tuple[Verdict, ...]:
    return asyncio.run(OnePassageCritic(expert).judge(DRAFT, None, at))


def test_where_neither_passage_alone_leads_to_the_key_it_passes_after_two_calls() -> None:
    expert = Expert()
    verdict = judged(expert)
    assert isinstance(verdict, Verdict)
    assert verdict.passed
    assert sorted(expert.read) == ["Boats", "Pilots"]


@pytest.mark.parametrize("said", ["24 knots", "24.0 Knots", "a speed of 24 knots"])
def test_one_passage_that_is_enough_ends_it_at_once_and_the_writer_learns_which(said: str) -> None:
    expert = Expert(Boats=said)
    verdict = judged(expert)
    assert isinstance(verdict, Verdict)
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "one_passage_is_enough", "question")
    assert "Boats" in verdict.reason
    assert FAST in verdict.reason
    # the passage that holds the key's words is tried first
    assert expert.read == ["Boats"]


def test_who_reads_one_passage_and_comes_to_another_answer_needed_both() -> None:
    verdict = judged(Expert(Boats="25 knots", Pilots="2009"))
    assert isinstance(verdict, Verdict)
    assert verdict.passed


def test_of_a_source_of_one_passage_there_is_nothing_to_say() -> None:
    expert = Expert(Boats="24 knots")
    assert judged(expert, SECOND) == ()
    assert expert.read == []
