"""Where a Runnable, a graph or a tool wants the question: read from its input schema."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from viva.core.errors import UsageError
from viva.examinees.readers.choosing import Asked

QUESTION = ("question", "input", "query", "user_input", "prompt", "text")
PASSAGES = ("passages", "contexts", "context", "documents")
HISTORY = ("chat_history", "history", "message_history")
_ANSWER = ("answer", "generation", "result", "output", "response")
_TAKEN = (*PASSAGES, *HISTORY, *_ANSWER, "options")


@dataclass(frozen=True)
class InputForm:
    """The fields of an input; none at all: it is a plain text."""

    question: str = ""
    messages: bool = False
    options: bool = False
    passages: str = ""
    joined: bool = False
    """whether the passages are one text"""
    history: tuple[str, ...] = ()

    @classmethod
    def of(cls, schema: Mapping[str, Any], name: str) -> InputForm:
        """The form of a JSON schema. UsageError for one without a place for the question, or that needs more."""
        fields: Mapping[str, Any] = schema.get("properties") or {}
        return cls.with_fields(fields, schema.get("required") or (), name) if fields else cls()

    @classmethod
    def with_fields(cls, fields: Mapping[str, Any], required: Collection[str], name: str) -> InputForm:
        """The form of an input with these fields, each with its JSON schema."""
        question = next((key for key in QUESTION if key in fields), "")
        if not question and "messages" not in fields:
            candidates = [key for key in (required or fields) if key not in _TAKEN]
            if len(candidates) != 1:
                raise UsageError(
                    f"{name} has no field for the question in its input; it has {', '.join(fields)}.",
                    allowed=f"One of {', '.join((*QUESTION, 'messages'))}, or a single field of any name.",
                )
            question = candidates[0]
        passages = next((key for key in PASSAGES if key in fields and key != question), "")
        needed = [key for key in required if key not in {question, "messages", "options", *HISTORY}]
        if needed:
            raise UsageError(
                f"{name} needs {', '.join(needed)} in its input, besides the question.",
                next_step="Plug in the whole system, which retrieves for itself.",
            )
        return cls(
            question=question,
            messages="messages" in fields,
            options="options" in fields,
            passages=passages,
            joined=bool(passages) and fields[passages].get("type") == "string",
            history=tuple(key for key in HISTORY if key in required),
        )

    def filled(self, asked: Asked) -> str | dict[str, Any]:
        """The input for one question."""
        text = asked.stem if self.options else asked.question
        if not self.question and not self.messages:
            return text
        filled: dict[str, Any] = {self.question: text} if self.question else {}
        if self.messages:
            from langchain_core.messages import HumanMessage

            filled["messages"] = [HumanMessage(asked.question)]
        if self.options:
            filled["options"] = list(asked.options) if asked.options else None
        if self.passages and asked.passages is not None:
            filled[self.passages] = "\n\n".join(asked.passages) if self.joined else list(asked.passages)
        return {**filled, **{key: [] for key in self.history}}
