"""What each judge reads of a case, and what it gives: one form for each quality, its instructions in prompts/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import Brief, one_of
from viva.core.errors import UsageError
from viva.core.records.judging import Case, Judgement, Quality, Unjudged
from viva.core.settings import Settings

NONE = "NONE"
"""What stands in a field that the case leaves empty and the judge can do without."""
AUDIENCE: str = Settings.model_fields["audience"].default


NO_CLAIMS = "no_claims"
"""Code of what is Unjudged because there is nothing to take a share of."""
_ANSWERS = ("answer", "other")


class Claim(BaseModel):
    """One statement of an answer, held against the passages."""

    claim: str = Field(description="one short sentence")
    quote: str = Field(description="the words of a passage that support it, copied letter for letter, or NONE")
    supported: bool


@dataclass(frozen=True)
class JudgeForm:
    """How one quality is put to a model. `needs` are the fields of a case that it is judged by."""

    quality: Quality
    brief: Brief
    needs: tuple[str, ...]

    def check(self, case: Case, number: int) -> None:
        """UsageError, naming the case by its number, where it lacks what the quality needs; who is silent answers."""
        missing = [name for name in self.needs if name not in _ANSWERS and not _given(case, name)]
        if missing:
            raise UsageError(
                f"Case {number} has no {' and no '.join(missing)}: its {self.quality.value} cannot be judged.",
                allowed=f"Cases with {', '.join(self.needs)}.",
                next_step="Leave out cases that lack one of these.",
            )

    def unsaid(self, case: Case) -> Judgement | Unjudged | None:
        """The judgement of a case whose answer is empty, which no model need be asked; None where all is there."""
        silent = [not _given(case, name) for name in self.needs if name in _ANSWERS]
        if not any(silent):
            return None
        if self.quality is Quality.FAITHFULNESS:
            return Unjudged(code=NO_CLAIMS, reason="The answer is empty: it claims nothing.")
        if self.quality is Quality.PREFERENCE:
            score = 0.5 if all(silent) else float(silent[1])
            return Judgement(reason="An empty answer is worse than any other.", score=score)
        return Judgement(reason="The answer is empty.", score=0.0)

    def inputs(self, case: Case, audience: str = AUDIENCE) -> dict[str, str]:
        """The input fields as they are sent: what the case says is fenced. Of a preference, one order."""
        reads = self.brief.reads
        material = {name: _material(case, name) for name in reads if name != "audience"}
        return self.brief.told(material, **({"audience": audience} if "audience" in reads else {}))

    def label(self, label: float) -> dict[str, object]:
        """The output field that holds a judgement, with people's label in it: for solved examples.

        Empty for faithfulness, whose judgement is a list of claims that people did not write.
        """
        match self.quality:
            case Quality.CORRECTNESS:
                return {"score": round(label, 3)}
            case Quality.RELEVANCE:
                return {"relevance": round(label, 3)}
            case Quality.ANSWERABILITY:
                return {"answerable": label >= 0.5}
            case Quality.PREFERENCE:
                return {"better": "first" if label > 0.5 else "second" if label < 0.5 else "neither"}
            case Quality.FAITHFULNESS:
                return {}
            case _:
                return {self.rating: round(1 + 4 * label)}

    @property
    def rating(self) -> str:
        """The output field with a step of five, where the quality has one."""
        return "score" if self.quality is Quality.RUBRIC else "rating"


_TOLD = {
    "question": "as it was put, or NONE",
    "passages": "numbered",
    "reference": "the answer that is known to be right",
    "answer": "the one to be judged",
    "first_answer": "one of the two to be compared",
    "second_answer": "the other one",
    "audience": "the user who asks",
}
_RATIONALE = (str, "what tells for and against it, in one to three sentences")
_SHARE = (Annotated[float, Field(ge=0, le=1)], "number from 0 to 1")
_STEP = (Annotated[int, Field(ge=1, le=5)], "whole number from 1 to 5")


def _form(quality: Quality, reads: str, gives: Mapping[str, tuple[Any, str]], needs: str) -> JudgeForm:
    told = {name: _TOLD[name] for name in reads.split()}
    brief = Brief(role=f"judge.{quality.value}", prompt=f"judged_{quality.value}", reads=told, gives=gives)
    return JudgeForm(quality, brief, tuple(needs.split()))


_ALL = (
    _form(
        Quality.CORRECTNESS,
        "question reference answer",
        {"rationale": _RATIONALE, "score": _SHARE},
        "reference answer",
    ),
    _form(
        Quality.RUBRIC,
        "question reference answer",
        {"feedback": (str, "what is right, what is wrong and what is missing, by the rubric"), "score": _STEP},
        "reference answer",
    ),
    _form(
        Quality.ANSWERABILITY,
        "question passages",
        {
            "rationale": (str, "what is asked, and the words of the passages that come nearest to it"),
            "answerable": (bool, "True or False"),
        },
        "question passages",
    ),
    _form(
        Quality.FAITHFULNESS,
        "question passages answer",
        {"claims": (Annotated[list[Claim], Field(min_length=1)], "all statements of the answer")},
        "passages answer",
    ),
    _form(Quality.RELEVANCE, "question answer", {"rationale": _RATIONALE, "relevance": _SHARE}, "question answer"),
    _form(Quality.GROUNDEDNESS, "question passages", {"rationale": _RATIONALE, "rating": _STEP}, "question passages"),
    _form(Quality.USEFULNESS, "question audience", {"rationale": _RATIONALE, "rating": _STEP}, "question"),
    _form(Quality.STAND_ALONE, "question", {"rationale": _RATIONALE, "rating": _STEP}, "question"),
    _form(
        Quality.PREFERENCE,
        "question reference first_answer second_answer",
        {
            "rationale": (str, "where the two differ, and what follows from it, in one to three sentences"),
            "better": (one_of(("first", "second", "neither")), "which answer is better"),
        },
        "question answer other",
    ),
)
FORMS: Mapping[Quality, JudgeForm] = {form.quality: form for form in _ALL}


def turned(case: Case) -> Case:
    """The same preference in the other order."""
    return case.model_copy(update={"answer": case.other, "other": case.answer})


def _given(case: Case, name: str) -> bool:
    value: str | tuple[str, ...] = getattr(case, name)
    return bool(value.strip()) if isinstance(value, str) else any(text.strip() for text in value)


def _material(case: Case, name: str) -> str:
    if name == "passages":
        return "\n\n".join(f"[{n}] {text}" for n, text in enumerate(case.passages, 1))
    said: str = getattr(case, {"first_answer": "answer", "second_answer": "other"}.get(name, name))
    return said if said.strip() else NONE
