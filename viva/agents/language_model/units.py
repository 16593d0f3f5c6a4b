"""The unit extractor: facts of a chunk, or pairs of facts of two linked ones, each with the words that prove it."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import FOLLOWS, IT_FOLLOWS, READS, Asks, Brief, passage
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.language_model.replies import statement as plain_statement
from viva.agents.roles import Source
from viva.core.records import FactSort, ItemKind, KnowledgeUnit, Span
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

_LONGEST_STATEMENT, _LONGEST_QUOTE = 500, 2000


class Fact(BaseModel):
    """A fact as the model gives it."""

    expected: str = Field(default="", description="what an outsider would say instead, in a few words")
    sort: str = Field(default="detail", description=f"one of: {', '.join(FactSort)}")
    statement: str = Field(description="one sentence that can be understood without the passage")
    quote: str = Field(description="the words of the passage that prove it, copied letter for letter")


class Pair(BaseModel):
    """Two facts that one question can join, as the model gives them."""

    statement: str = Field(description="both facts, every name in full")
    first_quote: str = Field(description="the words of part 1 that prove its fact, copied letter for letter")
    second_quote: str = Field(description="the words of part 2 that prove its fact, copied letter for letter")


_READS = {**READS, "at_most": "how many at most"}
BRIEF = Brief(
    role="units",
    prompt="unit_extractor",
    reads=_READS,
    gives={"facts": (list[Fact], "the most useful first; empty if there are none")},
)
FOLLOWING = replace(BRIEF, reads={**_READS, **FOLLOWS})
"""Of a follow-up: facts that could be asked of other things of the kind too."""
PAIRS = Brief(
    role="units",
    prompt="pair_extractor",
    reads=_READS,
    gives={"pairs": (list[Pair], "the most useful first; empty if there are none")},
)


class ModelUnitExtractor:
    """Asks for as many facts as a chunk may be walked for.

    For an unanswerable item a unit is a fact too, of which the question leaves what is stated: the request is that of
    single-hop items, and is paid for once.
    """

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._at_most = settings.units_per_chunk

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        """List the facts, each once, in the model's order: first those that ask for more than recalling a detail.

        Of those for a follow-up, which mostly asks for a detail, none comes first.

        Before them come those whose quote stands nowhere in the source. These have the empty span as evidence. The
        writer refuses them without a call, so that they are counted whether or not the source is walked to its end.
        """
        found = await (self._pairs(source, source.second) if source.second else self._facts(source))
        units = {unit.id: unit for unit in found}
        details_last = source.kind is not ItemKind.FOLLOW_UP
        return sorted(
            units.values(), key=lambda unit: (has_evidence(unit), details_last and unit.sort is FactSort.DETAIL)
        )

    async def _facts(self, source: Source) -> list[KnowledgeUnit]:
        if source.kind is ItemKind.FOLLOW_UP:
            said = await FOLLOWING.ask(self._asks, passage(source), at_most=self._at_most, follow_up=IT_FOLLOWS)
        else:
            said = await BRIEF.ask(self._asks, passage(source), at_most=self._at_most)
        evidence = EvidenceFinder(source)
        units = []
        for fact in said.facts[: self._at_most]:
            quote = one_line(fact.quote, _LONGEST_QUOTE)
            found = evidence.find(quote) or evidence.nothing()
            units.append(_unit(source, fact.statement or quote, found, sort=_sort(fact.sort)))
        return units

    async def _pairs(self, source: Source, second: Source) -> list[KnowledgeUnit]:
        """A pair must be proved by one quote from each chunk, whichever the model names first."""
        said = await PAIRS.ask(self._asks, passage(source), at_most=self._at_most)
        first, other = EvidenceFinder(Source(source.chunk, source.document)), EvidenceFinder(second)
        units = []
        for pair in said.pairs[: self._at_most]:
            quotes = [one_line(quote, _LONGEST_QUOTE) for quote in (pair.first_quote, pair.second_quote)]
            looked_up = ((first.find(a), other.find(b)) for a, b in (quotes, quotes[::-1]))
            found = next(((a, b) for a, b in looked_up if a and b), (first.nothing(), None))
            units.append(_unit(source, pair.statement or " ".join(quotes), *found))
        return units


def _sort(said: str) -> FactSort:
    """The sort that is named; a fact of a sort that nobody knows can still be asked about."""
    name = said.strip().casefold()
    return next((sort for sort in FactSort if sort.value == name), FactSort.DETAIL)


def _unit(
    source: Source, statement: str, first: Span, second: Span | None = None, sort: FactSort = FactSort.DETAIL
) -> KnowledgeUnit:
    line = plain_statement(statement, _LONGEST_STATEMENT)
    return KnowledgeUnit.of(source.chunk, line, first, second, at=source.id, sort=sort)


def has_evidence(unit: KnowledgeUnit) -> bool:
    """Whether the words that prove the unit were found in its source."""
    return bool(unit.evidence.quote)
