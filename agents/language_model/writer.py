"""The question writer: a user who needs to know something."""

from __future__ import annotations

from typing import Literal

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.units import has_evidence
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.ids import rng
from viva.core.records import BloomLevel, Draft, KnowledgeUnit, QuestionType, Verdict
from viva.core.settings import Settings
from viva.llm.untrusted import one_line
from viva.prompts import fingerprint

LONGEST_STEM, LONGEST_KEY = 400, 160
"""Characters; the wording critic fails what is longer."""
_LONGEST_ANSWER, _LONGEST_FORM = 800, 100

TYPES = ("factoid", "definition", "procedure", "cause", "comparison", "condition", "multi-sentence")
BLOOM = tuple(level.value for level in BloomLevel)
# one passage and four options carry no evaluation and no creation worth the name, so they are not wished for
_WISHED_BLOOM = ("remember", "understand", "apply", "analyze")

_FIRST = {
    **READS,
    "fact": "what the question is about",
    "evidence": "the words of the passage that state the fact",
    "wanted_type": "a wish",
    "wanted_bloom": "a wish",
}
_GIVES = {
    "rationale": (str, "who needs to know this, and for what, in one line"),
    "question_type": (Literal[TYPES], "what kind of question it is"),
    "bloom": (Literal[BLOOM], "level of the revised taxonomy that it asks for"),
    "stem": (str, "the question, or NONE"),
    "key": (str, "the shortest full answer"),
    "reference_answer": (str, "the answer in one or two sentences"),
    "answer_form": (str, "what each option must look like, in a few words"),
}
BRIEF = Brief(role="writer", prompt="question_writer", reads=_FIRST, gives=_GIVES)
REVISION = Brief(
    role="writer",
    prompt="question_writer",
    reads={
        **_FIRST,
        "previous_question": "your question that was refused",
        "previous_answer": "its key",
        "feedback": "why it was refused",
    },
    gives=_GIVES,
)


class ModelQuestionWriter:
    """Asks for a question of a type and Bloom level drawn for the unit."""

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._seed = settings.seed
        self._pattern = f"question_writer {fingerprint('question_writer')[:8]}"

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        """The (next) wording; None where the model has no good one. RoleFailed for a unit without evidence."""
        if not has_evidence(unit):
            raise RoleFailed("evidence_not_found", "The words quoted as evidence stand nowhere in the passage.")
        material = {**passage(source), "fact": unit.statement, "evidence": unit.evidence.quote}
        wanted_type, wanted_bloom = self.wish(unit)
        brief = BRIEF
        if previous is not None and feedback is not None:
            brief = REVISION
            material |= {
                "previous_question": previous.stem,
                "previous_answer": previous.key,
                "feedback": feedback.reason,
            }
        said = await brief.ask(self._asks, material, wanted_type=wanted_type, wanted_bloom=wanted_bloom)
        stem, key = question(said.stem), option(said.key)
        if stem.strip(" .?").lower() in {"", "none", "null"}:
            return None
        if previous is not None and (stem, key) == (previous.stem, previous.key):
            return None
        return Draft(
            unit=unit,
            attempt=0 if previous is None else previous.attempt + 1,
            stem=stem,
            key=key,
            reference_answer=one_line(said.reference_answer, _LONGEST_ANSWER) or key,
            question_type=QuestionType(said.question_type),
            bloom=BloomLevel(said.bloom),
            answer_form=one_line(said.answer_form, _LONGEST_FORM),
            pattern=self._pattern,
        )

    def wish(self, unit: KnowledgeUnit) -> tuple[str, str]:
        """The question type and Bloom level drawn for the unit."""
        draw = rng(self._seed, "wish", unit.id)
        return draw.choice(TYPES), draw.choice(_WISHED_BLOOM)


def question(text: str) -> str:
    """A stem as a model wrote it, without the quotation marks some put around it."""
    line = one_line(text, 2 * LONGEST_STEM)
    inner = line[1:-1]
    return inner if line[:1] + line[-1:] in {'""', "''", "“”", "«»", "„“"} and line[0] not in inner else line


def option(text: str) -> str:
    """An option as a model wrote it, without a full stop that ends it: options stand without one."""
    line = one_line(text, 2 * LONGEST_KEY)
    return line[:-1] if line.endswith(".") and "." not in line[:-1] else line
