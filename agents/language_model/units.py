"""The unit extractor: facts of a chunk, each with the words that prove it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.evidence import Evidence
from viva.agents.roles import Source
from viva.core.records import KnowledgeUnit
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

_LONGEST_STATEMENT, _LONGEST_QUOTE = 500, 2000


class Fact(BaseModel):
    """A fact as the model gives it."""

    statement: str = Field(description="one sentence that can be understood without the passage")
    quote: str = Field(description="the words of the passage that prove it, copied letter for letter")


BRIEF = Brief(
    role="units",
    prompt="unit_extractor",
    reads={**READS, "at_most": "how many facts at most"},
    gives={"facts": (list[Fact], "the most useful first; empty if there are none")},
)


class ModelUnitExtractor:
    """Asks for twice as many facts as there may be items: what is refused needs a second to take its place."""

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._at_most = 2 * settings.items_per_chunk

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        """The facts in the model's order, each once; before them those whose quote stands nowhere in the chunk.

        These have the empty span as evidence. The writer refuses them without a call, so that they are counted
        whether or not the chunk is walked to its end.
        """
        said = await BRIEF.ask(self._asks, passage(source), at_most=self._at_most)
        evidence = Evidence(source)
        units: dict[str, KnowledgeUnit] = {}
        for fact in said.facts[: self._at_most]:
            quote = one_line(fact.quote, _LONGEST_QUOTE)
            statement = one_line(fact.statement, _LONGEST_STATEMENT) or quote
            unit = KnowledgeUnit.of(source.chunk, statement, evidence.find(quote) or evidence.nothing())
            units.setdefault(unit.id, unit)
        return sorted(units.values(), key=has_evidence)


def has_evidence(unit: KnowledgeUnit) -> bool:
    """Whether the words that prove the unit were found in its chunk."""
    return bool(unit.evidence.quote)
