"""How a role asks: what it reads, what it must give, and who carries the question to a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Literal, Protocol

from viva.agents.language_model.context import context, place_of, shown
from viva.agents.roles import Source
from viva.llm.untrusted import fenced, without_fields
from viva.prompts import instructions

if TYPE_CHECKING:
    import dspy

READS = {
    "source": "where the passage is from: folder, file, title, headings above it; and how that document begins",
    "passage": "the only source of truth",
}
"""Inputs of every role that has the passage before it."""
FOLLOWS = {"follow_up": "what kind of question it is for"}
IT_FOLLOWS = "the second question of a conversation"
"""What roles read where a question follows on a conversation."""
_VERDICTS = frozenset({"judge", "solver"})
"""Roles whose replies are verdicts on the texts before them."""


class Asks(Protocol):
    """Carries a question to the model of a role."""

    async def ask(
        self,
        role: str,
        signature: type[dspy.Signature],
        /,
        *,
        demos: Sequence[Mapping[str, object]] = (),
        **inputs: object,
    ) -> Any:
        """One attribute per output field, of the field's type. RoleFailed where there is no readable answer.

        `demos` are solved examples, input and output fields by name.
        """
        ...


@dataclass(frozen=True)
class Brief:
    """What a role reads and what it must give, in this order; its instructions are prompts/<prompt>.md.

    `reads` maps input fields to descriptions, `gives` output fields to type and description.
    """

    role: str
    prompt: str
    reads: Mapping[str, str]
    gives: Mapping[str, tuple[Any, str]]

    @cached_property
    def signature(self) -> type[dspy.Signature]:
        """The brief as DSPy puts it to a model. Importing DSPy takes seconds, hence not before it is asked for."""
        import dspy

        fields = {name: (str, dspy.InputField(desc=told)) for name, told in self.reads.items()}
        for name, (kind, told) in self.gives.items():
            fields[name] = (kind, dspy.OutputField(desc=told))
        camel = "".join(word.capitalize() for word in self.prompt.split("_"))
        made: type[dspy.Signature] = dspy.make_signature(fields, self.instructions, signature_name=camel)
        return made

    @property
    def instructions(self) -> str:
        """Give the prompt without the paragraphs on fields that this brief does not have."""
        return instructions(self.prompt, {**self.reads, **self.gives})

    @cached_property
    def _forgeable(self) -> tuple[str, ...]:
        """The fields of the reply that a text must not give for the model: a judge's, and no writer's."""
        from viva.llm.formats.field_values import names_in_reply

        return names_in_reply(self.signature) if self.role.partition(".")[0] in _VERDICTS else ()

    async def ask(self, asks: Asks, material: Mapping[str, str], **ours: str | int) -> Any:
        """Ask. `material`, written by others (documents, models), is fenced; `ours` are our own words and numbers."""
        inputs: dict[str, Any] = {**self.told(material, **ours)}
        return await asks.ask(self.role, self.signature, **inputs)

    def told(self, material: Mapping[str, str], **ours: str | int) -> dict[str, str]:
        """The input fields as they are sent, in order."""
        texts = {name: without_fields(text, self._forgeable) for name, text in material.items()}
        told = {name: fenced(text, name.replace("_", " ")) for name, text in texts.items()}
        told |= {name: str(value) for name, value in ours.items()}
        return {name: told[name] for name in self.reads}


def passage(source: Source) -> dict[str, str]:
    """The material of every role that has the passage before it; of several chunks, all, each under its place."""
    if source.second is None:
        return {"source": context(source), "passage": shown(source).text}
    parts = source.parts
    told = (
        f"Part {n} of {len(parts)}, from “{place_of(part)}”:\n{shown(part).text}" for n, part in enumerate(parts, 1)
    )
    return {"source": context(source), "passage": "\n\n".join(told)}


def one_of(choices: Iterable[str]) -> Any:
    """The type of a field that is one of these."""
    allowed = tuple(choices)
    return Literal[allowed]


def some_of(choices: Iterable[str]) -> Any:
    """The type of a field that is a list of these."""
    return GenericAlias(list, (one_of(choices),))
