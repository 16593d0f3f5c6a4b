"""What can be known from a chunk, named by a model, each unit with the words of the chunk that settle it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import READS, Asks, Brief, one_of, passage
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.roles import Source
from viva.core.records import LONGEST_DESCRIPTION, OralUnit, QuestionType
from viva.llm.untrusted import one_line

MOST_UNITS = 12
"""In a chunk: with 254 tokens it has about as many sentences."""
_LONGEST_KEYWORD, _LONGEST_QUOTE = 120, 2000

if TYPE_CHECKING:
    Kind = str
else:
    Kind = one_of(kind.value for kind in QuestionType)


class Unit(BaseModel):
    """A unit as the model gives it."""

    keyword: str = Field(description="what it is about, 2 to 8 words, without the value")
    description: str = Field(description="what there is to know, one sentence of at most 20 words")
    type: Kind = Field(description="the kind of fact")
    quote: str = Field(description="the words of the passage that settle it, copied letter for letter")


BRIEF = Brief(
    role="units.oral",
    prompt="oral_units",
    reads={**READS, "at_most": "how many at most"},
    gives={"units": (list[Unit], "in the order of the passage; empty if there are none")},
)


class ModelOralUnits:
    """A unit whose quote stands nowhere in the chunk is no unit: nothing could settle it."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def extract(self, source: Source) -> list[OralUnit]:
        """In the model's order, each once. RoleFailed where the reply cannot be read."""
        said = await BRIEF.ask(self._asks, passage(source), at_most=MOST_UNITS)
        evidence = EvidenceFinder(source)
        units: dict[str, OralUnit] = {}
        for told in said.units[:MOST_UNITS]:
            keyword = one_line(told.keyword, _LONGEST_KEYWORD)
            description = _shortened(one_line(told.description, _LONGEST_QUOTE))
            span = evidence.find(one_line(told.quote, _LONGEST_QUOTE))
            if span is None or not keyword or not description:
                continue
            unit = OralUnit.of(
                chunk_id=source.chunk.id,
                topic=source.document.topic,
                type=QuestionType(told.type),
                keyword=keyword,
                description=description,
                evidence=span,
            )
            units.setdefault(unit.id, unit)
        return list(units.values())


def _shortened(description: str) -> str:
    words = description.split()
    return description if len(words) <= LONGEST_DESCRIPTION else " ".join(words[:LONGEST_DESCRIPTION]) + " …"
