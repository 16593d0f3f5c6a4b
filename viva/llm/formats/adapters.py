"""How a signature is put to a model: with DSPy's markers, and in plain lines for models too small for them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

import dspy
from dspy.adapters.utils import format_field_value
from pydantic import BaseModel

from viva.llm.formats.field_types import described
from viva.llm.formats.field_values import Shape, description_of, shapes
from viva.llm.formats.markers import read_chat
from viva.llm.formats.plain_replies import read_plain

_MARKED = "Reply with these fields, each after its marker on a line of its own, and nothing else:"
_END = "[[ ## completed ## ]]"
_PLAIN = """\
Answer in plain lines, with these names in this order, and write nothing else.
A value that is no list stands on one line. Write none for a list without elements.

"""


class TextAdapter(dspy.ChatAdapter):  # type: ignore[misc]
    """DSPy's markers in a shorter frame, without DSPy's second call, and without its pictures and files.

    DSPy names each field three times, with its type in Python and as a JSON schema: a third of a short request. Here
    the system message names it once, after the instructions.

    DSPy reads pictures and files out of the text of a prompt, where it stands between certain marks: a document
    that holds them could have any file of this machine sent to a model.
    """

    def __init__(self) -> None:
        super().__init__(use_json_adapter_fallback=False)
        # the same in every call of a signature
        self._system_message: Callable[[Any, str], str] = lru_cache(maxsize=256)(self._made_system_message)

    def format(
        self, signature: type[dspy.Signature], demos: list[dict[str, Any]], inputs: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """System message, demonstrations, and the request; every content is text."""
        request = self.format_user_message_content(signature, inputs, main_request=True)
        return [
            {"role": "system", "content": self._system_message(signature, signature.instructions)},
            *self.format_demos(signature, demos),
            {"role": "user", "content": request},
        ]

    def format_system_message(self, signature: type[dspy.Signature]) -> str:
        """Give the task, the inputs, then the fields that are wanted."""
        task, given = self.format_task_description(signature), self.format_field_description(signature)
        return f"{task}\n\n{given}\n\n{self.format_field_structure(signature)}"

    def format_task_description(self, signature: type[dspy.Signature]) -> str:
        """Give the instructions as they are."""
        return textwrap.dedent(signature.instructions).strip()

    def format_field_description(self, signature: type[dspy.Signature]) -> str:
        """List the inputs, each as `- name: description`."""
        described = ((name, description_of(name, info)) for name, info in signature.input_fields.items())
        return "\n".join(["You are given:", *(f"- {name}: {told}".removesuffix(": ") for name, told in described)])

    def format_field_structure(self, signature: type[dspy.Signature]) -> str:
        """Show the answer, each field as its marker and, below, what to write there."""
        wanted = (f"{_marker(name)}\n{_asked(shape)}" for name, shape in shapes(signature).items())
        return "\n".join([_MARKED, *wanted, _END])

    def user_message_output_requirements(self, signature: type[dspy.Signature]) -> str:
        """List all fields with their types, for a model that has left some out."""
        forms = ((_marker(name), shape.form) for name, shape in shapes(signature).items())
        wanted = ", ".join(f"{marker} ({form})" if form else marker for marker, form in forms)
        return f"Reply with {wanted} and {_END}, each marker on a line of its own, its value below."

    def format_user_message_content(
        self,
        signature: type[dspy.Signature],
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """Give the inputs, each below its marker; text, as most are, is spared DSPy's detour through JSON."""
        given = [
            f"{_marker(name)}\n{value if isinstance(value, str) else format_field_value(info, value)}"
            for name, info in signature.input_fields.items()
            for value in ([inputs[name]] if name in inputs else [])
        ]
        first = _marker(next(iter(signature.output_fields)))
        wanted = [f"Reply with the fields from {first} to {_END}."] if main_request else []
        return "\n\n".join((prefix, *given, *wanted, suffix)).strip()

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """All output fields. Raises Flawed."""
        return read_chat(signature, completion)

    def _made_system_message(self, signature: type[dspy.Signature], _instructions: str) -> str:
        message: str = self.format_system_message(signature)
        return message


class PlainAdapter(TextAdapter):
    """`name: value` lines, for models too small for markers and JSON."""

    def format_system_message(self, signature: type[dspy.Signature]) -> str:
        """The task, then the lines that are wanted."""
        return f"{signature.instructions.strip()}\n\n{self.format_field_structure(signature)}"

    def format_field_structure(self, signature: type[dspy.Signature]) -> str:
        """What the answer looks like, each field as `name: <description>`."""
        return _PLAIN + "\n".join(line for shape in shapes(signature).values() for line in _shown(shape))

    def format_user_message_content(
        self,
        signature: type[dspy.Signature],
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """The inputs, each as `name: value`."""
        given = [
            f"{name}: {format_field_value(info, inputs[name])}"
            for name, info in signature.input_fields.items()
            if name in inputs
        ]
        names = ", ".join(signature.output_fields)
        wanted = f"Answer in plain lines: {names}." if main_request else ""
        return "\n\n".join(part for part in (prefix, *given, wanted, suffix) if part)

    def format_assistant_message_content(
        self, signature: type[dspy.Signature], outputs: Mapping[str, Any], missing_field_message: str | None = None
    ) -> str:
        """A demonstration's answer in this format."""
        values = ((name, outputs.get(name, missing_field_message)) for name in signature.output_fields)
        return "\n".join(line for name, value in values for line in _written(name, value))

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """All output fields. Raises Flawed."""
        return read_plain(signature, completion)


def _marker(name: str) -> str:
    return f"[[ ## {name} ## ]]"


def _asked(shape: Shape) -> str:
    """Give what to write below the field's marker: in which form, and what."""
    if shape.description.casefold().startswith(shape.form.casefold()):
        return shape.description or "text"
    return f"{shape.form}: {shape.description}".removesuffix(": ")


def _shown(shape: Shape) -> Iterator[str]:
    """How the field looks in the answer, in the prompt."""
    yield f"{shape.name}: <{described(shape.description or shape.name, shape.expected)}>"
    if shape.kind == "texts":
        yield from ("- <first>", "- <second>")
    elif shape.kind == "objects":
        for number, (part, told) in enumerate(shape.parts.items()):
            yield f"{'  ' if number else '- '}{part}: <{told}>"


def _written(name: str, value: Any) -> Iterator[str]:
    """How the field looks in the answer, in a demonstration."""
    if not isinstance(value, list):
        yield f"{name}: {_on_one_line(value)}"
        return
    yield f"{name}:" if value else f"{name}: none"
    for element in value:
        parts = element.model_dump(mode="json") if isinstance(element, BaseModel) else element
        if not isinstance(parts, dict):
            yield f"- {_on_one_line(parts)}"
            continue
        for number, (part, said) in enumerate(parts.items()):
            yield f"{'  ' if number else '- '}{part}: {_on_one_line(said)}"


def _on_one_line(value: Any) -> str:
    plain = value.value if isinstance(value, Enum) else value
    plain = plain.model_dump(mode="json") if isinstance(plain, BaseModel) else plain
    text = json.dumps(plain, ensure_ascii=False) if isinstance(plain, bool | list | dict | None) else str(plain)
    return "none" if plain is None else " ".join(text.split())
