"""The question writer: a user who needs to know something. It words questions and knows no answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from viva.agents.language_model.asks import READS, Asks, Brief, one_of, passage
from viva.agents.language_model.context import plain_quote
from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.replies import question, says_nothing, statement
from viva.agents.language_model.units import has_evidence
from viva.agents.roles import Source
from viva.core.blueprint import Blueprint, Facet
from viva.core.errors import RoleFailed
from viva.core.ids import rng
from viva.core.records import BloomLevel, Draft, FactSort, ItemKind, KnowledgeUnit, QuestionType, Turn, Verdict
from viva.core.settings import Settings
from viva.core.text.language_detection import first_known, main_language
from viva.llm.untrusted import one_line
from viva.metrics.item_writing.not_stated import not_stated
from viva.prompts import fingerprint

_LONGEST_FORM, _LONGEST_SUBJECT, _LONGEST_ANSWER = 100, 160, 600

TYPES = tuple(kind.value for kind in QuestionType)
BLOOM = tuple(level.value for level in BloomLevel)
# unless a blueprint asks for others: a factoid is of whatever kind the fact is, and one passage and four options
# carry no evaluation and no creation worth the name
WISHED_TYPES = ("factoid", "definition", "procedure", "cause", "comparison", "condition", "multi-sentence")
WISHED_BLOOM = ("remember", "understand", "apply", "analyze")
SUITED = {
    FactSort.CAUSE: ("cause", "understand"),
    FactSort.CONSEQUENCE: ("factoid", "understand"),
    FactSort.CONDITION: ("condition", "apply"),
    FactSort.PROCEDURE: ("procedure", "understand"),
    FactSort.COMPARISON: ("comparison", "analyze"),
    FactSort.DETAIL: ("factoid", "remember"),
}
"""What to ask of a fact of each sort."""

PROMPTS = {
    ItemKind.SINGLE_HOP: "question_writer",
    ItemKind.MULTI_HOP: "multi_hop_writer",
    ItemKind.UNANSWERABLE: "unanswerable_writer",
    ItemKind.FOLLOW_UP: "follow_up_writer",
}
_EVIDENCE = {"evidence": "the words of the passage that state the fact"}
_BOTH = {
    "first_evidence": "the words of one passage that state its half of the fact",
    "second_evidence": "the words of the other passage that state its half",
}
_WISHES = {
    "language": "to write in: ISO 639-1, or 'und' for whatever the passage is written in",
    "wanted_type": "a wish",
    "wanted_bloom": "a wish",
}
_GIVES = {
    "rationale": (str, "who needs to know this, and for what, in one line"),
    "question_type": (one_of(TYPES), "what kind of question it is"),
    "bloom": (one_of(BLOOM), "level of the revised taxonomy that it asks for"),
    "stem": (str, "the question, or NONE"),
    "answer_form": (str, "what an answer must look like, in a few words"),
}
_FOLLOWING = {
    "rationale": (str, "who needs to know this, and why they would ask the two in this order, in one line"),
    "subject": (str, "what both questions are about: its name, in the words of first_question"),
    "first_question": (str, "what the user asks first"),
    "first_answer": (str, "what an assistant answers to it from the passage"),
}
_DEMAND = {"demand": "what this question must be, whatever is said of wishes"}
_ABOVE_RECALL = (
    "The exam has enough questions that recall what is stated. Write one of `wanted_bloom`, or of another level above"
    " remember: a case with particulars, a reason, what follows, what parts two things. Where the fact carries none,"
    " write NONE as the stem."
)
_REFUSED = {"previous_question": "your question that was refused", "feedback": "why it was refused"}


@cache
def brief(kind: ItemKind = ItemKind.SINGLE_HOP, *, revision: bool = False, above_recall: bool = False) -> Brief:
    """What the writer of such an item reads and gives; `above_recall`: it must ask for more than remembering."""
    told = _BOTH if kind is ItemKind.MULTI_HOP else _EVIDENCE
    asked = {**_WISHES, **(_DEMAND if above_recall else {}), **(_REFUSED if revision else {})}
    reads = {**READS, "fact": "what the question is about", **told, **asked}
    follows, rest = kind is ItemKind.FOLLOW_UP, {name: each for name, each in _GIVES.items() if name != "rationale"}
    return Brief(
        role="writer", prompt=PROMPTS[kind], reads=reads, gives={**_FOLLOWING, **rest} if follows else _GIVES
    )


class ModelQuestionWriter:
    """Asks for a question of a type and Bloom level drawn for the unit, in the language of the source.

    The key is the expert's, but for an unanswerable item: there it is the sentence that says so, and the writer reads
    what the corpus says around the fact, so as not to ask for what stands there. A follow-up comes with the question
    and the answer that it follows on, from the same passage.
    """

    def __init__(self, asks: Asks, settings: Settings, corpus: CorpusSearch | None = None) -> None:
        self._asks = asks
        self._corpus = corpus or CorpusSearch({}, {})
        self._seed = settings.seed
        self._usual_language = cache(lambda: main_language(self._corpus.texts))
        shares = Blueprint.read(settings.blueprint).shares
        self._types_asked, self._levels_asked = Facet.TYPE in shares, Facet.BLOOM in shares
        self._types = _weights(shares.get(Facet.TYPE, {}), WISHED_TYPES)
        self._levels = _weights(shares.get(Facet.BLOOM, {}), WISHED_BLOOM)

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        """The (next) wording; None where the model has no good one.

        RoleFailed for a unit without evidence.
        """
        if not has_evidence(unit):
            raise RoleFailed("evidence_not_found", "The words quoted as evidence stand nowhere in the passage.")
        evidence = zip(_BOTH if unit.second else _EVIDENCE, map(plain_quote, unit.spans), strict=True)
        absent = source.kind is ItemKind.UNANSWERABLE
        fact = unit.statement
        read = await self._corpus.apart(lambda: self._corpus.around(fact, source), [fact]) if absent else source
        material = {**passage(read), "fact": unit.statement, **dict(evidence)}
        if previous is not None and feedback is not None:
            material |= {"previous_question": previous.shown, "feedback": feedback.reason}
        wanted_type, wanted_bloom = self.wish(unit)
        language = first_known(source.text, source.document.text) or self._usual_language()
        wishes = {"language": language, "wanted_type": wanted_type, "wanted_bloom": wanted_bloom}
        if source.above_recall:
            wishes["demand"] = _ABOVE_RECALL
        asked = brief(source.kind, revision="feedback" in material, above_recall=source.above_recall)
        said = await asked.ask(self._asks, material, **wishes)
        stem = question(said.stem)
        history, subject = _conversation(said) if source.kind is ItemKind.FOLLOW_UP else ((), "")
        same = previous is not None and (stem, history) == (previous.stem, previous.history)
        if says_nothing(stem) or same or any(says_nothing(turn.text) for turn in history):
            return None
        key = not_stated(language) if absent else ""
        return Draft(
            unit=unit,
            attempt=0 if previous is None else previous.attempt + 1,
            stem=stem,
            key=key,
            key_from="writer" if key else "expert",
            reference_answer=key,
            question_type=QuestionType(said.question_type),
            bloom=(BloomLevel(said.bloom),),
            kind=source.kind,
            language=language,
            answer_form=one_line(said.answer_form, _LONGEST_FORM),
            history=history,
            subject=subject,
            pattern=f"{PROMPTS[source.kind]} {fingerprint(PROMPTS[source.kind])[:8]}",
        )

    def wish(self, unit: KnowledgeUnit) -> tuple[str, str]:
        """The question type and Bloom level for the unit: by the blueprint's shares, else what suits its sort.

        What the shares leave, and what two joined facts are asked for, is drawn evenly.
        """
        draw = rng(self._seed, "wish", unit.id)
        drawn = draw.choices(*self._types)[0], draw.choices(*self._levels)[0]
        suited = drawn if unit.second else SUITED[unit.sort]
        return drawn[0] if self._types_asked else suited[0], drawn[1] if self._levels_asked else suited[1]


def _conversation(said: Any) -> tuple[tuple[Turn, ...], str]:
    """What is asked and answered before the question, and the subject of both."""
    asked = Turn(role="user", text=question(said.first_question))
    told = Turn(role="assistant", text=statement(said.first_answer, _LONGEST_ANSWER))
    return (asked, told), one_line(said.subject, _LONGEST_SUBJECT)


def _weights(shares: Mapping[str, float], usual: Sequence[str]) -> tuple[list[str], list[float]]:
    """Levels and weights: those with a share, then the usual ones without, which divide what is left."""
    rest = [level for level in usual if level not in shares]
    left = max(0.0, 1 - sum(shares.values())) / max(1, len(rest))
    weights = [*shares.values(), *(left for _ in rest)]
    # a blueprint that keeps out all of the usual levels and names no other leaves only chance
    return ([*shares, *rest], weights) if any(weights) else ([*usual], [1.0] * len(usual))
