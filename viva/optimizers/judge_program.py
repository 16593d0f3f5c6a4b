"""A judge as DSPy's optimizers want it: a program, examples, metrics, and a model that stops the search for good.

Optimizers catch whatever goes wrong with a case, score it 0 and go on. That is right for a reply that cannot be read,
and wrong for a budget that is reached: the search would end with a hundred cases that nobody judged, and call the
result its best. `SearchLM` therefore raises `Halted`, which is no Exception, and from then on answers nobody.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Self

import dspy
from dspy.utils.exceptions import AdapterParseError
from pydantic_core import to_jsonable_python

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.forms import JudgeForm, turned
from viva.agents.judges.model.reading import judgement
from viva.core.errors import RoleFailed
from viva.core.ids import seeded_order
from viva.core.records.judging import Judgement, LabelledCase, Quality, Unjudged
from viva.llm.calls import CallFailed
from viva.llm.dspy_bridge import GatewayLM
from viva.llm.gateway import Gateway
from viva.llm.untrusted import seen
from viva.optimizers.objectives import Objective

_MARKED = "<<<"
_OFF = 0.15
"""On a scale of 1: nearer than this, judge and people agree as far as anybody can tell."""


class Halted(BaseException):
    """The search must end: the budget is reached, the server is away, or something is wrong that no case is to blame.

    No Exception, so that no optimizer takes it for a case that failed.
    """

    def __init__(self, cause: BaseException) -> None:
        self.cause = cause
        super().__init__(str(cause))


@dataclass
class Halt:
    """Shared by all copies of a model: what ended the search, and how many calls were made."""

    cause: BaseException | None = None
    calls: int = 0
    counted: Callable[[int], None] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def count(self) -> None:
        """One call more. Raises Halted where the search has ended."""
        if self.cause is not None:
            raise Halted(self.cause)
        with self._lock:
            self.calls += 1
            if self.counted is not None:
                self.counted(self.calls)

    def end(self, cause: BaseException) -> Halted:
        """The search ends by this; the first cause stays."""
        self.cause = self.cause or cause
        return Halted(self.cause)


class SearchLM(GatewayLM):
    """A gateway's model for optimizers: a call that failed is a case that failed, all else halts the search."""

    def __init__(self, gateway: Gateway, role: str, loop: asyncio.AbstractEventLoop, halt: Halt) -> None:
        super().__init__(gateway, role, loop)
        self._halt = halt

    def __call__(self, prompt: Any = None, *, candidate: int = 0, **options: Any) -> Any:
        """As GatewayLM. Raises CallFailed, or Halted."""
        self._halt.count()
        try:
            return super().__call__(prompt, candidate=candidate, **options)
        except CallFailed:
            raise
        except Exception as wrong:
            raise self._halt.end(wrong) from wrong


class JudgeProgram(dspy.Module):  # type: ignore[misc]
    """Judges one case."""

    def __init__(self, signature: type[dspy.Signature]) -> None:
        super().__init__()
        self.judge = dspy.Predict(signature)
        self.clause = clause_of(signature.instructions)

    def forward(self, **inputs: str) -> dspy.Prediction:
        """The judgement, or what kept it from being made."""
        try:
            return self.judge(signature=guarded(self.judge.signature, self.clause), **inputs)
        except (CallFailed, AdapterParseError) as failed:
            return dspy.Prediction(unjudged=type(failed).__name__)


@lru_cache(maxsize=256)
def guarded(signature: type[dspy.Signature], clause: str) -> type[dspy.Signature]:
    """The signature, its instructions ending with the clause where they lack it."""
    made: type[dspy.Signature] = signature.with_instructions(kept_safe(signature.instructions, clause))
    return made


def kept_safe(instructions: str, clause: str) -> str:
    """Instructions that an optimizer made, without what nobody sees, and with the clause at their end."""
    text = seen(instructions).strip()
    return text if _even(clause) in _even(text) else f"{text}\n\n{clause}"


def clause_of(instructions: str) -> str:
    """What the prompt says of fenced text: it gives no orders. "" where it says nothing of it."""
    paragraphs = instructions.strip().split("\n\n")
    return paragraphs[-1] if _MARKED in paragraphs[-1] else ""


def _even(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Material:
    """One quality's cases in DSPy's words: examples with the fields as they are sent, and metrics over them."""

    form: JudgeForm
    train: tuple[LabelledCase, ...]
    validation: tuple[LabelledCase, ...]
    objective: Objective
    seed: int

    @cached_property
    def trainset(self) -> list[dspy.Example]:
        """Examples of the training part, in an order of the seed."""
        return self._examples(seeded_order(self.train, self.seed, "train"))

    @cached_property
    def valset(self) -> list[dspy.Example]:
        """Examples of the validation part."""
        return self._examples(seeded_order(self.validation, self.seed, "validation"))

    @property
    def program(self) -> JudgeProgram:
        """The judge as it ships."""
        return JudgeProgram(self.form.brief.signature)

    def compiled(self, program: dspy.Module) -> Compiled:
        """What an optimizer left of the program: instructions and demonstrations, as JSON can hold them."""
        judge = program.predictors()[0]
        names = judge.signature.fields.keys()
        demos = [
            {name: to_jsonable_python(demo[name]) for name in names if demo.get(name) is not None}
            for demo in judge.demos
        ]
        clause = clause_of(self.form.brief.signature.instructions)
        return Compiled(kept_safe(judge.signature.instructions, clause), tuple(demos))

    def metric(self, example: dspy.Example, prediction: object, trace: object = None) -> float:  # noqa: ARG002
        """The objective of one example, 0 to 1."""
        case, label = self._labelled(example)
        return self.objective.of_case(label, self._said(case, prediction))

    def feedback(
        self,
        example: dspy.Example,
        prediction: object,
        trace: object = None,
        name: str | None = None,  # noqa: ARG002
        own_trace: object = None,  # noqa: ARG002
    ) -> dspy.Prediction:
        """The same with words on what people said: what GEPA reflects on."""
        score = self.metric(example, prediction, trace)
        case, label = self._labelled(example)
        said = self._said(case, prediction)
        return dspy.Prediction(score=score, feedback=_in_words(label, said))

    def _examples(self, cases: Sequence[LabelledCase]) -> list[dspy.Example]:
        return [self._example(each) for case in cases for each in self._orders(case)]

    def _orders(self, each: LabelledCase) -> list[LabelledCase]:
        """Of a preference both orders, so that what prefers a place gains nothing."""
        if self.form.quality is not Quality.PREFERENCE:
            return [each]
        return [each, each.model_copy(update={"case": turned(each.case), "label": 1 - each.label})]

    def _example(self, each: LabelledCase) -> dspy.Example:
        inputs = self.form.inputs(each.case)
        return dspy.Example(**inputs, **self.form.label(each.label)).with_inputs(*inputs)

    @cached_property
    def _known(self) -> Mapping[tuple[str, ...], LabelledCase]:
        every = (each for case in (*self.train, *self.validation) for each in self._orders(case))
        return {tuple(self.form.inputs(each.case).values()): each for each in every}

    def _labelled(self, example: dspy.Example) -> tuple[Any, float]:
        found = self._known[tuple(example[name] for name in self.form.brief.reads)]
        return found.case, found.label

    def _said(self, case: Any, prediction: object) -> Judgement | Unjudged:
        if not isinstance(prediction, dspy.Prediction) or "unjudged" in prediction:
            return Unjudged(code="model_unreadable", reason="There was no readable reply.")
        try:
            return judgement(self.form.quality, case, prediction)
        except RoleFailed as failed:
            return Unjudged(code=failed.code, reason=failed.reason)


def _in_words(label: float, said: Judgement | Unjudged) -> str:
    if isinstance(said, Unjudged):
        return f"People gave {label:.2f} (0 worst, 1 best). The judge gave no score that could be read: {said.reason}"
    told = f"People gave {label:.2f} (0 worst, 1 best), the judge {said.score:.2f}."
    if abs(said.score - label) < _OFF:
        return f"{told} They agree."
    return f"{told} It is too {'strict' if said.score < label else 'lenient'} here."
