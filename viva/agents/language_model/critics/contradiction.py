"""The critic of contradictions: does another place of the corpus give the question another answer?"""

from __future__ import annotations

from functools import partial

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.replies import LONGEST_QUOTE, reason, says_nothing
from viva.agents.roles import Source
from viva.core.records import Draft, ExpertAnswer, ItemKind, Verdict
from viva.llm.untrusted import one_line

BRIEF = Brief(
    role="judge.contradiction",
    prompt="judge_contradiction",
    reads={
        "question": "as a user asks it",
        "answer": "as one passage gives it, in one or two sentences",
        "passages": "from other places of the library, each after its place",
    },
    gives={
        "rationale": (str, "which passage comes nearest to the question, and what it gives"),
        "contradicted": (bool, "True or False"),
        "also_answered": (bool, "True or False"),
        "quote": (str, "the words that contradict or answer otherwise, copied letter for letter, or NONE"),
    },
)


class ContradictionCritic:
    """Fails a question that the corpus answers in two ways: whichever a system gives, the other would be wrong, or
    both would be right and one be counted wrong.

    Of a question that nothing should answer it asks whether something may fairly be taken for an answer.
    """

    name = "contradiction"

    def __init__(self, asks: Asks, corpus: CorpusSearch) -> None:
        self._asks = asks
        self._corpus = corpus

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """No call where a search of the corpus finds no rival of the source."""
        absent = draft.kind is ItemKind.UNANSWERABLE
        queries = (f"{draft.asked} {draft.answer_form}", f"{draft.key} {draft.asked}")
        find = (
            partial(self._corpus.read_around, draft.stem, source)
            if absent
            else partial(self._corpus.rivals, draft.asked, queries, source, draft.language)
        )
        found = await self._corpus.apart(find, [draft.stem] if absent else queries)
        if not found:
            return self._verdict("Nothing besides the passage speaks of it.")
        material = {"question": draft.shown, "answer": draft.reference_answer or draft.key}
        said = await BRIEF.ask(self._asks, {**material, "passages": "\n\n".join(found)})
        if not (said.contradicted or said.also_answered):
            return self._verdict(reason(said.rationale))
        quoted = "" if says_nothing(said.quote) else f" “{one_line(said.quote, LONGEST_QUOTE)}”"
        told = f"The documents answer it otherwise, too: {reason(said.rationale)}{quoted}"
        code = "contradicted" if said.contradicted else "also_answered"
        return self._verdict(f"{told} Name the condition that parts the two, or ask for something else.", code)

    def _verdict(self, told: str, code: str = "") -> Verdict:
        return Verdict(critic=self.name, passed=not code, reason=told, code=code)
