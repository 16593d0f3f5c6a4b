"""How a signature is put to a model: in DSPy's chat format, and in plain lines for models too small for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

import dspy
from dspy.adapters.utils import format_field_value
from pydantic import BaseModel

from viva.llm.formats.field_types import described
from viva.llm.formats.field_values import Shape, shapes
from viva.llm.formats.markers import read_chat
from viva.llm.formats.plain_replies import read_plain

_PLAIN = """\
Answer in plain lines, with these names in this order, and write nothing else.
A value that is no list stands on one line. Write none for a list without elements.

"""


class TextAdapter(dspy.ChatAdapter):  # type: ignore[misc]
    """DSPy's chat format without its second call, and without its pictures and files.

    DSPy reads pictures and files out of the text of a prompt, where it stands between certain marks: a document
    that holds them could have any file of this machine sent to a model.
    """

    def __init__(self) -> None:
        super().__init__(use_json_adapter_fallback=False)
        # a signature's JSON schemas cost milliseconds, and are the same in every call
        self._system_message: Callable[[Any, str], str] = lru_cache(maxsize=256)(self._made_system_message)
        self._requirements: Callable[[Any], str | None] = lru_cache(maxsize=256)(
            self.user_message_output_requirements
        )

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

    def format_user_message_content(
        self,
        signature: type[dspy.Signature],
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """Word for word what DSPy writes; text, as most inputs are, is spared DSPy's detour through JSON."""
        given = [
            f"[[ ## {name} ## ]]\n{value if isinstance(value, str) else format_field_value(info, value)}"
            for name, info in signature.input_fields.items()
            for value in ([inputs[name]] if name in inputs else [])
        ]
        wanted = self._requirements(signature) if main_request else None
        parts = (prefix, *given, *([wanted] if wanted is not None else []), suffix)
        return "\n\n".join(parts).strip()

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
