"""The last critic of a multi-hop question: is one of its two passages enough?"""

from __future__ import annotations

from viva.agents.language_model.context import plain_quote, title_of
from viva.agents.language_model.critics.grounds import says_the_same
from viva.agents.roles import ExpertAnswerer, Source
from viva.core.records import Draft, ExpertAnswer, Verdict
from viva.metrics.item_writing.options import same_option


class OnePassageCritic:
    """Asks the expert again with one passage at a time; an item that is answered from one is no multi-hop item.

    That both are needed must be tried, not hoped for: most questions of HotpotQA can be answered from a single
    paragraph (Min et al. 2019, arXiv 1906.02900).
    """

    name = "one passage"

    def __init__(self, expert: ExpertAnswerer) -> None:
        self._expert = expert

    async def judge(
        self,
        draft: Draft,
        answer: ExpertAnswer | None,  # noqa: ARG002
        source: Source,
    ) -> Verdict | tuple[Verdict, ...]:
        """Nothing to say of a source of one passage. Otherwise at most two calls: the first that succeeds ends it."""
        if source.second is None:
            return ()
        # the passage that holds the key's words is the one that may be enough
        for part in sorted(source.parts, key=lambda p: draft.key.casefold() not in p.chunk.text.casefold()):
            alone = Source(part.chunk, part.document)
            found = await self._expert.answer(draft.stem, draft.answer_form, alone)
            if found is not None and _arrives_at(found.text, draft):
                return self._enough(found, part)
        return Verdict(critic=self.name, passed=True, reason="Neither passage alone leads to the key.", score=1.0)

    def _enough(self, found: ExpertAnswer, part: Source) -> Verdict:
        quoted = " ".join(map(plain_quote, found.evidence))
        told = (
            f"The passage from “{title_of(part.document)}” alone is enough to answer it: “{quoted}”. The question"
            " must describe what it is about by what only the other passage says, and must not name it."
        )
        return Verdict(critic=self.name, passed=False, reason=told, code="one_passage_is_enough", score=0.0)


def _arrives_at(text: str, draft: Draft) -> bool:
    return same_option(text, draft.key, draft.language) or says_the_same(text, draft.key)
