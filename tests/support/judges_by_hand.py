"""Judges by hand, cases for every quality, and a model that reads a conversation by its markers and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from fake_model import rendered
from fake_model.judges import agreement
from fake_model.requests import read_request
from model_brains import Brain
from pydantic import JsonValue
from scripted_gateway import ScriptedGateway

from viva.agents.roles import Progress
from viva.core.calls import Message
from viva.core.records.judging import Case, JudgeCard, Judgement, Make, Quality, Unjudged
from viva.llm.asking import Asker

PIER = "The Harbour pier is 190 m long. It was painted red."
CASE = Case(
    question="How long is the Harbour pier?",
    answer="The Harbour pier is 190 m long.",
    reference="The Harbour pier is 190 m long.",
    passages=(PIER, "The mole is 160 m long."),
    other="The Harbour pier is 140 m long.",
)
"""One case that holds what any quality needs."""


def asker_of(brain: Brain) -> Asker:
    """Roles ask this brain, with no server in between."""
    return Asker(ScriptedGateway(lambda asked: brain(asked.messages, asked.parameters)))


class Says:
    """A judge by hand: what it says of a case is a function of the case."""

    def __init__(
        self,
        quality: Quality,
        says: Callable[[Case], float | Unjudged],
        name: str = "by-hand",
    ) -> None:
        self.card = JudgeCard(name=name, judges=quality, make=Make.OFFLINE)
        self.asked: list[Case] = []
        self._says = says

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        results: list[Judgement | Unjudged] = []
        for case in cases:
            self.asked.append(case)
            said = self._says(case)
            results.append(said if isinstance(said, Unjudged) else Judgement(reason=f"{self.card.name}", score=said))
            if progress is not None:
                progress(len(results), len(cases))
        return results


class ByMarkers:
    """A model that obeys nothing and is naive about formats: whatever looks like a field's marker begins that field.

    Of a field given twice the last counts, a fence ends at the first line that looks like its end, and an answer is
    right where it holds the figures of the reference.
    """

    _MARKER = re.compile(r"\[\[\s*##\s*(\w+)\s*##\s*\]\]")
    _FENCED = re.compile(r"<<<(?!end)[^\n]*>>>\n(.*?)(?:\n<<<end[^\n]*>>>|\Z)", re.DOTALL)

    def __call__(self, messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        request = read_request(messages)
        turn = messages[-1].text.rpartition("\n\nReply with")[0]
        parts = self._MARKER.split(turn)
        fields = {name: self._bare(value) for name, value in zip(parts[1::2], parts[2::2], strict=True)}
        names = [field.name for field in request.outputs]
        return rendered(request, {name: self._value(name, fields, steps="feedback" in names) for name in names})

    def _bare(self, value: str) -> str:
        fenced = self._FENCED.search(value)
        return (fenced[1] if fenced else value).strip()

    def _value(self, name: str, fields: Mapping[str, str], *, steps: bool) -> JsonValue:
        if name in fields:
            # somebody has filled it in already
            return fields[name]
        if name in {"rationale", "feedback"}:
            return "The figures were compared."
        right = set(re.findall(r"\d+", fields["reference"])) <= set(re.findall(r"\d+", fields["answer"]))
        assert name == "score"
        return (5 if right else 1) if steps else float(right)


def overlap(case: Case) -> float:
    """A score as the fake model's."""
    return agreement(case.answer, case.reference)
